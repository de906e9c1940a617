"""A person against bots in the terminal.

The game is shown before each of the person's moves; a move is typed, shown, and can
be taken back until the dice or cards fall.  Everything goes through the game's
registered object, so any game can be played.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ustad.runtime.core.entry import AnyEntry
from ustad.runtime.core.errors import MoveError, UsageError, UstadError
from ustad.runtime.core.game import CHANCE, Bot
from ustad.runtime.core.texts import advice_text
from ustad.tables import TableError

Read = Callable[[str], str]
Write = Callable[[str], None]

TOLD = 8
"""How many options are told when the person asks for advice."""

HELP = "type a move, ? for advice, h for this help, q to leave"


class LeaveGame(Exception):  # noqa: N818 - leaving is no error
    """The person wants to stop."""


def play(
    entry: AnyEntry,
    rules: Any,
    bots: Sequence[Bot[Any, Any] | None],
    adviser: Callable[[], Bot[Any, Any]],
    seed: Sequence[int],
    first: int,
    read: Read,
    write: Write,
) -> Any | None:
    """Play one game.

    Args:
        entry: the game.
        rules: its rules with options.
        bots: by seat, None where the person sits.
        adviser: makes who answers ``?``, when it is first asked.
        seed: what the luck is drawn from.
        first: the seat that begins.
        read: shows a prompt and returns what was typed; raises EOFError at the end of input.
        write: shows a text.

    Returns:
        The finished state, None if the person left.
    """
    players = len(bots)
    luck = rules.luck(players, seed)
    state = rules.new(players, first, seed)
    write(HELP)
    try:
        while (player := state.current_player()) >= 0 or player == CHANCE:
            if player == CHANCE:
                move = luck.outcome(state)
            elif (bot := bots[player]) is not None:
                move = bot.choose(state.view(player))
            else:
                move = _ask_person(entry, state, player, adviser, read, write)
            after = state.apply(move)
            write(entry.text.describe_step(state, move, after))
            state = after
    except (EOFError, LeaveGame):
        write("the game is left")
        return None
    write(entry.text.describe(state))
    write(_result(bots, state))
    return state


def _ask_person(
    entry: AnyEntry,
    state: Any,
    player: int,
    adviser: Callable[[], Bot[Any, Any]],
    read: Read,
    write: Write,
) -> Any:
    """Return the move that the person settles on."""
    view = state.view(player)
    write("")
    write(entry.text.describe(view))
    while True:
        typed = read(f"{entry.text.prompt(view)}\n> ").strip()
        if typed in {"q", "quit"}:
            raise LeaveGame
        if typed in {"", "h", "help"}:
            write(HELP)
        elif typed == "?":
            try:
                write(advice_text(entry.text, adviser().ask(view), TOLD))
            except (UstadError, TableError) as error:
                write(str(error))
        else:
            try:
                move = entry.text.move_from_text(view, typed)
            except MoveError as error:
                write(str(error))
                continue
            if _settled(entry, move, read):
                return move
            write("taken back")


def _settled(entry: AnyEntry, move: Any, read: Read) -> bool:
    """Let the person take the move back before anything follows from it."""
    typed = read(f"{entry.text.describe_move(move)}: Enter to go on, u to take it back > ")
    if typed.strip() in {"q", "quit"}:
        raise LeaveGame
    return typed.strip() == ""


def _result(bots: Sequence[Bot[Any, Any] | None], state: Any) -> str:
    """Return who gained what."""
    names = ["you" if bot is None else f"seat {seat}" for seat, bot in enumerate(bots)]
    return "\n".join(
        f"{name}: {score:g} points, gains {gain:g}"
        for name, score, gain in zip(names, state.scores(), state.returns(), strict=True)
    )


def wants_another(read: Read) -> bool:
    """Ask whether another game is to be played; the end of input says no."""
    try:
        return read("Enter for another game, q to leave > ").strip() == ""
    except EOFError:
        return False


def check_seat(seat: int, players: int) -> int:
    """Return the seat if the table has it, else raise UsageError."""
    if not 0 <= seat < players:
        raise UsageError(f"--seat: expected 0 to {players - 1}, got {seat}")
    return seat
