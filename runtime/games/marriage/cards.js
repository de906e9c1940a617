/**
 * The cards of Marriage, the melds that they make, and what they pay: 160 cards of 54 kinds.
 *
 * A card is a number: 13 * suit + rank, suits in the order S, H, D, C and ranks from 0 (ace) to
 * 12 (king), then 52 for a putali and 53 for the master.  Cards together are a list in order, or
 * counts, how many there are of each.  A set of kinds is bits in two numbers: `low` has the
 * cards up to 25, `high` the others.
 */

/**
 * @typedef {readonly number[]} Cards
 * @typedef {readonly Cards[]} Melds
 * @typedef {Int32Array} Counts
 * @typedef {{ low: number, high: number }} CardSet
 */

export const RANKS = 13;
export const PUTALI = 52;
export const MASTER = 53;
export const CARDS = 54;
export const NO_CARD = -1;
export const ALL_CARDS = 160;
export const HAND = 21;
export const HALF = 26;

export const SHOW_MELDS = 3;
export const DUBLEES_TO_SHOW = 7;
export const FINISH_PLACES = 12;

const RANK_NAMES = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];

export const CARD_NAMES = [
  ...[..."SHDC"].flatMap((suit) => RANK_NAMES.map((rank) => rank + suit)),
  "PJ",
  "MJ",
];

/** The numbers of cards by their names. @type {Map<unknown, number>} */
export const CARD_NUMBERS = new Map(CARD_NAMES.map((name, card) => [name, card]));

/** How many there are of a card. @param {number} card */
export const copiesOf = (card) => (card === MASTER ? 1 : 3);

/** The 160 cards in the order of their numbers. */
export const DECK = CARD_NAMES.flatMap((_, card) => new Array(copiesOf(card)).fill(card));

/** @param {number} card */
export const suitOf = (card) => Math.floor(card / RANKS);

/** @param {Iterable<number>} cards */
export function countsOf(cards) {
  const counts = new Int32Array(CARDS);
  for (const card of cards) counts[card] += 1;
  return counts;
}

/** @param {Counts} counts */
export function howMany(counts) {
  let sum = 0;
  for (let card = 0; card < CARDS; card++) sum += counts[card];
  return sum;
}

/** @param {Iterable<number>} cards */
export const sorted = (cards) => [...cards].sort((a, b) => a - b);

/** Return the kinds among some cards, in order. @param {Iterable<number>} cards */
export const kindsOf = (cards) => sorted(new Set(cards));

/**
 * Compare lists of numbers, number by number.
 *
 * @param {Cards} one
 * @param {Cards} other
 */
function compareCards(one, other) {
  for (let at = 0; at < one.length && at < other.length; at++) {
    if (one[at] !== other[at]) return one[at] - other[at];
  }
  return one.length - other.length;
}

/**
 * Return melds in their one order.
 *
 * @param {Iterable<Iterable<number>>} melds
 * @returns {number[][]}
 */
export const sortedMelds = (melds) => [...melds].map(sorted).sort(compareCards);

/** @param {Melds} melds */
export const flat = (melds) => melds.flat();

/**
 * Return a hand without some of its cards.
 *
 * @param {Cards} hand
 * @param {Cards} cards all of them in the hand.
 */
export function without(hand, cards) {
  const left = [...hand];
  for (const card of cards) left.splice(left.indexOf(card), 1);
  return left;
}

/**
 * Return the cards of a list that are more than those of another, in order.
 *
 * @param {Cards} cards
 * @param {Cards} others
 */
export function beyond(cards, others) {
  const left = countsOf(others);
  return sorted(cards).filter((card) => --left[card] < 0);
}

/** @param {Iterable<number>} cards */
export const namesOf = (cards) => Array.from(cards, (card) => CARD_NAMES[card]);

/** @param {Iterable<number>} cards */
export const inWords = (cards) => namesOf(cards).join(" ");

// Sets of kinds.

/** @type {CardSet} */
export const NO_CARDS = Object.freeze({ low: 0, high: 0 });

/**
 * @param {CardSet} set
 * @param {number} card
 */
export const has = (set, card) =>
  ((card < HALF ? set.low >> card : set.high >> (card - HALF)) & 1) === 1;

/**
 * @param {Iterable<number>} cards
 * @returns {CardSet}
 */
export function setOf(cards) {
  let [low, high] = [0, 0];
  for (const card of cards) {
    if (card < HALF) low |= 1 << card;
    else high |= 1 << (card - HALF);
  }
  return { low, high };
}

/** @param {CardSet} set */
export const cardsIn = (set) => CARD_NAMES.map((_, card) => card).filter((card) => has(set, card));

// Melds.

/** Whether cards are three of one rank and suit, or three putali. @param {Cards} cards */
export const isTanela = (cards) =>
  cards.length === 3 && cards[0] === cards[1] && cards[1] === cards[2];

/**
 * Tell whether cards of the packs can lie in one sequence of so many places.
 *
 * @param {Cards} cards in order
 * @param {number} places
 */
function fitsSequence(cards, places) {
  if (cards.length === 0 || cards[cards.length - 1] >= PUTALI) return false;
  if (new Set(cards.map(suitOf)).size > 1) return false;
  const ranks = new Set(cards.map((card) => card % RANKS));
  const high = [...ranks].map((rank) => rank || RANKS);
  /** @param {number[]} held */
  const spread = (held) => Math.max(...held) - Math.min(...held);
  const span = Math.min(spread([...ranks]), spread(high)) + 1;
  return ranks.size === cards.length && span <= places;
}

/**
 * Tell whether three cards in order are a meld of the show.
 *
 * @param {Cards} cards
 * @param {boolean} masterIsPure
 */
export function isPure(cards, masterIsPure) {
  if (cards.length !== 3) return false;
  if (isTanela(cards)) return true;
  return fitsSequence(masterIsPure && cards[2] === MASTER ? cards.slice(0, 2) : cards, 3);
}

/**
 * Tell whether cards in order are a meld of the finish.
 *
 * @param {Cards} cards
 * @param {CardSet} jokers
 */
export function isFinishMeld(cards, jokers) {
  if (!(cards.length >= 3 && cards.length <= 5)) return false;
  if (isTanela(cards)) return true;
  const plain = cards.filter((card) => !has(jokers, card));
  if (plain.length === 0 || fitsSequence(plain, cards.length)) return true;
  const suits = new Set(plain.map(suitOf));
  const ranks = new Set(plain.map((card) => card % RANKS));
  return cards.length === 3 && ranks.size === 1 && suits.size === plain.length;
}

/** Every pure sequence of three cards, without the master. */
export const PURE_RUNS = [0, 1, 2, 3].flatMap((suit) =>
  Array.from({ length: 12 }, (_, low) =>
    sorted([0, 1, 2].map((step) => RANKS * suit + ((low + step) % RANKS))),
  ),
);

/** Every pure meld of three cards, without the master. */
export const PURE_TARGETS = [
  ...Array.from({ length: MASTER }, (_, card) => [card, card, card]),
  ...PURE_RUNS,
];

/** Two cards of a pure sequence, with the master. */
const PURE_WITH_MASTER = [
  ...new Map(
    sortedMelds(PURE_RUNS.flatMap(([a, b, c]) => [[a, b], [a, c], [b, c]])).map((pair) => [
      pair.join(),
      [...pair, MASTER],
    ]),
  ).values(),
];

/**
 * Return every kind of pure meld of three cards that a hand holds.
 *
 * @param {Counts} held
 * @param {boolean} masterIsPure
 */
function pureMelds(held, masterIsPure) {
  /** @param {Cards} cards */
  const holds = (cards) => cards.every((card) => held[card] > 0);
  const tanelas = PURE_TARGETS.slice(0, MASTER).filter(([card]) => held[card] === 3);
  const wild = masterIsPure ? PURE_WITH_MASTER.filter(holds) : [];
  return [...tanelas, ...PURE_RUNS.filter(holds), ...wild];
}

/**
 * Return every choice of so many disjoint pure melds of three cards from a hand.
 *
 * @param {Cards} hand
 * @param {number} wanted
 * @param {boolean} masterIsPure
 */
export function showChoices(hand, wanted, masterIsPure) {
  const left = countsOf(hand);
  const melds = pureMelds(left, masterIsPure);
  /** @type {Map<string, number[][]>} */
  const found = new Map();
  /** @type {(chosen: number[][], first: number) => void} */
  const extend = (chosen, first) => {
    if (chosen.length === wanted) {
      const choice = sortedMelds(chosen);
      found.set(choice.join("|"), found.get(choice.join("|")) ?? choice);
      return;
    }
    for (let at = first; at < melds.length; at++) {
      for (const card of melds[at]) left[card] -= 1;
      if (melds[at].every((card) => left[card] >= 0)) extend([...chosen, melds[at]], at);
      for (const card of melds[at]) left[card] += 1;
    }
  };
  extend([], 0);
  return [...found.values()];
}

/**
 * Return every choice of seven dublees from a hand.
 *
 * @param {Cards} hand
 */
export function dubleeChoices(hand) {
  const held = countsOf(hand);
  const pairs = kindsOf(hand).filter((card) => held[card] >= 2);
  /** @type {number[][][]} */
  const found = [];
  /** @type {(chosen: number[][], first: number) => void} */
  const extend = (chosen, first) => {
    if (chosen.length === DUBLEES_TO_SHOW) found.push(chosen);
    else {
      for (let at = first; at < pairs.length; at++) {
        extend([...chosen, [pairs[at], pairs[at]]], at + 1);
      }
    }
  };
  extend([], 0);
  return found;
}

/**
 * Return the cards of a meld by name, an ace above the king last.
 *
 * @param {Cards} cards
 */
export function meldNames(cards) {
  const aceIsHigh = fitsSequence(cards, 5) && cards[0] % RANKS === 0;
  if (aceIsHigh && cards[cards.length - 1] % RANKS > 4) {
    return namesOf([...cards.slice(1), cards[0]]);
  }
  return namesOf(cards);
}

/** @param {Melds} melds */
export const meldsToJson = (melds) => melds.map(meldNames);

// Maal.

/** One rank above, the ace above the king. @param {number} tiplu */
const poplu = (tiplu) => suitOf(tiplu) * RANKS + (((tiplu % RANKS) + 1) % RANKS);

/** One rank below, the king below the ace. @param {number} tiplu */
const jhiplu = (tiplu) => suitOf(tiplu) * RANKS + (((tiplu % RANKS) + 12) % RANKS);

/** The same rank in the other suit of the colour. @param {number} tiplu */
const alter = (tiplu) => (3 - suitOf(tiplu)) * RANKS + (tiplu % RANKS);

/** The jokers while no tiplu is seen. */
export const PRINTED = setOf([PUTALI, MASTER]);

const JOKERS = Array.from({ length: PUTALI }, (_, tiplu) =>
  setOf([
    PUTALI,
    MASTER,
    poplu(tiplu),
    jhiplu(tiplu),
    ...[0, 1, 2, 3].map((suit) => suit * RANKS + (tiplu % RANKS)),
  ]),
);

/** Return the jokers with a tiplu, or without one. @param {number} tiplu */
export const jokersOf = (tiplu) => (tiplu < 0 ? PRINTED : JOKERS[tiplu]);

/**
 * @param {number} copies
 * @param {number} one
 * @param {number} two
 * @param {number} three
 */
function copiesPay(copies, one, two, three) {
  if (copies <= 0) return 0;
  if (copies === 1) return one;
  return copies === 2 ? two : three;
}

/**
 * Return what tiplus, poplus and jhiplus pay together, in the marriages that pay most.
 *
 * @param {number} tiplus
 * @param {number} poplus
 * @param {number} jhiplus
 */
function marriagePoints(tiplus, poplus, jhiplus) {
  let best = 0;
  for (let marriages = 0; marriages <= Math.min(tiplus, poplus, jhiplus); marriages++) {
    let points = marriages === 0 ? 0 : marriages === 1 ? 10 : 30;
    points += copiesPay(tiplus - marriages, 3, 7, 7);
    points += copiesPay(poplus - marriages, 2, 5, 10);
    points += copiesPay(jhiplus - marriages, 2, 5, 10);
    best = Math.max(best, points);
  }
  return best;
}

/**
 * Return what laid tanelas pay beside their cards: 5 each, 20 for putali.
 *
 * @param {number} laid
 * @param {boolean} putaliLaid
 */
export const laidPoints = (laid, putaliLaid) => 5 * laid + (putaliLaid ? 15 : 0);

/**
 * Return the maal of all cards that a player owns.
 *
 * @param {Counts} counts in hand and on the table.
 * @param {number} tiplu NO_CARD if the player may not count it.
 * @param {number} laid how many tanelas were laid before the first draw.
 * @param {boolean} putaliLaid whether one of them is of putali.
 * @param {boolean} printed whether putali and master count as cards.
 * @param {boolean} laidPays whether laying pays.
 */
export function maalPoints(counts, tiplu, laid, putaliLaid, printed, laidPays) {
  let points = 0;
  if (printed) points += 10 * counts[MASTER];
  if (printed || (laidPays && putaliLaid)) points += copiesPay(counts[PUTALI], 5, 15, 25);
  if (laidPays) points += laidPoints(laid, putaliLaid);
  if (tiplu >= 0) {
    points += marriagePoints(counts[tiplu], counts[poplu(tiplu)], counts[jhiplu(tiplu)]);
    points += copiesPay(counts[alter(tiplu)], 5, 15, 25);
  }
  return points;
}

/**
 * Return the maal that one more copy of a card adds to cards, after the show.
 *
 * @param {Counts} held
 * @param {number} card
 * @param {number} tiplu
 */
export function maalOfCard(held, card, tiplu) {
  if (card === MASTER) return 10;
  if (card === PUTALI || (tiplu >= 0 && card === alter(tiplu))) {
    return copiesPay(held[card] + 1, 5, 15, 25) - copiesPay(held[card], 5, 15, 25);
  }
  if (tiplu < 0) return 0;
  const [t, p, j] = [held[tiplu], held[poplu(tiplu)], held[jhiplu(tiplu)]];
  const before = marriagePoints(t, p, j);
  if (card === tiplu) return marriagePoints(t + 1, p, j) - before;
  if (card === poplu(tiplu)) return marriagePoints(t, p + 1, j) - before;
  if (card === jhiplu(tiplu)) return marriagePoints(t, p, j + 1) - before;
  return 0;
}
