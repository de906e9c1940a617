/**
 * How Marriage's bots look at a hand: its features before the show and after it.
 *
 * Rows of numbers, each at its place: distance to a show or finish, outs as a share of all
 * unseen cards, estimated turns, dublees, and what the card thrown has beside it.  What each
 * is for, and how turns are estimated, stands in `ustad.runtime.games.marriage.features`; sums
 * are made in the same order, so that weights come out the same.
 */

import {
  CARDS,
  DUBLEES_TO_SHOW,
  FINISH_PLACES,
  has,
  howMany,
  jokersOf,
  laidPoints,
  maalPoints,
  MASTER,
  PUTALI,
  RANKS,
  SHOW_MELDS,
  suitOf,
} from "./cards.js";
import { among, beforeFirstDraw } from "./course.js";
import { FINISHES } from "./finishes.js";
import {
  addCovers,
  dubleeCount,
  putaliCovers,
  rememberedCovers,
  showDistance,
  suitKey,
} from "./shows.js";

/** @import { Counts } from "./cards.js" */
/** @import { Course, MarriageRules } from "./course.js" */

/**
 * What a seat knows in numbers and counts: all that a decision goes by.
 *
 * @typedef {object} Sight
 * @property {Course} course
 * @property {number} seat
 * @property {Counts} hand
 * @property {Counts} laid the tanelas that it laid before its first draw.
 * @property {Counts} table all its cards on the table.
 * @property {Counts} unseen
 * @property {number} tiplu
 * @property {number} top of the pile
 * @property {boolean} hasDiscarded
 *
 * @typedef {Float64Array} Row
 */

/** The row of a rating for the hand as it is, nothing discarded. */
export const AS_IT_IS = CARDS;

/** Places in the row of a hand before the show. */
export const PRE = Object.freeze({
  distance: 0,
  turns: 1,
  distance1: 2,
  distance2: 3,
  distance3: 4,
  outs1: 5,
  outs2: 6,
  outs3: 7,
  fourDublees: 8,
  fiveDublees: 9,
  sixDublees: 10,
  dubleeOuts5: 11,
  dubleeOuts6: 12,
  turnsShown: 13,
  distance1Shown: 14,
  distance2Shown: 15,
  outs1Shown: 16,
  sixDubleesShown: 17,
  live1: 18,
  live2: 19,
  ownNeighbours: 20,
  ownRank: 21,
  soon: 22,
  soonShown: 23,
  otherSoon: 24,
  canShow: 25,
  length: 26,
});

/** Places behind these of what taking the pile's card changes. */
export const PRE_TAKE = Object.freeze({
  take: 26,
  falls: 27,
  shown: 28,
  fallsShown: 29,
  fallsFarShown: 30,
  printed: 31,
  length: 32,
});

/** Places in the row of a hand after the show; the first eight are the same. */
export const POST = Object.freeze({ soon: 8, canFinish: 9, length: 10 });

export const POST_TAKE = Object.freeze({ take: 10, falls: 11, joker: 12, maal: 13, length: 14 });

/** Where the weights of each decision begin, and their end. */
export const WEIGHTS = Object.freeze({
  preDiscard: 0,
  preDraw: 26,
  postDiscard: 58,
  postDraw: 68,
  length: 82,
});

/** @param {number} length @returns {Row[]} */
const rows = (length) => Array.from({ length: CARDS + 1 }, () => new Float64Array(length));

/** The working arrays of decisions; the ratings of the last one stay there. */
export class Work {
  constructor() {
    /** The hand that each discard leaves before the show. */
    this.pre = rows(PRE.length);
    /** The same after the show. */
    this.post = rows(POST.length);
    /** Which rows are filled. */
    this.valid = new Uint8Array(CARDS + 1);
    /** What each row weighs; in the last place what the pile's card does. */
    this.weighed = new Float64Array(CARDS + 1);
    /** The features of the pile's card. */
    this.take = new Float64Array(PRE_TAKE.length);
    /** The melds to show. @type {number[][]} */
    this.show = [];
  }
}

/**
 * Return what a seat would know with another hand.
 *
 * @param {Sight} sight
 * @param {Counts} hand
 * @returns {Sight}
 */
export const withHand = (sight, hand) => ({ ...sight, hand });

/** @param {Sight} sight */
export const sightShown = ({ course, seat }) => among(course.shown, seat);

/** @param {Sight} sight */
export const sightDublees = ({ course, seat }) => among(course.dublees, seat);

/** From the cards of tanelas laid. @param {Counts} laid */
export const tanelasIn = (laid) => howMany(laid) / 3;

// Turns.

const PILE_HELPS = 0.6;
const LEAST_SHARE = 0.004;
const SHOW_SOON = 8;
const FINISH_SOON = 4;
/** The usual shares of outs at each distance from a show, of dublees, and from a finish. */
const USUAL_SHOW = [1, 0.05, 0.11, 0.18, 0.26, 0.34, 0.42, 0.5, 0.6, 0.7];
const USUAL_DUBLEES = [1, 0.16, 0.19, 0.22, 0.25, 0.28, 0.3, 0.3];
const USUAL_FINISH = [1, 0.2, 0.3, 0.38, 0.45, 0.5, 0.55, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6];

/** @param {number} share */
const stepTurns = (share) => 1 / (1 - (1 - share) * (1 - PILE_HELPS * share));

/**
 * Return the turns until a distance is gone, the first step with a share of outs.
 *
 * @param {number} distance
 * @param {number} share
 * @param {number[]} usual
 */
function estimatedTurns(distance, share, usual) {
  if (distance === 0) return 0;
  let later = 0;
  for (let step = 1; step < distance; step++) later += stepTurns(usual[step]);
  const turns = later + stepTurns(Math.max(share, LEAST_SHARE));
  const back = usual[Math.min(distance + 1, usual.length - 1)];
  const around = later + stepTurns(usual[distance]) + stepTurns(back);
  return turns <= around ? turns : around * (2 - around / turns);
}

// Before the show.

/**
 * Fill a row with the features of a hand before the show.
 *
 * @param {Row} row
 * @param {number} distance
 * @param {number} outs the share of cards that lessen it.
 * @param {number} dublees
 * @param {number} dubleeOuts the share of cards that bring one more.
 * @param {boolean} dublee whether seven dublees are a show.
 * @param {number} shown 1 if a seat has shown.
 */
function fillPre(row, distance, outs, dublees, dubleeOuts, dublee, shown) {
  row.fill(0);
  let turns = estimatedTurns(distance, outs, USUAL_SHOW);
  if (dublee) {
    const missing = Math.max(0, DUBLEES_TO_SHOW - dublees);
    const other = estimatedTurns(missing, dubleeOuts, USUAL_DUBLEES);
    row[PRE.otherSoon] = Math.exp(-Math.max(turns, other) / SHOW_SOON);
    turns = Math.min(turns, other);
    if (dublees === 4) row[PRE.fourDublees] = 1;
    else if (dublees === 5) {
      row[PRE.fiveDublees] = 1;
      row[PRE.dubleeOuts5] = 10 * dubleeOuts;
    } else if (dublees === 6) {
      row[PRE.sixDublees] = 1;
      row[PRE.dubleeOuts6] = 10 * dubleeOuts;
      row[PRE.sixDubleesShown] = shown;
    }
  }
  row[PRE.distance] = distance;
  row[PRE.turns] = turns;
  row[PRE.turnsShown] = shown * turns;
  row[PRE.soon] = Math.exp(-turns / SHOW_SOON);
  row[PRE.soonShown] = shown * row[PRE.soon];
  if (distance === 1) {
    row[PRE.distance1] = 1;
    row[PRE.outs1] = 10 * outs;
    row[PRE.distance1Shown] = shown;
    row[PRE.outs1Shown] = shown * 10 * outs;
  } else if (distance === 2) {
    row[PRE.distance2] = 1;
    row[PRE.outs2] = 10 * outs;
    row[PRE.distance2Shown] = shown;
  } else if (distance >= 3) {
    row[PRE.distance3] = distance === 3 ? 1 : 0;
    row[PRE.outs3] = 10 * outs;
  }
  if (distance === 0 || (dublee && dublees >= DUBLEES_TO_SHOW)) row[PRE.canShow] = 1;
}

/**
 * Add to a row what the discard has beside it, in the hand and among the unseen.
 *
 * @param {Row} row
 * @param {Counts} hand
 * @param {Counts} unseen
 * @param {number} card
 */
export function addNeighbours(row, hand, unseen, card) {
  const suit = suitOf(card) * RANKS;
  const place = card % RANKS;
  let [live, own, mates] = [0, 0, 0];
  for (let step = -2; step < 3; step++) {
    const at = place + step;
    if (at < 0 || at > RANKS || (at === RANKS && place <= 2)) continue;
    const other = suit + (at % RANKS);
    live += unseen[other];
    if (step !== 0) own += Math.min(1, hand[other]);
    else if (hand[other] > 1) own += 1;
  }
  if (place === 0) {
    for (const other of [suit + 11, suit + 12]) {
      live += unseen[other];
      own += Math.min(1, hand[other]);
    }
  }
  for (let other = place; other < PUTALI; other += RANKS) {
    if (other !== card && hand[other] > 0) mates += 1;
  }
  row[row[PRE.distance] <= 1 ? PRE.live1 : PRE.live2] = live;
  row[PRE.ownNeighbours] = own;
  row[PRE.ownRank] = mates;
}

/** How many cards of the wanted target melds the parts of a hand hold. */
class Covers {
  /** @param {Sight} sight */
  constructor({ hand, laid, unseen }) {
    this.missing = SHOW_MELDS - tanelasIn(laid);
    this.putali = laid[PUTALI] === 0 ? putaliCovers(hand[PUTALI]) : 0;
    const more = laid[PUTALI] === 0 && hand[PUTALI] < 3 && unseen[PUTALI] > 0;
    this.morePutali = more ? putaliCovers(hand[PUTALI] + 1) : 0;
    this.keys = [0, 0, 0, 0];
    this.blocked = [0, 0, 0, 0];
    this.held = [0, 0, 0, 0];
    /** With one card more, 0 where none can come. */
    this.plus = new Int16Array(PUTALI);
    for (let suit = 0; suit < 4; suit++) {
      this.keys[suit] = suitKey(hand, suit);
      for (let rank = 0; rank < RANKS; rank++) {
        if (laid[suit * RANKS + rank] > 0) this.blocked[suit] |= 1 << rank;
      }
      this.held[suit] = rememberedCovers(this.keys[suit], this.blocked[suit], 0);
      for (let rank = 0; rank < RANKS; rank++) {
        const card = suit * RANKS + rank;
        if (unseen[card] <= 0 || hand[card] >= 3 || laid[card] !== 0) continue;
        const key = this.keys[suit] + (1 << (2 * rank));
        this.plus[card] = rememberedCovers(key, this.blocked[suit], 0);
      }
    }
    /** Of putali and all suits but one. */
    this.others = [0, 1, 2, 3].map((suit) => this.withSuits(this.putali, suit, suit));
  }

  /**
   * Return some covers with those of all suits but two added.
   *
   * @param {number} total
   * @param {number} suit
   * @param {number} other
   */
  withSuits(total, suit, other) {
    let sum = total;
    for (let third = 0; third < 4; third++) {
      if (third !== suit && third !== other) sum = addCovers(sum, this.held[third]);
    }
    return sum;
  }

  /**
   * Return the most cards that the wanted melds hold, of the covers of a whole hand.
   *
   * @param {number} total
   */
  most(total) {
    return (total >> (4 * (this.missing - 1))) & 15;
  }
}

/** What a rating found last: a distance, and how many unseen cards lessen it. */
const found = { distance: 0, outs: 0 };

/**
 * Find the distance to three pure melds and its outs, without the master.
 *
 * @param {Covers} covers
 * @param {Sight} sight
 * @param {number} discard AS_IT_IS for none
 */
function findOuts(covers, { unseen, laid }, discard) {
  const thrown = discard < CARDS;
  const suit = thrown ? suitOf(discard) : 0;
  const blocked = covers.blocked[suit];
  let key = covers.keys[suit];
  let own = covers.held[suit];
  if (thrown) {
    key -= 1 << (2 * (discard % RANKS));
    own = rememberedCovers(key, blocked, 0);
  }
  const most = covers.most(addCovers(covers.others[suit], own));
  found.distance = 3 * covers.missing - most;
  found.outs = 0;
  if (found.distance === 0) return;
  for (let rank = 0; rank < RANKS; rank++) {
    const card = suit * RANKS + rank;
    if (unseen[card] <= 0 || laid[card] !== 0 || ((key >> (2 * rank)) & 3) === 3) continue;
    let more = covers.plus[card];
    if (thrown) {
      const back = discard % RANKS === rank;
      more = back ? covers.held[suit] : rememberedCovers(key + (1 << (2 * rank)), blocked, 0);
    }
    if (covers.most(addCovers(covers.others[suit], more)) > most) found.outs += unseen[card];
  }
  for (let other = 0; other < 4; other++) {
    if (other === suit) continue;
    const rest = covers.withSuits(addCovers(covers.putali, own), suit, other);
    for (let card = other * RANKS; card < (other + 1) * RANKS; card++) {
      const more = covers.plus[card];
      if (more > 0 && covers.most(addCovers(rest, more)) > most) found.outs += unseen[card];
    }
  }
  if (covers.morePutali > 0) {
    const rest = covers.withSuits(addCovers(covers.morePutali, own), suit, suit);
    if (covers.most(rest) > most) found.outs += unseen[PUTALI];
  }
}

/**
 * Find the same of a hand with a wild master, by trying.
 *
 * @param {Counts} hand
 * @param {Sight} sight
 */
function findOutsByTrying(hand, { unseen, laid }) {
  const distance = showDistance(hand, laid, true);
  let outs = 0;
  for (let card = 0; card < MASTER; card++) {
    if (unseen[card] <= 0 || hand[card] >= 3 || laid[card] !== 0) continue;
    hand[card] += 1;
    if (showDistance(hand, laid, true) < distance) outs += unseen[card];
    hand[card] -= 1;
  }
  found.distance = distance;
  found.outs = outs;
}

/**
 * Tell whether a pure master would lessen the distance of a hand.
 *
 * @param {Counts} hand
 * @param {Sight} sight
 * @param {number} distance
 */
function masterIsOut(hand, { unseen, laid }, distance) {
  if (unseen[MASTER] === 0 || distance === 0) return false;
  hand[MASTER] += 1;
  const nearer = showDistance(hand, laid, true) < distance;
  hand[MASTER] -= 1;
  return nearer;
}

/**
 * Rate the hand that each discard leaves, before the show.
 *
 * @param {Work} work rows and `valid` are filled.
 * @param {MarriageRules} rules
 * @param {Sight} sight
 * @param {boolean} discards whether a card is to be discarded; else only the hand as it is.
 */
export function rateBeforeShow(work, rules, sight, discards) {
  const { hand, unseen } = sight;
  const shown = sight.course.shown !== 0 ? 1 : 0;
  const total = Math.max(1, howMany(unseen));
  const covers = new Covers(sight);
  const pairs = dubleeCount(hand);
  let singles = 0;
  for (let card = 0; card < MASTER; card++) if (hand[card] === 1) singles += unseen[card];
  const left = hand.slice();
  work.valid.fill(0);
  for (let card = 0; card <= CARDS; card++) {
    let [dublees, loose] = [pairs, singles];
    if (card < CARDS) {
      if (!discards || card >= PUTALI || hand[card] === 0) continue;
      if (hand[card] === 1) loose -= unseen[card];
      else if (hand[card] === 2) {
        dublees -= 1;
        loose += unseen[card];
      }
      left[card] -= 1;
    }
    found.distance = 0;
    found.outs = 0;
    if (covers.missing > 0) {
      if (rules.master_is_pure && hand[MASTER] > 0) findOutsByTrying(left, sight);
      else {
        findOuts(covers, sight, card);
        if (rules.master_is_pure && masterIsOut(left, sight, found.distance)) {
          found.outs += unseen[MASTER];
        }
      }
    }
    work.valid[card] = 1;
    const row = work.pre[card];
    const { distance, outs } = found;
    fillPre(row, distance, outs / total, dublees, loose / total, rules.dublee, shown);
    if (card < CARDS) {
      left[card] += 1;
      addNeighbours(row, hand, unseen, card);
    }
  }
}

// After the show.

/**
 * Fill a row with the features of a hand after the show; outs are a share.
 *
 * @param {Row} row
 * @param {number} distance
 * @param {number} outs
 */
export function fillPost(row, distance, outs) {
  row.fill(0);
  row[PRE.distance] = distance;
  row[PRE.turns] = estimatedTurns(distance, outs, USUAL_FINISH);
  row[POST.soon] = Math.exp(-row[PRE.turns] / FINISH_SOON);
  if (distance === 0) row[POST.canFinish] = 1;
  else if (distance === 1) {
    row[PRE.distance1] = 1;
    row[PRE.outs1] = 10 * outs;
  } else if (distance === 2) {
    row[PRE.distance2] = 1;
    row[PRE.outs2] = 10 * outs;
  } else {
    row[PRE.distance3] = distance === 3 ? 1 : 0;
    row[PRE.outs3] = 10 * outs;
  }
}

/**
 * Rate the hand that each discard leaves, after the show.
 *
 * Discards that cost distance are left out, jokers too while there is another.
 *
 * @param {Work} work rows and `valid` are filled.
 * @param {Sight} sight
 * @param {boolean} dublees whether seven dublees are shown: an eighth is wanted.
 * @param {boolean} discards whether a card is to be discarded; else only the hand as it is.
 */
export function rateAfterShow(work, sight, dublees, discards) {
  work.valid.fill(0);
  if (dublees) rateDublees(work, sight, discards);
  else rateMelds(work, sight, discards);
}

/**
 * @param {Work} work
 * @param {Sight} sight
 * @param {boolean} discards
 */
function rateDublees(work, { hand, unseen, tiplu }, discards) {
  const jokers = jokersOf(tiplu);
  const total = Math.max(1, howMany(unseen));
  let [loose, pairs] = [0, 0];
  for (let card = 0; card < MASTER; card++) {
    if (hand[card] === 1) loose += unseen[card];
    else if (hand[card] >= 2) pairs += 1;
  }
  for (let card = 0; card <= CARDS; card++) {
    let [left, leftPairs] = [loose, pairs];
    if (card < CARDS) {
      if (!discards || hand[card] === 0 || has(jokers, card)) continue;
      if (hand[card] === 1) left -= unseen[card];
      if (hand[card] === 2) leftPairs -= 1;
    }
    work.valid[card] = 1;
    fillPost(work.post[card], leftPairs > 0 ? 0 : 1, left / total);
  }
}

/**
 * @param {Work} work
 * @param {Sight} sight
 * @param {boolean} discards
 */
function rateMelds(work, { hand, unseen, tiplu }, discards) {
  const jokers = jokersOf(tiplu);
  const total = Math.max(1, howMany(unseen));
  const distance = FINISHES.search(hand, jokers, FINISH_PLACES, true);
  for (let card = 0; card <= CARDS; card++) {
    if (card < CARDS) {
      if (!discards || hand[card] === 0 || has(jokers, card)) continue;
      if (distance > 0 && !FINISHES.canGo(card)) continue;
    }
    let share = 0;
    if (distance > 0) {
      const outs = FINISHES.outs(card);
      for (let out = 0; out < CARDS; out++) if (has(outs, out)) share += unseen[out];
    }
    work.valid[card] = 1;
    fillPost(work.post[card], distance, share / total);
  }
}

// Draws.

/**
 * Fill a row with what taking the pile's card changes before the show.
 *
 * @param {Row} row
 * @param {Row} before rates the hand as it is.
 * @param {Row} after rates the hand with the card and the best discard.
 * @param {number} card
 * @param {number} shown 1 if a seat has shown.
 */
export function fillTakePre(row, before, after, card, shown) {
  for (let k = 0; k < PRE.length; k++) row[k] = after[k] - before[k];
  const falls = after[PRE.distance] < before[PRE.distance] ? 1 : 0;
  const far = before[PRE.distance] >= 3 ? 1 : 0;
  row[PRE_TAKE.take] = 1;
  row[PRE_TAKE.falls] = falls;
  row[PRE_TAKE.shown] = shown;
  row[PRE_TAKE.fallsShown] = falls * shown;
  row[PRE_TAKE.fallsFarShown] = falls * shown * far;
  row[PRE_TAKE.printed] = card >= PUTALI ? 1 : 0;
}

/**
 * Fill a row with what taking the pile's card, that pays so much, changes after the show.
 *
 * @param {Row} row
 * @param {Row} before
 * @param {Row} after
 * @param {boolean} joker
 * @param {number} points
 */
export function fillTakePost(row, before, after, joker, points) {
  for (let k = 0; k < POST.length; k++) row[k] = after[k] - before[k];
  row[POST_TAKE.take] = 1;
  row[POST_TAKE.falls] = after[PRE.distance] < before[PRE.distance] ? 1 : 0;
  row[POST_TAKE.joker] = joker ? 1 : 0;
  row[POST_TAKE.maal] = points;
}

// The predicted net.

/** The kinds of moves whose nets are learned, each with numbers of its own. */
export const KIND = Object.freeze({
  preStock: 0,
  preDiscard: 1,
  show: 2,
  postStock: 3,
  postDiscard: 4,
  finish: 5,
});

const BESIDE = 16;
const HAND_ROWS = [PRE.length, PRE.length, POST.length, POST.length, POST.length, 0];

/** Where the numbers of each kind begin, and the end of the last. */
export const KIND_STARTS = [0, 1, 2, 3, 4, 5, 6].map((kind) =>
  HAND_ROWS.slice(0, kind).reduce((sum, row) => sum + row + BESIDE, WEIGHTS.length),
);

/**
 * Return what a net is predicted by.
 *
 * @param {MarriageRules} rules
 * @param {Sight} sight
 * @param {number} kind of the move.
 * @param {Row} row the features of the hand that it leaves, none for a finish.
 * @param {Counts} owned that hand and the seat's cards on the table.
 * @param {boolean} dublees whether the seat has shown dublees, or shows them now.
 */
export function predictorsOf(rules, sight, kind, row, owned, dublees) {
  const { course, laid } = sight;
  const { players } = course;
  let others = 0;
  for (let seat = 0; seat < players; seat++) {
    if (seat !== sight.seat && among(course.shown, seat)) others += 1;
  }
  const fives = laidPoints(tanelasIn(laid), laid[PUTALI] > 0) / 5;
  const beforeShow = kind === KIND.preStock || kind === KIND.preDiscard;
  const mayPay = beforeShow && rules.laid_need_tiplu;
  /** @param {boolean} holds */
  const one = (holds) => (holds ? 1 : 0);
  return [
    ...row,
    maalPoints(owned, sight.tiplu, 0, false, true, false),
    mayPay ? fives : 0,
    mayPay ? 0 : fives,
    others / (players - 1),
    course.stock / (10 * players),
    one(dublees),
    one(beforeFirstDraw(course, sight.hasDiscarded)),
    one(players === 2),
    one(players === 3),
    one(players === 5),
    one(!rules.dublee),
    one(rules.master_is_pure),
    one(rules.see_tiplu === "at_once"),
    one(rules.printed_need_show),
    one(!rules.laid_need_tiplu),
    1,
  ];
}

/** Return the kind of a discard. @param {Sight} sight */
export function discardKind(sight) {
  if (!sightShown(sight)) return KIND.preDiscard;
  return sight.tiplu < 0 ? KIND.show : KIND.postDiscard;
}
