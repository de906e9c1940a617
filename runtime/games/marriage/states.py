"""The learned numbers of Marriage: what each is a number of, and where it stands.

All numbers are one float64 vector.  It begins with the *weights* of features, for four
decisions: what to discard and whether to take the pile's card, before the show and after it.
Then follow, for each *kind* of decision, the numbers by which the net is predicted: those of
the hand's features, and of what is known beside them (:class:`Beside`).
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from ustad.runtime.games.marriage.cards.cards import CARDS

NOTHING = CARDS
"""The row of a rating for the hand as it is, nothing discarded."""


class Feature(IntEnum):
    """A number of a row: its place, and ``label``, what it is called in the table."""

    label: str

    def __new__(cls, place: int, label: str) -> Feature:
        """Return the feature at a place."""
        made = int.__new__(cls, place)
        made._value_ = place
        made.label = label
        return made


class PreShow(Feature):
    """A hand before the show."""

    DISTANCE = 0, "distance"
    TURNS = 1, "turns"
    DISTANCE_1 = 2, "distance is 1"
    DISTANCE_2 = 3, "distance is 2"
    DISTANCE_3 = 4, "distance is 3"
    OUTS_1 = 5, "outs at distance 1"
    OUTS_2 = 6, "outs at distance 2"
    OUTS_3 = 7, "outs at distance 3 or more"
    FOUR_DUBLEES = 8, "four dublees"
    FIVE_DUBLEES = 9, "five dublees"
    SIX_DUBLEES = 10, "six dublees"
    DUBLEE_OUTS_5 = 11, "dublee outs at five"
    DUBLEE_OUTS_6 = 12, "dublee outs at six"
    TURNS_SHOWN = 13, "turns, somebody has shown"
    DISTANCE_1_SHOWN = 14, "distance is 1, somebody has shown"
    DISTANCE_2_SHOWN = 15, "distance is 2, somebody has shown"
    OUTS_1_SHOWN = 16, "outs at distance 1, somebody has shown"
    SIX_DUBLEES_SHOWN = 17, "six dublees, somebody has shown"
    LIVE_1 = 18, "live neighbours of the card thrown, distance 1"
    LIVE_2 = 19, "live neighbours of the card thrown, distance 2 or more"
    OWN_NEIGHBOURS = 20, "own neighbours of the card thrown"
    OWN_RANK = 21, "own cards of the rank thrown, other suits"
    SOON = 22, "show soon"
    SOON_SHOWN = 23, "show soon, somebody has shown"
    OTHER_SOON = 24, "other route soon"
    CAN_SHOW = 25, "can show"


class PreShowTake(Feature):
    """What taking the pile's card changes before the show; behind the changes of PreShow."""

    TAKE = 26, "take"
    FALLS = 27, "take, distance falls"
    SHOWN = 28, "take, somebody has shown"
    FALLS_SHOWN = 29, "take, distance falls, somebody has shown"
    FALLS_FAR_SHOWN = 30, "take, distance falls from 3 or more, somebody has shown"
    PRINTED = 31, "take a putali or master"


class PostShow(Feature):
    """A hand after the show."""

    DISTANCE = 0, "distance"
    TURNS = 1, "turns"
    DISTANCE_1 = 2, "distance is 1"
    DISTANCE_2 = 3, "distance is 2"
    DISTANCE_3 = 4, "distance is 3"
    OUTS_1 = 5, "outs at distance 1"
    OUTS_2 = 6, "outs at distance 2"
    OUTS_3 = 7, "outs at distance 3 or more"
    SOON = 8, "finish soon"
    CAN_FINISH = 9, "can finish"


class PostShowTake(Feature):
    """What taking the pile's card changes after the show; behind the changes of PostShow."""

    TAKE = 10, "take"
    FALLS = 11, "take, distance falls"
    JOKER = 12, "take a joker"
    MAAL = 13, "maal of the card taken"


PRE_SHOW, POST_SHOW = len(PreShow), len(PostShow)
"""How long the row of a hand is."""
PRE_SHOW_TAKE = PRE_SHOW + len(PreShowTake)
POST_SHOW_TAKE = POST_SHOW + len(PostShowTake)
"""How long the row of a draw is."""


class Weights(IntEnum):
    """Where the weights of each decision begin."""

    PRE_SHOW_DISCARD = 0
    PRE_SHOW_DRAW = PRE_SHOW
    POST_SHOW_DISCARD = PRE_SHOW + PRE_SHOW_TAKE
    POST_SHOW_DRAW = PRE_SHOW + PRE_SHOW_TAKE + POST_SHOW


WEIGHTS = int(Weights.POST_SHOW_DRAW) + POST_SHOW_TAKE
"""How many weights there are."""


class Kind(Feature):
    """The kinds of moves whose nets are learned, each with numbers of its own.

    A card taken from the pile and a tanela laid are worth what the best move after them is; a
    discard that does not see the tiplu yet leaves a hand as a show does.
    """

    PRE_SHOW_STOCK = 0, "stock before the show"
    PRE_SHOW_DISCARD = 1, "discard before the show"
    SHOW = 2, "show"
    POST_SHOW_STOCK = 3, "stock after the show"
    POST_SHOW_DISCARD = 4, "discard after the show"
    FINISH = 5, "finish"


class Beside(Feature):
    """What beside the hand a net is predicted by; the places are those behind its features."""

    MAAL = 0, "maal"
    FIVES = 1, "fives for tanelas laid, if the tiplu is seen"
    CERTAIN_FIVES = 2, "fives for tanelas laid"
    OTHERS_SHOWN = 3, "share of opponents that have shown"
    STOCK = 4, "stock, in tens of cards a player"
    DUBLEES = 5, "dublees shown"
    FIRST = 6, "before the first draw"
    TWO_PLAYERS = 7, "two players"
    THREE_PLAYERS = 8, "three players"
    FIVE_PLAYERS = 9, "five players"
    NO_DUBLEES = 10, "no show of dublees"
    PURE_MASTER = 11, "the master is pure"
    SEE_AT_ONCE = 12, "the tiplu is seen at once"
    PRINTED_NEED_SHOW = 13, "putali and master need a show"
    LAID_PAY_ALWAYS = 14, "tanelas laid need no tiplu"
    ALWAYS = 15, "always"


BESIDE = len(Beside)
HAND_FEATURES: tuple[type[Feature] | None, ...] = (
    PreShow, PreShow, PostShow, PostShow, PostShow, None,
)  # fmt: skip
"""By which features of the hand each kind is predicted: of the hand that the move leaves."""
HAND_ROWS = tuple(len(row) if row else 0 for row in HAND_FEATURES)
LONGEST_ROW = PRE_SHOW + BESIDE
"""How many numbers at most predict a net."""
KIND_STARTS = np.array(
    [WEIGHTS + sum(row + BESIDE for row in HAND_ROWS[:kind]) for kind in range(len(Kind) + 1)]
)
"""Where the numbers of each kind begin, and the end of the last."""
NUMBERS = int(KIND_STARTS[len(Kind)])

FEATURE_NAMES = (
    *(f"discard before the show: {one.label}" for one in PreShow),
    *(f"draw before the show: {one.label}" for one in (*PreShow, *PreShowTake)),
    *(f"discard after the show: {one.label}" for one in PostShow),
    *(f"draw after the show: {one.label}" for one in (*PostShow, *PostShowTake)),
)
NUMBER_NAMES = (
    *FEATURE_NAMES,
    *(
        f"net, {kind.label}: {one.label}"
        for kind, row in zip(Kind, HAND_FEATURES, strict=True)
        for one in (*(row or ()), *Beside)
    ),
)
