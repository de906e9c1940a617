/**
 * Pasa in the phone engine: the rules, the four levels, and the equilibrium of its tables.
 *
 * A table holds every seat's win share between throws.  The bets of one throw are a small
 * tree: each seat picks the bet with its largest own share, knowing what the seats after it
 * will do, and the smallest of equals.  Where the rounding of the shares would change which
 * bets are best, the export holds those bets, so they are everywhere those of the exact table.
 *
 *     import { open } from "./pasa.js";
 *     const engine = open(manifest, values);     // one table: the text or object, and the bytes
 *     engine.ask(position);                      // {best, value, unit, options, win_shares}
 *
 * Positions and moves are those of `ustad ask`: {"game": "pasa", "stacks": [10, 10, 10, 10],
 * "thrower": 0, "turns_left": 8, "bets": [null, 3, null, null]}.
 */

import { CHANCE, Engine, OVER } from "./engine.js";
import { percent, told as inWords } from "./facts.js";
import { Fields, isList, isWhole, readOptions, shown, UstadError } from "./errors.js";
import { mustHold, mustNumberStates, opened, openExport, ranked } from "./export.js";

export { ExportError, parseManifest } from "./export.js";

/** @import { Chance } from "./chance.js" */
/** @import { Advice, Facts, Game, Judge } from "./engine.js" */
/** @import { JsonObject } from "./errors.js" */
/** @import { Manifest, Opened, Rounded } from "./export.js" */

/**
 * The options that a position depends on, and those of a new game.
 *
 * @typedef {object} PasaRules
 * @property {"share" | "first_come"} cap
 * @property {number | null} max_bet
 * @property {"buttons" | "all"} menu
 * @property {number | null} [stack]
 * @property {number} [laps]
 *
 * @typedef {PasaRules & { players: number, chips: number, laps: number }} TableOptions
 *
 * @typedef {object} PasaFacts
 * @property {number} turns
 * @property {number} splits how many ways the chips lie
 * @property {number} least_chips
 * @property {number} width most bets of a seat
 * @property {number} paths nodes of a throw
 * @property {number} tie
 *
 * @typedef {{ options: TableOptions, pasa: PasaFacts, arrays: { values: Rounded } }} PasaKeys
 * @typedef {Manifest & PasaKeys} PasaManifest
 *
 * A position; the bets are null for the thrower and for seats still to bet.
 *
 * @typedef {object} State
 * @property {PasaRules} rules
 * @property {number[]} stacks
 * @property {number} thrower
 * @property {number} turnsLeft
 * @property {(number | null)[]} bets
 *
 * @typedef {"paro" | "tiro" | "bachyo"} Result
 */

/**
 * Open an export of pasa; a damaged one is refused.
 *
 * @param {unknown} manifest
 * @param {unknown} values
 */
export function open(manifest, values) {
  return opened(() => new Engine(new Pasa([openExport(manifest, "pasa.js", values)])));
}

const FACES = [1, 2, 5, 6];
const DICE = 3;
const PARO = [13, 15, 17, 18];
const TIRO = [3, 4, 6, 9];
const NAMED = /** @type {Record<string, string>} */ ({ "2,2,2": "halhale", "1,6,6": "tike_tehra" });
const NO_MAXIMUM = 1e9;
const MOST_CHIPS = 100_000;

/** Each seat's stakes at the start where nobody says, by the number of seats. */
const USUAL_STACKS = /** @type {Record<number, number>} */ ({ 2: 10, 3: 20, 4: 10, 5: 5, 6: 3 });

/** @param {number[]} numbers */
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** The throws, faces in ascending order, with their chances. @type {[number[], number][]} */
const THROWS = [];
for (const a of FACES) {
  for (const b of FACES.filter((face) => face >= a)) {
    for (const c of FACES.filter((face) => face >= b)) {
      const kinds = new Set([a, b, c]).size;
      THROWS.push([[a, b, c], [0, 1, 3, 6][kinds] / FACES.length ** DICE]);
    }
  }
}

/**
 * Return what a throw brings.
 *
 * @param {number[]} faces
 * @returns {Result}
 */
function resultOf(faces) {
  if (PARO.includes(sum(faces))) return "paro";
  return TIRO.includes(sum(faces)) ? "tiro" : "bachyo";
}

/**
 * Return the legal bets in ascending order where so much is allowed.
 *
 * @param {string} menu
 * @param {number} most
 */
function legalBets(menu, most) {
  if (most === 0) return [0];
  if (menu === "all") return Array.from({ length: most }, (_, at) => at + 1);
  const found = [1];
  for (const bet of [Math.floor(most / 4), Math.floor(most / 2), most]) {
    if (bet > found[found.length - 1]) found.push(bet);
  }
  return found;
}

/**
 * Return what a seat may bet, ascending.
 *
 * @param {PasaRules} rules
 * @param {number} throwerStack
 * @param {number} bettors how many other seats have chips.
 * @param {number} stack of the seat that bets.
 * @param {number} covered the sum of the bets made before in this throw.
 */
function betsOf({ cap, max_bet: maximum, menu }, throwerStack, bettors, stack, covered) {
  let most = Math.min(stack, maximum ?? NO_MAXIMUM, throwerStack - covered);
  if (cap === "share") most = Math.min(most, Math.max(1, Math.floor(throwerStack / bettors)));
  return legalBets(menu, most);
}

/** @param {number[]} bets */
const betsInWords = (bets) =>
  bets.length > 8 ? `${bets[0]} to ${bets[bets.length - 1]}` : bets.join(", ");

/**
 * Return the bets before anyone has bet.
 *
 * @param {number[]} stacks
 * @param {number} thrower
 */
const noBets = (stacks, thrower) =>
  stacks.map((stack, seat) => (stack > 0 || seat === thrower ? null : 0));

/**
 * Return the position before the first bet of a throw, turns of seats without chips skipped.
 *
 * @param {PasaRules} rules
 * @param {number[]} stacks
 * @param {number} thrower
 * @param {number} turnsLeft
 * @returns {State}
 */
function startThrow(rules, stacks, thrower, turnsLeft) {
  let [seat, turns] = [thrower, turnsLeft];
  while (turns > 0 && stacks[seat] === 0 && Math.max(...stacks) < sum(stacks)) {
    seat = (seat + 1) % stacks.length;
    turns -= 1;
  }
  return { rules, stacks, thrower: seat, turnsLeft: turns, bets: noBets(stacks, seat) };
}

/** @param {State} state */
const isOver = ({ stacks, turnsLeft }) => turnsLeft === 0 || Math.max(...stacks) === sum(stacks);

/**
 * Return the seats that bet in this throw, in order, without those that have no chips.
 *
 * @param {State} state
 */
const bettorsOf = ({ stacks, thrower }) =>
  stacks
    .slice(1)
    .map((_, step) => (thrower + step + 1) % stacks.length)
    .filter((seat) => stacks[seat] > 0);

/**
 * Return what each seat gains by a throw with a result.
 *
 * @param {State} state
 * @param {Result} result
 */
function gainsOf({ bets, thrower }, result) {
  const sign = { paro: -1, tiro: 1, bachyo: 0 }[result];
  const gains = bets.map((bet) => sign * (bet ?? 0) + 0); // no minus 0
  gains[thrower] = 0 - sum(gains);
  return gains;
}

/** The rules and levels of pasa. @implements {Game} */
export class Pasa {
  /** @param {Opened<PasaManifest>[]} tables */
  constructor(tables) {
    const { rules, option_defaults: known } = tables[0].manifest;
    this.name = "pasa";
    this.seats = rules.players;
    this.options = rules.options;
    this.positionOptions = rules.options.filter(({ name }) => name in known);
    this.tables = tables.map((table) => new PasaTable(table));
  }

  /** @param {unknown} given */
  readRules(given) {
    return /** @type {PasaRules} */ (/** @type {unknown} */ (readOptions(this.options, given)));
  }

  /** @type {(rules: PasaRules, seats: number, first: number) => State} */
  start({ stack, laps = 2, ...rules }, seats, first) {
    const stacks = new Array(seats).fill(stack ?? USUAL_STACKS[seats]);
    return startThrow(rules, stacks, first, seats * laps);
  }

  /**
   * @param {unknown} position
   * @returns {State}
   */
  read(position) {
    /** @type {Fields} */
    const fields = new Fields(position, "position");
    fields.oneOf("game", [this.name]);
    const given = readOptions(this.positionOptions, fields.take("options", {}));
    const rules = /** @type {PasaRules} */ (/** @type {unknown} */ (given));
    const stacks = fields.take("stacks");
    /** @param {unknown} stack @returns {stack is number} */
    const isStack = (stack) => isWhole(stack, 0, NO_MAXIMUM);
    if (!isList(stacks, 0, Infinity, isStack)) {
      fields.fail("stacks", "a list with the chips of each seat, whole numbers", stacks);
    }
    const [least, most] = this.seats;
    if (!isWhole(stacks.length, least, most)) {
      fields.fail("stacks", `${least} to ${most} seats`, stacks);
    }
    if (!isWhole(sum(stacks), 1, MOST_CHIPS)) {
      fields.fail("stacks", `1 to ${MOST_CHIPS} chips in all, in stakes`, stacks);
    }
    const thrower = fields.integer("thrower", 0, stacks.length - 1);
    const turnsLeft = fields.integer("turns_left", 0, NO_MAXIMUM);
    const bets = fields.take("bets");
    fields.done();
    const state = { rules, stacks, thrower, turnsLeft, bets: noBets(stacks, thrower) };
    if (stacks[thrower] === 0 && !isOver(state)) {
      fields.fail("thrower", "a seat with chips, the turns of others are skipped", thrower);
    }
    return this._withBets(state, bets, fields);
  }

  /**
   * Return the state with bets made one after the other.
   *
   * @param {State} start
   * @param {unknown} bets
   * @param {Fields} fields
   */
  _withBets(start, bets, fields) {
    const players = start.stacks.length;
    if (!Array.isArray(bets) || bets.length !== players) {
      fields.fail("bets", `a list of ${players}, one a seat`, bets);
    }
    const over = isOver(start);
    start.bets.forEach((held, seat) => {
      const free = held === null && seat !== start.thrower && !over;
      if (!free && bets[seat] !== held) fields.fail(`bets[${seat}]`, shown(held), bets[seat]);
    });
    if (over) return start;
    let state = start;
    const bettors = bettorsOf(start);
    for (const [at, seat] of bettors.entries()) {
      if (bets[seat] === null) {
        const late = bettors.slice(at).find((one) => bets[one] !== null);
        if (late !== undefined) {
          fields.fail(`bets[${late}]`, `null, since seat ${seat} bets before it`, bets[late]);
        }
        break;
      }
      const legal = this.legal(state);
      if (!legal.includes(bets[seat])) {
        fields.fail(`bets[${seat}]`, `null or one of ${betsInWords(legal)}`, bets[seat]);
      }
      state = this.apply(state, bets[seat]);
    }
    return state;
  }

  /** @param {State} state */
  write({ rules: { cap, max_bet, menu }, stacks, thrower, turnsLeft, bets }) {
    return {
      game: this.name,
      options: { cap, max_bet, menu },
      stacks: [...stacks],
      thrower,
      turns_left: turnsLeft,
      bets: [...bets],
    };
  }

  /** @param {State} state */
  player(state) {
    if (isOver(state)) return OVER;
    return bettorsOf(state).find((seat) => state.bets[seat] === null) ?? CHANCE;
  }

  /** @param {State} state */
  legal(state) {
    const seat = this.player(state);
    if (seat < 0) return [];
    const { rules, stacks, thrower, bets } = state;
    const covered = sum(bets.map((bet) => bet ?? 0));
    return betsOf(rules, stacks[thrower], bettorsOf(state).length, stacks[seat], covered);
  }

  /** @param {unknown} move */
  readMove(move) {
    const fields = new Fields(move, "move", "move");
    const bet = fields.integer("bet", 0, NO_MAXIMUM);
    fields.done();
    return bet;
  }

  /** @param {number} bet */
  writeMove(bet) {
    return { bet };
  }

  /**
   * @param {State} state
   * @param {number} bet
   * @returns {State}
   */
  apply(state, bet) {
    const seat = this.player(state);
    if (seat < 0) throw new UstadError("move", "move: the game is over, no move is left");
    const legal = this.legal(state);
    if (!legal.includes(bet)) {
      const told = `move: bet: expected one of ${betsInWords(legal)}, got ${shown(bet)}`;
      throw new UstadError("move", told);
    }
    return { ...state, bets: state.bets.map((held, one) => (one === seat ? bet : held)) };
  }

  /** @param {unknown} outcome */
  readOutcome(outcome) {
    /** @param {unknown} face @returns {face is number} */
    const isFace = (face) => FACES.includes(/** @type {number} */ (face));
    if (!isList(outcome, DICE, DICE, isFace)) {
      const expected = `a list of ${DICE} faces of ${FACES.join(", ")}`;
      throw new UstadError("outcome", `outcome: expected ${expected}, got ${shown(outcome)}`);
    }
    return [...outcome].sort((a, b) => a - b);
  }

  outcomes() {
    return THROWS;
  }

  /**
   * @param {State} state
   * @param {number[]} faces
   * @returns {State}
   */
  applyOutcome(state, faces) {
    const result = resultOf(faces);
    if (result === "bachyo") return state;
    const { rules, stacks, thrower, turnsLeft } = state;
    const gains = gainsOf(state, result);
    const after = stacks.map((stack, seat) => stack + gains[seat]);
    if (result === "paro") return startThrow(rules, after, thrower, turnsLeft);
    return startThrow(rules, after, (thrower + 1) % stacks.length, turnsLeft - 1);
  }

  /**
   * @param {State} before
   * @param {number | number[]} step
   * @param {State} after
   */
  events(before, step, after) {
    if (typeof step === "number") return [{ seat: this.player(before), bet: step }];
    const result = resultOf(step);
    /** @type {JsonObject} */
    const event = {
      seat: before.thrower,
      thrown: [...step],
      sum: sum(step),
      result,
      gained: gainsOf(before, result),
    };
    if (step.join() in NAMED) event.named = NAMED[step.join()];
    const ended = before.turnsLeft - (result === "tiro" ? 1 : 0) - after.turnsLeft;
    const skipped = Array.from({ length: ended }, (_, at) => ({
      skipped: (before.thrower + 1 + at) % before.stacks.length,
    }));
    return [event, ...skipped];
  }

  /** @param {State} state */
  scores(state) {
    return [...state.stacks];
  }

  /** @param {State} state */
  returns(state) {
    return winShares(state.stacks);
  }

  // The levels.

  /**
   * @param {State} state
   * @param {string} level
   * @param {() => Chance} chance
   */
  choose(state, level, chance) {
    const legal = this.legal(state);
    if (level === "easy") return legal[0];
    if (level === "medium") return chance().choice(legal);
    if (level === "hard") {
      return this._isAhead(state) ? legal[0] : legal[legal.length - 1];
    }
    return /** @type {Advice} */ (this.rate(state, level)).best[0];
  }

  /**
   * Return every legal bet with the mover's win share after it, best first, and in `win_shares`
   * every seat's share if the best bet is made.  Where no bet is to be made `value` is the share
   * of the seat with the dice.
   *
   * @param {State} state
   * @param {string} level
   */
  rate(state, level) {
    if (level !== "expert") return null;
    const { stacks, thrower } = state;
    const unit = /** @type {const} */ ("win_share");
    /** @param {number[]} shares from the thrower on */
    const bySeat = (shares) =>
      stacks.map((_, seat) => shares[(seat - thrower + stacks.length) % stacks.length]);
    if (isOver(state)) {
      const shares = winShares(stacks);
      return { best: [], value: shares[thrower], unit, options: [], win_shares: shares };
    }
    const { throwOf, bets, path } = this._throw(state);
    const { shares, places, after } = throwOf.solve(bets, path);
    const result = { win_shares: bySeat(shares) };
    if (places.length === 0) return { best: [], value: shares[0], unit, options: [], ...result };
    const seat = throwOf.bettors[bets.length];
    const options = throwOf
      .legal(bets)
      .map((bet, at) => ({ move: bet, value: after[at][seat] }));
    const best = places.map((at) => options[at]);
    const byValue = ranked(options, unit).options;
    const others = byValue.filter(({ move }) => best.every((one) => one.move !== move));
    return {
      best: best.map(({ move }) => move),
      value: shares[seat],
      unit,
      options: [...best.map(({ move }) => ({ move, value: shares[seat] })), ...others],
      ...result,
    };
  }

  get units() {
    return { win_share: "expert" };
  }

  /** @returns {Judge} */
  judge() {
    /** @param {State} state */
    const rated = (state) => /** @type {any} */ (this.rate(state, "expert"));
    return {
      values: (state) => (isOver(state) ? winShares(state.stacks) : rated(state).win_shares),
      best: (state) => rated(state).best,
      kind: (state) => (this._isAhead(state) ? "far ahead" : "not far ahead"),
      exact: () => true,
    };
  }

  /**
   * What speaks for a bet: the win share after each throw that settles it.
   *
   * @param {State} state
   * @returns {Facts}
   */
  facts(state) {
    const { throwOf, bets, path } = this._throw(state);
    /** @param {{ if_paro: number, if_tiro: number }} numbers */
    const speaksFor = ({ if_paro: paro, if_tiro: tiro }) =>
      `wins ${percent(paro, 2)} after paro and ${percent(tiro, 2)} after tiro`;
    return {
      of: (bet) => {
        const seat = throwOf.bettors[bets.length];
        const { paro, tiro } = throwOf.results([...bets, bet], throwOf.step(path, bets, bet));
        return { if_paro: paro[seat], if_tiro: tiro[seat] };
      },
      describe: (bet) => `bet ${bet}`,
      speaksFor,
      givesUp: (cost, _, other) => `gives up ${inWords(100 * cost)}% of the win: it ${speaksFor(other)}`,
    };
  }

  /** @param {State} state */
  _throw(state) {
    const { stacks, thrower } = state;
    const turned = [...stacks.slice(thrower), ...stacks.slice(0, thrower)];
    const throwOf = new Throw(this._table(state), turned, state.turnsLeft);
    const bets = bettorsOf(state)
      .map((seat) => state.bets[seat])
      .filter((bet) => bet !== null);
    const path = bets.reduce((found, bet, at) => throwOf.step(found, bets.slice(0, at), bet), 0);
    return { throwOf, bets, path };
  }

  /** Tell whether the seat to move leads by more than the turns left. @param {State} state */
  _isAhead(state) {
    const seat = this.player(state);
    const largest = Math.max(0, ...state.stacks.filter((_, other) => other !== seat));
    return state.stacks[seat] - largest > state.turnsLeft;
  }

  /**
   * Return the table that answers: of those that reach far enough the smallest.
   *
   * @param {State} state
   */
  _table({ rules, stacks, turnsLeft }) {
    const chips = sum(stacks);
    const fit = this.tables
      .filter((table) => table.answers(rules, stacks.length, chips, turnsLeft))
      .sort((a, b) => a.options.laps - b.options.laps || a.options.chips - b.options.chips);
    if (fit.length > 0) return fit[0];
    const { cap, max_bet: maximum, menu } = rules;
    throw new UstadError(
      "missing_table",
      `expert: no table here answers ${stacks.length} seats with ${chips} chips, ${turnsLeft} ` +
        `turns left, cap=${cap}, max_bet=${maximum}, menu=${menu}; other levels need none`,
    );
  }
}

/** The win shares of one table. */
class PasaTable {
  /** @param {Opened<PasaManifest>} opened */
  constructor({ manifest, arrays }) {
    this.manifest = manifest;
    this.arrays = arrays;
    this.options = manifest.options;
    const { players, chips } = manifest.options;
    this.players = players;
    mustNumberStates(manifest, 1);
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
   * Tell whether the table answers a position.
   *
   * @param {PasaRules} rules
   * @param {number} players
   * @param {number} chips
   * @param {number} turnsLeft
   */
  answers(rules, players, chips, turnsLeft) {
    const { options } = this;
    const { least_chips: least, turns } = this.manifest.pasa;
    return (
      players === options.players &&
      rules.cap === options.cap &&
      rules.max_bet === options.max_bet &&
      rules.menu === options.menu &&
      isWhole(chips, least, options.chips) &&
      turnsLeft <= turns
    );
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
    const stack = this.stacks[this.bettors[bets.length]];
    return betsOf(this.table.options, this.stacks[0], this.bettors.length, stack, sum(bets));
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

  /**
   * Return every seat's share after paro and after tiro, once these bets are made and the others
   * play their best.
   *
   * @param {number[]} bets
   * @param {number} path
   * @returns {{ paro: number[], tiro: number[] }}
   */
  results(bets, path) {
    if (bets.length === this.bettors.length) return this._afterEach(bets);
    const [first] = this.solve(bets, path).places;
    const bet = this.legal(bets)[first];
    return this.results([...bets, bet], this.step(path, bets, bet));
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
    const { paro, tiro } = this._afterEach(bets);
    return paro.map((share, seat) => 0.5 * (share + tiro[seat]));
  }

  /** Return every seat's share after paro and after tiro. @param {number[]} bets */
  _afterEach(bets) {
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
    return { paro, tiro: [tiro[tiro.length - 1], ...tiro.slice(0, -1)] };
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
