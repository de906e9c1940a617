"""People and bots at one table in the terminal.

The game is shown before each move of a person; a move is typed, shown, and can
be taken back until the dice or cards fall.  Everything goes through the game's
registered object, so any game can be played.

Where several people play, each is told by name that it is their turn.  In a game
of hidden cards the screen is handed over: it is cleared, and nothing of a hand is
shown before the next one says that nobody else looks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ustad.runtime.core.entry import Text
from ustad.runtime.core.errors import MoveError, UsageError, UstadError
from ustad.runtime.core.facts import Facts, explain
from ustad.runtime.core.game import CHANCE, Bot
from ustad.runtime.core.texts import advice_text, cost_text
from ustad.runtime.record import Record, Writer, returns_of
from ustad.tables import TableError

TOLD = 8
"""How many options are told when the person asks for advice."""

HELP = "type a move, ? for advice, h for this help, q to leave"

GOES_ON = "Enter to go on, u to undo, ! for its cost"

CLEAR = "\x1b[2J\x1b[3J\x1b[H"
"""What makes a terminal empty: the screen, what can be scrolled back to, the cursor home."""


@dataclass(frozen=True)
class Adviser:
    """Who answers ``?`` and ``!``.

    Attributes:
        bot: makes who rates the moves, when it is first asked.
        facts: returns who knows what speaks for the moves that the bot rates, if anybody does.
    """

    bot: Callable[[], Bot[Any, Any]]
    facts: Callable[[Bot[Any, Any]], Facts[Any, Any] | None] = lambda bot: None


class LeaveGame(Exception):  # noqa: N818 - leaving is no error
    """The person wants to stop."""


@dataclass(frozen=True)
class Terminal:
    """Where a person reads and types.

    Attributes:
        read: shows a prompt and returns what was typed; raises EOFError at the end of input.
        write: shows a text.
        lost: what becomes of a game that is left.
    """

    read: Callable[[str], str]
    write: Callable[[str], None]
    lost: str = "It is lost."

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
            self.stay()

    def stay(self) -> None:
        """Ask whether the person really leaves.

        Raises:
            LeaveGame: the person does.
        """
        try:
            typed = self.read(f"leave the game? {self.lost} y to leave, Enter to go on > ")
        except (EOFError, KeyboardInterrupt):
            raise LeaveGame from None
        if typed.strip().lower() in {"y", "yes", "q", "quit"}:
            raise LeaveGame


class Table:
    """People and bots at one table.

    Args:
        record: the game, from its start or from where it was left.
        bots: by seat, None where a person sits.
        adviser: who answers.
        terminal: where people read and type.
        writer: writes the game down, if it is to be kept.
    """

    def __init__(
        self,
        record: Record,
        bots: Sequence[Bot[Any, Any] | None],
        adviser: Adviser,
        terminal: Terminal,
        writer: Writer | None = None,
    ) -> None:
        self.record, self.bots, self.adviser = record, bots, adviser
        self.terminal, self.writer = terminal, writer
        self.people = [seat for seat, bot in enumerate(bots) if bot is None]
        self.texts: list[Text[Any, Any]] = [
            record.entry.text.read_by(seat) for seat in range(len(bots))
        ]
        self.at_screen = self.people[0]
        self.since: dict[int, list[str]] = {seat: [] for seat in self.people}

    def play(self, luck: Any) -> Record | None:
        """Play the game to its end.

        Args:
            luck: the chance of the game.

        Returns:
            The finished game, None if it was left.

        Raises:
            RecordError: the game cannot be written down.
        """
        entry, state = self.record.entry, self.record.last
        steps, states = list(self.record.steps), list(self.record.states)
        self.terminal.write(HELP)
        try:
            while (player := state.current_player()) >= 0 or player == CHANCE:
                step = self._next_step(state, luck)
                after = state.apply(step)
                if self.writer:
                    self.writer.step(entry, state, step)
                self._tell(self.text.describe_step(state, step, after))
                state = after
                steps.append(step)
                states.append(state)
        except LeaveGame:
            self.terminal.write("the game is left")
            return None
        returns = returns_of(state)
        if self.writer and returns is not None:
            self.writer.end(returns)
        self.terminal.write(f"\n{self.text.describe(state)}")
        self.terminal.write(self.text.result(state))
        return replace(self.record, steps=tuple(steps), states=tuple(states), returns=returns)

    @property
    def text(self) -> Text[Any, Any]:
        """The words for who sits at the screen; several people are all called by their seats."""
        if len(self.people) == 1:
            return self.texts[self.at_screen]
        return self.record.entry.text

    def _tell(self, step: str) -> None:
        """Tell what happened, and keep it for those who do not sit at the screen."""
        self.terminal.write(step)
        for seat, told in self.since.items():
            if seat != self.at_screen:
                told.append(step)

    def _next_step(self, state: Any, luck: Any) -> Any:
        """Return what happens next; Ctrl-C asks first, also while a bot thinks."""
        while True:
            try:
                return self._step(state, luck)
            except KeyboardInterrupt:
                self.terminal.stay()

    def _step(self, state: Any, luck: Any) -> Any:
        """Return what happens next: a move, or what chance brings."""
        player = state.current_player()
        if player == CHANCE:
            if prompt := self.text.chance_prompt(state):
                self._wait(prompt, state)
            return luck.outcome(state)
        if (bot := self.bots[player]) is not None:
            return bot.choose(state.view(player))
        if len(self.people) > 1:
            self._hand_over(player)
        return _ask_person(self.texts[player], state.view(player), self.adviser, self.terminal)

    def _wait(self, prompt: str, state: Any) -> None:
        """Let the person press Enter; what else is typed is answered by the help."""
        while self.terminal.ask(f"{prompt} > "):
            self.terminal.write(_help(self.text, state))

    def _hand_over(self, player: int) -> None:
        """Let the person in a seat come to the screen."""
        name = self.record.players[player].name
        if self.at_screen != player and self.record.entry.rules.hidden:
            self.terminal.write(CLEAR)
            self.terminal.ask(f"{name} (seat {player}): Enter shows your hand > ")
            for step in self.since[player]:
                self.terminal.write(step)
        self.since[player].clear()
        self.at_screen = player
        self.terminal.write(f"\n{name} (seat {player}) to move")


def _ask_person(text: Text[Any, Any], view: Any, adviser: Adviser, terminal: Terminal) -> Any:
    """Return the move that the person settles on."""
    terminal.write("")
    terminal.write(text.describe(view))
    while True:
        typed = terminal.ask(f"{text.prompt(view)}\n> ")
        if typed in {"", "h", "help"}:
            terminal.write(_help(text, view))
        elif typed == "?":
            terminal.write(_told(lambda: _advice(text, adviser, view)))
        else:
            try:
                move = text.move_from_text(view, typed)
            except MoveError as error:
                terminal.write(f"{error}; h for help")
                continue
            if _settled(text, view, move, adviser, terminal):
                return move
            terminal.write("taken back")


def _help(text: Text[Any, Any], state: Any) -> str:
    """Return the rules in outline, the terms, and what can be typed."""
    return "\n".join(filter(None, [text.help(state), HELP]))


def _advice(text: Text[Any, Any], adviser: Adviser, view: Any) -> str:
    """Return the best moves with what they cost, why, and the chances that there are."""
    bot = adviser.bot()
    advice = bot.ask(view)
    told = text.shortlist([move for move, _ in advice.options], TOLD)
    facts = None
    if advice.value is not None and "why" not in (advice.extra or {}):
        facts = adviser.facts(bot)
    why = facts and explain(facts, text.describe_move, view, advice, top=1).why
    parts = [advice_text(text, advice, told, None, view), f"why: {why}" if why else ""]
    return "\n".join(filter(None, [*parts, text.chances(view)]))


def _settled(
    text: Text[Any, Any], view: Any, move: Any, adviser: Adviser, terminal: Terminal
) -> bool:
    """Let the person take the move back before anything follows from it."""
    told = text.describe_choice(view, move)
    questions = [f"{told}: {GOES_ON}"]
    if text.wastes(view, move):
        questions.append(f"really {told}? {GOES_ON}")

    def cost() -> str:
        return cost_text(text, adviser.bot().ask(view), move)

    return all(_goes_on(question, cost, terminal) for question in questions)


def _goes_on(question: str, cost: Callable[[], str], terminal: Terminal) -> bool:
    """Tell whether the person goes on; what is none of the answers is asked again."""
    while True:
        typed = terminal.ask(f"{question} > ")
        if typed in {"", "u"}:
            return typed == ""
        if typed == "!":
            terminal.write(_told(cost))
        else:
            terminal.write(f"expected {GOES_ON}")


def _told(answer: Callable[[], str]) -> str:
    """Return an answer, or what is missing for it."""
    try:
        return answer()
    except (UstadError, TableError) as error:
        return str(error)


def wants_another(
    terminal: Terminal, review: Callable[[], str], again: str, another: bool = True
) -> bool:
    """Offer the review of a game and ask for another one; the end of input says no.

    Args:
        terminal: where the person reads and types.
        review: makes the review.
        again: what is offered.
        another: whether there can be another game.
    """
    enter = f"Enter for {again}, q to leave" if another else "Enter to leave"
    while True:
        try:
            typed = terminal.read(f"r for what each decision cost, {enter} > ").strip()
        except (EOFError, KeyboardInterrupt):
            return False
        if typed == "r":
            terminal.write(_told(review))
        elif typed in {"", "q", "quit"}:
            return another and typed == ""
        else:
            terminal.write(f"expected r for what each decision cost, {enter}")


def check_seat(seat: int, players: int) -> int:
    """Return the seat if the table has it, else raise UsageError."""
    if not 0 <= seat < players:
        raise UsageError(f"--seat: expected 0 to {players - 1}, got {seat}")
    return seat
