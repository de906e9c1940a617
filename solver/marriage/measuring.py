"""How strong the levels of Marriage are, and how well expert predicts nets."""

from __future__ import annotations

import numpy as np

from ustad.runtime.core.work import Progress
from ustad.runtime.games.marriage.cards.cards import Floats
from ustad.runtime.games.marriage.expert import ExpertBot
from ustad.runtime.games.marriage.features import new_work
from ustad.runtime.games.marriage.kernels import KERNELS
from ustad.runtime.games.marriage.levels import level_weights, player_of
from ustad.runtime.games.marriage.round.moves import Finish, Lay, Show, ShowDublees
from ustad.runtime.games.marriage.round.rules import Marriage
from ustad.runtime.games.marriage.states import WEIGHTS
from ustad.runtime.games.marriage.tables import shipped_numbers
from ustad.solver.marriage.learning import DECK, PLAYERS
from ustad.solver.marriage.records import new_record
from ustad.solver.marriage.rounds import play_round, seated

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
    if numbers is None:
        numbers = shipped_numbers()
    hero_plays, others_play = (
        player_of(level, numbers[:WEIGHTS] if level == "expert" else level_weights(level), 0)
        for level in (hero, others)
    )
    tables = [
        seated([hero_plays if other == seat else others_play for other in range(players)])
        for seat in range(players)
    ]
    work, record = new_work(), new_record(players)
    means = np.zeros(deals)
    for deal in range(deals):
        order = np.random.default_rng((seed, deal)).permutation(DECK)
        for seat, at_table in enumerate(tables):
            play_round(order, 0, rules.numbers, at_table, 0.0, deal, work, record)
            means[deal] += record.net[seat] / players
        if progress:
            progress(deal + 1, deals)
    return float(means.mean()), float(1.96 * means.std(ddof=1) / np.sqrt(deals))


def prediction_errors(
    rounds: int, seed: int, players: int = PLAYERS, rules: Marriage = DEFAULT
) -> dict[str, tuple[float, float]]:
    """Return how much more net expert predicts than it realises, and the 95% half-widths.

    Args:
        rounds: how many rounds of experts.
        seed: of the decks.
        players: how many seats.
        rules: with their options.

    Returns:
        For the first decision of a seat, and for its shows, finishes and tanelas laid, the
        mean and the half-width.
    """
    bot = ExpertBot(shipped_numbers(), KERNELS)
    names = {Show: "show", ShowDublees: "show", Finish: "finish", Lay: "lay"}
    errors: dict[str, list[float]] = {"first": [], "show": [], "finish": [], "lay": []}
    for number in range(rounds):
        state = rules.deal(players, (seed, number))
        predicted: list[tuple[str, int, float]] = []
        begun: set[int] = set()
        while not state.is_over():
            seat = state.current_player()
            view = state.view(seat)
            move = bot.choose(view)
            if seat not in begun or type(move) in names:
                net = bot.ask(view).value or 0.0
                if seat not in begun:
                    predicted.append(("first", seat, net))
                    begun.add(seat)
                if type(move) in names:
                    predicted.append((names[type(move)], seat, net))
            state = state.apply(move)
        net_of = state.returns()
        for name, seat, net in predicted:
            errors[name].append(net - net_of[seat])
    return {
        name: (float(np.mean(found)), float(1.96 * np.std(found, ddof=1) / np.sqrt(len(found))))
        for name, found in errors.items()
        if len(found) > 1
    }
