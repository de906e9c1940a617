"""Hostile requests to a running ``ustad serve``: each line gets one answer, none an internal error.

Sound requests, over games played at random, and such whose values, keys, text or bytes were
changed; NaN and infinities, keys twice, deep and huge JSON; batches too long or nested.
"""

from __future__ import annotations

import contextlib
import json
import random
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from damage.report import LONGEST_WAIT, Progress, Report, peak_of
from damage.texts import HOSTILE_TEXTS, changed, places
from ustad.runtime.core.errors import UstadError
from ustad.runtime.core.registry import NAMES
from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.core.strict_json import LARGEST_TEXT, loads
from ustad.runtime.methods import METHODS
from ustad.runtime.questions import Advisor, read_position
from ustad.tables import TableError

BESIDE: list[dict[str, Any]] = [
    {"method": "ping"},
    {"method": "games"},
    {"method": "hand", "cards": "7H 7H 7H 8H 9H 10H PJ", "laid": ["7H 7H 7H"], "tiplu": "5C"},
]
"""Requests that need no position."""


def sound_requests(luck: random.Random, count: int) -> list[dict[str, Any]]:
    """Return requests that are right, over positions of games played at random."""
    requests: list[dict[str, Any]] = []
    for game in NAMES:
        entry = entry_of(game)
        left = count // len(NAMES)
        while left > 0:
            rules = entry.rules.read({})
            players = luck.randint(entry.rules.seats.least, entry.rules.seats.most)
            state = rules.deal(players, (luck.randrange(2**32),))
            while not state.is_over() and left > 0:
                position = entry.codec.state_to_json(state)
                seed = luck.randrange(2**32)
                if state.current_player() < 0:
                    outcomes = state.chance_outcomes()
                    step = outcomes[luck.randrange(len(outcomes))][0]
                    given: dict[str, Any] = {"outcome": entry.codec.outcome_to_json(step)}
                else:
                    step = luck.choice(list(state.legal_moves()))
                    given = {"move": entry.codec.move_to_json(step)}
                if luck.random() < 0.1:
                    some = luck.choice([{"seed": seed}, {"level": "easy"}, {"level": "expert"}])
                    seat = luck.randrange(players)
                    request = luck.choice(
                        [
                            {"method": "legal", "position": position},
                            {"method": "status", "position": position},
                            {"method": "view", "position": position, "seat": seat},
                            {"method": "apply", "position": position, **given},
                            {"method": "ask", "position": position, "level": "hard", "top": 3},
                            {"method": "move", "position": position, **some},
                            {"method": "new", "game": game, "players": players, "seed": seed},
                            {"method": "new", "game": game, "first": seat % 2, "whole": True},
                            {"method": "batch", "requests": requests[-2:]},
                            luck.choice(BESIDE),
                        ]
                    )
                    requests.append({"id": len(requests), **request})
                    left -= 1
                state = state.apply(step)
    return requests


SLOW = 1e-4
"""How many lines are made of requests that take long: bots that search."""


def sorted_by_speed(
    requests: Sequence[dict[str, Any]], advisor: Advisor, progress: Progress
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the requests that are answered in five milliseconds, and those that are not."""
    fast: list[dict[str, Any]] = []
    slow: list[dict[str, Any]] = []
    for number, request in enumerate(requests):
        progress(0, f"timing request {number} of {len(requests)}")
        given = {key: value for key, value in request.items() if key not in ("id", "method")}
        answer = getattr(advisor, request["method"])
        begin = 0.0
        for _ in range(2):  # the second is what counts: a table is opened once
            begin = time.perf_counter()
            with contextlib.suppress(UstadError, TableError):  # a move while dice are to fall
                answer(**given)
        (fast if time.perf_counter() - begin < 0.005 else slow).append(request)
    return fast, slow


def hostile_line(requests: Sequence[Mapping[str, Any]], luck: random.Random) -> bytes:
    """Return one line, without its end: a right request now and then, mostly a wrong one."""
    request: Any = luck.choice(requests)
    for _ in range(luck.choice([0, 1, 1, 1, 2, 3])):
        request = changed(request, luck)
        if not isinstance(request, dict) or len(places(request)) < 2:
            break
    text = json.dumps(request, ensure_ascii=luck.random() < 0.5)
    how = luck.random()
    if how < 0.10:
        at = luck.randrange(len(text))
        text = text[:at] + luck.choice(HOSTILE_TEXTS) + text[at + luck.randrange(3) :]
    elif how < 0.15:  # a key twice
        text = text.replace("{", '{"id": 1, "method": "legal", ', 1)
    elif how < 0.152:  # a batch in a batch, or too many requests
        inner = [request] if luck.random() < 0.9 else [{"method": "ping"}] * 10_001
        nested = {"method": "batch", "requests": [{"method": "batch", "requests": inner}]}
        text = json.dumps(luck.choice([nested, {"method": "batch", "requests": inner}]))
    elif how < 0.1522:
        text = luck.choice(["[", '{"a":', '{"position":[']) * luck.choice([1000, 10**5])
    elif how < 0.1524:
        text = text[:-1] + ', "x": "' + "x" * luck.choice([10**5, LARGEST_TEXT]) + '"}'
    line = bytearray(text.encode("utf-8", "surrogatepass"))
    how = luck.random()
    if how < 0.08:
        for _ in range(luck.choice([1, 1, 3])):
            line[luck.randrange(len(line))] = luck.randrange(256)
    elif how < 0.12:
        del line[luck.randrange(len(line)) :]
    elif how < 0.13:
        line = bytearray(luck.randbytes(luck.randrange(200)))
    return bytes(line).replace(b"\n", b" ")


KINDS = {
    "json", "usage", "position", "option", "move", "outcome", "missing_table", "missing_package",
}  # fmt: skip
"""What a line may be refused as; a table that was never built may be asked for."""


def check_answer(line: bytes, text: bytes, advisor: Advisor | None, report: Report) -> None:
    """Check the answer to a line; with an adviser, that the same is answered once more."""
    shown = f"{line[:400]!r} -> {text[:300]!r}"

    def no_number(name: str) -> Any:
        raise ValueError(f"{name} in an answer")

    try:
        answer = json.loads(text, parse_constant=no_number)
        request = loads(line.decode("utf-8"), "request")
    except UstadError:
        request = None
    except UnicodeDecodeError:
        request = None
    except ValueError as error:
        report.faults.append(f"{shown}: {error}")
        return
    if isinstance(request, dict):
        name = request.get("id")
        told = name if isinstance(name, str | int | float) and not isinstance(name, bool) else None
        report.check(answer.get("id") == told, f"{shown}: another id")
    if "error" in answer:
        kind, message = answer["error"]["kind"], answer["error"]["message"]
        report.answers[kind] += 1
        report.check(kind in KINDS, shown)
        report.check("\n" not in message and len(message) < 2000, shown)
        return
    report.answers["answered"] += 1
    if not isinstance(request, dict) or request.get("method") not in METHODS:
        report.faults.append(f"{shown}: an answer to no request")
        return
    if advisor is not None and "position" in request:
        # The same position, written as the game writes it, must have the same answer.
        game, state = read_position(request["position"])
        given = {key: value for key, value in request.items() if key not in ("id", "method")}
        given = {key: value for key, value in given.items() if value is not None}
        given["position"] = game.codec.state_to_json(state)
        if "seed" in answer["result"]:  # also the one of who gave none
            given["seed"] = answer["result"]["seed"]
        try:
            again = getattr(advisor, request["method"])(**given)
        except (UstadError, TableError) as error:
            report.faults.append(f"{shown}: written anew: {error}")
            return
        report.check(json.loads(json.dumps(again)) == answer["result"], f"{shown}: {again}")


def send_lines(folder: Path, count: int, seed: int, progress: Progress) -> Report:
    """Send lines to a running ``ustad serve`` and check every answer.

    Args:
        folder: of the tables.
        count: how many lines.
        seed: what they are drawn from.
        progress: called with the lines sent.
    """
    report, luck = Report(), random.Random(seed)
    advisor = Advisor(folder)
    fast, slow = sorted_by_speed(sound_requests(luck, min(1000, count // 20)), advisor, progress)
    command = [sys.executable, "-m", "ustad.runtime", "serve", "--tables", str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        while report.cases < count and server.poll() is None:
            lines = [
                hostile_line(slow if slow and luck.random() < SLOW else fast, luck)
                for _ in range(min(1000, count - report.cases))
            ]
            asked = [line for line in lines if line.strip()]
            watch = threading.Timer(LONGEST_WAIT, server.kill)
            watch.start()
            sent = b"".join(line + b"\n" for line in lines)
            writer = threading.Thread(target=_send, args=(server.stdin, sent))
            writer.start()
            for line in asked:
                text = server.stdout.readline()
                if not text.endswith(b"\n"):
                    report.faults.append(f"{line[:400]!r}: the server ended or hangs")
                    break
                check_answer(line, text, advisor if luck.random() < 0.02 else None, report)
            writer.join()
            watch.cancel()
            report.cases += len(lines)
            progress(report.cases, "")
        report.peak = peak_of(server.pid)
        with contextlib.suppress(OSError):
            server.stdin.close()
        report.check(server.stdout.read() == b"", "more answers than lines")
        report.check(server.wait(LONGEST_WAIT) == 0, f"the server left with {server.returncode}")
    return report


def _send(stream: Any, content: bytes) -> None:
    with contextlib.suppress(BrokenPipeError):
        stream.write(content)
        stream.flush()
