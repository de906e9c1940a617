"""One throw of pasa solved for many states: the inner loops of the solver, compiled.

The problem.  With every bet made the shares are half those after paro and half those after
tiro.  The seats bet one after the other, so a throw is a small tree, and each seat decides
knowing what the seats after it will do.

The algorithm.  The bets are enumerated depth first: down, every seat still to bet makes its
first bet; at the leaf the shares are looked up; up, a seat that has more bets makes its
next one, and one that has seen what follows all of them decides.

Shapes.  Seats are counted from the thrower.  Shares are (splits, seats) float64, one row a
split.  Where seats may follow a stored table, each node has *columns* for two games side by
side: the shares that come about, then those that the table promises.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from ustad.runtime.core.kernels import compiled
from ustad.runtime.games.pasa.kernels import is_ahead, most_allowed, next_bet, smallest_best
from ustad.runtime.games.pasa.rules import RuleNumbers
from ustad.runtime.games.pasa.states import Floats, Ints


class Policy(IntEnum):
    """What a seat may do.

    It maximises its own share (``best``), bets the least (``min``) or the most (``max``),
    draws one of the legal bets (``random``), follows the lead rule of level hard
    (``hard``) or the stored table (``table``).
    """

    BEST = 0
    MIN = 1
    MAX = 2
    RANDOM = 3
    HARD = 4
    TABLE = 5


class Layer(NamedTuple):
    """What all states of one total of chips with so many turns left share.

    Attributes:
        rules: what may be bet.
        binomial: (seats, chips + 2): C(q + j - 1, j) for j and q.
        chips: all chips.
        first_row: the row of the first split of these chips.
        turns_left: the turns left, the present one counted.
        policies: (seats,) the :class:`Policy` of each seat.
        finished: (splits, seats) the shares if no turn is left.
        now: (splits, seats) those with this turn still on, being solved.
        later: (splits, seats) those with one turn less.
        guide_now: as ``now`` by the table that seats may follow, without rows if none does.
        guide_later: as ``later`` by that table.
        width: the most legal bets that there can be.
    """

    rules: RuleNumbers
    binomial: Ints
    chips: int
    first_row: int
    turns_left: int
    policies: Ints
    finished: Floats
    now: Floats
    later: Floats
    guide_now: Floats
    guide_later: Floats
    width: int


class Room(NamedTuple):
    """Where a throw is worked on.

    Attributes:
        stacks: (seats,).
        order: (seats,) the seats with chips in the order of betting, as many as there are.
        policies: (seats,) what each of them does, level hard's rule being applied.
        bets: (seats,) the bets made.
        most: (seats,) the most that each may bet, by its place in ``order``.
        seen: (seats,) how many of its bets have been tried, likewise.
        found: (seats, width, columns) what follows each bet tried, likewise.
        node: (columns,) what follows the bets made, in the end the throw's shares.
    """

    stacks: Ints
    order: Ints
    policies: Ints
    bets: Ints
    most: Ints
    seen: Ints
    found: Floats
    node: Floats


@compiled
def room_for(layer: Layer) -> Room:
    """Return room to work in."""
    seats = layer.now.shape[1]
    columns = 2 * seats if len(layer.guide_now) > 0 else seats
    return Room(
        np.empty(seats, np.int64),
        np.empty(seats, np.int64),
        np.empty(seats, np.int64),
        np.empty(seats, np.int64),
        np.empty(seats, np.int64),
        np.empty(seats, np.int64),
        np.empty((seats, layer.width, columns)),
        np.empty(columns),
    )


# Splits, one after the other.


@compiled
def split_at(number: int, binomial: Ints, held: Ints) -> None:
    """Fill ``held[j]`` for j = 1..seats - 1 with the chips of the last j seats of a split.

    Args:
        number: the number of the split.
        binomial: (seats, chips + 2): C(q + j - 1, j) for j and q.
        held: (seats + 1,); the first is 0 and the last all chips.
    """
    for j in range(len(held) - 2, 0, -1):
        count = held[j + 1]
        while binomial[j, count] > number:
            count -= 1
        held[j] = count
        number -= binomial[j, count]


@compiled
def next_split(held: Ints) -> None:
    """Change ``held`` into that of the next split."""
    j = 1
    while j < len(held) - 2 and held[j] == held[j + 1]:
        held[j] = 0
        j += 1
    held[j] += 1


@compiled
def fill_stacks(held: Ints, stacks: Ints) -> None:
    """Fill the stacks of a split from what its last seats hold together."""
    seats = len(stacks)
    for seat in range(seats):
        stacks[seat] = held[seats - seat] - held[seats - seat - 1]


@compiled
def turned_split(binomial: Ints, stacks: Ints) -> int:
    """Return the number of the split with the second seat first, the first having no chips."""
    seats = len(stacks)
    number = 0
    held = 0
    for j in range(2, seats):
        held += stacks[seats + 1 - j]
        number += binomial[j, held]
    return number


# One throw.


@compiled
def _look_up(
    binomial: Ints,
    first_row: int,
    stacks: Ints,
    bets: Ints,
    now: Floats,
    later: Floats,
    node: Floats,
) -> None:
    """Fill ``node`` with the shares once every bet is made: half paro, half tiro.

    Args:
        binomial: (seats, chips + 2): C(q + j - 1, j) for j and q.
        first_row: the row of the first split of these chips.
        stacks: (seats,) the thrower's first.
        bets: (seats,) the thrower's is 0.
        now: (splits, seats) the shares with this turn still on.
        later: (splits, seats) the shares with one turn less.
        node: (seats,).
    """
    seats = len(stacks)
    total = 0
    for seat in range(1, seats):
        total += bets[seat]
    taken = 0
    paid = stacks[0] - total
    paro = first_row
    tiro = first_row + binomial[1, paid]
    for j in range(1, seats):
        seat = seats - j
        taken += stacks[seat] - bets[seat]
        paro += binomial[j, taken]
        if j < seats - 1:
            paid += stacks[seat] + bets[seat]
            tiro += binomial[j + 1, paid]
    node[0] = 0.5 * (now[paro, 0] + later[tiro, seats - 1])
    for seat in range(1, seats):
        node[seat] = 0.5 * (now[paro, seat] + later[tiro, seat - 1])


@compiled
def _first_bet(policy: int, guided: bool, menu: int, most: int) -> int:
    """Return the bet that a seat tries first: the smallest, or the only one that matters."""
    if policy == Policy.MAX and not guided:
        return most
    return next_bet(menu, most, -1)


@compiled
def _following_bet(policy: int, guided: bool, menu: int, most: int, bet: int) -> int:
    """Return the bet that a seat tries next, -1 if it has tried all that matter."""
    if not guided and (policy == Policy.MIN or policy == Policy.MAX):
        return -1
    return next_bet(menu, most, bet)


@compiled
def _decide(policy: int, seat: int, found: Floats, node: Floats, guided: bool) -> None:
    """Fill ``node`` with what follows when a seat has seen what follows each of its bets.

    Args:
        policy: what the seat does.
        seat: the seat.
        found: (bets, columns) what follows each, in ascending order.
        node: (columns,).
        guided: whether there are columns by the table.
    """
    seats = len(node) // 2 if guided else len(node)
    bet = 0
    if policy == Policy.BEST:
        bet = smallest_best(found[:, seat])
    elif policy == Policy.TABLE:
        bet = smallest_best(found[:, seats + seat])
    elif policy == Policy.MAX:
        bet = len(found) - 1
    for column in range(seats):
        node[column] = found[bet, column]
    if policy == Policy.RANDOM:
        for column in range(seats):
            total = 0.0
            for row in range(len(found)):
                total += found[row, column]
            node[column] = total / len(found)
    if guided:
        bet = smallest_best(found[:, seats + seat])
        for column in range(seats, 2 * seats):
            node[column] = found[bet, column]


@compiled
def _solve_throw(layer: Layer, room: Room, bettors: int) -> None:
    """Leave in ``room.node`` what a throw is worth before its first bet."""
    # Arrays taken out once: compiled code pays for each that goes through a call.
    binomial, first_row, menu = layer.binomial, layer.first_row, layer.rules.menu
    now, later, guide_now, guide_later = layer.now, layer.later, layer.guide_now, layer.guide_later
    stacks, order, policies, bets, most, seen, found, node = room
    seats, guided = len(stacks), len(guide_now) > 0
    bets[:] = 0
    covered, place = 0, 0
    while place >= 0:
        while place < bettors:  # down: each seat still to bet makes its first bet
            seat = order[place]
            most[place] = most_allowed(layer.rules, stacks[0], bettors, stacks[seat], covered)
            bets[seat] = _first_bet(policies[place], guided, menu, most[place])
            seen[place] = 0
            covered += bets[seat]
            place += 1
        _look_up(binomial, first_row, stacks, bets, now, later, node)
        if guided:
            _look_up(binomial, first_row, stacks, bets, guide_now, guide_later, node[seats:])
        place -= 1
        while place >= 0:  # up: each seat that has seen all its bets decides
            seat = order[place]
            for column in range(len(node)):
                found[place, seen[place], column] = node[column]
            seen[place] += 1
            covered -= bets[seat]
            bet = _following_bet(policies[place], guided, menu, most[place], bets[seat])
            if bet >= 0:
                bets[seat] = bet
                covered += bet
                place += 1
                break
            _decide(policies[place], seat, found[place, : seen[place]], node, guided)
            place -= 1


@compiled
def _seat_bettors(layer: Layer, room: Room) -> int:
    """Fill in who bets in which order and what each does, and return how many they are."""
    bettors = 0
    for seat in range(1, len(room.stacks)):
        if room.stacks[seat] > 0:
            policy = layer.policies[seat]
            if policy == Policy.HARD:
                ahead = is_ahead(room.stacks, seat, layer.turns_left)
                policy = Policy.MIN if ahead else Policy.MAX
            room.order[bettors], room.policies[bettors] = seat, policy
            bettors += 1
    return bettors


@compiled
def solve_splits(layer: Layer, begin: int, end: int) -> None:
    """Solve the splits from ``begin`` to ``end``, those with a larger stack of the thrower done."""
    seats = layer.now.shape[1]
    room = room_for(layer)
    held = np.zeros(seats + 1, dtype=np.int64)
    held[seats] = layer.chips
    split_at(begin, layer.binomial, held)
    for split in range(begin, end):
        fill_stacks(held, room.stacks)
        next_split(held)
        bettors = _seat_bettors(layer, room)
        thrower_stack = room.stacks[0]
        row = layer.first_row + split
        if bettors == 0 or (bettors == 1 and thrower_stack == 0):  # one seat has every chip
            layer.now[row] = layer.finished[row]
        elif thrower_stack == 0:  # skipped
            after = layer.later[layer.first_row + turned_split(layer.binomial, room.stacks)]
            layer.now[row, 0] = after[seats - 1]
            layer.now[row, 1:] = after[:-1]
        else:
            _solve_throw(layer, room, bettors)
            layer.now[row] = room.node[:seats]
