/**
 * Rules of thumb for a turn: the levels of games of five dice that need no table.
 *
 * The manifest says under `thumbs` which of them a level is:
 *
 * - `most_alike` keeps the face it has most of and writes what pays most now;
 * - `next_roll` weighs every keep by the best box after the next roll, and writes likewise;
 * - `points` plays a turn for its points; `priced` counts points less what a box brings alone;
 *   `priced_next_throw` does so too, rating a keep by the next throw.
 *
 * A choice is a keep, by its number, or a box, -1 standing for a pass.
 */

import { TIE } from "./export.js";

/** @import { State, Turns } from "./turns.js" */

/** @typedef {{ keep: number } | { box: number }} Choice */

/**
 * Return what a rule of thumb chooses.
 *
 * @param {string} thumb
 * @param {Turns} turns
 * @param {State} state
 * @param {number} roll a keep of five dice
 * @param {number} rollsLeft
 * @returns {Choice}
 */
export function byThumb(thumb, turns, state, roll, rollsLeft) {
  if (thumb === "most_alike") return mostAlike(turns, state, roll, rollsLeft);
  if (thumb === "next_roll") return nextRoll(turns, state, roll, rollsLeft);
  const prices = thumb === "points" ? turns.sheet.boxes.map(() => 0) : pricesOf(turns);
  const given = passCosts(turns, state, prices);
  const turn = turns.solve(
    state,
    (_after, _brings, box, points) => (box < 0 ? -given : points - prices[box]),
    thumb !== "priced_next_throw",
  );
  return firstBest([
    ...(rollsLeft > 0
      ? turns.subKeeps(roll).map((keep) => ({ keep, value: turn.keepValues[rollsLeft][keep] }))
      : []),
    ...turns.writes(turn, roll - turns.firstRoll, rollsLeft),
  ]);
}

/**
 * Return the first of the choices that are worth most.
 *
 * @param {(Choice & { value: number })[]} choices
 * @returns {Choice}
 */
function firstBest(choices) {
  const most = Math.max(...choices.map(({ value }) => value));
  return /** @type {Choice} */ (choices.find(({ value }) => value >= most - TIE));
}

/**
 * Return the box that pays most now, the first of equals.
 *
 * @param {Turns} turns
 * @param {State} state
 * @param {number} roll
 * @param {number} rollsLeft
 */
function writeNow(turns, state, roll, rollsLeft) {
  const { write, points } = turns.caseOf(state.open, roll - turns.firstRoll, rollsLeft);
  const may = points.map((paid, box) => ((write & state.open) >> box) & 1 ? paid : -1);
  return { box: may.indexOf(Math.max(...may)) };
}

/** @type {(turns: Turns, state: State, roll: number, rollsLeft: number) => Choice} */
function mostAlike(turns, state, roll, rollsLeft) {
  const dice = turns.keeps[roll];
  /** @param {number} die */
  const count = (die) => dice.filter((one) => one === die).length;
  // In ascending order the last of those with the largest count has the higher face.
  const face = dice.reduce((best, die) => (count(die) >= count(best) ? die : best));
  if (rollsLeft === 0 || count(face) === dice.length) {
    return writeNow(turns, state, roll, rollsLeft);
  }
  const kept = dice.filter((die) => die === face);
  return { keep: /** @type {number} */ (turns.rollOf.get(kept.join())) };
}

/** @type {(turns: Turns, state: State, roll: number, rollsLeft: number) => Choice} */
function nextRoll(turns, state, roll, rollsLeft) {
  if (rollsLeft > 0) {
    const values = new Float64Array(turns.keeps.length);
    for (let at = turns.firstRoll; at < values.length; at++) {
      const { write, points } = turns.caseOf(state.open, at - turns.firstRoll, rollsLeft - 1);
      values[at] = Math.max(...points.filter((_, box) => ((write & state.open) >> box) & 1));
    }
    turns.rateKeeps(values);
    const keeps = turns.subKeeps(roll);
    const keep = keeps.reduce((best, one) => (values[one] > values[best] ? one : best));
    if (values[keep] > values[roll] + TIE) return { keep };
  }
  return writeNow(turns, state, roll, rollsLeft);
}

/** @type {WeakMap<Turns, number[]>} */
const PRICES = new WeakMap();

/**
 * Return for each box the points of a turn played for it alone.
 *
 * @param {Turns} turns
 */
function pricesOf(turns) {
  let found = PRICES.get(turns);
  if (found === undefined) {
    found = turns.sheet.boxes.map((_, box) => aloneAt(turns, box));
    PRICES.set(turns, found);
  }
  return found;
}

/**
 * @param {Turns} turns
 * @param {number} box
 */
function aloneAt(turns, box) {
  const { firstRoll, sheet, manifest } = turns;
  const { cases, roll_cases, pays } = sheet;
  const worth = new Float64Array(turns.keeps.length);
  for (let rollsLeft = 0; rollsLeft < manifest.turn.rolls_a_turn; rollsLeft++) {
    if (rollsLeft > 0) {
      const values = Float64Array.from(worth);
      turns.rateKeeps(values);
      turns.bestBelow(values, worth);
    }
    for (let roll = 0; roll < roll_cases.length; roll++) {
      const stop = pays[cases[roll_cases[roll]][0].pays[rollsLeft]][roll][box];
      const at = firstRoll + roll;
      worth[at] = rollsLeft > 0 ? Math.max(stop, worth[at]) : stop;
    }
  }
  turns.rateKeeps(worth);
  return worth[0];
}

/**
 * Return the price of the box that a pass gives up, 0 where there is no pass.
 *
 * With more boxes open than turns left those that bring least are given up already, and the next
 * in that order is what a pass costs.
 *
 * @param {Turns} turns
 * @param {State} state
 * @param {number[]} prices
 */
function passCosts(turns, state, prices) {
  const { open, turns: left } = state;
  if (!turns.sheet.turns_weight || turns.isOver(state)) return 0;
  const openPrices = prices.filter((_, box) => (open >> box) & 1).sort((a, b) => a - b);
  return openPrices[openPrices.length - left];
}
