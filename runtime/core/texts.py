"""What the sentences of all games share: advice for people."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import fill
from typing import Any

from ustad.runtime.core.entry import Text
from ustad.runtime.core.facts import Numbers, Reasons, words
from ustad.runtime.core.game import Advice


def advice_text(
    text: Text[Any, Any],
    advice: Advice[Any],
    top: int | None = None,
    asked: Any = None,
    reasons: Reasons[Any] | None = None,
) -> str:
    """Return advice as text: the best move, then every move with what it costs.

    Args:
        text: the game in words.
        advice: the advice.
        top: how many options to tell, all by default.
        asked: an option that is told in any case.
        reasons: what speaks for these options.
    """
    lines = []
    if advice.best:
        lines.append("best: " + " or ".join(map(text.describe_move, advice.best)))
    if advice.value is not None:
        lines.append(f"{(advice.unit or '').replace('_', ' ')}: {advice.value:.4f}")
    for name, told in (advice.extra or {}).items():
        if isinstance(told, list) and all(isinstance(number, float) for number in told):
            lines.append(f"{name.replace('_', ' ')}: {' '.join(f'{n:.4f}' for n in told)}")
        elif isinstance(told, str):
            lines.append(f"{name.replace('_', ' ')}: {told}")
        elif isinstance(told, bool):
            lines.append(f"{name.replace('_', ' ')}: {'yes' if told else 'no'}")
    for at, (move, value) in enumerate(advice.options):
        if top is not None and at >= top and move != asked:
            continue
        cost = (advice.value or 0.0) - value
        costs = "best" if move in advice.best else f"costs {cost:.4f}"
        beside = "".join(
            f"  {name.replace('_', ' ')} {numbers[at]:.2f}"
            for name, numbers in advice.beside.items()
        )
        line = f"  {text.describe_move(move):<28}{value:>12.4f}  {costs:<14}{beside}"
        lines.append(line.rstrip())
        if reasons is not None:
            lines.append(_wrapped(facts_text(reasons.of[move]), "    "))
    if reasons is not None and reasons.why is not None:
        lines.append(_wrapped(f"why: {reasons.why}", ""))
    return "\n".join([*lines, *advice.notes()])


def facts_text(numbers: Numbers) -> str:
    """Return named numbers as a line: ``points this turn 12.30; chance of: ones 0.25, ...``."""
    return "; ".join(f"{words(name)}{_number_text(held)}" for name, held in numbers.items())


def _number_text(held: Any) -> str:
    """Return a number or numbers as they follow their name."""
    if isinstance(held, Mapping):
        inner = ", ".join(f"{words(name)}{_number_text(number)}" for name, number in held.items())
        return f": {inner}"
    if isinstance(held, list):  # of numbers, or of moves
        parts = [one.values() if isinstance(one, Mapping) else [one] for one in held]
        return "".join(_number_text(number) for part in parts for number in part)
    return f" {held:.4g}" if isinstance(held, float) else f" {held}"


def _wrapped(text: str, indent: str) -> str:
    """Return text in lines of at most 79 columns, the first indented, the next ones deeper."""
    return fill(text, 79, initial_indent=indent, subsequent_indent=f"{indent}  ")


def cost_text(text: Text[Any, Any], advice: Advice[Any], move: Any) -> str:
    """Return in words what a move costs beside the best."""
    told, best = text.describe_move(move), " or ".join(map(text.describe_move, advice.best))
    value = dict(advice.options).get(move)
    if value is None or advice.value is None:
        return f"{told} is what the level plays" if move in advice.best else f"best: {best}"
    if move in advice.best:
        return f"{told} costs nothing: nothing is better"
    unit = (advice.unit or "").replace("_", " ")
    return f"{told} costs {advice.value - value:.4f} ({unit}); best: {best}"
