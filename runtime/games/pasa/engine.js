/**
 * Plays pasa from an export: the equilibrium of one table.
 *
 * The table holds every seat's win share between throws.  The bets of one throw are a small
 * tree: each seat picks the bet with its largest own share, knowing what the seats after it
 * will do, and the smallest of equals.  Where the rounding of the shares would change which
 * bets are best, the export holds those bets, so they are everywhere those of the exact table.
 *
 *     import { open } from "./pasa.js";
 *     const game = open(manifest, values);       // the text or object, and the bytes
 *     game.ask(position);                        // {best, value, unit, options, win_shares}
 *
 * Positions and moves are those of `ustad ask`: {"game": "pasa", "stacks": [10, 10, 10, 10],
 * "thrower": 0, "turns_left": 8, "bets": [null, 3, null, null]}.
 */

import {
  checkGame,
  checkKeys,
  isList,
  isWhole,
  mustHold,
  opened,
  openExport,
  refuse,
  unitOf,
} from "./export.js";

export { ExportError, parseManifest } from "./export.js";

/** @import { Answer, Manifest, Opened, Rounded } from "./export.js" */

/**
 * @typedef {object} PasaRules
 * @property {number} players
 * @property {number} chips
 * @property {"share" | "first_come"} cap
 * @property {number | null} max_bet
 * @property {"buttons" | "all"} menu
 *
 * @typedef {object} PasaFacts
 * @property {number} turns
 * @property {number} splits how many ways the chips lie
 * @property {number} least_chips
 * @property {number} width most bets of a seat
 * @property {number} paths nodes of a throw
 * @property {number} tie
 *
 * @typedef {{ options: PasaRules, pasa: PasaFacts, arrays: { values: Rounded } }} PasaKeys
 * @typedef {Manifest & PasaKeys} PasaManifest
 *
 * @typedef {object} PasaPosition
 * @property {"pasa"} game
 * @property {Record<string, unknown>} [options]
 * @property {number[]} stacks
 * @property {number} thrower
 * @property {number} turns_left
 * @property {(number | null)[]} bets
 *
 * @typedef {{ move: { bet: number }, value: number }} PasaOption
 * @typedef {Answer<PasaOption> & { win_shares: number[] }} PasaAnswer
 */

/**
 * Open an export of pasa; a damaged one is refused.
 *
 * @param {unknown} manifest
 * @param {unknown} values
 */
export function open(manifest, values) {
  return opened(() => new PasaTable(openExport(manifest, "pasa.js", values)));
}

const KEYS = ["game", "options", "stacks", "thrower", "turns_left", "bets"];

export class PasaTable {
  /** @param {Opened<PasaManifest>} opened */
  constructor({ manifest, arrays }) {
    this.manifest = manifest;
    this.arrays = arrays;
    this.rules = manifest.options;
    const { players, chips } = manifest.options;
    this.players = players;
    this.chips = chips;
    const { turns, splits } = manifest.pasa;
    const { shape } = manifest.arrays.values;
    mustHold(shape.join() === [turns, splits, players].join(), "pasa: as many shares as states");
    mustHold(isWhole(players, 2, 16) && isWhole(chips, 2, splits), "options: players and chips");
    // binomial[j][q] is C(q + j - 1, j).
    /** @type {number[][]} */
    this.binomial = [new Array(chips + 2).fill(1)];
    for (let j = 1; j <= players; j++) {
      const row = [0];
      for (let q = 1; q <= chips + 1; q++) row.push(row[q - 1] + this.binomial[j - 1][q]);
      this.binomial.push(row);
    }
  }

  /**
   * Return the best bet and every legal bet with the mover's win share after it, best first,
   * and in `win_shares` every seat's share if the best bet is made.  Where no bet is to be
   * made `value` is the share of the seat with the dice.
   *
   * @param {PasaPosition} position
   * @returns {PasaAnswer}
   */
  ask(position, level = "expert") {
    const { stacks, thrower, turns, bets, over } = this._read(position);
    const seats = this.players;
    const unit = unitOf(this.manifest, level);
    /** @param {number[]} shares */
    const bySeat = (shares) => stacks.map((_, seat) => shares[(seat - thrower + seats) % seats]);
    if (over) {
      const shares = winShares(stacks);
      return { best: [], value: shares[thrower], unit, options: [], win_shares: shares };
    }
    const turned = [...stacks.slice(thrower), ...stacks.slice(0, thrower)];
    const throwOf = new Throw(this, turned, turns);
    const path = bets.reduce((found, bet, at) => throwOf.step(found, bets.slice(0, at), bet), 0);
    const { shares, places, after } = throwOf.solve(bets, path);
    const result = { win_shares: bySeat(shares) };
    if (places.length === 0) return { best: [], value: shares[0], unit, options: [], ...result };
    const seat = throwOf.bettors[bets.length];
    const legal = throwOf.legal(bets);
    const options = legal.map((bet, at) => ({ move: { bet }, value: after[at][seat] }));
    const best = places.map((at) => options[at]);
    const others = options.filter((option) => !best.includes(option));
    others.sort((a, b) => b.value - a.value);
    best.sort((a, b) => b.value - a.value);
    return {
      best: places.map((at) => options[at].move),
      value: shares[seat],
      unit,
      options: [...best, ...others],
      ...result,
    };
  }

  /**
   * Return the best bet, the smallest of equals, null where none is to be made.
   *
   * @param {PasaPosition} position
   */
  bestMove(position, level = "expert") {
    return this.ask(position, level).best[0] ?? null;
  }

  /**
   * Return the places of the best bets that are stored for a node, none if none are.
   *
   * @param {number} node
   */
  storedBets(node) {
    const { stored_nodes: nodes, stored_bets: bets } = this.arrays;
    let low = 0;
    let high = nodes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (nodes[middle] < node) low = middle + 1;
      else high = middle;
    }
    /** @type {number[]} */
    const found = [];
    for (; nodes[low] === node; low++) found.push(bets[low]);
    return found;
  }

  /**
   * Return the row of a split of the chips, the thrower's stack first.
   *
   * @param {number[]} stacks
   */
  row(stacks) {
    let held = 0;
    let number = 0;
    for (let j = 1; j < stacks.length; j++) {
      held += stacks[stacks.length - j];
      number += this.binomial[j][held];
    }
    const total = held + stacks[0];
    const least = this.manifest.pasa.least_chips;
    // Splits of fewer chips stand before: C(q + N - 1, N - 1) for q from the least.
    return number + this.binomial[this.players][total] - this.binomial[this.players][least];
  }

  /**
   * Return the shares between throws, the thrower's first.
   *
   * @param {number} row
   * @param {number} turns
   */
  shares(row, turns) {
    const { scale, offset } = this.manifest.arrays.values;
    const start = ((turns - 1) * this.manifest.pasa.splits + row) * this.players;
    /** @type {number[]} */
    const found = new Array(this.players);
    for (let seat = 0; seat < this.players; seat++) {
      found[seat] = offset + scale * this.arrays.values[start + seat];
    }
    return found;
  }

  // Reading positions.

  /** @param {unknown} position */
  _read(position) {
    const { players, chips } = this;
    const { turns: mostTurns, least_chips: least } = this.manifest.pasa;
    checkKeys(position, "position", KEYS);
    checkGame(this.manifest, position);
    const { stacks, thrower, turns_left: turns, bets } = position;
    if (!isList(stacks, players, players, (stack) => isWhole(stack, 0, chips))) {
      refuse("stacks", `the chips of ${players} seats, whole numbers`, stacks);
    }
    const total = stacks.reduce((sum, stack) => sum + stack, 0);
    if (total < least || total > chips) {
      refuse("stacks", `${least} to ${chips} chips on the table`, total);
    }
    if (!isWhole(thrower, 0, players - 1)) refuse("thrower", "a seat", thrower);
    if (!isWhole(turns, 0, mostTurns)) refuse("turns_left", `at most ${mostTurns}`, turns);
    const over = turns === 0 || Math.max(...stacks) === total;
    if (!over && stacks[thrower] === 0) refuse("thrower", "a seat with chips", thrower);
    if (!Array.isArray(bets) || bets.length !== players) {
      refuse("bets", `a list of ${players}, one a seat`, bets);
    }
    const made = this._readBets(stacks, thrower, turns, bets, over);
    return { stacks, thrower, turns, over, bets: made };
  }

  /**
   * Return the bets made, in the order of betting, seats without chips left out.
   *
   * @param {number[]} stacks
   * @param {number} thrower
   * @param {number} turns
   * @param {unknown[]} bets
   * @param {boolean} over
   */
  _readBets(stacks, thrower, turns, bets, over) {
    const { players } = this;
    /** @type {number[]} */
    const made = [];
    const turned = [...stacks.slice(thrower), ...stacks.slice(0, thrower)];
    const throwOf = new Throw(this, turned, turns);
    let waits = over;
    for (let step = 0; step < players; step++) {
      const seat = (thrower + step) % players;
      const bet = bets[seat];
      if (step === 0) {
        if (bet !== null) refuse(`bets[${seat}]`, "null, since the seat has the dice", bet);
      } else if (stacks[seat] === 0) {
        if (bet !== 0) refuse(`bets[${seat}]`, "0, since the seat has no chips", bet);
      } else if (waits || bet === null) {
        if (bet !== null) refuse(`bets[${seat}]`, "null, since nobody bets before its turn", bet);
        waits = true;
      } else {
        const legal = throwOf.legal(made);
        const found = legal.find((one) => one === bet);
        if (found === undefined) refuse(`bets[${seat}]`, `one of ${legal.join(", ")}`, bet);
        made.push(found);
      }
    }
    return made;
  }
}

/** The bets of one throw. */
class Throw {
  /**
   * @param {PasaTable} table
   * @param {number[]} stacks the thrower's first
   * @param {number} turns
   */
  constructor(table, stacks, turns) {
    this.table = table;
    this.stacks = stacks;
    this.turns = turns;
    this.row = -1; // found when it is needed
    this.bettors = stacks.map((_, seat) => seat).filter((seat) => seat > 0 && stacks[seat] > 0);
  }

  /**
   * Return what the next seat may bet once these bets are made, ascending.
   *
   * @param {number[]} bets
   */
  legal(bets) {
    const { cap, max_bet: maximum, menu } = this.table.rules;
    const covered = bets.reduce((sum, bet) => sum + bet, 0);
    let most = Math.min(this.stacks[this.bettors[bets.length]], this.stacks[0] - covered);
    if (maximum !== null) most = Math.min(most, maximum);
    if (cap === "share") {
      const share = Math.floor(this.stacks[0] / this.bettors.length);
      most = Math.min(most, Math.max(1, share));
    }
    if (most === 0) return [0];
    if (menu === "all") return Array.from({ length: most }, (_, at) => at + 1);
    const found = [1];
    for (const bet of [Math.floor(most / 4), Math.floor(most / 2), most]) {
      if (bet > found[found.length - 1]) found.push(bet);
    }
    return found;
  }

  /**
   * Return the path after one more bet.
   *
   * @param {number} path
   * @param {number[]} bets
   * @param {number} bet
   */
  step(path, bets, bet) {
    return this.table.manifest.pasa.width * path + 1 + this.legal(bets).indexOf(bet);
  }

  /**
   * Return every seat's share, the thrower's first, once these bets are made and the others
   * play their best; the places of the next seat's best bets, none if every bet is made; and
   * the shares after each of its bets.
   *
   * @param {number[]} bets
   * @param {number} path
   * @returns {{ shares: number[], places: number[], after: number[][] }}
   */
  solve(bets, path) {
    if (bets.length === this.bettors.length) {
      return { shares: this._afterThrow(bets), places: [], after: [] };
    }
    const seat = this.bettors[bets.length];
    const { width, tie } = this.table.manifest.pasa;
    const after = this.legal(bets).map(
      (bet, at) => this.solve([...bets, bet], width * path + 1 + at).shares,
    );
    let places = this.table.storedBets(this._node(path));
    if (places.length === 0) {
      const least = Math.max(...after.map((shares) => shares[seat])) - tie;
      places = [...after.keys()].filter((at) => after[at][seat] >= least);
    }
    return { shares: after[places[0]], places, after };
  }

  /** @param {number} path */
  _node(path) {
    const { splits, paths } = this.table.manifest.pasa;
    if (this.row < 0) this.row = this.table.row(this.stacks);
    return ((this.turns - 1) * splits + this.row) * paths + path;
  }

  /**
   * Return every seat's share once all bets are made: half paro, half tiro.
   *
   * @param {number[]} bets
   */
  _afterThrow(bets) {
    const taken = [...this.stacks];
    const paid = [...this.stacks];
    bets.forEach((bet, at) => {
      const seat = this.bettors[at];
      taken[seat] -= bet;
      taken[0] += bet;
      paid[seat] += bet;
      paid[0] -= bet;
    });
    const next = [...paid.slice(1), paid[0]];
    const paro = this.table.shares(this.table.row(taken), this.turns);
    const tiro =
      this.turns > 1
        ? this.table.shares(this.table.row(next), this.turns - 1)
        : winShares(next);
    return paro.map((share, seat) => 0.5 * (share + tiro[(seat || tiro.length) - 1]));
  }
}

/**
 * Return each seat's share of the win: the largest stack wins, equals share it.
 *
 * @param {number[]} stacks
 */
function winShares(stacks) {
  const most = Math.max(...stacks);
  const share = 1 / stacks.filter((stack) => stack === most).length;
  return stacks.map((stack) => (stack === most ? share : 0));
}
