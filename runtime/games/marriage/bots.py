"""The four levels of Marriage: one way to look at a hand, four ways to weigh it.

**The problem.**  A player decides which card to draw, which to throw, and which
melds to show.  The other hands and the stock are hidden; a round is too long to
search.  So each option is described by *features* of the hand that it leads to
(:mod:`ustad.runtime.games.marriage.ratings`), and the option with the greatest weighted
sum is played (:mod:`ustad.runtime.games.marriage.decisions`).

**The levels** are weights on these features:

- *easy* looks at the exact distance alone, through noise;
- *medium* looks at the exact distance alone;
- *hard* goes by the estimated turns; it lays dealt tanelas and shows the melds that
  leave the best finish;
- *expert* weighs all features by what they were found to be worth in net points:
  the weights are slopes learned from randomised self-play, see
  ``ustad.solver.marriage.learning``, and ship with the package.  It also tells what net to expect
  from each move (:mod:`ustad.runtime.games.marriage.expert`).

**Measured** (net points a round, four players, each deal with the hero in all four
seats, 95% intervals): medium against easy +10.2 +- 0.7, hard against easy
+16.9 +- 0.7, hard against medium +5.4 +- 0.6, expert against hard +1.46 +- 0.20,
against medium +6.9 +- 0.5, against easy +18.0 +- 0.7 (1,500 deals; against hard 8,000).
What follows was measured with
numbers learned before, under nearly the same rules of play.  The features *soon* (how
likely a show or a finish is within some turns) are much of expert's gain: without
them it was +1.3 +- 0.4.  Averaging the show and the blind discard after it over the
tiplus that can come gained nothing (+1.29 +- 0.45 with it, +1.33 +- 0.44 without): a
show is judged with putali and master as its jokers.

The same numbers play with two to five players and under all options.  Expert against hard:
+1.35 +- 0.24 at two players, +1.37 +- 0.32 at three, +1.91 +- 0.35 at five; with the tiplu
seen at once +2.05 +- 0.40, with a pure master +1.43 +- 0.39, where putali and master need a
show +2.62 +- 0.50, without dublees +0.32 +- 0.35.  Numbers learned for two, three and five
players gained nothing over these (+1.13 +- 0.24, +1.42 +- 0.31, -1.04 +- 0.35 against hard
on the same deals), so there are no others.

Everything is a function of the seat's view.  The same functions play whole rounds
in compiled code when the weights are learned.
"""

from __future__ import annotations

from pathlib import Path

from ustad.runtime.core.game import Bot
from ustad.runtime.games.marriage.expert import ExpertBot
from ustad.runtime.games.marriage.levels import MarriageBot, level_weights
from ustad.runtime.games.marriage.round.rules import Marriage
from ustad.runtime.games.marriage.values import expert_numbers


def make_bot(level: str, rules: Marriage, tables: Path | None, seed: int) -> Bot:
    """Return a bot of a level; see :meth:`ustad.runtime.core.game.GameType.bot`."""
    del rules
    if level == "expert":
        return ExpertBot(seed, expert_numbers(tables))
    return MarriageBot(level, seed, level_weights(level))
