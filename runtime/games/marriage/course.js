/**
 * The course of a round of Marriage, what lies open in it, and who pays whom at its end.
 *
 * A course tells all of a round but its cards; the public state has those that everybody sees.
 * Both are never changed: what a move does makes new ones.
 */

import {
  ALL_CARDS,
  countsOf,
  DECK,
  flat,
  HAND,
  howMany,
  maalPoints,
  MASTER,
  NO_CARD,
  PUTALI,
  SHOW_MELDS,
} from "./cards.js";

/** @import { Cards, Counts, Melds } from "./cards.js" */

/** The finisher of a round that nobody has finished. */
export const NOBODY = -1;

/**
 * @typedef {object} MarriageRules the options
 * @property {boolean} dublee
 * @property {boolean} master_is_pure
 * @property {"after_discard" | "at_once"} see_tiplu
 * @property {boolean} printed_need_show
 * @property {boolean} laid_need_tiplu
 *
 * @typedef {object} Course
 * @property {number} players
 * @property {number} dealer the seat after it plays first
 * @property {number} turns how many are over
 * @property {boolean} hasDrawn whether the seat to move has drawn, and is to discard
 * @property {number} stock how many cards it has
 * @property {number} shown the seats that have shown, as bits
 * @property {number} dublees those of them that have shown seven dublees, as bits
 * @property {boolean} tipluDrawn
 * @property {number} barred the card just taken from the pile, which may not be discarded
 * @property {boolean} blind whether the seat to move has shown in this turn and does not see the
 *   tiplu before its discard
 * @property {number} finisher
 *
 * What lies before a seat: the melds of its show and finish, and the tanelas laid before.
 *
 * @typedef {{ melds: Melds, laid: Melds }} Seat
 * @typedef {{ seat: number, card: number }} SeatCard
 *
 * @typedef {object} PublicState
 * @property {Course} course
 * @property {readonly Seat[]} seats
 * @property {Cards} pile its top last
 * @property {readonly SeatCard[]} discards
 * @property {readonly SeatCard[]} taken from the pile
 *
 * @typedef {{ draw: "stock" | "pile" }} Draw
 * @typedef {{ lay: Cards }} Lay
 * @typedef {{ show: Melds }} Show
 * @typedef {{ show_dublees: Melds }} ShowDublees
 * @typedef {{ finish: Melds, discard: number }} Finish
 * @typedef {{ discard: number }} Discard
 * @typedef {Partial<Draw & Lay & Show & ShowDublees & Finish>} Move one of these, cards as
 *   numbers, in order
 */

/** @param {MarriageRules} rules */
const seeAtOnce = (rules) => rules.see_tiplu === "at_once";

// Whose turn it is, and what may be done.

/**
 * @param {Course} course
 * @param {number} turn
 */
export const seatOfTurn = (course, turn) => (course.dealer + 1 + turn) % course.players;

/** @param {Course} course */
export const seatToMove = (course) => seatOfTurn(course, course.turns);

/**
 * @param {number} seats as bits
 * @param {number} seat
 */
export const among = (seats, seat) => ((seats >> seat) & 1) === 1;

/** @param {Course} course */
export const isOver = (course) =>
  course.finisher !== NOBODY || (course.stock === 0 && !course.hasDrawn);

/**
 * @param {Course} course
 * @param {boolean} hasDiscarded whether the seat to move is known to have discarded.
 */
export const beforeFirstDraw = (course, hasDiscarded) =>
  !course.hasDrawn && course.turns < course.players && !hasDiscarded;

/**
 * @param {Course} course
 * @param {number} tanelas how many are laid
 * @param {boolean} hasDiscarded
 */
export const mayLay = (course, tanelas, hasDiscarded) =>
  beforeFirstDraw(course, hasDiscarded) &&
  !among(course.shown, seatToMove(course)) &&
  tanelas < SHOW_MELDS;

/**
 * @param {Course} course
 * @param {boolean} hasDiscarded
 */
export const mayShow = (course, hasDiscarded) =>
  (course.hasDrawn || beforeFirstDraw(course, hasDiscarded)) &&
  !among(course.shown, seatToMove(course));

/**
 * Tell whether a show made now lets its shower see the tiplu before the discard.
 *
 * @param {Course} course
 * @param {MarriageRules} rules
 */
export const seesAtOnce = (course, rules) => !course.hasDrawn || seeAtOnce(rules);

/**
 * @param {Course} course
 * @param {number} seat
 */
export const seesTiplu = (course, seat) =>
  course.tipluDrawn &&
  among(course.shown, seat) &&
  !(course.blind && seat === seatToMove(course));

/** @param {Course} course */
export const mayFinish = (course) => course.hasDrawn && seesTiplu(course, seatToMove(course));

/** How many cards the pile has: of all those in no other place. @param {Course} course */
export const pileSize = (course) =>
  ALL_CARDS -
  HAND * course.players -
  (course.hasDrawn ? 1 : 0) -
  course.stock -
  (course.tipluDrawn ? 1 : 0);

/**
 * @param {number} players
 * @param {number} dealer
 * @returns {Course}
 */
export const firstTurn = (players, dealer) => ({
  players,
  dealer,
  turns: 0,
  hasDrawn: false,
  stock: ALL_CARDS - HAND * players - 1,
  shown: 0,
  dublees: 0,
  tipluDrawn: false,
  barred: NO_CARD,
  blind: false,
  finisher: NOBODY,
});

/**
 * Return the course after a show; the first one then draws the tiplu if there is one.
 *
 * @param {Course} course
 * @param {boolean} byDublees
 * @param {MarriageRules} rules
 * @returns {Course}
 */
export function afterShow(course, byDublees, rules) {
  const seat = 1 << seatToMove(course);
  return {
    ...course,
    shown: course.shown | seat,
    dublees: course.dublees | (byDublees ? seat : 0),
    blind: course.tipluDrawn && !seesAtOnce(course, rules),
  };
}

/**
 * Return the course once the first show has drawn the tiplu from the stock.
 *
 * @param {Course} course
 * @param {MarriageRules} rules
 * @returns {Course}
 */
export const afterTipluDrawn = (course, rules) => ({
  ...course,
  stock: course.stock - 1,
  tipluDrawn: true,
  blind: !seesAtOnce(course, rules),
});

// Moves.

/** Return the cards that leave the hand with a move. @param {Move} move @returns {Cards} */
export function cardsGivenUp(move) {
  const laid = move.lay ?? flat(move.show ?? move.show_dublees ?? move.finish ?? []);
  return move.discard === undefined ? laid : [...laid, move.discard];
}

/** Whether a move is a show. @param {Move} move */
export const isShow = (move) => move.show !== undefined || move.show_dublees !== undefined;

// The public state.

/** @param {PublicState} open */
export const toMove = (open) => seatToMove(open.course);

/** The top of the pile, NO_CARD if it is empty. @param {PublicState} open */
export const topOf = ({ pile }) => (pile.length > 0 ? pile[pile.length - 1] : NO_CARD);

/**
 * Tell whether a seat is known to have discarded in this round.
 *
 * @param {PublicState} open
 * @param {number} seat
 */
export const hasDiscarded = (open, seat = toMove(open)) =>
  open.discards.some((discard) => discard.seat === seat);

/**
 * @param {PublicState} open
 * @param {number} seat
 */
export const hasShown = (open, seat) => among(open.course.shown, seat);

/**
 * @param {PublicState} open
 * @param {number} seat
 */
export const hasDublees = (open, seat) => among(open.course.dublees, seat);

/** All cards on the table before a seat. @param {Seat} seat */
export const cardsOf = ({ laid, melds }) => [...flat(laid), ...flat(melds)];

/**
 * Return how many cards a seat holds; the finisher has discarded one of its own.
 *
 * @param {PublicState} open
 * @param {number} seat
 */
export const inHand = (open, seat) =>
  HAND -
  cardsOf(open.seats[seat]).length +
  (open.course.hasDrawn && seat === toMove(open) ? 1 : 0);

/** Return the counts of pile and table. @param {PublicState} open */
export const openCards = (open) => countsOf([...open.pile, ...open.seats.flatMap(cardsOf)]);

/**
 * Return, seat by seat, the cards known to be in each hand: taken, and not seen since.
 *
 * @param {PublicState} open
 */
export function heldCards({ course, seats, pile, discards, taken }) {
  /** @param {readonly SeatCard[]} cards @param {number} seat */
  const of = (cards, seat) =>
    countsOf(cards.filter((one) => one.seat === seat).map(({ card }) => card));
  // What lies on the pile may have been taken and discarded again, unremembered.
  const unknown = countsOf(discards.length < course.turns ? pile : []);
  return seats.map((held, seat) => {
    const found = of(taken, seat);
    const gone = of(discards, seat);
    const table = countsOf(cardsOf(held));
    return found.map((many, card) =>
      Math.max(Math.max(many - gone[card] - unknown[card], 0) - table[card], 0),
    );
  });
}

/**
 * Return the public state after a legal move of the seat to move.
 *
 * @param {PublicState} open
 * @param {Move} move
 * @param {boolean} tipluExists whether it is the first show, and draws a tiplu.
 * @param {MarriageRules} rules
 * @returns {PublicState}
 */
export function publicAfter(open, move, tipluExists, rules) {
  const { course } = open;
  const player = toMove(open);
  const own = open.seats[player];
  /** @param {Seat} seat */
  const withSeat = (seat) => open.seats.map((held, at) => (at === player ? seat : held));
  if (move.draw === "stock") {
    const stock = course.stock - 1;
    return { ...open, course: { ...course, hasDrawn: true, stock, barred: NO_CARD } };
  }
  if (move.draw === "pile") {
    const card = topOf(open);
    return {
      ...open,
      course: { ...course, hasDrawn: true, barred: card },
      pile: open.pile.slice(0, -1),
      taken: [...open.taken, { seat: player, card }],
    };
  }
  if (move.lay !== undefined) {
    return { ...open, seats: withSeat({ ...own, laid: [...own.laid, move.lay] }) };
  }
  const melds = move.show ?? move.show_dublees;
  if (melds !== undefined) {
    const after = afterShow(course, move.show_dublees !== undefined, rules);
    const now = tipluExists ? afterTipluDrawn(after, rules) : after;
    return { ...open, course: now, seats: withSeat({ ...own, melds }) };
  }
  const card = /** @type {number} */ (move.discard);
  const finish = move.finish;
  return {
    ...open,
    course: {
      ...course,
      turns: course.turns + 1,
      hasDrawn: false,
      barred: NO_CARD,
      blind: false,
      finisher: finish ? player : course.finisher,
    },
    seats: finish ? withSeat({ ...own, melds: [...own.melds, ...finish] }) : open.seats,
    pile: [...open.pile, card],
    discards: [...open.discards, { seat: player, card }],
  };
}

// What is known of the cards.

/** How many there are of each card. */
const COPIES = countsOf(DECK);

/**
 * Return how many copies of each card do not lie before a seat's eyes now.
 *
 * @param {Cards} hand
 * @param {PublicState} open
 * @param {number} tiplu NO_CARD if the seat does not see it.
 */
export function notInSight(hand, open, tiplu) {
  const seen = openCards(open);
  for (const card of hand) seen[card] += 1;
  if (tiplu >= 0) seen[tiplu] += 1;
  return COPIES.map((copies, card) => copies - seen[card]);
}

/**
 * Return how likely it is that no card of the stock can be the tiplu.
 *
 * @param {Counts} unseen
 * @param {number} stock
 */
export function chanceOfNoTiplu(unseen, stock) {
  const printed = unseen[PUTALI] + unseen[MASTER];
  if (stock > printed) return 0;
  const all = howMany(unseen);
  let chance = 1;
  for (let drawn = 0; drawn < stock; drawn++) chance *= (printed - drawn) / (all - drawn);
  return chance;
}

// The settlement.

const SHOWN_PAYS = 3;
const UNSHOWN_PAYS = 10;
const DUBLEE_PAYS = 5;
export const PAYS = { shown: SHOWN_PAYS, unshown: UNSHOWN_PAYS, dublee: DUBLEE_PAYS };

/**
 * Return the maal that counts for a seat at the end of a round.
 *
 * @param {MarriageRules} rules
 * @param {Counts} cards the seat's, in hand and on the table.
 * @param {Counts} laid those of the tanelas that it laid before its first draw.
 * @param {number} tiplu
 * @param {boolean} shown whether the seat has shown.
 * @param {boolean} anyShown whether anybody has.
 */
export function countedMaal(rules, cards, laid, tiplu, shown, anyShown) {
  const sees = shown && tiplu >= 0;
  return maalPoints(
    cards,
    sees ? tiplu : NO_CARD,
    howMany(laid) / 3,
    laid[PUTALI] > 0,
    shown || !anyShown || !rules.printed_need_show,
    sees || !rules.laid_need_tiplu,
  );
}

/**
 * Return what each seat wins: each pays each the difference of their maal, and all the finisher.
 *
 * @param {Course} course
 * @param {readonly number[]} maal
 */
export function settlement({ players, finisher, shown, dublees }, maal) {
  const total = maal.reduce((sum, points) => sum + points, 0);
  const net = maal.map((points) => players * points - total);
  if (finisher === NOBODY) return net;
  const more = among(dublees, finisher) ? DUBLEE_PAYS : 0;
  for (let seat = 0; seat < players; seat++) {
    if (seat === finisher) continue;
    const paid = more + (among(shown, seat) ? SHOWN_PAYS : UNSHOWN_PAYS);
    net[seat] -= paid;
    net[finisher] += paid;
  }
  return net;
}


