"""Marriage as JSON: a seat's view, moves, and what happened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from ustad.runtime.core.entry import Codec
from ustad.runtime.core.errors import MoveError, OutcomeError, PositionError, shown
from ustad.runtime.core.game import CHANCE
from ustad.runtime.core.strict_json import Fields
from ustad.runtime.games.marriage.cards.cards import (
    CARD_NAMES,
    CARD_NUMBER,
    CARDS,
    COPIES,
    HAND,
    PUTALI,
    Cards,
    counts_of,
    in_words,
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
from ustad.runtime.games.marriage.round.deal import Deal
from ustad.runtime.games.marriage.round.known import chance_of_no_tiplu, held_by, held_by_others
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
from ustad.runtime.games.marriage.round.options import NAME
from ustad.runtime.games.marriage.round.public import DISCARD, DRAW, Seat, Table, sees_at_once
from ustad.runtime.games.marriage.round.rules import RULES, Marriage
from ustad.runtime.games.marriage.round.settlement import payments, player_maal
from ustad.runtime.games.marriage.round.view import (
    WAITS_FOR_A_DRAW,
    WAITS_FOR_CARD,
    WAITS_FOR_NOTHING,
    WAITS_FOR_TIPLU,
    View,
    check_finish_melds,
)

# JSON.

_OPTIONAL: Any = None


class MarriageCodec(Codec[View, Move, int]):
    """Views, moves and cards as JSON."""

    # Positions.

    def state_from_json(self, position: Any) -> View:
        """Return the view that a JSON position describes."""
        fields = Fields(position, "position")
        fields.one_of("game", (NAME,))
        rules = RULES.read(fields.take("options", {}))
        players = fields.integer("players", RULES.seats.least, RULES.seats.most)
        seat = fields.integer("seat", 0, players - 1)
        dealer = fields.integer("dealer", 0, players - 1)
        turns = fields.integer("turns", 0, 10**6)
        to_move = fields.integer("to_move", 0, players - 1)
        pile = _card_list(fields, "pile", fields.take("pile"))
        discards = _seat_cards(fields, "discards", players)
        least = max(len(pile) - 1, len(discards))
        turns = _all_turns(turns, players, dealer, to_move, least)
        end_told = "finisher" in position
        finisher = fields.take("finisher", None)
        if finisher is not None:
            finisher = Fields({"finisher": finisher}, "position").integer(
                "finisher", 0, players - 1
            )
        drawn_known = fields.take("tiplu_drawn")
        if drawn_known is not None and not isinstance(drawn_known, bool):
            fields.fail("tiplu_drawn", "true, false or null", drawn_known)
        rows = fields.take("table")
        if not isinstance(rows, list) or len(rows) != players:
            fields.fail("table", f"a list with one entry for each of {players} seats", rows)
        table = Table(
            dealer=dealer,
            turns=turns,
            phase=fields.one_of("phase", (DRAW, DISCARD)),
            seats=tuple(_read_seat(rules, row, at, finisher) for at, row in enumerate(rows)),
            tiplu_drawn=drawn_known is True,
            pile=pile,
            discards=discards,
            taken=_seat_cards(fields, "taken", players),
            stock=fields.integer("stock", 0, 160),
            finisher=finisher,
        )
        hand = tuple(sorted(_card_list(fields, "hand", fields.take("hand"))))
        drawn = fields.take("drawn", None)
        drawn = None if drawn is None else _card(fields, "drawn", drawn)
        tiplu = fields.take("tiplu", None)
        tiplu = None if tiplu is None else _card(fields, "tiplu", tiplu)
        drawn_from = fields.take("drawn_from", None)
        if drawn_from not in (None, STOCK):
            fields.fail("drawn_from", '"stock"', drawn_from)
        table = table._replace(taken_now=drawn_from is None and _taken_now(table, drawn))
        told_blind = _boolean(fields, "shown_blind", False)
        maal, net = _read_result(fields, players)
        fields.done()
        view = View(rules, table, seat, hand, drawn, tiplu, WAITS_FOR_NOTHING, maal, net)
        view = view._replace(waits=WAITS_FOR_A_DRAW if drawn_known is None else _waits(view))
        blind = _is_blind(view) or (told_blind and seat != table.to_move)
        if told_blind and not blind:
            fields.fail("shown_blind", "false: this seat is to move", True)
        view = view._replace(table=table._replace(blind=blind))
        if not end_told and (maal or net):
            fields.fail("finisher", "a seat or null beside maal and net", None)
        if end_told and finisher is None and not table.over:
            fields.fail("finisher", "a seat, since the stock is not used up", None)
        _check_view(fields, view)
        return view

    def state_to_json(self, state: View | Deal) -> dict[str, Any]:
        """Return the JSON of a view; of a whole round, the view of the seat to move."""
        view = state if isinstance(state, View) else state.view(state.table.to_move)
        table = view.table
        position: dict[str, Any] = {
            "game": NAME,
            "options": view.rules.options,
            "players": table.players,
            "seat": view.seat,
            "to_move": table.to_move,
            "dealer": table.dealer,
            "turns": table.turns,
            "phase": table.phase,
            "hand": names_of(view.hand),
            "drawn": None if view.drawn is None else CARD_NAMES[view.drawn],
            "table": [
                {
                    "seat": at,
                    "melds": melds_to_json(seat.melds),
                    "laid_before_draw": melds_to_json(seat.laid),
                    "shown": seat.shown,
                    "dublees": seat.dublees,
                }
                for at, seat in enumerate(table.seats)
            ],
            "tiplu_drawn": None if view.waits == WAITS_FOR_A_DRAW else table.tiplu_drawn,
            "tiplu": None if view.tiplu is None else CARD_NAMES[view.tiplu],
            "pile": names_of(table.pile),
            "discards": _entries(table.discards),
            "taken": _entries(table.taken),
            "stock": table.stock,
        }
        if not table.taken_now and _taken_now(table, view.drawn):
            position["drawn_from"] = STOCK
        if table.blind and not view.mine:
            position["shown_blind"] = True
        if table.over:
            position["finisher"] = table.finisher
            if view.maal is not None and view.net is not None:
                position["maal"] = list(view.maal)
                position["net"] = [int(points) for points in view.net]
        return position

    # Moves and outcomes.

    def move_from_json(self, move: Any) -> Move:
        """Return the move that a JSON object describes."""
        fields = Fields(move, "move", MoveError)
        names = ("draw", "lay", "show", "show_dublees", "finish", "discard")
        name = next((name for name in names if isinstance(move, dict) and name in move), None)
        found: Move
        if name is None:
            raise MoveError(f"move: expected one of the keys {', '.join(names)}, got {shown(move)}")
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

    def events(self, before: Any, move: Any, after: Any) -> list[dict[str, Any]]:
        """Return what a move or outcome brought about, in order."""
        if before.current_player() == CHANCE and before.waits == WAITS_FOR_A_DRAW:
            return [{"seat": before.table.to_move, "tiplu_drawn": move}]
        if before.current_player() == CHANCE:
            key = "tiplu" if before.waits == WAITS_FOR_TIPLU else "card"
            return [{"seat": before.seat, key: CARD_NAMES[move]}]
        player = before.table.to_move
        event = {"seat": player, **self.move_to_json(move)}
        if isinstance(move, Draw) and move.source == PILE:
            event["card"] = CARD_NAMES[before.table.pile[-1]]
        found = [event]
        if after.table.tiplu_drawn and not before.table.tiplu_drawn:
            found.append({"seat": player, "tiplu_drawn": True})
        if after.table.over:
            end: dict[str, Any] = {"over": True, "finisher": after.table.finisher}
            if isinstance(after, Deal):
                end |= {"maal": list(after.maal()), "net": [int(p) for p in after.returns()]}
            found.append(end)
        return found


def _card(fields: Fields, key: str, value: Any) -> int:
    if not isinstance(value, str) or value not in CARD_NUMBER:
        fields.fail(key, "a card such as 7H, 10D, PJ (putali) or MJ (master)", value)
    return CARD_NUMBER[value]


def _card_list(fields: Fields, key: str, value: Any) -> Cards:
    if not isinstance(value, list):
        fields.fail(key, "a list of cards", value)
    return tuple(_card(fields, key, card) for card in value)


def _meld_list(fields: Fields, key: str, value: Any) -> list[Cards]:
    if not isinstance(value, list):
        fields.fail(key, "a list of melds, each a list of cards", value)
    return [tuple(sorted(_card_list(fields, key, cards))) for cards in value]


def _boolean(fields: Fields, key: str, default: Any = _OPTIONAL) -> bool:
    value = fields.take(key) if default is None else fields.take(key, default)
    if not isinstance(value, bool):
        fields.fail(key, "true or false", value)
    return bool(value)


def _seat_cards(fields: Fields, key: str, players: int) -> tuple[tuple[int, int], ...]:
    """Return the (seat, card) pairs under a key."""
    value = fields.take(key)
    if not isinstance(value, list):
        fields.fail(key, 'a list of {"seat": ..., "card": ...}', value)
    found = []
    for at, item in enumerate(value):
        entry = Fields(item, f"{key}[{at}]")
        seat = entry.integer("seat", 0, players - 1)
        found.append((seat, _card(entry, "card", entry.take("card"))))
        entry.done()
    return tuple(found)


def _read_seat(rules: Marriage, value: Any, at: int, finisher: int | None) -> Seat:
    """Return what lies before a seat, refused if no show or finish can have put it there."""
    fields = Fields(value, f"table[{at}]")
    fields.integer("seat", at, at)
    found = _meld_list(fields, "melds", fields.take("melds"))
    laid = _meld_list(fields, "laid_before_draw", fields.take("laid_before_draw"))
    has_shown, dublees = _boolean(fields, "shown"), _boolean(fields, "dublees")
    fields.done()
    if len(laid) > SHOW_MELDS or not all(map(is_tanela, laid)):
        fields.fail("laid_before_draw", "at most three tanelas", value["laid_before_draw"])
    if not has_shown:
        if found or dublees:
            fields.fail("shown", "true, since there are melds of a show", False)
        return Seat((), tuple(laid))
    finished = finisher == at
    if dublees:
        pairs = {cards for cards in found if len(cards) == 2 and cards[0] == cards[1]}
        wanted = DUBLEES_TO_SHOW + finished
        if not rules.dublee or len(found) != wanted or len(pairs) < wanted - finished:
            fields.fail("melds", f"{wanted} dublees, under the option dublee", value["melds"])
        return Seat(tuple(found), tuple(laid), True, True)
    wanted = SHOW_MELDS - len(laid)
    show, finish = found[:wanted], found[wanted:]
    if len(show) < wanted or not all(is_pure(cards, rules.master_is_pure) for cards in show):
        fields.fail("melds", f"{wanted} pure melds of three cards", value["melds"])
    places = FINISH_PLACES if finished else 0
    if sum(map(len, finish)) != places:
        fields.fail("melds", f"melds of {places} cards beside those of the show", value["melds"])
    return Seat(tuple(found), tuple(laid), True)


def _check_pile(fields: Fields, view: View) -> None:
    """Refuse a pile, discards and taken cards that no round can have brought about.

    Each turn leaves one card more on the pile than it takes from it.  What a seat
    remembers of who threw and took what may begin late, and is then held against the
    length of the pile only.  Discards of every turn leave no doubt: the seats throw in
    turn, what was taken was on top, and what others took and have not thrown they hold.
    Discards beside 0 turns come from somebody who has not counted the turns.
    """
    table = view.table
    top = table.pile[-1] if table.pile else None
    if table.phase == DRAW and table.discards and table.discards[-1][1] != top:
        name = CARD_NAMES[table.discards[-1][1]]
        raise PositionError(f"position: pile: expected {name} on top, since it was thrown last")
    just_taken = bool(table.taken) and table.taken[-1][0] == table.to_move
    if not table.pile and not (table.phase == DISCARD and just_taken):
        fields.fail("pile", "a card, since none was just taken from it", [])
    turns = max(table.turns, len(table.discards))
    if len(table.pile) > turns + 1:
        expected = f"at most {turns + 1} cards after {turns} turns"
        fields.fail("pile", expected, len(table.pile))
    if len(table.discards) > table.turns:
        if table.turns >= table.players:
            fields.fail("discards", f"at most {table.turns}, one a turn", len(table.discards))
        return
    gone = turns + 1 - len(table.pile)
    if len(table.taken) > gone:
        fields.fail("taken", f"at most {gone} cards, by turns and pile", len(table.taken))
    if len(table.discards) == table.turns:
        _check_whole_play(fields, view)


def _check_whole_play(fields: Fields, view: View) -> None:
    """Refuse what cannot be where the discards of every turn are known."""
    table = view.table
    for turn, (seat, _) in enumerate(table.discards):
        if seat != table.seat_of(turn):
            fields.fail(f"discards[{turn}]", f"seat {table.seat_of(turn)}, whose turn it was", seat)
    if not _pile_can_be(table):
        raise PositionError(
            "position: pile: expected what the discards leave of it, each card taken by the "
            "seat after the one that threw it"
        )
    hidden = view.not_in_sight() - counts_of(held_by_others(table, view.seat).elements())
    for card in range(CARDS):
        if hidden[card] < 0:
            raise PositionError(
                f"position: taken: {CARD_NAMES[card]}: there are {COPIES[card]}, got "
                f"{COPIES[card] - hidden[card]} with those that others have taken and hold"
            )
    for seat in range(table.players):
        held = held_by(table, seat)
        if seat == view.seat:
            held -= Counter(view.hand)
            if held:
                names = in_words(sorted(held.elements()))
                raise PositionError(f"position: hand: expected {names}, taken and not thrown")
        elif held.total() > table.in_hand(seat):
            raise PositionError(
                f"position: taken: seat {seat} holds {table.in_hand(seat)} cards only, "
                f"got {held.total()} taken and not thrown"
            )


def _pile_can_be(table: Table) -> bool:
    """Tell whether some choice of cards taken leaves the pile, the last of them those listed.

    In turn order each card was on top once: the card turned up at the deal, then each
    discard.  It was taken in the next turn, or has stayed; the latter make up the pile.
    Walked from the last to the first, the pile and the cards taken are read off from
    their ends; equal cards leave several ways, each told by how many were taken.
    """
    tops: list[int | None] = [None, *(card for _, card in table.discards)]
    ways = {0}
    for turn in range(len(tops) - 1, -1, -1):
        card, after = tops[turn], set()
        to_come = turn == table.turns
        for taken in ways:
            stayed = len(tops) - 1 - turn - taken
            may_stay = stayed < len(table.pile) and not (to_come and table.taken_now)
            if may_stay and card in (None, table.pile[-1 - stayed]):
                after.add(taken)
            if to_come and not table.taken_now:
                continue
            if taken < len(table.taken):
                seat, known = table.taken[-1 - taken]
                if seat != table.seat_of(turn) or card not in (None, known):
                    continue
            after.add(taken + 1)
        ways = after
    return len(tops) - len(table.pile) in ways


def _all_turns(turns: int, players: int, dealer: int, to_move: int, least: int) -> int:
    """Return how many turns of the round are over.

    The number given may be that, or, where it cannot be with this seat to move or is
    less than the pile and the discards need (``least``), how many turns the seat to
    move has behind it.
    """
    since_first = (to_move - dealer - 1) % players
    fits = turns % players == since_first and turns >= least
    return turns if fits else turns * players + since_first


def _taken_now(table: Table, drawn: int | None) -> bool:
    """Tell, from what is open, whether the card just drawn came from the pile.

    Where both can be, it is taken to have come from the pile.
    """
    if table.phase != DISCARD or not table.taken or table.taken[-1][0] != table.to_move:
        return False
    card = table.taken[-1][1]
    if drawn is not None and drawn != card:
        return False
    return not table.discards or table.discards[-1][1] == card


def _entries(pairs: Iterable[tuple[int, int]]) -> list[dict[str, Any]]:
    return [{"seat": seat, "card": CARD_NAMES[card]} for seat, card in pairs]


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


def _waits(view: View) -> int:
    """Return what chance is to bring, from how the position is written."""
    table, own = view.table, view.table.seats[view.seat]
    full = HAND - len(own.cards) + 1
    if view.mine and table.phase == DISCARD and view.drawn is None and len(view.hand) < full:
        return WAITS_FOR_CARD
    if (
        table.finisher is not None
        or not (own.shown and table.tiplu_drawn)
        or view.tiplu is not None
        or _is_blind(view)
    ):
        return WAITS_FOR_NOTHING
    return WAITS_FOR_TIPLU


def _is_blind(view: View) -> bool:
    """Tell whether the view's seat has just shown, and sees the tiplu after its discard."""
    table = view.table
    hidden = table.tiplu_drawn and view.tiplu is None and table.seats[view.seat].shown
    return hidden and view.mine and not sees_at_once(view.rules, table)


def _check_view(fields: Fields, view: View) -> None:
    """Refuse a view whose cards cannot be so."""
    table, own = view.table, view.table.seats[view.seat]
    holds = HAND - len(own.cards)
    if view.mine and table.phase == DISCARD and view.waits != WAITS_FOR_CARD:
        holds += 1
        if view.drawn is None or view.drawn not in (*view.hand, *own.cards):
            expected = "the card just drawn, one of the hand or just shown"
            fields.fail("drawn", expected, None if view.drawn is None else CARD_NAMES[view.drawn])
    elif view.drawn is not None:
        fields.fail("drawn", "null, since this seat has not just drawn", CARD_NAMES[view.drawn])
    if len(view.hand) != holds:
        fields.fail("hand", f"{holds} cards", len(view.hand))
    in_hands = HAND * table.players + (table.phase == DISCARD)
    stock = 160 - in_hands - len(table.pile) - table.tiplu_drawn
    if table.stock != stock:
        fields.fail("stock", f"{stock}, so that there are 160 cards", table.stock)
    seen = Counter(view.hand)
    seen.update(table.pile)
    for seat in table.seats:
        seen.update(seat.cards)
    if view.tiplu is not None:
        seen[view.tiplu] += 1
        if view.tiplu >= PUTALI:
            fields.fail("tiplu", "a card of the packs", CARD_NAMES[view.tiplu])
        if not table.tiplu_drawn or not (own.shown or table.over):
            fields.fail("tiplu", "null, since this seat has not shown", CARD_NAMES[view.tiplu])
    for card, count in seen.items():
        if count > COPIES[card]:
            raise PositionError(
                f"position: {CARD_NAMES[card]}: there are {COPIES[card]}, got {count} in hand, "
                "table, pile and tiplu"
            )
    _check_tiplu_drawn(fields, view)
    _check_finisher(fields, view)
    for at, seat in enumerate(table.seats):
        if len(seat.cards) > HAND:
            fields.fail(f"table[{at}]", f"at most {HAND} cards", len(seat.cards))
    for at, seat in enumerate(table.seats):
        if (seat.laid or seat.shown) and (at - table.dealer - 1) % table.players > table.turns:
            raise PositionError(
                f"position: table[{at}]: expected nothing, since seat {at} has not played yet"
            )
    _check_pile(fields, view)


def _check_tiplu_drawn(fields: Fields, view: View) -> None:
    """Refuse a tiplu that is drawn or not where that cannot be."""
    table = view.table
    showers = [at for at, seat in enumerate(table.seats) if seat.shown]
    none = chance_of_no_tiplu(view.not_in_sight(), table.stock)
    if table.blind and not (table.to_move in showers and table.phase == DISCARD):
        fields.fail("shown_blind", "false, since the seat to move has not just shown", True)
    if view.waits == WAITS_FOR_A_DRAW:
        if showers != [table.to_move] or table.finisher is not None or not 0 < none < 1:
            fields.fail("tiplu_drawn", "true or false, since it can be known", None)
    elif table.tiplu_drawn:
        if not showers:
            fields.fail("tiplu_drawn", "false, since nobody has shown", True)
        if not view.possible_tiplus():
            fields.fail("tiplu_drawn", "false, since no card is left to be the tiplu", True)
    elif showers and none == 0:
        fields.fail("tiplu_drawn", "true, since somebody has shown", False)


def _check_finisher(fields: Fields, view: View) -> None:
    """Refuse a finish that cannot have been made, and a payment that is not its own."""
    table, finisher = view.table, view.table.finisher
    if finisher is not None:
        seat = table.seats[finisher]
        if (finisher + 1) % table.players != table.to_move or table.phase != DRAW:
            fields.fail("finisher", "the seat before the one to move, in phase draw", finisher)
        if not (seat.shown and table.tiplu_drawn):
            fields.fail("finisher", "a seat that has shown and sees the tiplu", finisher)
        if not seat.dublees:
            try:
                check_finish_melds(seat.melds[-_finish_size(seat) :], view.possible_tiplus())
            except MoveError as error:
                raise PositionError(f"position: table[{finisher}]: {error}") from None
    if view.maal is None:
        return
    own = table.seats[view.seat]
    if view.tiplu is not None or not table.tiplu_drawn:
        points = player_maal(view.rules, own, view.hand, view.tiplu, table.any_shown)
        if view.maal[view.seat] != points:
            fields.fail("maal", f"{points} for seat {view.seat}", view.maal[view.seat])
    by_dublee = finisher is not None and table.seats[finisher].dublees
    paid = payments(view.maal, [seat.shown for seat in table.seats], finisher, by_dublee)
    if view.net is not None and view.net != paid:
        fields.fail("net", f"{list(paid)} by this maal", [int(points) for points in view.net])


def _finish_size(seat: Seat) -> int:
    """Return how many melds a finish has, beside those of the show."""
    return len(seat.melds) + len(seat.laid) - SHOW_MELDS


CODEC = MarriageCodec()
