/**
 * Plays games of five dice and a sheet from an export: yacht and dice poker.
 *
 * This module knows no rule of either.  What the boxes are, what each roll pays there, who
 * may write what and how states are numbered is in the manifest (see its `index_formula`,
 * `sheet` and `turn`); what is here is the play of a turn: the value of a keep is the mean
 * over the six keeps with one die more, the value of a roll that of its best keep or write.
 *
 *     import { open } from "./sheet.js";
 *     const game = open(manifest, values);       // the text or object, and the bytes
 *     game.ask(position);                        // {best, value, unit, options}
 *     game.bestKeep(position);                   // {keep, value}, null if writing is better
 *
 * An export of yacht may hold outlooks in a second file.  With `open(manifest, values, outlook)`
 * of yacht.js a position with several sheets is played to win: each move's value is the share of
 * the win, opponents playing for their totals, and `expected_total` stands beside it.
 *
 * Positions and moves are those of `ustad ask`: {"game": ..., "sheets": [...], "to_move": 0,
 * "dice": [1, 1, 3, 4, 6], "rolls_left": 2}.
 */

import {
  checkGame,
  checkKeys,
  ExportError,
  isList,
  isObject,
  isWhole,
  opened,
  openExport,
  ranked,
  refuse,
  unitOf,
} from "./export.js";

export { ExportError, parseManifest } from "./export.js";

/** @import { Answer, Manifest, Opened, Place, Rounded, Unit } from "./export.js" */

/**
 * The rules as arrays; the manifest says what they mean under `in_words`.
 *
 * @typedef {object} Sheet
 * @property {string[]} boxes
 * @property {number} counting
 * @property {number} lowest_sum
 * @property {number[]} column_start
 * @property {number[]} stride
 * @property {number} bonus
 * @property {(number | null)[]} bonus_from
 * @property {number[]} part_weight
 * @property {number | null} held_box
 * @property {[number, number][]} held_by_points
 * @property {number} held_weight
 * @property {number} turns_weight
 * @property {string | null} extra_key
 * @property {number} extra_points
 * @property {number} extra_held
 * @property {number[]} extra_rolls
 * @property {[number, number, number][]} extra_ways
 * @property {[number, number, number][]} extra_marks
 * @property {number[][][]} pays
 * @property {Case[][]} cases
 * @property {number[]} roll_cases
 *
 * @typedef {object} Case
 * @property {number} any_open
 * @property {number} write
 * @property {number[]} pays
 * @property {boolean} passes
 * @property {number} last
 *
 * @typedef {object} TurnFacts
 * @property {number} dice
 * @property {number} faces
 * @property {number} rolls_a_turn
 * @property {number[][]} keeps
 * @property {number[][]} grown
 *
 * @typedef {object} SheetKeys
 * @property {[number, number]} seats
 * @property {Sheet} sheet
 * @property {TurnFacts} turn
 * @property {{ values: Rounded, column: Place }} arrays
 *
 * @typedef {Manifest & SheetKeys} SheetManifest
 */

/**
 * @typedef {object} SheetPosition
 * @property {string} game
 * @property {Record<string, unknown>} [options]
 * @property {Record<string, number | null>[]} sheets
 * @property {(number | null)[] | null} [turns_left]
 * @property {number} [first]
 * @property {number} [to_move]
 * @property {number[] | null} [kept]
 * @property {number[] | null} dice
 * @property {number} rolls_left
 *
 * @typedef {{ keep: number[] } | { write: string } | { pass: true }} SheetMove
 * @typedef {{ move: SheetMove, value: number, expected_total?: number }} SheetOption
 * @typedef {Answer<SheetOption> & { note?: string, outlook?: string }} SheetAnswer
 */

/**
 * A sheet as the table knows it (boxes as bits), an opponent's, and a position.
 *
 * @typedef {{ open: number, sum: number, held: number, turns: number }} State
 * @typedef {{ place: number, lead: number }} Opponent
 * @typedef {{ roll: number, rollsLeft: number, kept: null }} Rolled
 * @typedef {{ roll: null, rollsLeft: number, kept: number | null }} Waiting
 * @typedef {{ state: State, total: number, others: Opponent[] } & (Rolled | Waiting)} Found
 *
 * @typedef {(after: State, brings: number) => number} Gain
 *
 * @typedef {object} Turn
 * @property {Float64Array} gains by payment
 * @property {Float64Array} extraGains the same for rolls that pay extra
 * @property {Case[]} chosen
 * @property {number[]} boxes
 * @property {number} pass
 * @property {number | null} final if the sheet is full
 * @property {Float64Array[]} keepValues by rolls left, then keep
 * @property {Float64Array} rolled what the first roll is worth
 *
 * @typedef {object} Outlook see outlook.js
 * @property {{ name: string }} facts
 * @property {(state: number) => Float64Array} row
 * @property {(rows: Float64Array[], leads: number[], count: number) => Float64Array} winShares
 */

/**
 * Open an export of a game of dice and a sheet; a damaged one is refused.
 *
 * @param {unknown} manifest
 * @param {unknown} values
 */
export function open(manifest, values) {
  return opened(() => new SheetGame(openExport(manifest, "sheet.js", values)));
}

const ALONE = "alone at the table: expert maximises the expected total";

const REMEMBERED = 256;
const NO_COLUMN = 255;

/**
 * Return the boxes that may be written if they are open, as bits.
 *
 * @param {Case} found
 * @param {number} rollsLeft
 */
function mayWrite({ write, last }, rollsLeft) {
  return rollsLeft > 0 ? write & ~last : write;
}

export class SheetGame {
  /**
   * @param {Opened<SheetManifest>} opened the manifest and the arrays.
   * @param {Outlook | null} outlook knows what a state may still bring (`row`) and what it takes
   *   to win (`winShares`), null if nothing does.
   */
  constructor({ manifest, arrays }, outlook = null) {
    this.manifest = manifest;
    this.arrays = arrays;
    this.sheet = manifest.sheet;
    const { keeps, grown } = manifest.turn;
    this.keeps = keeps;
    this.firstRoll = grown.length;
    /** @type {Map<string, number>} */
    this.rollOf = new Map();
    for (let keep = 0; keep < keeps.length; keep++) this.rollOf.set(keeps[keep].join(), keep);
    this.grown = Uint16Array.from(grown.flat());
    // Keeps one die below each keep, as a flat list and where each keep's part begins.
    const below = keeps.map(() => /** @type {number[]} */ ([]));
    grown.forEach((row, keep) => row.forEach((more) => below[more].push(keep)));
    this.below = Uint16Array.from(below.flat());
    this.belowStart = new Uint16Array(keeps.length + 1);
    below.forEach((found, keep) => {
      this.belowStart[keep + 1] = this.belowStart[keep] + found.length;
    });
    this.sums = manifest.arrays.column.shape[1];
    this.payments = this._payments();
    this.possible = this._possible();
    this.extraRolls = new Set(this.sheet.extra_points > 0 ? this.sheet.extra_rolls : []);
    /** @type {Map<string, Turn>} */
    this.turns = new Map();
    this.outlook = outlook;
  }

  /**
   * Return every legal move with its value, best first, as `ustad ask --json` answers it.
   * While dice are to fall there is no move, and the value is that of the position.
   *
   * @param {SheetPosition} position the position.
   * @param {string} level one of the manifest's `levels`.  Yacht: hard plays for the total,
   *   expert to win; alone at the table both play for the total.
   * @returns {SheetAnswer}
   */
  ask(position, level = "expert") {
    const unit = unitOf(this.manifest, level);
    const found = this._read(position);
    if (unit !== "win_share") return this._byTotal(found, unit);
    if (found.others.length === 0) {
      return { ...this._byTotal(found, "expected_total"), note: ALONE };
    }
    if (this.outlook === null) {
      const remedy =
        "outlook" in this.manifest
          ? "open it with yacht.js and the outlook's file"
          : "this export was made without one";
      throw new ExportError("level", `level: ${level} needs the outlook: ${remedy}`);
    }
    return { ...this._byShare(found), outlook: this.outlook.facts.name };
  }

  /**
   * Answer by the expected total.
   *
   * @param {Found} found
   * @param {Unit} unit
   * @returns {SheetAnswer}
   */
  _byTotal({ state, total, roll, rollsLeft, kept }, unit) {
    const turn = this._turn(state, []);
    if (roll !== null) return ranked(this._options(turn, roll, rollsLeft, total), unit);
    const toCome = kept === null ? this.value(state) : turn.keepValues[rollsLeft][kept];
    return { best: [], value: total + toCome, unit, options: [] };
  }

  /**
   * Answer by the share of the win; moves of one share are told apart by the expected total.
   *
   * @param {Found} found
   * @returns {SheetAnswer}
   */
  _byShare({ state, total, others, roll, rollsLeft, kept }) {
    const unit = "win_share";
    const turn = this._turn(state, others);
    if (roll === null) {
      const value =
        kept === null ? (turn.final ?? this._start(turn)) : turn.keepValues[rollsLeft][kept];
      return { best: [], value, unit, options: [] };
    }
    const totals = this._options(this._turn(state, []), roll, rollsLeft, total);
    const options = this._options(turn, roll, rollsLeft, 0).map((option, at) => {
      return { ...option, expected_total: totals[at].value };
    });
    const { best: tied, value, options: sorted } = ranked(options, unit);
    const inTotal = sorted.slice(0, tied.length).map(({ move, expected_total }) => {
      return { move, value: expected_total };
    });
    const { best, options: byTotal } = ranked(inTotal, unit);
    const first = byTotal.map(({ move, value: expected_total }) => {
      return { move, value, expected_total };
    });
    return { best, value, unit, options: [...first, ...sorted.slice(tied.length)] };
  }

  /**
   * Return every legal move with its value by a solved turn, in their order.
   *
   * @param {Turn} turn
   * @param {number} roll
   * @param {number} rollsLeft
   * @param {number} total the points made, added to each value
   */
  _options(turn, roll, rollsLeft, total) {
    /** @type {SheetOption[]} */
    const options = [];
    if (rollsLeft > 0) {
      for (const keep of this.subKeeps(roll)) {
        const value = total + turn.keepValues[rollsLeft][keep];
        options.push({ move: { keep: this.keeps[keep] }, value });
      }
    }
    for (const { box, value } of this._writes(turn, roll - this.firstRoll, rollsLeft)) {
      /** @type {SheetMove} */
      const move = box < 0 ? { pass: true } : { write: this.sheet.boxes[box] };
      options.push({ move, value: total + value });
    }
    return options;
  }

  /**
   * Return the best dice to keep and their value, null if it is better to write or pass.
   *
   * @param {SheetPosition} position
   */
  bestKeep(position, level = "expert") {
    const { best, value } = this.ask(position, level);
    const move = best.find((found) => "keep" in found);
    return move === undefined ? null : { keep: move.keep, value };
  }

  /**
   * Return the best move, the first of equals, null while dice are to fall.
   *
   * @param {SheetPosition} position
   */
  bestMove(position, level = "expert") {
    return this.ask(position, level).best[0] ?? null;
  }

  /**
   * Return the keeps of at most four dice that a roll contains, in their order.
   *
   * @param {number} roll
   */
  subKeeps(roll) {
    /** @type {Set<number>} */
    const found = new Set();
    /** @param {number} keep */
    const visit = (keep) => {
      for (let at = this.belowStart[keep]; at < this.belowStart[keep + 1]; at++) {
        if (!found.has(this.below[at])) {
          found.add(this.below[at]);
          visit(this.below[at]);
        }
      }
    };
    visit(roll);
    return [...found].sort((a, b) => a - b);
  }

  /**
   * Return the index of a state among the values.
   *
   * @param {State} state
   */
  place(state) {
    const { counting, lowest_sum, column_start, stride } = this.sheet;
    const { part_weight, held_weight, turns_weight } = this.sheet;
    const first = state.open & ((1 << counting) - 1);
    let part = held_weight * state.held + turns_weight * state.turns;
    part_weight.forEach((weight, box) => {
      part += weight * ((state.open >> box) & 1);
    });
    const column = this.arrays.column[first * this.sums + state.sum - lowest_sum];
    return column_start[first] + column + stride[first] * part;
  }

  /**
   * Return the points still to come at the start of a turn.
   *
   * @param {State} state
   */
  value(state) {
    const { scale, offset } = this.manifest.arrays.values;
    return offset + scale * this.arrays.values[this.place(state)];
  }

  /**
   * Return for each box the points that it can hold, and with them sets of boxes, as bits: those
   * of one of the sets must be written too, since as long as one was open no roll wrote them.
   */
  _possible() {
    const { boxes, cases, pays, roll_cases } = this.sheet;
    /** @type {Map<unknown, Set<number>>[]} */
    const found = boxes.map(() => new Map());
    roll_cases.forEach((list, roll) => {
      let before = 0;
      for (const held of cases[list]) {
        found.forEach((known, box) => {
          held.pays.forEach((table, rollsLeft) => {
            if (!(((mayWrite(held, rollsLeft) & ~before) >> box) & 1)) return;
            const points = pays[table][roll][box];
            const sets = known.get(points) ?? new Set();
            known.set(points, sets.add(before));
          });
        });
        before |= held.any_open;
      }
    });
    found.forEach((known, box) => this._mayBeDashed(box) && known.delete(0));
    return found.map((known) => new Map([...known].map(([points, sets]) => [points, [...sets]])));
  }

  /** Return the pairs of a box and points that can be written, and where to find them. */
  _payments() {
    const { boxes, pays } = this.sheet;
    /** @type {{ box: number, points: number }[]} */
    const found = [];
    /** @type {Map<number, number>} */
    const number = new Map();
    for (const table of pays) {
      for (const row of table) {
        row.forEach((points, box) => {
          const key = points * boxes.length + box;
          if (!number.has(key)) {
            number.set(key, found.length);
            found.push({ box, points });
          }
        });
      }
    }
    /** @type {(points: number, box: number) => number} */
    const numberOf = (points, box) => number.get(points * boxes.length + box) ?? -1;
    const of = pays.map((table) => table.map((row) => row.map(numberOf)));
    return { found, of };
  }

  /**
   * @param {number} open
   * @param {number} sum
   */
  _earned(open, sum) {
    const least = this.sheet.bonus_from[open & ((1 << this.sheet.counting) - 1)];
    return least !== null && sum >= least ? this.sheet.bonus : 0;
  }

  /** @param {State} state */
  _isOver(state) {
    return state.open === 0 || (this.sheet.turns_weight > 0 && state.turns === 0);
  }

  /**
   * Return what points in the held box make of a sheet.
   *
   * @param {unknown} points
   */
  _held(points) {
    const found = this.sheet.held_by_points.find(([paid]) => paid === points);
    return /** @type {[number, number]} */ (found)[1];
  }

  /**
   * Return the state after writing points into a box, or passing, with box -1; what it brings.
   *
   * @param {State} state
   * @param {number} box
   * @param {number} points
   */
  _after(state, box, points) {
    const { counting, lowest_sum, held_box } = this.sheet;
    const after = { ...state, turns: state.turns - 1 };
    if (box >= 0) after.open = state.open & ~(1 << box);
    if (box >= 0 && box < counting) {
      after.sum = Math.min(state.sum + points, this.sums - 1 + lowest_sum);
    }
    if (box >= 0 && box === held_box) after.held = this._held(points);
    const bonus = this._earned(after.open, after.sum) - this._earned(state.open, state.sum);
    return { after, brings: points + bonus };
  }

  /**
   * Return a turn, solved: what each keep is worth with 1 and 2 rolls left.
   *
   * @param {State} state the own state.
   * @param {Opponent[]} others of each opponent the state's place and my total less theirs; none
   *   to play for the total.
   */
  _turn(state, others) {
    const own = `${state.open},${state.sum},${state.held},${state.turns}`;
    const key = others.map(({ place, lead }) => `${place},${lead}`).sort().join(";");
    let turn = this.turns.get(`${own}|${key}`);
    if (turn === undefined) {
      turn = this._solve(state, others.length > 0 ? this._shareGain(others) : this._pointsGain());
      if (this.turns.size >= REMEMBERED) this.turns.clear();
      this.turns.set(`${own}|${key}`, turn);
    }
    return turn;
  }

  /**
   * Return how to rate a state after points were brought: by the expected total.
   *
   * @returns {Gain}
   */
  _pointsGain() {
    return (after, brings) => this.value(after) + brings;
  }

  /**
   * Return how to rate a state after points were brought: by the share of the win.
   *
   * @param {Opponent[]} others
   * @returns {Gain}
   */
  _shareGain(others) {
    const outlook = /** @type {Outlook} */ (this.outlook);
    const field = others.map(({ place }) => outlook.row(place));
    const leads = others.map(({ lead }) => lead);
    /** @type {Map<number, Float64Array>} */
    const rows = new Map();
    /** @type {Float64Array} */
    let shares = new Float64Array(0);
    return (after, brings) => {
      const place = this.place(after);
      let row = rows.get(place);
      if (row === undefined) {
        row = outlook.row(place);
        rows.set(place, row);
      }
      if (shares.length < brings + row.length) {
        shares = outlook.winShares(field, leads, brings + row.length + 200);
      }
      let share = 0;
      for (let points = 0; points < row.length; points++) {
        share += row[points] * shares[brings + points];
      }
      return share;
    };
  }

  /**
   * @param {State} state
   * @param {Gain} gainOf
   * @returns {Turn}
   */
  _solve(state, gainOf) {
    const { cases, roll_cases, extra_points, extra_held } = this.sheet;
    const paysExtra = extra_points > 0 && state.held === extra_held;
    /** @type {(found: Case) => boolean} */
    const holds = ({ any_open }) => any_open === 0 || (state.open & any_open) !== 0;
    const chosen = cases.map((list) => /** @type {Case} */ (list.find(holds)));
    /** @type {Set<number>} */
    const used = new Set();
    for (const roll of this.extraRolls) {
      const { pays } = chosen[roll_cases[roll]];
      pays.forEach((table) => this.payments.of[table][roll].forEach((found) => used.add(found)));
    }
    const gains = new Float64Array(this.payments.found.length).fill(-Infinity);
    const extraGains = paysExtra ? new Float64Array(gains.length).fill(-Infinity) : gains;
    this.payments.found.forEach(({ box, points }, number) => {
      if (((state.open >> box) & 1) === 0) return;
      const { after, brings } = this._after(state, box, points);
      gains[number] = gainOf(after, brings);
      if (paysExtra && used.has(number)) extraGains[number] = gainOf(after, brings + extra_points);
    });
    const boxes = this.sheet.boxes.map((_, box) => box).filter((box) => (state.open >> box) & 1);
    const passed = chosen.some((found) => found.passes) ? this._after(state, -1, 0) : null;
    const worth = new Float64Array(this.keeps.length);
    /** @type {Turn} */
    const turn = {
      gains,
      extraGains,
      chosen,
      boxes,
      pass: passed === null ? -Infinity : gainOf(passed.after, passed.brings),
      final: this._isOver(state) ? gainOf(state, 0) : null,
      keepValues: [],
      rolled: worth,
    };
    if (turn.final !== null) return turn;
    const rolls = roll_cases.length;
    for (let rollsLeft = 0; rollsLeft < this.manifest.turn.rolls_a_turn; rollsLeft++) {
      if (rollsLeft > 0) {
        // `worth` holds what each roll is worth with one roll less: rate the keeps by it.
        const values = Float64Array.from(worth);
        this._rateKeeps(values);
        turn.keepValues[rollsLeft] = values;
        this._bestBelow(values, worth);
      }
      for (let roll = 0; roll < rolls; roll++) {
        const stop = this._bestWrite(turn, roll, rollsLeft);
        const at = this.firstRoll + roll;
        worth[at] = rollsLeft > 0 ? Math.max(stop, worth[at]) : stop;
      }
    }
    return turn;
  }

  /**
   * Return what a turn is worth before its first roll.
   *
   * @param {Turn} turn
   */
  _start(turn) {
    const values = Float64Array.from(turn.rolled);
    this._rateKeeps(values);
    return values[0];
  }

  /**
   * Fill in the keeps of at most four dice: the mean over the keeps with one die more.
   *
   * @param {Float64Array} values
   */
  _rateKeeps(values) {
    const { grown } = this;
    const { faces } = this.manifest.turn;
    const chance = 1 / faces;
    for (let keep = this.firstRoll - 1; keep >= 0; keep--) {
      let sum = 0;
      for (let at = faces * keep; at < faces * (keep + 1); at++) sum += values[grown[at]];
      values[keep] = sum * chance;
    }
  }

  /**
   * Fill `best` with the best keep of at most four dice within each keep and roll.
   *
   * @param {Float64Array} values
   * @param {Float64Array} best
   */
  _bestBelow(values, best) {
    for (let keep = 0; keep < best.length; keep++) {
      let most = keep < this.firstRoll ? values[keep] : -Infinity;
      for (let at = this.belowStart[keep]; at < this.belowStart[keep + 1]; at++) {
        if (best[this.below[at]] > most) most = best[this.below[at]];
      }
      best[keep] = most;
    }
  }

  /**
   * @param {Turn} turn
   * @param {number} roll
   */
  _gains(turn, roll) {
    return this.extraRolls.has(roll) ? turn.extraGains : turn.gains;
  }

  /**
   * @param {Turn} turn
   * @param {number} roll
   * @param {number} rollsLeft
   */
  _bestWrite(turn, roll, rollsLeft) {
    const found = turn.chosen[this.sheet.roll_cases[roll]];
    const payments = this.payments.of[found.pays[rollsLeft]][roll];
    const gains = this._gains(turn, roll);
    const may = mayWrite(found, rollsLeft);
    let best = found.passes ? turn.pass : -Infinity;
    for (const box of turn.boxes) {
      if ((may >> box) & 1) {
        const gain = gains[payments[box]];
        if (gain > best) best = gain;
      }
    }
    return best;
  }

  /**
   * Return the writes that a roll allows, in the order of the sheet, then the pass, box -1.
   *
   * @param {Turn} turn
   * @param {number} roll
   * @param {number} rollsLeft
   */
  _writes(turn, roll, rollsLeft) {
    const found = turn.chosen[this.sheet.roll_cases[roll]];
    const payments = this.payments.of[found.pays[rollsLeft]][roll];
    const gains = this._gains(turn, roll);
    const may = mayWrite(found, rollsLeft);
    const writes = turn.boxes
      .filter((box) => (may >> box) & 1)
      .map((box) => ({ box, value: gains[payments[box]] }));
    return found.passes ? [...writes, { box: -1, value: turn.pass }] : writes;
  }

  // Reading positions.

  /**
   * @param {unknown} position
   * @returns {Found}
   */
  _read(position) {
    const known = ["game", "options", "sheets", "first", "to_move", "kept", "dice", "rolls_left"];
    if (this.sheet.turns_weight) known.push("turns_left");
    checkKeys(position, "position", known);
    checkGame(this.manifest, position);
    const { sheets, turns_left: turnsLeft = null } = position;
    const [least, most] = this.manifest.seats;
    if (!isList(sheets, least, most, isObject)) {
      refuse("sheets", `a list of ${least} to ${most} sheets`, sheets);
    }
    const seats = sheets.length;
    const { to_move: seat = seats === 1 ? 0 : undefined, first = 0 } = position;
    if (!isWhole(seat, 0, seats - 1)) refuse("to_move", `a seat below ${seats}`, seat);
    if (!isWhole(first, 0, seats - 1)) refuse("first", `a seat below ${seats}`, first);
    const found = sheets.map((sheet, at) => this._readSheet(sheet, at, seats, turnsLeft));
    // From the first roller to the seat before the one to move, each is one turn ahead.
    found.forEach(({ left }, at) => {
      const ahead = (at - first + seats) % seats < (seat - first + seats) % seats;
      const expected = found[seat].left - (ahead ? 1 : 0);
      if (left !== expected) refuse(`sheets[${at}]`, `${expected} turns to go`, left);
    });
    const { state, total } = found[seat];
    const others = found
      .filter((_, at) => at !== seat)
      .map((other) => ({ place: this.place(other.state), lead: total - other.total }));
    return { state, total, others, ...this._readRoll(position, state) };
  }

  /**
   * @param {unknown} sheet
   * @param {number} seat
   * @param {number} seats
   * @param {unknown} turnsLeft of all seats
   */
  _readSheet(sheet, seat, seats, turnsLeft) {
    const { boxes, counting, lowest_sum, held_box, extra_key } = this.sheet;
    const name = `sheets[${seat}]`;
    checkKeys(sheet, name, extra_key === null ? boxes : [...boxes, extra_key]);
    let open = 0;
    let sum = 0;
    let total = 0;
    const written = boxes.map((label) => sheet[label] ?? undefined); // null: open
    boxes.forEach((label, box) => {
      const points = written[box];
      const ended = Array.isArray(turnsLeft) && turnsLeft[seat] === 0;
      const dashed = this._mayBeDashed(box) && points === 0 && ended;
      if (points === undefined || dashed) {
        open |= 1 << box;
        return;
      }
      if (typeof points !== "number" || !this.possible[box].has(points)) {
        refuse(`${name}: ${label}`, "points it can hold", points);
      }
      total += points;
      if (box < counting) sum += points;
    });
    written.forEach((points, box) => {
      const sets = (open >> box) & 1 ? [0] : (this.possible[box].get(points) ?? []);
      const beside = "points it can hold beside open boxes";
      if (sets.every((set) => set & open)) refuse(`${name}: ${boxes[box]}`, beside, points);
    });
    const turns = this._readTurns(turnsLeft, seat, seats, open);
    if (turns === 0) open = 0; // what is empty when no turn is left stays empty
    sum = Math.min(sum, this.sums - 1 + lowest_sum);
    const first = open & ((1 << counting) - 1);
    if (this.arrays.column[first * this.sums + sum - lowest_sum] === NO_COLUMN) {
      refuse(name, "points that a game can bring together", sheet);
    }
    const rest = ((1 << boxes.length) - 1) & ~((1 << counting) - 1);
    if (this.sheet.stride[first] === 0 && (open & rest) !== rest) {
      refuse(name, `only the first ${counting} boxes written before they are full`, sheet);
    }
    let held = 0;
    if (held_box !== null && written[held_box] !== undefined) held = this._held(written[held_box]);
    const { [String(extra_key)]: extras = 0 } = sheet;
    if (extras !== 0) {
      const most = held === this.sheet.extra_held ? this._mostExtras(written) : 0;
      if (!isWhole(extras, 0, most)) refuse(`${name}: ${extra_key}`, `0 to ${most}`, extras);
    }
    total += this._earned(open, sum) + this.sheet.extra_points * extras;
    let left = 0;
    for (let box = 0; box < boxes.length; box++) left += (open >> box) & 1;
    return { state: { open, sum, held, turns: turns ?? 0 }, total, left: turns ?? left };
  }

  /**
   * Return the most extras that a sheet can have had.
   *
   * @param {unknown[]} held the points of its boxes
   */
  _mostExtras(held) {
    /** @param {(points: unknown) => boolean} test */
    const bits = (test) => {
      let found = 0;
      held.forEach((points, box) => test(points) && (found |= 1 << box));
      return found;
    };
    const written = bits((points) => points !== undefined);
    const zeros = bits((points) => points === 0);
    const { extra_ways: ways, extra_marks: marks } = this.sheet;
    const counts = ways.map(([zero, all, some]) => {
      if (zero & ~zeros || all & ~written || (some && !(some & written))) return 0;
      const early = written & ~zero;
      const marked = marks.filter(
        ([box, points, any]) => held[box] === points && (any === 0 || any & early),
      );
      return marked.length + held.filter((_, box) => (zero >> box) & 1).length;
    });
    return Math.max(0, ...counts);
  }

  /**
   * Tell whether a box is given up, with 0, only when no turn is left.
   *
   * @param {number} box
   */
  _mayBeDashed(box) {
    return this.sheet.turns_weight > 0 && box >= this.sheet.counting;
  }

  /**
   * Return the turns left of a sheet, null where they do not matter.
   *
   * @param {unknown} list
   * @param {number} seat
   * @param {number} seats
   * @param {number} open
   */
  _readTurns(list, seat, seats, open) {
    const { turns_weight, stride, counting, boxes } = this.sheet;
    if (!turns_weight) return null;
    let openBoxes = 0;
    for (let box = 0; box < boxes.length; box++) openBoxes += (open >> box) & 1;
    const matter = stride[open & ((1 << counting) - 1)] !== 0;
    if (list !== null && (!Array.isArray(list) || list.length !== seats)) {
      refuse("turns_left", "a list with one number a sheet", list);
    }
    /** @type {unknown} */
    const given = list === null ? null : list[seat];
    if (given === null && (!matter || openBoxes === 0)) return openBoxes;
    if (!isWhole(given, matter ? 0 : openBoxes, openBoxes)) {
      refuse(`turns_left[${seat}]`, `a whole number of at most ${openBoxes}`, given);
    }
    return given;
  }

  /**
   * @param {string} key
   * @param {unknown} value
   * @param {number} least
   * @param {number} most
   */
  _readDice(key, value, least, most) {
    const { faces } = this.manifest.turn;
    if (!isList(value, least, most, (die) => isWhole(die, 1, faces))) {
      refuse(key, `a list of ${least} to ${most} dice from 1 to ${faces}`, value);
    }
    const sorted = [...value].sort((a, b) => a - b).join();
    return /** @type {number} */ (this.rollOf.get(sorted));
  }

  /**
   * @param {Record<string, unknown>} position
   * @param {State} state
   * @returns {Rolled | Waiting}
   */
  _readRoll(position, state) {
    const { dice, rolls_a_turn: rolls } = this.manifest.turn;
    const { rolls_left: rollsLeft, dice: given } = position;
    const kept = position.kept ?? null;
    const over = this._isOver(state);
    if (given !== null) {
      if (over) refuse("dice", "null, since the sheet is full", given);
      if (kept !== null) refuse("kept", "nothing beside dice", kept);
      if (!isWhole(rollsLeft, 0, rolls - 1)) refuse("rolls_left", `0 to ${rolls - 1}`, rollsLeft);
      return { roll: this._readDice("dice", given, dice, dice), rollsLeft, kept: null };
    }
    if (kept === null) {
      if (rollsLeft !== rolls) refuse("rolls_left", `${rolls}`, rollsLeft);
      return { roll: null, rollsLeft, kept: null };
    }
    if (over) refuse("kept", "nothing, since the sheet is full", kept);
    if (!isWhole(rollsLeft, 1, rolls - 1)) refuse("rolls_left", `1 to ${rolls - 1}`, rollsLeft);
    return { roll: null, rollsLeft, kept: this._readDice("kept", kept, 0, dice - 1) };
  }
}
