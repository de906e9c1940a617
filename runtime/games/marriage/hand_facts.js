/**
 * What speaks for a move of Marriage: how far the hand that it leaves is from its goal; its maal.
 *
 * A draw of the stock leaves the hand as it is; after a card of the pile or a tanela laid the
 * hand is that after expert's next move.
 */

import { CARD_NAMES, howMany, inWords, meldNames } from "./cards.js";
import { cardsGivenUp, isShow } from "./course.js";
import { fixed, told } from "./facts.js";
import { Rated } from "./nets.js";

/** @import { Melds } from "./cards.js" */
/** @import { Facts } from "./engine.js" */
/** @import { Move } from "./course.js" */

/**
 * @typedef {object} Numbers
 * @property {number} distance
 * @property {number} outs
 * @property {number} unseen
 * @property {number} turns
 * @property {number} maal
 */

/**
 * Return the numbers of the hand after a move.
 *
 * @param {Rated} rated
 * @param {Move} move
 * @returns {Numbers}
 */
function numbersOf(rated, move) {
  if (move.lay || move.draw === "pile") {
    const after = new Rated(rated.after(move), rated.bot);
    return numbersOf(after, after.chosen);
  }
  const { hand, unseen } = rated.sight;
  const cards = hand.slice();
  if (move.finish) {
    cards[/** @type {number} */ (move.discard)] -= 1;
    const maal = rated.counted(cards);
    return { distance: 0, outs: 0, unseen: howMany(unseen), turns: 0, maal };
  }
  if (isShow(move)) {
    const { left, maal } = rated.prospectAfter(move);
    return numbers(left, maal);
  }
  for (const card of cardsGivenUp(move)) cards[card] -= 1;
  return numbers(rated.prospect(cards), rated.counted(cards));
}

/**
 * @param {Omit<Numbers, "maal">} prospect
 * @param {number} maal
 * @returns {Numbers}
 */
const numbers = ({ distance, outs, unseen, turns }, maal) => ({
  distance,
  outs,
  unseen,
  turns,
  maal,
});

/** @param {Numbers} numbers */
function speaksFor({ distance, outs, unseen, turns, maal }) {
  if (distance === 0) return `leaves distance 0, maal ${maal}`;
  return (
    `leaves distance ${distance} with ${outs} of ${unseen} unseen cards that help, ` +
    `about ${fixed(turns, 1)} turns, maal ${maal}`
  );
}

/** @param {Melds} melds */
const inMelds = (melds) => melds.map((cards) => meldNames(cards).join(" ")).join(" | ");

/** Return a move in a few words. @param {Move} move */
function describe(move) {
  if (move.draw) return `draw ${move.draw}`;
  if (move.lay) return `lay ${inWords(move.lay)}`;
  if (move.show) return `show ${inMelds(move.show)}`.trim();
  if (move.show_dublees) return `show dublees ${inMelds(move.show_dublees)}`;
  const card = CARD_NAMES[/** @type {number} */ (move.discard)];
  return move.finish ? `finish ${inMelds(move.finish)}, discard ${card}` : `discard ${card}`;
}

/**
 * Return what tells of a decision's moves.
 *
 * @param {Rated} rated
 * @returns {Facts}
 */
export const handFacts = (rated) => ({
  of: (move) => numbersOf(rated, move),
  describe,
  speaksFor,
  givesUp: (cost, _, other) => `gives up ${told(cost)} points: it ${speaksFor(other)}`,
});
