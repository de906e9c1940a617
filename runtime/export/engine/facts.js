/**
 * What speaks for moves, joined to one sentence; and numbers as Python writes them.
 *
 * A sentence says nothing that is not a number told beside it, or a value.
 */

/** @import { Advice, Facts, Option } from "./engine.js" */

const TIE = 1e-9;

/** What rounds to 0.00 is not worth a word. */
const LEAST_TOLD = 0.005;

/**
 * Return a number with so many decimals; what lies in the middle goes to the even digit.
 *
 * @param {number} number
 * @param {number} digits
 */
export function fixed(number, digits) {
  const halves = Math.abs(number) * 2 ** (digits + 1);
  if (halves % 2 !== 1) return number.toFixed(digits);
  const scaled = Math.abs(number) * 10 ** digits;
  return ((Math.sign(number) * 2 * Math.round(scaled / 2)) / 10 ** digits).toFixed(digits);
}

/**
 * Return a share as a percentage.
 *
 * @param {number} share
 * @param {number} digits
 */
export const percent = (share, digits) => `${fixed(100 * share, digits)}%`;

/** Return a number with two decimals, or two digits that are not 0. @param {number} number */
export function told(number) {
  if (Math.abs(number) >= LEAST_TOLD || number === 0) return fixed(number, 2);
  const [digits, power] = number.toExponential(1).replace(".0", "").split("e-");
  if (Number(power) <= 4) return String(Number(number.toPrecision(2)));
  return `${digits}e-${power.padStart(2, "0")}`;
}

/**
 * Return what speaks for options: the numbers of those wanted, by their places, and a sentence.
 *
 * @param {Facts} facts
 * @param {Advice} advice
 * @param {number} [top] how many options are wanted.
 * @param {Option} [asked] one that is asked about.
 */
export function explain(facts, { best: tied, value, options }, top, asked) {
  /** @type {Map<number, any>} */
  const of = new Map();
  if (options.length === 0) return { of, why: null };
  const best = options[0];
  const behind = options.find(({ move }) => !tied.includes(move));
  const others = [...new Set([behind, asked])].filter((option) => option !== undefined);
  for (const option of [...options.slice(0, top), best, ...others]) {
    const at = options.indexOf(option);
    if (!of.has(at)) of.set(at, facts.of(option.move));
  }
  /** @param {Option} option */
  const numbers = (option) => of.get(options.indexOf(option));
  const parts = [`${facts.describe(best.move)} ${facts.speaksFor(numbers(best))}`];
  if (behind === undefined) {
    parts.push(options.length > 1 ? "every other move is as good" : "it is the only move");
  }
  for (const option of others) {
    if (tied.includes(option.move) || Math.abs(value - option.value) <= TIE) {
      if (option !== best && behind) parts.push(`${facts.describe(option.move)} is as good`);
    } else {
      const lost = facts.givesUp(value - option.value, numbers(best), numbers(option));
      parts.push(`${facts.describe(option.move)} ${lost}`);
    }
  }
  return { of, why: parts.join("; ") };
}
