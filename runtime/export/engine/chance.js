/**
 * Chance from a seed: the draw of `ustad.runtime.core.chance`, written again.
 *
 * The text is the canonical JSON (keys sorted, no spaces, ASCII) of [seed, method, position].
 * Block i = 0, 1, ... is the SHA-256 of the text followed by # and i; it gives eight words of 32
 * bits, and everything is made of these.
 */

/** Stand where a seat would stand that is to move: chance is to fall, or the game is over. */
export const CHANCE = -1;
export const OVER = -4;

export const LEVELS = ["easy", "medium", "hard", "expert"];

import { digestWords, utf8 } from "./digest.js";

/** Seeds that are drawn afresh are below this. */
const FRESH_SEEDS = 2 ** 53;

const WORDS = 2 ** 32;

/** Return a seed that nobody has chosen. */
export function freshSeed() {
  const source = /** @type {{ crypto?: any }} */ (globalThis).crypto;
  if (!source || typeof source.getRandomValues !== "function") {
    return Math.floor(Math.random() * FRESH_SEEDS);
  }
  const [high, low] = source.getRandomValues(new Uint32Array(2));
  return (high >>> 11) * WORDS + low;
}

/**
 * Return canonical JSON: keys sorted, no spaces, ASCII.
 *
 * @param {unknown} value
 * @returns {string}
 */
export function canonical(value) {
  if (typeof value === "string") {
    return JSON.stringify(value).replace(
      /[\u007f-\uffff]/g,
      (letter) => `\\u${`000${letter.charCodeAt(0).toString(16)}`.slice(-4)}`,
    );
  }
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const held = /** @type {Record<string, unknown>} */ (value);
  const pairs = Object.keys(held)
    .sort()
    .map((key) => `${canonical(key)}:${canonical(held[key])}`);
  return `{${pairs.join(",")}}`;
}

/** Random numbers that follow from seed, method and position alone. */
export class Chance {
  /**
   * @param {number} seed
   * @param {string} method what it is drawn for.
   * @param {unknown} position where it is drawn, as JSON.
   */
  constructor(seed, method, position) {
    this.text = canonical([seed, method, position]);
    this.blocks = 0;
    /** @type {number[]} */
    this.words = [];
  }

  /** Return the next whole number below 2^32. */
  word() {
    if (this.words.length === 0) {
      this.words = [...digestWords(utf8(`${this.text}#${this.blocks++}`))].reverse();
    }
    return /** @type {number} */ (this.words.pop());
  }

  /**
   * Return a whole number from 0 to `count` - 1, each equally likely.
   *
   * @param {number} count
   */
  below(count) {
    const fair = Math.floor(WORDS / count) * count;
    for (;;) {
      const word = this.word();
      if (word < fair) return word % count;
    }
  }

  /** Return a number from 0 to below 1. */
  fraction() {
    const high = this.word() >>> 5;
    const low = this.word() >>> 6;
    return (high * 2 ** 26 + low) / 2 ** 53;
  }

  /**
   * Return one of the items, each equally likely.
   *
   * @template T
   * @param {T[]} items
   */
  choice(items) {
    return items[this.below(items.length)];
  }

  /**
   * Return one of the outcomes, each with its probability.
   *
   * @template T
   * @param {[T, number][]} outcomes
   */
  outcome(outcomes) {
    /** @type {number[]} */
    const sums = [];
    let sum = 0;
    for (const [, probability] of outcomes) sums.push((sum += probability));
    const reached = this.fraction() * sum;
    const first = sums.findIndex((total) => total > reached);
    return outcomes[first < 0 ? outcomes.length - 1 : first][0];
  }

  /**
   * Return the items in random order.
   *
   * @template T
   * @param {T[]} items
   */
  shuffled(items) {
    const order = [...items];
    for (let at = order.length - 1; at > 0; at--) {
      const other = this.below(at + 1);
      [order[at], order[other]] = [order[other], order[at]];
    }
    return order;
  }
}
