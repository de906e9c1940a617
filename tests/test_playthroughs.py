"""Whole games as ``tests/playthroughs`` has them: positions, moves, advice, events, results.

These pin behaviour, not correctness: they hold what the program did when they were written.  If a
test here fails and the change is intended, run ``python scripts/playthrough.py``, read the diff of
``tests/playthroughs`` line by line, and commit it with the change that brought it about.  If no
change was intended, the diff shows what went wrong.
"""

from __future__ import annotations

from pathlib import Path

import playthrough
import pytest

from ustad.runtime.core.registry import NAMES


@pytest.mark.parametrize("game", NAMES)
def test_a_game_goes_as_its_transcript_says(game: str, tmp_path: Path) -> None:
    playthrough.build_tables(game, tmp_path)
    now = playthrough.transcript(game, tmp_path)
    written = (playthrough.FOLDER / f"{game}.txt").read_text("utf-8")
    assert now.splitlines() == written.splitlines(), "if intended: python scripts/playthrough.py"


def test_check_finds_a_change_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(playthrough, "FOLDER", tmp_path)
    assert playthrough.main(["pasa", "--check"]) == 1
    assert "+game: pasa" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []
    assert playthrough.main(["pasa"]) == 0
    assert playthrough.main(["pasa", "--check"]) == 0
