/**
 * How Marriage's bots decide: features weighed, the greatest sum played.
 *
 * A level is a vector of weights for four decisions: what to discard and whether to take the
 * pile's card, before the show and after it.  Every level shows and finishes as soon as it can,
 * discards no putali or master while it has anything else, and takes every joker of the pile.
 * The same decisions as those of `ustad.runtime.games.marriage.decisions`.
 */

import {
  CARDS,
  countsOf,
  dubleeChoices,
  DUBLEES_TO_SHOW,
  flat,
  has,
  howMany,
  jokersOf,
  maalOfCard,
  MASTER,
  NO_CARD,
  PRINTED,
  PURE_TARGETS,
  PUTALI,
  RANKS,
  SHOW_MELDS,
  sortedMelds,
  without,
} from "./cards.js";
import {
  cardsOf,
  hasDiscarded,
  hasDublees,
  mayFinish,
  mayLay,
  mayShow,
  seesAtOnce,
  topOf,
} from "./course.js";
import { FINISHES, finishMelds } from "./finishes.js";
import { unseenCards } from "./round.js";
import { dubleeCount } from "./shows.js";
import {
  AS_IT_IS,
  fillPost,
  fillTakePost,
  fillTakePre,
  POST,
  POST_TAKE,
  PRE,
  rateAfterShow,
  rateBeforeShow,
  sightDublees,
  sightShown,
  tanelasIn,
  WEIGHTS,
  withHand,
} from "./ratings.js";

/** @import { Counts } from "./cards.js" */
/** @import { MarriageRules, Move } from "./course.js" */
/** @import { Row, Sight, Work } from "./ratings.js" */
/** @import { View } from "./round.js" */

/** What a card of the pile weighs that is taken by rule. */
export const ALWAYS_TAKEN = 1e6;
/** What one weighs after the show if every card that could be discarded for it is needed. */
export const NO_CHOICE = -1e9;
/** By how much less a discard weighs that costs a step, before what a joker pays. */
const NEEDED = 8;
/** By how much at most the noise of a player without noise moves a weight. */
const FAINT = 1e-10;
const BITS31 = 0x7fffffff;

/**
 * How a seat plays.
 *
 * @typedef {object} Player
 * @property {Float64Array} weights of its level.
 * @property {number} temperature of its noise, in the unit of the weights.
 * @property {boolean} able whether it lays tanelas, and looks for the show that leaves most.
 * @property {number} seed of the noise.
 *
 * @typedef {{ seed: number, moment: number, temperature: number }} Noise
 *
 * What to do, and the card to lay, to discard or to finish with, else NO_CARD.
 *
 * @typedef {object} Decision
 * @property {"stock" | "pile" | "lay" | "show" | "show_dublees" | "finish" | "discard"} action
 * @property {number} card
 */

/**
 * Return what the seat of a view knows, as bots take it.
 *
 * @param {View} view
 * @returns {Sight}
 */
export function sightOf(view) {
  const { open, seat } = view;
  const own = open.seats[seat];
  return {
    course: open.course,
    seat,
    hand: countsOf(view.hand),
    laid: countsOf(flat(own.laid)),
    table: countsOf(cardsOf(own)),
    unseen: unseenCards(view),
    tiplu: view.tiplu,
    top: topOf(open),
    hasDiscarded: hasDiscarded(open, seat),
  };
}

// Weights and noise.

/**
 * Return the weighted sum of the first numbers of a row, its weights beginning at `first`.
 *
 * @param {Row} row
 * @param {Float64Array} weights
 * @param {number} first
 * @param {number} [length]
 */
export function weigh(row, weights, first, length = row.length) {
  let total = 0;
  for (let k = 0; k < length; k++) total += row[k] * weights[first + k];
  return total;
}

/**
 * Return a number from 0 to 1 that looks random and depends on nothing but a, b and c.
 *
 * @param {number} a below 2^32
 * @param {number} b
 * @param {number} c
 */
function mixed(a, b, c) {
  let x =
    Math.imul(a & BITS31, 73856093) ^
    Math.imul(a >>> 31, 40503) ^
    Math.imul(b, 19349663) ^
    Math.imul(c, 83492791);
  x &= BITS31;
  for (let round = 0; round < 3; round++) {
    x = Math.imul(x ^ (x >> 15), 739982445) & BITS31;
    x = Math.imul(x ^ (x >> 12), 695872825) & BITS31;
  }
  x ^= x >> 15;
  return x / 2147483648;
}

/**
 * Return the noise of an option: Gumbel noise makes the greatest a softmax choice.
 *
 * @param {Noise} noise
 * @param {number} option
 */
function noiseOf({ seed, moment, temperature }, option) {
  const u = mixed(seed, moment, option);
  if (temperature > 0) return -temperature * Math.log(-Math.log(u * 0.999999 + 5e-7));
  return FAINT * u;
}

/** @type {Noise} */
export const QUIET = Object.freeze({ seed: 0, moment: 0, temperature: 0 });

/**
 * Return the noise of a decision, told apart from others by turn, seat and hand.
 *
 * @param {Sight} sight
 * @param {Player} player
 * @returns {Noise}
 */
function noiseIn({ course, seat, hand }, { seed, temperature }) {
  let moment = (course.turns * 2 + (course.hasDrawn ? 1 : 0)) * 8 + seat;
  for (let card = 0; card < CARDS; card++) moment = (moment * 5 + hand[card]) & BITS31;
  return { seed, moment, temperature };
}

/**
 * Return the card whose row weighs most, and fill `work.weighed` with all weights.
 *
 * @param {Work} work
 * @param {Row[]} rows
 * @param {Float64Array} weights
 * @param {number} first
 * @param {number} barred
 * @param {Noise} noise
 */
export function bestDiscard(work, rows, weights, first, barred, noise) {
  let best = NO_CARD;
  let highest = -Infinity;
  for (let card = 0; card < CARDS; card++) {
    if (work.valid[card] === 0 || card === barred) continue;
    work.weighed[card] = weigh(rows[card], weights, first);
    const value = work.weighed[card] + noiseOf(noise, card);
    if (value > highest) [best, highest] = [card, value];
  }
  return best;
}

/**
 * Return the card of a hand that pays least, for a hand of jokers alone.
 *
 * @param {Counts} hand
 * @param {number} barred
 * @param {number} tiplu
 */
function leastMaal(hand, barred, tiplu) {
  let best = NO_CARD;
  let least = Infinity;
  const left = hand.slice();
  for (let card = 0; card < CARDS; card++) {
    if (hand[card] <= 0 || card === barred) continue;
    left[card] -= 1;
    const points = maalOfCard(left, card, tiplu);
    left[card] += 1;
    if (points < least) [best, least] = [card, points];
  }
  return best;
}

/**
 * @param {Counts} one
 * @param {Counts} other
 */
export const sum = (one, other) => one.map((many, card) => many + other[card]);

// Taking the pile's card.

/**
 * Return the weight of taking the pile's card before the show, the stock weighing 0.
 *
 * @param {Work} work
 * @param {MarriageRules} rules
 * @param {Sight} sight
 * @param {Float64Array} weights
 */
function weighTakePre(work, rules, sight, weights) {
  rateBeforeShow(work, rules, sight, false);
  const before = work.pre[AS_IT_IS].slice();
  sight.hand[sight.top] += 1;
  rateBeforeShow(work, rules, sight, true);
  let after = work.pre[AS_IT_IS];
  if (after[PRE.canShow] === 0) {
    const best = bestDiscard(work, work.pre, weights, WEIGHTS.preDiscard, sight.top, QUIET);
    after = work.pre[best < 0 ? AS_IT_IS : best];
  }
  sight.hand[sight.top] -= 1;
  fillTakePre(work.take, before, after, sight.top, sight.course.shown !== 0 ? 1 : 0);
  return weigh(work.take, weights, WEIGHTS.preDraw);
}

/**
 * Return the weight of taking the pile's card after the show, the stock weighing 0.
 *
 * @param {Work} work
 * @param {Sight} sight
 * @param {Float64Array} weights
 */
function weighTakePost(work, sight, weights) {
  const { hand, table, top, tiplu } = sight;
  const dublees = sightDublees(sight);
  rateAfterShow(work, sight, dublees, false);
  const before = work.post[AS_IT_IS].slice();
  const points = maalOfCard(sum(hand, table), top, tiplu);
  hand[top] += 1;
  rateAfterShow(work, sight, dublees, true);
  const best = bestDiscard(work, work.post, weights, WEIGHTS.postDiscard, top, QUIET);
  hand[top] -= 1;
  if (best < 0) {
    work.take.fill(0);
    return NO_CHOICE;
  }
  fillTakePost(work.take, before, work.post[best], has(jokersOf(tiplu), top), points);
  return weigh(work.take, weights, WEIGHTS.postDraw, POST_TAKE.length);
}

/**
 * Tell whether to take a joker of the pile after the show: while there is another card to
 * discard, or one that pays no more.
 *
 * @param {Sight} sight
 */
function jokerIsGood(sight) {
  const { hand, top, tiplu, table } = sight;
  const jokers = jokersOf(tiplu);
  const points = maalOfCard(sum(hand, table), top, tiplu);
  const held = hand.slice();
  held[top] += 1;
  if (sightDublees(sight)) {
    const pair = firstPair(hand);
    if (pair >= 0) held[pair] -= 2;
  } else if (FINISHES.search(hand, jokers, 0, false) === 0) {
    const discard = finishDiscard(withHand(sight, held), top);
    if (discard < 0) return false;
    held[discard] -= 1;
    const lost = has(jokers, discard) ? maalOfCard(sum(held, table), discard, tiplu) : 0;
    return lost <= points;
  }
  for (let card = 0; card < CARDS; card++) {
    if (held[card] > 0 && card !== top && !has(jokers, card)) return true;
  }
  const discard = leastMaal(held, top, tiplu);
  if (discard < 0) return false;
  held[discard] -= 1;
  return maalOfCard(sum(held, table), discard, tiplu) <= points;
}

/**
 * Return what to draw from, and note the weight of the pile's card in `work.weighed`.
 *
 * @param {Work} work
 * @param {number} weight
 * @param {boolean} always
 * @param {Noise} noise
 * @returns {Decision}
 */
function drawFrom(work, weight, always, noise) {
  work.weighed[AS_IT_IS] = always ? ALWAYS_TAKEN : weight;
  const takes = always || weight + (noiseOf(noise, 1) - noiseOf(noise, 0)) > 0;
  return { action: takes ? "pile" : "stock", card: NO_CARD };
}

// Laying, and the show.

const MOST_MELDS = 128;
const MOST_SHOWS = 512;
const MARKS = 2 ** 48;

/**
 * Tell whether to lay a dealt tanela: it costs no distance.
 *
 * @param {Work} work
 * @param {MarriageRules} rules
 * @param {Sight} sight
 * @param {number} card
 */
function layIsGood(work, rules, sight, card) {
  rateBeforeShow(work, rules, sight, false);
  const before = work.pre[AS_IT_IS][PRE.distance];
  if (before > 0 && rules.dublee && dubleeCount(sight.hand) >= DUBLEES_TO_SHOW - 1) return false;
  sight.hand[card] -= 3;
  sight.laid[card] += 3;
  rateBeforeShow(work, rules, sight, false);
  const after = work.pre[AS_IT_IS][PRE.distance];
  sight.hand[card] += 3;
  sight.laid[card] -= 3;
  return after <= before;
}

/**
 * Return the pure melds that a hand holds, in the order in which shows are tried.
 *
 * @param {Counts} hand
 * @param {boolean} masterIsPure
 */
function listPure(hand, masterIsPure) {
  /** @type {number[][]} */
  const found = PURE_TARGETS.slice(0, MASTER).filter(([card]) => hand[card] === 3);
  const gaps = masterIsPure && hand[MASTER] > 0 ? 3 : 0;
  for (let suit = 0; suit < 4; suit++) {
    for (let low = 0; low < 12; low++) {
      for (let gap = -1; gap < gaps; gap++) {
        const meld = [0, 1, 2].map((place) =>
          place === gap ? MASTER : suit * RANKS + ((low + place) % RANKS),
        );
        if (meld.every((card) => hand[card] > 0)) found.push(meld);
        if (found.length === MOST_MELDS) return found;
      }
    }
  }
  return found;
}

/**
 * Take the cards of a meld out of a hand; tell whether it held them, else it is as it was.
 *
 * @param {Counts} hand
 * @param {number[]} meld
 */
function takeMeld(hand, meld) {
  for (const card of meld) hand[card] -= 1;
  if (meld.every((card) => hand[card] >= 0)) return true;
  giveBack(hand, meld);
  return false;
}

/**
 * @param {Counts} hand
 * @param {number[]} meld
 */
function giveBack(hand, meld) {
  for (const card of meld) hand[card] += 1;
}

/** Powers of 31 that tell cards apart, modulo 2^48. */
const POWERS = new Array(CARDS).fill(0);
POWERS[CARDS - 1] = 1;
for (let card = CARDS - 1; card > 0; card--) POWERS[card - 1] = (POWERS[card] * 31) % MARKS;

/**
 * Return choices of so many disjoint melds; those that leave the same cards are one.
 *
 * @param {Counts} hand
 * @param {number[][]} melds
 * @param {number} wanted
 * @param {number} most
 */
function listShows(hand, melds, wanted, most) {
  const left = hand.slice();
  const marks = melds.map((meld) => meld.reduce((total, card) => total + POWERS[card], 0));
  /** @type {Set<number>} */
  const known = new Set();
  /** @type {number[][][]} */
  const found = [];
  /** @type {(chosen: number[], first: number) => void} */
  const extend = (chosen, first) => {
    if (chosen.length === wanted) {
      const mark = chosen.reduce((total, meld) => total + marks[meld], 0) % MARKS;
      if (!known.has(mark)) found.push(chosen.map((meld) => melds[meld]));
      known.add(mark);
      return;
    }
    for (let meld = first; meld < melds.length && found.length < most; meld++) {
      if (!takeMeld(left, melds[meld])) continue;
      extend([...chosen, meld], meld);
      giveBack(left, melds[meld]);
    }
  };
  extend([], 0);
  return found;
}

/**
 * Rate the hand after a show whose tiplu is not seen, and return the best discard.
 *
 * @param {Work} work `weighed` is filled, with minus infinity where there is no discard.
 * @param {Sight} sight with the cards left in hand.
 * @param {boolean} discards whether a card is to be discarded; else the hand itself is rated.
 * @param {Float64Array} weights
 */
export function rateBlind(work, sight, discards, weights) {
  const { weighed, valid } = work;
  rateAfterShow(work, sight, false, discards);
  let lowest = Infinity;
  for (let card = 0; card <= CARDS; card++) {
    if (valid[card] === 0) continue;
    weighed[card] = weigh(work.post[card], weights, WEIGHTS.postDiscard);
    lowest = Math.min(lowest, weighed[card]);
  }
  let best = NO_CARD;
  for (let card = 0; card <= CARDS; card++) {
    const able = card === AS_IT_IS ? !discards : discards && sight.hand[card] > 0;
    if (!able || card === sight.course.barred) {
      weighed[card] = -Infinity;
      continue;
    }
    if (valid[card] === 0) {
      // A joker discarded, or a card that the finish needs: a step lost, and points.
      const printed = card < CARDS && has(PRINTED, card);
      const lost = printed ? 3 * maalOfCard(sight.hand, card, NO_CARD) : 0;
      weighed[card] = lowest - NEEDED - lost;
    }
    if (best < 0 || weighed[card] > weighed[best]) best = card;
  }
  return best;
}

/**
 * Find the melds to show that leave the best hand, put them into `work.show`, and return what
 * that hand weighs; minus infinity if there is no show, 0 for a player that takes the first.
 *
 * @param {Work} work
 * @param {MarriageRules} rules
 * @param {Sight} sight
 * @param {Player} player
 */
function chooseShow(work, rules, sight, player) {
  const wanted = SHOW_MELDS - tanelasIn(sight.laid);
  const pure = listPure(sight.hand, rules.master_is_pure);
  const shows = listShows(sight.hand, pure, wanted, player.able ? MOST_SHOWS : 1);
  const discards = !seesAtOnce(sight.course, rules);
  let highest = -Infinity;
  for (const show of shows) {
    let value = 0;
    if (player.able) {
      const left = sight.hand.slice();
      for (const meld of show) takeMeld(left, meld);
      const card = rateBlind(work, withHand(sight, left), discards, player.weights);
      value = card >= 0 ? work.weighed[card] : NO_CHOICE;
    }
    if (value > highest) {
      highest = value;
      work.show = show;
    }
  }
  return highest;
}

/**
 * Return what the hand left after a show of seven dublees weighs, the bonus counted in.
 *
 * @param {Work} work
 * @param {Sight} sight
 * @param {Float64Array} weights
 */
function dubleeShowValue(work, { hand, unseen }, weights) {
  let [pairs, loose] = [0, 0];
  for (let card = 0; card < MASTER; card++) {
    if (hand[card] >= 2 && pairs < DUBLEES_TO_SHOW) {
      pairs += 1;
      if (hand[card] === 3) loose += unseen[card];
    } else if (hand[card] >= 2) loose = 100;
    else if (hand[card] === 1) loose += unseen[card];
  }
  const row = work.post[AS_IT_IS];
  fillPost(row, 1, loose / Math.max(1, howMany(unseen)));
  return weigh(row, weights, WEIGHTS.postDiscard);
}

// The decision.

/** The first card of which a hand has two. @param {Counts} hand */
const firstPair = (hand) => hand.findIndex((many, card) => card < MASTER && many >= 2);

/**
 * Return the discard of a finish that pays least, NO_CARD if the hand cannot finish.
 *
 * @param {Sight} sight
 * @param {number} barred
 */
function finishDiscard({ hand, table, tiplu }, barred) {
  const jokers = jokersOf(tiplu);
  let best = NO_CARD;
  if (FINISHES.search(hand, jokers, 0, false) > 0) return best;
  let least = Infinity;
  for (let card = 0; card < CARDS; card++) {
    if (hand[card] === 0 || card === barred) continue;
    hand[card] -= 1;
    const points = has(jokers, card) ? maalOfCard(sum(hand, table), card, tiplu) : 0;
    if (points < least && FINISHES.search(hand, jokers, 0, false) === 0) {
      [best, least] = [card, points];
    }
    hand[card] += 1;
  }
  return best;
}

/**
 * Return the discard beside an eighth dublee that pays least, NO_CARD if there is none.
 *
 * @param {Sight} sight
 */
function dubleeFinishDiscard({ hand, course, tiplu }) {
  let best = NO_CARD;
  for (let card = 0; card < (howMany(hand) > 2 ? MASTER : 0); card++) {
    if (hand[card] < 2 || best >= 0) continue;
    hand[card] -= 2;
    best = leastMaal(hand, course.barred, tiplu);
    hand[card] += 2;
  }
  return best;
}

/**
 * Decide one move; the ratings stay in `work`.
 *
 * @param {Work} work
 * @param {MarriageRules} rules
 * @param {Sight} sight
 * @param {Player} player
 * @param {boolean} [passes] whether to pass over tanelas to lay, a show and a finish.
 * @returns {Decision}
 */
export function decide(work, rules, sight, player, passes = false) {
  const { course, hand, top } = sight;
  if (sightShown(sight)) {
    if (!course.hasDrawn) return decideDrawPost(work, sight, player);
    return decideDiscardPost(work, sight, player, passes);
  }
  if (player.able && !passes && mayLay(course, tanelasIn(sight.laid), sight.hasDiscarded)) {
    for (let card = 0; card < MASTER; card++) {
      if (hand[card] === 3 && layIsGood(work, rules, sight, card)) return { action: "lay", card };
    }
  }
  if (mayShow(course, sight.hasDiscarded)) {
    rateBeforeShow(work, rules, sight, course.hasDrawn);
    if (work.pre[AS_IT_IS][PRE.canShow] > 0 && !passes) {
      return decideShow(work, rules, sight, player);
    }
  }
  if (course.hasDrawn) return decideDiscardPre(work, sight, player);
  if (top < 0) return { action: "stock", card: NO_CARD };
  const weight = weighTakePre(work, rules, sight, player.weights);
  return drawFrom(work, weight, top >= PUTALI, noiseIn(sight, player));
}

/**
 * Decide which of the ways to show to take; the hand is rated.
 *
 * @param {Work} work
 * @param {MarriageRules} rules
 * @param {Sight} sight
 * @param {Player} player
 * @returns {Decision}
 */
function decideShow(work, rules, sight, player) {
  if (work.pre[AS_IT_IS][PRE.distance] > 0) return { action: "show_dublees", card: NO_CARD };
  const value = chooseShow(work, rules, sight, player);
  const seven = rules.dublee && dubleeCount(sight.hand) >= DUBLEES_TO_SHOW;
  const dublees = seven && value < dubleeShowValue(work, sight, player.weights);
  return { action: dublees ? "show_dublees" : "show", card: NO_CARD };
}

/**
 * @param {Work} work
 * @param {Sight} sight
 * @param {Player} player
 * @returns {Decision}
 */
function decideDiscardPre(work, sight, player) {
  const { barred } = sight.course;
  const noise = noiseIn(sight, player);
  const best = bestDiscard(work, work.pre, player.weights, WEIGHTS.preDiscard, barred, noise);
  return { action: "discard", card: best < 0 ? leastMaal(sight.hand, barred, NO_CARD) : best };
}

/**
 * @param {Work} work
 * @param {Sight} sight
 * @param {Player} player
 * @returns {Decision}
 */
function decideDrawPost(work, sight, player) {
  if (sight.top < 0) return { action: "stock", card: NO_CARD };
  const weight = weighTakePost(work, sight, player.weights);
  const always = has(jokersOf(sight.tiplu), sight.top) && jokerIsGood(sight);
  return drawFrom(work, weight, always, noiseIn(sight, player));
}

/**
 * @param {Work} work
 * @param {Sight} sight
 * @param {Player} player
 * @param {boolean} passes
 * @returns {Decision}
 */
function decideDiscardPost(work, sight, player, passes) {
  const { tiplu, course } = sight;
  const dublees = sightDublees(sight);
  if (tiplu < 0 && !dublees) {
    return { action: "discard", card: rateBlind(work, sight, true, player.weights) };
  }
  rateAfterShow(work, sight, dublees, true);
  if (mayFinish(course) && work.post[AS_IT_IS][POST.canFinish] > 0 && !passes) {
    const card = dublees ? dubleeFinishDiscard(sight) : finishDiscard(sight, course.barred);
    if (card >= 0) return { action: "finish", card };
  }
  const noise = noiseIn(sight, player);
  const { barred } = course;
  const best = bestDiscard(work, work.post, player.weights, WEIGHTS.postDiscard, barred, noise);
  return { action: "discard", card: best < 0 ? leastMaal(sight.hand, barred, tiplu) : best };
}

/**
 * Return the move that a decision for a view means; the melds of a show are those found last.
 *
 * @param {Work} work
 * @param {View} view
 * @param {Decision} decision
 * @returns {Move}
 */
export function moveOf(work, view, { action, card }) {
  if (action === "stock" || action === "pile") return { draw: action };
  if (action === "lay") return { lay: [card, card, card] };
  if (action === "show") return { show: sortedMelds(work.show) };
  if (action === "show_dublees") return { show_dublees: dubleeChoices(view.hand)[0] };
  if (action === "discard") return { discard: card };
  const rest = without(view.hand, [card]);
  if (hasDublees(view.open, view.seat)) {
    const pair = firstPair(countsOf(rest));
    return { finish: [[pair, pair]], discard: card };
  }
  return { finish: finishMelds(rest, jokersOf(view.tiplu)) ?? [], discard: card };
}

/**
 * Return how a level plays by some weights.
 *
 * @param {string} level
 * @param {Float64Array} weights
 * @param {number} [seed] of its noise
 * @returns {Player}
 */
export const playerOf = (level, weights, seed = 0) => ({
  weights,
  temperature: level === "easy" ? 0.7 : 0,
  able: level === "hard" || level === "expert",
  seed,
});

/**
 * Return the weights of a level that has learned nothing: in cards (easy, medium) or turns.
 *
 * @param {string} level
 */
export function levelWeights(level) {
  const hard = level === "hard";
  const weights = new Float64Array(WEIGHTS.length);
  const what = hard ? PRE.turns : PRE.distance;
  for (const first of [
    WEIGHTS.preDiscard,
    WEIGHTS.preDraw,
    WEIGHTS.postDiscard,
    WEIGHTS.postDraw,
  ]) {
    weights[first + what] = -1;
  }
  weights[WEIGHTS.preDraw + PRE.length] = hard ? -2.5 : -0.5; // take
  if (hard) weights[WEIGHTS.preDraw + PRE.length + 1] = 2; // take, distance falls
  weights[WEIGHTS.postDraw + POST.length] = hard ? -1 : -0.5;
  return weights;
}

