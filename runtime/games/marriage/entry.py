"""Marriage as everybody else knows it."""

from __future__ import annotations

from pathlib import Path

from ustad.runtime.core.game import Bot, Command


class MarriageLevels(Levels[Marriage, View, Move]):
    """The bots of Marriage."""

    table_levels: frozenset[str] = frozenset()

    seeded_levels = frozenset({"easy"})

    # Levels and tables.

    def bot(self, level: str, rules: Marriage, tables: Path | None, seed: int) -> Bot:
        """Return a bot of a level; expert plays the weights of the tables folder or the package."""
        from ustad.runtime.games.marriage.bots import make_bot

        return make_bot(level, rules, tables, seed)

    def prepare(self) -> None:
        """Load the compiled ratings, or compile them."""
        from ustad.runtime.games.marriage.decisions import get_ready

        get_ready()

    def commands(self) -> tuple[Command, ...]:
        """Return the command that judges a hand."""
        from ustad.runtime.games.marriage.round.rules import hand as hand  # it needs the rules

        text = "Marriage: what a hand is, and what it needs"
        return (Command("hand", text, hand.add_flags, hand.answer, hand.as_text),)
