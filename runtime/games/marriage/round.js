/**
 * A round of Marriage: the whole of it with every card, and what one seat knows of it.
 *
 * In a whole round the order of the stock decides what is drawn.  A view can be played on by
 * itself: the cards that its seat cannot know are chance, and what another seat does is refused
 * where it cannot be.  Moves are legal or refused with the reason, as Python has it.
 */

import { CHANCE, OVER } from "./engine.js";
import { shown as told, UstadError } from "./errors.js";
import {
  beyond,
  CARD_NAMES,
  CARDS,
  countsOf,
  DUBLEES_TO_SHOW,
  dubleeChoices,
  FINISH_PLACES,
  flat,
  howMany,
  inWords,
  isFinishMeld,
  isPure,
  isTanela,
  jokersOf,
  kindsOf,
  NO_CARD,
  PUTALI,
  SHOW_MELDS,
  showChoices,
  sorted,
  without,
} from "./cards.js";
import {
  afterTipluDrawn,
  beforeFirstDraw,
  cardsGivenUp,
  cardsOf,
  chanceOfNoTiplu,
  countedMaal,
  hasDiscarded,
  hasDublees,
  hasShown,
  heldCards,
  inHand,
  isOver,
  isShow,
  mayFinish,
  mayLay,
  mayShow,
  notInSight,
  publicAfter,
  seesTiplu,
  settlement,
  toMove,
  topOf,
} from "./course.js";
import { finishMelds, finishMeldsExist } from "./finishes.js";

/** @import { Cards, Counts, Melds } from "./cards.js" */
/** @import { MarriageRules, Move, PublicState } from "./course.js" */

/** What chance is to bring to a view. */
export const NOTHING = 0;
export const CARD = 1;
export const TIPLU = 2;
export const WHETHER_TIPLU = 3;

/**
 * A round with every card.
 *
 * @typedef {object} Deal
 * @property {MarriageRules} rules
 * @property {PublicState} open
 * @property {readonly Cards[]} hands
 * @property {number} drawn the card just drawn, else NO_CARD
 * @property {number} tiplu NO_CARD until it is drawn or if there is none
 * @property {Cards} stock in the order of drawing; the tiplu comes from its end
 *
 * What one seat knows of a round.
 *
 * @typedef {object} View
 * @property {MarriageRules} rules
 * @property {PublicState} open
 * @property {number} seat
 * @property {Cards} hand
 * @property {number} drawn
 * @property {number} tiplu
 * @property {number} waits what chance is to bring
 * @property {readonly number[] | null} maal of each seat, once all hands lie open
 * @property {readonly number[] | null} net then too
 *
 * @typedef {Deal | View} State
 *
 * What the seat to move knows; the hand is null for a seat that another looks at.
 *
 * @typedef {{ hand: Cards | null, tiplu: number }} Known
 */

/** @param {State} state @returns {state is Deal} */
export const isWholeRound = (state) => "hands" in state;

/** @param {View} view */
export const isMine = (view) => toMove(view.open) === view.seat;

/** @param {State} state */
export function currentPlayer(state) {
  if (!isWholeRound(state) && state.waits !== NOTHING) return CHANCE;
  return isOver(state.open.course) ? OVER : toMove(state.open);
}

// Whether a move is legal.

/** @type {(message: string) => never} */
const refuse = (message) => {
  throw new UstadError("move", `move: ${message}`);
};

/**
 * Refuse a move that is not legal.
 *
 * @param {MarriageRules} rules
 * @param {PublicState} open
 * @param {Known} known
 * @param {Move} move
 */
function checkMove(rules, open, known, move) {
  const { course } = open;
  if (isOver(course)) refuse("the round is over, no move is left");
  if (move.draw !== undefined) checkDraw(open, known, move);
  else if (move.lay !== undefined) {
    checkLay(open, move.lay);
    checkHeld(known, move, "lay");
  } else if (isShow(move)) {
    checkShow(rules, open, move);
    checkHeld(known, move, "show");
  } else if (move.finish !== undefined) {
    if (!course.hasDrawn) refuse("finish: expected a draw first");
    checkFinish(open, known, move.finish);
    checkHeld(known, move, "finish");
    checkNotJustTaken(open, move, "finish: discard");
  } else {
    if (!course.hasDrawn) refuse("discard: expected a draw first");
    checkHeld(known, move, "discard");
    checkNotJustTaken(open, move, "discard");
  }
}

/**
 * @param {PublicState} open
 * @param {Known} known
 * @param {Move} move
 */
function checkDraw(open, { hand }, { draw }) {
  if (open.course.hasDrawn) refuse("draw: a card was drawn already, expected a discard");
  if (draw === "stock") return;
  if (open.pile.length === 0) refuse("draw: the pile is empty, expected the stock");
  if (!leavesADiscard(open, hand)) refuse("draw: the card could not be followed by a discard");
}

/**
 * Tell whether a hand has a discard after taking the top of the pile, which stays barred.
 *
 * @param {PublicState} open
 * @param {Cards | null} hand
 */
const leavesADiscard = (open, hand) =>
  hand === null || hand.some((card) => card !== topOf(open));

/** @param {PublicState} open */
const tanelasLaid = (open) => open.seats[toMove(open)].laid.length;

/**
 * @param {PublicState} open
 * @param {Cards} cards
 */
function checkLay(open, cards) {
  const { course } = open;
  if (!beforeFirstDraw(course, hasDiscarded(open))) {
    refuse("lay: tanelas are laid before one's first draw only");
  }
  if (!mayLay(course, tanelasLaid(open), hasDiscarded(open))) {
    refuse("lay: at most three tanelas are laid, and none after the show");
  }
  if (!isTanela(cards)) refuse(`lay: expected three identical cards, got ${inWords(cards)}`);
}

/**
 * @param {MarriageRules} rules
 * @param {PublicState} open
 * @param {Move} move
 */
function checkShow(rules, open, { show, show_dublees: dublees }) {
  if (hasShown(open, toMove(open))) refuse("show: this seat has shown already");
  if (!mayShow(open.course, hasDiscarded(open))) {
    refuse("show: expected a draw first, since this is not the first turn");
  }
  if (dublees !== undefined) checkDublees(rules, dublees);
  if (show === undefined) return;
  const laid = tanelasLaid(open);
  const wanted = SHOW_MELDS - laid;
  if (show.length !== wanted) {
    refuse(
      `show: expected ${wanted} melds, since ${laid} tanelas are laid, got ${show.length}`,
    );
  }
  for (const cards of show) {
    if (!isPure(cards, rules.master_is_pure)) {
      refuse(`show: ${inWords(cards)} is no pure meld of three cards`);
    }
  }
}

/** Whether cards are two identical ones. @param {Cards} cards */
const isPair = (cards) => cards.length === 2 && cards[0] === cards[1];

/**
 * @param {MarriageRules} rules
 * @param {Melds} melds
 */
function checkDublees(rules, melds) {
  if (!rules.dublee) refuse("show_dublees: the option dublee is off");
  if (melds.length !== DUBLEES_TO_SHOW || !melds.every(isPair)) {
    refuse("show_dublees: expected seven pairs of identical cards");
  }
  if (new Set(melds.map(([card]) => card)).size < melds.length) {
    refuse("show_dublees: there are not four of one card");
  }
}

/**
 * @param {PublicState} open
 * @param {Known} known
 * @param {Melds} melds
 */
function checkFinish(open, { tiplu }, melds) {
  const player = toMove(open);
  if (!hasShown(open, player)) refuse("finish: expected a show first");
  if (!seesTiplu(open.course, player)) refuse("finish: this seat does not see the tiplu yet");
  if (hasDublees(open, player)) {
    if (melds.length !== 1 || !isPair(melds[0])) {
      refuse("finish: after seven dublees expected an eighth one");
    }
    return;
  }
  if (flat(melds).length !== FINISH_PLACES) {
    refuse("finish: expected melds of twelve cards in all");
  }
  if (tiplu < 0) return;
  for (const cards of melds) {
    if (!isFinishMeld(cards, jokersOf(tiplu))) refuse(`finish: ${inWords(cards)} is no meld`);
  }
}

/**
 * Refuse cards that are melds of the finish under none of some tiplus.
 *
 * @param {Melds} melds
 * @param {readonly number[]} tiplus
 */
export function checkFinishMelds(melds, tiplus) {
  const can = tiplus.some((tiplu) =>
    melds.every((cards) => isFinishMeld(cards, jokersOf(tiplu))),
  );
  if (!can) refuse(`finish: ${melds.map(inWords).join(" | ")} are no melds under any tiplu`);
}

/**
 * @param {Known} known
 * @param {Move} move
 * @param {string} what
 */
function checkHeld({ hand }, move, what) {
  if (hand === null) return;
  const missing = beyond(cardsGivenUp(move), hand);
  if (missing.length > 0) {
    refuse(`${what}: ${inWords(missing)} is not in the hand ${inWords(hand)}`);
  }
}

/**
 * @param {PublicState} open
 * @param {Move} move
 * @param {string} what
 */
function checkNotJustTaken(open, { discard }, what) {
  const card = /** @type {number} */ (discard);
  if (card === open.course.barred) {
    refuse(`${what}: ${CARD_NAMES[card]} was just taken from the pile`);
  }
}

// The legal moves.

/**
 * Return the legal moves of the seat to move: every way to show, and one finish for each card
 * that may be discarded with it.
 *
 * @param {MarriageRules} rules
 * @param {PublicState} open
 * @param {Known} known
 * @returns {Move[]}
 */
function movesOf(rules, open, { hand, tiplu }) {
  const { course } = open;
  if (isOver(course) || hand === null) return [];
  const draws = course.hasDrawn ? [] : drawsAndLays(open, hand);
  const discards = course.hasDrawn ? finishesAndDiscards(open, hand, tiplu) : [];
  return [...draws, ...showsOf(rules, open, hand), ...discards];
}

/**
 * @param {PublicState} open
 * @param {Cards} hand
 */
function drawsAndLays(open, hand) {
  /** @type {Move[]} */
  const found = [{ draw: "stock" }];
  if (open.pile.length > 0 && leavesADiscard(open, hand)) found.push({ draw: "pile" });
  if (!mayLay(open.course, tanelasLaid(open), hasDiscarded(open))) return found;
  const held = countsOf(hand);
  const threes = kindsOf(hand).filter((card) => held[card] === 3);
  return [...found, ...threes.map((card) => ({ lay: [card, card, card] }))];
}

/**
 * @param {MarriageRules} rules
 * @param {PublicState} open
 * @param {Cards} hand
 * @returns {Move[]}
 */
function showsOf(rules, open, hand) {
  if (!mayShow(open.course, hasDiscarded(open))) return [];
  const shows = showChoices(hand, SHOW_MELDS - tanelasLaid(open), rules.master_is_pure);
  const dublees = rules.dublee ? dubleeChoices(hand) : [];
  return [
    ...shows.map((show) => ({ show })),
    ...dublees.map((melds) => ({ show_dublees: melds })),
  ];
}

/**
 * @param {PublicState} open
 * @param {Cards} hand
 * @param {number} tiplu
 * @returns {Move[]}
 */
function finishesAndDiscards(open, hand, tiplu) {
  const discards = kindsOf(hand).filter((card) => card !== open.course.barred);
  /** @type {Move[]} */
  let found = [];
  if (mayFinish(open.course) && tiplu >= 0) {
    found = hasDublees(open, toMove(open))
      ? dubleeFinishes(hand, discards)
      : finishesOf(hand, tiplu, discards);
  }
  return [...found, ...discards.map((discard) => ({ discard }))];
}

/**
 * @param {Cards} hand
 * @param {number} tiplu
 * @param {number[]} discards
 */
function finishesOf(hand, tiplu, discards) {
  const jokers = jokersOf(tiplu);
  if (!finishMeldsExist(hand, jokers)) return [];
  return discards.flatMap((discard) => {
    const finish = finishMelds(without(hand, [discard]), jokers);
    return finish === null ? [] : [{ finish, discard }];
  });
}

/**
 * @param {Cards} hand
 * @param {number[]} discards
 */
function dubleeFinishes(hand, discards) {
  const held = countsOf(hand);
  const pairs = kindsOf(hand).filter((card) => held[card] >= 2);
  return pairs.flatMap((card) =>
    discards
      .filter((other) => other !== card || held[card] > 2)
      .map((discard) => ({ finish: [[card, card]], discard })),
  );
}

/** @param {State} state @returns {Known} */
function knownOf(state) {
  if (!isWholeRound(state)) return { hand: isMine(state) ? state.hand : null, tiplu: state.tiplu };
  const player = toMove(state.open);
  const sees = seesTiplu(state.open.course, player);
  return { hand: state.hands[player], tiplu: sees ? state.tiplu : NO_CARD };
}

/** Return the legal moves of a state. @param {State} state */
export function legalMoves(state) {
  if (!isWholeRound(state) && (state.waits !== NOTHING || !isMine(state))) return [];
  return movesOf(state.rules, state.open, knownOf(state));
}

// Whole rounds.

/**
 * Return a round dealt from 160 cards in order, one at a time from seat `first`.
 *
 * @param {MarriageRules} rules
 * @param {PublicState} open at the start, nothing turned up.
 * @param {readonly number[]} order
 * @param {number} each how many cards a seat gets.
 * @returns {Deal}
 */
export function dealt(rules, open, order, each) {
  const { players, dealer } = open.course;
  const hands = open.seats.map((_, seat) => {
    const place = (seat - dealer - 1 + 2 * players) % players;
    return sorted(order.slice(0, players * each).filter((__, at) => at % players === place));
  });
  const [turnedUp, ...stock] = order.slice(players * each);
  const begun = { ...open, pile: [turnedUp] };
  return { rules, open: begun, hands, drawn: NO_CARD, tiplu: NO_CARD, stock };
}

/**
 * @param {Deal} deal
 * @param {Move} move
 * @returns {Deal}
 */
function dealAfter(deal, move) {
  const { rules, open, hands } = deal;
  checkMove(rules, open, knownOf(deal), move);
  const player = toMove(open);
  let { drawn, tiplu, stock } = deal;
  let hand = hands[player];
  let exists = false;
  if (move.draw !== undefined) {
    drawn = move.draw === "stock" ? stock[0] : topOf(open);
    if (move.draw === "stock") stock = stock.slice(1);
    hand = sorted([...hand, drawn]);
  } else {
    hand = without(hand, cardsGivenUp(move));
    if (isShow(move) && open.course.shown === 0) {
      const at = stock.map((card) => card < PUTALI).lastIndexOf(true); // from the bottom
      exists = at >= 0;
      if (exists) [tiplu, stock] = [stock[at], stock.filter((_, other) => other !== at)];
    }
  }
  const after = publicAfter(open, move, exists, rules);
  return {
    rules,
    open: after,
    hands: hands.map((held, seat) => (seat === player ? hand : held)),
    drawn: after.course.hasDrawn ? drawn : NO_CARD,
    tiplu,
    stock,
  };
}

/** Return the maal of each seat if a round ended now. @param {Deal} deal */
export function maalOf({ rules, open, hands, tiplu }) {
  return open.seats.map((seat, at) =>
    countedMaal(
      rules,
      countsOf([...hands[at], ...cardsOf(seat)]),
      countsOf(flat(seat.laid)),
      tiplu,
      hasShown(open, at),
      open.course.shown !== 0,
    ),
  );
}

/** Return what each seat wins in a round, nothing before its end. @param {Deal} deal */
export const netOf = (deal) =>
  isOver(deal.open.course)
    ? settlement(deal.open.course, maalOf(deal))
    : deal.hands.map(() => 0);

/**
 * Return what a seat knows.
 *
 * @param {State} state
 * @param {number} player
 * @returns {View}
 */
export function viewOf(state, player) {
  if (!isWholeRound(state)) {
    if (player === state.seat) return state;
    throw new UstadError(
      "position",
      `position: it is what seat ${state.seat} knows: expected the view of seat ${player}`,
    );
  }
  const over = isOver(state.open.course);
  const mine = toMove(state.open) === player && !over;
  return {
    rules: state.rules,
    open: state.open,
    seat: player,
    hand: state.hands[player],
    drawn: mine ? state.drawn : NO_CARD,
    tiplu: over || seesTiplu(state.open.course, player) ? state.tiplu : NO_CARD,
    waits: NOTHING,
    maal: over ? maalOf(state) : null,
    net: over ? netOf(state) : null,
  };
}

// Views.

/** @param {View} view */
export const hiddenCards = ({ hand, open, tiplu }) => notInSight(hand, open, tiplu);

/**
 * Return how many copies of each card a seat has not seen.
 *
 * @param {View} view
 */
export function unseenCards(view) {
  const held = heldCards(view.open).filter((_, seat) => seat !== view.seat);
  return hiddenCards(view).map((many, card) =>
    Math.max(many - held.reduce((sum, counts) => sum + counts[card], 0), 0),
  );
}

/** Return the cards that can be the tiplu, by what a seat knows. @param {View} view */
export function possibleTiplus(view) {
  if (view.tiplu >= 0) return [view.tiplu];
  const unseen = unseenCards(view);
  return CARD_NAMES.map((_, card) => card).filter((card) => card < PUTALI && unseen[card] > 0);
}

/**
 * Return what chance may bring to a view, with probabilities.
 *
 * @param {View} view
 * @returns {[number | boolean, number][]}
 */
export function chanceOutcomes(view) {
  const { course } = view.open;
  const unseen = unseenCards(view);
  if (view.waits === NOTHING) return [];
  if (view.waits === WHETHER_TIPLU) {
    const none = chanceOfNoTiplu(unseen, course.stock);
    /** @type {[boolean, number][]} */
    const both = [
      [true, 1 - none],
      [false, none],
    ];
    return both.filter(([, chance]) => chance > 0);
  }
  if (view.waits === TIPLU) unseen.fill(0, PUTALI);
  else if (course.shown !== 0 && !course.tipluDrawn) unseen.fill(0, 0, PUTALI);
  const total = howMany(unseen);
  /** @type {[number, number][]} */
  const found = [];
  unseen.forEach((many, card) => {
    if (many > 0) found.push([card, many / total]);
  });
  return found;
}

/**
 * Return the state after a legal move of any seat.
 *
 * @param {State} state
 * @param {Move} move
 * @returns {State}
 */
export function stateAfter(state, move) {
  if (isWholeRound(state)) return dealAfter(state, move);
  const { rules, open } = state;
  checkMove(rules, open, knownOf(state), move);
  if (!isMine(state)) checkOther(state, move);
  if (!isShow(move) || open.course.shown !== 0) return viewAfter(state, move, false);
  const withoutTiplu = viewAfter(state, move, false);
  const none = chanceOfNoTiplu(unseenCards(withoutTiplu), open.course.stock);
  if (none > 0 && none < 1) return { ...withoutTiplu, waits: WHETHER_TIPLU };
  return viewAfter(state, move, none === 0);
}

/**
 * Return the view after a legal move; a first show draws the tiplu if it exists.
 *
 * @param {View} view
 * @param {Move} move
 * @param {boolean} tipluExists
 * @returns {View}
 */
function viewAfter(view, move, tipluExists) {
  const open = publicAfter(view.open, move, tipluExists, view.rules);
  if (!isMine(view)) return { ...view, open };
  if (move.draw === "pile") return withCard({ ...view, open }, topOf(view.open));
  if (move.draw === "stock") return { ...view, open, waits: CARD };
  return waitingForTiplu({
    ...view,
    open,
    hand: without(view.hand, cardsGivenUp(move)),
    drawn: open.course.hasDrawn ? view.drawn : NO_CARD,
  });
}

/**
 * Return the view, waiting for the tiplu if its seat comes to see it.
 *
 * @param {View} view
 * @returns {View}
 */
function waitingForTiplu(view) {
  const comes = view.tiplu < 0 && seesTiplu(view.open.course, view.seat);
  return { ...view, waits: comes ? TIPLU : NOTHING };
}

/**
 * @param {View} view
 * @param {number} card
 * @returns {View}
 */
const withCard = (view, card) => ({
  ...view,
  hand: sorted([...view.hand, card]),
  drawn: card,
  waits: NOTHING,
});

/**
 * Return the view after what chance brings.
 *
 * @param {View} view
 * @param {number | boolean} outcome
 * @returns {View}
 */
export function afterChance(view, outcome) {
  /** @param {string} expected @param {unknown} got @returns {never} */
  const fail = (expected, got) => {
    throw new UstadError("outcome", `outcome: expected ${expected}, got ${told(got)}`);
  };
  if (view.waits === WHETHER_TIPLU) {
    if (typeof outcome !== "boolean") fail("true or false, whether there is a tiplu", outcome);
    if (!outcome) return { ...view, waits: NOTHING };
    const course = afterTipluDrawn(view.open.course, view.rules);
    return waitingForTiplu({ ...view, open: { ...view.open, course } });
  }
  const possible = chanceOutcomes(view).some(([card]) => card === outcome);
  if (typeof outcome === "boolean" || !possible) {
    const what = view.waits === TIPLU ? "tiplu" : "card of the stock";
    const got = typeof outcome === "boolean" ? outcome : CARD_NAMES[outcome];
    return fail(`an unseen card as ${what}`, got);
  }
  if (view.waits === TIPLU) return { ...view, tiplu: outcome, waits: NOTHING };
  return withCard(view, outcome);
}

/**
 * Refuse what another seat cannot do, by what the view's seat knows.
 *
 * @param {View} view
 * @param {Move} move
 */
function checkOther(view, move) {
  if (move.draw !== undefined) return;
  const { open } = view;
  const player = toMove(open);
  const cards = cardsGivenUp(move);
  const holds = inHand(open, player);
  if (cards.length > holds) refuse(`seat ${player} holds ${holds} cards only`);
  // Where not all is remembered, what was taken may have been discarded again.
  const remembered = open.discards.length === open.course.turns;
  const held = remembered ? heldCards(open)[player] : new Int32Array(CARDS);
  const unseen = remembered ? unseenCards(view) : hiddenCards(view);
  const fresh = countsOf(cards).map((many, card) => Math.max(many - held[card], 0));
  for (const card of cards) {
    if (fresh[card] > unseen[card]) {
      refuse(
        `${CARD_NAMES[card]}: more copies of a card than there are: this seat sees the others`,
      );
    }
  }
  const room = holds - howMany(held);
  if (howMany(fresh) > room) {
    refuse(`seat ${player} holds ${inWords(cardsCounted(held))} and ${room} other cards only`);
  }
  if (move.finish !== undefined && !hasDublees(open, player)) {
    checkFinishMelds(move.finish, possibleTiplus(view));
  }
}

/** Return cards from counts, in order. @param {Counts} counts */
export const cardsCounted = (counts) =>
  [...counts].flatMap((many, card) => new Array(many).fill(card));

