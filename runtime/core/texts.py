"""What the sentences of all games share: advice for people, and lines that fit a narrow screen."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from textwrap import fill
from typing import Any

from ustad.runtime.core.entry import NARROW, Text
from ustad.runtime.core.facts import Numbers, Reasons, words
from ustad.runtime.core.game import Advice


def advice_text(
    text: Text[Any, Any],
    advice: Advice[Any],
    told: Collection[Any] | None = None,
    reasons: Reasons[Any] | None = None,
    state: Any = None,
) -> str:
    """Return advice as text: the best move, then every move with what it costs.

    Args:
        text: the game in words.
        advice: the advice.
        told: the options to tell, all by default.
        reasons: what speaks for these options.
        state: the position that it is about: moves are then called as one types them there.
    """

    def named(move: Any) -> str:
        return text.describe_move(move) if state is None else text.choice(state, move)

    lines = []
    if advice.best:
        lines.append("best: " + " or ".join(map(named, advice.best)))
    if advice.value is not None:
        lines.append(f"{(advice.unit or '').replace('_', ' ')}: {advice.value:.4f}")
    says = reasons is not None and reasons.why is not None
    for name, held in (advice.extra or {}).items():
        if name == "why" and says:
            continue  # what the options say is told below them
        if isinstance(held, list) and all(isinstance(number, float) for number in held):
            lines.append(f"{words(name)}: {' '.join(f'{n:.4f}' for n in held)}")
        elif isinstance(held, str):
            lines.append(f"{words(name)}: {held}")
        elif isinstance(held, bool):
            lines.append(f"{words(name)}: {'yes' if held else 'no'}")
    lines += _heads(list(advice.beside))
    told = [move for move, _ in advice.options if told is None or move in told]
    outlooks = {move: text.outlook(state, move) for move in told if state is not None}
    wide, value_wide = (22, 9) if advice.beside else (28, 12)
    if any(outlooks.values()):
        wide = max(len(named(move)) for move in told)
    for at, (move, value) in enumerate(advice.options):
        if move not in told:
            continue
        cost = (advice.value or 0.0) - value
        costs = "best" if move in advice.best else f"costs {cost:.4f}" if cost >= 0 else "worse"
        beside = "".join(f"{beside_text(held[at]):>11}" for held in advice.beside.values())
        line = f"  {named(move):<{wide}}{value:>{value_wide}.4f}  {costs:<12}{beside}"
        lines.append(f"{line}  {outlooks.get(move, '')}".rstrip())
        if reasons is not None:
            lines.append(_wrapped(facts_text(reasons.of[move]), "    "))
    if reasons is not None and says:
        lines.append(_wrapped(f"why: {reasons.why}", ""))
    return "\n".join([*lines, *advice.notes()])


def beside_text(held: float | str | None) -> str:
    """Return what is told beside an option: a number, a word, or that it is not known.

    >>> beside_text(0.5), beside_text("win"), beside_text(None)
    ('0.50', 'win', '?')
    """
    if held is None:
        return "?"
    return held if isinstance(held, str) else f"{held:.2f}"


def _heads(names: Sequence[str]) -> list[str]:
    """Return the lines over further numbers of options, a word of each name a line."""
    heads = [words(name).split() for name in names]
    return [
        " " * 47 + "".join(f"{' '.join(head[row : row + 1]):>11}" for head in heads)
        for row in range(max(map(len, heads), default=0))
    ]


def narrow(text: str) -> str:
    """Return text with lines longer than :data:`NARROW` broken between words, and set in."""
    lines = []
    for line in text.split("\n"):
        indent = line[: len(line) - len(line.lstrip())] + "  "
        broken = fill(
            line,
            NARROW,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        lines.append(broken if len(line) > NARROW else line)
    return "\n".join(lines)


def facts_text(numbers: Numbers) -> str:
    """Return named numbers as a line: ``points this turn 12.30; chance of: ones 0.25, ...``."""
    told = {name: held for name, held in numbers.items() if held != []}
    return "; ".join(f"{words(name)}{_number_text(held)}" for name, held in told.items())


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
    """Return text in narrow lines, the first indented, the next ones deeper."""
    return fill(text, NARROW, initial_indent=indent, subsequent_indent=f"{indent}  ")


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
