"""What tests share: the yacht tables, built once, and the command line, run in this process."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ustad.runtime.cli import main
from ustad.runtime.games.yacht import TYPE
from ustad.solver.build import build_table

VALUES = tuple(options for options in TYPE.table_options() if "outlook" not in options)
"""The tables of values of yacht.  Outlooks take longer: tests that need them build them."""


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the values of the three settings of yacht.  Tests leave it as it is."""
    folder = tmp_path_factory.mktemp("tables")
    for options in VALUES:
        build_table(TYPE, options, folder)
    return folder


@dataclass(frozen=True)
class Run:
    """What a command did: its exit status and what it printed."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The JSON object printed, on standard error if nothing else was."""
        return json.loads(self.out or self.err)


@pytest.fixture
def run_ustad(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Run]:
    """A function that runs ``ustad`` with these words and this standard input."""

    def run(*words: object, stdin: str | None = None) -> Run:
        monkeypatch.delenv("USTAD_TABLES", raising=False)
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin or ""))
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                status = main([str(word) for word in words])
            except SystemExit as leave:  # --help and --version leave by themselves
                status = int(leave.code or 0)
        return Run(status, out.getvalue(), err.getvalue())

    return run
