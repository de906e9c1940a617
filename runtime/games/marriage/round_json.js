/**
 * Marriage as JSON: a seat's view, the whole round, moves, and what happened.
 *
 * Keys, and what is refused in which words, are those of `ustad.runtime.games.marriage.codec`.
 */

import { Fields, isObject, isWhole, readOptions, shown as told, UstadError } from "./errors.js";
import {
  ALL_CARDS,
  CARD_NAMES,
  CARD_NUMBERS,
  FINISH_PLACES,
  flat,
  isPure,
  isTanela,
  meldsToJson,
  namesOf,
  NO_CARD,
  DUBLEES_TO_SHOW,
  SHOW_MELDS,
  sorted,
  sortedMelds,
} from "./cards.js";
import {
  firstTurn,
  hasDublees,
  hasShown,
  isOver,
  NOBODY,
  inHand,
  seatToMove,
  seesAtOnce,
  seesTiplu,
  toMove,
  topOf,
} from "./course.js";
import {
  CARD,
  isMine,
  isWholeRound,
  maalOf,
  netOf,
  NOTHING,
  TIPLU,
  WHETHER_TIPLU,
} from "./round.js";
import { checkView, checkWhole } from "./round_checks.js";

/** @import { JsonObject, Option } from "./errors.js" */
/** @import { Course, MarriageRules, Move, PublicState, Seat, SeatCard } from "./course.js" */
/** @import { Deal, State, View } from "./round.js" */

export const NAME = "marriage";
const PHASES = ["draw", "discard"];
const MOST_TURNS = 1_000_000;
const MOVES = ["draw", "lay", "show", "show_dublees", "finish", "discard"];

// Cards.

/**
 * @param {Fields} fields
 * @param {string} key
 * @param {unknown} value
 */
function card(fields, key, value) {
  const found = CARD_NUMBERS.get(value);
  if (found !== undefined) return found;
  return fields.fail(key, "a card such as 7H, 10D, PJ (putali) or MJ (master)", value);
}

/**
 * Return the card under a key, NO_CARD for null or if the key is missing.
 *
 * @param {Fields} fields
 * @param {string} key
 */
function cardOrNone(fields, key) {
  const value = fields.take(key, null);
  return value === null ? NO_CARD : card(fields, key, value);
}

/**
 * @param {Fields} fields
 * @param {string} key
 * @param {unknown} value
 */
function cardList(fields, key, value) {
  if (!Array.isArray(value)) fields.fail(key, "a list of cards", value);
  return value.map((one) => card(fields, key, one));
}

/**
 * @param {Fields} fields
 * @param {string} key
 * @param {unknown} value
 */
function meldList(fields, key, value) {
  if (!Array.isArray(value)) fields.fail(key, "a list of melds, each a list of cards", value);
  return value.map((cards) => sorted(cardList(fields, key, cards)));
}

/**
 * @param {Fields} fields
 * @param {string} key
 * @param {boolean} [fallback]
 * @returns {boolean}
 */
function truth(fields, key, fallback) {
  const value = fields.take(key, fallback);
  if (typeof value !== "boolean") fields.fail(key, "true or false", value);
  return value;
}

/**
 * Return the cards that seats are known to have discarded or taken, none if it is missing.
 *
 * @param {Fields} fields
 * @param {string} key
 * @param {number} players
 * @returns {SeatCard[]}
 */
function seatCards(fields, key, players) {
  const value = fields.take(key, []);
  if (!Array.isArray(value)) fields.fail(key, 'a list of {"seat": ..., "card": ...}', value);
  return value.map((item, at) => {
    /** @type {Fields} */
    const entry = new Fields(item, `${key}[${at}]`);
    const seat = entry.integer("seat", 0, players - 1);
    const held = card(entry, "card", entry.take("card"));
    entry.done();
    return { seat, card: held };
  });
}

// Positions.

/**
 * Return the view, or the whole round, that a JSON position describes.
 *
 * @param {unknown} position
 * @param {Option[]} options
 * @param {number} least seats
 * @param {number} most
 * @returns {State}
 */
export function readState(position, options, least, most) {
  /** @type {Fields} */
  const fields = new Fields(position, "position");
  fields.oneOf("game", [NAME]);
  const given = readOptions(options, fields.take("options", {}));
  const rules = /** @type {MarriageRules} */ (/** @type {unknown} */ (given));
  const players = fields.integer("players", least, most);
  const endGiven = "finisher" in fields.value;
  if ("hands" in fields.value) return readWhole(fields, rules, players, endGiven);
  const seat = fields.integer("seat", 0, players - 1);
  const { open: read, tipluDrawn } = readPublic(fields, rules, players);
  const hand = sorted(cardList(fields, "hand", fields.take("hand")));
  const drawn = cardOrNone(fields, "drawn");
  const tiplu = cardOrNone(fields, "tiplu");
  const open = withBarred(fields, read, drawn);
  const blindGiven = truth(fields, "shown_blind", false);
  const { maal, net } = readResult(fields, players);
  fields.done();
  const plain = { rules, open, seat, hand, drawn, tiplu, waits: NOTHING, maal, net };
  const seen = withBlind(fields, plain, blindGiven);
  const view = { ...seen, waits: waitsFor(seen, tipluDrawn) };
  checkEnd(fields, open.course, endGiven, maal !== null || net !== null);
  checkView(fields, view);
  return view;
}

/**
 * @param {Fields} fields
 * @param {MarriageRules} rules
 * @param {number} players
 * @param {boolean} endGiven
 * @returns {Deal}
 */
function readWhole(fields, rules, players, endGiven) {
  const given = fields.take("hands");
  if (!Array.isArray(given) || given.length !== players) {
    fields.fail("hands", `a list with the cards of each of ${players} seats`, given);
  }
  const hands = given.map((hand, seat) => sorted(cardList(fields, `hands[${seat}]`, hand)));
  const stock = cardList(fields, "stock", fields.take("stock"));
  const { open: read, tipluDrawn } = readPublic(fields, rules, players, stock.length);
  const drawn = cardOrNone(fields, "drawn");
  const tiplu = cardOrNone(fields, "tiplu");
  if (tipluDrawn !== tiplu >= 0) {
    fields.fail("tiplu_drawn", `${tiplu >= 0}, by the tiplu`, tipluDrawn);
  }
  const open = withBarred(fields, read, drawn);
  const sees = fields.take("sees");
  const { maal, net } = readResult(fields, players);
  fields.done();
  checkEnd(fields, open.course, endGiven, maal !== null || net !== null);
  const areTruths = Array.isArray(sees) && sees.every((one) => typeof one === "boolean");
  if (!areTruths || sees.length !== players) {
    fields.fail("sees", `a list of true or false for each of ${players} seats`, sees);
  }
  const player = toMove(open);
  const mayBeBlind = hasShown(open, player) && !seesAtOnce(open.course, rules);
  const course = { ...open.course, blind: tipluDrawn === true && mayBeBlind && !sees[player] };
  const seen = open.seats.map((_, seat) => seesTiplu(course, seat));
  if (sees.join() !== seen.join()) {
    fields.fail("sees", `${told(seen)}, by who has shown`, sees);
  }
  const deal = { rules, open: { ...open, course }, hands, drawn, tiplu, stock: stock.reverse() };
  checkWhole(fields, deal, maal, net);
  return deal;
}

/**
 * Refuse a finisher, maal and net where they do not belong.
 *
 * @param {Fields} fields
 * @param {Course} course
 * @param {boolean} endGiven
 * @param {boolean} settled
 */
function checkEnd(fields, course, endGiven, settled) {
  if (!endGiven && settled) {
    fields.fail("finisher", "a seat or null beside maal and net", null);
  }
  if (endGiven && !isOver(course)) {
    fields.fail("finisher", "a seat, since the stock is not used up", null);
  }
}

/**
 * Return the public state, and whether the tiplu is drawn, null if chance is to tell.
 *
 * @param {Fields} fields
 * @param {MarriageRules} rules
 * @param {number} players
 * @param {number} [stock] how many cards it has, if the position tells them all.
 * @returns {{ open: PublicState, tipluDrawn: boolean | null }}
 */
function readPublic(fields, rules, players, stock) {
  const dealer = fields.integer("dealer", 0, players - 1);
  const given = fields.integer("turns", 0, MOST_TURNS);
  const player = fields.integer("to_move", 0, players - 1);
  const pile = cardList(fields, "pile", fields.take("pile"));
  const discards = seatCards(fields, "discards", players);
  const start = { ...firstTurn(players, dealer), turns: given };
  const turns = allTurns(start, player, Math.max(pile.length - 1, discards.length));
  const finisher = fields.take("finisher", null);
  if (finisher !== null && !isWhole(finisher, 0, players - 1)) {
    fields.fail("finisher", `a whole number from 0 to ${players - 1}`, finisher);
  }
  const tipluDrawn = fields.take("tiplu_drawn");
  if (tipluDrawn !== null && typeof tipluDrawn !== "boolean") {
    fields.fail("tiplu_drawn", "true, false or null", tipluDrawn);
  }
  const rows = fields.take("table");
  if (!Array.isArray(rows) || rows.length !== players) {
    fields.fail("table", `a list with one entry for each of ${players} seats`, rows);
  }
  const hasDrawn = fields.oneOf("phase", PHASES) === "discard";
  const seats = rows.map((row, at) => readSeat(rules, row, at, finisher === at));
  const taken = seatCards(fields, "taken", players);
  /** @param {"shown" | "dublees"} what */
  const bits = (what) => seats.reduce((sum, row, at) => sum | (row[what] ? 1 << at : 0), 0);
  const course = {
    ...start,
    turns,
    hasDrawn,
    stock: stock ?? fields.integer("stock", 0, ALL_CARDS),
    shown: bits("shown"),
    dublees: bits("dublees"),
    tipluDrawn: tipluDrawn === true,
    finisher: finisher ?? NOBODY,
  };
  const open = { course, seats: seats.map(({ seat }) => seat), pile, discards, taken };
  return { open, tipluDrawn };
}

/**
 * Return how many turns of the round are over: as given, or, where that cannot be with this seat
 * to move or is less than the pile and the discards need, those that the seat has behind it.
 *
 * @param {Course} course
 * @param {number} player
 * @param {number} least
 */
function allTurns(course, player, least) {
  const { turns, players, dealer } = course;
  if (seatToMove(course) === player && turns >= least) return turns;
  return turns * players + ((player - dealer - 1 + 2 * players) % players);
}

/**
 * Return what lies before a seat, refused if no show or finish can have put it there.
 *
 * @param {MarriageRules} rules
 * @param {unknown} value
 * @param {number} at
 * @param {boolean} finished
 * @returns {{ seat: Seat, shown: boolean, dublees: boolean }}
 */
function readSeat(rules, value, at, finished) {
  /** @type {Fields} */
  const fields = new Fields(value, `table[${at}]`);
  fields.integer("seat", at, at);
  const melds = meldList(fields, "melds", fields.take("melds"));
  const laid = meldList(fields, "laid_before_draw", fields.take("laid_before_draw"));
  const shown = truth(fields, "shown");
  const dublees = truth(fields, "dublees");
  fields.done();
  if (laid.length > SHOW_MELDS || !laid.every(isTanela)) {
    fields.fail("laid_before_draw", "at most three tanelas", fields.value.laid_before_draw);
  }
  if (!shown && (melds.length > 0 || dublees)) {
    fields.fail("shown", "true, since there are melds of a show", false);
  }
  const given = fields.value.melds;
  if (dublees) {
    const pairs = melds.filter((cards) => cards.length === 2 && cards[0] === cards[1]);
    const kinds = new Set(pairs.map(([one]) => one)).size;
    const wanted = DUBLEES_TO_SHOW + (finished ? 1 : 0);
    if (!rules.dublee || melds.length !== wanted || kinds < DUBLEES_TO_SHOW) {
      fields.fail("melds", `${wanted} dublees, under the option dublee`, given);
    }
  } else if (shown) {
    const wanted = SHOW_MELDS - laid.length;
    const show = melds.slice(0, wanted);
    if (show.length < wanted || !show.every((cards) => isPure(cards, rules.master_is_pure))) {
      fields.fail("melds", `${wanted} pure melds of three cards`, given);
    }
    const places = finished ? FINISH_PLACES : 0;
    if (flat(melds.slice(wanted)).length !== places) {
      fields.fail("melds", `melds of ${places} cards beside those of the show`, given);
    }
  }
  return { seat: { melds, laid }, shown, dublees };
}

/**
 * Return the public state with the card that was just taken from the pile barred.
 *
 * @param {Fields} fields
 * @param {PublicState} open
 * @param {number} drawn
 * @returns {PublicState}
 */
function withBarred(fields, open, drawn) {
  const from = fields.take("drawn_from", null);
  if (from !== null && from !== "stock" && from !== "pile") {
    fields.fail("drawn_from", '"stock" or "pile"', from);
  }
  let barred = justTaken(open, drawn);
  if (from === "pile" && barred === NO_CARD) {
    if (!open.course.hasDrawn || drawn === NO_CARD) {
      fields.fail("drawn_from", '"stock" or nothing, since no card is drawn', "pile");
    }
    barred = drawn;
  } else if (from === "stock") barred = NO_CARD;
  if (barred !== NO_CARD && drawn !== NO_CARD && drawn !== barred) {
    fields.fail("drawn", `${CARD_NAMES[barred]}, taken from the pile`, CARD_NAMES[drawn]);
  }
  return { ...open, course: { ...open.course, barred } };
}

/**
 * Return the card that was taken from the pile in this turn by what is open, else NO_CARD.
 *
 * @param {PublicState} open
 * @param {number} drawn
 */
function justTaken(open, drawn) {
  const { course, pile, discards, taken } = open;
  if (!course.hasDrawn) return NO_CARD;
  const any = discards.length > 0;
  const thrown = any ? discards[discards.length - 1].card : drawn;
  if (taken.length > 0 && taken[taken.length - 1].seat === toMove(open)) {
    const { card: last } = taken[taken.length - 1];
    if ((drawn === NO_CARD || drawn === last) && (!any || thrown === last)) return last;
  }
  const gone = pile.length === 0 || (any && thrown !== topOf(open));
  return gone ? thrown : NO_CARD;
}

/**
 * Return the view with what is known of whether the seat to move is blind.
 *
 * @param {Fields} fields
 * @param {View} view
 * @param {boolean} given
 * @returns {View}
 */
function withBlind(fields, view, given) {
  const { open } = view;
  const hidden = open.course.tipluDrawn && view.tiplu < 0 && hasShown(open, view.seat);
  const blind = hidden && isMine(view) && !seesAtOnce(open.course, view.rules);
  if (given && isMine(view) && !blind) {
    fields.fail("shown_blind", "false: this seat is to move", true);
  }
  return { ...view, open: { ...open, course: { ...open.course, blind: blind || given } } };
}

/**
 * Return what chance is to bring, from how the position is written.
 *
 * @param {View} view
 * @param {boolean | null} tipluDrawn
 */
function waitsFor(view, tipluDrawn) {
  const { open } = view;
  if (tipluDrawn === null) return WHETHER_TIPLU;
  const toCome = view.hand.length < inHand(open, view.seat);
  if (isMine(view) && open.course.hasDrawn && view.drawn < 0 && toCome) return CARD;
  const sees = seesTiplu(open.course, view.seat) && open.course.finisher === NOBODY;
  return sees && view.tiplu < 0 ? TIPLU : NOTHING;
}

/**
 * Return the maal and net of a round that is over.
 *
 * @param {Fields} fields
 * @param {number} players
 * @returns {{ maal: number[] | null, net: number[] | null }}
 */
function readResult(fields, players) {
  const [maal, net] = [fields.take("maal", null), fields.take("net", null)];
  /** @param {string} key @param {unknown} value @returns {number[] | null} */
  const checked = (key, value) => {
    const whole = Array.isArray(value) && value.every((one) => isWhole(one, -Infinity, Infinity));
    if (value !== null && (!whole || value.length !== players)) {
      fields.fail(key, `${players} whole numbers`, value);
    }
    return /** @type {number[] | null} */ (value);
  };
  const found = { maal: checked("maal", maal), net: checked("net", net) };
  if (found.net !== null && found.net.reduce((sum, points) => sum + points, 0) !== 0) {
    fields.fail("net", "numbers that sum to zero", net);
  }
  return found;
}

/**
 * Return the JSON of a view or of a whole round.
 *
 * @param {State} state
 * @returns {JsonObject}
 */
export function writeState(state) {
  const { open, drawn, tiplu } = state;
  const { course } = open;
  const whole = isWholeRound(state);
  /** @param {number} held */
  const nameOrNull = (held) => (held === NO_CARD ? null : CARD_NAMES[held]);
  /** @param {readonly SeatCard[]} cards */
  const entries = (cards) =>
    cards.map((one) => ({ seat: one.seat, card: CARD_NAMES[one.card] }));
  /** @type {JsonObject} */
  const position = {
    game: NAME,
    options: { ...state.rules },
    players: course.players,
    ...(whole ? {} : { seat: state.seat }),
    to_move: toMove(open),
    dealer: course.dealer,
    turns: course.turns,
    phase: PHASES[course.hasDrawn ? 1 : 0],
    ...(whole ? { hands: state.hands.map(namesOf) } : { hand: namesOf(state.hand) }),
    drawn: nameOrNull(drawn),
    table: open.seats.map((seat, at) => ({
      seat: at,
      melds: meldsToJson(seat.melds),
      laid_before_draw: meldsToJson(seat.laid),
      shown: hasShown(open, at),
      dublees: hasDublees(open, at),
    })),
    tiplu_drawn: !whole && state.waits === WHETHER_TIPLU ? null : course.tipluDrawn,
    tiplu: nameOrNull(tiplu),
    pile: namesOf(open.pile),
    discards: entries(open.discards),
    taken: entries(open.taken),
    ...(whole
      ? {
          stock: namesOf([...state.stock].reverse()),
          sees: open.seats.map((_, seat) => seesTiplu(course, seat)),
        }
      : { stock: course.stock }),
  };
  if (course.barred !== justTaken(open, drawn)) {
    position.drawn_from = course.barred === NO_CARD ? "stock" : "pile";
  }
  if (!whole && course.blind && !isMine(state)) position.shown_blind = true;
  if (isOver(course)) {
    position.finisher = course.finisher === NOBODY ? null : course.finisher;
    const [maal, net] = whole ? [maalOf(state), netOf(state)] : [state.maal, state.net];
    if (maal !== null && net !== null) {
      position.maal = [...maal];
      position.net = [...net];
    }
  }
  return position;
}

// Moves and outcomes.

/**
 * Return the move that a JSON object describes.
 *
 * @param {unknown} move
 * @returns {Move}
 */
export function readMove(move) {
  /** @type {Fields} */
  const fields = new Fields(move, "move", "move");
  const name = MOVES.find((one) => isObject(move) && one in move);
  if (name === undefined) {
    const expected = `one of the keys ${MOVES.join(", ")}`;
    throw new UstadError("move", `move: expected ${expected}, got ${told(move)}`);
  }
  /** @type {Move} */
  let found;
  if (name === "draw") {
    found = { draw: /** @type {"stock" | "pile"} */ (fields.oneOf("draw", ["stock", "pile"])) };
  } else if (name === "lay") {
    found = { lay: sorted(cardList(fields, name, fields.take(name))) };
  } else if (name === "discard") {
    found = { discard: card(fields, name, fields.take(name)) };
  } else {
    found = { [name]: sortedMelds(meldList(fields, name, fields.take(name))) };
    if (name === "finish") found.discard = card(fields, "discard", fields.take("discard"));
  }
  fields.done();
  return found;
}

/**
 * Return the JSON object of a move.
 *
 * @param {Move} move
 * @returns {JsonObject}
 */
export function writeMove(move) {
  if (move.draw !== undefined) return { draw: move.draw };
  if (move.lay !== undefined) return { lay: namesOf(move.lay) };
  if (move.show !== undefined) return { show: meldsToJson(move.show) };
  if (move.show_dublees !== undefined) return { show_dublees: meldsToJson(move.show_dublees) };
  const discard = CARD_NAMES[/** @type {number} */ (move.discard)];
  return move.finish === undefined ? { discard } : { finish: meldsToJson(move.finish), discard };
}

/**
 * Return the card that comes, or whether there is a tiplu.
 *
 * @param {unknown} outcome
 */
export function readOutcome(outcome) {
  if (typeof outcome === "boolean") return outcome;
  /** @type {Fields} */
  const fields = new Fields({}, "outcome", "outcome");
  return card(fields, "card", outcome);
}

/**
 * Return what a move or outcome brought about, in order.
 *
 * @param {State} before
 * @param {Move | number | boolean} step
 * @param {State} after
 * @returns {JsonObject[]}
 */
export function eventsOf(before, step, after) {
  const player = toMove(before.open);
  const { course } = after.open;
  if (typeof step === "boolean") return [{ seat: player, tiplu_drawn: step }];
  if (typeof step === "number") {
    const view = /** @type {View} */ (before);
    const key = view.waits === TIPLU ? "tiplu" : "card";
    return [{ seat: view.seat, [key]: CARD_NAMES[step] }];
  }
  /** @type {JsonObject} */
  const event = { seat: player, ...writeMove(step) };
  if (step.draw === "pile") event.card = CARD_NAMES[topOf(before.open)];
  const found = [event];
  if (course.tipluDrawn && !before.open.course.tipluDrawn) {
    found.push({ seat: player, tiplu_drawn: true });
  }
  if (isOver(course)) {
    const { finisher, dealer, players } = course;
    /** @type {JsonObject} */
    const end = { over: true, finisher: finisher === NOBODY ? null : finisher };
    end.next_dealer = (dealer + 1) % players;
    if (isWholeRound(after)) {
      end.maal = maalOf(after);
      end.net = netOf(after);
    }
    found.push(end);
  }
  return found;
}
