/**
 * What a past does to margins: a position that has stood twice ends the round when it comes again.
 *
 * Written again from `ustad.runtime.games.raja_pasu.repetitions`, which says why it is right.  A
 * node is the seeds of a mover's ring, and whether the mover of the position asked about moves
 * there (0) or not (1).
 */

import { isEmpty, PASU, playHole, sum } from "./sowing.js";

/**
 * The mover's margin is not below the first and not above the second.
 *
 * @typedef {[number, number]} Bounds
 *
 * @typedef {(seeds: number[], own: number) => number | null} Margin
 */

const MOST_NODES = 20_000; // positions around one with a past, at most

/**
 * @param {number[]} seeds
 * @param {number} turn
 */
export const nodeOf = (seeds, turn) => `${turn}:${seeds.join()}`;

/**
 * Return the mover's margin of a position that stands for the third time: row by row.
 *
 * @param {number[]} seeds
 * @param {number} own
 */
export const thirdTime = (seeds, own) => sum(seeds.slice(0, own)) - sum(seeds.slice(own));

/**
 * Return bounds of the mover's margin around a position, what has stood twice ending the round
 * when it comes again: lower and upper bounds, improved until nothing changes.
 *
 * @param {number[]} start the seeds of the mover's ring.
 * @param {[number, number]} owns how many holes are the mover's, and the other's.
 * @param {boolean} skipped
 * @param {Set<string>} twice the nodes that have stood twice.
 * @param {Margin} margin of a position without a past, null where it is not known.
 * @returns {Map<string, Bounds>}
 */
export function boundsAround(start, owns, skipped, twice, margin) {
  /** @type {Map<string, Bounds>} */
  const bounds = new Map();
  /** @type {Map<string, [number, string][]>} */
  const followers = new Map();
  /** @type {[number[], number][]} */
  const todo = [];
  /** @type {(seeds: number[], turn: number) => [number, string][]} */
  const follow = (seeds, turn) => {
    const own = owns[turn];
    /** @type {[number, string][]} */
    const found = [];
    for (let hole = 0; hole < own; hole++) {
      if (seeds[hole] === 0) continue;
      const { board, taken } = playHole(seeds, own, hole, skipped);
      const after = [...board.slice(own), ...board.slice(0, own)];
      const node = nodeOf(after, 1 - turn);
      found.push([taken[0] - taken[1], node]);
      if (bounds.has(node)) continue;
      const left = sum(after);
      const reversible =
        taken[0] + taken[1] === 0 && seeds.every((held, at) => held < PASU || held === board[at]);
      const other = after.length - own;
      let known = null;
      if (isEmpty(after, other)) known = -left;
      else if (twice.has(node)) known = thirdTime(after, other);
      else if (!reversible) known = margin(after, other);
      bounds.set(node, known === null ? [-left, left] : [known, known]);
      if (reversible && known === null) todo.push([after, 1 - turn]);
    }
    return found;
  };
  follow(start, 0);
  while (todo.length > 0 && followers.size < MOST_NODES) {
    const [seeds, turn] = /** @type {[number[], number]} */ (todo.pop());
    followers.set(nodeOf(seeds, turn), follow(seeds, turn));
  }
  for (let changed = todo.length === 0; changed; ) {
    changed = false;
    for (const [node, moves] of followers) {
      const [least, most] = /** @type {Bounds} */ (bounds.get(node));
      let [lower, upper] = [-Infinity, -Infinity];
      for (const [gain, after] of moves) {
        const [low, high] = /** @type {Bounds} */ (bounds.get(after));
        lower = Math.max(lower, gain - high);
        upper = Math.max(upper, gain - low);
      }
      if (lower !== least || upper !== most) {
        bounds.set(node, [lower, upper]);
        changed = true;
      }
    }
  }
  return bounds;
}
