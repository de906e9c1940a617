"""How strong a level of Marriage is: net points a round against another level."""

from __future__ import annotations

import numpy as np

from ustad.runtime.core.work import Progress
from ustad.runtime.games.marriage.cards.cards import Floats
from ustad.runtime.games.marriage.decisions import work_space
from ustad.runtime.games.marriage.levels import STYLES, level_weights
from ustad.runtime.games.marriage.round.rules import Marriage
from ustad.runtime.games.marriage.states import WEIGHTS
from ustad.runtime.games.marriage.tables import shipped_numbers
from ustad.solver.marriage.learning import DECK, PLAYERS
from ustad.solver.marriage.rounds import new_record, play_round

DEFAULT = Marriage()


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
        hero: a level.
        others: the level of all other seats.
        deals: how many.
        seed: of the decks and of the noise of easy.
        players: how many seats.
        numbers: of expert, those that ship by default.
        rules: with their options.
        progress: called with the deals played and all deals.
    """
    known = shipped_numbers() if numbers is None and "expert" in (hero, others) else numbers
    pair = (hero, others)
    styles = [STYLES[level] for level in pair]
    weights = np.array(
        [
            level_weights(level) if level != "expert" or known is None else known[:WEIGHTS]
            for level in pair
        ]
    )
    temperatures = np.array([style.temperature for style in styles])
    lays = np.array([int(style.lays) for style in styles])
    finds_best = np.array([int(style.finds_best) for style in styles])
    work = work_space()
    net = np.zeros(players, dtype=np.int64)
    notes = np.zeros((players, 4), dtype=np.int64)
    record = new_record(players)
    means = np.zeros(deals)
    for deal in range(deals):
        order = np.random.default_rng((seed, deal)).permutation(DECK)
        for seat in range(players):
            who = np.array([0 if other == seat else 1 for other in range(players)])
            play_round(
                order,
                players,
                0,
                rules.numbers,
                weights[who],
                temperatures[who],
                lays[who],
                finds_best[who],
                0.0,
                deal,
                work,
                record,
                net,
                notes,
            )
            means[deal] += net[seat] / players
        if progress:
            progress(deal + 1, deals)
    return float(means.mean()), float(1.96 * means.std(ddof=1) / np.sqrt(deals))
