"""Which functions of Marriage are compiled, for bots and learner; they are plain Python too."""

from __future__ import annotations

from inspect import isfunction

from ustad.runtime.core.kernels import callable_from_compiled, compiled
from ustad.runtime.games.marriage import decisions, features
from ustad.runtime.games.marriage.cards import cards, finishes, maal, shows
from ustad.runtime.games.marriage.round import course, known, settlement

for module in (cards, maal, shows, finishes, course, known, settlement, features, decisions):
    functions = (one for one in vars(module).values() if isfunction(one))
    callable_from_compiled(*(one for one in functions if one.__module__ == module.__name__))

show_distance = compiled(shows.show_distance)
search_finish = compiled(finishes.search_finish)
KERNELS = decisions.Kernels(
    compiled(features.rate_before_show), compiled(features.rate_after_show), search_finish
)
