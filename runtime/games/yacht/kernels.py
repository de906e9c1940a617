"""Which flat functions of yacht are compiled, for the solver."""

from __future__ import annotations

from ustad.runtime.core.kernels import callable_from_compiled, compiled
from ustad.runtime.games.yacht import rules, states

callable_from_compiled(rules.five_equal, rules.box_points, rules.has_jokers, states.lower_set)

write_points = compiled(rules.write_points)
extra_points = compiled(rules.extra_points)
upper_after = compiled(rules.upper_after)
upper_points = compiled(rules.upper_points)
yacht_after = compiled(rules.yacht_after)
state_number = compiled(states.state_number)
