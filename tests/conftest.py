"""What tests share: the yacht tables, built once, and the command line, run in this process."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, wraps
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from built import Build, built_once
from jsonschema import Draft202012Validator

from ustad.runtime.cli.main import main
from ustad.runtime.core.registry import NAMES
from ustad.runtime.games.yacht.entry import ENTRY
from ustad.runtime.games.yacht.tables import STEPS
from ustad.runtime.methods import METHODS
from ustad.runtime.questions import Advisor
from ustad.runtime.schema import schema
from ustad.tables import write_table

VALUES = tuple(options for options in ENTRY.tables.defaults() if set(options) == {"second_yacht"})
"""The tables of values of yacht.  The others take longer: tests that need them build them."""


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """A function that puts the table of a game and its options into a folder."""
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "built-once"
    shared.mkdir(exist_ok=True)
    return built_once(shared)


@pytest.fixture(scope="session")
def tables(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the values of the three settings of yacht.  Tests leave it as it is."""
    folder = tmp_path_factory.mktemp("tables")
    for options in VALUES:
        build("yacht", options, folder)
    return folder


@pytest.fixture(scope="session")
def write_outlook() -> Callable[[Path], None]:
    """A function that writes a compact outlook of yacht of made-up distributions into a folder.

    Expert plays by it like by a real one, which takes long to build.
    """

    def write(folder: Path) -> None:
        spec = ENTRY.tables.spec({"outlook": "compact"})
        random = np.random.default_rng(8)
        knots, far = spec.shape
        gaps = random.integers(0, 18, size=(knots, far), dtype=np.uint8)
        gaps[1:][random.random((knots - 1, far)) < 0.2] = 0  # parts that stand on one point
        parts: dict[str, Any] = {"shift": random.integers(-128, 128, size=far, dtype=np.int8)}
        parts["bonus"] = random.integers(0, 1001, size=spec.parts["bonus"].shape, dtype=np.uint16)
        for name, _, count, dtype in STEPS:
            [rows] = spec.parts[f"{name}_lengths"].shape
            lengths = random.integers(1, 60, size=rows, dtype=np.uint16)
            parts[f"{name}_lengths"] = lengths
            parts[f"{name}_first"] = random.integers(0, 90, size=rows, dtype=np.uint16)
            entries = random.integers(0, count // 60 + 2, size=int(lengths.sum()))
            entries[np.cumsum(lengths) - 1] += 1  # no row is empty
            parts[name] = entries.astype(dtype)
        write_table(spec, folder, gaps, {}, {}, parts)

    return write


HELD_AGAINST_SCHEMA = 25
"""Of each method and game, so many requests and answers are held against the JSON Schema."""


@pytest.fixture(scope="session", autouse=True)
def _requests_and_answers_fit_the_schema() -> Iterator[None]:
    """Let no test make a request that is answered, or get an answer, that the schema refuses."""
    definitions = schema()["$defs"]
    seen: Counter[tuple[str, Any]] = Counter()

    @cache
    def validator(what: str) -> Draft202012Validator:
        return Draft202012Validator({"$ref": f"#/$defs/{what}", "$defs": definitions})

    def held(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        parameters = signature(method)

        @wraps(method)
        def call(*args: Any, **keys: Any) -> Any:
            answer = method(*args, **keys)
            given = {**parameters.bind(*args, **keys).arguments, "method": name}
            del given["self"]
            position = given.get("position", given)
            game = position.get("game") if isinstance(position, dict) else None
            seen[name, game] += 1
            if game in (None, *NAMES) and seen[name, game] <= HELD_AGAINST_SCHEMA:
                if not any("error" in one for one in answer.get("results", ())):
                    validator("request").validate(given)
                validator(f"{name}_result").validate(answer)
            return answer

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in METHODS:
            patch.setattr(Advisor, name, held(name, getattr(Advisor, name)))
        yield


@pytest.fixture(scope="session", autouse=True)
def _no_tables_of_the_checkout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let no test depend on what somebody has built in the checkout."""
    nothing = tmp_path_factory.mktemp("checkout") / "built"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ustad.tables.folder._checkout_folder", lambda: nothing)
        yield


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
