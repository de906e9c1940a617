/**
 * What speaks for a keep or a write: what this turn brings, and how likely each box is written.
 *
 * Each way to end the turn is a row of numbers, the points written and the box; what they are on
 * average follows from the chances of the dice, back from the last roll, for all keeps at once.
 */

import { percent, told } from "./facts.js";

/** @import { Turn, Turns } from "./turns.js" */

/**
 * @typedef {object} Numbers
 * @property {number} points_this_turn
 * @property {{ [box: string]: number }} chance_of
 * @property {number} [win_share] in the last turns
 */

/**
 * Return what tells of the moves of a solved turn.
 *
 * @param {Turns} turns
 * @param {Turn} turn
 * @param {number} roll
 * @param {number} rollsLeft
 * @param {boolean} paysExtra whether the sheet is paid for extra rolls.
 */
export function turnFacts(turns, turn, roll, rollsLeft, paysExtra) {
  const { boxes, extra_points: extra } = turns.sheet;
  const columns = 1 + boxes.length;

  /** Return the row of a write. @param {number} rolled @param {number} left @param {number} box */
  const rowOf = (rolled, left, box) => {
    const row = new Float64Array(columns);
    const bonus = paysExtra && turns.extraRolls.has(rolled) ? extra : 0;
    row[0] = bonus + (box < 0 ? 0 : turns.pointsOf(turn, rolled, left)[box]);
    if (box >= 0) row[1 + box] = 1;
    return row;
  };

  /** @type {Float64Array[] | null} by keep */
  let kept = null;
  /** Return the rows of the keeps with the rolls of the view left. */
  const keeps = () => {
    /** @type {Float64Array[]} */
    let rows = [];
    for (let left = 0; left < rollsLeft; left++) {
      const before = rows;
      const ends = turns.rolls.map((rolled) => {
        const choice = turns.bestChoice(turn, rolled, left);
        return "keep" in choice ? before[choice.keep] : rowOf(rolled, left, choice.box);
      });
      rows = turns.meanOfRows(ends, columns);
    }
    return rows;
  };

  /** @param {{ keep: number } | { box: number }} choice @returns {Numbers} */
  return (choice) => {
    let row;
    if ("keep" in choice) {
      kept ??= keeps();
      row = kept[choice.keep];
    } else row = rowOf(roll, rollsLeft, choice.box);
    const open = turn.boxes.map((box) => [boxes[box], row[1 + box]]);
    return { points_this_turn: row[0], chance_of: Object.fromEntries(open) };
  };
}

/** @param {Numbers} numbers */
export function speaksFor({ points_this_turn: points, win_share: share }) {
  const brings = `brings ${told(points)} points this turn`;
  return share === undefined ? brings : `takes ${percent(share, 2)} of the win and ${brings}`;
}

/**
 * @param {number} cost
 * @param {boolean} ofTheWin whether the cost is a share of the win.
 */
export const givesUp = (cost, ofTheWin) =>
  ofTheWin ? `gives up ${told(100 * cost)}% of the win` : `gives up ${told(cost)} points`;

