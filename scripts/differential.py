"""Plays random games with Python and with the phone engine, and compares every answer.

``python scripts/differential.py [GAME ...] [--requests N] [--seed S] [--package DIR]``

Games of random options are played step by step: by random moves and by those of the levels, with
dice from seeds and given ones; at each step some of the methods are asked, and now and then with
something wrong.  Python answers first; the same requests go to the engine of a package, line by
line, and what it answers must be the same:

- values within half a step of the rounding that the manifest of the table tells;
- moves the same, or one that costs at most what the manifest's proof allows;
- everything else exactly, errors with kind and words.  Only what a package says of a table that
  is not there has its own words.

Needs Node, and the tables that Python reads; without ``--package`` one is made of them.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ustad.runtime.cli.main import main as ustad
from ustad.runtime.core.errors import UstadError
from ustad.runtime.core.game import LEVELS
from ustad.runtime.core.options import Option, WholeNumber
from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.export.manifest import canonical
from ustad.runtime.games.marriage.cards.cards import CARD_NAMES, PUTALI
from ustad.runtime.methods import error_to_json
from ustad.runtime.questions import Advisor
from ustad.tables import TableError

HERE = Path(__file__).parent
GAMES = ("yacht", "dice_poker", "pasa", "raja_pasu", "marriage")

JUNK: tuple[Any, ...] = (None, -1, 0, 1, 7, 99, 1.5, True, "x", [], [1], {}, {"x": 1}, [None] * 14)
"""What is put in the place of something right."""

TOO_LARGE = "more than a table can hold"
"""What Python says of a position of pasa whose table is not there and cannot be built."""

NO_RULES = "options: no table of"
"""What the engine says of options of a game of dice and a sheet that its package has not."""

CLOSE = 1e-9

CARDS = list(CARD_NAMES[:PUTALI])
"""The cards of the packs, for hands and guesses of Marriage."""


class Precision(NamedTuple):
    """By how much a value may be off, and what a choice may cost."""

    value: float
    cost: float


class Exchange(NamedTuple):
    """A request and what Python answered."""

    request: dict[str, Any]
    answer: dict[str, Any]


@dataclass
class Report:
    """What a comparison found.

    Attributes:
        requests: how many, by method.
        refused: how many of them were refused.
        cheap: moves that differ and cost no more than the proof allows.
        wrong: what differs.
        dear: requests for a move that are answered by one that costs more.
    """

    requests: Counter[str] = field(default_factory=Counter)
    refused: int = 0
    cheap: int = 0
    wrong: list[str] = field(default_factory=list)
    dear: list[dict[str, Any]] = field(default_factory=list)


class Player:
    """Plays random games of one game with Python.

    Args:
        game: its name.
        manifests: those of the package's tables.
        tables: the folder of the tables that Python reads.
        seed: what everything is drawn from.
    """

    def __init__(
        self, game: str, manifests: Sequence[Mapping[str, Any]], tables: Path | None, seed: int
    ) -> None:
        self.entry = entry_of(game)
        self.manifests = manifests
        self.advisor = Advisor(tables)
        self.random = random.Random(seed)

    def asked(self, method: str, **keys: Any) -> Exchange:
        """Return a request with Python's answer."""
        given = json.loads(json.dumps(keys))
        try:
            answer = {"result": self.advisor.call(method, given)}
        except (UstadError, TableError) as error:
            answer = {"error": error_to_json(error.kind, str(error))}
        return Exchange({"method": method, **keys}, answer)

    def exchanges(self) -> Iterator[Exchange]:
        """Yield requests of games, one after the other, without end."""
        while True:
            yield from self.play()

    def play(self) -> Iterator[Exchange]:
        """Yield the requests of one game."""
        least, most, _ = self.entry.rules.seats
        players = self.random.randint(least, most)
        keys = {"options": self.options(), "players": players}
        keys |= {"first": self.random.randrange(players), "seed": self.random.randrange(2**53)}
        if self.entry.rules.hidden:
            keys["whole"] = self.random.random() < 0.8
        if self.random.random() < 0.1:
            keys[self.random.choice(list(keys))] = self.random.choice(JUNK)
        begun = self.asked("new", game=self.entry.name, **keys)
        yield begun
        if "error" in begun.answer:
            return
        told = begun.answer["result"]
        # Most games go on by the moves of one level, so that they end well.
        level = self.random.choice(LEVELS)
        record: dict[str, Any] = {"start": told["position"], "steps": []}
        for _ in range(400):
            position = told["position"]
            yield from self.questions(position)
            step = None
            if told["status"]["to"] != "over":
                step = self.step(position, told["status"], level)
            if step is None:
                break
            yield step
            if "result" in step.answer:
                record["steps"] += steps_of(told["status"], step)
            told = step.answer.get("result", told)  # what a view guesses may be refused
        if not self.entry.rules.hidden:
            yield self.asked("review", record=self.maybe_broken(record), **self.junk("unit"))

    def options(self) -> dict[str, Any]:
        """Return random options, for games of dice and a sheet those of a table."""
        options = self.entry.rules.options
        if self.entry.name in ("yacht", "dice_poker"):
            return dict(self.random.choice(self.manifests)["options"])
        chosen = self.random.sample(options, self.random.randint(0, len(options)))
        # The engine's expert does not know the results of matches of Raja Pasu yet.
        return {option.name: self.value(option) for option in chosen if option.name != "match"}

    def value(self, option: Option) -> Any:
        """Return something that an option may be."""
        if not isinstance(option, WholeNumber):
            return self.random.choice(option.choices)
        low = self.random.randint(option.low, min(option.low + 12, option.high))
        return self.random.choice([*option.choices, low])

    def questions(self, position: dict[str, Any]) -> Iterator[Exchange]:
        """Yield some questions about a position."""
        draw = self.random
        level = draw.choice(LEVELS)
        yield self.asked("ask", position=position, level=level)
        if draw.random() < 0.2 and not self.entry.rules.hidden:
            yield self.asked("ask", position=position, facts=True, top=draw.randint(1, 9))
        yield self.asked(
            "move", position=position, level=draw.choice(LEVELS), seed=draw.randrange(2**53)
        )
        if draw.random() < 0.1:
            strength = draw.choice((0, 0.3, 0.5, 0.9, 1))
            keys = {"position": position, "level": level, "strength": strength}
            yield self.asked("ask", **keys)
            yield self.asked("move", **keys, seed=draw.randrange(2**53))
        if draw.random() < 0.3:
            yield self.asked("status", position=position)
            yield self.asked("legal", position=position)
            yield self.asked("view", position=position, seat=draw.choice((0, 1, 5)))
            if self.entry.rules.hidden:
                yield from self.of_hidden(position)
            legal = self.advisor.legal(position)["legal"] or [{}]
            yield self.asked(
                "ask", position=position, top=draw.randint(1, 3), move=draw.choice(legal)
            )
        if draw.random() < 0.3:
            yield self.asked(draw.choice(("status", "legal")), position=self.broken(position))
            wrong = draw.choice(("move", "outcome", "seed"))
            yield self.asked("apply", position=position, **{wrong: draw.choice(JUNK)})
        if draw.random() < 0.05:
            keys = {"position": position, draw.choice(("level", "seed", "x")): draw.choice(JUNK)}
            yield self.asked("move", **keys)

    def of_hidden(self, position: dict[str, Any]) -> Iterator[Exchange]:
        """Yield questions about a round of cards: what a seat knows, facts, and hands."""
        draw = self.random
        seat = position["to_move"] if draw.random() < 0.7 else draw.randrange(position["players"])
        seen = self.asked("view", position=position, seat=seat)
        yield seen
        if "error" not in seen.answer:
            view = seen.answer["result"]["position"]
            yield self.asked("ask", position=view, level=draw.choice(LEVELS))
            yield self.asked("ask", position=view, facts=True, top=draw.randint(1, 9))
            yield self.asked("apply", position=view, **self.guess(view))
            if draw.random() < 0.3:
                yield self.asked("hand", **self.hand(view))

    def guess(self, view: Mapping[str, Any]) -> dict[str, Any]:
        """Return a step of a view that may be right: whoever is to move, or a card that comes."""
        draw, cards = self.random, CARDS * 2 + view["hand"]
        drawn = view["phase"] == "discard"
        chance = draw.choice((True, *cards)) if draw.random() < 0.1 else None
        if chance is not None:
            return {"outcome": chance}
        if draw.random() < 0.15:
            low = 13 * draw.randrange(4) + draw.randrange(11)
            return {"move": {"show": [CARDS[low : low + 3]] + [[draw.choice(CARDS)] * 3] * 2}}
        if drawn or draw.random() < 0.1:
            return {"move": {"discard": draw.choice(cards)}}
        return {"move": {"draw": draw.choice(("stock", "stock", "pile"))}}

    def hand(self, view: Mapping[str, Any]) -> dict[str, Any]:
        """Return the keys of a question about the hand of a view, or about some of its cards."""
        draw = self.random
        own = view["table"][view["seat"]]
        laid = own["laid_before_draw"]
        cards = [*view["hand"], *(card for tanela in laid for card in tanela)]
        keys: dict[str, Any] = {"laid": laid, "options": view["options"]}
        if own["shown"]:
            keys["after_show"] = True
        elif draw.random() < 0.2:
            keys["not_shown"] = True
        if view["tiplu"] is not None or draw.random() < 0.3:
            keys["tiplu"] = view["tiplu"] or draw.choice(CARDS)
        if draw.random() < 0.1:
            cards = draw.choices(CARDS, k=draw.randint(0, 25))
        elif not own["shown"] and draw.random() < 0.2:
            cards = cards[: draw.randint(12, 21)]
        keys["cards"] = cards if draw.random() < 0.5 else " ".join(cards)
        if draw.random() < 0.05:
            keys[draw.choice(list(keys))] = draw.choice(JUNK)
        return keys

    def step(
        self, position: dict[str, Any], status: Mapping[str, Any], level: str
    ) -> Exchange | None:
        """Return what leads on from a position, None if a level has no table for it."""
        draw = self.random
        if status["to"] == "chance":
            return self.asked("apply", position=position, seed=draw.randrange(2**53))
        legal = self.advisor.legal(position)["legal"]
        if not legal:  # another seat than that of the view is to move
            return self.asked("apply", position=position, **self.guess(position))
        move = draw.choice(legal)
        if draw.random() < 0.8:
            chosen = self.asked("move", position=position, level=level, seed=1).answer
            if "error" in chosen:
                return None
            move = chosen["result"]["move"]
        seed = {"seed": draw.randrange(2**53)} if draw.random() < 0.3 else {}
        return self.asked("apply", position=position, move=move, **seed)

    def maybe_broken(self, record: dict[str, Any]) -> dict[str, Any]:
        """Return a record, seldom with something wrong in it."""
        return self.broken(record) if self.random.random() < 0.1 else record

    def junk(self, key: str) -> dict[str, Any]:
        """Return a key with a wrong value, seldom, or nothing."""
        return {key: self.random.choice(JUNK)} if self.random.random() < 0.03 else {}

    def broken(self, position: dict[str, Any]) -> dict[str, Any]:
        """Return a position with something wrong in it."""
        copy = json.loads(json.dumps(position))
        holder: Any = copy
        while True:
            keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
            if not keys:
                return copy
            key = self.random.choice(keys)
            inner = holder[key]
            if isinstance(inner, dict | list) and inner and self.random.random() < 0.6:
                holder = inner
                continue
            if isinstance(holder, dict) and self.random.random() < 0.2:
                del holder[key]
            elif isinstance(holder, dict) and self.random.random() < 0.1:
                holder["unknown"] = 1
            else:
                holder[key] = self.random.choice(JUNK)
            return copy


def steps_of(status: Mapping[str, Any], step: Exchange) -> list[dict[str, Any]]:
    """Return the steps of a record that a request made: a move, and what then fell."""
    moved = [] if "move" not in step.request else [step.request["move"]]
    found: list[dict[str, Any]] = [{"seat": status["seat"], "move": move} for move in moved]
    events = step.answer["result"]["events"]
    return found + [{"outcome": event["thrown"]} for event in events if "thrown" in event]


def manifests_of(package: Path, game: str) -> list[dict[str, Any]]:
    """Return the manifests of the tables of a game in a package."""
    folder = package / "data" / game
    names = json.loads((folder / "index.json").read_text())["tables"]
    return [json.loads((folder / name / "manifest.json").read_text()) for name in names]


def precision_of(manifests: Sequence[Mapping[str, Any]]) -> Precision:
    """Return how far values may be off and what a choice may cost, by what manifests tell."""
    arrays = [manifest["arrays"].get("values", {}) for manifest in manifests]
    steps = [values.get("scale", 0.0) for values in arrays]
    costs = [manifest["proof"]["largest_cost"] for manifest in manifests]
    return Precision(max(steps) / 2 + CLOSE, max(costs) + CLOSE)


def compare(
    player: Player, exchanges: Sequence[Exchange], answers: Sequence[Any], precision: Precision
) -> Report:
    """Return where the engine's answers are not Python's.

    Args:
        player: who asked Python.
        exchanges: the requests with Python's answers.
        answers: the engine's.
        precision: what may differ.
    """
    found = Report()
    for (request, answer), other in zip(exchanges, answers, strict=True):
        found.requests[request["method"]] += 1
        found.refused += "error" in answer
        why = _difference(player, request, answer, other, precision, found)
        if why is not None:
            told = json.dumps({"request": request, "python": answer, "engine": other})
            found.wrong.append(f"{why}: {told}")
    return found


def _difference(
    player: Player,
    request: Mapping[str, Any],
    answer: dict[str, Any],
    other: dict[str, Any],
    precision: Precision,
    found: Report,
) -> str | None:
    """Return how an answer differs, None where it may."""
    if "error" in answer or "error" in other:
        mine, its = answer.get("error", {}), other.get("error", {})
        no_table = mine.get("kind") == "missing_table" or TOO_LARGE in mine.get("message", "")
        without = its.get("kind") == "missing_table" or "result" in other  # by search
        if answer == other or (no_table and without) or NO_RULES in its.get("message", ""):
            return None
        return "error"
    mine, its = answer["result"], other["result"]
    if request.get("seed") is None and mine.get("seed") != its.get("seed"):
        return None  # drawn afresh
    if request["method"] == "move":
        if mine["move"] == its["move"]:
            return None
        if "strength" in request:
            found.cheap += 1
            return None if its["move"] in _likely(player, request) else "move"
        told = player.advisor.ask(request["position"], request["level"])
        if "options" not in told:
            return "move"
        found.cheap += 1
        if _cost(told, its["move"]) > precision.cost:
            found.dear.append({**request, "engine": its["move"]})
        return None
    if request["method"] == "review":
        return _review_difference(mine, its, precision)
    if request["method"] != "ask" or "value" not in mine:
        return None if _same(mine, its) else "answer"
    if its.get("exact") is False and mine["exact"]:
        return None  # a search that knows that it does not know
    about = {"final_total", "bonus_chance"} if request.get("facts") else set()
    if {*mine} - about != {*its} or not _near(mine["value"], its["value"], precision.value):
        return "value"
    if not _same_options(mine, its, precision, "top" in request):
        return "options"
    if any(_cost(mine, move) > precision.cost for move in its["best"] if "top" not in request):
        return "best"
    if mine["best"] != its["best"]:
        found.cheap += 1
    rest = [name for name in mine if name not in ("best", "value", "options", *about)]
    for name in rest:
        if name == "asked":
            one, two = ({**told, "options": [told[name]]} for told in (mine, its))
            if not _same_options(one, two, precision, False):
                return name
        elif name == "win_shares":
            pairs = zip(mine[name], its[name], strict=True)
            if not all(_near(one, two, precision.value) for one, two in pairs):
                return name
        elif name == "why" and precision.value > CLOSE:
            known = _without_numbers(its[name]) == _without_numbers(mine[name])
            if not known and " points this turn" not in mine[name] and len(mine["best"]) == 1:
                return f"{name} {mine[name]!r}, not {its[name]!r}"
        elif mine[name] != its.get(name) and (name != "why" or mine["best"] == its["best"]):
            return f"{name} {mine[name]!r}, not {its.get(name)!r}" if name == "why" else name
    return None


def _review_difference(
    mine: dict[str, Any], its: dict[str, Any], precision: Precision
) -> str | None:
    """Return how a review differs: sums may be off by each step's rounding, as may best moves."""
    if its["exact"] is False and mine["exact"]:
        return None
    within = 2 * (len(mine["steps"]) + 2) * max(precision.value, precision.cost)
    for name in ("unit", "exact", "over"):
        if mine[name] != its[name]:
            return f"review: {name}"
    for seat, other in zip(mine["seats"], its["seats"], strict=True):
        close = {**seat, **dict.fromkeys(MARKED, 0)}, {**other, **dict.fromkeys(MARKED, 0)}
        if not _alike(*close, within):
            return "review: seats"
    for step, other in zip(mine["steps"], its["steps"], strict=True):
        if step.get("move") != other.get("move") or step.get("seat") != other.get("seat"):
            return "review: steps"
        for name in ("cost", "luck"):
            if not _alike(step.get(name, 0), other.get(name, 0), within):
                return f"review: {name}"
    if "parts" in mine and not _alike(mine["parts"], its.get("parts"), within):
        return "review: parts"
    return None


MARKED = ("worst", "mistakes", "luckier_than")
"""What of a review depends on whether a cost or a fall of chance is just above a threshold."""

FACTS_MAY_BE_OFF = 0.05
"""What chances within a turn may be off, where a choice is as good as another within rounding."""


def _same_facts(mine: Mapping[str, Any], its: Mapping[str, Any], precision: Precision) -> bool:
    """Tell whether the facts that the engine knows are Python's; Python may know more."""
    within = max(FACTS_MAY_BE_OFF, precision.value) if "chance_of" in its else precision.value
    if "line" in its:  # a package for play knows fewer positions, so its lines may be shorter
        mine = {**mine, "line": mine.get("line", [])[: len(its["line"])]}
    return all(_alike(mine.get(name), held, within) for name, held in its.items())


def _without_numbers(text: str) -> str:
    return re.sub(r"[0-9.]+(e-[0-9]+)?", "#", text)


def _likely(player: Player, request: Mapping[str, Any]) -> list[Any]:
    """Return the moves that a level at a strength may play: a draw may fall beside a border."""
    asked = {key: request[key] for key in ("position", "level", "strength")}
    options = player.advisor.ask(**asked)["options"]
    return [option["move"] for option in options if option.get("probability", 0) > 0]


def _same(one: Any, other: Any) -> bool:
    """Tell whether two answers are the same; 2 and 2.0 are."""
    return canonical(_floats(one)) == canonical(_floats(other))


def _floats(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _floats(held) for key, held in sorted(value.items())}
    if isinstance(value, list):
        return list(map(_floats, value))
    whole = isinstance(value, float) and value == int(value)
    return int(value) if whole else value


def _near(one: float, other: float, within: float) -> bool:
    return abs(one - other) <= within


def _cost(told: Mapping[str, Any], move: Any) -> float:
    """Return what a move costs by Python's options."""
    values = [option["value"] for option in told["options"] if option["move"] == move]
    return float(told["value"] - values[0]) if values else float("inf")


def _same_options(
    mine: Mapping[str, Any], its: Mapping[str, Any], precision: Precision, cut: bool
) -> bool:
    """Tell whether two answers rate the same moves alike; of those cut off others may be left."""
    known = {json.dumps(option["move"]): option for option in mine["options"]}
    rated = {json.dumps(option["move"]): option for option in its["options"]}
    if len(known) != len(rated) or (not cut and known.keys() != rated.keys()):
        return False
    return all(
        name in known[move]
        and (
            # Win shares that rounding moves may lead a turn another way: its chances are others.
            (mine["unit"] == "win_share" and "chance_of" in option[name])
            or _same_facts(known[move][name], option[name], precision)
            if name == "facts"
            else _alike(known[move][name], option[name], precision.value)
        )
        for move, option in rated.items()
        if move in known
        for name in option
        if name != "move"
    )


def _alike(one: Any, other: Any, within: float) -> bool:
    """Tell whether numbers, or objects of them, are the same but for what they may be off."""
    if isinstance(one, list):
        return len(one) == len(other) and all(
            _alike(held, its, within) for held, its in zip(one, other, strict=True)
        )
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(
            _alike(held, other[key], within) for key, held in one.items()
        )
    return one == other or _near(one, other, within)


def engine_answers(package: Path, game: str, exchanges: Sequence[Exchange]) -> list[Any]:
    """Return what the engine of a package answers."""
    lines = "".join(json.dumps(request) + "\n" for request, _ in exchanges)
    run = subprocess.run(
        ["node", str(HERE / "differential.mjs"), str(package), game],
        input=lines,
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode != 0:
        raise SystemExit(f"node left with status {run.returncode}: {run.stderr[-2000:]}")
    return [json.loads(line) for line in run.stdout.splitlines()]


def differential(game: str, package: Path, tables: Path | None, count: int, seed: int) -> Report:
    """Return what comparing so many requests about a game finds."""
    manifests = manifests_of(package, game)
    player = Player(game, manifests, tables, seed)
    source = player.exchanges()
    exchanges = [next(source) for _ in range(count)]
    answers = engine_answers(package, game, exchanges)
    found = compare(player, exchanges, answers, precision_of(manifests))
    # A move that costs more may be played where the engine says that it does not know better.
    asks = [{"method": "ask", **{k: r[k] for k in ("position", "level")}} for r in found.dear]
    told = engine_answers(package, game, [Exchange(ask, {}) for ask in asks]) if asks else []
    for request, answer in zip(found.dear, told, strict=True):
        if answer["result"].get("exact", True):
            found.wrong.append(f"move: {json.dumps(request)}")
    return found


def main() -> int:
    """Compare; return 1 if anything differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"of {', '.join(GAMES)}")
    parser.add_argument("--requests", type=int, default=100_000, help="of each game")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--package", help="a package that is there")
    parser.add_argument("--tables", help="the folder of the tables that Python reads")
    args = parser.parse_args()
    tables = None if args.tables is None else Path(args.tables)
    failed = False
    with tempfile.TemporaryDirectory() as name:
        package = Path(args.package or Path(name) / "package")
        if args.package is None:
            ustad(["export", "--all", "--npm", "--out", str(package)])
        for game in args.games or GAMES:
            found = differential(game, package, tables, args.requests, args.seed)
            failed = failed or bool(found.wrong)
            told = ", ".join(f"{method} {n:,}" for method, n in sorted(found.requests.items()))
            print(f"{game}: {told}; {found.refused:,} refused, {found.cheap:,} other moves as good")
            for line in found.wrong[:5]:
                print(f"  {line[:1500]}")
            if found.wrong:
                print(f"  {len(found.wrong):,} answers differ")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
