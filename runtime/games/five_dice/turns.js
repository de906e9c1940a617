/**
 * The turns of a game of five dice and a sheet, solved by the arrays of an export.
 *
 * No rule stands here: what the boxes are, what each roll pays there, who may write what and how
 * states are numbered is in the manifest (see its `index_formula`, `sheet` and `turn`).  What is
 * here is the play of a turn: the value of a keep is the mean over the six keeps with one die
 * more, the value of a roll that of its best keep or write.
 */

import { mustNumberStates } from "./export.js";

/** @import { Manifest, Opened, Place, Rounded } from "./export.js" */

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
 * @property {string[]} moves the keys that a move may have
 * @property {"win_share" | "settlement"} returns what a finished game is about
 * @property {Record<string, string>} thumbs the rules of thumb, by level
 * @property {Sheet} sheet
 * @property {TurnFacts} turn
 * @property {{ values: Rounded, column: Place }} arrays
 *
 * @typedef {Manifest & SheetKeys} SheetManifest
 */

/**
 * A sheet as the table knows it (boxes as bits), and an opponent's.
 *
 * @typedef {{ open: number, sum: number, held: number, turns: number }} State
 * @typedef {{ place: number, lead: number }} Opponent
 *
 * What a state is worth after points were brought by a write, or by a pass with box -1.
 * @typedef {(after: State, brings: number, box: number, points: number) => number} Gain
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


const REMEMBERED = 256;

/**
 * Return the boxes that may be written if they are open, as bits.
 *
 * @param {Case} found
 * @param {number} rollsLeft
 */
function mayWrite({ write, last }, rollsLeft) {
  return rollsLeft > 0 ? write & ~last : write;
}

export class Turns {
  /**
   * @param {Opened<SheetManifest>} opened the manifest and the arrays.
   * @param {Outlook | null} outlook knows what a state may still bring (`row`) and what it takes
   *   to win (`winShares`), null if nothing does.
   */
  constructor({ manifest, arrays }, outlook = null) {
    mustNumberStates(manifest, 1);
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
      for (const { any_open, write, pays: tables } of cases[list]) {
        found.forEach((known, box) => {
          if (!(((write & ~before) >> box) & 1)) return;
          for (const table of tables) {
            const points = pays[table][roll][box];
            const sets = known.get(points) ?? new Set();
            known.set(points, sets.add(before));
          }
        });
        before |= any_open;
      }
    });
    found.forEach((known, box) => this.mayBeDashed(box) && known.delete(0));
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
  earned(open, sum) {
    const least = this.sheet.bonus_from[open & ((1 << this.sheet.counting) - 1)];
    return least !== null && sum >= least ? this.sheet.bonus : 0;
  }

  /** @param {State} state */
  isOver(state) {
    return state.open === 0 || (this.sheet.turns_weight > 0 && state.turns === 0);
  }

  /**
   * Return what points in the held box make of a sheet.
   *
   * @param {unknown} points
   */
  heldBy(points) {
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
  after(state, box, points) {
    const { counting, lowest_sum, held_box } = this.sheet;
    const after = { ...state, turns: state.turns - 1 };
    if (box >= 0) after.open = state.open & ~(1 << box);
    if (box >= 0 && box < counting) {
      after.sum = Math.min(state.sum + points, this.sums - 1 + lowest_sum);
    }
    if (box >= 0 && box === held_box) after.held = this.heldBy(points);
    const bonus = this.earned(after.open, after.sum) - this.earned(state.open, state.sum);
    return { after, brings: points + bonus };
  }

  /**
   * Return a turn, solved: what each keep is worth with 1 and 2 rolls left.
   *
   * @param {State} state the own state.
   * @param {Opponent[]} others of each opponent the state's place and my total less theirs; none
   *   to play for the total.
   */
  solved(state, others) {
    const own = `${state.open},${state.sum},${state.held},${state.turns}`;
    const key = others.map(({ place, lead }) => `${place},${lead}`).sort().join(";");
    let turn = this.turns.get(`${own}|${key}`);
    if (turn === undefined) {
      turn = this.solve(state, others.length > 0 ? this._shareGain(others) : this._pointsGain());
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
   * Return a turn, solved.
   *
   * @param {State} state
   * @param {Gain} gainOf what writes and passes are worth.
   * @param {boolean} ahead whether keeps look further than the next throw, which is else the last.
   * @returns {Turn}
   */
  solve(state, gainOf, ahead = true) {
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
      const { after, brings } = this.after(state, box, points);
      gains[number] = gainOf(after, brings, box, points);
      if (!paysExtra || !used.has(number)) return;
      extraGains[number] = gainOf(after, brings + extra_points, box, points);
    });
    const boxes = this.sheet.boxes.map((_, box) => box).filter((box) => (state.open >> box) & 1);
    const passed = chosen.some((found) => found.passes) ? this.after(state, -1, 0) : null;
    const worth = new Float64Array(this.keeps.length);
    /** @type {Turn} */
    const turn = {
      gains,
      extraGains,
      chosen,
      boxes,
      pass: passed === null ? -Infinity : gainOf(passed.after, passed.brings, -1, 0),
      final: this.isOver(state) ? gainOf(state, 0, -1, 0) : null,
      keepValues: [],
      rolled: worth,
    };
    if (turn.final !== null) return turn;
    const rolls = roll_cases.length;
    for (let rollsLeft = 0; rollsLeft < this.manifest.turn.rolls_a_turn; rollsLeft++) {
      if (rollsLeft > 0) {
        // `worth` holds what each roll is worth with one roll less: rate the keeps by it.
        // Who does not look ahead takes the next throw for the last.
        const rated = ahead || rollsLeft === 1;
        const values = rated ? Float64Array.from(worth) : turn.keepValues[1];
        if (rated) this.rateKeeps(values);
        turn.keepValues[rollsLeft] = values;
        this.bestBelow(values, worth);
      }
      for (let roll = 0; roll < rolls; roll++) {
        const stop = this._bestWrite(turn, roll, rollsLeft);
        const at = this.firstRoll + roll;
        worth[at] = rollsLeft > 0 && ahead ? Math.max(stop, worth[at]) : stop;
      }
    }
    return turn;
  }

  /**
   * Return what a turn is worth before its first roll.
   *
   * @param {Turn} turn
   */
  start(turn) {
    const values = Float64Array.from(turn.rolled);
    this.rateKeeps(values);
    return values[0];
  }

  /**
   * Fill in the keeps of at most four dice: the mean over the keeps with one die more.
   *
   * @param {Float64Array} values
   */
  rateKeeps(values) {
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
  bestBelow(values, best) {
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
  writes(turn, roll, rollsLeft) {
    const found = turn.chosen[this.sheet.roll_cases[roll]];
    const payments = this.payments.of[found.pays[rollsLeft]][roll];
    const gains = this._gains(turn, roll);
    const may = mayWrite(found, rollsLeft);
    const writes = turn.boxes
      .filter((box) => (may >> box) & 1)
      .map((box) => ({ box, value: gains[payments[box]] }));
    return found.passes ? [...writes, { box: -1, value: turn.pass }] : writes;
  }

  /** Return the rolls, by number. */
  get rolls() {
    return [...this.sheet.roll_cases.keys()];
  }

  /**
   * Return what a roll pays in each box.
   *
   * @param {Turn} turn
   * @param {number} roll
   * @param {number} rollsLeft
   */
  pointsOf(turn, roll, rollsLeft) {
    const found = turn.chosen[this.sheet.roll_cases[roll]];
    return this.sheet.pays[found.pays[rollsLeft]][roll];
  }

  /**
   * Return the best keep or write of a roll, the first of equals, keeps before writes.
   *
   * @param {Turn} turn
   * @param {number} roll
   * @param {number} rollsLeft
   * @param {Turn} [second] the same turn by what tells equals apart.
   * @returns {{ keep: number } | { box: number }}
   */
  bestChoice(turn, roll, rollsLeft, second) {
    const choices = this._choices(turn, roll, rollsLeft);
    const most = Math.max(...choices.map(({ value }) => value));
    const tied = [...choices.keys()].filter((at) => choices[at].value >= most - 1e-9);
    if (second === undefined || tied.length === 1) return choices[tied[0]];
    const others = this._choices(second, roll, rollsLeft);
    const best = Math.max(...tied.map((at) => others[at].value));
    return choices[/** @type {number} */ (tied.find((at) => others[at].value >= best - 1e-9))];
  }

  /**
   * Return the keeps and writes of a roll with their values, in the rules' order.
   *
   * @param {Turn} turn
   * @param {number} roll
   * @param {number} rollsLeft
   * @returns {({ keep: number, value: number } | { box: number, value: number })[]}
   */
  _choices(turn, roll, rollsLeft) {
    const writes = this.writes(turn, roll, rollsLeft);
    if (rollsLeft === 0) return writes;
    const values = turn.keepValues[rollsLeft];
    const kept = this.subKeeps(this.firstRoll + roll);
    return [...kept.map((keep) => ({ keep, value: values[keep] })), ...writes];
  }

  /**
   * Return for each keep the mean of rows of numbers over the rolls that follow it.
   *
   * @param {Float64Array[]} rows by roll
   * @param {number} columns
   */
  meanOfRows(rows, columns) {
    const found = this.keeps.map(() => new Float64Array(columns));
    const values = new Float64Array(this.keeps.length);
    for (let column = 0; column < columns; column++) {
      rows.forEach((row, roll) => (values[this.firstRoll + roll] = row[column]));
      this.rateKeeps(values);
      for (let keep = 0; keep < this.firstRoll; keep++) found[keep][column] = values[keep];
    }
    return found;
  }

  /**
   * Return what may be done with a roll while some boxes are open, and what it pays.
   *
   * @param {number} open
   * @param {number} roll from 0
   * @param {number} rollsLeft
   */
  caseOf(open, roll, rollsLeft) {
    const { cases, roll_cases, pays } = this.sheet;
    const found = /** @type {Case} */ (
      cases[roll_cases[roll]].find(({ any_open }) => any_open === 0 || (open & any_open) !== 0)
    );
    const points = pays[found.pays[rollsLeft]][roll];
    return { write: mayWrite(found, rollsLeft), passes: found.passes, points };
  }

  /**
   * Tell whether a box is given up, with 0, only when no turn is left.
   *
   * @param {number} box
   */
  mayBeDashed(box) {
    return this.sheet.turns_weight > 0 && box >= this.sheet.counting;
  }

  /**
   * Return the most extras that a sheet can have had.
   *
   * @param {unknown[]} held the points of its boxes
   */
  mostExtras(held) {
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
}
