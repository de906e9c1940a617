"""A person against bots in the terminal.

The game is shown before each of the person's moves; a move is typed, shown, and can
be taken back until the dice or cards fall.  Everything goes through the game's
registered object, so any game can be played.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ustad.runtime.core.errors import MoveError, UsageError, UstadError
from ustad.runtime.core.game import CHANCE, Advice, Bot, GameType
from ustad.tables import TableError

Read = Callable[[str], str]
Write = Callable[[str], None]

HELP = "type a move, ? for advice, h for this help, q to leave"


class LeaveGame(Exception):  # noqa: N818 - leaving is no error
    """The person wants to stop."""


def play(
    kind: GameType,
    rules: Any,
    bots: Sequence[Bot | None],
    adviser: Callable[[], Bot],
    seed: Sequence[int],
    first: int,
    read: Read,
    write: Write,
    advice_text: Callable[[GameType, Advice], str],
) -> Any | None:
    """Play one game.

    Args:
        kind: the game.
        rules: its rules with options.
        bots: by seat, None where the person sits.
        adviser: makes who answers ``?``, when it is first asked.
        seed: what the luck is drawn from.
        first: the seat that begins.
        read: shows a prompt and returns what was typed; raises EOFError at the end of input.
        write: shows a text.
        advice_text: renders advice.

    Returns:
        The finished state, None if the person left.
    """
    players = len(bots)
    luck = rules.luck(players, seed)
    state = kind.start(rules, players, seed, first)
    write(HELP)
    try:
        while (player := state.current_player()) >= 0 or player == CHANCE:
            if player == CHANCE:
                move = luck.outcome(state)
            elif (bot := bots[player]) is not None:
                move = bot.choose(state.view(player))
            else:
                move = _ask_person(kind, state, player, adviser, read, write, advice_text)
            after = state.apply(move)
            write(kind.describe_step(state, move, after))
            state = after
    except (EOFError, LeaveGame):
        write("the game is left")
        return None
    write(kind.describe(state))
    write(_result(bots, state))
    return state


def _ask_person(
    kind: GameType,
    state: Any,
    player: int,
    adviser: Callable[[], Bot],
    read: Read,
    write: Write,
    advice_text: Callable[[GameType, Advice], str],
) -> Any:
    """Return the move that the person settles on."""
    view = state.view(player)
    write("")
    write(kind.describe(view))
    while True:
        typed = read(f"{kind.prompt(view)}\n> ").strip()
        if typed in {"q", "quit"}:
            raise LeaveGame
        if typed in {"", "h", "help"}:
            write(HELP)
        elif typed == "?":
            try:
                write(advice_text(kind, adviser().ask(view)))
            except (UstadError, TableError) as error:
                write(str(error))
        else:
            try:
                move = kind.move_from_text(view, typed)
            except MoveError as error:
                write(str(error))
                continue
            if _settled(kind, move, read):
                return move
            write("taken back")


def _settled(kind: GameType, move: Any, read: Read) -> bool:
    """Let the person take the move back before anything follows from it."""
    typed = read(f"{kind.describe_move(move)}: Enter to go on, u to take it back > ")
    if typed.strip() in {"q", "quit"}:
        raise LeaveGame
    return typed.strip() == ""


def _result(bots: Sequence[Bot | None], state: Any) -> str:
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
