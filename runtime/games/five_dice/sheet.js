/**
 * Yacht and dice poker in the phone engine: games of five dice and a sheet.
 *
 * This module knows no rule of either: boxes, points, who may write what and how states are
 * numbered are arrays of each table's manifest (see turns.js), so a game is played with the
 * options that its package has tables of.
 *
 *     import { open } from "./sheet.js";
 *     const engine = open(manifest, values);     // one table: the text or object, and the bytes
 *     engine.ask(position);                      // {best, value, unit, options}
 *     engine.bestKeep(position);                 // {keep, value}, null if writing is better
 *
 * An export of yacht may hold outlooks in a second file.  With `open(manifest, values, outlook)`
 * of yacht.js a position with several sheets is played to win: each move's value is the share of
 * the win, opponents playing for their totals, and `expected_total` stands beside it.
 *
 * Positions and moves are those of `ustad ask`: {"game": ..., "sheets": [...], "to_move": 0,
 * "dice": [1, 1, 3, 4, 6], "rolls_left": 2}.
 */

import { CHANCE, Engine, OVER } from "./engine.js";
import { Fields, readOptions, shown, UstadError } from "./errors.js";
import { opened, openExport, ranked } from "./export.js";
import { givesUp, speaksFor, turnFacts } from "./sheet_facts.js";
import { ended, openBoxes, readDice, readPosition } from "./positions.js";
import { byThumb } from "./thumbs.js";
import { Turns } from "./turns.js";

export { ExportError, parseManifest } from "./export.js";

/** @import { Advice, Facts, Game, Judge } from "./engine.js" */
/** @import { JsonObject, Option } from "./errors.js" */
/** @import { Opened, Unit } from "./export.js" */
/** @import { Sheet, State } from "./positions.js" */
/** @import { Opponent, Outlook, SheetManifest, Turn, State as TurnState } from "./turns.js" */

/**
 * Solves the last turns of a game that is played to win; see endgame.js of yacht.
 *
 * @typedef {object} Endgame
 * @property {(states: TurnState[]) => boolean} areLast
 * @property {(turns: Turns, state: TurnState, others: { state: TurnState, behind: number }[])
 *   => Turn} lastTurn
 *
 * @typedef {{ keep: number[] } | { write: string } | { pass: true }} Move
 *
 * What a table knows of a sheet, and its points so far.
 *
 * @typedef {TurnState & { total: number }} Told
 *
 * @typedef {{ move: Move, value: number }} MoveOption
 */

/**
 * Open an export of a game of dice and a sheet; a damaged one is refused.
 *
 * @param {unknown} manifest
 * @param {unknown} values
 */
export function open(manifest, values) {
  return opened(() => new SheetEngine(new SheetGame([openExport(manifest, "sheet.js", values)])));
}

/** Answers requests about one game of dice and a sheet. */
export class SheetEngine extends Engine {
  /**
   * Return the best dice to keep and their value, null if it is better to write or pass.
   *
   * @param {unknown} position
   * @param {unknown} [level]
   */
  bestKeep(position, level) {
    const { best, value } = this.ask(position, level);
    const move = best.find((/** @type {Move} */ found) => "keep" in found);
    return move === undefined ? null : { keep: move.keep, value };
  }
}

/** Kinds of decisions by the rolls left. */
const KINDS = ["write", "keep with one roll left", "keep with two rolls left"];

/** Return a move in a few words. @param {Move} move */
function described(move) {
  if ("keep" in move) return `keep ${move.keep.join(" ") || "nothing"}`;
  return "write" in move ? `write ${move.write}` : "pass";
}

const ALONE = "alone at the table: expert maximises the expected total";
const GRAIN = 2 ** -36; // payments are whole multiples, so that sums of them are exact

/** @param {number[]} numbers */
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** @param {number[]} dice */
const listed = (dice) => `[${dice.join(", ")}]`;

/** The rules and levels of a game of dice and a sheet. @implements {Game} */
export class SheetGame {
  /**
   * @param {Opened<SheetManifest>[]} tables
   * @param {((table: Opened<any>) => Outlook | null)} [outlookOf] returns the outlook of a table.
   * @param {Endgame} [endgame] solves the last turns where a game is played to win.
   */
  constructor(tables, outlookOf = () => null, endgame) {
    this.endgame = endgame;
    const { manifest } = tables[0];
    this.name = manifest.game;
    this.seats = manifest.rules.players;
    this.options = manifest.rules.options;
    this.moves = manifest.moves;
    /** @type {Map<string, Turns>} */
    this.tables = new Map();
    for (const table of tables) {
      const { options } = table.manifest;
      const key = this.options.map(({ name }) => options[name]).join();
      this.tables.set(key, new Turns(table, outlookOf(table)));
    }
    const { boxes } = manifest.sheet;
    this.boxes = boxes;
    this.dice = manifest.turn.dice;
    this.faces = manifest.turn.faces;
    this.rolls = manifest.turn.rolls_a_turn;
  }

  /**
   * Return options, defaults filled in, and the rules that go with them.
   *
   * @param {unknown} given
   */
  readRules(given) {
    const options = readOptions(this.options, given);
    const key = this.options.map(({ name }) => options[name]).join();
    const turns = this.tables.get(key);
    if (turns === undefined) {
      const told = `options: no table of ${this.name} here has these, got ${shown(options)}`;
      throw new UstadError("option", told);
    }
    return { options, turns };
  }

  /** @type {(rules: { options: JsonObject, turns: Turns }, seats: number, first: number) => State} */
  start({ options, turns }, seats, first) {
    const points = this.boxes.map(() => null);
    const sheet = { points, extras: 0, turnsLeft: points.length };
    const sheets = new Array(seats).fill(sheet);
    const rollsLeft = this.rolls;
    return { turns, options, sheets, first, toMove: first, kept: [], dice: null, rollsLeft };
  }

  // JSON.

  /**
   * @param {unknown} position
   * @returns {State}
   */
  read(position) {
    return readPosition(this, position);
  }

  /** @param {State} state */
  write({ turns, options, sheets, first, toMove, kept, dice, rollsLeft }) {
    const { extra_key: extraKey, turns_weight: turnsMatter } = turns.sheet;
    return {
      game: this.name,
      options: { ...options },
      sheets: sheets.map(({ points, extras }) => {
        /** @type {JsonObject} */
        const written = {};
        this.boxes.forEach((name, box) => {
          if (points[box] !== null) written[name] = points[box];
        });
        if (extraKey !== null) written[extraKey] = extras;
        return written;
      }),
      ...(turnsMatter ? { turns_left: sheets.map(({ turnsLeft }) => turnsLeft) } : {}),
      first,
      to_move: toMove,
      ...(dice === null && rollsLeft < this.rolls ? { kept: [...kept] } : {}),
      dice: dice && [...dice],
      rolls_left: rollsLeft,
    };
  }

  /**
   * @param {unknown} move
   * @returns {Move}
   */
  readMove(move) {
    /** @type {Fields} */
    const fields = new Fields(move, "move", "move");
    const keys = Object.keys(fields.value);
    if (this.moves.includes("pass") && keys.join() === "pass") {
      if (fields.value.pass !== true) fields.fail("pass", "true", fields.value.pass);
      return { pass: true };
    }
    if (keys.filter((key) => this.moves.includes(key)).length !== 1) {
      const expected = `one of ${this.moves.join(", ")}`;
      throw new UstadError("move", `move: expected ${expected}, got ${shown(fields.value)}`);
    }
    /** @type {Move} */
    const found = keys.includes("keep")
      ? { keep: readDice(this, fields, "keep", fields.take("keep"), 0, this.dice - 1) }
      : { write: fields.oneOf("write", this.boxes) };
    fields.done();
    return found;
  }

  /** @param {Move} move */
  writeMove(move) {
    return "keep" in move ? { keep: [...move.keep] } : { ...move };
  }

  /** @param {unknown} outcome */
  readOutcome(outcome) {
    const fields = new Fields({ dice: outcome }, "outcome", "outcome");
    return readDice(this, fields, "dice", fields.take("dice"), 1, this.dice);
  }

  // The rules.

  /** @param {State} state */
  player(state) {
    if (state.dice !== null) return state.toMove;
    return this._isOver(state) ? OVER : CHANCE;
  }

  /**
   * @param {State} state
   * @returns {Move[]}
   */
  legal(state) {
    const { turns, dice, rollsLeft, sheets, toMove } = state;
    if (dice === null) return [];
    const roll = this._number(turns, dice);
    const open = openBoxes(sheets[toMove]);
    const { write, passes } = turns.caseOf(open, roll - turns.firstRoll, rollsLeft);
    const keeps = rollsLeft > 0 ? turns.subKeeps(roll).map((keep) => turns.keeps[keep]) : [];
    return [
      ...keeps.map((keep) => ({ keep })),
      ...this.boxes.filter((_, box) => ((write & open) >> box) & 1).map((name) => ({ write: name })),
      ...(passes ? [{ pass: /** @type {const} */ (true) }] : []),
    ];
  }

  /**
   * @param {State} state
   * @param {Move} move
   * @returns {State}
   */
  apply(state, move) {
    const { dice, sheets, toMove } = state;
    if (dice === null) throw new UstadError("move", "move: the game is over, no move is left");
    if ("keep" in move) return this._keep(state, dice, move.keep);
    const legal = this.legal(state).some((one) => JSON.stringify(one) === JSON.stringify(move));
    if (!legal) {
      const told = "write" in move ? `write ${move.write}` : "pass";
      const text = `move: ${told} is not legal with dice ${listed(dice)}`;
      throw new UstadError("move", text);
    }
    const sheet = this._written(state, dice, "write" in move ? move.write : null);
    return {
      ...state,
      sheets: sheets.map((one, seat) => (seat === toMove ? sheet : one)),
      toMove: (toMove + 1) % sheets.length,
      kept: [],
      dice: null,
      rollsLeft: this.rolls,
    };
  }

  /**
   * @param {State} state
   * @param {number[]} dice
   * @param {number[]} kept
   * @returns {State}
   */
  _keep(state, dice, kept) {
    if (state.rollsLeft === 0) {
      throw new UstadError("move", "move: no roll is left, expected a write");
    }
    const left = [...dice];
    const contained = kept.every((die) => {
      const at = left.indexOf(die);
      if (at >= 0) left.splice(at, 1);
      return at >= 0;
    });
    if (!contained) {
      const expected = `0 to ${this.dice - 1} of the dice ${listed(dice)}`;
      throw new UstadError("move", `move: keep: expected ${expected}, got ${listed(kept)}`);
    }
    return { ...state, kept, dice: null };
  }

  /**
   * Return the sheet to move after a write, or a pass.
   *
   * @param {State} state
   * @param {number[]} dice
   * @param {string | null} name of the box, null for a pass.
   * @returns {Sheet}
   */
  _written({ turns, sheets, toMove, rollsLeft }, dice, name) {
    const sheet = sheets[toMove];
    const roll = this._number(turns, dice) - turns.firstRoll;
    const { points: pays } = turns.caseOf(openBoxes(sheet), roll, rollsLeft);
    const points = sheet.points.map((held, box) => (this.boxes[box] === name ? pays[box] : held));
    const { extra_points: extra, extra_held: needed } = turns.sheet;
    const earns = extra > 0 && turns.extraRolls.has(roll) && this._told(turns, sheet).held === needed;
    return ended({ points, extras: sheet.extras + Number(earns), turnsLeft: sheet.turnsLeft - 1 });
  }

  /** @param {State} state */
  outcomes({ turns, kept }) {
    return throwsOf(turns, this.dice - kept.length);
  }

  /**
   * @param {State} state
   * @param {number[]} thrown
   * @returns {State}
   */
  applyOutcome(state, thrown) {
    const count = this.dice - state.kept.length;
    if (thrown.length !== count) {
      const expected = `${count} dice from 1 to ${this.faces}`;
      throw new UstadError("outcome", `outcome: expected ${expected}, got ${listed(thrown)}`);
    }
    const dice = [...state.kept, ...thrown].sort((a, b) => a - b);
    return { ...state, kept: [], dice, rollsLeft: state.rollsLeft - 1 };
  }

  /**
   * @param {State} before
   * @param {Move | number[]} step
   * @param {State} after
   * @returns {JsonObject[]}
   */
  events(before, step, after) {
    if (Array.isArray(step)) return [{ thrown: [...step] }];
    const move = this.writeMove(step);
    if ("keep" in step) return [move];
    const seat = before.toMove;
    const total = this._told(after.turns, after.sheets[seat]).total;
    const gained = total - this._told(before.turns, before.sheets[seat]).total;
    return [{ ...move, seat, gained, total }];
  }

  /** @param {State} state */
  scores({ turns, sheets }) {
    return sheets.map((sheet) => this._told(turns, sheet).total);
  }

  /** @param {State} state */
  returns(state) {
    const totals = this.scores(state);
    const { returns } = state.turns.manifest;
    return returns === "settlement" ? settlement(totals) : winShares(totals);
  }

  /** @param {State} state */
  _isOver({ sheets, toMove }) {
    return sheets[toMove].turnsLeft === 0;
  }

  // The levels.

  /**
   * @param {State} state
   * @param {string} level
   * @returns {Move}
   */
  choose(state, level) {
    const rated = this.rate(state, level);
    if (rated !== null) return rated.best[0];
    const { turns, dice, rollsLeft } = state;
    const told = this._told(turns, state.sheets[state.toMove]);
    const roll = this._number(turns, /** @type {number[]} */ (dice));
    const choice = byThumb(turns.manifest.thumbs[level], turns, told, roll, rollsLeft);
    return this._move(turns, choice);
  }

  /**
   * Return every legal move with its value, best first.  While dice are to fall there is no move,
   * and the value is that of the position.
   *
   * @param {State} state
   * @param {string} level
   */
  rate(state, level) {
    const { turns, sheets } = state;
    const unit = turns.manifest.levels[level];
    if (unit === undefined) return null;
    const total = { unit: /** @type {Unit} */ ("expected_total"), state };
    if (unit !== "win_share") return this._byTotal(total);
    if (sheets.length === 1) return { ...this._byTotal(total), note: ALONE };
    if (this._isLast(state)) {
      return { ...this._byShare(state, this._shareTurn(state)), exact: true };
    }
    if (turns.outlook === null) {
      throw new UstadError(
        "missing_table",
        `${level}: needs the outlook, which this export was made without; hard plays for the total`,
      );
    }
    return { ...this._byShare(state, this._shareTurn(state)), outlook: turns.outlook.facts.name };
  }

  /** What positions can be judged in: the outlook of others is not told apart by seat here. */
  get units() {
    const [{ manifest }] = this.tables.values();
    const levels = Object.keys(manifest.levels);
    const level = levels.find((one) => manifest.levels[one] === "expected_total");
    return { expected_total: /** @type {string} */ (level) };
  }

  /**
   * Each seat's expected final total under best play for it; a step changes the mover's alone.
   *
   * @returns {Judge}
   */
  judge() {
    const level = this.units.expected_total;
    /** @param {State} state */
    const rated = (state) => /** @type {any} */ (this.rate(state, level));
    return {
      values: (/** @type {State} */ state) =>
        state.sheets.map((sheet, seat) => {
          const { total, ...told } = this._told(state.turns, sheet);
          if (seat === state.toMove && state.rollsLeft < this.rolls) return rated(state).value;
          return state.turns.isOver(told) ? total : total + state.turns.value(told);
        }),
      best: (state) => rated(state).best,
      kind: ({ rollsLeft }) => KINDS[rollsLeft],
      exact: () => true,
    };
  }

  /**
   * @param {State} state
   * @param {string} level
   * @param {Advice} advice
   * @returns {Facts}
   */
  facts(state, level, advice) {
    const { turns, sheets, toMove, dice, rollsLeft } = state;
    const ofTheWin = advice.unit === "win_share";
    const told = this._told(turns, sheets[toMove]);
    const turn = ofTheWin ? this._shareTurn(state) : turns.solved(told, []);
    const last = ofTheWin && this._isLast(state);
    const roll = this._number(turns, dice ?? []);
    const { extra_points: extra, extra_held: needed } = turns.sheet;
    const paysExtra = extra > 0 && told.held === needed;
    const numbers = turnFacts(turns, turn, roll - turns.firstRoll, rollsLeft, paysExtra);
    return {
      of: (move) => {
        const found = numbers(this._choice(turns, move));
        if (!last) return found;
        const key = JSON.stringify(move);
        const option = advice.options.find((one) => JSON.stringify(one.move) === key);
        return { ...found, win_share: option?.value };
      },
      describe: (move) => described(move),
      speaksFor,
      givesUp: (cost) => givesUp(cost, ofTheWin),
    };
  }

  /** Tell whether these are last turns, which are solved exactly. @param {State} state */
  _isLast(state) {
    const { turns, sheets } = state;
    const states = sheets.map((sheet) => this._told(turns, sheet));
    return this.endgame !== undefined && !this._isOver(state) && this.endgame.areLast(states);
  }

  /**
   * Return the turn of the seat to move, solved on its share of the win.
   *
   * @param {State} state
   * @returns {Turn}
   */
  _shareTurn(state) {
    const { turns, sheets, toMove } = state;
    const { total, ...own } = this._told(turns, sheets[toMove]);
    if (this.endgame === undefined || !this._isLast(state)) {
      return turns.solved(own, this._others(state));
    }
    const others = sheets.slice(1).map((_, step) => {
      const told = this._told(turns, sheets[(toMove + step + 1) % sheets.length]);
      return { state: told, behind: total - told.total };
    });
    return this.endgame.lastTurn(turns, own, others);
  }

  /** Return the opponents of the seat to move. @param {State} state */
  _others({ turns, sheets, toMove }) {
    const mine = this._told(turns, sheets[toMove]).total;
    return sheets
      .filter((_, seat) => seat !== toMove)
      .map((sheet) => this._told(turns, sheet))
      .map((told) => ({ place: turns.place(told), lead: mine - told.total }));
  }

  /**
   * Return the choice that a move is.
   *
   * @param {Turns} turns
   * @param {Move} move
   */
  _choice(turns, move) {
    if ("keep" in move) return { keep: this._number(turns, move.keep) };
    return { box: "write" in move ? this.boxes.indexOf(move.write) : -1 };
  }

  /**
   * Answer by the expected total.
   *
   * @param {{ state: State, unit: Unit }} asked
   */
  _byTotal({ state, unit }) {
    const { turns, dice, rollsLeft, kept } = state;
    const { total, ...told } = this._told(turns, state.sheets[state.toMove]);
    if (dice !== null) {
      const turn = turns.solved(told, []);
      return ranked(this._rated(state, turn, total), unit);
    }
    const toCome =
      rollsLeft === this.rolls
        ? turns.value(told)
        : turns.solved(told, []).keepValues[rollsLeft][this._number(turns, kept)];
    return { best: [], value: total + toCome, unit, options: [] };
  }

  /**
   * Answer by the share of the win; moves of one share are told apart by the expected total.
   *
   * @param {State} state
   * @param {Turn} turn solved on the share of the win.
   */
  _byShare(state, turn) {
    const { turns, dice, rollsLeft, kept } = state;
    const { total, ...told } = this._told(turns, state.sheets[state.toMove]);
    const unit = /** @type {const} */ ("win_share");
    if (dice === null) {
      const atStart = () => turn.final ?? turns.start(turn);
      const value =
        rollsLeft === this.rolls
          ? atStart()
          : turn.keepValues[rollsLeft][this._number(turns, kept)];
      return { best: [], value: Math.min(value, 1), unit, options: [] };
    }
    const totals = this._rated(state, turns.solved(told, []), total);
    const rated = this._rated(state, turn, 0).map(({ move, value }, at) => {
      return { move, value: Math.min(value, 1), expected_total: totals[at].value };
    });
    const { best: tied, value, options } = ranked(rated, unit);
    const inTotal = options
      .slice(0, tied.length)
      .map(({ move, expected_total }) => ({ move, value: expected_total }));
    const { best, options: byTotal } = ranked(inTotal, unit);
    const first = byTotal.map(({ move, value: points }) => {
      return { move, value, expected_total: points };
    });
    return { best, value, unit, options: [...first, ...options.slice(tied.length)] };
  }

  /**
   * Return every legal move with its value by a solved turn, in their order.
   *
   * @param {State} state
   * @param {Turn} turn
   * @param {number} total the points made, added to each value
   * @returns {MoveOption[]}
   */
  _rated({ turns, dice, rollsLeft }, turn, total) {
    const roll = this._number(turns, /** @type {number[]} */ (dice));
    const keeps = rollsLeft > 0 ? turns.subKeeps(roll) : [];
    return [
      ...keeps.map((keep) => ({ keep, value: turn.keepValues[rollsLeft][keep] })),
      ...turns.writes(turn, roll - turns.firstRoll, rollsLeft),
    ].map(({ value, ...choice }) => ({ move: this._move(turns, choice), value: total + value }));
  }

  /**
   * Return the move that a choice is.
   *
   * @param {Turns} turns
   * @param {{ keep: number } | { box: number }} choice
   * @returns {Move}
   */
  _move(turns, choice) {
    if ("keep" in choice) return { keep: turns.keeps[choice.keep] };
    return choice.box < 0 ? { pass: true } : { write: this.boxes[choice.box] };
  }

  // Sheets and dice.

  /**
   * Return the number of dice in ascending order among the keeps.
   *
   * @param {Turns} turns
   * @param {number[]} dice
   */
  _number(turns, dice) {
    return /** @type {number} */ (turns.rollOf.get(dice.join()));
  }

  /**
   * Return what a table knows of a sheet, and its points so far.
   *
   * @param {Turns} turns
   * @param {Sheet} sheet
   * @returns {Told}
   */
  _told(turns, { points, extras, turnsLeft }) {
    const { counting, lowest_sum, held_box, extra_points, turns_weight } = turns.sheet;
    const open = openBoxes({ points });
    const made = sum(points.slice(0, counting).map((held) => held ?? 0));
    const held = held_box === null || points[held_box] === null ? 0 : turns.heldBy(points[held_box]);
    const capped = Math.min(made, turns.sums - 1 + lowest_sum);
    const bonus = turns.earned(open, capped);
    const total = sum(points.map((paid) => paid ?? 0)) + bonus + extra_points * extras;
    return { open, sum: capped, held, turns: turns_weight > 0 ? turnsLeft : 0, total };
  }

}

/** @type {WeakMap<Turns, [number[], number][][]>} */
const THROWS = new WeakMap();

/**
 * Return what so many dice can show, in ascending order, with the chances.
 *
 * @param {Turns} turns
 * @param {number} count
 */
function throwsOf(turns, count) {
  let known = THROWS.get(turns);
  if (known === undefined) {
    const { dice, faces } = turns.manifest.turn;
    /** @type {(n: number) => number} */
    const factorial = (n) => (n > 1 ? n * factorial(n - 1) : 1);
    known = Array.from({ length: dice + 1 }, () => []);
    for (const keep of turns.keeps) {
      let orders = factorial(keep.length);
      for (const face of new Set(keep)) {
        orders /= factorial(keep.filter((die) => die === face).length);
      }
      known[keep.length].push([keep, orders / faces ** keep.length]);
    }
    THROWS.set(turns, known);
  }
  return known[count];
}

/**
 * Return each seat's share of the win: the highest total wins, equals share it.
 *
 * @param {number[]} totals
 */
function winShares(totals) {
  const most = Math.max(...totals);
  const share = 1 / totals.filter((total) => total === most).length;
  return totals.map((total) => (total === most ? share : 0));
}

/**
 * Return what each seat wins or loses: its total less the mean of all, the payments adding up to
 * 0 exactly.
 *
 * @param {number[]} totals
 */
function settlement(totals) {
  const every = sum(totals);
  const payments = totals.map((total) => {
    return Math.round((totals.length * total - every) / totals.length / GRAIN) * GRAIN + 0;
  });
  payments[totals.indexOf(Math.max(...totals))] -= sum(payments);
  return payments;
}
