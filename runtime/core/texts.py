"""What the sentences of all games share: advice for people."""

from __future__ import annotations

from typing import Any

from ustad.runtime.core.entry import Text
from ustad.runtime.core.game import Advice


def advice_text(text: Text[Any, Any], advice: Advice[Any], top: int | None = None) -> str:
    """Return advice as text: the best move, then every move with what it costs."""
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
    for at, (move, value) in enumerate(advice.options[:top]):
        cost = (advice.value or 0.0) - value
        costs = "best" if move in advice.best else f"costs {cost:.4f}"
        beside = "".join(
            f"  {name.replace('_', ' ')} {numbers[at]:.2f}"
            for name, numbers in advice.beside.items()
        )
        line = f"  {text.describe_move(move):<28}{value:>12.4f}  {costs:<14}{beside}"
        lines.append(line.rstrip())
    return "\n".join([*lines, *advice.notes()])
