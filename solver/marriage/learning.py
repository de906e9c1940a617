"""The numbers of Marriage's expert, learned from rounds of self-play.

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
opponents were (``records``).  They leave the slopes as they are and take
more than half of the variance away.

**The predicted net** is a second regression, of the net from each opponent on what a seat
knows at a decision, one for each kind of decision.  The rounds are of the learned weights
themselves, of two to five players in turn, and now and then a show, a finish or a tanela
is passed over, so that the net without it is learned too.

Rounds are played in blocks, each with sums of its own, added in order; the numbers
are rounded to ``DECIMALS``: they are the same for any number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ustad.runtime.core.kernels import compiled
from ustad.runtime.core.work import Progress, available_cores
from ustad.runtime.games.marriage.cards.cards import CARDS, COPIES, Floats, Ints
from ustad.runtime.games.marriage.decisions import Player
from ustad.runtime.games.marriage.features import Work, new_work
from ustad.runtime.games.marriage.levels import level_weights, player_of
from ustad.runtime.games.marriage.round.options import RuleNumbers
from ustad.runtime.games.marriage.round.rules import Marriage
from ustad.runtime.games.marriage.states import (
    BESIDE,
    HAND_ROWS,
    KIND_STARTS,
    LONGEST_ROW,
    NUMBERS,
    WEIGHTS,
    Beside,
    Kind,
    PostShowTake,
    PreShowTake,
    Weights,
)
from ustad.solver.marriage.records import LUCK, Record, new_record
from ustad.solver.marriage.rounds import Players, play_round, seated

DECK: Ints = np.repeat(np.arange(CARDS), COPIES)

SEED = 2026
PLAYERS = 4
STEPS = ((1.0, 64_000), (2.0, 64_000))
"""The noise and the rounds of each step; the noise of the first is in turns, of the next in
net points."""
NET_ROUNDS = 48_000
PASSES = 0.03
"""How often the rounds of nets pass over a show, a finish or a tanela: so that it is known
what that costs."""
BLOCK = 500
RIDGE = 1e-3
DECIMALS = 4
LEAST_SPREAD = 1e-7
"""A feature whose mean square is less cannot be learned and weighs nothing."""
FIVE = 5.0
"""What a five paid for laying is worth where it is known to be paid."""

ROUNDS = sum(rounds for _, rounds in STEPS) + NET_ROUNDS
PRODUCTS = WEIGHTS + 2 * LUCK + 2
BY_RULE = (
    Weights.PRE_SHOW_DRAW + PreShowTake.PRINTED,
    Weights.POST_SHOW_DRAW + PostShowTake.JOKER,
    Weights.POST_SHOW_DRAW + PostShowTake.MAAL,
)
"""Weights that are 0: jokers are taken by rule."""


# Sums of products.


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
def add_features(products: Floats, record: Record, seat: int, line: Floats) -> None:
    """Add the products of a seat's features, its luck and that of others, 1, and its net.

    Args:
        products: (PRODUCTS, PRODUCTS) added to.
        record: of a round.
        seat: the seat.
        line: (PRODUCTS,) working space.
    """
    size = len(products)
    line[:WEIGHTS] = record.learned[seat]
    for k in range(LUCK):
        line[WEIGHTS + k] = record.luck[seat, k]
        line[WEIGHTS + LUCK + k] = record.luck[:, k].sum() - record.luck[seat, k]
    line[size - 2] = 1.0
    line[size - 1] = record.net[seat]
    for a in range(size):
        if line[a] != 0.0:
            for b in range(size):
                products[a, b] += line[a] * line[b]


@compiled
def add_rounds(
    orders: Ints,
    numbers: RuleNumbers,
    players: Players,
    passes: float,
    seed: int,
    work: Work,
    record: Record,
    products: Floats,
    net_products: Floats,
) -> None:
    """Play rounds and add up the products of the regressions.

    Args:
        orders: (rounds, 160) the decks.
        numbers: the options.
        players: how the seats play; of those without noise no features are added.
        passes: see ``play_round``; without any, ``net_products`` is left alone.
        seed: of the noise.
        work: working arrays.
        record: working space.
        products: see :func:`add_features`.
        net_products: (kinds, LONGEST_ROW + 1, LONGEST_ROW + 1) added to: for each kind of
            decision the products of the predictors and of the net from each opponent.
    """
    line = np.zeros(len(products))
    many = len(players.temperatures)
    for number in range(len(orders)):
        play_round(orders[number], 0, numbers, players, passes, seed + number, work, record)
        for seat in range(many):
            for at in range(record.noted[seat]):
                from_each = record.net[seat] / (many - 1)
                of_kind = net_products[record.kinds[seat, at]]
                add_products(of_kind, record.predictors[seat, at], from_each)
            if players.temperatures[seat] > 0.0:
                add_features(products, record, seat, line)


def decks(block: int, rounds: int, seed: int) -> Ints:
    """Return (n, 160) the decks of a block of rounds."""
    numbers = range(block * BLOCK, min((block + 1) * BLOCK, rounds))
    return np.array([np.random.default_rng((seed, game)).permutation(DECK) for game in numbers])


def learn_block(block: int, weights: Floats, temperature: float, rounds: int, seed: int) -> Floats:
    """Return the products of the features from one block of rounds; see :func:`add_rounds`."""
    player = Player(weights, temperature, lays=True, finds_best=True, seed=0)
    return _block(block, decks(block, rounds, seed), [player] * PLAYERS, 0.0).features


def net_block(block: int, weights: Floats, rounds: int, seed: int) -> Floats:
    """Return the products of what a net is predicted by from one block of rounds.

    The blocks are of two, three, four and five players in turn.
    """
    players = [player_of("expert", weights, 0)] * (2 + block % 4)
    return _block(block, decks(block, rounds, seed), players, PASSES).nets


class Products(NamedTuple):
    """Sums of products: of the features, and by kind of the predictors of nets."""

    features: Floats
    nets: Floats


def _block(block: int, orders: Ints, players: list[Player], passes: float) -> Products:
    sums = Products(
        np.zeros((PRODUCTS, PRODUCTS)),
        np.zeros((len(Kind), LONGEST_ROW + 1, LONGEST_ROW + 1)),
    )
    numbers, record = Marriage().numbers, new_record(len(players))
    seed = block * BLOCK
    add_rounds(orders, numbers, seated(players), passes, seed, new_work(), record, *sums)
    return sums


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


# Learning.


class Blocks:
    """Plays blocks of rounds in threads and adds up what they bring, in order.

    Args:
        pool: the threads.
        total: how many rounds there will be in all.
        progress: called with the rounds played and all rounds.
    """

    def __init__(self, pool: ThreadPoolExecutor, total: int, progress: Progress | None) -> None:
        self._pool, self._total, self._progress = pool, total, progress
        self._done = 0

    def added(self, block: Callable[[int], Floats], rounds: int) -> Floats:
        """Return the sum of what all blocks of some rounds bring."""
        sums: Any = 0.0
        for products in self._pool.map(block, range(-(-rounds // BLOCK))):
            sums = sums + products
            self._done = min(self._done + BLOCK, self._total)
            if self._progress:
                self._progress(self._done, self._total)
        return np.asarray(sums)


def learn(
    steps: tuple[tuple[float, int], ...] = STEPS,
    seed: int = SEED,
    progress: Progress | None = None,
    threads: int | None = None,
    net_rounds: int = NET_ROUNDS,
) -> Floats:
    """Return (NUMBERS,) the numbers of expert, learned from nothing but the rules.

    Args:
        steps: noise and rounds of each step.
        seed: of the decks.
        progress: called with the rounds played and all rounds.
        threads: how many to use, all cores by default.
        net_rounds: rounds to learn the predicted net from.
    """
    weights = level_weights("hard")
    with ThreadPoolExecutor(threads or available_cores()) as pool:
        blocks = Blocks(pool, sum(rounds for _, rounds in steps) + net_rounds, progress)
        for step, (temperature, rounds) in enumerate(steps):
            block = partial(
                learn_block,
                weights=weights,
                temperature=temperature,
                rounds=rounds,
                seed=seed + step,
            )
            weights = slopes(blocks.added(block, rounds))[:WEIGHTS]
            weights[[*BY_RULE]] = 0.0
            weights = np.round(weights, DECIMALS)
        block = partial(net_block, weights=weights, rounds=net_rounds, seed=seed + len(steps))
        nets = net_numbers(blocks.added(block, net_rounds))
    return np.round(np.concatenate([weights, nets]), DECIMALS)


def net_numbers(products: Floats) -> Floats:
    """Return (NUMBERS - WEIGHTS,) the numbers that predict nets, from sums of products."""
    numbers = np.zeros(NUMBERS)
    for kind, row in zip(Kind, HAND_ROWS, strict=True):
        used = [*range(row + BESIDE), LONGEST_ROW]
        of_kind = products[kind][np.ix_(used, used)]
        found = numbers[KIND_STARTS[kind] : KIND_STARTS[kind + 1]]
        if kind in (Kind.PRE_SHOW_DRAW, Kind.PRE_SHOW_DISCARD):
            found[:] = slopes(of_kind)
        else:
            fives = row + Beside.FIVES
            found[:] = slopes(without_column(of_kind, fives, FIVE))
            found[fives] = FIVE
    return numbers[WEIGHTS:]
