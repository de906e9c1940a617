/**
 * Levels between: a level at a strength plays its move some of the time, and else one that costs
 * something, the less often the more it costs; `runtime/core/strength.py` says how and why.
 */

import { shown, UstadError } from "./errors.js";

/** @import { Chance } from "./chance.js" */
/** @import { Advice, Game } from "./engine.js" */

/**
 * What moves may cost in a unit, and how many times more those of level easy cost.
 *
 * @typedef {{ temperature: number, most: number, easy: number }} Scale
 */

/** Return the strength, or an error. @param {unknown} strength */
export function checkStrength(strength) {
  if (typeof strength === "number" && strength >= 0 && strength <= 1) return strength;
  const told = `expected a number from 0 to 1, got ${shown(strength)}`;
  throw new UstadError("usage", `strength: ${told}`);
}

/**
 * Return the level that rates the moves for a level: itself if it knows the game's values.
 *
 * @param {Game} game
 * @param {string} level
 */
export function ratingLevel({ units }, level) {
  const known = Object.values(units);
  return level === "expert" || known.includes(level) ? level : (known[0] ?? "expert");
}

/** A strength on the scales of a game. */
export class Between {
  /**
   * @param {Record<string, Scale>} scales by unit; none are known where there is no package.
   * @param {number} strength
   */
  constructor(scales, strength) {
    const all = Object.values(scales);
    if (all.length === 0) {
      throw new UstadError("usage", "strength: expected none, since no package tells what it means");
    }
    this.scales = scales;
    this.strength = strength;
    const easy = Math.max(...all.map((scale) => scale.easy));
    this.byLevel = 1 - Math.min(1, (1 - strength) * easy);
  }

  /**
   * Return how likely each move is where the level's is not played, in the rules' order.
   *
   * @param {Game} game
   * @param {any} view
   * @param {Advice} advice of who rates the moves.
   * @returns {[any, number][]}
   */
  falls(game, view, { options, unit }) {
    const { temperature, most } = this.scales[unit];
    const key = (/** @type {any} */ move) => JSON.stringify(game.writeMove(move));
    const values = new Map(options.map(({ move, value }) => [key(move), value]));
    const top = Math.max(...values.values());
    /** @type {[any, number][]} */
    const weights = [];
    for (const move of game.legal(view)) {
      const cost = top - (values.get(key(move)) ?? -Infinity);
      if (cost === Infinity || (this.strength > 0 && cost > most)) continue;
      weights.push([move, Math.exp(-cost / temperature)]);
    }
    const total = weights.reduce((sum, [, weight]) => sum + weight, 0);
    return weights.map(([move, weight]) => [move, weight / total]);
  }

  /**
   * Return the move that is played.
   *
   * @param {Game} game
   * @param {any} view
   * @param {Chance} chance
   * @param {() => any} ofLevel
   * @param {() => Advice} advice
   */
  choose(game, view, chance, ofLevel, advice) {
    if (chance.fraction() < this.byLevel) return ofLevel();
    return chance.outcome(this.falls(game, view, advice()));
  }

  /**
   * Return some advice, with how likely each of its moves is.
   *
   * @param {Game} game
   * @param {any} view
   * @param {Advice} advice
   * @param {any} ofLevel the level's move
   * @returns {Advice}
   */
  told(game, view, advice, ofLevel) {
    const key = (/** @type {any} */ move) => JSON.stringify(game.writeMove(move));
    const falls = new Map(this.falls(game, view, advice).map(([move, share]) => [key(move), share]));
    const played = key(ofLevel);
    const options = advice.options.map((option) => {
      const name = key(option.move);
      const free = (1 - this.byLevel) * (falls.get(name) ?? 0);
      return { ...option, probability: free + (name === played ? this.byLevel : 0) };
    });
    return { ...advice, options };
  }
}
