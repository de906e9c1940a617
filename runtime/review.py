"""The coach: what each decision of a game cost, and what luck did.

**The problem.**  A result is skill and luck.  A judge (:mod:`ustad.runtime.core.judge`) says what
every position of the game was worth to every seat; what a step changed belongs to who made it.

**The sum.**  For every seat ``start + luck + own + others = result``: ``start`` is the value at the
beginning; ``luck`` what chance changed; ``own`` minus what its decisions cost, the value of the
best move less that of the move played; ``others`` what the decisions of others gave it.  Where
values are predictions, what a prediction missed is ``unexplained``.  It is the split of a result
into martingale differences that backgammon programs make (gnubg's luck and error rates).  A game
of several parts, such as the rounds of a match, is split part by part, and the parts are summed.

**Marks.**  ``doubtful``, ``bad`` and ``very bad`` decisions, ``lucky`` and ``unlucky`` falls of
chance go by thresholds that the play of the levels sets; so do the costs that a seat's play is
compared with.  They are measured by ``scripts/measure_levels.py`` and ship as ``levels.json``.

Steps are numbered from 0; in a file step n stands in line n + 2.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ustad.runtime.core.entry import AnyEntry
from ustad.runtime.core.errors import MissingPackageError, RecordError, UsageError, shown
from ustad.runtime.core.facts import explain
from ustad.runtime.core.game import CHANCE, LEVELS, OVER, TIE
from ustad.runtime.core.judge import Floats, Judge
from ustad.runtime.record import Record, step_to_json

WORST = 3
"""How many of its worst decisions a seat is told."""

MISTAKES = ("doubtful", "bad", "very bad")
"""The marks of decisions, by how much of the levels' mistakes cost less."""


class Decision(NamedTuple):
    """A move that was made: the seat, what was best, and what the move cost it."""

    seat: int
    best: Sequence[Any]
    cost: float


@dataclass(frozen=True)
class Share:
    """How the result of one seat came about; the parts sum up to it."""

    start: float
    luck: float
    own: float
    others: float
    unexplained: float
    result: float


class Levels(NamedTuple):
    """What the play of the levels was measured to be, in one game and unit.

    Attributes:
        marks: the costs from which decisions are doubtful, bad, and very bad.
        lucky: how much a fall of chance changes from which on it is lucky or unlucky.
        luck: by the number of seats, a seat's luck in a game: 101 quantiles.
        costs: by the kind of decision and the level, the mean cost.
    """

    marks: tuple[float, ...]
    lucky: float
    luck: Mapping[str, Sequence[float]]
    costs: Mapping[str, Mapping[str, float]]


@cache
def measured(game: str, unit: str) -> Levels | None:
    """Return what is measured of a game's levels in a unit, None if nothing is."""
    text = files("ustad.runtime").joinpath("levels.json").read_text(encoding="utf-8")
    found = json.loads(text).get(game, {}).get(unit)
    return None if found is None else Levels(**found)


class Review:
    """A game, judged.

    Args:
        record: the game, or its beginning.
        judge: rates its positions.
    """

    def __init__(self, record: Record, judge: Judge[Any, Any]) -> None:
        self.record, self.judge = record, judge
        states, moves = record.states, record.steps
        self.values: Floats = judge.values(states)
        self.movers = [state.current_player() for state in states[:-1]]
        made = [at for at, seat in enumerate(self.movers) if seat >= 0]
        self.expected: Floats = self.values[1:].copy()
        if made:
            self.expected[made] = judge.expected(
                [states[at] for at in made], [moves[at] for at in made], self.values[1:][made]
            )
        self.decisions = {at: self._decision(at) for at in made}

    def _decision(self, step: int) -> Decision:
        state, seat = self.record.states[step], self.movers[step]
        cost = float(self.values[step, seat] - self.expected[step, seat])
        best = self.judge.best(state, seat)
        tied = self.record.steps[step] in best or cost <= TIE
        return Decision(seat, best, 0.0 if tied else cost)

    @cached_property
    def luck(self) -> Floats:
        """(steps, seats) what chance changed at each step."""
        found = np.zeros_like(self.expected)
        states = self.record.states
        for at, (seat, step) in enumerate(zip(self.movers, self.record.steps, strict=True)):
            if seat == CHANCE:
                found[at] = self.values[at + 1] - self.values[at]
            elif self.judge.brings_luck(states[at], step, states[at + 1]):
                found[at, seat] = self.values[at + 1, seat] - self.expected[at, seat]
        return found

    @cached_property
    def parts(self) -> list[range]:
        """The steps of each part of the game."""
        if not self.record.steps:
            return [range(0)]
        numbers = [self.judge.part(state) for state in self.record.states[:-1]]
        begins = [at for at in range(len(numbers)) if at == 0 or numbers[at] != numbers[at - 1]]
        return [range(*ends) for ends in pairwise([*begins, len(numbers)])]

    def shares(self, steps: range) -> list[Share]:
        """Return how the result of each seat came about in one part of the game."""
        return [self._share(seat, steps) for seat in range(len(self.record.players))]

    def _share(self, seat: int, steps: range) -> Share:
        start = float(self.values[steps.start, seat])
        result = float(self.expected[steps[-1], seat]) if steps else start
        luck = float(self.luck[steps.start : steps.stop, seat].sum())
        own = others = 0.0
        for at in steps:
            if at in self.decisions:
                decision = self.decisions[at]
                if decision.seat == seat:
                    own -= decision.cost
                else:
                    others += float(self.expected[at, seat] - self.values[at, seat])
        if not self.judge.exact and len(self.parts) == 1:
            result = float(self.values[steps.stop, seat])
        unexplained = result - (start + luck + own + others)
        return Share(start, luck, own, others, unexplained, result)

    def seat_decisions(self, seat: int) -> dict[int, Decision]:
        """Return the decisions of a seat by step."""
        return {at: one for at, one in self.decisions.items() if one.seat == seat}

    def worst(self, seat: int) -> list[int]:
        """Return the steps of a seat's costliest decisions, the costliest first."""
        found = self.seat_decisions(seat)
        wrong = [at for at, decision in found.items() if decision.cost > TIE]
        return sorted(wrong, key=lambda at: -found[at].cost)[:WORST]

    # Beside the levels.

    @cached_property
    def measured(self) -> Levels | None:
        """What is measured of the levels."""
        return measured(self.record.entry.name, self.judge.unit)

    def mark(self, cost: float) -> str | None:
        """Return the mark of a decision."""
        if self.measured is None:
            return None
        worse = sum(cost >= least for least in self.measured.marks)
        return MISTAKES[worse - 1] if worse and cost > TIE else None

    def luck_mark(self, luck: float) -> str | None:
        """Return the mark of what chance did to a seat."""
        if self.measured is None or abs(luck) < self.measured.lucky:
            return None
        return "lucky" if luck > 0 else "unlucky"

    def luckier_than(self, seat: int) -> int | None:
        """Return how many of 100 games of the levels brought a seat less luck, None if unknown."""
        seats = str(len(self.record.players))
        if self.measured is None or seats not in self.measured.luck or not self.whole:
            return None
        below = bisect_left(self.measured.luck[seats], float(self.luck[:, seat].sum()))
        return max(0, min(below - 1, 100))

    @property
    def whole(self) -> bool:
        """Whether the game is over."""
        return bool(self.record.last.current_player() == OVER)

    def level_costs(self, seat: int) -> dict[str, float]:
        """Return the mean cost a decision of each level in the kinds of positions of a seat."""
        states = self.record.states
        kinds = Counter(self.judge.kind(states[at]) for at in self.seat_decisions(seat))
        if self.measured is None or not kinds or any(k not in self.measured.costs for k in kinds):
            return {}
        return {
            level: sum(self.measured.costs[kind][level] * n for kind, n in kinds.items())
            / kinds.total()
            for level in LEVELS
        }

    # The answer.

    def to_json(self) -> dict[str, Any]:
        """Return the answer of the method ``review``."""
        parts = [self.shares(steps) for steps in self.parts]
        answer = {
            "unit": self.judge.unit,
            "exact": self.judge.exact,
            "over": self.whole,
            "seats": [self._seat(seat, [part[seat] for part in parts]) for seat in self._seats],
            "steps": [self._step(at) for at in range(len(self.movers))],
        }
        if len(parts) > 1:
            answer["parts"] = [
                [{"seat": seat, **self._numbers([part[seat]])} for seat in self._seats]
                for part in parts
            ]
        return answer

    @property
    def _seats(self) -> range:
        return range(len(self.record.players))

    def _numbers(self, shares: Sequence[Share]) -> dict[str, float]:
        names = ["start", "luck", "own", "others", "result"]
        found = {name: sum(getattr(share, name) for share in shares) for name in names}
        if not self.judge.exact:
            found["unexplained"] = sum(share.unexplained for share in shares)
        return found

    def _seat(self, seat: int, shares: Sequence[Share]) -> dict[str, Any]:
        decisions = self.seat_decisions(seat).values()
        costs = [decision.cost for decision in decisions]
        found: dict[str, Any] = {
            "seat": seat,
            **self._numbers(shares),
            "decisions": len(costs),
            "mistakes": sum(cost > TIE for cost in costs),
            "worst": self.worst(seat),
            "mean_cost": sum(costs) / len(costs) if costs else 0.0,
        }
        if levels := self.level_costs(seat):
            found["levels"] = levels
        if (luckier := self.luckier_than(seat)) is not None:
            found["luckier_than"] = luckier
        return found

    def _step(self, at: int) -> dict[str, Any]:
        luck = self.luck[at].tolist()
        found: dict[str, Any] = {"step": at}
        if at in self.decisions:
            decision, codec = self.decisions[at], self.record.entry.codec
            found |= step_to_json(self.record.entry, self.record.states[at], self.record.steps[at])
            best = [codec.move_to_json(move) for move in decision.best]
            found |= {"best": best, "cost": decision.cost}
            if mark := self.mark(decision.cost):
                found["mark"] = mark
        if at not in self.decisions or any(luck):
            found["luck"] = luck
            marks = [self.luck_mark(one) for one in luck]
            if any(marks):
                found["marks"] = marks
        return found


def level_of(entry: AnyEntry, unit: Any, level: Any) -> tuple[str, str]:
    """Return the unit in which a game is judged, and the level whose values those are.

    Args:
        entry: the game.
        unit: the unit that is asked for, if any.
        level: the level that is asked for, if any.

    Raises:
        UsageError: nobody judges the game so.
    """
    units = entry.levels.units
    names = ", ".join(units)
    if not units:
        raise UsageError(f"review: {entry.name}: no level rates positions")
    if level is not None and level not in units.values():
        levels = ", ".join(units.values())
        raise UsageError(f"level: expected one that rates positions, {levels}, got {shown(level)}")
    if unit is None:
        unit = next(one for one, by in units.items() if level in (None, by))
    if not isinstance(unit, str) or unit not in units:
        raise UsageError(f"unit: expected one of {names}, got {shown(unit)}")
    if level not in (None, units[unit]):
        raise UsageError(f"level: expected {units[unit]}, which rates by {unit}, got {level}")
    return unit, units[unit]


# For people.


def as_text(review: Review, seat: int | None, tables: Path | None = None) -> str:
    """Return a review as text.

    Args:
        review: the review.
        seat: whose review it is, None for all seats.
        tables: the folder of the tables, None for the usual places.
    """
    seats = range(len(review.record.players)) if seat is None else [seat]
    unit = review.judge.unit.replace("_", " ")
    steps = len(review.record.steps)
    lines = [f"{review.record.entry.title}: {steps} steps, judged by {unit}"]
    if not review.judge.exact:
        lines.append("values are predictions: unexplained is what they missed")
    for one in seats:
        lines += ["", *_seat_text(review, one, tables)]
    return "\n".join(lines)


def check_seat(record: Record, seat: int | None) -> int | None:
    """Return the seat if the game has it, or none, else raise UsageError."""
    if seat is not None and not 0 <= seat < len(record.players):
        raise UsageError(f"--seat: expected 0 to {len(record.players) - 1}, got {seat}")
    return seat


def _seat_text(review: Review, seat: int, tables: Path | None) -> list[str]:
    told = review.to_json()["seats"][seat]
    player = review.record.players[seat]
    level = "" if player.level is None else f", level {player.level}"
    rest = f" {told['unexplained']:+.4f} (unexplained)" if "unexplained" in told else ""
    lines = [
        f"seat {seat} ({player.name}{level}): {told['start']:.4f} (start) "
        f"{told['luck']:+.4f} (luck) {told['own']:+.4f} (own decisions) "
        f"{told['others']:+.4f} (others){rest} = {told['result']:.4f}",
    ]
    if "luckier_than" in told:
        lines.append(
            f"  luck {told['luck']:+.4f}: luckier than {told['luckier_than']} of 100 games"
        )
    lines.append(
        f"  {told['decisions']} decisions, {told['mistakes']} cost something, "
        f"{told['mean_cost']:.4f} a decision"
    )
    if "levels" in told:
        levels = ", ".join(f"{level} {cost:.4f}" for level, cost in told["levels"].items())
        lines.append(f"  the levels in such positions: {levels}")
    for step in told["worst"]:
        lines += ["", *_worst_text(review, step, tables)]
    return lines


def _worst_text(review: Review, step: int, tables: Path | None) -> list[str]:
    """Return one of the worst decisions: the position, what was played, what was best and why."""
    record, decision = review.record, review.decisions[step]
    view = record.states[step].view(decision.seat)
    text, move = record.entry.text, record.steps[step]
    mark = review.mark(decision.cost)
    best = " or ".join(map(text.describe_move, decision.best))
    lines = [
        f"step {step}: {text.describe_move(move)} cost {decision.cost:.4f}"
        f"{f' ({mark})' if mark else ''}; best: {best}",
        *(f"  {line}" for line in text.describe(view).splitlines()),
    ]
    bot = review.judge.bot
    facts = record.entry.levels.facts(bot, record.start.rules, tables)
    advice = bot.ask(view)
    if facts is not None and advice.value is not None:
        reasons = explain(facts, text.describe_move, view, advice, 1, move)
        if reasons.why is not None:
            lines.append(f"  why: {reasons.why}")
    return lines


def draw(review: Review, path: Path) -> None:
    """Draw the value of each seat over the game, luck and mistakes marked, into a file.

    Raises:
        MissingPackageError: matplotlib is not installed.
        RecordError: the file cannot be written.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingPackageError(
            "--plot needs the package matplotlib: pip install 'ustad[plot]'"
        ) from None
    figure = Figure(figsize=(9, 5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for seat, player in enumerate(review.record.players):
        values = review.values[:, seat]
        [line] = axes.step(range(len(values)), values, where="post", label=player.name, lw=1.2)
        wrong = [at for at, one in review.seat_decisions(seat).items() if review.mark(one.cost)]
        axes.plot(
            [at + 1 for at in wrong], values[[at + 1 for at in wrong]], "v", color=line.get_color()
        )
        for sign, marker in (("lucky", "+"), ("unlucky", "x")):
            at = [
                n + 1
                for n in range(len(review.luck))
                if review.luck_mark(review.luck[n, seat]) == sign
            ]
            axes.plot(at, values[at], marker, color=line.get_color())
    axes.set_xlabel("step (v mistake, + lucky, x unlucky)")
    axes.set_ylabel(review.judge.unit.replace("_", " "))
    axes.legend()
    kind = path.suffix[1:] or "png"
    try:
        figure.savefig(path, format=kind)
    except (OSError, ValueError) as error:
        raise RecordError(f"--plot: {path}: {error}".splitlines()[0]) from None
