"""Which flat functions of Raja Pasu are compiled, for the solver."""

from __future__ import annotations

from ustad.runtime.core.kernels import callable_from_compiled, compiled
from ustad.runtime.games.raja_pasu import rules, states

callable_from_compiled(
    rules.note, rules.sow_laps, rules.copy_holes, rules.same_holes, rules.play_watched
)

play_hole = compiled(rules.play_hole)
touched_code = compiled(states.touched_code)
