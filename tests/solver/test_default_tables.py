"""The default tables: built again they are byte for byte what they were."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from built import Build

from ustad.runtime.checks import default_faults


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("yacht", {}),
        ("dice_poker", {}),
        ("pasa", {}),
        ("pasa", {"players": 2, "chips": 100}),
        ("raja_pasu", {"closed": 4}),
        ("raja_pasu", {"closed": 6}),
        ("marriage", {}),
    ],
)
def test_tables_are_built_byte_for_byte_as_they_were(
    game: str, options: dict[str, Any], build: Build, tmp_path: Path
) -> None:
    """The digests that ship are of tables built before; ``verify --default`` compares with them."""
    path = build(game, options, tmp_path).path
    assert default_faults(tmp_path)[path] is None
