"""Which flat functions of Marriage are compiled, for bots and learner."""

from __future__ import annotations

from ustad.runtime.core.kernels import callable_from_compiled, compiled
from ustad.runtime.games.marriage import decisions, features
from ustad.runtime.games.marriage.cards import cards, finishes, maal, shows

callable_from_compiled(
    cards.how_many,
    maal.poplu,
    maal.jhiplu,
    maal.alter,
    maal.joker_mask,
    maal.copies_pay,
    maal.marriage_points,
    maal.laid_points,
    maal.maal_points,
    maal.maal_of_card,
    shows.suit_key,
    shows.suit_covers,
    shows.remembered_covers,
    shows.add_covers,
    shows.max_covers,
    shows.putali_covers,
    shows.dublee_count,
    shows.show_distance,
    finishes.run_outs,
    finishes.other_suits,
    finishes._add_group,
    finishes._fits,
    finishes._distance,
    finishes.list_groups,
    finishes.search_finish,
    features.step_turns,
    features.estimated_turns,
    features.before_row,
    features.add_neighbours,
    features.after_row,
    features.take_row,
    features.take_row_after,
    features.told_row,
    features.rate_before_show,
    features.rate_after_show,
    decisions.weigh,
    decisions.mixed,
    decisions.noise,
    decisions.best_row,
    decisions.least_maal,
    decisions.choose_take_before,
    decisions.choose_take_after,
    decisions.list_pure,
    decisions.take_cards,
    decisions.rate_blind,
    decisions.choose_show,
    decisions.dublee_show_value,
    decisions.tanelas_laid,
    decisions.lay_is_good,
    decisions.finish_discard,
    decisions.joker_is_good,
    decisions.take_or_not,
    decisions.decide_after,
    decisions.decide,
)

show_distance = compiled(shows.show_distance)
search_finish = compiled(finishes.search_finish)
RATINGS = decisions.Ratings(compiled(features.rate_before_show), compiled(features.rate_after_show))
