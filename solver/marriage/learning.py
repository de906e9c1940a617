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
knows after a move, one for each kind of move.  The rounds are of the learned weights
themselves, of two to five players, most of them under the default options and the others with
one option changed; each number of players and each option has an intercept of its own.  In
every other round one decision is another than the seat would make: it draws from the other
place, or passes over a show, a finish or a tanela.  Of such a round only what comes from there
on is noted, so that all that is learned is the net of playing on by the weights.

Rounds are played in blocks, each with sums of its own, added in order; the numbers
are rounded to ``DECIMALS``: they are the same for any number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from ustad.runtime.games.marriage.round.options import OPTIONS, RuleNumbers
from ustad.runtime.games.marriage.round.rules import RULES, Marriage
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
from ustad.solver.marriage.rounds import Notes, Players, play_round, seated

DEFAULT = Marriage()
DECK: Ints = np.repeat(np.arange(CARDS), COPIES)

SEED = 2026
PLAYERS = 4
STEPS = ((1.0, 64_000), (2.0, 64_000))
"""The noise and the rounds of each step; the noise of the first is in turns, of the next in
net points."""


class NetRounds(NamedTuple):
    """From how many rounds of each number of players nets are learned.

    Attributes:
        default: under the default options.
        changed: with an option changed.
        pure_master: with ``master_is_pure``, whose rounds take ten times as long.
    """

    default: int
    changed: int
    pure_master: int

    @property
    def total(self) -> int:
        """All of them."""
        return sum(lot.rounds for lot in lots(self))


NET_ROUNDS = NetRounds(3000, 500, 60)
BLOCK = 500
RIDGE = 1e-3
NET_RIDGE = 1e-6
DECIMALS = 4
LEAST_SPREAD = 1e-7
"""A feature whose mean square is less cannot be learned and weighs nothing."""
FIVE = 5.0
"""What a five paid for laying is worth where it is known to be paid."""

OPTION_SETS: tuple[dict[str, Any], ...] = (
    {},
    *({one.name: other} for one in OPTIONS for other in one.choices if other != one.default),
)
"""The default options, and each option changed alone."""


class Lot(NamedTuple):
    """Rounds of one number of players under some options, at most BLOCK of them."""

    options: dict[str, Any]
    players: int
    rounds: int


def lots(rounds: NetRounds) -> list[Lot]:
    """Return the lots of a step in which nets are learned."""
    found = []
    for options in OPTION_SETS:
        many = rounds.changed if options else rounds.default
        if options.get("master_is_pure"):
            many = rounds.pure_master
        for players in range(RULES.seats.least, RULES.seats.most + 1):
            sizes = [BLOCK] * (many // BLOCK) + [many % BLOCK]
            found += [Lot(options, players, size) for size in sizes if size]
    return found


ROUNDS = sum(rounds for _, rounds in STEPS) + NET_ROUNDS.total
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
    notes: bool,
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
        notes: whether ``net_products`` is added to; then every other round explores.
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
        of_nets = Notes.NOTHING
        if notes:
            of_nets = Notes.ALL if number % 2 == 0 else Notes.EXPLORED
        play_round(orders[number], 0, numbers, players, of_nets, seed + number, work, record)
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
    player = player_of("expert", weights, 0)._replace(temperature=temperature)
    players = [player] * PLAYERS
    return _block(block, decks(block, rounds, seed), players, DEFAULT.numbers, False).features


def net_block(block: int, todo: list[Lot], weights: Floats, seed: int) -> Floats:
    """Return the products of what a net is predicted by from one lot of rounds."""
    lot = todo[block]
    players = [player_of("expert", weights, 0)] * lot.players
    orders = decks(block, block * BLOCK + lot.rounds, seed)
    return _block(block, orders, players, RULES.read(lot.options).numbers, True).nets


class Products(NamedTuple):
    """Sums of products: of the features, and by kind of the predictors of nets."""

    features: Floats
    nets: Floats


def _block(
    block: int, orders: Ints, players: list[Player], numbers: RuleNumbers, notes: bool
) -> Products:
    sums = Products(
        np.zeros((PRODUCTS, PRODUCTS)),
        np.zeros((len(Kind), LONGEST_ROW + 1, LONGEST_ROW + 1)),
    )
    record, seed = new_record(len(players)), block * BLOCK
    add_rounds(orders, numbers, seated(players), notes, seed, new_work(), record, *sums)
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

    def added(self, play: Callable[[int], Floats], rounds: Sequence[int]) -> Floats:
        """Return the sum of what blocks of so many rounds bring; ``play`` gets their numbers."""
        sums: Any = 0.0
        played = self._pool.map(play, range(len(rounds)))
        for products, many in zip(played, rounds, strict=True):
            sums = sums + products
            self._done += many
            if self._progress:
                self._progress(self._done, self._total)
        return np.asarray(sums)


def learn(
    steps: tuple[tuple[float, int], ...] = STEPS,
    seed: int = SEED,
    progress: Progress | None = None,
    threads: int | None = None,
    net_rounds: NetRounds = NET_ROUNDS,
) -> Floats:
    """Return (NUMBERS,) the numbers of expert, learned from nothing but the rules.

    Args:
        steps: noise and rounds of each step.
        seed: of the decks.
        progress: called with the rounds played and all rounds.
        threads: how many to use, all cores by default.
        net_rounds: the rounds from which the predicted net is learned.
    """
    weights = level_weights("hard")
    with ThreadPoolExecutor(threads or available_cores()) as pool:
        total = sum(rounds for _, rounds in steps) + net_rounds.total
        blocks = Blocks(pool, total, progress)
        for step, (temperature, rounds) in enumerate(steps):
            block = partial(
                learn_block,
                weights=weights,
                temperature=temperature,
                rounds=rounds,
                seed=seed + step,
            )
            sizes = [min(BLOCK, rounds - first) for first in range(0, rounds, BLOCK)]
            weights = slopes(blocks.added(block, sizes))[:WEIGHTS]
            weights[[*BY_RULE]] = 0.0
            weights = np.round(weights, DECIMALS)
        todo = lots(net_rounds)
        block = partial(net_block, todo=todo, weights=weights, seed=seed + len(steps))
        nets = net_numbers(blocks.added(block, [lot.rounds for lot in todo]))
    return np.round(np.concatenate([weights, nets]), DECIMALS)


def net_numbers(products: Floats) -> Floats:
    """Return (NUMBERS - WEIGHTS,) the numbers that predict nets, from sums of products.

    A five that is paid for certain is worth 5.  What another may be worth is learned from
    discards alone, so that a tanela laid adds as much to the stock as to the pile.
    """
    numbers = np.zeros(NUMBERS)
    uncertain = 0.0
    for kind in sorted(Kind, key=lambda kind: kind == Kind.PRE_SHOW_STOCK):
        row = HAND_ROWS[kind]
        used = [*range(row + BESIDE), LONGEST_ROW]
        known = {row + Beside.CERTAIN_FIVES: FIVE}
        if kind == Kind.PRE_SHOW_STOCK:
            known[row + Beside.FIVES] = uncertain
        of_kind = products[kind][np.ix_(used, used)]
        for column, slope in known.items():
            of_kind = without_column(of_kind, column, slope)
        found = numbers[KIND_STARTS[kind] : KIND_STARTS[kind + 1]]
        found[:] = slopes(of_kind, NET_RIDGE)
        for column, slope in known.items():
            found[column] = slope
        if kind == Kind.PRE_SHOW_DISCARD:
            uncertain = float(found[row + Beside.FIVES])
    return numbers[WEIGHTS:]
