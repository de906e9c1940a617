"""How strong the levels of Marriage are, and how well expert predicts nets."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import ustad.runtime.games.marriage.kernels  # noqa: F401  # lets compiled code call the rules
from ustad.runtime.core.kernels import compiled
from ustad.runtime.core.work import Progress
from ustad.runtime.games.marriage.cards.cards import Floats
from ustad.runtime.games.marriage.decisions import FIRST_OF_EQUALS, Player, weigh
from ustad.runtime.games.marriage.features import new_work
from ustad.runtime.games.marriage.levels import level_weights, player_of
from ustad.runtime.games.marriage.round.rules import Marriage
from ustad.runtime.games.marriage.states import KIND_STARTS, WEIGHTS
from ustad.runtime.games.marriage.tables import shipped_numbers
from ustad.solver.marriage.learning import DECK, DEFAULT, PLAYERS
from ustad.solver.marriage.records import Played, Record, new_record
from ustad.solver.marriage.rounds import Notes, play_round, seated

FIRST, ANY = "expert, first of equals", "expert, any of equals"
"""What else can be measured: expert playing, of moves that are equally good, always the first,
or one that another seed picks."""


def player(name: str, numbers: Floats, seed: int) -> Player:
    """Return how a level, FIRST or ANY plays; ``seed``, not 0, picks one of equals for ANY."""
    if name not in ("expert", FIRST, ANY):
        return player_of(name, level_weights(name), 0)
    picks = {FIRST: FIRST_OF_EQUALS, ANY: seed}
    return player_of("expert", numbers[:WEIGHTS], 0)._replace(seed=picks.get(name, 0))


def measure(
    hero: str,
    others: str,
    deals: int,
    seed: int,
    players: int = PLAYERS,
    numbers: Floats | None = None,
    rules: Marriage = DEFAULT,
    progress: Progress | None = None,
) -> tuple[float, float]:
    """Return how many net points a round a level wins against others, and the 95% half-width.

    Each deal, its deck and so its tiplu fixed, is played with the hero in every
    seat; all against themselves win exactly 0, for the nets of a deal sum to zero.

    Args:
        hero: a level, FIRST or ANY.
        others: the same of all other seats.
        deals: how many.
        seed: of the decks and of the noise of easy.
        players: how many seats.
        numbers: of expert, those that ship by default.
        rules: with their options.
        progress: called with the deals played and all deals.
    """
    if numbers is None:
        numbers = shipped_numbers()
    work, record = new_work(), new_record(players)
    means = np.zeros(deals)
    for deal in range(deals):
        order = np.random.default_rng((seed, deal)).permutation(DECK)
        for seat in range(players):
            table = seated(
                [
                    player(hero if other == seat else others, numbers, deal + 1)
                    for other in range(players)
                ]
            )
            play_round(order, 0, rules.numbers, table, Notes.NOTHING, deal, work, record)
            means[deal] += record.net[seat] / players
        if progress:
            progress(deal + 1, deals)
    return float(means.mean()), float(1.96 * means.std(ddof=1) / np.sqrt(deals))


class Errors(NamedTuple):
    """By how much nets are predicted too high for one sort of move.

    Attributes:
        mean: predicted less realised, in net points.
        half_width: of its 95% interval, rounds counting as independent of each other alone.
        moves: how many were played.
    """

    mean: float
    half_width: float
    moves: int


def prediction_errors(
    rounds: int,
    seed: int,
    players: int = PLAYERS,
    rules: Marriage = DEFAULT,
    numbers: Floats | None = None,
) -> dict[str, Errors]:
    """Return how much more net expert predicts for the moves that it plays than it realises.

    Args:
        rounds: how many rounds of experts.
        seed: of the decks.
        players: how many seats.
        rules: with their options.
        numbers: of expert, those that ship by default.

    Returns:
        For each sort of move that was played, see :class:`ustad.solver.marriage.records.Played`.
        A stock that is told a little higher, since the weights prefer it to a pile that is
        predicted to bring more, counts as it is predicted.
    """
    return errors_of(error_sums(rounds, seed, players, rules, numbers))


def error_sums(
    rounds: int,
    seed: int,
    players: int = PLAYERS,
    rules: Marriage = DEFAULT,
    numbers: Floats | None = None,
) -> NDArray[np.float64]:
    """Return (rounds, sorts of moves, 2) the sums of errors, and how many moves there were."""
    if numbers is None:
        numbers = shipped_numbers()
    experts = seated([player("expert", numbers, 0)] * players)
    work, record, found = new_work(), new_record(players), np.zeros((rounds, len(Played), 2))
    for number in range(rounds):
        order = np.random.default_rng((seed, number)).permutation(DECK)
        play_round(order, 0, rules.numbers, experts, Notes.ALL, number, work, record)
        add_errors(found[number], record, numbers)
    return found


@compiled
def add_errors(sums: Floats, record: Record, numbers: Floats) -> None:
    """Add to (sorts of moves, 2) the errors of a round, and how many moves there were."""
    others = len(record.net) - 1
    for seat in range(len(record.net)):
        for at in range(record.moves[seat]):
            line = record.lines[seat, at]
            if line < record.noted[seat]:
                first = KIND_STARTS[record.kinds[seat, line]]
                size = KIND_STARTS[record.kinds[seat, line] + 1] - first
                predicted = weigh(record.predictors[seat, line, :size], numbers, first)
                sums[record.played[seat, at], 0] += others * predicted - record.net[seat]
                sums[record.played[seat, at], 1] += 1.0


def errors_of(sums: NDArray[np.float64]) -> dict[str, Errors]:
    """Return the errors of each sort of move from the sums of rounds; see :func:`error_sums`."""
    found = {}
    for sort in Played:
        of_round, moves = sums[:, sort, 0], sums[:, sort, 1]
        if many := int(moves.sum()):
            mean = of_round.sum() / many
            spread = np.sqrt(((of_round - mean * moves) ** 2).sum()) / many
            name = sort.name.lower()
            found[name] = Errors(float(mean), float(1.96 * spread), many)
    return found
