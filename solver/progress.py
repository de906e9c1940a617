"""A progress bar on standard error for the building of one table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tqdm import tqdm
from ustad.runtime.games.base import Progress


@contextmanager
def bar(title: str) -> Iterator[Progress]:
    """Show a progress bar while a table is built."""
    with tqdm(desc=title, unit=" states", unit_scale=True, leave=False) as shown:

        def progress(done: int, of: int) -> None:
            shown.total = of or None  # 0: nobody knows yet how many
            shown.update(done - shown.n)

        yield progress
