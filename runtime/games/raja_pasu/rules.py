"""Raja Pasu (राजा पासु): two rows of seven holes, seven seeds in each, most seeds win.

**The rules as the source has them** (the Nepali document on राजा पासु, after the
page of the Mancala World that it cites).

- Holes 0 to 6 are South's row from South's left to right, 7 to 13 North's row,
  going on counter-clockwise (7 faces 6, 13 faces 0).  Seat 0 is South.
- A move takes all seeds of a hole of the own row and sows them one by one into
  the following holes: a *lap*.
- **Pasu**: a hole that a sown seed brings to exactly four is emptied at once;
  the four go to the owner of its row, whoever sows, and the sowing goes on.
- After the last seed of a lap the next hole counts.  If it holds seeds, in
  either row, they are taken up and sown: a new lap.  If it is empty the move
  ends.
- **Pussa**: the mover then takes what the hole beyond the empty one holds, in
  either row.
- A round ends when the player to move has no seed in the own row; the opponent
  takes all that is left.  More seeds win the round.
- In a match each refills the own row with seven a hole from all the seeds owned.
  Holes that cannot be filled are *closed*, from the player's own left (South 0,
  1, ...; North 7, 8, ...): for that round they do not exist.  Whoever took the
  remainder of a round leads the next one.  The match ends when a player can
  open no hole.

**Ours**, where the sources are silent:

- The hole that a lap began from is sown into when the lap passes over it; under
  the option ``origin=skipped`` it is not.
- A pussa takes one hole and ends the move: no chain, no further turn.
- An endless relay ends as soon as a lap would start from a board and a hole that
  the move has had before; no pussa follows.
- A position that stands for the third time in a round (the same board, the same
  player to move) ends it: each takes the seeds of the own row.  The other player
  than before leads the next round.
- South leads the first round of a match; what does not fill a hole is kept in
  reserve and owned; ``max_rounds`` ends a match that goes on for long.

**The ring.**  A closed hole does not exist, so only the open holes count, in the
order of sowing: the *ring*, here always seen by the mover, whose row comes
first.  All that rules and solver need is the seeds of the ring's holes and how
many of them are the mover's.  The functions that sow are flat functions on such
arrays.

**Irreversible.**  A hole that was emptied never again holds more than three.  So
a position can come again only if no seed was captured since and no hole with
four seeds or more has changed: the state remembers the boards since then,
``earlier``, and no others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.errors import MoveError, OutcomeError, PositionError, shown
from ustad.runtime.games.base import OVER, Bot, GameType, Option, WholeNumber, read_options
from ustad.runtime.strict_json import Fields, is_int
from ustad.tables import TableSpec

ROW = 7
HOLES = 2 * ROW
SEEDS_A_HOLE = 7
ALL_SEEDS = HOLES * SEEDS_A_HOLE
MOST_ROUNDS = 1000
PASU = 4
"""A hole that a sown seed brings to so many is emptied: a touched hole holds 0 to 3."""

ORIGIN = ("sown", "skipped")
SOUTH, NORTH = 0, 1
SEATS = ("South", "North")

Holes = MutableSequence[int] | NDArray[np.int64]
"""Seeds by hole of a ring, or the two counts of seeds taken."""


# Sowing: flat functions on numbers and arrays, compiled for the solver.

PATIENCE = 64
"""Laps after which a move is suspected to be endless."""

LAP, FOUR, BEYOND = range(3)
"""The steps of a move in a log: a lap, a pasu, a pussa."""

NO_LOG: NDArray[np.int64] = np.zeros((0, 4), dtype=np.int64)


def note(log: NDArray[np.int64], step: int, hole: int, seeds: int, sown: int) -> None:
    """Add a step to a log, unless it is NO_LOG.

    Args:
        log: (steps + 1, 4): ``log[0, 0]`` counts the steps, a row each follows.
        step: LAP, FOUR or BEYOND.
        hole: where the seeds were taken.
        seeds: how many.
        sown: how many seeds of the lap had been sown by then.
    """
    if len(log) > 0:
        log[0, 0] += 1
        at = log[0, 0]
        log[at, 0] = step
        log[at, 1] = hole
        log[at, 2] = seeds
        log[at, 3] = sown


def sow_laps(
    board: Holes,
    own: int,
    hole: int,
    skipped: bool,
    most: int,
    taken: Holes,
    log: NDArray[np.int64],
) -> tuple[int, int]:
    """Sow lap after lap until the move has ended or so many laps are sown.

    Args:
        board: the ring's seeds, the mover's holes first; changed in place.
        own: how many of the holes are the mover's.
        hole: where the first lap starts.
        skipped: whether a lap leaves out the hole it began from.
        most: the most laps to sow.
        taken: what mover and opponent have taken; added to.
        log: takes down the steps; see :func:`note`.

    Returns:
        The laps sown, and the hole that the next one would start from: -1 if the
        move has ended.
    """
    size = len(board)
    laps = 0
    while laps < most:
        start = hole
        seeds = board[start]
        board[start] = 0
        note(log, LAP, start, seeds, 0)
        sown = 0
        while sown < seeds:
            hole = hole + 1 if hole + 1 < size else 0
            if skipped and hole == start and size > 1:
                continue
            sown += 1
            held = board[hole] + 1
            if held == PASU:
                held = 0
                taken[0 if hole < own else 1] += PASU
                note(log, FOUR, hole, PASU, sown)
            board[hole] = held
        laps += 1
        hole = hole + 1 if hole + 1 < size else 0
        if board[hole] == 0:
            beyond = hole + 1 if hole + 1 < size else 0
            if board[beyond] > 0:
                taken[0] += board[beyond]
                note(log, BEYOND, beyond, board[beyond], 0)
                board[beyond] = 0
            return laps, -1
    return laps, hole


def copy_holes(source: Sequence[int] | NDArray[np.int64], target: Holes) -> None:
    """Copy the seeds of a ring."""
    for hole in range(len(target)):
        target[hole] = source[hole]


def same_holes(
    one: Sequence[int] | NDArray[np.int64], other: Sequence[int] | NDArray[np.int64]
) -> bool:
    """Tell whether two boards of a ring are equal."""
    for hole in range(len(one)):  # noqa: SIM110 (compiled code knows no all())
        if one[hole] != other[hole]:
            return False
    return True


def play_hole(
    position: Sequence[int] | NDArray[np.int64],
    own: int,
    hole: int,
    skipped: bool,
    board: Holes,
    taken: Holes,
    log: NDArray[np.int64],
) -> int:
    """Play a hole of a position.

    Args:
        position: the ring's seeds, the mover's holes first.
        own: how many of the holes are the mover's.
        hole: a hole of the mover that holds seeds.
        skipped: whether a lap leaves out the hole it began from.
        board: filled with the ring's seeds after the move, still seen by the mover.
        taken: filled with what mover and opponent took.
        log: takes down the steps; see :func:`note`.  A move may have to be sown
            more than once, so give a log only with a move known to be short, or
            play with :func:`sow_laps` as many laps as this returned.

    Returns:
        The laps sown; negative if the relay was endless and was stopped after
        so many.
    """
    copy_holes(position, board)
    taken[0] = 0
    taken[1] = 0
    laps, after = sow_laps(board, own, hole, skipped, PATIENCE, taken, log)
    if after < 0:
        return laps
    return play_long(position, own, hole, skipped, board, taken, log[:0])


def play_long(
    position: Sequence[int] | NDArray[np.int64],
    own: int,
    hole: int,
    skipped: bool,
    board: Holes,
    taken: Holes,
    log: NDArray[np.int64],
) -> int:
    """Play a hole like :func:`play_hole`, watching for a relay without end.

    A lap is fixed by the board and the hole it starts from, its *start*.  Brent's
    method finds the period of the sequence of starts; two runs a period apart
    meet at the first start that comes again, which is where the relay is stopped.
    A relay that repeats captures nothing within the period, since captured seeds
    do not return.  Nothing is taken down: ``log`` is empty.
    """
    copy_holes(position, board)
    met = np.zeros(len(board), dtype=np.int64)
    copy_holes(position, met)
    at, met_at, laps, period, limit = hole, hole, 0, 0, 1
    taken[0] = 0
    taken[1] = 0
    while True:
        _, at = sow_laps(board, own, at, skipped, 1, taken, log)
        laps += 1
        period += 1
        if at < 0:
            return laps
        if at == met_at and same_holes(board, met):
            break
        if period == limit:
            copy_holes(board, met)
            met_at, period, limit = at, 0, 2 * limit

    copy_holes(position, met)
    _, met_at = sow_laps(met, own, hole, skipped, period, taken, log)
    copy_holes(position, board)
    at, laps = hole, period
    while not (at == met_at and same_holes(board, met)):
        _, at = sow_laps(board, own, at, skipped, 1, taken, log)
        _, met_at = sow_laps(met, own, met_at, skipped, 1, taken, log)
        laps += 1

    copy_holes(position, board)
    taken[0] = 0
    taken[1] = 0
    sow_laps(board, own, hole, skipped, laps, taken, log)
    return -laps


def touched_code(board: Sequence[int] | NDArray[np.int64]) -> int:
    """Return the seeds of the touched holes, those with 0 to 3, two bits a hole.

    The first touched hole has the lowest bits; a hole with more is left out.
    With no such hole this is the 28-bit code of the position (26 bits with one
    closed hole, and so on).
    """
    code = 0
    shift = 0
    for hole in range(len(board)):
        if board[hole] < PASU:
            code |= board[hole] << shift
            shift += 2
    return code


# The game.


class Sow(NamedTuple):
    """Sow the seeds of a hole, numbered 0 to 13."""

    hole: int


MOVES: tuple[Sow, ...] = tuple(Sow(hole) for hole in range(HOLES))


class Ring(NamedTuple):
    """The open holes in the order of sowing, the mover's first, and how many are the mover's."""

    holes: tuple[int, ...]
    own: int


@lru_cache(maxsize=1024)
def ring(closed: tuple[int, ...], mover: int) -> Ring:
    """Return the ring of a round with some holes closed."""
    rows = (range(ROW), range(ROW, HOLES))
    own = [hole for hole in rows[mover] if hole not in closed]
    return Ring((*own, *(hole for hole in rows[1 - mover] if hole not in closed)), len(own))


class Match(NamedTuple):
    """What a match adds to a round: seeds owned when it began, its number, who led it."""

    owned: tuple[int, int]
    round: int
    leader: int


def closed_holes(owned: tuple[int, int]) -> tuple[int, ...]:
    """Return the holes that the players cannot fill from the seeds they own."""
    south, north = (ROW - min(ROW, seeds // SEEDS_A_HOLE) for seeds in owned)
    return (*range(south), *range(ROW, ROW + north))


@dataclass(frozen=True)
class RajaPasu:
    """The rules, with their options."""

    origin: str = "sown"
    match: bool = False
    max_rounds: int = 20

    @property
    def options(self) -> dict[str, Any]:
        """The options by name."""
        return {"origin": self.origin, "match": self.match, "max_rounds": self.max_rounds}

    @property
    def skipped(self) -> bool:
        """Whether a lap leaves out the hole it began from."""
        return self.origin == "skipped"

    def new(self, players: int = 2, first: int = SOUTH) -> RajaPasuState:
        """Return the start of a round, or of a match, a seat leading."""
        del players
        owned = (ALL_SEEDS // 2, ALL_SEEDS // 2)
        return self.start_round(Match(owned, 1, first))

    def start_round(self, match: Match) -> RajaPasuState:
        """Return the start of a round in a match."""
        closed = closed_holes(match.owned)
        board = tuple(0 if hole in closed else SEEDS_A_HOLE for hole in range(HOLES))
        return RajaPasuState(
            self, board, closed, match.leader, (0, 0), (), match if self.match else None
        )

    def deal(self, players: int, seed: Sequence[int]) -> RajaPasuState:
        """Return the start after three random plies, so that no two games need be alike.

        Plies that end the round are drawn anew.
        """
        random = np.random.default_rng(seed)
        while True:
            state = self.new(players)
            for _ in range(3):
                moves = state.legal_moves()
                state = state.apply(moves[random.integers(len(moves))]) if moves else state
            if not state.is_over():
                return state

    def luck(self, players: int, seed: Sequence[int]) -> NoLuck:
        """Return the chance of the game: it has none."""
        del players, seed
        return NoLuck()


class NoLuck:
    """The luck of a game without chance."""

    def outcome(self, state: RajaPasuState) -> NoReturn:
        """Refuse: nothing is left to chance."""
        raise OutcomeError("outcome: no chance is to fall in raja_pasu")


class RajaPasuState(NamedTuple):
    """A position.

    ``board`` holds the seeds of the 14 holes, ``closed`` the closed ones in
    ascending order, ``captured`` the seeds that South and North took in this
    round.  ``earlier`` holds the boards since the last irreversible move, oldest
    first; the players took turns at them, so the last had the other to move.
    """

    game: RajaPasu
    board: tuple[int, ...]
    closed: tuple[int, ...]
    to_move: int
    captured: tuple[int, int]
    earlier: tuple[tuple[int, ...], ...]
    match: Match | None

    # The round.

    def ring(self) -> Ring:
        """Return the ring seen by the player to move."""
        return ring(self.closed, self.to_move)

    def seeds(self) -> list[int]:
        """Return the seeds of the ring's holes, the mover's first."""
        board = self.board
        return [board[hole] for hole in ring(self.closed, self.to_move).holes]

    def row(self, seat: int) -> int:
        """Return the seeds in a player's row."""
        return sum(self.board[ROW * seat : ROW * (seat + 1)])

    def repeated(self) -> bool:
        """Tell whether the position stands for the third time."""
        return self.earlier[-2::-2].count(self.board) >= 2

    def is_over(self) -> bool:
        """Tell whether the round is over, and in a match, the match with it."""
        return self.row(self.to_move) == 0 or self.repeated()

    def remainder(self) -> tuple[int, int]:
        """Return what South and North take of the board of a round that is over."""
        rows = (self.row(SOUTH), self.row(NORTH))
        if self.repeated():
            return rows
        return (0, sum(rows)) if self.to_move == SOUTH else (sum(rows), 0)

    def current_player(self) -> int:
        """Return the seat to move, or OVER."""
        return OVER if self.is_over() else self.to_move

    def legal_moves(self) -> tuple[Sow, ...]:
        """Return the holes that can be sown, in ascending order."""
        if self.repeated():
            return ()
        row = range(ROW * self.to_move, ROW * (self.to_move + 1))
        return tuple(MOVES[hole] for hole in row if self.board[hole])

    def apply(self, move: Any) -> RajaPasuState:
        """Return the state after a move; in a match that may be the start of the next round."""
        after = self.after_sowing(move)
        return after.next_round() if after.match and after.is_over() else after

    def after_sowing(self, move: Any) -> RajaPasuState:
        """Return the state after a move, the round perhaps over."""
        if move not in self.legal_moves():
            raise MoveError(f"move: {self._refusal(move)}")
        board, taken, _ = self.sown(move)
        captured = (
            self.captured[SOUTH] + taken[SOUTH ^ self.to_move],
            self.captured[NORTH] + taken[NORTH ^ self.to_move],
        )
        stays = not any(taken) and all(
            seeds < PASU or seeds == after for seeds, after in zip(self.board, board, strict=True)
        )
        earlier = (*self.earlier, self.board) if stays else ()
        return self._replace(
            board=board, to_move=1 - self.to_move, captured=captured, earlier=earlier
        )

    def sown(self, move: Sow) -> tuple[tuple[int, ...], list[int], int]:
        """Return the board after a legal move, what mover and opponent took, and the laps.

        The laps are negative where the relay was endless.
        """
        holes, own = self.ring()
        after, taken = [0] * len(holes), [0, 0]
        at = holes.index(move.hole)
        laps = play_hole(self.seeds(), own, at, self.game.skipped, after, taken, NO_LOG)
        board = [0] * HOLES
        for hole, seeds in zip(holes, after, strict=True):
            board[hole] = seeds
        return tuple(board), taken, laps

    def steps(self, move: Sow) -> tuple[list[tuple[int, int, int, int]], bool]:
        """Return the steps of a legal move, as in :func:`note`, and whether it was endless."""
        holes, own = self.ring()
        _, _, laps = self.sown(move)
        log = np.zeros((abs(laps) + ALL_SEEDS // PASU + 3, 4), dtype=np.int64)
        at = holes.index(move.hole)
        sow_laps(self.seeds(), own, at, self.game.skipped, abs(laps), [0, 0], log)
        found = [
            (step, holes[hole], seeds, sown)
            for step, hole, seeds, sown in log[1 : log[0, 0] + 1].tolist()
        ]
        return found, laps < 0

    def _refusal(self, move: Any) -> str:
        if self.is_over():
            return "the round is over, no move is left"
        holes = ", ".join(str(legal.hole) for legal in self.legal_moves())
        got = move.hole if isinstance(move, Sow) else move
        return f"hole: expected one of {holes} ({SEATS[self.to_move]} to move), got {shown(got)}"

    # The match.

    def owned(self) -> tuple[int, int]:
        """Return the seeds that South and North own at the end of a round, reserves included."""
        south, north = (
            mine + rest for mine, rest in zip(self.captured, self.remainder(), strict=True)
        )
        if self.match:
            filled = [ROW - sum(hole // ROW == seat for hole in self.closed) for seat in range(2)]
            south += self.match.owned[SOUTH] - SEEDS_A_HOLE * filled[SOUTH]
            north += self.match.owned[NORTH] - SEEDS_A_HOLE * filled[NORTH]
        return south, north

    def next_round(self) -> RajaPasuState:
        """Return the start of the round after one that is over; itself, if it was the last."""
        if self.match is None or self.match.round >= self.game.max_rounds:
            return self
        owned = self.owned()
        if min(owned) < SEEDS_A_HOLE:
            return self
        leader = 1 - (self.match.leader if self.repeated() else self.to_move)
        return self.game.start_round(Match(owned, self.match.round + 1, leader))

    # What everybody asks.

    def chance_outcomes(self) -> tuple[tuple[Any, float], ...]:
        """Return nothing: the game has no chance."""
        return ()

    def returns(self) -> tuple[float, ...]:
        """Return how many seeds more each has at the end than the other."""
        south, north = self.owned()
        return float(south - north), float(north - south)

    def scores(self) -> tuple[float, ...]:
        """Return the seeds that each has taken, in a match with those in reserve."""
        taken = self.owned() if self.is_over() else self.captured
        return float(taken[SOUTH]), float(taken[NORTH])

    def view(self, player: int) -> RajaPasuState:
        """Return the state: everything lies open."""
        return self


class RajaPasuType(GameType):
    """Raja Pasu as the commands know it."""

    name = "raja_pasu"
    title = "Raja Pasu (राजा पासु)"
    least_players = 2
    most_players = 2
    usual_players = 2
    seeded_levels = frozenset({"easy"})
    options = (
        Option("origin", "sown", ORIGIN, "whether a lap sows into the hole it began from"),
        Option("match", False, (False, True), "rounds until a side can open no hole, or one round"),
        WholeNumber("max_rounds", 20, (), "the most rounds of a match", 1, MOST_ROUNDS),
    )

    @property
    def table_fields(self) -> tuple[Option, ...]:
        """What a table is keyed by: the origin, and how many holes of one side are closed."""
        closed = WholeNumber("closed", 0, (), "closed holes of one side", 0, ROW - 1)
        return (self.options[0], closed)

    def game(self, options: Mapping[str, Any]) -> RajaPasu:
        """Return the rules."""
        return RajaPasu(**options)

    # JSON.

    def state_from_json(self, position: Any) -> RajaPasuState:
        """Return the state that a JSON position describes."""
        fields = Fields(position, "position")
        fields.one_of("game", (self.name,))
        match_given = fields.take("match", None)
        options = self.read_options(fields.take("options", {}))
        if options["match"] and match_given is None:
            fields.fail("match", "owned, round and leader, since the options say match", None)
        game = self.game({**options, "match": match_given is not None})
        board = _counts(fields, "board", fields.take("board"), HOLES)
        closed = _closed(fields, board)
        captured = _counts(fields, "captured", fields.take("captured", [0, 0]), 2)
        to_move = fields.integer("to_move", 0, 1)
        earlier = _earlier(fields, board, closed)
        fields.done()
        seeds = sum(board) + sum(captured)
        if seeds > ALL_SEEDS:
            fields.fail("board", f"at most {ALL_SEEDS} seeds with those captured", seeds)
        match = None if match_given is None else _match(match_given, game, seeds, closed)
        untouched = all(board[hole] == SEEDS_A_HOLE for hole in range(HOLES) if hole not in closed)
        if match is not None and untouched and to_move != match.leader:
            fields.fail("to_move", f"{match.leader}, who leads the round", to_move)
        return RajaPasuState(
            game, board, closed, to_move, (captured[0], captured[1]), earlier, match
        )

    def state_to_json(self, state: RajaPasuState) -> dict[str, Any]:
        """Return the JSON position; options at their defaults and an empty past are left out."""
        position: dict[str, Any] = {"game": self.name}
        options = {
            option.name: state.game.options[option.name]
            for option in self.options
            if option.name != "match" and state.game.options[option.name] != option.default
        }
        if options:
            position["options"] = options
        position |= {
            "board": list(state.board),
            "closed": list(state.closed),
            "to_move": state.to_move,
            "captured": list(state.captured),
        }
        if state.earlier:
            position["earlier"] = [list(board) for board in state.earlier]
        if state.match:
            position["match"] = {**state.match._asdict(), "owned": list(state.match.owned)}
        return position

    def move_from_json(self, move: Any) -> Sow:
        """Return the move that a JSON object describes."""
        fields = Fields(move, "move", MoveError)
        hole = fields.integer("hole", 0, HOLES - 1)
        fields.done()
        return MOVES[hole]

    def move_to_json(self, move: Sow) -> dict[str, Any]:
        """Return the JSON object of a move."""
        return {"hole": move.hole}

    def outcome_from_json(self, outcome: Any) -> NoReturn:
        """Refuse: the game has no chance."""
        raise OutcomeError(f"outcome: no chance is to fall in raja_pasu, got {shown(outcome)}")

    def outcome_to_json(self, outcome: Any) -> NoReturn:
        """Refuse: the game has no chance."""
        raise OutcomeError(f"outcome: no chance is to fall in raja_pasu, got {shown(outcome)}")

    def events(
        self, before: RajaPasuState, move: Sow, after: RajaPasuState
    ) -> list[dict[str, Any]]:
        """Return the steps of a move in order, one object each.

        - ``{"lap": 1, "hole": 0, "seeds": 7, "sown": [1, 2, ...]}``: the lap's
          number, where its seeds were taken up, and where each fell;
        - ``{"pasu": 8, "seat": 1, "seeds": 4, "after": 3}``: the hole taken, by
          whom, and after which of the seeds of the lap before;
        - ``{"pussa": 4, "seat": 0, "seeds": 3}``;
        - ``{"endless": true}`` where the relay was stopped;
        - ``{"over": [south, north], "repeated": false}``: what each takes of the
          board at the end of a round;
        - ``{"round": 2, "leader": 0, "owned": [57, 41], "closed": [7, 8]}``: the
          start of the next round of a match.
        """
        steps, endless = before.steps(move)
        events: list[dict[str, Any]] = []
        laps = 0
        for step, hole, seeds, sown in steps:
            if step == LAP:
                laps += 1
                fell = _fallen(before, hole, seeds)
                events.append({"lap": laps, "hole": hole, "seeds": seeds, "sown": fell})
            elif step == FOUR:
                events.append({"pasu": hole, "seat": hole // ROW, "seeds": seeds, "after": sown})
            else:
                events.append({"pussa": hole, "seat": before.to_move, "seeds": seeds})
        if endless:
            events.append({"endless": True})
        ended = before.after_sowing(move)
        if ended.is_over():
            events.append({"over": list(ended.remainder()), "repeated": ended.repeated()})
        if after.match and after.match != before.match:
            match = after.match._asdict()
            events.append({**match, "owned": list(after.match.owned), "closed": list(after.closed)})
        return events

    # Levels and tables.

    def bot(self, level: str, game: RajaPasu, tables: Path | None, seed: int) -> Bot:
        """Return a bot of a level; expert needs the tables."""
        from ustad.runtime.bots.raja_pasu import make_bot

        return make_bot(level, game, tables, seed)

    def table_options(self) -> tuple[dict[str, Any], ...]:
        """Return the round from the start, and those with 1 to 6 closed holes of one side."""
        return tuple({"origin": "sown", "closed": closed} for closed in range(ROW))

    def table_spec(self, options: Mapping[str, Any]) -> TableSpec:
        """Return the identity of the table of one number of closed holes."""
        full = read_options(self.table_fields, dict(options))
        holes = HOLES - full["closed"]
        return TableSpec(
            game=self.name,
            options=full,
            quantity="seeds that the player to move takes more than the other from here to the end "
            "of the round, under the best play of both",
            unit="seeds",
            index_version=1,
            index_formula=(
                "A position is the seeds of the open holes in the order of sowing, the mover's "
                "first. Its pattern holds the holes with more than 3 seeds, 0 for the others, and "
                "as its last number how many of the holes are the mover's. With p the place of the "
                "pattern in patterns, the position's value is values[first[p] + i], where i is the "
                "place of its code among codes[first[p]:first[p + 1]], which ascend; the code has "
                "two bits for each hole with 0 to 3 seeds, the first of them lowest; codes = "
                "cumulative sum of steps modulo 2^32. A position that is not there was not "
                "solved; with no seed in the mover's row it is minus all seeds on the board."
            ),
            shape=(-1,),
            start_index=0,
            dtype="|i1",
            parts={
                "steps": ("<u4", (-1,)),
                "patterns": ("|u1", (-1, holes + 1)),
                "first": ("<u4", (-1,)),
            },
        )

    # Text.

    def describe(self, state: RajaPasuState) -> str:
        """Return the board as South sees it, and whose turn it is."""
        seeds = ["x" if hole in state.closed else str(state.board[hole]) for hole in range(HOLES)]
        taken = state.captured

        def line(name: str, row: Sequence[object]) -> str:
            return f"{name:<6}" + "".join(f"{held!s:>4}" for held in row)

        lines = [
            line("", range(HOLES - 1, ROW - 1, -1)),
            line("North", seeds[: ROW - 1 : -1]) + f"   captured {taken[NORTH]}",
            line("South", seeds[:ROW]) + f"   captured {taken[SOUTH]}",
            line("", range(ROW)),
        ]
        if state.match:
            south, north = state.match.owned
            lines.append(f"round {state.match.round}, owned at its start {south} and {north}")
        if state.is_over():
            south, north = state.owned()
            over = "match" if state.match and state.next_round() is state else "round"
            lines.append(f"the {over} is over: South {south}, North {north}")
        else:
            lines.append(f"{SEATS[state.to_move]} to move")
        return "\n".join(lines)

    def describe_move(self, move: Sow) -> str:
        """Return a move in a few words."""
        return f"hole {move.hole}"

    def describe_step(self, before: RajaPasuState, move: Sow, after: RajaPasuState) -> str:
        """Return the sowing, a line for each lap and each capture."""
        lines = [f"{SEATS[before.to_move]} sows hole {move.hole}"]
        for event in self.events(before, move, after):
            lines.append("  " + _event_text(event))
        return "\n".join(lines)

    def prompt(self, state: RajaPasuState) -> str:
        """Return what can be typed now."""
        return "a hole to sow: " + ", ".join(str(move.hole) for move in state.legal_moves())

    def move_from_text(self, state: RajaPasuState, text: str) -> Sow:
        """Return the hole that was typed by its number."""
        word = text.strip().lower().removeprefix("hole").strip()
        if word.isascii() and word.isdigit() and len(word) <= 2:
            for move in state.legal_moves():
                if move.hole == int(word):
                    return move
        raise MoveError(f"{shown(text)}: expected {self.prompt(state)}")


def _fallen(state: RajaPasuState, start: int, seeds: int) -> list[int]:
    """Return the holes that the seeds of a lap fall into, in order."""
    holes = state.ring().holes
    at = holes.index(start)
    around = [*holes[at + 1 :], *holes[: at + 1]]
    if state.game.skipped and len(around) > 1:
        around.pop()
    return [around[i % len(around)] for i in range(seeds)]


def _event_text(event: Mapping[str, Any]) -> str:
    """Return an event as a player would tell it."""
    if "lap" in event:
        sown = " ".join(map(str, event["sown"]))
        return f"lap {event['lap']}: {event['seeds']} from hole {event['hole']} to {sown}"
    if "pasu" in event:
        return f"pasu: four in hole {event['pasu']} go to {SEATS[event['seat']]}"
    if "pussa" in event:
        return f"pussa: {event['seeds']} from hole {event['pussa']} go to {SEATS[event['seat']]}"
    if "endless" in event:
        return "the relay would never end and is stopped"
    if "over" in event:
        why = "the third time for this position" if event["repeated"] else "no seed to sow"
        south, north = event["over"]
        return f"the round ends, {why}: South takes {south}, North {north} of what is left"
    south, north = event["owned"]
    return (
        f"round {event['round']}: South owns {south}, North {north}; {SEATS[event['leader']]} leads"
    )


# Reading positions.


def _counts(fields: Fields, key: str, given: Any, length: int) -> tuple[int, ...]:
    """Return a list of so many counts of seeds."""
    if (
        not isinstance(given, list)
        or len(given) != length
        or not all(is_int(seeds, 0, ALL_SEEDS) for seeds in given)
    ):
        fields.fail(key, f"a list of {length} whole numbers from 0 to {ALL_SEEDS}", given)
    return tuple(given)


def _closed(fields: Fields, board: tuple[int, ...]) -> tuple[int, ...]:
    """Return the closed holes in ascending order."""
    given = fields.take("closed", [])
    if not isinstance(given, list) or not all(is_int(hole, 0, HOLES - 1) for hole in given):
        fields.fail("closed", f"a list of holes from 0 to {HOLES - 1}", given)
    if len(set(given)) < len(given):
        fields.fail("closed", "each hole once", given)
    for hole in given:
        if board[hole]:
            fields.fail("board", f"no seed in hole {hole}, which is closed", board[hole])
    return tuple(sorted(given))


def _earlier(
    fields: Fields, board: tuple[int, ...], closed: tuple[int, ...]
) -> tuple[tuple[int, ...], ...]:
    """Return the boards since the last irreversible move."""
    given = fields.take("earlier", [])
    if not isinstance(given, list):
        fields.fail("earlier", "a list of boards", given)
    found = tuple(_counts(fields, "earlier", past, HOLES) for past in given)
    times = Counter(found)
    for past in times:
        if sum(past) != sum(board) or any(past[hole] for hole in closed):
            fields.fail("earlier", f"boards with {sum(board)} seeds in open holes", list(past))
        if any(a != b and max(a, b) > 3 for a, b in zip(past, board, strict=True)):
            # A hole of four or more changes for good.
            fields.fail("earlier", "boards alike in every hole of four or more", list(past))
        if times[past] > 2:
            fields.fail("earlier", "no board three times, which ends the round", list(past))
    return found


def _match(given: Any, game: RajaPasu, seeds: int, closed: tuple[int, ...]) -> Match:
    """Return what the position says of its match, checked against the round."""
    fields = Fields(given, "match")
    owned = _counts(fields, "owned", fields.take("owned"), 2)
    number = fields.integer("round", 1, game.max_rounds)
    leader = fields.integer("leader", 0, 1)
    fields.done()
    if sum(owned) != ALL_SEEDS or min(owned) < SEEDS_A_HOLE:
        expected = f"two numbers from {SEEDS_A_HOLE} that add up to {ALL_SEEDS}"
        fields.fail("owned", expected, list(owned))
    if number == 1 and owned[0] != owned[1]:
        fields.fail("owned", f"{[ALL_SEEDS // 2] * 2} in round 1", list(owned))
    expected_closed = closed_holes((owned[0], owned[1]))
    if closed != expected_closed:
        raise PositionError(
            f"position: closed: expected {list(expected_closed)} with owned {list(owned)}, "
            f"got {list(closed)}"
        )
    in_round = SEEDS_A_HOLE * (HOLES - len(closed))
    if seeds != in_round:
        raise PositionError(
            f"position: board: expected {in_round} seeds on the board and captured in this round, "
            f"got {seeds}"
        )
    return Match((owned[0], owned[1]), number, leader)


TYPE = RajaPasuType()
