"""Questions about positions: the one protocol of Python, commands, lines and HTTP.

:mod:`ustad.runtime.methods` has its methods and their keys; :meth:`Advisor.call` calls one by its
name, and :meth:`Advisor.respond` answers a whole request, whatever is wrong with it.

:class:`Advisor` keeps the bots that it has made, with their open tables, so that
a second question costs no second opening.  :func:`ask` is the same for one line
of Python::

    from ustad.runtime import ask

    answer = ask({"game": "yacht", "sheets": [{}], "dice": [1, 1, 3, 4, 6], "rolls_left": 2})
    print(answer["best"], answer["value"])
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple, TypeVar, overload

from ustad.runtime.answers import (
    ApplyAnswer,
    AskAnswer,
    BatchAnswer,
    GameAnswer,
    GamesAnswer,
    LegalAnswer,
    MoveAnswer,
    NewAnswer,
    PingAnswer,
    Response,
    Status,
    StatusAnswer,
    ViewAnswer,
)
from ustad.runtime.core import registry
from ustad.runtime.core.chance import Chance
from ustad.runtime.core.entry import AnyEntry, Codec
from ustad.runtime.core.errors import MoveError, OutcomeError, UsageError, UstadError, shown
from ustad.runtime.core.facts import Facts, Reasons, explain
from ustad.runtime.core.game import CHANCE, LEVELS, OVER, Advice, Bot, MoveT, State
from ustad.runtime.core.options import Option, WholeNumber
from ustad.runtime.core.registry import entry as entry_of
from ustad.runtime.core.strength import BetweenBot, check_strength, rating_level
from ustad.runtime.core.strict_json import Fields, is_int
from ustad.runtime.methods import (
    LARGEST_BATCH,
    METHODS,
    MOST_MS,
    MOST_POINTS,
    check_id,
    check_level,
    check_seed,
    check_top,
    error_to_json,
    seed_or_fresh,
)
from ustad.runtime.record import Record, from_json
from ustad.runtime.review import Review, level_of
from ustad.tables import TableError, open_tables, option_text, tables_folder

DefaultT = TypeVar("DefaultT")

_SIDE_BY_SIDE = 1024
"""Positions that a bot gets ready for at once: it remembers more turns than these."""

_BOTS_KEPT = 24
"""Bots that are kept: the levels of a server's games, of some option sets."""


def read_position(position: Any) -> tuple[AnyEntry, Any]:
    """Return the entry of the game and the state of a JSON position.

    Raises:
        UstadError: it is no position; the message says what was expected.
    """
    if not isinstance(position, dict):
        raise UsageError(f"position: expected an object, got {shown(position)}")
    entry = entry_of(position.get("game"))
    return entry, entry.codec.state_from_json(position)


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
        self._bots: OrderedDict[tuple[Any, str], Bot[Any, Any]] = OrderedDict()
        self._facts = lru_cache(_BOTS_KEPT)(self._made_facts)
        self._started = monotonic()

    # Requests.

    def respond(self, request: Any, without: Sequence[str] = ()) -> Response:
        """Return the result of a request or what is wrong with it, and its id if it has one.

        Args:
            request: a method, its keys, and perhaps an ``id``, as JSON.
            without: methods that are not to be had here.
        """
        told: Response = {}
        try:
            fields = Fields(request, "request", UsageError)
            if (name := fields.take("id", None)) is not None:
                told["id"] = check_id(name)
            method = fields.one_of("method", [name for name in METHODS if name not in without])
            told["result"] = self.call(method, fields)
        except (UstadError, TableError) as error:
            told["error"] = error_to_json(error.kind, str(error))
        except Exception as error:  # a fault of ours must not end the games of others
            told["error"] = error_to_json("internal", f"{type(error).__name__}: {error}")
        return told

    def call(self, method: str, request: Fields | Mapping[str, Any]) -> dict[str, Any]:
        """Return what a method answers.

        Args:
            method: one of :data:`METHODS`.
            request: its keys with their values; null stands for a key that is not there.

        Raises:
            UstadError: the request is wrong.
            TableError: a table that it needs is missing or unfit.
        """
        declared = METHODS[method]
        fields = request if isinstance(request, Fields) else Fields(request, "request", UsageError)
        given = {
            key: fields.take(key) if key in declared.required else fields.take(key, None)
            for key in declared.keys
        }
        fields.done()
        known = {k: v for k, v in given.items() if v is not None or k in declared.required}
        function: Callable[..., dict[str, Any]] = getattr(self, method)
        return function(**known)

    def batch(self, requests: Any) -> BatchAnswer:
        """Return the result or the error of each of many requests, in their order."""
        if not isinstance(requests, list) or len(requests) > LARGEST_BATCH:
            got = f"{len(requests)} of them" if isinstance(requests, list) else shown(requests)
            raise UsageError(
                f"requests: expected a list of at most {LARGEST_BATCH} requests, got {got}"
            )
        return {"results": [self.respond(request, ("batch",)) for request in requests]}

    def ping(self) -> PingAnswer:
        """Return the version, for how many seconds this has run, and how many tables are open."""
        up = round(monotonic() - self._started, 3)
        return {"version": version("ustad"), "seconds": up, "tables": len(open_tables())}

    # Bots and advice.

    def bot(
        self,
        entry: AnyEntry,
        rules: Any,
        level: str,
        seed: int = 0,
        strength: float | None = None,
    ) -> Bot[Any, Any]:
        """Return the bot of a level for these rules, a known one if it was asked for lately.

        Args:
            entry: the game.
            rules: its rules.
            level: the level.
            seed: what its random choices are drawn from.
            strength: how strong it is between level easy, 0, and the level, 1; None: the level.
        """
        if strength is not None:
            bot = self.bot(entry, rules, level, seed)
            rater = self.bot(entry, rules, rating_level(entry, level), seed)
            return BetweenBot(entry, bot, rater, strength, seed)
        if level in entry.levels.seeded:  # it is made at once, and each seed needs its own
            return entry.levels.bot(level, rules, self.tables, seed)
        key = (rules, level)
        if key not in self._bots:
            self._bots[key] = entry.levels.bot(level, rules, self.tables, seed)
            while len(self._bots) > _BOTS_KEPT:
                self._bots.popitem(last=False)
        self._bots.move_to_end(key)
        return self._bots[key]

    def has_bot(self, rules: Any, level: str) -> bool:
        """Tell whether the bot of a level for these rules was asked for lately."""
        return (rules, level) in self._bots

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
        target: int | None = None,
        max_ms: int | None = None,
        strength: float | None = None,
    ) -> Counsel:
        """Return what :meth:`ask` answers before it is written as JSON.

        Args:
            position: the position.
            level: who answers.
            top: how many options are wanted, all by default.
            facts: tell what speaks for them.
            move: a legal move that is asked about.
            adviser: who answers instead of the level.
            target: a total; asked for is the best chance of it, in games that know it.
            max_ms: milliseconds that a search may take, for as long as it needs by default.
            strength: tell how likely the level at this strength is to play each move.
        """
        entry, state = read_position(position)
        check_level(level)
        if strength is not None:
            check_strength(strength)
        if top is not None:
            check_top(top)
        if not isinstance(facts, bool):
            raise UsageError(f"facts: expected true or false, got {shown(facts)}")
        asked = None if move is None else check_move(entry.codec, state, move)
        if target is not None:
            if strength is not None:
                raise UsageError("strength: expected none beside a target")
            adviser = self._adviser(entry, state.rules, level, target)
        bot: Any = adviser or self.bot(entry, state.rules, level, strength=strength)
        view = state.view(max(state.current_player(), 0))
        advice: Advice[Any] = _within(bot, max_ms).ask(view)
        if asked is not None and asked not in dict(advice.options):
            asked = None  # who rates no moves cannot say what this one costs
        known = None
        if facts and advice.value is not None:
            rater: Any = bot.rater if isinstance(bot, BetweenBot) else bot
            known = self._facts(entry, rater, state.rules)
        if known is None:
            return Counsel(entry, state, advice, asked)
        reasons = explain(known, entry.text.describe_move, view, advice, top, asked)
        return Counsel(entry, state, advice, asked, reasons)

    def _adviser(
        self, entry: AnyEntry, rules: Any, level: str, target: Any
    ) -> Bot[Any, Any] | None:
        """Return who knows the chance of a total."""
        if "--target" not in {flag.name for flag in entry.flags.of_adviser}:
            raise UsageError(f"target: expected none, since nobody knows it in {entry.name}")
        if not is_int(target, 0, MOST_POINTS):
            expected = f"a whole number from 0 to {MOST_POINTS}"
            raise UsageError(f"target: expected {expected}, got {shown(target)}")
        if level != "expert":
            raise UsageError(f"level: no level plays for a target, got {shown(level)}")
        return entry.flags.adviser({"target": str(target), "level": level}, rules, self.tables)

    def ask(
        self,
        position: Any,
        level: str = "expert",
        top: int | None = None,
        facts: bool = False,
        move: Any = None,
        target: int | None = None,
        max_ms: int | None = None,
        strength: float | None = None,
    ) -> AskAnswer:
        """Return the best moves, their value, and every legal move with its value.

        Args:
            position: the position.
            level: who answers.
            top: how many options to give, all by default.
            facts: tell of each option what speaks for it, and why the best is best.
            move: a legal move that is asked about: its option is given as ``asked``.
            target: a total; asked for is the best chance of it (yacht).
            max_ms: milliseconds that a search may take, for as long as it needs by default.
            strength: tell how likely the level at this strength is to play each move, as
                ``probability`` of each option.

        Raises:
            UstadError: the question is wrong.
            TableError: the table it needs is missing or unfit.
        """
        entry, _, advice, asked, reasons = self.advise(
            position, level, top, facts, move, None, target, max_ms, strength
        )
        return advice_to_json(entry.codec, advice, top, asked, reasons)

    def ask_many(
        self, positions: Sequence[Any], level: str = "expert", top: int | None = None
    ) -> list[AskAnswer]:
        """Return what :meth:`ask` answers about each of many positions, in their order.

        Turns of games of dice are solved side by side, which is quicker than one by one.

        Raises:
            UstadError: a position is none.
            TableError: a table that one needs is missing or unfit.
        """
        check_level(level)
        found: list[Any] = [None] * len(positions)
        for bot, places, views in self._by_bot(positions, level):
            bot.get_ready(views)
            for at, view in zip(places, views, strict=True):
                codec = entry_of(view.rules.name).codec
                found[at] = advice_to_json(codec, bot.ask(view), top)
        return found

    def choose_many(
        self, positions: Sequence[Any], level: str = "expert", seed: int = 0
    ) -> list[dict[str, Any]]:
        """Return the move that a level plays in each of many positions, in their order.

        Raises:
            UstadError: a position is none, or no seat is to move there.
            TableError: a table that one needs is missing or unfit.
        """
        check_level(level)
        check_seed(seed)
        found: list[Any] = [None] * len(positions)
        for bot, places, views in self._by_bot(positions, level, seed):
            for at, view in zip(places, views, strict=True):
                if view.current_player() < 0:
                    raise MoveError(f"positions[{at}]: expected a seat to move, got none")
            codec = entry_of(views[0].rules.name).codec
            for at, move in zip(places, bot.choose_many(views), strict=True):
                found[at] = codec.move_to_json(move)
        return found

    def _by_bot(
        self, positions: Sequence[Any], level: str, seed: int = 0
    ) -> Iterator[tuple[Bot[Any, Any], list[int], list[Any]]]:
        """Yield each bot that positions are for, their places, and what the mover sees there."""
        places: dict[Any, list[int]] = {}
        views = []
        for at, position in enumerate(positions):
            _, state = read_position(position)
            views.append(state.view(max(state.current_player(), 0)))
            places.setdefault(state.rules, []).append(at)
        for rules, of in places.items():
            bot = self.bot(entry_of(rules.name), rules, level, seed)
            for begin in range(0, len(of), _SIDE_BY_SIDE):
                part = of[begin : begin + _SIDE_BY_SIDE]
                yield bot, part, [views[at] for at in part]

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

    def move(
        self,
        position: Any,
        level: str = "expert",
        seed: int | None = None,
        max_ms: int | None = None,
        strength: float | None = None,
    ) -> MoveAnswer:
        """Return the move that a bot of a level plays, and the seed that repeats it.

        Args:
            position: the position.
            level: the level.
            seed: what its random choices are drawn from, drawn afresh by default.
            max_ms: milliseconds that a search may take, for as long as it needs by default.
            strength: from 0, about level easy, to 1, the level.

        Raises:
            UstadError: the question is wrong.
            TableError: the table it needs is missing or unfit.
        """
        entry, state = read_position(position)
        level, seed = check_level(level), seed_or_fresh(seed)
        if strength is not None:
            check_strength(strength)
        player = state.current_player()
        if player < 0:
            raise MoveError("position: there is no move to make here: expected a seat to move")
        bot = _within(self.bot(entry, state.rules, level, seed, strength), max_ms)
        chosen = bot.choose(state.view(player))
        return {"move": entry.codec.move_to_json(chosen), "seed": seed}

    # Games.

    def games(self) -> GamesAnswer:
        """Return what there is to play: options, seats, levels, and which tables are there."""
        return {"games": {name: self._game(entry_of(name)) for name in registry.NAMES}}

    def _game(self, entry: AnyEntry) -> GameAnswer:
        folder = tables_folder(self.tables)
        specs = [entry.tables.spec(options) for options in entry.tables.defaults()]
        return {
            "title": entry.title,
            "options": {option.name: _option_to_json(option) for option in entry.rules.options},
            "players": dict(entry.rules.seats._asdict()),
            "levels": list(LEVELS),
            "tables": {spec.file_name: spec.path(folder).is_file() for spec in specs},
        }

    def new(
        self,
        game: Any,
        options: Any = None,
        players: Any = None,
        seed: Any = None,
        first: Any = 0,
        whole: Any = False,
    ) -> NewAnswer:
        """Return the start of a game, seat ``first`` beginning, its bots made ready.

        Where the start is dealt, the seed deals it.  What is hidden is left out of the
        position, which is what seat ``first`` knows, unless ``whole`` is true.
        """
        entry = entry_of(game)
        seed = seed_or_fresh(seed)
        rules = entry.rules.read({} if options is None else options)
        least, most, usual = entry.rules.seats
        seats = usual if players is None else players
        if not is_int(seats, least, most):
            raise UsageError(f"players: expected {least} to {most}, got {shown(seats)}")
        if not is_int(first, 0, seats - 1):
            raise UsageError(f"first: expected 0 to {seats - 1}, got {shown(first)}")
        if not isinstance(whole, bool):
            raise UsageError(f"whole: expected true or false, got {shown(whole)}")
        entry.levels.prepare()
        state = rules.new(seats, first, seed)
        shown_state = state if whole else state.view(first)
        return {**_told(entry.codec, shown_state), "seed": seed}

    def status(self, position: Any) -> StatusAnswer:
        """Return who is to do what, and once it is over, who has won."""
        entry, state = read_position(position)
        return {"status": status_of(entry.codec, state)}

    def view(self, position: Any, seat: Any) -> ViewAnswer:
        """Return what a seat may know of a position, as a position."""
        entry, state = read_position(position)
        seats = len(state.scores())
        if not is_int(seat, 0, seats - 1):
            raise UsageError(f"seat: expected a seat from 0 to {seats - 1}, got {shown(seat)}")
        return _told(entry.codec, state.view(seat))

    def legal(self, position: Any) -> LegalAnswer:
        """Return the legal moves, none where the position waits for chance or is over."""
        entry, state = read_position(position)
        return {"legal": [entry.codec.move_to_json(move) for move in state.legal_moves()]}

    def apply(
        self, position: Any, move: Any = None, outcome: Any = None, seed: Any = None
    ) -> ApplyAnswer:
        """Return the position after a move or an outcome, and what happened, in order.

        A position that waits for chance takes an outcome, or a seed that chance one; with
        neither it is drawn from a seed that nobody foresees.  A move given together with an
        outcome or a seed lets the chance that it leads to fall too.

        Raises:
            UstadError: the position, the move or the outcome is wrong.
        """
        entry, state = read_position(position)
        codec, waits = entry.codec, state.current_player() == CHANCE
        events: list[dict[str, Any]] = []
        if outcome is not None and seed is not None:
            raise UsageError("apply: expected an outcome or a seed, not both")
        if move is not None:
            if waits:
                raise MoveError("move: the position waits for chance: expected an outcome or seed")
            state = _step(codec, state, codec.move_from_json(move), events)
        elif not waits and outcome is None and seed is None:
            raise UsageError("apply: expected a move, an outcome or a seed")
        used = None
        if move is None or outcome is not None or seed is not None:
            if state.current_player() == CHANCE:
                if outcome is None:
                    used = seed_or_fresh(seed)
                    fallen = draw_outcome(codec, state, used)
                else:
                    fallen = codec.outcome_from_json(outcome)
                state = _step(codec, state, fallen, events)
            elif move is None or outcome is not None:
                raise OutcomeError("outcome: no chance is to fall here: expected a move alone")
        now = _told(codec, state)
        answer: ApplyAnswer = {
            "position": now["position"],
            "events": events,
            "status": now["status"],
        }
        if used is not None:
            answer["seed"] = used
        return answer

    def hand(
        self,
        cards: Any,
        tiplu: Any = None,
        laid: Any = None,
        not_shown: Any = False,
        after_show: Any = False,
        options: Any = None,
    ) -> dict[str, Any]:
        """Return what ``ustad hand`` answers: what a hand of Marriage is, and what it needs."""
        for key, value in (("not_shown", not_shown), ("after_show", after_show)):
            if not isinstance(value, bool):
                raise UsageError(f"{key}: expected true or false, got {shown(value)}")
        if laid is not None and not isinstance(laid, list):
            raise UsageError(f"laid: expected a list of tanelas, got {shown(laid)}")
        rules = entry_of(registry.OWN_COMMANDS["hand"]).rules
        chosen = rules.read_options({} if options is None else options)
        return registry.command("hand").run(
            {
                "cards": _cards("cards", cards),
                "tiplu": None if tiplu is None else _cards("tiplu", tiplu),
                "laid": None if laid is None else [_cards("laid", tanela) for tanela in laid],
                "not_shown": not_shown,
                "after_show": after_show,
                "option": [f"{name}={option_text(value)}" for name, value in chosen.items()],
            }
        )


def _within(bot: Bot[Any, Any], max_ms: Any) -> Bot[Any, Any]:
    """Return a bot that searches for so many milliseconds at most, or raise UsageError."""
    if max_ms is None:
        return bot
    if not is_int(max_ms, 1, MOST_MS):
        raise UsageError(
            f"max_ms: expected a whole number from 1 to {MOST_MS}, got {shown(max_ms)}"
        )
    return bot.within(max_ms / 1000)


def _cards(key: str, value: Any) -> str:
    """Return cards given as a text or as a list, as the text that the command takes."""
    if isinstance(value, list) and all(isinstance(card, str) for card in value):
        return " ".join(value)
    if not isinstance(value, str):
        raise UsageError(f'{key}: expected cards such as "7H 10D PJ", got {shown(value)}')
    return value


def _option_to_json(option: Option) -> dict[str, Any]:
    """Return what an option may be, its default and what it means."""
    told: dict[str, Any] = {"default": option.default}
    if option.choices:
        told["choices"] = list(option.choices)
    if isinstance(option, WholeNumber):
        told |= {"low": option.low, "high": option.high}
    return {**told, "help": option.help}


def status_of(codec: Codec[Any, Any, Any], state: Any) -> Status:
    """Return who is to do what, the scores, and once it is over, who has won.

    Those have won who gain most; what the position does not tell is null.
    """
    player = state.current_player()
    over = player == OVER
    scores = codec.scores(state)
    returns = codec.returns(state) if over else None
    return {
        "to": "over" if over else "chance" if player == CHANCE else "move",
        "seat": player if player >= 0 else None,
        "scores": None if scores is None else _numbers(scores),
        "returns": None if returns is None else _numbers(returns),
        "winners": None
        if returns is None
        else [seat for seat, gained in enumerate(returns) if gained == max(returns)],
    }


def _numbers(numbers: Sequence[float]) -> list[float]:
    """Return numbers as JSON has them: whole ones without a point."""
    return [int(number) if number == int(number) else float(number) for number in numbers]


def _told(codec: Codec[Any, Any, Any], state: Any) -> ViewAnswer:
    """Return a state as a position, with its status."""
    return {"position": codec.state_to_json(state), "status": status_of(codec, state)}


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


def draw_outcome(codec: Codec[Any, Any, Any], state: Any, seed: int) -> Any:
    """Return a chance outcome of a state, drawn from a seed with its probability."""
    return Chance(seed, "apply", codec.state_to_json(state)).outcome(state.chance_outcomes())


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
