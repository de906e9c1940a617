"""The four levels of pasa; the README of this folder says what each plays.

The problem of expert.  The table holds every seat's win share between throws.  The
bets of one throw are a small tree: each seat picks the bet with its largest own
share, knowing what the seats after it will do, and the smallest of bets within
1e-9.  That is the solver's rule on the solver's numbers, so the bet chosen here
is the bet chosen there.

Shapes.  Seats are counted from the thrower: ``stacks[0]`` is the thrower's.  Rows
of the table are (seats,) float64 win shares in that order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ustad.runtime.core.chance import Chance
from ustad.runtime.core.game import OVER, TIE, Advice, Bot, RuleOfThumb, rank
from ustad.runtime.games.pasa.rules import Pasa, PasaState, legal_bets, most_allowed, win_shares
from ustad.runtime.games.pasa.states import first_split, split_number
from ustad.runtime.games.pasa.tables import find_table
from ustad.tables import Table, open_table

Shares = tuple[float, ...]


# What a seat decides by: flat functions, compiled for the solver.


def is_ahead(stacks: Sequence[int] | NDArray[np.int64], seat: int, turns_left: int) -> bool:
    """Tell whether a seat's lead over the next largest stack exceeds the turns left."""
    largest = 0
    for other in range(len(stacks)):
        if other != seat:
            largest = max(largest, stacks[other])
    return stacks[seat] - largest > turns_left


def smallest_best(shares: Sequence[float] | NDArray[np.float64]) -> int:
    """Return which bet to make: the first whose share is within 1e-9 of the best.

    Args:
        shares: the own share after each legal bet, in ascending order of the bets.
    """
    best = shares[0]
    for share in shares:
        best = max(best, share)
    bet = 0
    while shares[bet] < best - TIE:
        bet += 1
    return bet


class EasyBot(RuleOfThumb[PasaState, int]):
    """Bets the least."""

    def choose(self, view: PasaState) -> int:
        """Return the smallest legal bet."""
        return view.legal_moves()[0]


class MediumBot(RuleOfThumb[PasaState, int]):
    """Draws one of the legal bets; ``chance`` gives its draw in a position."""

    def __init__(self, chance: Callable[[PasaState], Chance]) -> None:
        self._chance = chance

    def choose(self, view: PasaState) -> int:
        """Return a legal bet, each equally likely."""
        return self._chance(view).choice(view.legal_moves())


class HardBot(RuleOfThumb[PasaState, int]):
    """Follows the lead rule."""

    def choose(self, view: PasaState) -> int:
        """Return the smallest legal bet if the seat is far enough ahead, else the largest."""
        ahead = is_ahead(view.stacks, view.current_player(), view.turns_left)
        return view.legal_moves()[0 if ahead else -1]


THROWER = 0
"""Where the thrower stands when seats are counted from the thrower."""


class Betting:
    """The bets of one throw, solved with a table.

    Args:
        rules: the rules.
        table: a table that holds the position.
        stacks: the stacks, the thrower's first.
        turns_left: the turns left, the present one counted.
    """

    def __init__(self, rules: Pasa, table: Table, stacks: tuple[int, ...], turns_left: int) -> None:
        self.rules = rules
        self.stacks = stacks
        self.bettors = tuple(seat for seat in range(1, len(stacks)) if stacks[seat])
        chips = table.spec.options["chips"]
        self._first_row = first_split(len(stacks), chips, sum(stacks))
        self._now = table.values[turns_left - 1]
        self._later = table.values[turns_left - 2] if turns_left > 1 else None
        self._known: dict[tuple[int, ...], Shares] = {}

    def legal_bets(self, bets: tuple[int, ...]) -> Sequence[int]:
        """Return what the next seat may bet once these bets are made."""
        own = self.stacks[self.bettors[len(bets)]]
        rules, others = self.rules.numbers, len(self.bettors)
        return legal_bets(
            rules.menu, most_allowed(rules, self.stacks[THROWER], others, own, sum(bets))
        )

    def chosen(self, bets: tuple[int, ...]) -> int:
        """Return the next seat's best bet, the smallest of equals."""
        seat = self.bettors[len(bets)]
        own = [shares[seat] for shares in self.after_each(bets)]
        return self.legal_bets(bets)[smallest_best(own)]

    def after_each(self, bets: tuple[int, ...]) -> list[Shares]:
        """Return every seat's share after each legal bet of the next seat."""
        return [self.shares((*bets, bet)) for bet in self.legal_bets(bets)]

    def shares(self, bets: tuple[int, ...]) -> Shares:
        """Return every seat's share once these bets are made and the others play their best."""
        found = self._known.get(bets)
        if found is None:
            if len(bets) == len(self.bettors):
                found = self._after_throw(bets)
            else:
                found = self.shares((*bets, self.chosen(bets)))
            self._known[bets] = found
        return found

    def _after_throw(self, bets: tuple[int, ...]) -> Shares:
        """Return every seat's share once all bets are made: half paro, half tiro."""
        throws = zip(*self._after_results(bets), strict=True)
        return tuple(0.5 * (won + lost) for won, lost in throws)

    def after_results(self, bets: tuple[int, ...]) -> tuple[Shares, Shares]:
        """Return every seat's share after paro and after tiro, the others betting their best."""
        while len(bets) < len(self.bettors):
            bets = (*bets, self.chosen(bets))
        return self._after_results(bets)

    def _after_results(self, bets: tuple[int, ...]) -> tuple[Shares, Shares]:
        """Return every seat's share after paro and after tiro once all bets are made."""
        taken, paid = list(self.stacks), list(self.stacks)
        for seat, bet in zip(self.bettors, bets, strict=True):
            taken[seat] -= bet
            paid[seat] += bet
        taken[THROWER] += sum(bets)
        paid[THROWER] -= sum(bets)
        paid = [*paid[1:], paid[THROWER]]
        paro = self._now[self._first_row + split_number(taken)].tolist()
        if self._later is None:
            tiro = list(win_shares(paid))
        else:
            tiro = self._later[self._first_row + split_number(paid)].tolist()
        return tuple(paro), (tiro[-1], *tiro[:-1])


class TableBot(Bot[PasaState, int]):
    """Plays the equilibrium of the table that holds the position.

    Which table that is shows only when a position comes; it is opened then and kept.
    """

    unit = "win_share"
    _REMEMBERED = 4096

    def __init__(self, rules: Pasa, folder: Path) -> None:
        self.rules = rules
        self.folder = folder
        self._tables: dict[tuple[int, int], Table] = {}
        self._known: dict[tuple[tuple[int, ...], int], Betting] = {}

    def choose(self, view: PasaState) -> int:
        """Return the best bet, the smallest of equals."""
        return self.betting(view).chosen(bets_made(view))

    def ask(self, view: PasaState) -> Advice[int]:
        """Return every legal bet with the mover's win share after it.

        ``win_shares`` holds every seat's share, in the order of the seats, if the
        mover makes its best bet.  Where no bet is to be made the value is the
        share of the seat with the dice.
        """
        if view.current_player() == OVER:
            shares = view.returns()
            return Advice((), shares[view.thrower], self.unit, (), {"win_shares": list(shares)})
        betting, bets = self.betting(view), bets_made(view)
        from_thrower = betting.shares(bets)
        extra = {"win_shares": in_seats(view, from_thrower)}
        if len(bets) == len(betting.bettors):
            return Advice((), from_thrower[THROWER], self.unit, (), extra)
        seat = betting.bettors[len(bets)]
        own = [shares[seat] for shares in betting.after_each(bets)]
        best, options = rank(betting.legal_bets(bets), own)
        return Advice(best, options[0].value, self.unit, options, extra)

    def betting(self, view: PasaState) -> Betting:
        """Return the bets of a view's throw."""
        stacks = (*view.stacks[view.thrower :], *view.stacks[: view.thrower])
        key = stacks, view.turns_left
        if key not in self._known:
            if len(self._known) >= self._REMEMBERED:
                self._known.clear()
            self._known[key] = Betting(self.rules, self.table(view), stacks, view.turns_left)
        return self._known[key]

    def table(self, view: PasaState) -> Table:
        """Return a table that holds the position, opened anew only if the known one does not."""
        key = len(view.stacks), sum(view.stacks)
        table = self._tables.get(key)
        if table is None or len(table.values) < view.turns_left:
            spec = find_table(self.folder, self.rules, *key, view.turns_left)
            table = self._tables[key] = open_table(spec, self.folder)
        return table


def bets_made(view: PasaState) -> tuple[int, ...]:
    """Return the bets made in this throw, in the order of betting, seats without chips left out."""
    seats = len(view.stacks)
    around = [(view.thrower + step) % seats for step in range(1, seats)]
    made = ((view.stacks[seat], view.bets[seat]) for seat in around)
    return tuple(bet for stack, bet in made if stack and bet is not None)


def in_seats(view: PasaState, shares: Shares) -> list[float]:
    """Return shares counted from the thrower in the order of the seats."""
    return [shares[(seat - view.thrower) % len(shares)] for seat in range(len(shares))]
