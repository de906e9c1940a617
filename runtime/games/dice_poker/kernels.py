"""Which flat functions of dice poker are compiled, for the solver."""

from __future__ import annotations

from ustad.runtime.core.kernels import callable_from_compiled, compiled
from ustad.runtime.games.dice_poker import rules, states

callable_from_compiled(states.part_count)

writable_rows = compiled(rules.writable_rows)
may_pass = compiled(rules.may_pass)
bonus_points = compiled(rules.bonus_points)
state_number = compiled(states.state_number)
