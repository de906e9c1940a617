"""A person in the terminal: typed moves, advice, taking back, leaving."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ustad.runtime.cli.main import main
from ustad.runtime.core.registry import NAMES
from ustad.runtime.core.registry import entry as entry_of


@pytest.fixture
def typed(tables: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Callable[..., str]:
    """A function that plays with these typed lines and returns what was shown."""

    def play(lines: list[str], *words: str) -> str:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        assert main(["play", "yacht", "--tables", str(tables), "--seed", "5", *words]) == 0
        return str(capsys.readouterr().out)

    return play


def test_a_mistyped_keep_is_taken_back_before_the_dice_fall(typed: Callable[..., str]) -> None:
    """Seed 5 rolls 1 4 5 6 6 first."""
    shown = typed(["6", "u", "66", "", "q"], "--level", "hard")
    assert "taken back" in shown
    assert shown.index("taken back") < shown.index("seat 0: keep 6 6")
    assert "seat 0: keep 6\n" not in shown


def test_advice_is_there_for_the_asking(typed: Callable[..., str]) -> None:
    shown = typed(["?", "q"], "--players", "1")
    assert "best: keep 6 6" in shown
    assert "expected total: 253.9353" in shown  # as for 1 5 5 6 6 no better: see the table


def test_advice_without_a_table_says_what_is_missing_and_the_game_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for game in NAMES:
        monkeypatch.setattr(sys, "stdin", io.StringIO("\n" * 4 + "?\nq\n"))
        assert (
            main(["play", game, "--tables", str(tmp_path), "--seed", "5", "--level", "easy"]) == 0
        )
        shown = capsys.readouterr().out
        assert "the game is left" in shown
        assert (f"ustad build {game}" in shown) == ("expert" in entry_of(game).levels.need_tables)


def test_what_is_typed_wrong_is_told_what_to_type(typed: Callable[..., str]) -> None:
    shown = typed(["33", "flush", "three", "h", "q"], "--level", "hard")
    assert '"33": expected some of the dice 1 4 5 6 6 to keep' in shown
    assert '"flush": expected' in shown
    assert '"three": expected' in shown  # threes or three_of_a_kind
    assert shown.count("type a move, ? for advice") == 2


def test_leaving_is_asked_about_and_can_be_thought_better_of(typed: Callable[..., str]) -> None:
    shown = typed(["q", "", "66", "q", "n", "", "q", "y"], "--level", "hard")
    assert shown.count("leave the game? It is lost.") == 3
    assert shown.index("keep 6 6: Enter to go on") < shown.index("the game is left")
    assert "seat 0: keep 6 6" in shown or "you: keep 6 6" in shown


def test_what_is_neither_enter_nor_u_is_asked_again(typed: Callable[..., str]) -> None:
    shown = typed(["66", "yes", "", "q", "y"], "--level", "hard")
    assert "expected Enter to go on, u to take it back" in shown
    assert shown.count("keep 6 6: Enter to go on, u to take it back, ! for what it costs >") == 2


def test_errors_name_the_help(typed: Callable[..., str]) -> None:
    assert "; h for help" in typed(["flush", "q", "y"], "--level", "hard")


def test_the_end_of_input_leaves_the_game(typed: Callable[..., str]) -> None:
    assert "the game is left" in typed([], "--level", "hard")


@pytest.mark.parametrize("players", ["1", "2", "6"])
def test_a_whole_game_ends_with_what_each_gained(typed: Callable[..., str], players: str) -> None:
    boxes = ["ones", "twos", "threes", "fours", "fives", "sixes", "three_", "four_"]
    boxes += ["full", "small", "large", "yacht", "chance"]
    lines = [word for box in boxes for word in (box, "")]
    shown = typed(lines, "--players", players, "--level", "easy")
    assert "the game is over" in shown
    last = shown.split("the game is over\n")[1].splitlines()[0]
    if players == "1":
        assert last.startswith("the game ends with ")
    else:
        assert "you" in last  # won, or what one has
        assert " won" in last


def test_another_game_begins_one_seat_on(typed: Callable[..., str]) -> None:
    boxes = ["ones", "twos", "threes", "fours", "fives", "sixes", "three_", "four_"]
    boxes += ["full", "small", "large", "yacht", "chance"]
    lines = [word for box in boxes for word in (box, "")]
    shown = typed([*lines, "", "q"], "--level", "easy")
    first, second = shown.split("Enter for another game")
    assert "seat 0 rolls 1 4 5 6 6" in first.split("seat 1 rolls")[0]
    assert "seat 1 rolls" in second.split("seat 0 rolls")[0]


def test_the_same_seed_is_the_same_game(typed: Callable[..., str]) -> None:
    lines = ["0", "", "0", "", "chance", "", "q"]
    assert typed(lines, "--level", "hard") == typed(lines, "--level", "hard")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--players", "7"], "players: expected 1 to 6"),
        (["--seat", "2"], "--seat: expected 0 to 1"),
        (["--level", "godlike"], "level: expected one of"),
        (["--json"], "ustad serve"),
        (["--seed", "x"], "--seed: expected a whole number"),
    ],
)
def test_bad_words_are_one_line_errors(
    run_ustad: Callable[..., Any], tables: Path, words: list[str], message: str
) -> None:
    run = run_ustad("play", "yacht", "--tables", tables, *words)
    assert run.status == 2
    assert message in run.err
    assert run.err.count("\n") == 1
