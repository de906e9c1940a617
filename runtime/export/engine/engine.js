/**
 * The engine: answers the requests of the protocol about one game, as Python answers them.
 *
 *     import { open } from "...";                  // the package's main module
 *     const engine = await open({ game: "pasa", read });
 *     const { position, seed } = engine.call("new", { game: "pasa", players: 4 });
 *     engine.call("ask", { position, level: "hard" });
 *
 * What a game is stands in its own module (`Game`); here is what all have in common.  Nothing
 * that a caller gives or gets is changed later, and no answer depends on what was asked before.
 */

import { CHANCE, Chance, freshSeed, LEVELS, OVER } from "./chance.js";
import { Fields, isObject, isWhole, plain, shown, UstadError } from "./errors.js";
import { openBytes, opened, openManifest } from "./export.js";
import { explain } from "./facts.js";
import { readRecord, review } from "./review.js";
import { Between, checkStrength, ratingLevel } from "./strength.js";

export { CHANCE, LEVELS, OVER } from "./chance.js";

/** @import { JsonObject } from "./errors.js" */
/** @import { Manifest, Opened, Unit } from "./export.js" */
/** @import { Measured } from "./review.js" */
/** @import { Scale } from "./strength.js" */

const MOST_MS = 10_000_000;

/** The games that there are, which an engine of another game names. */
const NAMES = ["yacht", "dice_poker", "pasa", "raja_pasu", "marriage"];

/**
 * What a game is; states, moves and outcomes are its own.
 *
 * @typedef {object} Game
 * @property {string} name
 * @property {[number, number, number]} seats least, most, usual
 * @property {(given: unknown) => any} readRules rules from options, or an error
 * @property {(rules: any, seats: number, first: number, chance: (position: JsonObject) => Chance)
 *   => any} start what is dealt being drawn for the position that says what was asked for
 * @property {(position: unknown) => any} read a state from JSON, or an error
 * @property {(state: any) => JsonObject} write
 * @property {(state: any) => number} player the seat to move, CHANCE or OVER
 * @property {(state: any) => any[]} legal
 * @property {(move: unknown) => any} readMove
 * @property {(move: any) => JsonObject} writeMove
 * @property {(state: any, move: any) => any} apply
 * @property {(outcome: unknown) => any} readOutcome
 * @property {(state: any) => [any, number][]} outcomes what can fall, with probabilities
 * @property {(state: any, outcome: any) => any} applyOutcome
 * @property {(before: any, step: any, after: any) => JsonObject[]} events
 * @property {(state: any) => number[] | null} scores null where the state cannot know, as returns
 * @property {(state: any) => number[] | null} returns
 * @property {(state: any, level: string, chance: () => Chance, most: number) => any} choose
 *   what a level plays, a search taking so many milliseconds at most
 * @property {(state: any, level: string, most: number) => Advice | null} rate what a level says of
 *   a state, null where it goes by a rule of thumb
 * @property {(state: any, seat: number) => any} [view] what a seat may know, if that is not all
 * @property {(state: any) => number} [seatsOf] how many seats a state has that does not know scores
 * @property {(state: any, level: string, advice: Advice) => Facts | null} facts what tells of
 *   the moves that a level rates, null where nothing does
 * @property {Record<string, string>} units what positions can be judged in, the usual unit first,
 *   and the level whose values those are
 * @property {(unit: string) => Judge} [judge]
 * @property {(given: JsonObject) => JsonObject} [hand] answers `hand`
 *
 * What speaks for moves: named numbers of each, and how they read.
 *
 * @typedef {object} Facts
 * @property {(move: any) => any} of
 * @property {(move: any) => string} describe
 * @property {(numbers: any) => string} speaksFor
 * @property {(cost: number, best: any, other: any) => string} givesUp
 *
 * Rates positions for every seat, for one review.
 *
 * @typedef {object} Judge
 * @property {(state: any) => number[]} values
 * @property {(state: any, move: any, following: number[]) => number[]} [expected] what a move was
 *   expected to bring each seat when it was made, if not the values of the state that followed
 * @property {(state: any) => any[]} best
 * @property {(state: any) => string} kind which kind of decision a state asks for
 * @property {(state: any) => number} [part] which part of a game a state is of
 * @property {() => boolean} exact whether all values told so far are exact
 *
 * @typedef {{ move: any, value: number }} Option
 * @typedef {{ best: any[], value: number, unit: Unit, options: Option[] }} Advice with what else
 *   a game tells beside
 */

/** @type {Record<string, { keys: string[], required: string[] }>} */
const METHODS = {
  new: { keys: ["game", "options", "players", "first", "seed", "whole"], required: ["game"] },
  status: { keys: ["position"], required: ["position"] },
  view: { keys: ["position", "seat"], required: ["position", "seat"] },
  legal: { keys: ["position"], required: ["position"] },
  apply: { keys: ["position", "move", "outcome", "seed"], required: ["position"] },
  ask: {
    keys: ["position", "level", "strength", "top", "facts", "move", "target", "max_ms"],
    required: ["position"],
  },
  move: { keys: ["position", "level", "strength", "seed", "max_ms"], required: ["position"] },
  review: { keys: ["record", "level", "unit"], required: ["record"] },
  hand: {
    keys: ["cards", "tiplu", "laid", "not_shown", "after_show", "options"],
    required: ["cards"],
  },
};

/**
 * @typedef {(name: string) => unknown} Read gives a file by its path in the package, or a promise
 *   of it: an ArrayBuffer or bytes.
 * @typedef {new (tables: Opened<any>[]) => Game} GameType
 */

/**
 * Open a game of a package.
 *
 * @param {Record<string, GameType>} games what the package can play, by name.
 * @param {{ game?: unknown, read?: unknown, verify?: unknown }} given the game; what reads a
 *   file; and whether every byte is checked, as it is unless this is false.
 * @returns {Promise<Engine>}
 */
export async function openGame(games, { game, read, verify = true }) {
  if (typeof game !== "string" || !Object.keys(games).includes(game)) {
    const known = Object.keys(games).join(", ");
    throw new UstadError("usage", `game: expected one of ${known}, got ${shown(game)}`);
  }
  if (typeof read !== "function") {
    throw new UstadError("usage", "read: expected a function that gives a file by its name");
  }
  const folder = `data/${game}`;
  /** @param {string} name */
  const file = (name) => /** @type {Read} */ (read)(`${folder}/${name}`);
  const check = verify !== false;
  const index = await openManifest(await file("index.json"), `${folder}/index.json`, check);
  const { tables } = index;
  if (index.game !== game || !Array.isArray(tables)) {
    throw new UstadError("corrupt_export", `${folder}/index.json: it is no index of ${game}`);
  }
  /** @type {Opened<Manifest>[]} */
  const found = [];
  for (const name of tables) {
    const path = `${name}/manifest.json`;
    const manifest = /** @type {Manifest & JsonObject} */ (
      await openManifest(await file(path), `${folder}/${path}`, check)
    );
    if (manifest.game !== game || !isObject(manifest.files)) {
      throw new UstadError("corrupt_export", `${folder}/${path}: it is no table of ${game}`);
    }
    /** @type {Record<string, unknown>} */
    const files = {};
    for (const one of Object.keys(manifest.files)) files[one] = await file(`${name}/${one}`);
    found.push(await openBytes(manifest, files, check));
  }
  const measured = /** @type {Record<string, Measured>} */ (index.measured ?? {});
  const scales = /** @type {Record<string, Scale>} */ (index.scales ?? {});
  return opened(() => new Engine(new games[game](found), measured, scales));
}

/** Answers requests about one game. */
export class Engine {
  /**
   * @param {Game} game
   * @param {Record<string, Measured>} [measured] what the levels were measured to do, by unit
   * @param {Record<string, Scale>} [scales] what strengths mean, by unit
   */
  constructor(game, measured = {}, scales = {}) {
    this.game = game;
    this.measured = measured;
    this.scales = scales;
  }

  /**
   * Return what a method answers; a key that is null or undefined is not there.
   *
   * @param {string} method
   * @param {unknown} [request] its keys and their values.
   * @returns {any}
   */
  call(method, request = {}) {
    if (typeof method !== "string" || !Object.keys(METHODS).includes(method)) {
      const known = Object.keys(METHODS).join(", ");
      throw new UstadError("usage", `method: expected one of ${known}, got ${shown(method)}`);
    }
    const { keys, required } = METHODS[method];
    const fields = new Fields(plain(request, "request"), "request", "usage");
    /** @type {JsonObject} */
    const given = {};
    for (const key of keys) {
      const value = required.includes(key) ? fields.take(key) : fields.take(key, null);
      if (value !== null || required.includes(key)) given[key] = value;
    }
    fields.done();
    if (method === "new") return this._new(given);
    if (method === "status") return { status: this._status(this._read(given.position)) };
    if (method === "view") return this._view(given);
    if (method === "legal") return this._legal(given);
    if (method === "apply") return this._apply(given);
    if (method === "hand") return this._hand(given);
    if (method === "review") return this._review(given);
    return method === "ask" ? this._ask(given) : this._move(given);
  }

  /**
   * Answer `ask`.
   *
   * @param {unknown} position
   * @param {unknown} [level]
   * @returns {any}
   */
  ask(position, level) {
    return this.call("ask", { position, level });
  }

  /**
   * Return the best move, null where there is none to make.
   *
   * @param {unknown} position
   * @param {unknown} [level]
   * @returns {any}
   */
  bestMove(position, level) {
    return this.ask(position, level).best[0] ?? null;
  }

  // Methods.

  /** @param {JsonObject} given */
  _new({ game: name, options = {}, players, first = 0, seed, whole = false }) {
    const { game } = this;
    this._check(name);
    const used = seedOrFresh(seed);
    const rules = game.readRules(options);
    const [least, most, usual] = game.seats;
    const seats = players ?? usual;
    if (!isWhole(seats, least, most)) {
      throw new UstadError("usage", `players: expected ${least} to ${most}, got ${shown(seats)}`);
    }
    if (!isWhole(first, 0, seats - 1)) {
      throw new UstadError("usage", `first: expected 0 to ${seats - 1}, got ${shown(first)}`);
    }
    if (typeof whole !== "boolean") {
      throw new UstadError("usage", `whole: expected true or false, got ${shown(whole)}`);
    }
    const state = game.start(rules, seats, first, (asked) => new Chance(used, "new", asked));
    return { ...this._told(whole ? state : this._seen(state, first)), seed: used };
  }

  /** @param {JsonObject} given */
  _view({ position, seat }) {
    const state = this._read(position);
    const seats = this.game.seatsOf?.(state) ?? this.game.scores(state)?.length ?? 0;
    if (!isWhole(seat, 0, seats - 1)) {
      const expected = `a seat from 0 to ${seats - 1}`;
      throw new UstadError("usage", `seat: expected ${expected}, got ${shown(seat)}`);
    }
    return this._told(this._seen(state, seat));
  }

  /** @param {JsonObject} given */
  _legal({ position }) {
    return { legal: this.game.legal(this._read(position)).map((move) => this.game.writeMove(move)) };
  }

  /** @param {JsonObject} given */
  _apply({ position, move, outcome, seed }) {
    const { game } = this;
    let state = this._read(position);
    const waits = game.player(state) === CHANCE;
    /** @type {JsonObject[]} */
    let events = [];
    if (outcome !== undefined && seed !== undefined) {
      throw new UstadError("usage", "apply: expected an outcome or a seed, not both");
    }
    /** @param {any} done @param {any} after */
    const step = (done, after) => {
      events = [...events, ...game.events(state, done, after)];
      state = after;
    };
    if (move !== undefined) {
      if (waits) {
        const told = "move: the position waits for chance: expected an outcome or seed";
        throw new UstadError("move", told);
      }
      const made = game.readMove(move);
      step(made, game.apply(state, made));
    } else if (!waits && outcome === undefined && seed === undefined) {
      throw new UstadError("usage", "apply: expected a move, an outcome or a seed");
    }
    /** @type {{ seed?: number }} */
    const used = {};
    if (move === undefined || outcome !== undefined || seed !== undefined) {
      if (game.player(state) === CHANCE) {
        let fallen;
        if (outcome === undefined) {
          const known = seedOrFresh(seed);
          fallen = new Chance(known, "apply", game.write(state)).outcome(game.outcomes(state));
          used.seed = known;
        } else fallen = game.readOutcome(outcome);
        step(fallen, game.applyOutcome(state, fallen));
      } else if (move === undefined || outcome !== undefined) {
        const told = "outcome: no chance is to fall here: expected a move alone";
        throw new UstadError("outcome", told);
      }
    }
    const { position: written, status } = this._told(state);
    return { position: written, events, status, ...used };
  }

  /** @param {JsonObject} given */
  _ask({ position, level = "expert", strength, top, facts = false, move, target, max_ms: most }) {
    const { game } = this;
    const state = this._read(position);
    const known = checkLevel(level);
    const between = this._between(strength);
    const limit = /** @type {number | undefined} */ (top);
    if (top !== undefined && !isWhole(top, 1, 1e9)) {
      const expected = "a whole number from 1 to 1000000000";
      throw new UstadError("usage", `top: expected ${expected}, got ${shown(top)}`);
    }
    if (typeof facts !== "boolean") {
      throw new UstadError("usage", `facts: expected true or false, got ${shown(facts)}`);
    }
    const asked = move === undefined ? null : this._checked(state, move);
    if (target !== undefined) {
      const told = `expected none, since this engine knows it in no game, got ${shown(target)}`;
      throw new UstadError("usage", `target: ${told}`);
    }
    const wait = milliseconds(most);
    const view = this._seen(state, Math.max(game.player(state), 0));
    const rater = between ? ratingLevel(game, known) : known;
    let advice = game.rate(view, rater, wait);
    if (between && advice && advice.options.length > 0) {
      advice = between.told(game, view, advice, this._choose(view, known, 0, wait));
    }
    if (advice === null) {
      if (game.player(view) < 0) return { best: [] };
      return { best: [game.writeMove(this._choose(view, known, 0, Infinity))] };
    }
    const { best, value, unit, options, ...rest } = advice;
    const key = asked === null ? null : JSON.stringify(game.writeMove(asked));
    const at = options.findIndex(({ move: one }) => JSON.stringify(game.writeMove(one)) === key);
    const told = facts && options.length > 0 ? game.facts(view, rater, advice) : null;
    const reasons = told === null ? null : explain(told, advice, limit, options[at]);
    const written = options.map((option, place) => ({
      ...option,
      move: game.writeMove(option.move),
      ...(reasons?.of.has(place) ? { facts: reasons.of.get(place) } : {}),
    }));
    /** @type {JsonObject} */
    const answer = {
      best: best.map((one) => game.writeMove(one)),
      value,
      unit,
      options: written.slice(0, limit),
      ...rest,
    };
    if (at >= 0) answer.asked = written[at];
    if (reasons !== null && reasons.why !== null) answer.why = reasons.why;
    return answer;
  }

  /**
   * Return the legal move that a JSON object describes.
   *
   * @param {any} state
   * @param {unknown} move
   */
  _checked(state, move) {
    if (this.game.player(state) < 0) {
      const told = "move: there is no move to make here: expected a seat to move";
      throw new UstadError("move", told);
    }
    const found = this.game.readMove(move);
    this.game.apply(state, found); // says what is wrong with a move that is not legal
    return found;
  }

  /** @param {JsonObject} given */
  _move({ position, level = "expert", strength, seed, max_ms: most }) {
    const state = this._read(position);
    const known = checkLevel(level);
    const used = seedOrFresh(seed);
    const between = this._between(strength);
    if (this.game.player(state) < 0) {
      const told = "position: there is no move to make here: expected a seat to move";
      throw new UstadError("move", told);
    }
    const wait = milliseconds(most);
    const view = this._seen(state, this.game.player(state));
    const ofLevel = () => this._choose(view, known, used, wait);
    const { game } = this;
    const chosen = between
      ? between.choose(game, view, new Chance(used, "strength", game.write(view)), ofLevel, () => {
          return /** @type {Advice} */ (game.rate(view, ratingLevel(game, known), wait));
        })
      : ofLevel();
    return { move: this.game.writeMove(chosen), seed: used };
  }

  /** @param {unknown} strength */
  _between(strength) {
    return strength === undefined ? null : new Between(this.scales, checkStrength(strength));
  }

  /**
   * Return the move that a level plays.
   *
   * @param {any} state
   * @param {string} level
   * @param {number} seed
   * @param {number} most milliseconds that a search may take.
   */
  _choose(state, level, seed, most) {
    const { game } = this;
    return game.choose(state, level, () => new Chance(seed, "move", game.write(state)), most);
  }

  /** @param {JsonObject} given */
  _hand(given) {
    const { game } = this;
    if (!game.hand) {
      throw new UstadError("usage", `hand: this engine plays ${game.name}, which knows no hands`);
    }
    return game.hand(given);
  }

  /** @param {JsonObject} given */
  _review({ record, level, unit }) {
    const { game, measured } = this;
    const found = readRecord(game, record, (position) => this._read(position));
    const units = Object.keys(game.units);
    if (game.judge === undefined) {
      throw new UstadError("usage", `review: this engine rates no positions of ${game.name}`);
    }
    const levels = Object.values(game.units);
    if (level !== undefined && !levels.includes(/** @type {string} */ (level))) {
      const expected = `one that rates positions, ${levels.join(", ")}`;
      throw new UstadError("usage", `level: expected ${expected}, got ${shown(level)}`);
    }
    const usual = units.find((one) => level === undefined || level === game.units[one]);
    const by = /** @type {string} */ (unit ?? usual);
    if (!units.includes(by)) {
      throw new UstadError("usage", `unit: expected one of ${units.join(", ")}, got ${shown(unit)}`);
    }
    if (level !== undefined && level !== game.units[by]) {
      const told = `expected ${game.units[by]}, which rates by ${by}, got ${level}`;
      throw new UstadError("usage", `level: ${told}`);
    }
    return review(game, found, game.judge(by), by, measured[by]);
  }

  // What the methods share.

  /**
   * Return what a seat may know of a state.
   *
   * @param {any} state
   * @param {number} seat
   */
  _seen(state, seat) {
    return this.game.view ? this.game.view(state, seat) : state;
  }

  /** @param {unknown} name of a game */
  _check(name) {
    if (name === this.game.name) return;
    if (typeof name === "string" && NAMES.includes(name)) {
      throw new UstadError("usage", `game: this engine plays ${this.game.name}, got "${name}"`);
    }
    throw new UstadError("usage", `game: expected one of ${NAMES.join(", ")}, got ${shown(name)}`);
  }

  /** @param {unknown} position */
  _read(position) {
    if (!isObject(position)) {
      throw new UstadError("usage", `position: expected an object, got ${shown(position)}`);
    }
    this._check(position.game ?? null);
    return this.game.read(position);
  }

  /** @param {any} state */
  _told(state) {
    return { position: this.game.write(state), status: this._status(state) };
  }

  /** @param {any} state */
  _status(state) {
    const { game } = this;
    const player = game.player(state);
    const over = player === OVER;
    const returns = over ? game.returns(state) : null;
    const most = Math.max(...(returns ?? []));
    return {
      to: over ? "over" : player === CHANCE ? "chance" : "move",
      seat: player >= 0 ? player : null,
      scores: game.scores(state),
      returns,
      winners: returns && [...returns.keys()].filter((seat) => returns[seat] === most),
    };
  }
}

/** @param {unknown} level */
function checkLevel(level) {
  if (typeof level === "string" && LEVELS.includes(level)) return level;
  throw new UstadError("usage", `level: expected one of ${LEVELS.join(", ")}, got ${shown(level)}`);
}

/**
 * Return how many milliseconds a search may take, without end if nobody says.
 *
 * @param {unknown} most
 */
function milliseconds(most) {
  if (most === undefined) return Infinity;
  if (isWhole(most, 1, MOST_MS)) return most;
  const expected = `a whole number from 1 to ${MOST_MS}`;
  throw new UstadError("usage", `max_ms: expected ${expected}, got ${shown(most)}`);
}

/**
 * Return the seed, a fresh one if there is none.
 *
 * @param {unknown} seed
 */
function seedOrFresh(seed) {
  if (seed === undefined) return freshSeed();
  if (isWhole(seed, 0, Number.MAX_SAFE_INTEGER)) return seed;
  // What JavaScript does not hold was rounded before it came here.
  const expected = `a whole number from 0 to 2^${isWhole(seed, 0, 2 ** 63) ? 53 : 63} - 1`;
  throw new UstadError("usage", `seed: expected ${expected}, got ${shown(seed)}`);
}
