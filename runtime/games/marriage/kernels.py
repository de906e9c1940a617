"""Which flat functions of Marriage are compiled, for bots and learner."""

from __future__ import annotations

from ustad.runtime.core.kernels import callable_from_compiled, compiled
from ustad.runtime.games.marriage.cards import melds

callable_from_compiled(
    melds.how_many,
    melds.poplu,
    melds.jhiplu,
    melds.alter,
    melds.joker_mask,
    melds.copies_pay,
    melds.marriage_points,
    melds.laid_points,
    melds.maal_points,
    melds.suit_key,
    melds.suit_covers,
    melds.remembered_covers,
    melds.add_covers,
    melds.max_covers,
    melds.putali_covers,
    melds.dublee_count,
    melds.run_outs,
    melds.other_suits,
    melds._add_group,
    melds._fits,
    melds._distance,
    melds.list_groups,
    melds.search_finish,
    melds.show_distance,
)

show_distance = compiled(melds.show_distance)
search_finish = compiled(melds.search_finish)
