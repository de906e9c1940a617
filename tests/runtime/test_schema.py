"""The JSON Schema: positions, moves and records fit it, and what it refuses the codecs refuse too.

Requests and answers of all tests are held against it too: see ``tests/conftest.py``.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from ustad.runtime.core.errors import UstadError
from ustad.runtime.core.game import CHANCE
from ustad.runtime.core.registry import NAMES, entry
from ustad.runtime.methods import KEYS, METHODS
from ustad.runtime.questions import Advisor
from ustad.runtime.record import Player, Record
from ustad.runtime.schema import RESULTS, schema


@cache
def validator(what: str, *games: str) -> Any:
    whole = schema(games or NAMES)
    return Draft202012Validator({"$ref": f"#/$defs/{what}", "$defs": whole["$defs"]})


def fits(what: str, value: Any, *games: str) -> None:
    validator(what, *games).validate(value)


@pytest.mark.parametrize("games", [NAMES, *((name,) for name in NAMES)])
def test_it_is_a_schema_of_few_words(games: tuple[str, ...]) -> None:
    found = schema(games)
    Draft202012Validator.check_schema(found)
    text = json.dumps(found)
    assert '"oneOf"' not in text
    assert '"anyOf"' not in text
    assert '"prefixItems"' not in text
    named = {f"#/$defs/{name}" for name in found["$defs"]}
    used = {part.split('"')[0] for part in text.split('"$ref": "')[1:]}
    assert used <= named


def test_every_method_has_its_keys_and_its_result() -> None:
    assert set(RESULTS) == set(METHODS)
    assert {key for method in METHODS.values() for key in method.keys} == set(KEYS)
    for method in METHODS.values():
        assert set(method.required) <= set(method.keys)


def test_the_readme_tells_the_methods_and_their_keys() -> None:
    readme = Path(__file__).parents[2] / "runtime" / "serve" / "README.md"
    rows = re.findall(r"^\| `(\w+)` \|(.*?)\|", readme.read_text("utf-8"), re.MULTILINE)
    told = {name: tuple(re.findall(r"`(\w+)`", keys)) for name, keys in rows}
    assert told == {name: method.keys for name, method in METHODS.items()}


OPTIONS: dict[str, list[dict[str, Any]]] = {
    "yacht": [{"second_yacht": "plain"}],
    "dice_poker": [{"dash": "deferred"}, {"dash": "sacrifice", "order": "free"}],
    "pasa": [{"max_bet": 3, "menu": "all"}],
    "raja_pasu": [{"match": True}],
    "marriage": [{"see_tiplu": "at_once"}],
}


@cache
def games_of(name: str) -> list[tuple[list[Any], list[Any]]]:
    """Return the states and steps of some random games."""
    game, luck, found = entry(name), random.Random(5), []
    for options in ({}, *OPTIONS[name]):
        rules = game.rules.read(options)
        players = luck.randint(game.rules.seats.least, game.rules.seats.most)
        states, steps = [rules.new(players)], []
        while not states[-1].is_over() and len(steps) < 120:
            state = states[-1]
            if state.current_player() == CHANCE:
                steps.append(luck.choice(state.chance_outcomes())[0])
            else:
                steps.append(luck.choice(list(state.legal_moves())))
            states.append(state.apply(steps[-1]))
        found.append((states, steps))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_positions_moves_and_records_fit(name: str) -> None:
    game = entry(name)
    for states, steps in games_of(name):
        for state, step in list(zip(states, steps, strict=False))[::9]:
            fits("position", game.codec.state_to_json(state), name)
            fits("position", game.codec.state_to_json(state.view(0)), name)
            if state.current_player() == CHANCE:
                fits(f"{name}_outcome", game.codec.outcome_to_json(step))
            else:
                fits(f"{name}_move", game.codec.move_to_json(step))
        players = [Player("one", "easy")] + [Player("you", None)] * (len(states[0].scores()) - 1)
        record = Record(game, tuple(players), tuple(steps[:20]), tuple(states[:21]), seed=(4,))
        fits("record", record.to_json(), name)
        for line in record.lines():
            fits("record_line", line, name)


def damaged(value: Any, luck: random.Random) -> Iterator[Any]:
    """Yield a value with one thing in it changed, at every depth."""
    wrong = [None, True, -1, 7, 2.5, 10**7, "x", "7H", [], [1], {}, {"keep": [1]}]
    if isinstance(value, dict) and value:
        key = luck.choice(list(value))
        for inner in damaged(value[key], luck):
            yield {**value, key: inner}
        yield {other: held for other, held in value.items() if other != key}
        yield {**value, "surprise": 1}
    elif isinstance(value, list) and value:
        at = luck.randrange(len(value))
        for inner in damaged(value[at], luck):
            yield [*value[:at], inner, *value[at + 1 :]]
        yield value[:at] + value[at + 1 :]
        yield [*value, value[at]]
    yield luck.choice(wrong)


@pytest.mark.parametrize("name", NAMES)
def test_what_the_schema_refuses_is_refused(name: str) -> None:
    """And most of what is refused the schema refuses."""
    game, luck = entry(name), random.Random(9)
    found: Counter[tuple[bool, bool]] = Counter()
    for states, steps in games_of(name):
        for state, step in luck.sample(list(zip(states, steps, strict=False)), 12):
            if state.current_player() == CHANCE:
                move, read = game.codec.outcome_to_json(step), game.codec.outcome_from_json
                what = f"{name}_outcome"
            else:
                move, read = game.codec.move_to_json(step), game.codec.move_from_json
                what = f"{name}_move"
            position = game.codec.state_to_json(state)
            for kind, reader, value in [
                ("position", game.codec.state_from_json, position),
                (what, read, move),
            ]:
                for other in (value, *damaged(value, luck)):
                    allowed = validator(kind, name).is_valid(other)
                    try:
                        reader(other)
                        taken = True
                    except UstadError:
                        taken = False
                    assert allowed or not taken, (kind, other)
                    found[allowed, taken] += 1
    assert found[True, True] >= 20
    assert found[False, False] > found[True, False]


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        ({"method": "fly"}, "'fly' is not one of"),
        ({"method": "ping", "position": {}}, "Additional properties are not allowed"),
        ({"method": "view", "position": {"game": "yacht"}}, "'seat' is a required property"),
        ({"method": "new", "game": "yacht", "options": {"max_bet": 3}}, "'max_bet' was unexpected"),
        ({"method": "new", "game": "chess"}, "'chess' is not one of"),
        ({"method": "batch", "requests": [{}] * 10_001}, "is too long"),
    ],
)
def test_a_wrong_request_is_told_in_one_sentence(request_: Any, told: str) -> None:
    errors = [error.message for error in validator("request").iter_errors(request_)]
    assert any(told in message for message in errors), errors


def test_a_move_of_another_game_is_refused() -> None:
    position = Advisor().new("pasa", seed=1)["position"]
    right = {"method": "apply", "position": position, "move": {"bet": 1}}
    fits("request", right)
    assert not validator("request").is_valid({**right, "move": {"keep": [1]}})


def test_the_command_prints_it(run_ustad: Any) -> None:
    assert run_ustad("schema", "--json").json == json.loads(json.dumps(schema()))
    one = run_ustad("schema", "pasa")
    assert json.loads(one.out) == json.loads(json.dumps(schema(("pasa",))))
    assert "expected one of yacht" in run_ustad("schema", "chess").err
