"""A signature of behaviour: one digest that changes when any choice of any level changes.

The problem.  Whoever rebuilds a module wants to know that no bot plays otherwise and no
number of a table is another, and who changes play wants to say so.  So commits that change
behaviour quote the signature before and after, as those of Stockfish quote its ``bench``.

What it covers, for each game:

- ``tables``: the type, shape and bytes of every array of every default table, as decoded: how
  a file is packed does not matter;
- ``deals``: deals and the dice that fall in them, from seeds (``rules.deal``, ``rules.luck``);
- ``play``: games of random moves, for all numbers of seats and all options: every position,
  the moves legal in it, what each move brought about, returns and scores at the end;
- for each level ``choices``: what it plays in positions of those games, with seed 0, and
  ``advice``: what it answers when asked: its best moves, the value, the value of each option.

The games do not depend on any bot or any ``luck``: a level that plays otherwise changes its
own two digests alone.  Moves, outcomes and positions are hashed as their JSON, so nothing
depends on how a position lies in memory.  Values are rounded to 9 significant digits and hashed
with their moves, in the order of the moves' JSON: the order of sums does not matter.

Only default tables count, whatever else stands in the folder: a level that needs another table
in a position gives no answer there, and that is hashed too.  The signature does not depend on
the machine, the number of threads, or the version of Python, but for this: a value that lies
within the error of its sum of where 9 digits round up may be told either way on another
processor.  It is the same without numba, where Marriage takes very long.

The text tells a digest's number of positions in parentheses.  The whole takes half a minute of
CPU time, and a quarter of one more where kernels are to be compiled first.

After Stockfish, ``src/benchmark.cpp``, and pokerkit, ``tests/test_lookups.py`` (the digest of
a whole ordering).
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ustad.runtime import Advisor
from ustad.runtime.core.errors import PositionError
from ustad.runtime.core.game import CHANCE, LEVELS
from ustad.runtime.core.registry import entry as entry_of
from ustad.tables import MissingTableError, TableSpec, open_table, tables_folder

Json = Any
Setting = tuple[dict[str, Any], tuple[int, ...]]
"""Options that differ from the default, and the numbers of seats to play them with."""

POSITIONS = 1200
"""About how many positions of each game are asked about."""

GAMES = {"yacht": 2, "dice_poker": 2, "pasa": 8, "raja_pasu": 12, "marriage": 4}
"""Games of random moves for each setting and number of seats: as many as give so many positions."""

SACRIFICE = {"dash": "sacrifice"}
FREE = {"dash": "sacrifice", "order": "free"}

SETTINGS: dict[str, tuple[Setting, ...]] = {
    "yacht": tuple(
        ({"second_yacht": value}, (1, 2, 3, 4, 5, 6))
        for value in ("bonus_and_joker", "free_joker", "plain")
    ),
    "dice_poker": (
        *((options, (1, 2, 3, 4, 5, 6)) for options in ({}, SACRIFICE, FREE)),
        ({"first_throw": "double_with_poker_bonus"}, (2,)),
        ({"first_throw": "none"}, (2,)),
        ({"five_as_full_house": True}, (2,)),
        ({"four_as_two_pairs": True}, (2,)),
        ({"school_bonus": -30}, (2,)),
        ({"school_threshold": -5}, (3,)),
        ({"school_threshold": 6}, (2,)),
        ({"chance_doubles": True}, (2,)),
        ({"chance_after_miss": True}, (2,)),
    ),
    "pasa": (
        ({}, (2, 3, 4, 5, 6)),
        ({"stack": 50}, (2,)),
        ({"stack": 20}, (3,)),
        ({"stack": 5}, (5,)),
        ({"stack": 3}, (4, 5, 6)),
        ({"cap": "first_come", "max_bet": 2}, (4,)),
        ({"cap": "first_come"}, (3,)),
        ({"max_bet": 3}, (4,)),
        ({"menu": "all"}, (3,)),
        ({"laps": 1}, (2, 4)),
        ({"laps": 3}, (4,)),
    ),
    "raja_pasu": (
        ({}, (2,)),
        ({"match": True}, (2,)),
        ({"match": True, "max_rounds": 2}, (2,)),
        ({"origin": "skipped"}, (2,)),
        ({"origin": "skipped", "match": True}, (2,)),
    ),
    "marriage": (
        ({}, (2, 3, 4, 5)),
        ({"dublee": False}, (3,)),
        ({"master_is_pure": True}, (4,)),
        ({"see_tiplu": "at_once"}, (4,)),
        ({"printed_need_show": True}, (2,)),
        ({"laid_need_tiplu": False}, (5,)),
    ),
}
"""Every number of seats, every choice of every option."""

ODD: dict[str, tuple[Json, ...]] = {
    "raja_pasu": (
        {"game": "raja_pasu", "board": [5, 5, 0, 10, 5, 5, 5, 5, 5, 5, 5, 5, 10, 0], "to_move": 0},
        {"game": "raja_pasu", "board": [0, 0, 9, 0, 7, 0, 0, 0, 11, 0, 0, 5, 0, 0], "to_move": 1},
    ),
}
"""Positions that no game leads to, which expert searches: of the first it sees no end."""


# What this module needs of the package: the rest knows JSON and the states of OpenSpiel alone.


class Rules:
    """A game with options."""

    def __init__(self, name: str, options: Mapping[str, Any]) -> None:
        self.name = name
        self.entry = entry_of(name)
        self.options = self.entry.rules.read_options(options)
        self.rules = self.entry.rules.make(**self.options)

    def read(self, position: Json) -> Any:
        """Return the state of a JSON position of these rules."""
        return self.entry.codec.state_from_json(position)

    def deal(self, players: int, seed: int) -> tuple[Any, Any]:
        """Return the start of a game as an arena deals it, and the luck of the game."""
        return self.rules.deal(players, (seed, 1)), self.rules.luck(players, (seed, 1))

    def start(self, players: int, seed: int, first: int) -> Any:
        """Return the start of a game; what is dealt comes from the seed."""
        return self.rules.new(players, first, (seed,))

    def position(self, state: Any) -> Json:
        """Return a position as the seat to move may know it."""
        return self.entry.codec.state_to_json(state.view(max(state.current_player(), 0)))

    def all_of(self, state: Any, players: int) -> Json:
        """Return all of a position: where cards are hidden, what each seat knows."""
        if not self.entry.rules.hidden:
            return self.position(state)
        return [self.entry.codec.state_to_json(state.view(seat)) for seat in range(players)]

    def moves(self, state: Any) -> list[tuple[Json, Any]]:
        """Return the legal moves with their JSON."""
        return [(self.entry.codec.move_to_json(move), move) for move in state.legal_moves()]

    def outcomes(self, state: Any) -> list[tuple[Json, Any]]:
        """Return what chance can bring with its JSON."""
        to_json = self.entry.codec.outcome_to_json
        return [(to_json(found), found) for found, _ in state.chance_outcomes()]

    def outcome(self, outcome: Any) -> Json:
        """Return the JSON of what chance brought."""
        return self.entry.codec.outcome_to_json(outcome)

    def events(self, before: Any, move: Any, after: Any) -> Json:
        """Return what a move or an outcome brought about."""
        return self.entry.codec.events(before, move, after)

    def choice(self, advisor: Advisor, level: str, state: Any) -> Json:
        """Return the move that a level plays."""
        bot = advisor.bot(self.entry, self.rules, level)
        return self.entry.codec.move_to_json(bot.choose(state.view(state.current_player())))


def default_tables(name: str) -> list[TableSpec]:
    """Return the tables of a default build of a game that values and choices come from.

    What the points consist of (``by_box``) is told of moves, but chooses none.
    """
    tables = entry_of(name).tables
    return [tables.spec(options) for options in tables.defaults() if "by_box" not in options]


# Digests.


def text_of(value: Json) -> str:
    """Return JSON as the one text that is hashed."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


class Digest:
    """The SHA-256 of JSON values, one a line."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def add(self, *values: Json) -> None:
        """Hash some more values."""
        for value in values:
            self._hash.update(f"{text_of(value)}\n".encode())

    def __str__(self) -> str:
        return self._hash.hexdigest()[:16]


def rounded(value: float) -> str:
    """Return a value in 9 significant digits; what sums leave of nothing is nothing."""
    return f"{value:.9g}" if abs(value) > 1e-12 else "0"


def table_digest(specs: Iterable[TableSpec], folder: Path) -> str:
    """Return the digest of all values and parts of tables.

    Raises:
        TableError: one is missing or unfit; the message names the command that builds it.
    """
    digest = Digest()
    for spec in sorted(specs, key=lambda spec: spec.options_json):
        table = open_table(spec, folder)
        table.verify()
        digest.add(dict(spec.options))
        for name, array in sorted({"values": table.values, **table.parts}.items()):
            content = hashlib.sha256(np.ascontiguousarray(array).data).hexdigest()
            digest.add([name, array.dtype.str, list(array.shape), content])
    return str(digest)


# Games of random moves.


def one_of(source: random.Random, found: Sequence[Any]) -> Any:
    """Return one of some things; ``random()`` alone is the same in every version of Python."""
    return found[int(source.random() * len(found))]


def by_text(found: Iterable[tuple[Json, Any]]) -> list[tuple[Json, Any]]:
    """Return moves or outcomes in the order of their JSON, whatever order they came in."""
    return sorted(found, key=lambda pair: text_of(pair[0]))


def equal_faces(source: random.Random, found: list[tuple[Json, Any]]) -> Any:
    """Return a throw, each as likely as any other, now and then one of faces most alike.

    So that there are five equal dice, which true dice seldom bring.
    """
    if source.random() < 0.2:
        least = min(len(set(outcome)) for outcome, _ in found)
        found = [pair for pair in found if len(set(pair[0])) == least]
    return one_of(source, found)[1]


RANKS = {rank: at for at, rank in enumerate(["A", *map(str, range(2, 11)), "J", "Q", "K"])}


def towards_melds(position: Json, found: list[tuple[Json, Any]]) -> list[tuple[Json, Any]]:
    """Return the moves that lead on in a round of cards, which random ones hardly do.

    They show, lay and finish, take what has neighbours in the hand, throw what has fewest.
    """

    def neighbours(card: str) -> int:
        if card[:-1] not in RANKS:
            return 9  # putali and master
        return sum(
            abs(RANKS[other[:-1]] - RANKS[card[:-1]]) <= 2
            for other in position["hand"]
            if other[:-1] in RANKS and other[-1] == card[-1]
        )

    melding = [pair for pair in found if pair[0].keys() - {"draw", "discard"}]
    if melding:
        return melding
    if position["phase"] == "draw":
        pile = position["pile"] and neighbours(position["pile"][-1]) >= 3
        wanted = {"draw": "pile" if pile else "stock"}
        return [pair for pair in found if pair[0] == wanted] or found
    fewest = min(neighbours(move["discard"]) for move, _ in found)
    return [pair for pair in found if neighbours(pair[0]["discard"]) == fewest]


GUIDES = {"marriage": towards_melds}


def cards_phase(position: Json) -> Json:
    """Return where in a round of cards a position stands."""
    seat = position["table"][position["seat"]]
    anybody = any(other["shown"] for other in position["table"])
    return anybody, seat["shown"], seat["dublees"], bool(seat["laid_before_draw"])


PHASES: dict[str, Callable[[Json], Json]] = {
    "marriage": cards_phase,
    "raja_pasu": lambda position: len(position["closed"]),
}


def phase(rules: Rules, state: Any) -> str:
    """Return what sort of position this is: what kinds of moves there are, and how far it is."""
    kinds = {kind for move, _ in rules.moves(state) for kind in move}
    known = PHASES.get(rules.name)
    return text_of([sorted(kinds), known and known(rules.position(state))])


def play(
    rules: Rules, state: Any, players: int, source: random.Random, digest: Digest
) -> list[Any]:
    """Play a game of random moves and hash it; return its states but the last."""
    states = []
    digest.add(rules.options, rules.all_of(state, players))
    while not state.is_over():
        states.append(state)
        if state.current_player() == CHANCE:
            step = equal_faces(source, by_text(rules.outcomes(state)))
            said = rules.outcome(step)
        else:
            found = by_text(rules.moves(state))
            digest.add([move for move, _ in found])
            guide = GUIDES.get(rules.name)
            if guide is not None and source.random() < 0.9:
                found = guide(rules.position(state), found)
            said, step = one_of(source, found)
        after = state.apply(step)
        digest.add(said, rules.events(state, step, after), rules.all_of(after, players))
        state = after
    digest.add([rounded(value) for value in (*state.returns(), *state.scores())])
    return states


def deal(rules: Rules, players: int, source: random.Random, digest: Digest) -> None:
    """Hash a deal, and what falls in the first moves of a game from it."""
    state, luck = rules.deal(players, int(source.random() * 2**31))
    digest.add(rules.options, rules.all_of(state, players))
    for _ in range(100):
        if state.is_over():
            return
        if state.current_player() == CHANCE:
            step = luck.outcome(state)
            digest.add(rules.outcome(step))
        else:
            _, step = one_of(source, by_text(rules.moves(state)))
        state = state.apply(step)


def sample(rules: Rules, states: Sequence[Any], count: int, source: random.Random) -> list[Any]:
    """Return some states of a game, of each phase as many, as far as there are so many."""
    shuffled = sorted(states, key=lambda state: source.random())
    seen: Counter[str] = Counter()
    ranked = []
    for at, state in enumerate(shuffled):
        seen[sort := phase(rules, state)] += 1
        ranked.append((seen[sort], at))
    return [shuffled[at] for _, at in sorted(ranked)[:count]]


# Levels.


@dataclass
class Answers:
    """What a level played and answered, hashed."""

    choices: Digest = field(default_factory=Digest)
    advice: Digest = field(default_factory=Digest)
    chosen: int = 0
    asked: int = 0

    def add(self, rules: Rules, advisor: Advisor, level: str, state: Any) -> None:
        """Ask a level about a position; where it needs a table that is none of the defaults, not.

        Where chance is to fall there is nothing to choose, but there is a value.
        """
        try:
            if state.current_player() != CHANCE:
                choice = rules.choice(advisor, level, state)
                self.choices.add(choice)
                self.chosen += 1
            answer = advisor.ask(rules.position(state), level=level)
            self.advice.add(essence(answer))
            self.asked += 1
        except (MissingTableError, PositionError):  # the latter where no table could be so large
            self.choices.add(None)
            self.advice.add(None)

    def as_json(self) -> Json:
        """Return the digests and how many positions they are about."""
        return {
            "choices": str(self.choices),
            "chosen": self.chosen,
            "advice": str(self.advice),
            "asked": self.asked,
        }


def essence(answer: Json) -> Json:
    """Return of an answer what no order of moves and sums changes."""
    options = answer.get("options", [])
    return {
        "best": sorted(map(text_of, answer["best"])),
        "value": rounded(answer["value"]) if "value" in answer else None,
        "options": sorted([text_of(one["move"]), rounded(one["value"])] for one in options),
    }


# The signature.


@contextmanager
def defaults_alone(specs: Iterable[TableSpec], folder: Path) -> Iterator[Path]:
    """Give a folder that holds these tables of a folder and no others."""
    with tempfile.TemporaryDirectory() as name:
        for spec in specs:
            path = spec.path(folder).resolve()
            try:
                os.symlink(path, spec.path(Path(name)))
            except OSError:  # a system without links
                shutil.copyfile(path, spec.path(Path(name)))
        yield Path(name)


def game_parts(
    name: str, folder: Path, positions: int, games: int, done: Callable[[], object]
) -> Json:
    """Return the digests of a game.

    Args:
        name: the game.
        folder: where the default tables are.
        positions: about how many positions to ask about.
        games: games of random moves for each setting and number of seats.
        done: called after each setting and number of seats.

    Raises:
        TableError: a default table is missing or unfit.
    """
    specs = default_tables(name)
    tables = table_digest(specs, folder)
    played, dealt = Digest(), Digest()
    levels = {level: Answers() for level in LEVELS}
    count = -(-positions // (games * rounds(name)))
    asked = 0
    with defaults_alone(specs, folder) as alone:
        advisor = Advisor(alone)

        def ask(rules: Rules, states: Iterable[Any]) -> None:
            nonlocal asked
            for state in states:
                asked += 1
                for level, answers in levels.items():
                    answers.add(rules, advisor, level, state)

        for options, seats in SETTINGS[name]:
            rules = Rules(name, options)
            for players in seats:
                source = random.Random(text_of([name, options, players]))
                deal(rules, players, source, dealt)
                for game in range(games):
                    start = rules.start(players, game, int(source.random() * players))
                    states = play(rules, start, players, source, played)
                    waiting = [state for state in states if state.current_player() == CHANCE]
                    moving = [state for state in states if state.current_player() != CHANCE]
                    ask(rules, sample(rules, moving, count, source))
                    ask(rules, sample(rules, waiting, count // 8, source))
                done()
        for position in ODD.get(name, ()):
            rules = Rules(name, {})
            ask(rules, [rules.read(position)])
    return {
        "tables": tables,
        "deals": str(dealt),
        "play": str(played),
        "positions": asked,
        "levels": {level: answers.as_json() for level, answers in levels.items()},
    }


def rounds(name: str) -> int:
    """Return how many pairs of a setting and a number of seats a game is played with."""
    return sum(len(seats) for _, seats in SETTINGS[name])


def measure(
    folder: Path | None = None,
    names: Sequence[str] = tuple(SETTINGS),
    positions: int = POSITIONS,
    games: Mapping[str, int] = GAMES,
) -> Json:
    """Return the signature, its parts by game, and the CPU seconds that each game took.

    Args:
        folder: where the default tables are, None for the usual places.
        names: the games.
        positions: about how many positions of each game to ask about.
        games: by game, games of random moves for each setting and number of seats.

    Raises:
        TableError: a default table is missing or unfit; the message names the command that
            builds it.
    """
    parts, seconds = {}, {}
    with progress(sum(map(rounds, names))) as done:
        for name in names:
            begin = time.process_time()
            parts[name] = game_parts(name, tables_folder(folder), positions, games[name], done)
            seconds[name] = round(time.process_time() - begin, 1)
    whole = Digest()
    whole.add(parts)
    return {"signature": str(whole), "parts": parts, "cpu_s": seconds}


@contextmanager
def progress(total: int) -> Iterator[Callable[[], object]]:
    """Show a progress bar on standard error; where tqdm is not installed, none."""
    try:
        from tqdm import tqdm
    except ImportError:
        yield lambda: None
        return
    with tqdm(desc="signature", total=total, leave=False, disable=None) as bar:
        yield bar.update


def as_text(found: Json) -> str:
    """Return the signature and, below it, its parts."""
    lines = [found["signature"]]
    for name, part in found["parts"].items():
        digests = ", ".join(f"{key} {part[key]}" for key in ("tables", "deals", "play"))
        lines.append(f"{name}: {digests}, positions {part['positions']}")
        for level, row in part["levels"].items():
            chosen = f"choices {row['choices']} ({row['chosen']})"
            lines.append(f"  {level:<7} {chosen}, advice {row['advice']} ({row['asked']})")
    return "\n".join(lines)
