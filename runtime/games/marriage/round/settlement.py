"""Settlement."""

from __future__ import annotations

from collections.abc import Sequence

from ustad.runtime.games.marriage.cards.cards import PUTALI, Cards, counts_of
from ustad.runtime.games.marriage.cards.maal import maal_points
from ustad.runtime.games.marriage.round.options import MarriageRules
from ustad.runtime.games.marriage.round.public import Seat

SHOWN_PAYS, UNSHOWN_PAYS, DUBLEE_PAYS = 3, 10, 5


def player_maal(
    rules: MarriageRules, seat: Seat, hand: Cards, tiplu: int | None, any_shown: bool
) -> int:
    """Return the maal of a seat at the end of a round.

    Args:
        rules: with their options.
        seat: what lies before it on the table.
        hand: the cards it still holds.
        tiplu: the tiplu of the round, None if none was drawn.
        any_shown: whether anybody showed in this round.
    """
    sees = seat.shown and tiplu is not None
    return int(
        maal_points(
            counts_of(hand + seat.cards),
            tiplu if sees and tiplu is not None else -1,
            len(seat.laid),
            (PUTALI,) * 3 in seat.laid,
            seat.shown or not any_shown or not rules.numbers.printed_need_show,
            sees or not rules.numbers.laid_need_tiplu,
        )
    )


def payments(
    maal: Sequence[int], has_shown: Sequence[bool], finisher: int | None, by_dublee: bool
) -> tuple[int, ...]:
    """Return what each seat wins in a round; the sum is zero.

    Args:
        maal: the maal of each seat, already what counts for it.
        has_shown: whether each seat has shown.
        finisher: who finished, None if the stock was used up.
        by_dublee: whether the finish was an eighth dublee.
    """
    net = [len(maal) * own - sum(maal) for own in maal]
    if finisher is not None:
        for seat, has in enumerate(has_shown):
            if seat != finisher:
                paid = (SHOWN_PAYS if has else UNSHOWN_PAYS) + DUBLEE_PAYS * by_dublee
                net[seat] -= paid
                net[finisher] += paid
    return tuple(net)
