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

from collections.abc import MutableSequence, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.chance import Seed
from ustad.runtime.core.entry import Rulebook, Seats
from ustad.runtime.core.errors import MoveError, shown
from ustad.runtime.core.game import OVER, NoLuck
from ustad.runtime.core.options import Option, WholeNumber

ROW = 7

HOLES = 2 * ROW

SEEDS_A_HOLE = 7

ALL_SEEDS = HOLES * SEEDS_A_HOLE

MOST_ROUNDS = 1000

PASU = 4
"""A hole that a sown seed brings to so many is emptied: a touched hole holds 0 to 3."""

NAME = "raja_pasu"
ORIGIN = ("sown", "skipped")

SOUTH, NORTH = 0, 1

SEATS = ("South", "North")

Holes = MutableSequence[int] | NDArray[np.int64]
"""Seeds by hole of a ring, or the two counts of seeds taken."""

Seeds = tuple[int, ...]
"""The seeds of a ring, the mover's holes first."""

# Sowing: flat functions on numbers and arrays, compiled for the solver.

PATIENCE = 64
"""Laps after which a move is suspected to be endless."""

MOVER, OPPONENT = 0, 1
"""Whose the two counts of seeds taken are."""


LAP, FOUR, PUSSA = range(3)
"""The kinds of steps: a lap, a pasu, a pussa."""


class Step(NamedTuple):
    """A step of a move: where, how many seeds were taken, and how many of the lap were sown."""

    kind: int
    hole: int
    seeds: int
    sown: int


Log = NDArray[np.int64]
"""(steps + 1, 4): how many steps there are, at ``STEPS``, and a :class:`Step` a row."""

STEPS = (0, 0)

NO_LOG: Log = np.zeros((0, len(Step._fields)), dtype=np.int64)


def note(log: Log, kind: int, hole: int, seeds: int, sown: int) -> None:
    """Add a :class:`Step` to a log, unless it is NO_LOG."""
    if len(log) > 0:
        log[STEPS] += 1
        log[log[STEPS]] = (kind, hole, seeds, sown)


def sow_laps(
    board: Holes,
    own: int,
    hole: int,
    skipped: bool,
    most: int,
    taken: Holes,
    log: Log,
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
                taken[MOVER if hole < own else OPPONENT] += PASU
                note(log, FOUR, hole, PASU, sown)
            board[hole] = held
        laps += 1
        hole = hole + 1 if hole + 1 < size else 0
        if board[hole] == 0:
            beyond = hole + 1 if hole + 1 < size else 0
            if board[beyond] > 0:
                taken[MOVER] += board[beyond]
                note(log, PUSSA, beyond, board[beyond], 0)
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
    log: Log,
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
    taken[MOVER] = taken[OPPONENT] = 0
    laps, after = sow_laps(board, own, hole, skipped, PATIENCE, taken, log)
    if after < 0:
        return laps
    return play_watched(position, own, hole, skipped, board, taken, log[:0])


def play_watched(
    position: Sequence[int] | NDArray[np.int64],
    own: int,
    hole: int,
    skipped: bool,
    board: Holes,
    taken: Holes,
    log: Log,
) -> int:
    """Play a hole like :func:`play_hole`, stopping an endless relay.

    A lap is fixed by the board and the hole it starts from.  Those of all laps are kept, and
    the relay is stopped at the first that comes again.  Nothing is taken down: ``log`` is empty.
    """
    size = len(position)
    boards = np.zeros((2 * PATIENCE, size), dtype=np.int64)
    holes = np.zeros(2 * PATIENCE, dtype=np.int64)
    copy_holes(position, board)
    taken[MOVER] = taken[OPPONENT] = 0
    laps = 0
    while hole >= 0:
        for lap in range(laps):
            if holes[lap] == hole and same_holes(board, boards[lap]):
                return -laps
        if laps == len(holes):
            boards = np.concatenate((boards, np.zeros_like(boards)))
            holes = np.concatenate((holes, np.zeros_like(holes)))
        copy_holes(board, boards[laps])
        holes[laps] = hole
        _, hole = sow_laps(board, own, hole, skipped, 1, taken, log)
        laps += 1
    return laps


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
    """Return the holes that the players cannot fill from the seeds they own.

    >>> closed_holes((63, 35))  # North owns seeds for five holes of seven
    (7, 8)
    """
    south, north = (ROW - min(ROW, seeds // SEEDS_A_HOLE) for seeds in owned)
    return (*range(south), *range(ROW, ROW + north))


@dataclass(frozen=True)
class RajaPasu:
    """The rules, with their options."""

    origin: str = "sown"
    match: bool = False
    max_rounds: int = 20

    name = NAME

    @property
    def options(self) -> dict[str, Any]:
        """The options by name."""
        return {"origin": self.origin, "match": self.match, "max_rounds": self.max_rounds}

    @property
    def skipped(self) -> bool:
        """Whether a lap leaves out the hole it began from."""
        return self.origin == "skipped"

    def new(self, players: int = 2, first: int = SOUTH, seed: Seed = 0) -> RajaPasuState:
        """Return the start of a round, or of a match, a seat leading; nothing is dealt."""
        del players, seed
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
        return NoLuck("no chance is to fall in raja_pasu")


class Sown(NamedTuple):
    """What a move does: the board after it, what mover and opponent took, and the laps.

    The laps are negative where the relay was endless.
    """

    board: tuple[int, ...]
    mine: int
    other: int
    laps: int

    @property
    def taken(self) -> int:
        """All seeds that were taken."""
        return self.mine + self.other

    @property
    def gain(self) -> int:
        """What the mover took more than the opponent."""
        return self.mine - self.other


class RajaPasuState(NamedTuple):
    """A position.

    ``board`` holds the seeds of the 14 holes, ``closed`` the closed ones in
    ascending order, ``captured`` the seeds that South and North took in this
    round.  ``earlier`` holds the boards since the last irreversible move, oldest
    first; the players took turns at them, so the last had the other to move.
    """

    rules: RajaPasu
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
        sown = self.sown(move)
        south, north = self.captured
        south += sown.other if self.to_move else sown.mine
        north += sown.mine if self.to_move else sown.other
        stays = not sown.taken and all(
            seeds < PASU or seeds == after
            for seeds, after in zip(self.board, sown.board, strict=True)
        )
        return self._replace(
            board=sown.board,
            to_move=1 - self.to_move,
            captured=(south, north),
            earlier=(*self.earlier, self.board) if stays else (),
        )

    def sown(self, move: Sow) -> Sown:
        """Return what a legal move does."""
        holes, own = self.ring()
        after, taken = [0] * len(holes), [0, 0]
        at = holes.index(move.hole)
        laps = play_hole(self.seeds(), own, at, self.rules.skipped, after, taken, NO_LOG)
        board = [0] * HOLES
        for hole, seeds in zip(holes, after, strict=True):
            board[hole] = seeds
        return Sown(tuple(board), taken[MOVER], taken[OPPONENT], laps)

    def steps(self, move: Sow) -> tuple[list[Step], bool]:
        """Return the steps of a legal move, and whether it was endless."""
        holes, own = self.ring()
        laps = self.sown(move).laps
        log = np.zeros((abs(laps) + ALL_SEEDS // PASU + 3, len(Step._fields)), dtype=np.int64)
        at = holes.index(move.hole)
        sow_laps(self.seeds(), own, at, self.rules.skipped, abs(laps), [0, 0], log)
        noted = (Step(*row) for row in log[1 : log[STEPS] + 1].tolist())
        return [step._replace(hole=holes[step.hole]) for step in noted], laps < 0

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
        if self.match is None or self.match.round >= self.rules.max_rounds:
            return self
        owned = self.owned()
        if min(owned) < SEEDS_A_HOLE:
            return self
        leader = 1 - (self.match.leader if self.repeated() else self.to_move)
        return self.rules.start_round(Match(owned, self.match.round + 1, leader))

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


ORIGIN_OPTION = Option("origin", "sown", ORIGIN, "whether a lap sows into the hole it began from")
OPTIONS = (
    ORIGIN_OPTION,
    Option("match", False, (False, True), "rounds until a side can open no hole, or one round"),
    WholeNumber("max_rounds", 20, (), "the most rounds of a match", 1, MOST_ROUNDS),
)
RULES = Rulebook(RajaPasu, OPTIONS, Seats(least=2, most=2, usual=2))
