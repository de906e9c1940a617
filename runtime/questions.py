"""Questions about positions: what commands, protocol and Python callers ask.

:class:`Advisor` keeps the bots that it has made, with their open tables, so that
a second question costs no second opening.  :func:`ask` is the same for one line
of Python::

    from ustad.runtime import ask

    answer = ask({"game": "yacht", "sheets": [{}], "dice": [1, 1, 3, 4, 6], "rolls_left": 2})
    print(answer["best"], answer["value"])
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, overload

import numpy as np

from ustad.runtime.answers import ApplyAnswer, AskAnswer, LegalAnswer, MoveAnswer, NewAnswer
from ustad.runtime.core.entry import AnyEntry, Codec
from ustad.runtime.core.errors import MoveError, OutcomeError, UsageError, shown
from ustad.runtime.core.facts import Facts, Reasons, explain
from ustad.runtime.core.game import CHANCE, LEVELS, Advice, Bot, MoveT, State
from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.core.strict_json import is_int
from ustad.runtime.record import Record, from_json
from ustad.runtime.review import Review, level_of
from ustad.tables import TableError

DefaultT = TypeVar("DefaultT")

LARGEST_SEED = 2**63 - 1

_BOTS_KEPT = 8


def read_position(position: Any) -> tuple[AnyEntry, Any]:
    """Return the entry of the game and the state of a JSON position.

    Raises:
        UstadError: it is no position; the message says what was expected.
    """
    if not isinstance(position, dict):
        raise UsageError(f"position: expected an object, got {shown(position)}")
    entry = entry_of(position.get("game"))
    return entry, entry.codec.state_from_json(position)


def check_level(level: Any) -> str:
    """Return the level if it is one, else raise UsageError."""
    if not isinstance(level, str) or level not in LEVELS:
        raise UsageError(f"level: expected one of {', '.join(LEVELS)}, got {shown(level)}")
    return level


def check_seed(seed: Any) -> int:
    """Return the seed if it is one, else raise UsageError."""
    if not is_int(seed, 0, LARGEST_SEED):
        raise UsageError(f"seed: expected a whole number from 0 to 2^63 - 1, got {shown(seed)}")
    return int(seed)


def check_top(top: Any) -> int:
    """Return how many options to give if it is such a number, else raise UsageError."""
    if not is_int(top, 1, 10**9):
        raise UsageError(f"top: expected a whole number from 1 to {10**9}, got {shown(top)}")
    return int(top)


class Counsel(NamedTuple):
    """What a level says of a position, and of whom.

    Attributes:
        entry: the game.
        state: the position.
        advice: the best moves and the value of each.
        asked: the move that was asked about, None if none was or none is rated.
        reasons: what speaks for the moves, None if nobody wanted or nobody knows it.
    """

    entry: AnyEntry
    state: Any
    advice: Advice[Any]
    asked: Any = None
    reasons: Reasons[Any] | None = None


def advice_to_json(
    codec: Codec[Any, Any, Any],
    advice: Advice[Any],
    top: int | None = None,
    asked: Any = None,
    reasons: Reasons[Any] | None = None,
) -> AskAnswer:
    """Return advice as the JSON object that ``ask`` answers.

    Args:
        codec: writes the moves of the game it is about.
        advice: the advice.
        top: how many options to give, all by default.
        asked: one of the options, to be given apart.
        reasons: what speaks for these options.
    """

    def option(at: int) -> dict[str, Any]:
        move, value = advice.options[at]
        beside = {name: numbers[at] for name, numbers in advice.beside.items()}
        facts = {} if reasons is None else {"facts": reasons.of[move]}
        return {"move": codec.move_to_json(move), "value": value, **beside, **facts}

    answer: Any = {"best": [codec.move_to_json(move) for move in advice.best]}
    if advice.value is not None:
        answer["value"] = advice.value
        answer["unit"] = advice.unit
        answer["options"] = [option(at) for at in range(len(advice.options[:top]))]
    answer.update(advice.extra or {})
    if asked is not None:
        answer["asked"] = option([move for move, _ in advice.options].index(asked))
    if reasons is not None:
        answer |= reasons.about
        if reasons.why is not None:
            answer["why"] = reasons.why
    found: AskAnswer = answer
    return found


class Advisor:
    """Answers questions about positions of any game, each table being opened once.

    Positions are JSON in the methods of the protocol (``new``, ``legal``, ``ask``, ``move``,
    ``apply``); :meth:`probe` and :meth:`get` take a game's own states and return its own moves::

        >>> from ustad.runtime.games.raja_pasu.rules import RajaPasu, Sow
        >>> advisor = Advisor()
        >>> state = RajaPasu().new().apply(Sow(2))
        >>> advisor.probe(state, "medium").best
        [Sow(hole=11)]
        >>> advisor.legal({"game": "yacht", "sheets": [{}], "dice": None, "rolls_left": 3})
        {'legal': []}

    Args:
        tables: the folder of the table files, None for the usual places.
    """

    def __init__(self, tables: Path | str | None = None) -> None:
        self.tables = None if tables is None else Path(tables)
        self._bots: OrderedDict[tuple[Any, str, int], Bot[Any, Any]] = OrderedDict()
        self._facts = lru_cache(_BOTS_KEPT)(self._made_facts)

    def bot(self, entry: AnyEntry, rules: Any, level: str, seed: int = 0) -> Bot[Any, Any]:
        """Return the bot of a level for these rules, a known one if it was asked for lately."""
        key = (rules, level, seed if level in entry.levels.seeded else 0)
        if key not in self._bots:
            self._bots[key] = entry.levels.bot(level, rules, self.tables, seed)
            while len(self._bots) > _BOTS_KEPT:
                self._bots.popitem(last=False)
        self._bots.move_to_end(key)
        return self._bots[key]

    def probe(self, state: State[MoveT], level: str = "expert") -> Advice[MoveT]:
        """Return what a level says of a state: best moves, value, and every move with its value.

        Raises:
            TableError: the table that the level needs is missing or unfit; the message
                names the command that builds it.
            PositionError: it is what one seat knows, and another is to move.
        """
        bot = self.bot(entry_of(state.rules.name), state.rules, check_level(level))
        return bot.ask(state.view(max(state.current_player(), 0)))

    @overload
    def get(self, state: State[MoveT], *, level: str = "expert") -> Advice[MoveT] | None: ...

    @overload
    def get(
        self, state: State[MoveT], default: DefaultT, level: str = "expert"
    ) -> Advice[MoveT] | DefaultT: ...

    def get(
        self, state: State[MoveT], default: Any = None, level: str = "expert"
    ) -> Advice[MoveT] | Any:
        """Return what :meth:`probe` does, the default where the table is missing or unfit."""
        try:
            return self.probe(state, level)
        except TableError:
            return default

    def _made_facts(self, entry: AnyEntry, bot: Any, rules: Any) -> Facts[Any, Any] | None:
        """Return who knows what speaks for a bot's moves, None if nobody does."""
        return entry.levels.facts(bot, rules, self.tables)

    def advise(
        self,
        position: Any,
        level: str = "expert",
        top: int | None = None,
        facts: bool = False,
        move: Any = None,
        adviser: Bot[Any, Any] | None = None,
    ) -> Counsel:
        """Return what :meth:`ask` answers before it is written as JSON.

        Args:
            position: the position.
            level: who answers.
            top: how many options are wanted, all by default.
            facts: tell what speaks for them.
            move: a legal move that is asked about.
            adviser: who answers instead of the level.
        """
        entry, state = read_position(position)
        check_level(level)
        if not isinstance(facts, bool):
            raise UsageError(f"facts: expected true or false, got {shown(facts)}")
        asked = None if move is None else check_move(entry.codec, state, move)
        bot: Any = adviser or self.bot(entry, state.rules, level)
        view = state.view(max(state.current_player(), 0))
        advice: Advice[Any] = bot.ask(view)
        if asked is not None and asked not in dict(advice.options):
            asked = None  # who rates no moves cannot say what this one costs
        known = self._facts(entry, bot, state.rules) if facts and advice.value is not None else None
        if known is None:
            return Counsel(entry, state, advice, asked)
        reasons = explain(known, entry.text.describe_move, view, advice, top, asked)
        return Counsel(entry, state, advice, asked, reasons)

    def ask(
        self,
        position: Any,
        level: str = "expert",
        top: int | None = None,
        facts: bool = False,
        move: Any = None,
    ) -> AskAnswer:
        """Return the best moves, their value, and every legal move with its value.

        Args:
            position: the position.
            level: who answers.
            top: how many options to give, all by default.
            facts: tell of each option what speaks for it, and why the best is best.
            move: a legal move that is asked about: its option is given as ``asked``.

        Raises:
            UstadError: the question is wrong.
            TableError: the table it needs is missing or unfit.
        """
        entry, _, advice, asked, reasons = self.advise(position, level, top, facts, move)
        return advice_to_json(entry.codec, advice, top, asked, reasons)

    def review_of(self, game: Record, level: Any = None, unit: Any = None) -> Review:
        """Return the review of a record."""
        entry, rules = game.entry, game.start.rules
        unit, level = level_of(entry, unit, level)
        return Review(game, entry.levels.judge(unit, self.bot(entry, rules, level)))

    def review(self, record: Any, level: Any = None, unit: Any = None) -> dict[str, Any]:
        """Return what each decision of a game cost, and what luck did.

        For every seat ``start + luck + own + others = result``: see
        :mod:`ustad.runtime.review`.

        Args:
            record: ``{"start", "steps", "seats"}``.
            level: who judges, if a game has several that rate positions.
            unit: what to judge by.

        Raises:
            UstadError: it is no record, or nobody judges it so.
            TableError: the table it needs is missing or unfit.
        """
        return self.review_of(from_json(record), level, unit).to_json()

    def legal(self, position: Any) -> LegalAnswer:
        """Return the legal moves, none where the position waits for chance or is over."""
        entry, state = read_position(position)
        return {"legal": [entry.codec.move_to_json(move) for move in state.legal_moves()]}

    def move(self, position: Any, level: str = "expert", seed: int = 0) -> MoveAnswer:
        """Return the move that a bot of a level plays."""
        entry, state = read_position(position)
        level, seed = check_level(level), check_seed(seed)
        player = state.current_player()
        if player < 0:
            raise MoveError("position: there is no move to make here: expected a seat to move")
        chosen = self.bot(entry, state.rules, level, seed).choose(state.view(player))
        return {"move": entry.codec.move_to_json(chosen)}

    def new(
        self,
        game: Any,
        options: Any = None,
        players: Any = None,
        seed: Any = 0,
        first: Any = 0,
    ) -> NewAnswer:
        """Return the start of a game, seat ``first`` beginning, its bots made ready.

        Where the start is dealt, the seed deals it.
        """
        entry = entry_of(game)
        check_seed(seed)
        rules = entry.rules.read({} if options is None else options)
        least, most, usual = entry.rules.seats
        seats = usual if players is None else players
        if not is_int(seats, least, most):
            raise UsageError(f"players: expected {least} to {most}, got {shown(seats)}")
        if not is_int(first, 0, seats - 1):
            raise UsageError(f"first: expected 0 to {seats - 1}, got {shown(first)}")
        entry.levels.prepare()
        return {"position": entry.codec.state_to_json(rules.new(seats, first, (seed,)))}

    def apply(
        self, position: Any, move: Any = None, outcome: Any = None, seed: Any = None
    ) -> ApplyAnswer:
        """Return the position after a move or an outcome, and what happened, in order.

        A position that waits for chance takes an outcome, or a seed that draws
        one.  A move given together with an outcome or a seed lets the chance that
        it leads to fall too.

        Raises:
            UstadError: the position, the move or the outcome is wrong.
        """
        entry, state = read_position(position)
        codec = entry.codec
        events: list[dict[str, Any]] = []
        if move is None and outcome is None and seed is None:
            raise UsageError("apply: expected a move, an outcome or a seed")
        if outcome is not None and seed is not None:
            raise UsageError("apply: expected an outcome or a seed, not both")
        if move is not None:
            if state.current_player() == CHANCE:
                raise MoveError("move: the position waits for chance: expected an outcome or seed")
            state = _step(codec, state, codec.move_from_json(move), events)
        if outcome is not None or seed is not None:
            if state.current_player() != CHANCE:
                if move is None or outcome is not None:
                    raise OutcomeError("outcome: no chance is to fall here: expected a move alone")
            else:
                fallen = (
                    codec.outcome_from_json(outcome)
                    if seed is None
                    else draw_outcome(state, check_seed(seed))
                )
                state = _step(codec, state, fallen, events)
        return {"position": codec.state_to_json(state), "events": events}


def check_move(codec: Codec[Any, Any, Any], state: Any, move: Any) -> Any:
    """Return the legal move that a JSON object describes, or raise MoveError."""
    if state.current_player() < 0:
        raise MoveError("move: there is no move to make here: expected a seat to move")
    found = codec.move_from_json(move)
    state.apply(found)  # says what is wrong with a move that is not legal
    return found


def _step(codec: Codec[Any, Any, Any], state: Any, move: Any, events: list[dict[str, Any]]) -> Any:
    """Return the state after a move or outcome, what happened being added to the events."""
    after = state.apply(move)
    events += codec.events(state, move, after)
    return after


def draw_outcome(state: Any, seed: int) -> Any:
    """Return a chance outcome of a state, drawn from a seed with its probability."""
    outcomes = state.chance_outcomes()
    limits = np.cumsum([probability for _, probability in outcomes])
    drawn = np.random.default_rng(seed).random() * limits[-1]
    return outcomes[int(np.searchsorted(limits, drawn, side="right"))][0]


@lru_cache(maxsize=4)
def _advisor(tables: Path | None) -> Advisor:
    return Advisor(tables)


def ask(
    position: Mapping[str, Any], level: str = "expert", tables: Path | str | None = None
) -> AskAnswer:
    """Return the best move of a position and what every other move costs.

    Args:
        position: a position as JSON writes it.
        level: ``easy``, ``medium``, ``hard`` or ``expert``.
        tables: the folder of the table files, None for the usual places.

    Returns:
        The object that ``ustad ask --json`` prints: ``best`` (all moves tied),
        ``value``, ``unit``, and ``options`` sorted best first.

    Raises:
        UstadError: the question is wrong.
        TableError: the table it needs is missing or unfit.
    """
    return _advisor(None if tables is None else Path(tables)).ask(
        dict(position) if isinstance(position, Mapping) else position, level
    )
