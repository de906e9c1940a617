"""The line protocol: right answers, an error for every bad line, and a process that lives."""

from __future__ import annotations

import io
import json
import random
import re
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ustad.runtime.core.game import LEVELS
from ustad.runtime.core.strict_json import LARGEST_TEXT
from ustad.runtime.games.yacht.rules import BOXES, SECOND_YACHT
from ustad.runtime.methods import METHODS, Method
from ustad.runtime.questions import Advisor
from ustad.runtime.serve.lines import answer, serve

POSITION: dict[str, Any] = {
    "game": "yacht",
    "sheets": [{}],
    "to_move": 0,
    "dice": [1, 1, 3, 4, 6],
    "rolls_left": 2,
}


@pytest.fixture(scope="module")
def advisor(tables: Path) -> Advisor:
    return Advisor(tables)


def asked(advisor: Advisor, **request: Any) -> Any:
    return answer(json.dumps(request).encode(), advisor)


def test_every_method_answers(advisor: Advisor) -> None:
    start = asked(advisor, id=1, method="new", game="yacht", players=2)
    assert start["id"] == 1
    position = start["result"]["position"]
    assert len(position["sheets"]) == 2
    assert position["dice"] is None
    assert asked(advisor, id=2, method="legal", position=position)["result"] == {"legal": []}
    rolled = asked(advisor, method="apply", position=position, outcome=[1, 1, 3, 4, 6])
    assert rolled["result"]["position"]["dice"] == [1, 1, 3, 4, 6]
    best = asked(advisor, id="a", method="ask", position=POSITION, level="hard")["result"]
    assert best["best"] == [{"keep": [4]}]
    assert best["unit"] == "expected_total"
    assert best["value"] == pytest.approx(249.879302235, abs=1e-6)  # tests/data/yacht.json
    assert len(best["options"]) == len(
        asked(advisor, method="legal", position=POSITION)["result"]["legal"]
    )
    moved = asked(advisor, id=3, method="move", position=POSITION, level="hard", seed=4)
    assert moved == {"id": 3, "result": {"move": {"keep": [4]}, "seed": 4}}
    kept = asked(advisor, method="apply", position=POSITION, move={"keep": [4]})["result"]
    assert kept["position"]["kept"] == [4]
    assert kept["position"]["rolls_left"] == 2
    fallen = asked(advisor, method="apply", position=kept["position"], seed=3)
    assert fallen == asked(advisor, method="apply", position=kept["position"], seed=3)
    assert fallen["result"]["position"]["rolls_left"] == 1
    together = asked(advisor, method="apply", position=POSITION, move={"keep": [4]}, seed=3)
    assert together["result"]["position"] == fallen["result"]["position"]


@pytest.mark.parametrize(
    ("line", "kind", "name"),
    [
        (b"nonsense", "json", None),
        (b"\xff\xfe", "usage", None),
        (b"[]", "usage", None),
        (b"1", "usage", None),
        (b'{"id":1}', "usage", 1),
        (b'{"id":[1],"method":"ask"}', "usage", None),
        (b'{"id":true,"method":"ask"}', "usage", None),
        (b'{"id":1,"id":2,"method":"ask"}', "json", None),
        (b'{"id":7,"method":"fly"}', "usage", 7),
        (b'{"id":7,"method":["ask"]}', "usage", 7),
        (b'{"id":7,"method":"ask"}', "usage", 7),
        (b'{"id":7,"method":"ask","position":[]}', "usage", 7),
        (b'{"id":7,"method":"ask","position":{"game":"chess"}}', "usage", 7),
        (b'{"id":7,"method":"ask","position":{"game":["yacht"]}}', "usage", 7),
        (b'{"id":7,"method":"ask","position":{"game":"yacht"},"extra":1}', "usage", 7),
        (b'{"id":7,"method":"ask","position":{"game":"yacht"},"level":"god"}', "position", 7),
        (b'{"id":7,"method":"ask","position":null}', "usage", 7),
        (b'{"id":7,"method":"legal","position":null}', "usage", 7),
        (b'{"id":7,"method":"apply","position":null,"seed":1}', "usage", 7),
        (b'{"id":7,"method":"move","position":null}', "usage", 7),
        (b'{"id":7,"method":"new","game":null}', "usage", 7),
        (b'{"id":7,"method":"new","game":"yacht","first":2}', "usage", 7),
        (b'{"id":7,"method":"new","game":"yacht","players":9}', "usage", 7),
        (b'{"id":7,"method":"new","game":"yacht","players":2.0}', "usage", 7),
        (b'{"id":7,"method":"new","game":"yacht","seed":-1}', "usage", 7),
        (b'{"id":7,"method":"new","game":"yacht","options":{"a":1}}', "option", 7),
        (b'{"id":NaN,"method":"ask"}', "json", None),
        (b'{"id":1e999,"method":"fly"}', "json", None),
        (b'{"a":' * 5000, "json", None),
        (b"[" * 100_000, "json", None),
        (b'{"id":1,"method":"ask","position":' + b"9" * 5000 + b"}", "json", 1),
        (b'{"id":"a","method":"ask","position":{"x":1,"x":2}}', "json", "a"),
        (b'{"id":"\\u0041\\"}{","method":"ask","method":"ask"}', "json", 'A"}{'),
        (b'{"position":{"id":1,"x":1e999},"id":-2.5}', "json", -2.5),
        (b'{"position":' + b"[" * 100_000 + b"]" * 100_000 + b',"id":3}', "json", 3),
        (b'{"a":"id","b":[1,1e999],"c":{"d":"id"}}', "json", None),
        (b'{"id":{"id":4},"x":NaN}', "json", None),
        (b'[{"id":4,"x":NaN}]', "json", None),
    ],
)
def test_a_bad_line_gets_an_error_with_its_id(
    advisor: Advisor, line: bytes, kind: str, name: Any
) -> None:
    found = answer(line, advisor)
    assert found["id"] == name
    assert found["error"]["kind"] == kind
    assert "\n" not in found["error"]["message"]


def test_moves_and_outcomes_out_of_place_are_refused(advisor: Advisor) -> None:
    waiting = {**POSITION, "dice": None, "rolls_left": 3}
    for request, kind in [
        ({"position": waiting, "move": {"keep": [4]}}, "move"),
        ({"position": waiting, "outcome": [1, 2]}, "outcome"),
        ({"position": waiting, "outcome": [1, 2, 3, 4, 7]}, "outcome"),
        ({"position": POSITION}, "usage"),
        ({"position": waiting, "outcome": [1, 2, 3, 4, 5], "seed": 1}, "usage"),
        ({"position": POSITION, "outcome": [1, 2, 3, 4, 5]}, "outcome"),
        ({"position": POSITION, "seed": 1}, "outcome"),
        ({"position": POSITION, "move": {"keep": [5]}}, "move"),
        ({"position": POSITION, "move": {"keep": [1, 1, 3, 4, 6]}}, "move"),
        ({"position": POSITION, "move": {"write": "onces"}}, "move"),
        ({"position": {**POSITION, "sheets": [{"ones": 3}]}, "move": {"write": "ones"}}, "move"),
    ]:
        found = asked(advisor, id=1, method="apply", **request)
        assert found["error"]["kind"] == kind, request


def test_empty_lines_are_passed_over_and_long_ones_refused(advisor: Advisor) -> None:
    lines = b"\n  \n" + b"x" * (2 * LARGEST_TEXT + 5) + b'\n{"id":2,"method":"fly"}\n'
    answers = io.StringIO()
    serve(io.BytesIO(lines), answers, advisor)
    first, second = map(json.loads, answers.getvalue().splitlines())
    assert "at most" in first["error"]["message"]
    assert second["id"] == 2


def test_a_fault_of_ours_is_an_answer_too() -> None:
    class Broken(Advisor):
        def legal(self, position: Any) -> dict[str, Any]:
            raise ZeroDivisionError("oh")

    found = asked(Broken(), id=4, method="legal", position=POSITION)
    assert found == {"id": 4, "error": {"kind": "internal", "message": "ZeroDivisionError: oh"}}


def test_a_missing_table_names_the_command(tmp_path: Path) -> None:
    found = asked(Advisor(tmp_path), id=1, method="ask", position=POSITION)
    assert found["error"]["kind"] == "missing_table"
    assert "ustad build yacht" in found["error"]["message"]


def malformed(random_: random.Random) -> bytes:
    """Return a line that is a request, a damaged request, or nothing of the kind."""
    sheet = {name: 0 for name in BOXES[:-1] if random_.random() < 0.5}
    value = random_.choice(
        [None, True, -1, 0, 2, 5.5, 10**12, "yacht", "", "expert", [], [1] * 5, {}, {"keep": [1]}]
    )
    request: dict[str, Any] = {
        "id": random_.randrange(100),
        "method": random_.choice([*METHODS, "fly"]),
        "position": {
            **POSITION,
            "options": {"second_yacht": random_.choice(SECOND_YACHT)},
            "sheets": [sheet],
            "dice": [random_.randint(1, 6) for _ in range(5)],
        },
        "seed": random_.randrange(1000),
        "level": random_.choice(LEVELS),
    }
    keys = {"id", "method", "position"}.union(METHODS.get(request["method"], Method()).keys)
    request = {key: value for key, value in request.items() if key in keys}
    for _ in range(random_.choice([0, 0, 1, 2])):
        request[random_.choice(["id", "method", "level", "seed", "move", "game", "outcome"])] = (
            value
        )
    if random_.random() < 0.3:
        request["position"][random_.choice([*POSITION, "first", "kept", "x"])] = value
    line = bytearray(json.dumps(request).encode())
    for _ in range(random_.choice([0, 0, 1, 3])):
        line[random_.randrange(len(line))] = random_.randrange(256)
    if random_.random() < 0.1:
        line = line[: random_.randrange(len(line))]
    return bytes(line).replace(b"\n", b" ") + b"\n"


def test_random_lines_each_get_one_answer(advisor: Advisor) -> None:
    source = random.Random(1)
    lines = [malformed(source) for _ in range(2000)]
    answers = io.StringIO()
    serve(io.BytesIO(b"".join(lines)), answers, advisor)
    found = [json.loads(line) for line in answers.getvalue().splitlines()]
    assert len(found) == sum(bool(line.strip()) for line in lines)
    kinds = {line["error"]["kind"] for line in found if "error" in line}
    assert "internal" not in kinds
    assert any("result" in line for line in found)


@pytest.mark.slow
def test_a_hundred_thousand_lines_leave_the_process_alive_and_small(tables: Path) -> None:
    """Memory after 100,000 lines, most of other sheets and seeds, stays below 450 MB.

    It levels off once the bots kept (eight at most) remember as many turns as they may.
    """
    code = (
        "import io, random, resource, sys\n"
        "sys.path.insert(0, sys.argv[2])\n"
        "from pathlib import Path\n"
        "import test_serve as t\n"
        "from ustad.runtime.questions import Advisor\n"
        "from ustad.runtime.serve.lines import serve\n"
        "advisor, source = Advisor(Path(sys.argv[1])), random.Random(2)\n"
        "for step in range(10):\n"
        "    lines = b''.join(t.malformed(source) for _ in range(10_000))\n"
        "    serve(io.BytesIO(lines), io.StringIO(), advisor)\n"
        "    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(tables), str(Path(__file__).parent)],
        capture_output=True,
        text=True,
        check=True,
    )
    peaks = [int(line) for line in run.stdout.split()]
    assert len(peaks) == 10
    assert peaks[-1] <= 450_000
    assert peaks[-1] - peaks[5] <= 30_000


def test_a_real_process_answers_and_ends_with_its_input(tables: Path) -> None:
    lines = b'nonsense\n{"id":1,"method":"new","game":"yacht"}\n'
    run = subprocess.run(
        [sys.executable, "-m", "ustad.runtime", "serve", "--tables", str(tables)],
        input=lines,
        capture_output=True,
        check=True,
    )
    first, second = map(json.loads, run.stdout.splitlines())
    assert first["error"]["kind"] == "json"
    assert second["result"]["position"]["game"] == "yacht"
    assert run.stderr == b""
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss > 0


def test_the_exchange_in_the_readme_is_what_happens(advisor: Advisor) -> None:
    readme = Path(__file__).parents[3] / "runtime" / "serve" / "README.md"
    block = re.search(r"```text\n(> .*?)```", readme.read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    lines = block.group(1).splitlines()
    requests, answers = lines[::2], lines[1::2]
    assert len(requests) == len(answers) >= 5
    for request, told in zip(requests, answers, strict=True):
        assert request.startswith("> ")
        assert json.loads(told.removeprefix("< ")) == answer(request[2:].encode(), advisor)


def test_the_client_in_the_readme_hosts_a_game_of_marriage(
    capfd: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("USTAD_TABLES", str(tmp_path))  # expert plays the numbers that ship
    readme = Path(__file__).parents[3] / "runtime" / "serve" / "README.md"
    block = re.search(r"```python\n(import json.*?)```", readme.read_text("utf-8"), re.DOTALL)
    assert block is not None
    code = block.group(1)
    assert len(code.splitlines()) <= 30
    command = '["ustad", "serve"]'
    assert command in code
    exec(code.replace(command, f"[{sys.executable!r}, '-m', 'ustad.runtime', 'serve']"), {})
    rows = [line.split() for line in capfd.readouterr().out.splitlines()]
    assert [row[0] for row in rows] == list(LEVELS)
    assert sum(int(row[2]) for row in rows) == 0
    assert any(int(row[1]) for row in rows)


def test_the_first_line_may_begin_with_a_byte_order_mark(advisor: Advisor) -> None:
    line = b'\xef\xbb\xbf{"id":1,"method":"fly"}\n'
    answers = io.StringIO()
    serve(io.BytesIO(2 * line), answers, advisor)
    first, second = map(json.loads, answers.getvalue().splitlines())
    assert (first["id"], first["error"]["kind"]) == (1, "usage")
    assert second["error"]["kind"] == "json"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), {1: {2j}}])
def test_an_answer_that_is_no_json_does_not_end_the_process(value: Any) -> None:
    class Broken(Advisor):
        def legal(self, position: Any) -> Any:
            return {"legal": [value]}

    line = json.dumps({"id": 4, "method": "legal", "position": POSITION}).encode() + b"\n"
    answers = io.StringIO()
    serve(io.BytesIO(2 * line), answers, Broken())
    for text in answers.getvalue().splitlines():
        found = json.loads(text)
        assert (found["id"], found["error"]["kind"]) == (4, "internal")
        assert "no JSON" in found["error"]["message"]
