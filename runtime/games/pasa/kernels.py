"""Which flat functions of pasa are compiled, for the solver."""

from __future__ import annotations

from ustad.runtime.core.kernels import compiled
from ustad.runtime.games.pasa import levels, rules

most_allowed = compiled(rules.most_allowed)
next_bet = compiled(rules.next_bet)
is_ahead = compiled(levels.is_ahead)
smallest_best = compiled(levels.smallest_best)
