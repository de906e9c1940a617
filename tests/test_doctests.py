"""The examples in docstrings: they are what a reader tries first, so they must be true."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

WITH_EXAMPLES = [
    ".".join(("ustad", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
    for folder in ("tables", "runtime", "solver")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if ">>>" in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_examples_of_a_module(name: str) -> None:
    found = doctest.testmod(import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.attempted > 0
    assert found.failed == 0


def test_the_public_modules_have_examples() -> None:
    parts = (
        "runtime",
        "runtime.questions",
        "runtime.core.options",
        "runtime.core.registry",
        "runtime.core.strength",
        "tables",
    )
    rules = ("yacht.rules", "dice_poker.rules", "pasa.rules", "raja_pasu.rules")
    public = {f"ustad.{name}" for name in parts} | {f"ustad.runtime.games.{name}" for name in rules}
    assert public <= set(WITH_EXAMPLES)
