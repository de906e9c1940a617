"""A person in the terminal: typed moves, advice, taking back, leaving."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ustad.runtime.cli.main import main
from ustad.runtime.core.entry import NARROW
from ustad.runtime.core.registry import NAMES
from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.games.yacht.levels import EasyBot

BOXES = ["ones", "twos", "threes", "fours", "fives", "sixes", "three_", "four_"]
BOXES += ["full", "small", "large", "yacht", "chance"]
WHOLE_GAME = [word for box in BOXES for word in (box, "", "")]
"""The boxes in order; what takes 0 is asked twice, else the second Enter shows the help."""


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
    assert shown.index("taken back") < shown.index("you keep 6 6")
    assert "you keep 6\n" not in shown


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
    assert "you keep 6 6" in shown


def test_what_is_neither_enter_nor_u_is_asked_again(typed: Callable[..., str]) -> None:
    shown = typed(["66", "yes", "", "q", "y"], "--level", "hard")
    assert "expected Enter to go on, u to undo" in shown
    assert shown.count("keep 6 6: Enter to go on, u to undo") == 2


def test_errors_name_the_help(typed: Callable[..., str]) -> None:
    assert "; h for help" in typed(["flush", "q", "y"], "--level", "hard")


def test_the_end_of_input_leaves_the_game(typed: Callable[..., str]) -> None:
    assert "the game is left" in typed([], "--level", "hard")


@pytest.mark.parametrize("players", ["1", "2", "6"])
def test_a_whole_game_ends_with_what_each_gained(typed: Callable[..., str], players: str) -> None:
    shown = typed(WHOLE_GAME, "--players", players, "--level", "easy")
    assert "the game is over" in shown
    last = shown.split("the game is over\n")[1].splitlines()[0]
    if players == "1":
        assert last.startswith("the game ends with ")
    else:
        assert "you" in last  # won, or what one has
        assert " won" in last


def test_another_game_begins_one_seat_on(typed: Callable[..., str]) -> None:
    shown = typed([*WHOLE_GAME, "", "q"], "--level", "easy")
    first, second = shown.split("Enter for another game")
    assert "you roll 1 4 5 6 6" in first.split("seat 1 rolls")[0]
    assert "seat 1 rolls" in second.split("you roll")[0]


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


def test_the_points_are_named_and_a_zero_is_asked_twice(typed: Callable[..., str]) -> None:
    """Dice 1 4 5 6 6; the second question comes for the zero alone."""
    shown = typed(["sixes", "u", "yacht", "", "u", "yacht", "", "", "q"], "--level", "hard")
    assert shown.count("> write sixes for 12: Enter to go on") == 1
    assert "really write sixes" not in shown
    assert shown.count("really write yacht for 0? Enter to go on") == 2
    assert shown.count("taken back") == 2
    assert "you write yacht for 0, total 0" in shown


def test_advice_has_the_best_keeps_and_the_best_writes(typed: Callable[..., str]) -> None:
    shown = typed(["?", "q"], "--players", "1")
    options = [line for line in shown.splitlines() if line.startswith(("  keep", "  write"))]
    assert [line.split()[0] for line in options] == ["keep"] * 4 + ["write"] * 4
    assert "five equal this turn, if you go for them: 2.91%" in shown


@pytest.mark.parametrize("game", [name for name in NAMES if name != "marriage"])
@pytest.mark.parametrize("players", [2, 6])
def test_sixty_columns_suffice(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    game: str,
    players: int,
) -> None:
    """A prompt that ends a line is followed by what a person would have typed, an Enter."""
    most = entry_of(game).rules.seats.most
    typed_lines = iter(["h", "nonsense", "", "0", "1", "", "chance", "", "", "q", "y"])

    def read(prompt: str) -> str:
        print(prompt)
        return next(typed_lines, "q")

    monkeypatch.setattr("builtins.input", read)
    words = ["--level", "easy", "--seed", "123456", "--players", str(min(players, most))]
    words += ["--people", str(min(players, most) if players > 2 else 1)]
    assert main(["play", game, "--tables", str(tmp_path), *words]) == 0
    shown = capsys.readouterr().out
    assert "leave the game?" in shown
    assert max(map(len, shown.splitlines())) <= NARROW + 1  # the space behind a prompt


def test_who_waits_to_throw_can_ask_for_help(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Seat 0 has the dice first; whatever else than Enter is typed does not throw them."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("h\n2\n\nq\n"))
    words = ["--level", "easy", "--players", "2", "--seed", "5", "--tables", str(tmp_path)]
    assert main(["play", "pasa", *words]) == 0
    shown = capsys.readouterr().out
    assert shown.count("you have the dice: Enter to throw") >= 3
    assert shown.count("Paro, a sum of 13") == 2
    assert shown.count("you throw ") == 1


def test_advice_says_why(typed: Callable[..., str]) -> None:
    """As ``ask --facts`` has it, in narrow lines."""
    shown = " ".join(typed(["?", "q"], "--players", "1").split())
    assert "why: keep 6 6 brings 21.77 points this turn" in shown
    assert "keep 5 6 6 gives up 2.16 points" in shown


def test_after_a_game_what_is_no_answer_is_asked_again(typed: Callable[..., str]) -> None:
    shown = typed([*WHOLE_GAME[:-1], "y", "h", "", "q"], "--level", "easy", "--players", "1")
    assert shown.count("expected r for what each decision cost") == 2
    assert "you roll 1 5 5 5 6" in shown.split("the game is over")[1]  # the second game


def test_an_interrupt_while_a_bot_thinks_asks_before_the_game_is_lost(
    typed: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Interrupted twice, stayed once: the bot moves, and the second time the game is left."""
    choose, times = EasyBot.choose, iter(range(9))

    def interrupted(bot: EasyBot, view: Any) -> Any:
        if next(times) in {0, 2}:
            raise KeyboardInterrupt
        return choose(bot, view)

    monkeypatch.setattr(EasyBot, "choose", interrupted)
    shown = typed(["", "y"], "--level", "easy", "--seat", "1")
    assert shown.count("leave the game? It is lost.") == 2
    assert shown.count("seat 0 keeps") == 1
    assert "the game is left" in shown
