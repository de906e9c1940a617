/**
 * Marriage in the phone engine: rounds whole and by view, the four levels, and the hand solver.
 *
 * The rules stand in `course`, `round` and `round_checks`, positions in `round_json`, hands in
 * `shows`, `finishes` and `hands`, the levels in `ratings`, `decisions` and `nets`.  Expert plays
 * the learned numbers that the export holds.
 *
 *     import { open } from "./marriage.js";
 *     const engine = open(manifest, values);     // the text or object, and the bytes
 *     engine.ask(position);                      // {best, value, unit, options, why}
 */

import { Engine, OVER } from "./engine.js";
import { readOptions } from "./errors.js";
import { mustHold, mustNumberStates, opened, openExport, ranked } from "./export.js";
import { DECK, HAND } from "./cards.js";
import { firstTurn } from "./course.js";
import { decide, levelWeights, moveOf, playerOf, sightOf } from "./decisions.js";
import { handFacts } from "./hand_facts.js";
import { handAnswer } from "./hands.js";
import { Expert, Rated } from "./nets.js";
import { KIND_STARTS, Work } from "./ratings.js";
import {
  afterChance,
  chanceOutcomes,
  currentPlayer,
  dealt,
  isWholeRound,
  legalMoves,
  maalOf,
  netOf,
  NOTHING,
  stateAfter,
  viewOf,
} from "./round.js";
import {
  eventsOf,
  NAME,
  readMove,
  readOutcome,
  readState,
  writeMove,
  writeState,
} from "./round_json.js";

export { ExportError, parseManifest } from "./export.js";

/** @import { Chance } from "./chance.js" */
/** @import { Game } from "./engine.js" */
/** @import { JsonObject } from "./errors.js" */
/** @import { Manifest, Opened } from "./export.js" */
/** @import { MarriageRules, Move } from "./course.js" */
/** @import { Deal, State, View } from "./round.js" */

/** @typedef {Manifest & { names: string[] }} MarriageManifest */

/** Which numbers stand where; see `ustad.runtime.games.marriage.states`. */
const INDEX_VERSION = 4;

/**
 * Open an export of Marriage; a damaged one is refused.
 *
 * @param {unknown} manifest
 * @param {unknown} values
 */
export function open(manifest, values) {
  return opened(() => new Engine(new Marriage([openExport(manifest, "marriage.js", values)])));
}

/** The rules and levels of Marriage. @implements {Game} */
export class Marriage {
  /** @param {Opened<MarriageManifest>[]} tables */
  constructor([{ manifest, arrays }]) {
    const many = KIND_STARTS[KIND_STARTS.length - 1];
    mustNumberStates(manifest, INDEX_VERSION);
    mustHold(manifest.names.length === many, "names: one for each number");
    mustHold(arrays.values.length === many, `values: ${many} numbers`);
    this.name = NAME;
    this.seats = manifest.rules.players;
    this.ruleOptions = manifest.rules.options;
    this.expert = new Expert(Float64Array.from(arrays.values));
    this.work = new Work();
    const levels = ["easy", "medium", "hard"];
    this.players = new Map(levels.map((level) => [level, playerOf(level, levelWeights(level))]));
  }

  // Rules.

  /** @param {unknown} given */
  readRules(given) {
    const found = readOptions(this.ruleOptions, given);
    return /** @type {MarriageRules} */ (/** @type {unknown} */ (found));
  }

  /**
   * Return a dealt round.
   *
   * @param {MarriageRules} rules
   * @param {number} seats
   * @param {number} first
   * @param {(position: JsonObject) => Chance} chance what is drawn for a position.
   * @returns {Deal}
   */
  start(rules, seats, first, chance) {
    const asked = { game: NAME, options: { ...rules }, players: seats, first };
    const course = firstTurn(seats, (first - 1 + seats) % seats);
    const nothing = Array.from({ length: seats }, () => ({ melds: [], laid: [] }));
    const open = { course, seats: nothing, pile: [], discards: [], taken: [] };
    return dealt(rules, open, chance(asked).shuffled(DECK), HAND);
  }

  /** @param {unknown} position @returns {State} */
  read(position) {
    return readState(position, this.ruleOptions, this.seats[0], this.seats[1]);
  }

  /** @param {State} state */
  write(state) {
    return writeState(state);
  }

  /** @param {State} state @param {number} seat */
  view(state, seat) {
    return viewOf(state, seat);
  }

  /** @param {State} state */
  seatsOf(state) {
    return state.open.course.players;
  }

  /** @param {State} state */
  player(state) {
    return currentPlayer(state);
  }

  /** @param {State} state */
  legal(state) {
    return legalMoves(state);
  }

  /** @param {unknown} move */
  readMove(move) {
    return readMove(move);
  }

  /** @param {Move} move */
  writeMove(move) {
    return writeMove(move);
  }

  /** @param {State} state @param {Move} move */
  apply(state, move) {
    return stateAfter(state, move);
  }

  /** @param {unknown} outcome */
  readOutcome(outcome) {
    return readOutcome(outcome);
  }

  /** @param {View} view */
  outcomes(view) {
    return chanceOutcomes(view);
  }

  /** @param {View} view @param {number | boolean} outcome */
  applyOutcome(view, outcome) {
    return afterChance(view, outcome);
  }

  /** @param {State} before @param {Move | number | boolean} step @param {State} after */
  events(before, step, after) {
    return eventsOf(before, step, after);
  }

  /** @param {State} state */
  scores(state) {
    if (isWholeRound(state)) return maalOf(state);
    return state.maal && [...state.maal];
  }

  /** @param {State} state */
  returns(state) {
    if (isWholeRound(state)) return netOf(state);
    return state.net && [...state.net];
  }

  // The levels.

  /**
   * @param {View} view
   * @param {string} level
   * @param {() => Chance} chance
   * @returns {Move}
   */
  choose(view, level, chance) {
    const player = this.players.get(level);
    if (player === undefined) return this.expert.choose(view);
    const seeded = player.temperature > 0 ? { ...player, seed: chance().word() } : player;
    return moveOf(this.work, view, decide(this.work, view.rules, sightOf(view), seeded));
  }

  /**
   * Return every legal move with its predicted net, best first, and why the best is the best.
   * While chance moves, the predicted net of the hand as it is.
   *
   * @param {View} view
   * @param {string} level
   */
  rate(view, level) {
    if (level !== "expert" || currentPlayer(view) === OVER) return null;
    const rated = new Rated(view, this.expert);
    const unit = /** @type {const} */ ("net");
    if (view.waits !== NOTHING) return { best: [], value: rated.netWaiting(), unit, options: [] };
    return { ...ranked(rated.options(), unit), why: rated.why(rated.chosen) };
  }

  /**
   * Return what tells the hands that expert's moves leave, null for other levels.
   *
   * @param {View} view
   * @param {string} level
   */
  facts(view, level) {
    return level === "expert" ? handFacts(new Rated(view, this.expert)) : null;
  }

  /** A round is not reviewed here: the nets of seats off turn stand in Python alone. */
  get units() {
    return {};
  }

  /** Return what a hand is, and what it needs. @param {JsonObject} given */
  hand(given) {
    return handAnswer(given, this.ruleOptions, this.expert, this.seats[2]);
  }
}
