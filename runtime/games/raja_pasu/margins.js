/**
 * The exact margins of the rounds with one number of closed holes, as an export holds them.
 *
 * A position is told by its pattern (the holes with more than three seeds, and how many holes are
 * the mover's) and its code among the positions of the pattern.
 */

import { mustHold, mustNumberStates } from "./export.js";
import { isEmpty, sum } from "./sowing.js";

/** @import { Manifest, Numbers, Opened } from "./export.js" */

/**
 * @typedef {object} RajaPasuFacts
 * @property {number} holes
 * @property {number} row
 * @property {number} pasu
 * @property {number} seeds_a_hole
 * @property {number} most_rounds
 * @property {number} [few] of an export for play: all boards of so many seeds are known
 *
 * @typedef {{ origin: "sown" | "skipped", closed?: number }} TableOptions
 * @typedef {Manifest & { options: TableOptions, raja_pasu: RajaPasuFacts }} RajaPasuManifest
 */

const UNKNOWN = 127; // stands for a margin of few seeds that is not known
const BLOCK = 64; // codes from one entry of the index to the next

export class Margins {
  /**
   * @param {Opened<RajaPasuManifest>} opened
   * @param {string} [end] what the names of the arrays end in.
   */
  constructor({ manifest, arrays }, end = "") {
    mustNumberStates(manifest, 1);
    const { pasu, few = 0, row } = manifest.raja_pasu;
    this.pasu = pasu;
    this.row = row;
    this.few = few;
    /** @type {Map<string, number>} */
    this.patterns = new Map();
    const [count, width] = manifest.arrays[`patterns${end}`].shape;
    const patterns = arrays[`patterns${end}`];
    for (let at = 0; at < count; at++) {
      this.patterns.set(patterns.subarray(at * width, (at + 1) * width).join(), at);
    }
    this.first = arrays[`first${end}`];
    this.values = arrays[`values${end}`];
    this.gaps = arrays[`gaps${end}`];
    this.moves = arrays[`moves${end}`]; // of an export for play
    this.fewMargins = arrays[`few${end}`];
    const { first, values } = this;
    mustHold(first[0] === 0 && first[count] === values.length, "arrays: a pattern for each value");
    mustHold(first.every((at, n) => n === 0 || first[n - 1] <= at), "arrays: patterns in order");
    mustHold(few === 0 || this.fewMargins.length > 0, "arrays: boards of few seeds");
    this.blocks = this._blocks();
  }

  /** Note every 64th code of each pattern and where in `gaps` the next one begins. */
  _blocks() {
    const { gaps, first } = this;
    const patterns = first.length - 1;
    const starts = new Uint32Array(patterns + 1);
    for (let at = 0; at < patterns; at++) {
      starts[at + 1] = starts[at] + Math.ceil((first[at + 1] - first[at]) / BLOCK);
    }
    const codes = new Uint32Array(starts[patterns]);
    const bytes = new Uint32Array(starts[patterns]);
    let byte = 0;
    let block = 0;
    for (let at = 0; at < patterns; at++) {
      let code = 0;
      const count = first[at + 1] - first[at];
      for (let i = 0; i < count; i++) {
        let value = gaps[byte++];
        if (value > 127) {
          value -= 128;
          let weight = 128;
          for (;;) {
            mustHold(byte < gaps.length, "arrays: a gap for each value");
            const more = gaps[byte++];
            value += (more & 127) * weight;
            if (more < 128) break;
            weight *= 128;
          }
        }
        code += value;
        if (i % BLOCK === 0) {
          codes[block] = code;
          bytes[block++] = byte;
        }
      }
    }
    return { starts, codes, bytes };
  }

  /**
   * Return the mover's margin of a position, null if the table does not hold it.
   *
   * @param {number[]} seeds the mover's holes first
   * @param {number} own how many of them are the mover's
   */
  margin(seeds, own) {
    const left = sum(seeds);
    if (isEmpty(seeds, own)) return -left;
    if (left <= this.few) {
      const half = own === this.row ? 0 : this.fewMargins.length / 2;
      const margin = this.fewMargins[half + fewNumber(seeds)];
      if (margin !== UNKNOWN) return margin;
    }
    const at = this.place(seeds, own);
    return at < 0 ? null : this.values[at];
  }

  /**
   * Return the place among the mover's holes of the one that expert plays, -1 if it is not told.
   *
   * @param {number[]} seeds
   * @param {number} own
   */
  move(seeds, own) {
    const at = this.moves === undefined ? -1 : this.place(seeds, own);
    return at < 0 ? -1 : this.moves[at];
  }

  /**
   * Return the place of a position among the values, -1 if it is not there.
   *
   * @param {number[]} seeds
   * @param {number} own
   */
  place(seeds, own) {
    let code = 0;
    let weight = 1;
    const pattern = [];
    for (const held of seeds) {
      if (held < this.pasu) {
        code += held * weight;
        weight *= 4;
      }
      pattern.push(held < this.pasu ? 0 : held);
    }
    pattern.push(own);
    const number = this.patterns.get(pattern.join());
    return number === undefined ? -1 : this._find(number, code);
  }

  /**
   * Return the place of a code of a pattern among the values, -1 if it is not there.
   *
   * @param {number} number
   * @param {number} code
   */
  _find(number, code) {
    const { gaps, first } = this;
    const { starts, codes, bytes } = this.blocks;
    let low = starts[number];
    let high = starts[number + 1] - 1;
    if (high < low || code < codes[low]) return -1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (codes[middle] <= code) low = middle;
      else high = middle - 1;
    }
    let at = first[number] + (low - starts[number]) * BLOCK;
    let found = codes[low];
    let byte = bytes[low];
    const end = Math.min(at + BLOCK, first[number + 1]);
    while (found < code && ++at < end) {
      let weight = 1;
      for (;;) {
        const more = gaps[byte++];
        found += (more & 127) * weight;
        if (more < 128) break;
        weight *= 128;
      }
    }
    return found === code && at < end ? at : -1;
  }
}

/**
 * Return the number of a board among those with few seeds: the sum over j of C(q_j + j - 1, j),
 * q_j being the seeds of the last j holes.
 *
 * @param {number[]} seeds
 */
function fewNumber(seeds) {
  let held = 0;
  let number = 0;
  for (let j = 1; j <= seeds.length; j++) {
    held += seeds[seeds.length - j];
    let ways = held > 0 ? 1 : 0;
    // C(held + j - 1, j) = C(held + j - 1, held - 1).
    for (let i = 1; i < held; i++) ways = (ways * (j + i)) / i;
    number += ways;
  }
  return number;
}
