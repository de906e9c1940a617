"""What tests of the command line share: a folder of tables that may be spoilt."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ustad.runtime.games.yacht.entry import ENTRY


@pytest.fixture
def sound(tables: Path, tmp_path: Path) -> Path:
    """A folder with the table of the plain setting, which a test may spoil."""
    spec = ENTRY.tables.spec({"second_yacht": "plain"})
    shutil.copy(spec.path(tables), tmp_path)
    return tmp_path
