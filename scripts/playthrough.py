"""Write a transcript of a short game of every kind, so that a change of behaviour shows as a diff.

``python scripts/playthrough.py [GAME ...]`` plays the games of :data:`PARTS` and writes
``tests/playthroughs/GAME.txt``; with ``--check`` it writes nothing and exits with 1 if a file
would change.  After OpenSpiel's playthroughs
(https://github.com/google-deepmind/open_spiel/tree/master/open_spiel/integration_tests/playthroughs).

A step tells the position (as text, ``...`` standing for lines that hold nothing new, and as JSON),
who is to move, the legal moves or the outcomes with their probabilities, what every level advises
(all that are tied for best, the first options with their values), what was played, and its events.
Numbers are rounded, options with the same numbers stand in the order of the legal moves, and dice
fall by this script's own seeds: no transcript depends on the machine.  The tables it needs, all
small, are built anew.
"""

from __future__ import annotations

import argparse
import difflib
import json
import random
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from ustad.runtime import Advisor, UstadError
from ustad.runtime.core.game import CHANCE, LEVELS
from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.questions import read_position
from ustad.solver.build import build_table

FOLDER = Path(__file__).parents[1] / "tests" / "playthroughs"
WIDTH = 110
DIGITS = 6
OPTIONS_SHOWN = 5
OUTCOMES_SHOWN = 5

Json = Any


# What the script needs of the package beside Advisor's methods.


def build_tables(game: str, folder: Path) -> None:
    """Build the tables that a game's transcript is made with."""
    for options in TABLES[game]:
        build_table(entry_of(game), options, folder)


class Play:
    """A game going on, in JSON: a position, or a whole round of Marriage with every card."""

    def __init__(self, position: Json) -> None:
        self._entry, self._state = read_position(position)
        self._whole = False

    @classmethod
    def marriage(cls, cards: Sequence[str], players: int) -> Play:
        """Return a round dealt from 160 cards in order, seat 0 to play."""
        play = cls.__new__(cls)
        play._entry = entry_of("marriage")
        rules = play._entry.rules.read({})
        order = [play._entry.codec.outcome_from_json(card) for card in cards]
        play._state, play._whole = rules.deal_cards(players, order), True
        return play

    @property
    def seat(self) -> int | None:
        """The seat to move, None where none is."""
        seat: int = self._state.current_player()
        return seat if seat >= 0 else None

    @property
    def over(self) -> bool:
        """Whether the game is finished."""
        return bool(self._state.is_over())

    def position(self) -> Json:
        """Return the position as who is to move knows it."""
        known = self._state.view(self.seat or 0) if self._whole else self._state
        return self._entry.codec.state_to_json(known)

    def text(self) -> str:
        """Return the position for people."""
        return self._entry.text.describe(self._state)

    def outcomes(self) -> list[tuple[Json, float]]:
        """Return what can fall with probabilities, nothing where no chance is to fall."""
        if self._state.current_player() != CHANCE:
            return []
        found = self._state.chance_outcomes()
        return [(self._entry.codec.outcome_to_json(outcome), chance) for outcome, chance in found]

    def result(self, of: str) -> str:
        """Return the ``scores`` or ``returns`` of the seats, as far as this position knows them."""
        try:
            return numbers(getattr(self._state, of)())
        except UstadError:
            return "not known to this seat"

    def step(self, told: Json) -> list[Json]:
        """Go on by a move or an outcome and return its events."""
        codec = self._entry.codec
        read = codec.move_from_json if self.seat is not None else codec.outcome_from_json
        before, move = self._state, read(told)
        self._state = before.apply(move)
        events: list[Json] = codec.events(before, move, self._state)
        return events


# What is played.


@dataclass(frozen=True)
class Part:
    """A stretch of play.

    ``start`` is a position, or the seed of a round of Marriage for two; ``plays`` the level that
    plays each seat; ``asked`` the levels that advise; ``given`` what is played or falls at certain
    steps instead; the part ends after ``steps`` steps if the game does not end before.
    """

    title: str
    start: Json | int
    plays: tuple[str, ...]
    asked: tuple[str, ...] = LEVELS
    given: Mapping[int, Json] = field(default_factory=dict)
    steps: int = 1000
    seed: int = 0

    def begin(self) -> Play:
        """Return the game at its start."""
        if not isinstance(self.start, int):
            return Play(self.start)
        cards = [rank + suit for suit in "SHDC" for rank in (*"A23456789", "10", *"JQK")]
        pack = [*cards * 3, *["PJ"] * 3, "MJ"]
        random.Random(self.start).shuffle(pack)
        return Play.marriage(pack, len(self.plays))


_FULL = {
    "ones": 3,
    "twos": 6,
    "threes": 9,
    "fours": 12,
    "fives": 15,
    "sixes": 18,
    "three_of_a_kind": 22,
    "four_of_a_kind": 0,
    "full_house": 25,
    "small_straight": 30,
    "large_straight": 40,
    "yacht": 50,
    "chance": 21,
}
"""A sheet of yacht with every box written."""

_DICE_POKER_FULL = {
    "ones": 0,
    "twos": 2,
    "threes": 0,
    "fours": -4,
    "fives": 5,
    "sixes": 0,
    "pair": 12,
    "two_pairs": 20,
    "three": 18,
    "small_straight": 15,
    "large_straight": 20,
    "full_house": 27,
    "four": 24,
    "poker": 80,
    "chance": 21,
}
"""A sheet of dice poker with every box written."""


def _cards(text: str) -> list[str]:
    return text.split()


def _sheet(full: Mapping[str, int], *open_boxes: str) -> dict[str, int]:
    return {box: points for box, points in full.items() if box not in open_boxes}


TABLES: dict[str, tuple[dict[str, Json], ...]] = {
    "yacht": ({},),
    "dice_poker": ({},),
    "pasa": ({"players": 3, "chips": 12, "laps": 1},),
    "raja_pasu": ({"closed": 5}, {"closed": 6}),
    "marriage": ({},),
}
"""The options of the tables that the levels of each game play by here."""

PARTS: dict[str, tuple[Part, ...]] = {
    "yacht": (
        Part(
            "the opening turn of one seat",
            {"game": "yacht", "sheets": [{}], "to_move": 0, "dice": None, "rolls_left": 3},
            ("hard",),
            ("easy", "medium", "expert"),
            steps=6,
        ),
        Part(
            "five equal dice as joker",
            {
                "game": "yacht",
                "sheets": [_sheet(_FULL, "sixes", "large_straight", "chance")],
                "to_move": 0,
                "dice": [6, 6, 6, 6, 6],
                "rolls_left": 2,
            },
            ("hard",),
            steps=2,
        ),
        Part(
            "the last box of two seats",
            {
                "game": "yacht",
                "sheets": [_sheet(_FULL, "fives"), _sheet(_FULL, "chance")],
                "to_move": 0,
                "dice": None,
                "rolls_left": 3,
            },
            ("hard", "medium"),
            ("easy", "medium", "hard"),
        ),
    ),
    "dice_poker": (
        Part(
            "the opening turn of one seat",
            {
                "game": "dice_poker",
                "sheets": [{}],
                "turns_left": [15],
                "to_move": 0,
                "dice": None,
                "rolls_left": 3,
            },
            ("expert",),
            steps=6,
        ),
        Part(
            "the last turns of two seats",
            {
                "game": "dice_poker",
                "sheets": [_sheet(_DICE_POKER_FULL, "four"), _sheet(_DICE_POKER_FULL, "poker")],
                "turns_left": [1, 1],
                "to_move": 0,
                "dice": None,
                "rolls_left": 3,
            },
            ("expert", "hard"),
            given={0: [2, 6, 6, 6, 6]},
        ),
    ),
    "pasa": (
        Part(
            "a game of one lap",
            {
                "game": "pasa",
                "stacks": [4, 4, 4],
                "thrower": 0,
                "turns_left": 3,
                "bets": [None] * 3,
            },
            ("hard", "expert", "expert"),
            seed=34,
        ),
    ),
    "raja_pasu": (
        Part(
            "the opening moves of a round",
            {
                "game": "raja_pasu",
                "board": [7] * 14,
                "closed": [],
                "to_move": 0,
                "captured": [0, 0],
            },
            ("hard", "medium"),
            ("easy", "medium", "hard"),
            steps=3,
        ),
        Part(
            "a round with five closed holes",
            {
                "game": "raja_pasu",
                "board": [0] * 5 + [7] * 9,
                "closed": [0, 1, 2, 3, 4],
                "to_move": 1,
                "captured": [4, 31],
            },
            ("expert", "easy"),
        ),
        Part(
            "the end of a match",
            {
                "game": "raja_pasu",
                "board": [0] * 5 + [7] * 9,
                "closed": [0, 1, 2, 3, 4],
                "to_move": 0,
                "captured": [0, 0],
                "match": {"owned": [18, 80], "round": 2, "leader": 0},
            },
            ("hard", "hard"),
            ("easy", "medium", "hard"),
        ),
    ),
    "marriage": (
        Part("a round of two seats, all cards known to the host", 185, ("expert", "expert")),
        Part(
            "seven dublees and the eighth, as the seat that shows them knows the round",
            {
                "game": "marriage",
                "players": 2,
                "seat": 0,
                "to_move": 0,
                "dealer": 1,
                "turns": 4,
                "phase": "draw",
                "hand": _cards("2S 2S 5S 5S 9H 9H JH JH 4D 4D 8C 8C QC QC 3S 7H 10D KD AC 6C PJ"),
                "drawn": None,
                "table": [
                    {
                        "seat": seat,
                        "melds": [],
                        "laid_before_draw": [],
                        "shown": False,
                        "dublees": False,
                    }
                    for seat in (0, 1)
                ],
                "tiplu_drawn": False,
                "tiplu": None,
                "pile": _cards("7S JD KS 10S 4C"),
                "discards": [],
                "taken": [],
                "stock": 113,
            },
            ("expert", "expert"),
            given={
                0: {"draw": "stock"},
                5: {"draw": "stock"},
                6: {"discard": "9C"},
                7: {"draw": "stock"},
                8: "10D",
            },
        ),
    ),
}


# How it is told.


def transcript(game: str, tables: Path) -> str:
    """Return the transcript of a game, played with the tables of a folder."""
    advisor = Advisor(tables)
    lines = [f"game: {game}"]
    for number, part in enumerate(PARTS[game], 1):
        lines += ["", f"# Part {number}: {part.title}", *_part(part, advisor)]
    return "\n".join(lines) + "\n"


def _part(part: Part, advisor: Advisor) -> Iterator[str]:
    play, luck = part.begin(), random.Random(part.seed)
    told: list[str] = []
    for step in range(part.steps + 1):
        yield from ("", f"## Step {step}", *_news(play.text().splitlines(), told))
        position = play.position()
        yield f"position: {compact(position)}"
        if play.over:
            yield f"over: returns {play.result('returns')}, scores {play.result('scores')}"
        if play.over or step == part.steps:
            return
        legal, outcomes = advisor.legal(position)["legal"], play.outcomes()
        if outcomes:
            yield _chance(outcomes)
        else:
            yield from _wrapped(f"seat {play.seat} to move, legal {len(legal)}:", legal)
        for level in part.asked if legal or outcomes else ():  # not at others' moves in a view
            yield from _advice(level, advisor.ask(position, level), legal)
        if step in part.given:
            played = part.given[step]
        elif outcomes:
            falls, chances = zip(*outcomes, strict=True)
            (played,) = luck.choices(falls, chances)
        else:
            played = advisor.move(position, part.plays[play.seat or 0], 0)["move"]
        yield f"{'falls' if outcomes else 'played'}: {compact(played)}"
        yield from (f"event: {compact(event)}" for event in play.step(played))


def _news(text: Sequence[str], told: list[str]) -> Iterator[str]:
    """Yield the lines of a text, ``...`` for those of which nothing is new, and remember them.

    ``told`` holds what was last told at each place.
    """
    told += [""] * (len(text) - len(told))
    known = [f"{told[at]} ".startswith(f"{line} ") for at, line in enumerate(text)]
    told[: len(text)] = [told[at] if known[at] else line for at, line in enumerate(text)]
    for old, lines in groupby(zip(known, text, strict=True), lambda pair: pair[0]):
        yield from ["  ..."] if old else (f"  {line}".rstrip() for _, line in lines)


def _chance(outcomes: Sequence[tuple[Json, float]]) -> str:
    first = ", ".join(
        f"{compact(outcome)} {chance:.{DIGITS}f}" for outcome, chance in outcomes[:OUTCOMES_SHOWN]
    )
    more = ", ..." if len(outcomes) > OUTCOMES_SHOWN else ""
    total = sum(chance for _, chance in outcomes)
    return f"chance, {len(outcomes)} outcomes: {first}{more}; sum {total:.{DIGITS}f}"


def _advice(level: str, answer: Mapping[str, Json], legal: Sequence[Json]) -> Iterator[str]:
    """Yield what a level says, nothing if it says nothing."""
    if "value" in answer:
        shares = f", win shares {numbers(answer['win_shares'])}" if "win_shares" in answer else ""
        yield f"{level}: {answer['unit']} {numbers([answer['value']])}{shares}"
    if answer["best"]:
        yield from _wrapped(f"{level} best:", answer["best"])
    if answer.get("options"):
        yield from _wrapped(f"{level} options:", _first_options(answer["options"], legal))


def _first_options(options: Iterable[Mapping[str, Json]], legal: Sequence[Json]) -> list[str]:
    """Return the best options with their numbers; where all of them are equal, as legal has them.

    What stands behind the digits shown may differ from machine to machine.
    """

    def shown(option: Mapping[str, Json]) -> str:
        return numbers(value for value in option.values() if isinstance(value, float))

    def place(option: Mapping[str, Json]) -> int:
        return legal.index(option["move"])

    ordered = [one for _, equal in groupby(options, shown) for one in sorted(equal, key=place)]
    return [f"{compact(one['move'])} {shown(one)}" for one in ordered[:OPTIONS_SHOWN]]


def numbers(values: Iterable[float]) -> str:
    """Return numbers rounded, without a negative zero."""
    return " ".join(f"{round(value, DIGITS) + 0.0:.{DIGITS}f}" for value in values)


def compact(told: Json) -> str:
    """Return JSON without spaces."""
    return json.dumps(told, separators=(",", ":"))


def _wrapped(head: str, told: Iterable[Json]) -> list[str]:
    """Return a head and a list behind it, as many as fit on each line."""
    words = [one if isinstance(one, str) else compact(one) for one in told]
    line, lines = head, []
    for word in words:
        if len(line) + 1 + len(word) > WIDTH and line.strip():
            lines.append(line)
            line = "   "
        line += f" {word}"
    return [*lines, line]


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check the transcripts and return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"any of {', '.join(PARTS)}")
    parser.add_argument("--check", action="store_true", help="write nothing, exit 1 on a change")
    asked = parser.parse_args(arguments)
    if unknown := set(asked.games) - set(PARTS):
        parser.error(f"{', '.join(sorted(unknown))}: expected {', '.join(PARTS)}")
    status = 0
    for game in asked.games or PARTS:
        path = FOLDER / f"{game}.txt"
        with tempfile.TemporaryDirectory() as folder:
            build_tables(game, Path(folder))
            now = transcript(game, Path(folder))
        before = path.read_text("utf-8") if path.exists() else ""
        if now == before:
            continue
        status = 1
        sys.stdout.writelines(
            difflib.unified_diff(
                before.splitlines(True), now.splitlines(True), f"{path.name}", "now", n=2
            )
            if asked.check
            else [f"{path.name}: written\n"]
        )
        if not asked.check:
            path.write_text(now, "utf-8")
    return status if asked.check else 0


if __name__ == "__main__":
    sys.exit(main())
