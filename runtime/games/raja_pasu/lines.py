"""The positions that can arise in a round if expert always plays its own move.

**The problem.**  The table of a round holds every position that any play can reach, millions.
Whoever sits across from expert may play what they like, but expert's own move is one: what can
then arise is some ten thousands, and a phone that only plays needs no more.

**The algorithm.**  From each start of a round, for expert leading and following, all moves of the
other and the one of expert are followed.  A round with closed holes looks from North as from
South, the rows changed, so that one of the two is followed.  No position with a past is among
them: expert plays the quickest of equals, so that none comes twice
(:meth:`ustad.runtime.games.raja_pasu.levels.TableBot.prefer`).

**Few seeds.**  Whoever takes over a game in the middle meets other positions.  These are searched,
and a search ends well where the margins of all boards with few seeds are known.  With q_j the
seeds of the last j holes, a board of h holes is number sum over j = 1..h of C(q_j + j - 1, j)
among those with at most so many seeds as it has.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement
from math import comb
from typing import NamedTuple

from ustad.runtime.games.raja_pasu.levels import TableBot
from ustad.runtime.games.raja_pasu.rules import (
    HOLES,
    NORTH,
    ROW,
    SEEDS_A_HOLE,
    SOUTH,
    RajaPasu,
    RajaPasuState,
    Seeds,
)

FEW = 5
"""The most seeds of the boards that are all known, but for those with an untouched hole."""

UNKNOWN = 127
"""Stands in the place of a margin that no table holds."""


class Choice(NamedTuple):
    """What expert plays in a position: the margin there, and the place of the hole in the ring."""

    margin: int
    place: int


def starts(rules: RajaPasu, closed: int) -> Iterator[RajaPasuState]:
    """Yield the starts of a round with so many holes of South closed."""
    board = tuple(0 if hole < closed else SEEDS_A_HOLE for hole in range(HOLES))
    for leader in (SOUTH, NORTH) if closed else (SOUTH,):
        yield RajaPasuState(rules, board, tuple(range(closed)), leader, (0, 0), (), None)


def expert_positions(
    rules: RajaPasu, bot: TableBot, closed: int
) -> dict[tuple[Seeds, int], Choice]:
    """Return what expert plays wherever it can be to move, by the ring and the mover's holes.

    Args:
        rules: the rules.
        bot: expert.
        closed: how many holes of one side are closed.
    """
    found: dict[tuple[Seeds, int], Choice] = {}
    for start in starts(rules, closed):
        for seat in (SOUTH, NORTH):
            met = set()
            todo = [start]
            while todo:
                state = todo.pop()
                place = state.board, state.to_move
                if state.is_over() or place in met:
                    continue
                met.add(place)
                # What was taken and what stood before changes no choice here.
                state = state._replace(captured=(0, 0), earlier=())
                if state.to_move != seat:
                    todo += map(state.after_sowing, state.legal_moves())
                    continue
                holes, own = state.ring()
                key = tuple(state.seeds()), own
                if key not in found:
                    move = bot.choose(state)
                    margin = bot.margin(*key)
                    if margin is None:
                        raise ValueError(f"{key}: expected a position of the table")
                    found[key] = Choice(margin, holes.index(move.hole))
                todo.append(state.after_sowing(state_move(state, found[key])))
    return found


def state_move(state: RajaPasuState, choice: Choice) -> object:
    """Return the legal move that a choice is in a state."""
    hole = state.ring().holes[choice.place]
    return next(move for move in state.legal_moves() if move.hole == hole)


def few_number(seeds: Seeds) -> int:
    """Return the number of a board among those with few seeds."""
    held = number = 0
    for last, count in enumerate(reversed(seeds), start=1):
        held += count
        number += comb(held + last - 1, last)
    return number


def few_margins(bot: TableBot, closed: int) -> list[list[int]]:
    """Return the margins of all boards with few seeds, by number.

    They are those of a mover with all holes open, then, where some are closed, of one with the
    closed holes.
    """
    holes = HOLES - closed
    found = []
    for own in (ROW, ROW - closed) if closed else (ROW,):
        margins = [0] * comb(FEW + holes, holes)
        for count in range(1, FEW + 1):
            for places in combinations_with_replacement(range(holes), count):
                seeds = tuple(map(places.count, range(holes)))
                margin = bot.margin(seeds, own)
                margins[few_number(seeds)] = UNKNOWN if margin is None else margin
        found.append(margins)
    return found
