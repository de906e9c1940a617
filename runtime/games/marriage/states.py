"""The learned numbers of Marriage: what each is a number of."""

from __future__ import annotations

from ustad.runtime.games.marriage.cards.cards import CARDS

NOTHING = CARDS
"""The row of a rating for the hand as it is, nothing thrown."""

# Features of a hand before the show.
BEFORE_NAMES = (
    "distance",
    "turns",
    "distance is 1",
    "distance is 2",
    "distance is 3",
    "outs at distance 1",
    "outs at distance 2",
    "outs at distance 3 or more",
    "four dublees",
    "five dublees",
    "six dublees",
    "dublee outs at five",
    "dublee outs at six",
    "turns, somebody has shown",
    "distance is 1, somebody has shown",
    "distance is 2, somebody has shown",
    "outs at distance 1, somebody has shown",
    "six dublees, somebody has shown",
    "live neighbours of the card thrown, distance 1",
    "live neighbours of the card thrown, distance 2 or more",
    "own neighbours of the card thrown",
    "own cards of the rank thrown, other suits",
    "show soon",
    "show soon, somebody has shown",
    "other route soon",
    "can show",
)
BEFORE = len(BEFORE_NAMES)
TAKE_BEFORE_NAMES = (
    "take",
    "take, distance falls",
    "take, somebody has shown",
    "take, distance falls, somebody has shown",
    "take, distance falls from 3 or more, somebody has shown",
    "take a putali or master",
)
TAKE_BEFORE = len(TAKE_BEFORE_NAMES)
# Features of a hand after the show.
AFTER_NAMES = (
    "distance",
    "turns",
    "distance is 1",
    "distance is 2",
    "distance is 3",
    "outs at distance 1",
    "outs at distance 2",
    "outs at distance 3 or more",
    "finish soon",
    "can finish",
)
AFTER = len(AFTER_NAMES)
TAKE_AFTER_NAMES = ("take", "take, distance falls", "take a joker", "maal of the card taken")
TAKE_AFTER = len(TAKE_AFTER_NAMES)

# One vector of weights: four decisions, each with its own.
DISCARD_BEFORE = 0
DRAW_BEFORE = DISCARD_BEFORE + BEFORE
DISCARD_AFTER = DRAW_BEFORE + BEFORE + TAKE_BEFORE
DRAW_AFTER = DISCARD_AFTER + AFTER
WEIGHTS = DRAW_AFTER + AFTER + TAKE_AFTER

FEATURE_NAMES = (
    *(f"discard before the show: {name}" for name in BEFORE_NAMES),
    *(f"draw before the show: {name}" for name in (*BEFORE_NAMES, *TAKE_BEFORE_NAMES)),
    *(f"discard after the show: {name}" for name in AFTER_NAMES),
    *(f"draw after the show: {name}" for name in (*AFTER_NAMES, *TAKE_AFTER_NAMES)),
)


DRAW_UNSHOWN, DISCARD_UNSHOWN, SHOW, DRAW_SHOWN, DISCARD_SHOWN, FINISH = range(6)
KIND_NAMES = (
    "draw before the show",
    "discard before the show",
    "show",
    "draw after the show",
    "discard after the show",
    "finish",
)
"""The kinds of decisions.  A discard that does not see the tiplu yet is one of a show."""

TOLD_NAMES = (
    "maal",
    "fives paid for tanelas laid",
    "share of opponents that have shown",
    "stock, in tens of cards a player",
    "dublees shown",
    "the tiplu is seen at once",
    "always",
)
"""What beside the hand a net is told by."""
TOLD = len(TOLD_NAMES)
TOLD_LAID = 1
"""The place of the fives among them."""
MOST_TOLD = BEFORE + TOLD

KIND_ROWS = (BEFORE, BEFORE, AFTER, AFTER, AFTER, 0)
"""How many features of the hand each kind is told by; those of a draw are the hand's."""
KIND_STARTS = tuple(
    WEIGHTS + sum(row + TOLD for row in KIND_ROWS[:kind]) for kind in range(len(KIND_ROWS) + 1)
)
NUMBERS = KIND_STARTS[-1]

_ROW_NAMES = {BEFORE: BEFORE_NAMES, AFTER: AFTER_NAMES, 0: ()}
NUMBER_NAMES = (
    *FEATURE_NAMES,
    *(
        f"net, {name}: {feature}"
        for name, row in zip(KIND_NAMES, KIND_ROWS, strict=True)
        for feature in (*_ROW_NAMES[row], *TOLD_NAMES)
    ),
)
