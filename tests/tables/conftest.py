"""What all tests of table files share."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_table import write


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A sound table file in a folder of its own."""
    return write(tmp_path)
