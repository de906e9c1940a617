/**
 * Alpha-beta over positions of a ring, with a transposition table: the search of Python's levels,
 * move by move, so that both find the same.
 */

import { isEmpty, playedHole, sum } from "./sowing.js";

/**
 * The seeds of a ring, the mover's holes first, and how many of them are the mover's.
 *
 * @typedef {{ seeds: number[], own: number }} Position
 *
 * The margin of a position, and whether no guess had a part in it.
 * @typedef {{ margin: number, proven: boolean }} Found
 *
 * A move: what it gains, the position after it, the most that it can bring.
 * @typedef {{ gain: number, after: number[], most: number }} Child
 */

const AT_LEAST = 0; // the true margin is not below what was found
const AT_MOST = 1; // not above
const EXACT = 2;

const TO_THE_END = 1000;
const FAR = 1000; // more than any margin
const REMEMBERED = 20_000; // positions whose moves are kept

export const DEEPEST = 100;

class TooFar extends Error {}

export class Search {
  /**
   * @param {boolean} skipped whether a lap leaves out the hole it began from.
   * @param {(seeds: number[], own: number) => number | null} leaf the margin of a position that
   *   is known, null for others.
   */
  constructor(skipped, leaf = () => null) {
    this.skipped = skipped;
    this.leaf = leaf;
    this.positions = 0;
    this.most = Infinity;
    this.until = Infinity; // when a search that deepens stops, in milliseconds since the epoch
    /** @type {Map<string, { searched: number, margin: number, kind: number }>} */
    this.found = new Map();
    /** @type {Map<string, Child[]>} */
    this.known = new Map();
  }

  /**
   * Return the margin of each position, and whether it is proven.
   *
   * @param {Position[]} positions
   * @param {number} depth how many moves to look ahead at most.
   * @param {number} [most] deepen ply by ply and stop after so many positions; without it, search
   *   to that depth at once.
   * @returns {Found[]}
   */
  margins(positions, depth, most) {
    /** @param {number} deep */
    const search = (deep) =>
      positions.map(({ seeds, own }) => this._margin(seeds, own, deep, -FAR, FAR));
    this.positions = 0;
    this.most = Infinity;
    try {
      if (most === undefined) return search(depth);
      let found = search(0);
      this.most = most;
      for (let deeper = 1; deeper <= depth && !found.every(({ proven }) => proven); deeper++) {
        try {
          found = search(deeper);
        } catch (error) {
          if (!(error instanceof TooFar)) throw error;
          break;
        }
      }
      return found;
    } finally {
      this.found.clear(); // what was asked before must not change the answer
    }
  }

  /**
   * @param {number[]} seeds
   * @param {number} own
   * @param {number} depth
   * @param {number} alpha
   * @param {number} beta
   * @returns {Found}
   */
  _margin(seeds, own, depth, alpha, beta) {
    if (isEmpty(seeds, own)) return { margin: -sum(seeds), proven: true };
    const known = this.leaf(seeds, own);
    if (known !== null) return { margin: known, proven: true };
    if (depth === 0) return { margin: 0, proven: false };
    if (this.positions >= this.most) throw new TooFar();
    if (this.most < Infinity && this.until < Infinity && Date.now() > this.until) throw new TooFar();
    this.positions += 1;
    const key = `${own}:${seeds.join()}`;
    const before = this.found.get(key);
    if (before !== undefined && before.searched >= depth) {
      const { kind, margin, searched } = before;
      const settles =
        kind === EXACT ||
        (kind === AT_LEAST && margin >= beta) ||
        (kind === AT_MOST && margin <= alpha);
      if (settles) return { margin, proven: searched === TO_THE_END };
    }
    let best = -FAR;
    let proven = true;
    const other = seeds.length - own;
    for (const { gain, after, most } of this._children(key, seeds, own)) {
      const floor = Math.max(alpha, best);
      if (most <= floor) {
        best = Math.max(best, most);
        continue;
      }
      const found = this._margin(after, other, depth - 1, gain - beta, gain - floor);
      best = Math.max(best, gain - found.margin);
      if (best >= beta) {
        proven = found.proven;
        break;
      }
      proven &&= found.proven;
    }
    const kind = best >= beta ? AT_LEAST : best > alpha ? EXACT : AT_MOST;
    this.found.set(key, { searched: proven ? TO_THE_END : depth, margin: best, kind });
    return { margin: best, proven };
  }

  /**
   * Return what each move leads to, those with the greatest gain first.
   *
   * @param {string} key
   * @param {number[]} seeds
   * @param {number} own
   */
  _children(key, seeds, own) {
    let children = this.known.get(key);
    if (children === undefined) {
      if (this.known.size > REMEMBERED) this.known.clear();
      children = [];
      for (let hole = 0; hole < own; hole++) {
        if (seeds[hole] === 0) continue;
        const { gain, after } = playedHole(seeds, own, hole, this.skipped);
        children.push({ gain, after, most: gain + sum(after) });
      }
      children.sort((a, b) => b.gain - a.gain);
      this.known.set(key, children);
    }
    return children;
  }
}
