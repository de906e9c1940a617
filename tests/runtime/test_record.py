"""Records: whole lines or none, read back bit for bit, errors that name the line."""

from __future__ import annotations

import io
import json
import os
import random
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ustad.runtime import record
from ustad.runtime.cli.main import main
from ustad.runtime.core.errors import OptionError, RecordError, UsageError
from ustad.runtime.core.game import CHANCE, OVER
from ustad.runtime.core.registry import NAMES
from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.games.marriage.cards.cards import CARD_NAMES


def a_game(name: str, seed: int, most: int = 10**6, players: int | None = None) -> record.Record:
    """A game of random moves, or its first steps, drawn from a seed."""
    drawn = random.Random(seed)
    entry = entry_of(name)
    option = drawn.choice([one for one in entry.rules.options if one.choices])
    try:
        rules = entry.rules.read({option.name: drawn.choice(option.choices)})
    except OptionError:  # it goes with others alone
        rules = entry.rules.read({})
    players = players or drawn.randint(*entry.rules.seats[:2])
    state, luck = rules.new(players, seed % players, (seed,)), rules.luck(players, (seed,))
    steps, states = [], [state]
    while (player := state.current_player()) != OVER and len(steps) < most:
        legal = state.legal_moves()
        step = luck.outcome(state) if player == CHANCE else drawn.choice(legal)
        state = state.apply(step)
        steps.append(step)
        states.append(state)
    seats = tuple(record.Player(f"seat {seat}", "easy") for seat in range(players))
    return record.Record(
        entry, seats, tuple(steps), tuple(states), record.returns_of(state), (seed,)
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_record_read_back_is_the_same_game(name: str, tmp_path: Path) -> None:
    for seed in range(3):
        game = a_game(name, seed)
        path = tmp_path / f"{seed}"
        game.write(path)
        assert record.read(path) == game
        told = json.loads(json.dumps(game.to_json()))
        again = record.from_json(told)
        assert (again.states, again.steps, again.returns) == (game.states, game.steps, game.returns)
        lines = path.read_text(encoding="utf-8").splitlines()
        assert len(lines) == len(game.steps) + 2
        assert json.loads(lines[0])["ustad_record"] == 1
        assert json.loads(lines[-1]) == {"over": True, "returns": list(game.returns or ())}


def test_a_file_cut_off_anywhere_is_resumed_from_its_last_whole_line(tmp_path: Path) -> None:
    """At every byte of a short game: the whole lines stay, and the game goes on to the same end."""
    game = a_game("raja_pasu", 4, most=6)
    path = tmp_path / "game"
    game.write(path)
    content = path.read_bytes()
    first = content.index(b"\n")
    for length in range(first, len(content) + 1):
        path.write_bytes(content[:length])
        found, writer, cut_off = record.resume(path)
        begun = content[:length].count(b"\n") - 1
        # A line without its end that is whole JSON counts as whole.
        whole = length == first or content[length : length + 1] == b"\n"
        assert len(found.steps) == max(begun + whole, 0)
        assert (cut_off is None) == (whole or content[:length].endswith(b"\n"))
        for state, step in zip(
            game.states[len(found.steps) :], game.steps[len(found.steps) :], strict=False
        ):
            writer.step(game.entry, state, step)
        writer.close()
        assert path.read_bytes() == content


def test_a_line_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that takes half a line: what stands before it stays, and the error says why."""
    game = a_game("pasa", 1, most=3)
    path = tmp_path / "game"
    writer = record.Writer.create(path, record.new(game.entry, game.start, game.players, (1,)))
    before, real = path.read_bytes(), os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda file, line, at: real(file, line[:7], at))
    with pytest.raises(RecordError, match="no space is left"):
        writer.step(game.entry, game.start, game.steps[0])
    assert path.read_bytes() == before
    monkeypatch.undo()
    writer.step(game.entry, game.start, game.steps[0])
    assert record.read(path).steps == game.steps[:1]


def test_no_file_is_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "letter"
    path.write_text("dear", encoding="utf-8")
    with pytest.raises(RecordError, match="is there already"):
        record.Writer.create(path, a_game("yacht", 1, most=0))
    assert path.read_text(encoding="utf-8") == "dear"


def changed(line: str, **keys: Any) -> str:
    return json.dumps({**json.loads(line), **keys})


BAD: dict[str, tuple[Callable[[list[str]], list[str]], str]] = {
    "another version": (
        lambda lines: [changed(lines[0], ustad_record=2), *lines[1:]],
        "line 1: ustad_record: expected 1, got 2",
    ),
    "no record": (lambda lines: lines[1:], 'line 1: expected the key "ustad_record"'),
    "a position of no game": (
        lambda lines: [changed(lines[0], start={"game": "chess"}), *lines[1:]],
        "line 1: game: expected one of",
    ),
    "too few seats": (
        lambda lines: [changed(lines[0], seats=[]), *lines[1:]],
        "line 1: seats: expected a list of 2",
    ),
    "an unknown level": (
        lambda lines: [changed(lines[0], seats=[{"name": "a", "level": "god"}] * 2), *lines[1:]],
        r"line 1: seats\[0\]: level: expected null or one of easy",
    ),
    "an unknown key": (
        lambda lines: [changed(lines[0], colour="red"), *lines[1:]],
        'unknown key "colour"',
    ),
    "steps out of order": (
        lambda lines: [*lines[:2], lines[3], lines[2], *lines[4:]],
        "line 3: seat: expected 1, which is to move, got 0",
    ),
    "a step that is not legal": (
        lambda lines: [*lines[:2], changed(lines[2], move={"hole": 0}), *lines[3:]],
        "line 3: move: hole: expected one of",
    ),
    "a step of another game": (
        lambda lines: [*lines[:2], changed(lines[2], move={"bet": 2}), *lines[3:]],
        "line 3: move: ",
    ),
    "an outcome where there is no chance": (
        lambda lines: [*lines[:2], '{"outcome": [1, 2]}', *lines[2:]],
        "line 3: expected a move of seat 1, got an outcome",
    ),
    "a step left out": (lambda lines: [lines[0], *lines[2:]], "line 2: seat: expected 0"),
    "an end too soon": (
        lambda lines: [*lines[:3], lines[-1]],
        "line 4: the game is not over: expected a step",
    ),
    "wrong returns": (
        lambda lines: [*lines[:-1], '{"over": true, "returns": [100.0, -100.0]}'],
        "returns: expected ",
    ),
    "something after the end": (
        lambda lines: [*lines, lines[1]],
        "expected nothing after the end",
    ),
    "a list": (lambda lines: [*lines[:2], "[1]", *lines[3:]], "line 3: step: expected an object"),
    "no JSON": (lambda lines: [*lines[:2], "seat 1", *lines[3:]], "line 3: not JSON"),
}


@pytest.mark.parametrize("fault", BAD)
def test_a_faulty_record_is_one_error_that_names_the_line(
    fault: str, tmp_path: Path, run_ustad: Callable[..., Any]
) -> None:
    path = tmp_path / "game"
    a_game("raja_pasu", 0).write(path)
    change, message = BAD[fault]
    lines = change(path.read_text(encoding="utf-8").splitlines())
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    with pytest.raises(RecordError, match=message):
        record.read(path)
    told = run_ustad("record", "redact", path, "--seat", 0)
    assert (told.status, told.out, told.err.count("\n")) == (2, "", 1)


def test_what_is_no_utf_8_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "game"
    a_game("yacht", 1, most=3).write(path)
    path.write_bytes(path.read_bytes() + b'{"outcome": "\xff"}\n')
    with pytest.raises(RecordError, match="line 5: expected JSON in UTF-8"):
        record.read(path)


def test_a_million_steps_are_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Told when the first too many is read, not after all of them."""
    monkeypatch.setattr(record, "MOST_STEPS", 4)
    path = tmp_path / "game"
    a_game("yacht", 1, most=9).write(path)
    with pytest.raises(RecordError, match="line 6: expected at most 4 steps"):
        record.read(path)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.binary(max_size=60), st.integers(0, 10**6))
def test_any_bytes_are_a_record_or_one_error(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, place: int
) -> None:
    path = tmp_path_factory.mktemp("bytes") / "game"
    a_game("pasa", 2, most=4).write(path)
    whole = path.read_bytes()
    place %= len(whole)
    path.write_bytes(whole[:place] + content + whole[place:])
    try:
        record.read(path)
    except RecordError as error:
        assert str(path) in str(error)


def test_redacting_an_open_game_leaves_all_but_the_seed(
    tmp_path: Path, run_ustad: Callable[..., Any]
) -> None:
    game = a_game("pasa", 3)
    path, out = tmp_path / "game", tmp_path / "out"
    game.write(path)
    told = run_ustad("record", "redact", path, "--seat", 1)
    out.write_text(told.out, encoding="utf-8")
    known = record.read(out)
    assert (known.states, known.steps, known.seed) == (game.states, game.steps, None)
    with pytest.raises(UsageError, match="seat: expected 0 to"):
        record.redacted(game, 6)


@pytest.mark.parametrize("seed", range(3))
def test_redacting_a_round_of_marriage_leaves_what_the_seat_saw(seed: int) -> None:
    """Every state is the seat's view; a card that it never saw can be any other."""
    game = a_game("marriage", seed, most=60)
    for seat in range(len(game.players)):
        known = record.redacted(game, seat)
        again = record.from_json(json.loads(json.dumps(known.to_json())))
        assert (again.states, again.steps) == (known.states, known.steps)
        assert record.redacted(again, seat).steps == known.steps
        seen = [state for state in known.states if state.current_player() != CHANCE]
        assert seen == [state.view(seat) for state in game.states]
        with pytest.raises(RecordError, match="expected the view of seat"):
            record.redacted(known, 1 - min(seat, 1))
        # Swap two cards that the seat has not seen: what it knew stays the same.
        start = game.start
        stock = (*start.stock[:-2], *reversed(start.stock[-2:]))
        assert (
            record.redacted(
                replace(game, steps=(), states=(start._replace(stock=stock),)), seat
            ).start
            == known.start
        )


BOXES = ("ones", "twos", "threes", "fours", "fives", "sixes", "three_", "four_")
BOXES += ("full", "small", "large", "yacht", "chance")
"""In order; what takes 0 is asked about twice, else the second Enter shows the help."""


def test_a_game_killed_in_the_middle_is_resumed_to_the_same_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Typed at once, and typed in two halves, a line cut off between them: the same record."""

    def play(lines: list[str], *words: object) -> str:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        assert main(["play", "yacht", *map(str, words)]) == 0
        return capsys.readouterr().out

    typed = [word for box in BOXES for word in (box, "", "")]
    words = ("--level", "easy", "--seed", 5, "--record")
    whole, halves = tmp_path / "whole", tmp_path / "halves"
    assert " won" in play(typed, *words, whole)
    shown = play([*typed[:13], "q", "y"], *words, halves)
    assert "keeps it for --resume" in shown
    with halves.open("ab") as file:
        file.write(b'{"seat":0,"mo')
    shown = play(typed[12:], "--resume", halves)
    assert "was cut off; the game goes on from the line before" in shown
    assert halves.read_bytes() == whole.read_bytes()
    assert record.read(whole).returns is not None


def test_what_cannot_be_resumed_is_told(tmp_path: Path, run_ustad: Callable[..., Any]) -> None:
    path = tmp_path / "game"
    a_game("raja_pasu", 1).write(path)
    for words, message in (
        (("yacht", "--resume", path), "expected a game of yacht, got raja_pasu"),
        (("raja_pasu", "--resume", path), "the game is over"),
        (("raja_pasu", "--resume", tmp_path / "none"), "cannot read: No such file"),
        (("raja_pasu", "--resume", path, "--level", "easy"), "--level: expected nothing beside"),
    ):
        told = run_ustad("play", *words)
        assert told.status == 2
        assert message in told.err
        assert told.err.count("\n") == 1


def test_people_at_one_table_are_called_by_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Two people and a bot; each types on their own turn, and the record has their names."""
    typed = [word for box in BOXES for word in (box, "", "") * 2]
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in typed)))
    path = tmp_path / "game"
    words = ["--people", "2", "--players", "3", "--seat", "1", "--level", "easy", "--seed", "5"]
    names = ["--name", "Asha", "--name", "Bina"]
    assert main(["play", "yacht", *words, *names, "--record", str(path)]) == 0
    shown = capsys.readouterr().out
    assert shown.count("Asha (seat 1) to move") == shown.count("Bina (seat 2) to move") == 13
    game = record.read(path)
    assert game.players == (("easy", "easy"), ("Asha", None), ("Bina", None))
    assert game.returns is not None


def test_hands_of_marriage_are_hidden_from_the_other_people(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The screen is cleared before the next one is asked to look, and nothing is shown before."""
    start = entry_of("marriage").rules.read({}).new(2, 0, (5,))
    drawn = start.apply(start.legal_moves()[0]).drawn
    typed = ["stock", "", "8S", "", "", "q", "y"]
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in typed)))
    words = ["--people", "2", "--players", "2", "--seed", "5", "--name", "Asha"]
    assert main(["play", "marriage", *words]) == 0
    shown = capsys.readouterr().out
    first, second = shown.split("\x1b[2J")
    assert "player 2 (seat 1): Enter shows your hand >" in second
    assert "Asha (seat 0) to move" in first
    assert "player 2 (seat 1) to move" in second
    told = second.split("player 2 (seat 1) to move")[0]  # what happened, without the card drawn
    assert "8S" in told
    assert CARD_NAMES[drawn] not in told


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--people", "3", "--players", "2"], "--people: expected 1 to 2, got 3"),
        (["--people", "0"], "--people: expected 1 to"),
        (["--name", "a", "--name", "b"], "--name: expected at most 1 names"),
    ],
)
def test_people_who_cannot_sit_are_told(
    run_ustad: Callable[..., Any], words: list[str], message: str
) -> None:
    told = run_ustad("play", "pasa", "--level", "easy", *words)
    assert (told.status, told.err.count("\n")) == (2, 1)
    assert message in told.err


def test_what_a_move_costs_is_told_before_it_is_settled(
    tables: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Seed 5 rolls 1 4 5 6 6: keeping both sixes is best, keeping nothing costs 10 points."""
    typed = ["66", "!", "u", "0", "!", "u", "q", "y"]
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in typed)))
    words = ["--level", "hard", "--players", "1", "--seed", "5", "--tables", str(tables)]
    assert main(["play", "yacht", *words]) == 0
    shown = capsys.readouterr().out
    assert "keep 6 6 costs nothing: nothing is better" in shown
    assert "(expected total); best: keep 6 6" in shown


def test_the_review_is_offered_at_the_end(
    tables: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = [*[word for box in BOXES for word in (box, "", "")][:-1], "r", "q"]
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in typed)))
    words = ["--level", "easy", "--seed", "5", "--tables", str(tables)]
    assert main(["play", "yacht", *words]) == 0
    shown = capsys.readouterr().out
    assert "r for what each decision cost" in shown
    assert "seat 0 (you): 254.5877 (start)" in shown
