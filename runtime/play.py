"""A person against bots in the terminal.

The game is shown before each of the person's moves; a move is typed, shown, and can
be taken back until the dice or cards fall.  Everything goes through the game's
registered object, so any game can be played.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ustad.runtime.core.entry import AnyEntry, Text
from ustad.runtime.core.errors import MoveError, UsageError, UstadError
from ustad.runtime.core.game import CHANCE, Bot
from ustad.runtime.core.texts import advice_text
from ustad.tables import TableError

TOLD = 8
"""How many options are told when the person asks for advice."""

HELP = "type a move, ? for advice, h for this help, q to leave"

GOES_ON = "Enter to go on, u to take it back"


class LeaveGame(Exception):  # noqa: N818 - leaving is no error
    """The person wants to stop."""


@dataclass(frozen=True)
class Terminal:
    """Where a person reads and types.

    Attributes:
        read: shows a prompt and returns what was typed; raises EOFError at the end of input.
        write: shows a text.
    """

    read: Callable[[str], str]
    write: Callable[[str], None]

    def ask(self, prompt: str) -> str:
        """Return what was typed, without the spaces around it.

        Raises:
            LeaveGame: the person wants to leave (``q``, Ctrl-C, Ctrl-D), and has said so twice.
        """
        while True:
            try:
                typed = self.read(prompt).strip()
            except (EOFError, KeyboardInterrupt):
                typed = "q"
            if typed not in {"q", "quit"}:
                return typed
            if self._leaves():
                raise LeaveGame

    def _leaves(self) -> bool:
        try:
            typed = self.read("leave the game? It is lost. y to leave, Enter to go on > ")
        except (EOFError, KeyboardInterrupt):
            return True
        return typed.strip().lower() in {"y", "yes", "q", "quit"}


def play(
    entry: AnyEntry,
    rules: Any,
    bots: Sequence[Bot[Any, Any] | None],
    adviser: Callable[[], Bot[Any, Any]],
    seed: Sequence[int],
    first: int,
    terminal: Terminal,
) -> Any | None:
    """Play one game.

    Args:
        entry: the game.
        rules: its rules with options.
        bots: by seat, None where the person sits.
        adviser: makes who answers ``?``, when it is first asked.
        seed: what the luck is drawn from.
        first: the seat that begins.
        terminal: where the person reads and types.

    Returns:
        The finished state, None if the person left.
    """
    players = len(bots)
    luck = rules.luck(players, seed)
    state = rules.new(players, first, seed)
    text = entry.text.read_by(bots.index(None))
    terminal.write(HELP)
    try:
        while (player := state.current_player()) >= 0 or player == CHANCE:
            if player == CHANCE:
                if prompt := text.chance_prompt(state):
                    terminal.ask(f"{prompt} > ")
                move = luck.outcome(state)
            elif (bot := bots[player]) is not None:
                move = bot.choose(state.view(player))
            else:
                move = _ask_person(text, state.view(player), adviser, terminal)
            after = state.apply(move)
            terminal.write(text.describe_step(state, move, after))
            state = after
    except LeaveGame:
        terminal.write("the game is left")
        return None
    terminal.write(text.describe(state))
    terminal.write(text.result(state))
    return state


def _ask_person(
    text: Text[Any, Any], view: Any, adviser: Callable[[], Bot[Any, Any]], terminal: Terminal
) -> Any:
    """Return the move that the person settles on."""
    terminal.write("")
    terminal.write(text.describe(view))
    while True:
        typed = terminal.ask(f"{text.prompt(view)}\n> ")
        if typed in {"", "h", "help"}:
            terminal.write("\n".join(filter(None, [text.outline, HELP])))
        elif typed == "?":
            try:
                terminal.write(advice_text(text, adviser().ask(view), TOLD))
            except (UstadError, TableError) as error:
                terminal.write(str(error))
        else:
            try:
                move = text.move_from_text(view, typed)
            except MoveError as error:
                terminal.write(f"{error}; h for help")
                continue
            if _settled(text, view, move, terminal):
                return move
            terminal.write("taken back")


def _settled(text: Text[Any, Any], view: Any, move: Any, terminal: Terminal) -> bool:
    """Let the person take the move back before anything follows from it."""
    told = text.describe_choice(view, move)
    questions = [f"{told}: {GOES_ON}"]
    if text.wastes(view, move):
        questions.append(f"really {told}? {GOES_ON}")
    return all(_goes_on(question, terminal) for question in questions)


def _goes_on(question: str, terminal: Terminal) -> bool:
    """Tell whether the person goes on; what is neither Enter nor u is asked again."""
    while True:
        typed = terminal.ask(f"{question} > ")
        if typed in {"", "u"}:
            return typed == ""
        terminal.write(f"expected {GOES_ON}")


def wants_another(terminal: Terminal) -> bool:
    """Ask whether another game is to be played; the end of input says no."""
    try:
        return terminal.read("Enter for another game, q to leave > ").strip() == ""
    except (EOFError, KeyboardInterrupt):
        return False


def check_seat(seat: int, players: int) -> int:
    """Return the seat if the table has it, else raise UsageError."""
    if not 0 <= seat < players:
        raise UsageError(f"--seat: expected 0 to {players - 1}, got {seat}")
    return seat
