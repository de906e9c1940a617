"""Options of a game's rules and of its tables: what each may be, read from JSON and from flags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ustad.runtime.core.errors import OptionError, shown
from ustad.runtime.core.strict_json import Fields, is_int


@dataclass(frozen=True)
class Option:
    """One option of a game's rules: its name, its default, and what it may be.

    >>> dash = Option("dash", "deferred", ("deferred", "sacrifice"), "when a row is given up")
    >>> dash.expected()
    'one of deferred, sacrifice'
    >>> dash.parse("sacrifice")
    'sacrifice'
    """

    name: str
    default: Any
    choices: tuple[Any, ...]
    help: str

    def expected(self) -> str:
        """Return what the option may be, in words."""
        return "one of " + ", ".join(shown(choice).strip('"') for choice in self.choices)

    def check(self, value: Any) -> Any:
        """Return the value if the option may take it, else raise OptionError."""
        for choice in self.choices:
            if type(choice) is type(value) and choice == value:
                return value
        raise OptionError(f"option {self.name}: expected {self.expected()}, got {shown(value)}")

    def parse(self, text: str) -> Any:
        """Return the value that a command line gives as text."""
        for choice in self.choices:
            if text == (choice if isinstance(choice, str) else shown(choice)):
                return choice
        raise OptionError(f"option {self.name}: expected {self.expected()}, got {shown(text)}")


@dataclass(frozen=True)
class WholeNumber(Option):
    """An option that is a whole number in a range; ``choices`` may allow more, such as None."""

    low: int = 0
    high: int = 10**9

    def expected(self) -> str:
        """Return what the option may be, in words."""
        others = "".join(f" or {shown(choice)}" for choice in self.choices)
        return f"a whole number from {self.low} to {self.high}{others}"

    def check(self, value: Any) -> Any:
        """Return the value if the option may take it, else raise OptionError."""
        return value if is_int(value, self.low, self.high) else super().check(value)

    def parse(self, text: str) -> Any:
        """Return the value that a command line gives as text."""
        try:
            return self.check(int(text))
        except ValueError:
            return super().parse(text)


def read_options(options: Sequence[Option], given: Any) -> dict[str, Any]:
    """Return a full option set, defaults filled in.

    Raises:
        OptionError: an unknown option or a value that it cannot take.
    """
    fields = Fields(given, "options", OptionError)
    found = {
        option.name: option.check(fields.take(option.name, option.default)) for option in options
    }
    fields.done()
    return found


def defaults(options: Sequence[Option]) -> dict[str, Any]:
    """Return the option set of someone who chose nothing."""
    return {option.name: option.default for option in options}


def parse_options(game: str, options: Sequence[Option], texts: Sequence[str]) -> dict[str, Any]:
    """Return the options given as ``NAME=VALUE`` texts, defaults left out.

    Raises:
        OptionError: an unknown option, one given twice, or a value that it cannot take.
    """
    by_name = {option.name: option for option in options}
    found: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise OptionError(f"option {shown(text)}: expected NAME=VALUE")
        if name not in by_name:
            known = ", ".join(by_name) or "none"
            raise OptionError(f"option {name}: {game} has no such option, only {known}")
        if name in found:
            raise OptionError(f"option {name}: given twice")
        found[name] = by_name[name].parse(value)
    return found


def options_help(options: Sequence[Option]) -> str:
    """Return options and what they may be, for a command's help."""
    return "; ".join(f"{option.name}: {option.help} ({option.expected()})" for option in options)
