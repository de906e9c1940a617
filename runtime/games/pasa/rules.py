"""Pasa (पासा): three long dice, one seat throws, every other seat bets against it.

**The rules as the source has them** (the Nepali document on पासा).  The dice
have the faces 1, 2, 5 and 6.  The seat with the dice throws; every other seat
bets against it, one after the other from the seat after the thrower; then the
three dice fall and their faces are added:

- **paro** (13, 15, 17, 18; 14 of 64 throws): the thrower takes every bet, keeps
  the dice, and all bet again;
- **tiro** (3, 4, 6, 9; 14 of 64): the thrower pays each seat its bet, and the
  dice go to the next seat;
- **bachyo** (the other eight sums; 36 of 64): nothing moves, the bets stay, the
  same seat throws again.

*Halhale* is 2-2-2, the only 6.  *Tike tehra* is 6-6-1, three of the nine ways to
make 13.  A 5 with a 1 is always bachyo.  The dice go round twice, so that every
seat has them equally often; one spell with the dice is a *turn*.  The game ends
when they are back at the first thrower, or at once when one seat has every chip.
The largest stack wins.  The thrower's stack can lower what may be bet.  The list
of throws is documented (2020); who bets against whom is the app's own reading,
taken from kauda.  Chips are no money.  The owner's share on 15 (बोट) is not part
of this game.

**Ours**, where the source is silent: two to six seats start with equal stacks
(10 stakes); bets are whole stakes, at least one, and nobody may pass; a seat
without chips does not bet, and its turn with the dice is skipped but counts; a
seat for whose bet the thrower has nothing left to cover bets 0 in this throw;
seats that tie on top share the win.

**Options.**  ``cap``: under ``share`` a bet is at most ``max(1, floor(T / m))``,
T being the thrower's stack and m the other seats with chips, both at the start
of the throw; under ``first_come`` only the next limits hold.  A bet is never
more than the bettor has, nor than what of the thrower's stack is not yet
covering another bet.  ``max_bet``: a table maximum in stakes.  ``menu``: which of
the allowed bets there is a button for: 1, a quarter, a half and all of the most
allowed (rounded down), or every whole number.  ``stack`` and ``laps`` say how a new
game starts; a position has its own stacks and turns left instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum, StrEnum
from functools import cache, cached_property, lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from ustad.runtime.core.chance import Seed
from ustad.runtime.core.entry import Rulebook, Seats
from ustad.runtime.core.errors import MoveError, OutcomeError, PositionError, shown
from ustad.runtime.core.game import CHANCE, OVER
from ustad.runtime.core.options import Option, WholeNumber
from ustad.runtime.core.strict_json import is_int

NAME = "pasa"

FACES = (1, 2, 5, 6)

DICE = 3

PARO_SUMS = frozenset((13, 15, 17, 18))

TIRO_SUMS = frozenset((3, 4, 6, 9))

NAMED = {(2, 2, 2): "halhale", (1, 6, 6): "tike_tehra"}
"""The throws with a name, faces in ascending order."""

NO_MAXIMUM = 10**9
"""What ``max_bet`` is for the flat functions when there is none; no stack is larger."""

USUAL_STACKS = {2: 10, 3: 20, 4: 10, 5: 5, 6: 3}
"""By the number of seats, each seat's stakes at the start of a game where nobody says: as many
as a default table answers."""

MOST_CHIPS = 100_000
"""The most chips that a position may have on the table, in stakes."""

Throw = tuple[int, ...]
"""Three faces."""


class Cap(IntEnum):
    """What limits a bet beside the stacks: a share of the thrower's, or nothing."""

    SHARE = 0
    FIRST_COME = 1


class Menu(IntEnum):
    """Which of the allowed bets may be made."""

    BUTTONS = 0
    ALL = 1


class RuleNumbers(NamedTuple):
    """The options as the flat functions take them."""

    cap: int
    max_bet: int
    menu: int


# What may be bet: flat functions on numbers, compiled for the solver.


def most_allowed(
    rules: RuleNumbers, thrower_stack: int, bettors: int, stack: int, covered: int
) -> int:
    """Return the most that a seat may bet, 0 if the thrower has nothing left to cover.

    Args:
        rules: the options.
        thrower_stack: the thrower's stack.
        bettors: how many other seats have chips.
        stack: the stack of the seat that bets.
        covered: the sum of the bets made before in this throw.
    """
    most = min(stack, rules.max_bet, thrower_stack - covered)
    if rules.cap == Cap.SHARE:
        most = min(most, max(1, thrower_stack // bettors))
    return most


def next_bet(menu: int, most: int, bet: int) -> int:
    """Return the smallest legal bet above ``bet``, -1 if there is none.

    Args:
        menu: a :class:`Menu`.
        most: the most allowed, 0 if there is nothing to cover a bet.
        bet: a legal bet, or -1 to get the smallest.
    """
    if bet >= most:
        return -1
    if most == 0:
        return 0
    if menu == Menu.ALL:
        return max(bet, 0) + 1
    if bet < 1:
        return 1
    if bet < most // 4:
        return most // 4
    if bet < most // 2:
        return most // 2
    return most


@lru_cache(maxsize=4096)
def legal_bets(menu: int, most: int) -> Sequence[int]:
    """Return the legal bets in ascending order where so much is allowed."""
    least = next_bet(menu, most, -1)
    if menu == Menu.ALL:
        return range(least, most + 1)  # may be long
    bets = [least]
    while (bet := next_bet(menu, most, bets[-1])) >= 0:
        bets.append(bet)
    return tuple(bets)


def bets_in_words(bets: Sequence[int]) -> str:
    """Return some bets as text, many of them as a range."""
    return f"{bets[0]} to {bets[-1]}" if len(bets) > 8 else ", ".join(map(str, bets))


# The dice.


class Result(StrEnum):
    """What a throw brings: the thrower wins, loses, or throws again."""

    PARO = "paro"
    TIRO = "tiro"
    BACHYO = "bachyo"


def result(throw: Throw) -> Result:
    """Return what a throw brings.

    >>> result((6, 6, 6)), result((1, 2, 3)), result((3, 4, 4))
    (<Result.PARO: 'paro'>, <Result.TIRO: 'tiro'>, <Result.BACHYO: 'bachyo'>)
    """
    total = sum(throw)
    if total in PARO_SUMS:
        return Result.PARO
    return Result.TIRO if total in TIRO_SUMS else Result.BACHYO


@cache
def throws() -> tuple[tuple[Throw, float], ...]:
    """Return the 20 throws, faces in ascending order, with their chances."""
    ways: dict[Throw, int] = {}
    for faces in product(FACES, repeat=DICE):
        throw = tuple(sorted(faces))
        ways[throw] = ways.get(throw, 0) + 1
    return tuple((throw, count / len(FACES) ** DICE) for throw, count in sorted(ways.items()))


class PasaLuck:
    """The dice of one game: for each turn, the throws that would fall one after the other.

    What falls in a turn does not depend on how long the turns before it were.
    """

    _BLOCK = 64

    def __init__(self, seed: Sequence[int]) -> None:
        self._seed = list(seed)
        self._blocks: dict[tuple[int, int], list[list[int]]] = {}

    def outcome(self, state: PasaState) -> Throw:
        """Return the faces thrown now, in ascending order."""
        block, at = divmod(state.throws, self._BLOCK)
        key = state.turns_left, block
        if key not in self._blocks:
            random = np.random.default_rng([*self._seed, *key])
            self._blocks[key] = random.choice(FACES, size=(self._BLOCK, DICE)).tolist()
        return tuple(sorted(self._blocks[key][at]))


# The game.


def win_shares(stacks: Sequence[int]) -> tuple[float, ...]:
    """Return each seat's share of the win: the largest stack wins, equals share it."""
    most = max(stacks)
    share = 1 / stacks.count(most)
    return tuple(share if stack == most else 0.0 for stack in stacks)


def to_stakes(chips: Sequence[int], stakes: int) -> tuple[int, ...]:
    """Return the stacks in whole stakes that stand for real chip counts, by largest remainder.

    Each seat gets its proportion of the stakes rounded down; the stakes left
    over go one each to the seats with the largest remainders, the first seats
    among equals.  So every seat is less than one stake off its proportion.  A
    seat with far less than a stake's worth can come to 0: for the table it is
    out of the game.  A bet of b stakes stands for ``b * sum(chips) / stakes``
    real chips.

    Args:
        chips: the chips of each seat, not all 0.
        stakes: all stakes on the table, the ``chips`` of the table to ask.
    """
    total = sum(chips)
    if total <= 0 or min(chips) < 0 or stakes < 1:
        raise PositionError("chips: expected whole numbers from 0, some chips and some stakes")
    found = [count * stakes // total for count in chips]
    by_remainder = sorted(range(len(chips)), key=lambda seat: -(chips[seat] * stakes % total))
    for seat in by_remainder[: stakes - sum(found)]:
        found[seat] += 1
    return tuple(found)


@dataclass(frozen=True)
class Pasa:
    """The rules of pasa.

    ``cap``, ``max_bet`` and ``menu`` are what a position depends on: rules that
    agree in these are equal.  ``stack`` and ``laps`` are for new games; without a stack they
    deal the :data:`USUAL_STACKS`.
    """

    cap: str = "share"
    max_bet: int | None = None
    menu: str = "buttons"
    stack: int | None = field(default=None, compare=False, repr=False)
    laps: int = field(default=2, compare=False, repr=False)

    name = NAME

    @property
    def options(self) -> dict[str, Any]:
        """The options that a position depends on, by name."""
        return {"cap": self.cap, "max_bet": self.max_bet, "menu": self.menu}

    @cached_property
    def numbers(self) -> RuleNumbers:
        """The same as the flat functions take them."""
        max_bet = NO_MAXIMUM if self.max_bet is None else self.max_bet
        return RuleNumbers(int(Cap[self.cap.upper()]), max_bet, int(Menu[self.menu.upper()]))

    def new(self, players: int, first: int = 0, seed: Seed = 0) -> PasaState:
        """Return the start of a game, seat ``first`` with the dice; nothing is dealt."""
        del seed
        stack = USUAL_STACKS[players] if self.stack is None else self.stack
        return self.start((stack,) * players, first, players * self.laps)

    def deal(self, players: int, seed: Sequence[int]) -> PasaState:
        """Return the start of a game: all start alike."""
        del seed
        return self.new(players)

    def luck(self, players: int, seed: Sequence[int]) -> PasaLuck:
        """Return the dice of a whole game from a seed."""
        del players
        return PasaLuck(seed)

    def start(self, stacks: tuple[int, ...], thrower: int, turns_left: int) -> PasaState:
        """Return the position before the first bet of a throw.

        Turns of seats without chips are skipped, unless the game is over.
        """
        while turns_left and not stacks[thrower] and max(stacks) < sum(stacks):
            thrower, turns_left = (thrower + 1) % len(stacks), turns_left - 1
        return PasaState(self, stacks, thrower, turns_left, no_bets(stacks, thrower))


def no_bets(stacks: Sequence[int], thrower: int) -> tuple[int | None, ...]:
    """Return the bets before anyone has bet: 0 for seats without chips, None for the others."""
    return tuple(None if stack or seat == thrower else 0 for seat, stack in enumerate(stacks))


@dataclass(frozen=True, slots=True)
class PasaState:
    """A position.  A move is a bet in stakes, an outcome the three faces in ascending order.

    Attributes:
        rules: the rules.
        stacks: each seat's chips in stakes, those it has bet included.
        thrower: the seat with the dice.
        turns_left: the turns still to play, the present one counted.
        bets: what each seat bets; None for the thrower and for seats still to
            bet, 0 for seats without chips.
        throws: how many throws this turn has had as far as this state knows; no
            part of the position, only :class:`PasaLuck` reads it.
    """

    rules: Pasa
    stacks: tuple[int, ...]
    thrower: int
    turns_left: int
    bets: tuple[int | None, ...]
    throws: int = field(default=0, compare=False)

    def is_over(self) -> bool:
        """Tell whether the turns are played or one seat has every chip."""
        return self.turns_left == 0 or max(self.stacks) == sum(self.stacks)

    def bettors(self) -> tuple[int, ...]:
        """Return the seats still to bet, in order."""
        seats = len(self.stacks)
        around = ((self.thrower + step) % seats for step in range(1, seats))
        return tuple(seat for seat in around if self.bets[seat] is None)

    def current_player(self) -> int:
        """Return the seat that bets next, CHANCE when every bet is made, or OVER."""
        if self.is_over():
            return OVER
        return next(iter(self.bettors()), CHANCE)

    def most(self) -> int:
        """Return the most that the seat to move may bet."""
        seat, others = self.current_player(), len(self.stacks) - self.stacks.count(0) - 1
        covered = sum(bet or 0 for bet in self.bets)
        thrower_stack = self.stacks[self.thrower]
        return most_allowed(self.rules.numbers, thrower_stack, others, self.stacks[seat], covered)

    def legal_moves(self) -> Sequence[int]:
        """Return the bets that the seat to move may make, in ascending order."""
        if self.current_player() < 0:
            return ()
        return legal_bets(self.rules.numbers.menu, self.most())

    def chance_outcomes(self) -> Sequence[tuple[Throw, float]]:
        """Return the throws, faces in ascending order, with their chances."""
        return throws() if self.current_player() == CHANCE else ()

    def apply(self, move: Any) -> PasaState:
        """Return the state after a bet, or, when every bet is made, after the faces thrown."""
        seat = self.current_player()
        if seat == OVER:
            raise MoveError("move: the game is over, no move is left")
        if seat == CHANCE:
            return self._thrown(move)
        if not is_int(move, 0, NO_MAXIMUM) or move not in self.legal_moves():
            legal = bets_in_words(self.legal_moves())
            raise MoveError(f"move: bet: expected one of {legal}, got {shown(move)}")
        bets = (*self.bets[:seat], int(move), *self.bets[seat + 1 :])
        return replace(self, bets=bets)

    def _thrown(self, outcome: Any) -> PasaState:
        if not isinstance(outcome, tuple):
            raise OutcomeError("the dice are to fall now: expected an outcome, not a move")
        if len(outcome) != DICE or not all(is_int(f, 1, 6) and f in FACES for f in outcome):
            faces = ", ".join(map(str, FACES))
            raise OutcomeError(
                f"outcome: expected {DICE} faces of {faces}, got {shown(list(outcome))}"
            )
        fallen = result(outcome)
        if fallen is Result.BACHYO:
            return replace(self, throws=self.throws + 1)
        gains = self.gains(fallen)
        stacks = tuple(stack + gain for stack, gain in zip(self.stacks, gains, strict=True))
        if fallen is Result.PARO:
            after = self.rules.start(stacks, self.thrower, self.turns_left)
            return replace(after, throws=self.throws + 1)
        return self.rules.start(stacks, (self.thrower + 1) % len(stacks), self.turns_left - 1)

    def gains(self, fallen: Result) -> tuple[int, ...]:
        """Return what each seat gains by a throw with this result."""
        sign = {Result.PARO: -1, Result.TIRO: 1, Result.BACHYO: 0}[fallen]
        gains = [sign * (bet or 0) for bet in self.bets]
        gains[self.thrower] = -sum(gains)
        return tuple(gains)

    def scores(self) -> tuple[float, ...]:
        """Return each seat's stack."""
        return tuple(map(float, self.stacks))

    def returns(self) -> tuple[float, ...]:
        """Return each seat's share of the win."""
        return win_shares(self.stacks)

    def view(self, player: int) -> PasaState:
        """Return the state: everything lies open in this game."""
        del player
        return self


def usual_stacks_in_words() -> str:
    """Return what new games deal where nobody says, by the number of seats."""
    stacks = ", ".join(map(str, USUAL_STACKS.values()))
    return f"{stacks} with {min(USUAL_STACKS)} to {max(USUAL_STACKS)} seats"


POSITION_OPTIONS = (
    Option(
        "cap",
        "share",
        tuple(cap.name.lower() for cap in Cap),
        "what one seat may bet of the thrower's stack",
    ),
    WholeNumber("max_bet", None, (None,), "the most one may bet, in stakes", 1, NO_MAXIMUM),
    Option(
        "menu",
        "buttons",
        tuple(menu.name.lower() for menu in Menu),
        "which of the allowed bets may be made",
    ),
)
"""The options that a position has."""

OPTIONS = (
    *POSITION_OPTIONS,
    WholeNumber(
        "stack",
        None,
        (None,),
        f"each seat's stakes at the start; null: {usual_stacks_in_words()}",
        1,
        10**6,
    ),
    WholeNumber("laps", 2, (), "how often the dice go round", 1, 10**6),
)
RULES = Rulebook(Pasa, OPTIONS, Seats(least=2, most=6, usual=4))
