"""Marriage: whole rounds in compiled code, and the weights of expert learned from them.

**The problem.**  What is each feature of an option worth in net points?  A round
is won or lost by much besides one decision: the standard deviation of a seat's net
is 35 points, that of one decision's effect a few.

**The algorithm.**  All seats play one policy with softmax noise.  For each decision
let x be the features of the chosen option less their expectation over the options;
x has mean zero whatever went before.  A seat's sum of x over a round is regressed on
its net: the slopes are *advantages*, what one more unit of a feature adds to the net
under this play (a linear advantage function, as in R. S. Sutton and others, *Policy
gradient methods for reinforcement learning with function approximation*, 2000, where
the compatible features are these).  The policy that plays the best of them is then
the next to play with noise.  Two such steps are made, the first from *hard*.

**Luck as a control.**  Beside x stand numbers that tell how lucky a seat and its
opponents were: how good the dealt hand is, and for each card from the stock whether
it helped less the chance that it did.  They leave the slopes as they are and take
more than half of the variance away.

**The net to expect** is a second regression, of the net from each opponent on what a seat
knows at a decision, one for each kind of decision.  The rounds are of the learned weights
themselves, of two to five players in turn, and now and then a show, a finish or a tanela
is passed over, so that the net without it is learned too.

Rounds are played in blocks, each with sums of its own, added in order; the numbers
are rounded to ``DECIMALS``: they are the same for any number of threads.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np

from ustad.runtime.core.kernels import compiled
from ustad.runtime.core.work import Progress, available_cores
from ustad.runtime.games.marriage.cards.cards import CARDS, COPIES, Floats, Ints
from ustad.runtime.games.marriage.decisions import work_space
from ustad.runtime.games.marriage.levels import level_weights
from ustad.runtime.games.marriage.round.rules import Marriage
from ustad.runtime.games.marriage.states import (
    DISCARD_UNSHOWN,
    DRAW_UNSHOWN,
    FEATURE_NAMES,
    KIND_ROWS,
    KIND_STARTS,
    MOST_TOLD,
    NUMBER_NAMES,
    NUMBERS,
    TOLD,
    TOLD_LAID,
    WEIGHTS,
)
from ustad.runtime.games.marriage.tables import SHIPPED
from ustad.solver.marriage.rounds import KINDS, LUCK, new_record, play_round

DECK: Ints = np.repeat(np.arange(CARDS), COPIES)


@compiled
def add_products(products: Floats, row: Floats, net: float) -> None:
    """Add the products of a row and the net to a matrix one larger than the row."""
    last = len(row)
    for a in range(last):
        if row[a] != 0.0:
            for b in range(last):
                products[a, b] += row[a] * row[b]
            products[a, last] += row[a] * net
            products[last, a] += row[a] * net
    products[last, last] += net * net


@compiled
def add_rounds(
    orders: Ints,
    players: int,
    options: Any,
    weights: Floats,
    temperature: float,
    passes: float,
    seed: int,
    work: Any,
    record: Any,
    products: Floats,
    told_products: Floats,
) -> None:
    """Play rounds and add up the products of the regressions.

    Args:
        orders: (rounds, 160) the decks.
        players: how many seats.
        options: the options, see RuleNumbers.
        weights: (WEIGHTS,) what all seats play.
        temperature: of the noise; without any, ``products`` is left alone.
        passes: how often a decision passes over a show, a finish or a tanela to lay; if
            never, ``told_products`` is left alone.
        seed: of the noise.
        work: :func:`ustad.runtime.games.marriage.decisions.work_space`.
        record: :func:`new_record`.
        products: (n, n) added to, n = WEIGHTS + 2 LUCK + 2: the products of the
            features, the luck of the seat and of its opponents, 1, and the net.
        told_products: (KINDS, MOST_TOLD + 1, MOST_TOLD + 1) added to: for each kind of
            decision the products of what a net is told by, and the net from each opponent.
    """
    many = np.zeros((players, WEIGHTS))
    for seat in range(players):
        many[seat] = weights
    temperatures = np.full(players, temperature)
    able = np.ones(players, dtype=np.int64)
    learned, luck, told, kinds, seen = record
    net = np.zeros(players, dtype=np.int64)
    notes = np.zeros((players, 4), dtype=np.int64)
    size = len(products)
    line = np.zeros(size)
    for game in range(len(orders)):
        play_round(
            orders[game],
            players,
            0,
            options,
            many,
            temperatures,
            able,
            able,
            passes,
            seed + game,
            work,
            record,
            net,
            notes,
        )
        for seat in range(players):
            for at in range(seen[seat]):
                from_each = net[seat] / (players - 1)
                add_products(told_products[kinds[seat, at]], told[seat, at], from_each)
            if temperature == 0.0:
                continue
            line[:WEIGHTS] = learned[seat]
            for k in range(LUCK):
                line[WEIGHTS + k] = luck[seat, k]
                line[WEIGHTS + LUCK + k] = luck[:, k].sum() - luck[seat, k]
            line[size - 2] = 1.0
            line[size - 1] = net[seat]
            for a in range(size):
                if line[a] != 0.0:
                    for b in range(size):
                        products[a, b] += line[a] * line[b]


# Learning.

SEED = 2026
PLAYERS = 4
STEPS = ((1.0, 64_000), (2.0, 64_000))
"""The noise and the rounds of each step; the noise of the first is in turns, of the next in
net points."""
VALUE_ROUNDS = 48_000
PASSES = 0.03
"""How often the rounds of values pass over a show, a finish or a tanela: so that it is known
what that costs."""
BLOCK = 500
RIDGE = 1e-3
DECIMALS = 4
LEAST_SPREAD = 1e-7
"""A feature whose mean square is less cannot be learned and weighs nothing."""

ROUNDS = sum(rounds for _, rounds in STEPS) + VALUE_ROUNDS
PRODUCTS = WEIGHTS + 2 * LUCK + 2


def decks(block: int, rounds: int, seed: int) -> Ints:
    """Return (n, 160) the decks of a block of rounds."""
    numbers = range(block * BLOCK, min((block + 1) * BLOCK, rounds))
    return np.array([np.random.default_rng((seed, game)).permutation(DECK) for game in numbers])


def learn_block(block: int, weights: Floats, temperature: float, rounds: int, seed: int) -> Floats:
    """Return the products of the features from one block of rounds; see :func:`add_rounds`."""
    return _block(block, weights, PLAYERS, temperature, 0.0, decks(block, rounds, seed))[0]


def value_block(block: int, weights: Floats, rounds: int, seed: int) -> Floats:
    """Return the products of what a net is told by from one block of rounds.

    The blocks are of two, three, four and five players in turn.
    """
    return _block(block, weights, 2 + block % 4, 0.0, PASSES, decks(block, rounds, seed))[1]


def _block(
    block: int, weights: Floats, players: int, temperature: float, passes: float, orders: Ints
) -> tuple[Floats, Floats]:
    products = (
        np.zeros((PRODUCTS, PRODUCTS)),
        np.zeros((KINDS, MOST_TOLD + 1, MOST_TOLD + 1)),
    )
    add_rounds(
        orders,
        players,
        Marriage().numbers,
        weights,
        temperature,
        passes,
        block * BLOCK,
        work_space(),
        new_record(players),
        *products,
    )
    return products


def slopes(products: Floats, ridge: float = RIDGE) -> Floats:
    """Return the slopes of the last column on the others, from the matrix of their products.

    Args:
        products: (n + 1, n + 1) sums of products.
        ridge: of the penalty, in parts of each column's own square.
    """
    size = len(products) - 1
    squares = np.diag(products)[:size]
    used = squares > LEAST_SPREAD * products[size - 1, size - 1]
    matrix = products[:size, :size][np.ix_(used, used)]
    found = np.zeros(size)
    found[used] = np.linalg.solve(
        matrix + ridge * np.diag(squares[used]), products[:size, size][used]
    )
    return found


def without_column(products: Floats, column: int, slope: float) -> Floats:
    """Return the products with a column taken away from the last one, its slope being known."""
    size = len(products)
    change = np.eye(size)
    change[column, size - 1] = -slope
    change[column, column] = 0.0
    return np.asarray(change.T @ products @ change)


def learn(
    steps: tuple[tuple[float, int], ...] = STEPS,
    seed: int = SEED,
    progress: Progress | None = None,
    threads: int | None = None,
    value_rounds_wanted: int = VALUE_ROUNDS,
) -> Floats:
    """Return (NUMBERS,) the numbers of expert, learned from nothing but the rules.

    Args:
        steps: noise and rounds of each step.
        seed: of the decks.
        progress: called with the rounds played and all rounds.
        threads: how many to use, all cores by default.
        value_rounds_wanted: rounds to learn the net to expect from.
    """
    weights = level_weights("hard")
    done, total = 0, sum(rounds for _, rounds in steps) + value_rounds_wanted
    numbers = np.zeros(NUMBERS)
    with ThreadPoolExecutor(threads or available_cores()) as pool:

        def added(block: Callable[[int], Floats], rounds: int) -> Any:
            """Return the sum of the products of all blocks, in order."""
            nonlocal done
            sums: Any = 0.0
            for products in pool.map(block, range(-(-rounds // BLOCK))):
                sums = sums + products
                done = min(done + BLOCK, total)
                if progress:
                    progress(done, total)
            return sums

        for step, (temperature, rounds) in enumerate(steps):
            block = partial(
                learn_block,
                weights=weights,
                temperature=temperature,
                rounds=rounds,
                seed=seed + step,
            )
            weights = slopes(added(block, rounds))[:WEIGHTS]
            # Jokers are taken by rule.
            weights[_weight("draw before the show: take a putali or master")] = 0.0
            weights[_weight("draw after the show: take a joker")] = 0.0
            weights[_weight("draw after the show: maal of the card taken")] = 0.0
            weights = np.round(weights, DECIMALS)
        numbers[:WEIGHTS] = weights
        block = partial(
            value_block, weights=weights, rounds=value_rounds_wanted, seed=seed + len(steps)
        )
        products = added(block, value_rounds_wanted)
        for kind, row in enumerate(KIND_ROWS):
            told = [*range(row + TOLD), MOST_TOLD]
            of_kind = products[kind][np.ix_(told, told)]
            found = numbers[KIND_STARTS[kind] : KIND_STARTS[kind + 1]]
            if kind in (DRAW_UNSHOWN, DISCARD_UNSHOWN):
                found[:] = slopes(of_kind)
            else:
                fives = row + TOLD_LAID
                found[:] = slopes(without_column(of_kind, fives, 5.0))
                found[fives] = 5.0
    return np.round(numbers, DECIMALS)


def _weight(name: str) -> int:
    return FEATURE_NAMES.index(name)


def ship(numbers: Floats) -> None:
    """Write the file of numbers that ships with the package."""
    told = {
        "what": "what features of a hand are worth to expert, and the net to expect, in points",
        "command": "ustad build marriage --force",
        "seed": SEED,
        "rounds": ROUNDS,
        "numbers": dict(zip(NUMBER_NAMES, numbers.tolist(), strict=True)),
    }
    SHIPPED.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
