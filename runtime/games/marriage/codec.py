"""Marriage as JSON: a seat's view, the whole round, moves, and what happened.

**A whole round** is the host's position: ``hands`` holds the cards of each seat, ``stock`` those
of the stock, drawn from the end of the list, the tiplu from its beginning; ``sees`` tells of each
seat whether it sees the tiplu: who has just shown may see it only after the discard.

**A view** is what one seat knows.

Beside the keys that every position has, these are there where they are needed: ``finisher``
(a seat, or null if the stock was used up) once the round is over, with ``maal`` and ``net``
where all hands are known; ``drawn_from`` if ``taken`` does not tell where the card just drawn
came from, ``"stock"`` or ``"pile"``; ``"shown_blind":true`` while another seat has yet to
discard in the turn of its show and does not see the tiplu.  In a view that waits for a card
drawn from the stock ``drawn`` is null in phase ``discard``; one that waits for the tiplu has
``shown`` for its own seat and no tiplu although it could see it; while it is open whether there
is a tiplu, ``tiplu_drawn`` is null.  ``discards`` and ``taken`` may begin late or be missing:
they hold the last ones known, and what is not remembered counts as unseen.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from ustad.runtime.core.entry import Codec
from ustad.runtime.core.errors import MoveError, OutcomeError, shown
from ustad.runtime.core.game import CHANCE
from ustad.runtime.core.shapes import (
    TRUTH,
    Keys,
    Shapes,
    list_of,
    move_of,
    one_of,
    options_shape,
    or_null,
    whole,
)
from ustad.runtime.core.strict_json import Fields, is_int
from ustad.runtime.games.marriage.cards.cards import (
    ALL_CARDS,
    CARD_NAMES,
    CARD_NUMBER,
    NO_CARD,
    Cards,
    flat,
    names_of,
    sorted_melds,
)
from ustad.runtime.games.marriage.cards.melds import (
    DUBLEES_TO_SHOW,
    FINISH_PLACES,
    SHOW_MELDS,
    is_pure,
    is_tanela,
    melds_to_json,
)
from ustad.runtime.games.marriage.checks import check_view, check_whole
from ustad.runtime.games.marriage.round.course import (
    NOBODY,
    Course,
    among,
    first_turn,
    is_over,
    seat_to_move,
    sees_at_once,
    sees_tiplu,
)
from ustad.runtime.games.marriage.round.deal import Deal
from ustad.runtime.games.marriage.round.moves import (
    PILE,
    STOCK,
    Discard,
    Draw,
    Finish,
    Lay,
    Move,
    Show,
    ShowDublees,
)
from ustad.runtime.games.marriage.round.options import NAME, OPTIONS, RuleNumbers
from ustad.runtime.games.marriage.round.public import PublicState, Seat, SeatCard
from ustad.runtime.games.marriage.round.rules import RULES, Marriage
from ustad.runtime.games.marriage.round.view import View, Waits

PHASES = ("draw", "discard")
"""The words for a turn before the draw and after it."""

MOST_TURNS = 10**6


_CARD = one_of(CARD_NAMES)
_CARDS = list_of(_CARD, 0, ALL_CARDS)
_MELDS = list_of(_CARDS)
_SEAT = whole(0, RULES.seats.most - 1)
_A_SEAT = RULES.seats.least, RULES.seats.most

SEAT_CARD = Keys({"seat": _SEAT, "card": _CARD})

TABLE = Keys(
    {"seat": _SEAT, "melds": _MELDS, "laid_before_draw": _MELDS, "shown": TRUTH, "dublees": TRUTH}
)

PUBLIC = Keys(
    {
        "game": one_of([NAME]),
        "players": whole(*_A_SEAT),
        "to_move": _SEAT,
        "dealer": _SEAT,
        "turns": whole(0, MOST_TURNS),
        "phase": one_of(PHASES),
        "table": list_of(TABLE.schema(), *_A_SEAT),
        "tiplu_drawn": or_null(TRUTH),
        "pile": _CARDS,
    },
    {
        "options": options_shape(OPTIONS),
        "drawn": or_null(_CARD),
        "tiplu": or_null(_CARD),
        "discards": list_of(SEAT_CARD.schema()),
        "taken": list_of(SEAT_CARD.schema()),
        "drawn_from": or_null(one_of([STOCK, PILE])),
        "finisher": or_null(_SEAT),
        "maal": or_null(list_of({"type": "integer"}, *_A_SEAT)),
        "net": or_null(list_of({"type": "integer"}, *_A_SEAT)),
    },
)

VIEW = Keys(
    {**PUBLIC.required, "seat": _SEAT, "hand": _CARDS, "stock": whole(0, ALL_CARDS)},
    {**PUBLIC.optional, "shown_blind": TRUTH},
)

WHOLE = Keys(
    {
        **PUBLIC.required,
        "hands": list_of(_CARDS, *_A_SEAT),
        "stock": _CARDS,
        "sees": list_of(TRUTH, *_A_SEAT),
    },
    PUBLIC.optional,
)

MOVES = {
    "draw": one_of([STOCK, PILE]),
    "lay": _CARDS,
    "show": _MELDS,
    "show_dublees": _MELDS,
    "finish": _MELDS,
    "discard": _CARD,
}


class MarriageCodec(Codec[Any, Move, int]):
    """Views, moves and cards as JSON."""

    shapes = Shapes(
        {"if": {"required": ["hands"]}, "then": WHOLE.schema(), "else": VIEW.schema()},
        move_of(MOVES, {"finish": "discard"}),
        one_of([*CARD_NAMES, True, False]),
    )

    # Positions.

    def state_from_json(self, position: Any) -> View | Deal:
        """Return the view, or the whole round, that a JSON position describes."""
        whole_round = isinstance(position, dict) and "hands" in position
        fields = (WHOLE if whole_round else VIEW).read(position, "position")
        fields.one_of("game", (NAME,))
        rules = RULES.read(fields.take("options", {}))
        players = fields.integer("players", RULES.seats.least, RULES.seats.most)
        end_given = "finisher" in position
        if whole_round:
            return _read_whole(fields, rules, players, end_given)
        seat = fields.integer("seat", 0, players - 1)
        public, tiplu_drawn = _read_public(fields, rules, players)
        hand = tuple(sorted(_card_list(fields, "hand", fields.take("hand"))))
        drawn, tiplu = _read_card(fields, "drawn"), _read_card(fields, "tiplu")
        public = _with_barred(fields, public, drawn)
        blind_given = _boolean(fields, "shown_blind", False)
        maal, net = _read_result(fields, players)
        fields.done()
        view = View(rules, public, seat, hand, drawn, tiplu, Waits.NOTHING, maal, net)
        view = _with_blind(fields, view, blind_given)
        view = view._replace(waits=_waits(view, tiplu_drawn))
        _check_end(fields, view.public.course, end_given, bool(maal or net))
        check_view(fields, view)
        return view

    def state_to_json(self, state: View | Deal) -> dict[str, Any]:
        """Return the JSON of a view or of a whole round."""
        public, course = state.public, state.public.course
        whether = blind = False
        if isinstance(state, Deal):
            whose: dict[str, Any] = {}
            held: dict[str, Any] = {"hands": [names_of(hand) for hand in state.hands]}
            stock: dict[str, Any] = {
                "stock": names_of(reversed(state.stock)),
                "sees": [sees_tiplu(course, seat) for seat in range(course.players)],
            }
        else:
            whose, held = {"seat": state.seat}, {"hand": names_of(state.hand)}
            stock, whether = {"stock": course.stock}, state.waits == Waits.WHETHER_TIPLU
            blind = course.blind and not state.mine
        position: dict[str, Any] = {
            "game": NAME,
            "options": state.rules.options,
            "players": course.players,
            **whose,
            "to_move": public.to_move,
            "dealer": course.dealer,
            "turns": course.turns,
            "phase": PHASES[course.has_drawn],
            **held,
            "drawn": None if state.drawn is None else CARD_NAMES[state.drawn],
            "table": [
                {
                    "seat": at,
                    "melds": melds_to_json(seat.melds),
                    "laid_before_draw": melds_to_json(seat.laid),
                    "shown": public.shown(at),
                    "dublees": public.dublees(at),
                }
                for at, seat in enumerate(public.seats)
            ],
            "tiplu_drawn": None if whether else course.tiplu_drawn,
            "tiplu": None if state.tiplu is None else CARD_NAMES[state.tiplu],
            "pile": names_of(public.pile),
            "discards": _entries(public.discards),
            "taken": _entries(public.taken),
            **stock,
        }
        if course.barred != _just_taken(public, state.drawn):
            position["drawn_from"] = STOCK if course.barred == NO_CARD else PILE
        if blind:
            position["shown_blind"] = True
        if is_over(course):
            position["finisher"] = None if course.finisher == NOBODY else course.finisher
            maal, net = self.scores(state), self.returns(state)
            if maal is not None and net is not None:
                position["maal"] = list(maal)
                position["net"] = [int(points) for points in net]
        return position

    # Moves and outcomes.

    def move_from_json(self, move: Any) -> Move:
        """Return the move that a JSON object describes."""
        fields = Fields(move, "move", MoveError)
        name = next((name for name in MOVES if isinstance(move, dict) and name in move), None)
        found: Move
        if name is None:
            raise MoveError(f"move: expected one of the keys {', '.join(MOVES)}, got {shown(move)}")
        if name == "draw":
            found = Draw(fields.one_of("draw", (STOCK, PILE)))
        elif name == "lay":
            found = Lay(tuple(sorted(_card_list(fields, name, fields.take(name)))))
        elif name == "discard":
            found = Discard(_card(fields, name, fields.take(name)))
        else:
            cards = sorted_melds(_meld_list(fields, name, fields.take(name)))
            if name == "show":
                found = Show(cards)
            elif name == "show_dublees":
                found = ShowDublees(cards)
            else:
                found = Finish(cards, _card(fields, "discard", fields.take("discard")))
        fields.done()
        return found

    def move_to_json(self, move: Move) -> dict[str, Any]:
        """Return the JSON object of a move."""
        if isinstance(move, Draw):
            return {"draw": move.source}
        if isinstance(move, Lay):
            return {"lay": names_of(move.cards)}
        if isinstance(move, Show):
            return {"show": melds_to_json(move.melds)}
        if isinstance(move, ShowDublees):
            return {"show_dublees": melds_to_json(move.melds)}
        if isinstance(move, Finish):
            return {"finish": melds_to_json(move.melds), "discard": CARD_NAMES[move.discard]}
        return {"discard": CARD_NAMES[move.card]}

    def outcome_from_json(self, outcome: Any) -> int:
        """Return the card that comes, or whether there is a tiplu."""
        if isinstance(outcome, bool):
            return outcome
        return _card(Fields({}, "outcome", OutcomeError), "card", outcome)

    def outcome_to_json(self, outcome: int) -> str | bool:
        """Return the name of the card that comes, or whether there is a tiplu."""
        return outcome if isinstance(outcome, bool) else CARD_NAMES[outcome]

    def scores(self, state: View | Deal) -> tuple[int, ...] | None:
        """Return the maal of each seat if the round ended now, None where a view cannot know."""
        return state.maal if isinstance(state, View) else state.maal()

    def returns(self, state: View | Deal) -> tuple[float, ...] | None:
        """Return what each seat wins in a round that is over, None where a view cannot know."""
        return state.net if isinstance(state, View) else state.returns()

    def events(self, before: Any, move: Any, after: Any) -> list[dict[str, Any]]:
        """Return what a move or outcome brought about, in order."""
        player, course = before.public.to_move, after.public.course
        if before.current_player() == CHANCE:
            if before.waits == Waits.WHETHER_TIPLU:
                return [{"seat": player, "tiplu_drawn": move}]
            key = "tiplu" if before.waits == Waits.TIPLU else "card"
            return [{"seat": before.seat, key: CARD_NAMES[move]}]
        event = {"seat": player, **self.move_to_json(move)}
        if isinstance(move, Draw) and move.source == PILE:
            event["card"] = CARD_NAMES[before.public.top]
        found = [event]
        if course.tiplu_drawn and not before.public.course.tiplu_drawn:
            found.append({"seat": player, "tiplu_drawn": True})
        if is_over(course):
            finisher = None if course.finisher == NOBODY else course.finisher
            end: dict[str, Any] = {"over": True, "finisher": finisher}
            end["next_dealer"] = (course.dealer + 1) % course.players
            if isinstance(after, Deal):
                end |= {"maal": list(after.maal()), "net": [int(p) for p in after.returns()]}
            found.append(end)
        return found


# Reading positions.


def _read_whole(fields: Fields, rules: Marriage, players: int, end_given: bool) -> Deal:
    """Return the whole round that a position describes; see the module's docstring."""
    given = fields.take("hands")
    if not isinstance(given, list) or len(given) != players:
        fields.fail("hands", f"a list with the cards of each of {players} seats", given)
    hands = tuple(
        tuple(sorted(_card_list(fields, f"hands[{seat}]", hand))) for seat, hand in enumerate(given)
    )
    stock = _card_list(fields, "stock", fields.take("stock"))
    public, tiplu_drawn = _read_public(fields, rules, players, len(stock))
    drawn, tiplu = _read_card(fields, "drawn"), _read_card(fields, "tiplu")
    if tiplu_drawn != (tiplu is not None):
        fields.fail("tiplu_drawn", f"{shown(tiplu is not None)}, by the tiplu", tiplu_drawn)
    public = _with_barred(fields, public, drawn)
    sees = fields.take("sees")
    maal, net = _read_result(fields, players)
    fields.done()
    _check_end(fields, public.course, end_given, bool(maal or net))
    course, player = public.course, public.to_move
    if not isinstance(sees, list) or list(map(type, sees)) != [bool] * players:
        fields.fail("sees", f"a list of true or false for each of {players} seats", sees)
    may_be_blind = among(course.shown, player) and not sees_at_once(course, rules.numbers)
    course = course._replace(blind=bool(tiplu_drawn) and may_be_blind and not sees[player])
    seen = [sees_tiplu(course, seat) for seat in range(players)]
    if sees != seen:
        fields.fail("sees", f"{shown(seen)}, by who has shown", sees)
    deal = Deal(rules, public._replace(course=course), hands, drawn, tiplu, tuple(reversed(stock)))
    check_whole(fields, deal, maal, net)
    return deal


def _check_end(fields: Fields, course: Course, end_given: bool, settled: bool) -> None:
    """Refuse a finisher, maal and net where they do not belong."""
    if not end_given and settled:
        fields.fail("finisher", "a seat or null beside maal and net", None)
    if end_given and not is_over(course):
        fields.fail("finisher", "a seat, since the stock is not used up", None)


def _read_public(
    fields: Fields, rules: Marriage, players: int, stock: int | None = None
) -> tuple[PublicState, bool | None]:
    """Return the public state, and whether the tiplu is drawn, None if chance is to tell.

    Which card is barred and who is blind is read later.  ``stock`` is how many cards it has,
    if the position tells them all.
    """
    dealer = fields.integer("dealer", 0, players - 1)
    turns = fields.integer("turns", 0, MOST_TURNS)
    to_move = fields.integer("to_move", 0, players - 1)
    pile = _card_list(fields, "pile", fields.take("pile"))
    discards = _seat_cards(fields, "discards", players)
    start = first_turn(players, dealer)._replace(turns=turns)
    course = start._replace(turns=_all_turns(start, to_move, max(len(pile) - 1, len(discards))))
    finisher = fields.take("finisher", None)
    if finisher is not None and not is_int(finisher, 0, players - 1):
        fields.fail("finisher", f"a whole number from 0 to {players - 1}", finisher)
    tiplu_drawn = fields.take("tiplu_drawn")
    if tiplu_drawn is not None and not isinstance(tiplu_drawn, bool):
        fields.fail("tiplu_drawn", "true, false or null", tiplu_drawn)
    rows = fields.take("table")
    if not isinstance(rows, list) or len(rows) != players:
        fields.fail("table", f"a list with one entry for each of {players} seats", rows)
    has_drawn = PHASES.index(fields.one_of("phase", PHASES)) == 1
    seats = [_read_seat(rules.numbers, row, at, finisher == at) for at, row in enumerate(rows)]
    taken = _seat_cards(fields, "taken", players)
    course = course._replace(
        has_drawn=has_drawn,
        stock=fields.integer("stock", 0, ALL_CARDS) if stock is None else stock,
        shown=sum(1 << at for at, row in enumerate(seats) if row.shown),
        dublees=sum(1 << at for at, row in enumerate(seats) if row.dublees),
        tiplu_drawn=tiplu_drawn is True,
        finisher=NOBODY if finisher is None else finisher,
    )
    public = PublicState(course, tuple(row.seat for row in seats), pile, discards, taken)
    return public, tiplu_drawn


def _all_turns(course: Course, to_move: int, least: int) -> int:
    """Return how many turns of the round are over.

    The number given may be that, or, where it cannot be with this seat to move or is
    less than the pile and the discards need (``least``), how many turns the seat to
    move has behind it.
    """
    if seat_to_move(course) == to_move and course.turns >= least:
        return course.turns
    return course.turns * course.players + (to_move - course.dealer - 1) % course.players


class _SeatRead(NamedTuple):
    """What lies before a seat, and what it has shown."""

    seat: Seat
    shown: bool
    dublees: bool


def _read_seat(numbers: RuleNumbers, value: Any, at: int, finished: bool) -> _SeatRead:
    """Return what lies before a seat, refused if no show or finish can have put it there."""
    fields = TABLE.read(value, f"table[{at}]")
    fields.integer("seat", at, at)
    found = tuple(_meld_list(fields, "melds", fields.take("melds")))
    laid = tuple(_meld_list(fields, "laid_before_draw", fields.take("laid_before_draw")))
    shown, dublees = _boolean(fields, "shown"), _boolean(fields, "dublees")
    fields.done()
    if len(laid) > SHOW_MELDS or not all(map(is_tanela, laid)):
        fields.fail("laid_before_draw", "at most three tanelas", value["laid_before_draw"])
    if not shown and (found or dublees):
        fields.fail("shown", "true, since there are melds of a show", False)
    if dublees:
        pairs = {cards for cards in found if len(cards) == 2 and len(set(cards)) == 1}
        wanted = DUBLEES_TO_SHOW + finished
        if not numbers.dublee or len(found) != wanted or len(pairs) < wanted - finished:
            fields.fail("melds", f"{wanted} dublees, under the option dublee", value["melds"])
    elif shown:
        wanted = SHOW_MELDS - len(laid)
        show, finish = found[:wanted], found[wanted:]
        if len(show) < wanted or not all(is_pure(cards, numbers.master_is_pure) for cards in show):
            fields.fail("melds", f"{wanted} pure melds of three cards", value["melds"])
        places = FINISH_PLACES if finished else 0
        if len(flat(finish)) != places:
            expected = f"melds of {places} cards beside those of the show"
            fields.fail("melds", expected, value["melds"])
    return _SeatRead(Seat(found, laid), shown, dublees)


def _with_barred(fields: Fields, public: PublicState, drawn: int | None) -> PublicState:
    """Return the public state with the card that was just taken from the pile barred."""
    drawn_from = fields.take("drawn_from", None)
    if drawn_from not in (None, STOCK, PILE):
        fields.fail("drawn_from", '"stock" or "pile"', drawn_from)
    barred = _just_taken(public, drawn)
    if drawn_from == PILE and barred == NO_CARD:
        if not public.course.has_drawn or drawn is None:
            fields.fail("drawn_from", '"stock" or nothing, since no card is drawn', PILE)
        barred = drawn
    elif drawn_from == STOCK:
        barred = NO_CARD
    if barred != NO_CARD and drawn not in (None, barred):
        fields.fail("drawn", f"{CARD_NAMES[barred]}, taken from the pile", CARD_NAMES[drawn])
    return public._replace(course=public.course._replace(barred=barred))


def _just_taken(public: PublicState, drawn: int | None) -> int:
    """Return the card that was taken from the pile in this turn by what is open, else NO_CARD.

    It was the last one discarded.  Where the card just drawn can have come from the pile or
    from the stock it is taken to have come from the pile if ``taken`` tells of one like it.
    """
    if not public.course.has_drawn:
        return NO_CARD
    thrown = public.discards[-1].card if public.discards else drawn
    if public.taken and public.taken[-1].seat == public.to_move:
        card = public.taken[-1].card
        if drawn in (None, card) and (not public.discards or thrown == card):
            return card
    gone = not public.pile or (public.discards and thrown != public.top)
    return thrown if gone and thrown is not None else NO_CARD


def _with_blind(fields: Fields, view: View, given: bool) -> View:
    """Return the view with what is known of whether the seat to move is blind.

    Its own seat is if it has just shown and sees the tiplu after its discard.
    """
    public, course = view.public, view.public.course
    hidden = course.tiplu_drawn and view.tiplu is None and public.shown(view.seat)
    blind = hidden and view.mine and not sees_at_once(course, view.rules.numbers)
    if given and view.mine and not blind:
        fields.fail("shown_blind", "false: this seat is to move", True)
    course = course._replace(blind=blind or given)
    return view._replace(public=public._replace(course=course))


def _waits(view: View, tiplu_drawn: bool | None) -> Waits:
    """Return what chance is to bring, from how the position is written."""
    public, course = view.public, view.public.course
    if tiplu_drawn is None:
        return Waits.WHETHER_TIPLU
    to_come = len(view.hand) < public.in_hand(view.seat)
    if view.mine and course.has_drawn and view.drawn is None and to_come:
        return Waits.CARD
    sees = sees_tiplu(course, view.seat) and course.finisher == NOBODY
    return Waits.TIPLU if sees and view.tiplu is None else Waits.NOTHING


def _read_result(
    fields: Fields, players: int
) -> tuple[tuple[int, ...] | None, tuple[float, ...] | None]:
    """Return the maal and net of a round that is over."""
    maal, net = fields.take("maal", None), fields.take("net", None)
    for key, value in (("maal", maal), ("net", net)):
        whole = isinstance(value, list) and all(type(points) is int for points in value)
        if value is not None and (not whole or len(value) != players):
            fields.fail(key, f"{players} whole numbers", value)
    if net is not None and sum(net) != 0:
        fields.fail("net", "numbers that sum to zero", net)
    return (
        None if maal is None else tuple(maal),
        None if net is None else tuple(float(points) for points in net),
    )


# Reading cards.


def _card(fields: Fields, key: str, value: Any) -> int:
    if not isinstance(value, str) or value not in CARD_NUMBER:
        fields.fail(key, "a card such as 7H, 10D, PJ (putali) or MJ (master)", value)
    return CARD_NUMBER[value]


def _read_card(fields: Fields, key: str) -> int | None:
    """Return the card under a key, None for null or if the key is missing."""
    value = fields.take(key, None)
    return None if value is None else _card(fields, key, value)


def _card_list(fields: Fields, key: str, value: Any) -> Cards:
    if not isinstance(value, list):
        fields.fail(key, "a list of cards", value)
    try:
        return tuple([CARD_NUMBER[card] for card in value])
    except (KeyError, TypeError):  # one is no card: it is told which
        return tuple(_card(fields, key, card) for card in value)


def _meld_list(fields: Fields, key: str, value: Any) -> list[Cards]:
    if not isinstance(value, list):
        fields.fail(key, "a list of melds, each a list of cards", value)
    return [tuple(sorted(_card_list(fields, key, cards))) for cards in value]


def _boolean(fields: Fields, key: str, *default: bool) -> bool:
    value = fields.take(key, *default)
    if not isinstance(value, bool):
        fields.fail(key, "true or false", value)
    return bool(value)


def _seat_cards(fields: Fields, key: str, players: int) -> tuple[SeatCard, ...]:
    """Return the cards that seats are known to have discarded or taken, none if it is missing."""
    value = fields.take(key, [])
    if not isinstance(value, list):
        fields.fail(key, 'a list of {"seat": ..., "card": ...}', value)
    found = []
    for at, item in enumerate(value):
        if isinstance(item, dict) and item.keys() == SEAT_CARD.required.keys():
            seat, card = item["seat"], item["card"]
            if is_int(seat, 0, players - 1) and isinstance(card, str) and card in CARD_NUMBER:
                found.append(SeatCard(seat, CARD_NUMBER[card]))
                continue  # as it should be; what is not is read key by key, to tell what is wrong
        entry = SEAT_CARD.read(item, f"{key}[{at}]")
        seat = entry.integer("seat", 0, players - 1)
        found.append(SeatCard(seat, _card(entry, "card", entry.take("card"))))
        entry.done()
    return tuple(found)


# Writing positions.


def _entries(cards: Iterable[SeatCard]) -> list[dict[str, Any]]:
    return [{"seat": seat, "card": CARD_NAMES[card]} for seat, card in cards]


CODEC = MarriageCodec()
