/**
 * The board of Raja Pasu, and reading what a position says of it.
 */

import { Fields, isList, isWhole, shown, UstadError } from "./errors.js";
import { PASU, sum } from "./sowing.js";

/**
 * @typedef {{ origin: "sown" | "skipped", match: boolean, max_rounds: number }} RajaPasuRules
 * @typedef {{ owned: number[], round: number, leader: number }} Match
 */

export const ROW = 7;
export const HOLES = 2 * ROW;
export const SEEDS_A_HOLE = 7;
export const ALL_SEEDS = HOLES * SEEDS_A_HOLE;
export const SEATS = ["South", "North"];
const MOST_EARLIER = 10_000; // boards that a position may remember
export const ROW_HOLES = [0, 1].map((seat) => Array.from({ length: ROW }, (_, at) => ROW * seat + at));

/**
 * Return the open holes, the mover's first, and how many these are.
 *
 * @param {number[]} closed
 * @param {number} mover
 */
export function ringOf(closed, mover) {
  /** @param {number} seat */
  const row = (seat) => ROW_HOLES[seat].filter((hole) => !closed.includes(hole));
  const own = row(mover);
  return { holes: [...own, ...row(1 - mover)], own: own.length };
}

/**
 * Return the holes that the players cannot fill from the seeds they own.
 *
 * @param {number[]} owned
 */
export const closedHoles = (owned) =>
  owned.flatMap((seeds, seat) =>
    ROW_HOLES[seat].slice(0, ROW - Math.min(ROW, Math.floor(seeds / SEEDS_A_HOLE))),
  );

/**
 * Return a list of so many counts of seeds.
 *
 * @param {Fields} fields
 * @param {string} key
 * @param {unknown} given
 * @param {number} length
 * @returns {number[]}
 */
export function counts(fields, key, given, length) {
  /** @param {unknown} held @returns {held is number} */
  const isCount = (held) => isWhole(held, 0, ALL_SEEDS);
  if (isList(given, length, length, isCount)) return given;
  return fields.fail(key, `a list of ${length} whole numbers from 0 to ${ALL_SEEDS}`, given);
}

/**
 * Return the closed holes in ascending order.
 *
 * @param {Fields} fields
 * @param {number[]} board
 */
export function readClosed(fields, board) {
  const given = fields.take("closed", []);
  /** @param {unknown} hole @returns {hole is number} */
  const isHole = (hole) => isWhole(hole, 0, HOLES - 1);
  if (!isList(given, 0, Infinity, isHole)) {
    return fields.fail("closed", `a list of holes from 0 to ${HOLES - 1}`, given);
  }
  if (new Set(given).size < given.length) fields.fail("closed", "each hole once", given);
  const filled = given.find((hole) => board[hole] > 0);
  if (filled !== undefined) {
    fields.fail("board", `no seed in hole ${filled}, which is closed`, board[filled]);
  }
  return [...given].sort((a, b) => a - b);
}

/**
 * Return the boards since the last irreversible move.
 *
 * @param {Fields} fields
 * @param {number[]} board
 * @param {number[]} closed
 */
export function readEarlier(fields, board, closed) {
  const given = fields.take("earlier", []);
  if (!Array.isArray(given)) return fields.fail("earlier", "a list of boards", given);
  if (given.length > MOST_EARLIER) {
    fields.fail("earlier", `at most ${MOST_EARLIER} boards`, given.length);
  }
  const found = given.map((past) => counts(fields, "earlier", past, HOLES));
  /** @type {Map<string, number>} */
  const times = new Map();
  for (const past of found) times.set(past.join(), (times.get(past.join()) ?? 0) + 1);
  for (const past of found) {
    if (sum(past) !== sum(board) || closed.some((hole) => past[hole] > 0)) {
      fields.fail("earlier", `boards with ${sum(board)} seeds in open holes`, past);
    }
    if (past.some((held, hole) => held !== board[hole] && Math.max(held, board[hole]) >= PASU)) {
      fields.fail("earlier", "boards alike in every hole of four or more", past);
    }
    if (Number(times.get(past.join())) > 2) {
      fields.fail("earlier", "no board three times, which ends the round", past);
    }
  }
  return found;
}

/**
 * Return what a position says of its match, checked against the round.
 *
 * @param {unknown} given
 * @param {RajaPasuRules} rules
 * @param {number} seeds
 * @param {number[]} closed
 * @returns {Match}
 */
export function readMatch(given, rules, seeds, closed) {
  const fields = /** @type {Fields} */ (new Fields(given, "match"));
  const owned = counts(fields, "owned", fields.take("owned"), 2);
  const round = fields.integer("round", 1, rules.max_rounds);
  const leader = fields.integer("leader", 0, 1);
  fields.done();
  if (sum(owned) !== ALL_SEEDS || Math.min(...owned) < SEEDS_A_HOLE) {
    fields.fail("owned", `two numbers from ${SEEDS_A_HOLE} that add up to ${ALL_SEEDS}`, owned);
  }
  if (round === 1 && owned[0] !== owned[1]) {
    fields.fail("owned", `${shown([ALL_SEEDS / 2, ALL_SEEDS / 2])} in round 1`, owned);
  }
  const expected = closedHoles(owned);
  if (closed.join() !== expected.join()) {
    throw new UstadError(
      "position",
      `position: closed: expected ${shown(expected)} with owned ${shown(owned)}, ` +
        `got ${shown(closed)}`,
    );
  }
  const inRound = SEEDS_A_HOLE * (HOLES - closed.length);
  if (seeds !== inRound) {
    throw new UstadError(
      "position",
      `position: board: expected ${inRound} seeds on the board and captured in this round, ` +
        `got ${seeds}`,
    );
  }
  return { owned, round, leader };
}
