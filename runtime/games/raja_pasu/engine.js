/**
 * Plays Raja Pasu from an export: the exact margins of the rounds with one number of closed
 * holes.  Every legal move is sown and the position after it looked up.
 *
 *     import { open } from "./raja_pasu.js";
 *     const game = open(manifest, values);       // the text or object, and the bytes
 *     game.ask(position);                        // {best, value, unit, options, exact}
 *
 * Positions and moves are those of `ustad ask`: {"game": "raja_pasu", "board": [14 numbers],
 * "closed": [], "to_move": 0, "captured": [0, 0]}, and `earlier` boards since the last
 * irreversible move.  Of equally good moves the first of `best` is the one to play: it
 * captures most, or its value can be made good in the fewest moves, so that no game goes
 * round for ever.  A position that leads out of the table is refused: it cannot arise from a
 * start of such a round.
 */

import {
  checkGame,
  checkKeys,
  ExportError,
  isList,
  isWhole,
  mustHold,
  opened,
  openExport,
  ranked,
  refuse,
  unitOf,
} from "./export.js";

export { ExportError, parseManifest } from "./export.js";

/** @import { Answer, Manifest, Numbers, Opened } from "./export.js" */

/**
 * @typedef {object} RajaPasuFacts
 * @property {number} holes
 * @property {number} row
 * @property {number} pasu
 * @property {number} seeds_a_hole
 * @property {number} most_rounds
 *
 * @typedef {{ origin: "sown" | "skipped", closed: number }} RajaPasuOptions
 * @typedef {Manifest & { options: RajaPasuOptions, raja_pasu: RajaPasuFacts }} RajaPasuManifest
 *
 * @typedef {object} RajaPasuPosition
 * @property {"raja_pasu"} game
 * @property {Record<string, unknown>} [options]
 * @property {number[]} board
 * @property {number[]} [closed]
 * @property {number} to_move
 * @property {number[]} [captured]
 * @property {number[][]} [earlier]
 * @property {{ owned: number[], round: number, leader: number } | null} [match]
 *
 * @typedef {{ move: { hole: number }, value: number }} RajaPasuOption
 * @typedef {Answer<RajaPasuOption> & { exact: boolean }} RajaPasuAnswer
 */

/**
 * A position, and a move with what follows it: `gain` is what the mover takes more than the
 * other, `after` the seeds as the next mover sees them, `other` how many holes are that one's,
 * `margin` the table's.
 *
 * @typedef {{ board: number[], closed: number[], mover: number, earlier: number[][] }} State
 *
 * @typedef {object} Move
 * @property {number} hole
 * @property {number} value
 * @property {number} gain
 * @property {number} captured
 * @property {number[]} after
 * @property {number} other
 * @property {number} margin
 * @property {State} next
 *
 * @typedef {{ board: number[], taken: number[] }} Sown
 *
 * The mover's margin is not below the first and not above the second.
 * @typedef {[number, number]} Bounds
 */

/**
 * Open an export of Raja Pasu; a damaged one is refused.
 *
 * @param {unknown} manifest
 * @param {unknown} values
 */
export function open(manifest, values) {
  return opened(() => new RajaPasuTable(openExport(manifest, "raja_pasu.js", values)));
}

const KEYS = ["game", "options", "board", "closed", "to_move", "captured", "earlier", "match"];
const BLOCK = 64; // codes from one entry of the index to the next
const PATIENCE = 64; // laps after which a move is suspected to be endless
const DEEPEST = 100;
const MOST_EARLIER = 10_000; // boards that a position may remember
const MOST_NODES = 20_000; // positions around one with a past, at most

// Sowing.

/**
 * Sow lap after lap until the move has ended or so many laps are sown.
 *
 * @param {number[]} board the seeds of the open holes, the mover's first; changed in place.
 * @param {number} own how many of the holes are the mover's.
 * @param {number} hole where the first lap starts.
 * @param {boolean} skipped whether a lap leaves out the hole it began from.
 * @param {number} most the most laps to sow.
 * @param {number[]} taken what mover and opponent have taken; added to.
 * @param {number} pasu how many seeds are taken.
 * @returns {number[]} the laps sown, and the hole that the next would start from, -1 for none.
 */
function sowLaps(board, own, hole, skipped, most, taken, pasu) {
  const size = board.length;
  let laps = 0;
  while (laps < most) {
    const start = hole;
    const seeds = board[start];
    board[start] = 0;
    for (let sown = 0; sown < seeds; ) {
      hole = hole + 1 < size ? hole + 1 : 0;
      if (skipped && hole === start && size > 1) continue;
      sown += 1;
      board[hole] += 1;
      if (board[hole] === pasu) {
        board[hole] = 0;
        taken[hole < own ? 0 : 1] += pasu;
      }
    }
    laps += 1;
    hole = hole + 1 < size ? hole + 1 : 0;
    if (board[hole] === 0) {
      const beyond = hole + 1 < size ? hole + 1 : 0;
      taken[0] += board[beyond];
      board[beyond] = 0;
      return [laps, -1];
    }
  }
  return [laps, hole];
}

/**
 * Play a hole of a position; return the board after it, still seen by the mover, and takings.
 *
 * @type {(position: number[], own: number, hole: number, skipped: boolean, pasu: number) => Sown}
 */
function playHole(position, own, hole, skipped, pasu) {
  const board = [...position];
  const taken = [0, 0];
  const [, at] = sowLaps(board, own, hole, skipped, PATIENCE, taken, pasu);
  if (at < 0) return { board, taken };
  return playLong(position, own, hole, skipped, pasu);
}

/**
 * Play a hole like playHole, ending an endless relay where a lap would start as one before.
 *
 * @type {typeof playHole}
 */
function playLong(position, own, hole, skipped, pasu) {
  const board = [...position];
  const taken = [0, 0];
  const met = new Set();
  for (let at = hole; at >= 0; ) {
    const start = `${at},${board.join()}`;
    if (met.has(start)) break;
    met.add(start);
    [, at] = sowLaps(board, own, at, skipped, 1, taken, pasu);
  }
  return { board, taken };
}

/**
 * Return the text of a position around another: the seeds of its mover's ring, and whether the
 * mover of the other moves (0) or not (1).
 *
 * @param {number[]} seeds
 * @param {number} turn
 */
function nodeOf(seeds, turn) {
  return `${turn}:${seeds.join()}`;
}

export class RajaPasuTable {
  /** @param {Opened<RajaPasuManifest>} opened */
  constructor({ manifest, arrays }) {
    this.manifest = manifest;
    this.arrays = arrays;
    const { holes, row, pasu, seeds_a_hole: each } = manifest.raja_pasu;
    this.seedsAHole = each;
    this.allSeeds = each * holes;
    this.holes = holes;
    this.row = row;
    this.pasu = pasu;
    this.skipped = manifest.options.origin === "skipped";
    /** @type {Map<string, number>} */
    this.patterns = new Map();
    const width = manifest.arrays.patterns.shape[1];
    for (let at = 0; at < manifest.arrays.patterns.shape[0]; at++) {
      this.patterns.set(arrays.patterns.subarray(at * width, (at + 1) * width).join(), at);
    }
    const { first, values } = arrays;
    mustHold(first[0] === 0 && first.at(-1) === values.length, "arrays: a pattern for each value");
    mustHold(first.every((at, n) => n === 0 || first[n - 1] <= at), "arrays: patterns in order");
    this.blocks = this._blocks();
  }

  /** Note every 64th code of each pattern and where in `gaps` the next one begins. */
  _blocks() {
    const { gaps, first } = this.arrays;
    const patterns = first.length - 1;
    const starts = new Uint32Array(patterns + 1);
    for (let at = 0; at < patterns; at++) {
      starts[at + 1] = starts[at] + Math.ceil((first[at + 1] - first[at]) / BLOCK);
    }
    const codes = new Uint32Array(starts[patterns]);
    const bytes = new Uint32Array(starts[patterns]);
    let byte = 0;
    let block = 0;
    for (let at = 0; at < patterns; at++) {
      let code = 0;
      const count = first[at + 1] - first[at];
      for (let i = 0; i < count; i++) {
        let value = gaps[byte++];
        if (value > 127) {
          value -= 128;
          let weight = 128;
          for (;;) {
            mustHold(byte < gaps.length, "arrays: a gap for each value");
            const more = gaps[byte++];
            value += (more & 127) * weight;
            if (more < 128) break;
            weight *= 128;
          }
        }
        code += value;
        if (i % BLOCK === 0) {
          codes[block] = code;
          bytes[block++] = byte;
        }
      }
    }
    return { starts, codes, bytes };
  }

  /**
   * Return the mover's margin of a position, null if the table does not hold it.
   *
   * @param {number[]} seeds the mover's holes first
   * @param {number} own how many of them are the mover's
   */
  margin(seeds, own) {
    let sum = 0;
    let mine = 0;
    let code = 0;
    let weight = 1;
    const pattern = [];
    for (let hole = 0; hole < seeds.length; hole++) {
      const held = seeds[hole];
      sum += held;
      if (hole < own) mine += held;
      if (held < this.pasu) {
        code += held * weight;
        weight *= 4;
      }
      pattern.push(held < this.pasu ? 0 : held);
    }
    if (mine === 0) return -sum;
    pattern.push(own);
    const number = this.patterns.get(pattern.join());
    if (number === undefined) return null;
    const at = this._find(number, code);
    return at < 0 ? null : this.arrays.values[at];
  }

  /**
   * Return the place of a code of a pattern among the values, -1 if it is not there.
   *
   * @param {number} number
   * @param {number} code
   */
  _find(number, code) {
    const { gaps, first } = this.arrays;
    const { starts, codes, bytes } = this.blocks;
    let low = starts[number];
    let high = starts[number + 1] - 1;
    if (high < low || code < codes[low]) return -1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (codes[middle] <= code) low = middle;
      else high = middle - 1;
    }
    let at = first[number] + (low - starts[number]) * BLOCK;
    let found = codes[low];
    let byte = bytes[low];
    const end = Math.min(at + BLOCK, first[number + 1]);
    while (found < code && ++at < end) {
      let weight = 1;
      for (;;) {
        const more = gaps[byte++];
        found += (more & 127) * weight;
        if (more < 128) break;
        weight *= 128;
      }
    }
    return found === code && at < end ? at : -1;
  }

  /**
   * Return every legal move with the mover's margin from here to the end of the round, best
   * first; the first of `best` is the one to play.
   *
   * @param {RajaPasuPosition} position
   * @returns {RajaPasuAnswer}
   */
  ask(position, level = "expert") {
    const state = this._read(position);
    const unit = unitOf(this.manifest, level);
    if (this._isOver(state)) {
      const rest = this._remainder(state);
      const value = rest[state.mover] - rest[1 - state.mover];
      return { best: [], value, unit, options: [], exact: true };
    }
    const { holes, own } = this._ring(state);
    const seeds = holes.map((hole) => state.board[hole]);
    /** @type {Move[]} */
    const moves = [];
    for (let at = 0; at < own; at++) {
      if (seeds[at] > 0) moves.push(this._move(state, holes, seeds, own, at));
    }
    const twice = this._stoodTwice(state);
    const exact = twice.size === 0 || this._rateWithPast(state, moves, twice);
    const answer = ranked(
      moves.map(({ hole, value }) => ({ move: { hole }, value })),
      unit,
    );
    if (answer.best.length > 1) {
      const tied = moves.filter(({ hole }) => answer.best.some((move) => move.hole === hole));
      const { hole } = twice.size === 0 ? this._prefer(tied) : this._leadOn(state, tied);
      /** @param {{ hole: number }} move */
      const isFirst = (move) => Number(move.hole === hole);
      answer.best.sort((a, b) => isFirst(b) - isFirst(a));
      answer.options.sort((a, b) => b.value - a.value || isFirst(b.move) - isFirst(a.move));
    }
    return { ...answer, exact };
  }

  /**
   * Return the best move, null if the round is over.
   *
   * @param {RajaPasuPosition} position
   */
  bestMove(position, level = "expert") {
    return this.ask(position, level).best[0] ?? null;
  }

  /**
   * @param {State} state
   * @param {number[]} holes the mover's first
   * @param {number[]} seeds of these holes
   * @param {number} own how many of them are the mover's
   * @param {number} at which of them is played
   * @returns {Move}
   */
  _move(state, holes, seeds, own, at) {
    const { board, taken } = playHole(seeds, own, at, this.skipped, this.pasu);
    const after = [...board.slice(own), ...board.slice(0, own)];
    const margin = this.margin(after, holes.length - own);
    if (margin === null) {
      throw new ExportError(
        "position",
        `position: board: hole ${holes[at]} leads to a position that is not in the table`,
      );
    }
    /** @type {number[]} */
    const boardAfter = new Array(this.holes).fill(0);
    holes.forEach((hole, place) => {
      boardAfter[hole] = board[place];
    });
    const stays =
      taken[0] + taken[1] === 0 &&
      state.board.every((held, hole) => held < this.pasu || held === boardAfter[hole]);
    const next = {
      board: boardAfter,
      closed: state.closed,
      mover: 1 - state.mover,
      earlier: stays ? [...state.earlier, state.board] : [],
    };
    const gain = taken[0] - taken[1];
    const captured = taken[0] + taken[1];
    const other = holes.length - own;
    return { hole: holes[at], value: gain - margin, gain, captured, after, other, margin, next };
  }

  /**
   * Return what has stood twice in the past of a position, itself counted: by `nodeOf`.
   *
   * @param {State} state
   */
  _stoodTwice(state) {
    const rings = this._rings(state);
    /** @type {Map<string, number>} */
    const times = new Map();
    [...state.earlier, state.board].reverse().forEach((board, at) => {
      const turn = at % 2;
      const node = nodeOf(
        rings[turn].holes.map((hole) => board[hole]),
        turn,
      );
      times.set(node, (times.get(node) ?? 0) + 1);
    });
    return new Set([...times.keys()].filter((node) => Number(times.get(node)) >= 2));
  }

  /**
   * Set the values of moves as the past lets them stand; tell if all are exact.
   *
   * @param {State} state
   * @param {Move[]} moves
   * @param {Set<string>} twice
   */
  _rateWithPast(state, moves, twice) {
    const bounds = this._boundsAround(state, twice);
    let exact = true;
    for (const move of moves) {
      const [lower, upper] = /** @type {Bounds} */ (bounds.get(nodeOf(move.after, 1)));
      move.value = move.gain - Math.min(Math.max(move.margin, lower), upper);
      exact &&= lower === upper;
    }
    return exact;
  }

  /**
   * Return bounds of the mover's margin around a position, what has stood twice ending the round
   * when it comes again: lower and upper bounds, improved until nothing changes.
   *
   * @param {State} state
   * @param {Set<string>} twice
   */
  _boundsAround(state, twice) {
    const rings = this._rings(state);
    /** @type {Map<string, Bounds>} */
    const bounds = new Map();
    /** @type {Map<string, [number, string][]>} */
    const followers = new Map();
    /** @type {[number[], number][]} */
    const todo = [];
    /** @type {(seeds: number[], turn: number) => [number, string][]} */
    const follow = (seeds, turn) => {
      const { own } = rings[turn];
      /** @type {[number, string][]} */
      const found = [];
      for (let hole = 0; hole < own; hole++) {
        if (seeds[hole] === 0) continue;
        const { board, taken } = playHole(seeds, own, hole, this.skipped, this.pasu);
        const after = [...board.slice(own), ...board.slice(0, own)];
        const node = nodeOf(after, 1 - turn);
        found.push([taken[0] - taken[1], node]);
        if (bounds.has(node)) continue;
        const left = after.reduce((sum, held) => sum + held, 0);
        const reversible =
          taken[0] + taken[1] === 0 &&
          seeds.every((held, at) => held < this.pasu || held === board[at]);
        const other = after.length - own;
        const mine = after.slice(0, other).reduce((sum, held) => sum + held, 0);
        let known = null;
        if (mine === 0) known = -left;
        else if (twice.has(node)) known = 2 * mine - left;
        else if (!reversible) known = this.margin(after, other);
        bounds.set(node, known === null ? [-left, left] : [known, known]);
        if (reversible && known === null) todo.push([after, 1 - turn]);
      }
      return found;
    };
    follow(
      rings[0].holes.map((hole) => state.board[hole]),
      0,
    );
    while (todo.length > 0 && followers.size < MOST_NODES) {
      const [seeds, turn] = /** @type {[number[], number]} */ (todo.pop());
      followers.set(nodeOf(seeds, turn), follow(seeds, turn));
    }
    for (let changed = todo.length === 0; changed; ) {
      changed = false;
      for (const [node, moves] of followers) {
        const [least, most] = /** @type {Bounds} */ (bounds.get(node));
        let [lower, upper] = [-Infinity, -Infinity];
        for (const [gain, after] of moves) {
          const [low, high] = /** @type {Bounds} */ (bounds.get(after));
          lower = Math.max(lower, gain - high);
          upper = Math.max(upper, gain - low);
        }
        if (lower !== least || upper !== most) {
          bounds.set(node, [lower, upper]);
          changed = true;
        }
      }
    }
    return bounds;
  }

  /**
   * Return one of equally good moves: one that captures most, then one to a new board.
   *
   * @param {State} state
   * @param {Move[]} tied
   */
  _leadOn(state, tied) {
    const past = new Set(state.earlier.map((board) => board.join()));
    /** @param {Move} move */
    const rank = ({ captured, next }) => 2 * captured + Number(!past.has(next.board.join()));
    return tied.reduce((best, move) => (rank(move) > rank(best) ? move : best));
  }

  /**
   * Return one of equally good moves: one that captures most, else the quickest.
   *
   * @param {Move[]} tied
   */
  _prefer(tied) {
    const most = tied.reduce((best, move) => (move.captured > best.captured ? move : best));
    if (most.captured > 0) return most;
    const ends = tied.find((move) => this._isOver(move.next));
    if (ends !== undefined) return ends;
    const known = new Map();
    for (let depth = 1; depth < DEEPEST; depth++) {
      for (const move of tied) {
        if (this._bound(move.after, move.other, depth, 1, known) <= move.margin) return move;
      }
    }
    return tied[0];
  }

  /**
   * Return the mover's margin if the mover gets all that is left after d moves, or none.
   *
   * @param {number[]} seeds
   * @param {number} own
   * @param {number} depth
   * @param {number} sign
   * @param {Map<string, number>} known
   */
  _bound(seeds, own, depth, sign, known) {
    const here = seeds.reduce((sum, held) => sum + held, 0);
    if (seeds.slice(0, own).every((held) => held === 0)) return -here;
    if (depth === 0) return sign * here;
    const key = `${seeds.join()},${own},${sign * depth}`;
    let best = known.get(key);
    if (best === undefined) {
      best = -here;
      const other = seeds.length - own;
      for (let hole = 0; hole < own; hole++) {
        if (seeds[hole] === 0) continue;
        const { board, taken } = playHole(seeds, own, hole, this.skipped, this.pasu);
        const after = [...board.slice(own), ...board.slice(0, own)];
        let margin = null;
        if (taken[0] + taken[1] > 0) margin = this.margin(after, other);
        margin ??= this._bound(after, other, depth - 1, -sign, known);
        best = Math.max(best, taken[0] - taken[1] - margin);
      }
      known.set(key, best);
    }
    return best;
  }

  // States.

  /**
   * Return the open holes, the mover's first, and how many these are.
   *
   * @param {State} state
   */
  _ring({ closed, mover }) {
    /** @param {number} seat */
    const row = (seat) =>
      Array.from({ length: this.row }, (_, at) => this.row * seat + at).filter(
        (hole) => !closed.includes(hole),
      );
    const own = row(mover);
    return { holes: [...own, ...row(1 - mover)], own: own.length };
  }

  /**
   * Return the ring of the player to move and that of the other.
   *
   * @param {State} state
   */
  _rings(state) {
    return [this._ring(state), this._ring({ ...state, mover: 1 - state.mover })];
  }

  /**
   * @param {State} state
   * @param {number} seat
   */
  _rowSum({ board }, seat) {
    return board
      .slice(this.row * seat, this.row * (seat + 1))
      .reduce((sum, held) => sum + held, 0);
  }

  /** @param {State} state */
  _isRepeated({ board, earlier }) {
    const text = board.join();
    let count = 0;
    for (let at = earlier.length - 2; at >= 0; at -= 2) {
      if (earlier[at].join() === text) count += 1;
    }
    return count >= 2;
  }

  /** @param {State} state */
  _isOver(state) {
    return this._rowSum(state, state.mover) === 0 || this._isRepeated(state);
  }

  /** @param {State} state */
  _remainder(state) {
    const rows = [this._rowSum(state, 0), this._rowSum(state, 1)];
    if (this._isRepeated(state)) return rows;
    return state.mover === 0 ? [0, rows[0] + rows[1]] : [rows[0] + rows[1], 0];
  }

  /**
   * @param {unknown} position
   * @returns {State}
   */
  _read(position) {
    checkKeys(position, "position", KEYS);
    checkGame(this.manifest, position);
    const { holes, row, allSeeds } = this;
    const { board: given, to_move: mover } = position;
    /** @type {(key: string, value: unknown, length: number) => number[]} */
    const counts = (key, value, length) => {
      if (!isList(value, length, length, (held) => isWhole(held, 0, allSeeds))) {
        refuse(key, `${length} whole numbers from 0 to ${allSeeds}`, value);
      }
      return value;
    };
    const board = counts("board", given, holes);
    const { captured = [0, 0], closed = [], earlier = [] } = position;
    const takings = counts("captured", captured, 2);
    if (!isWhole(mover, 0, 1)) refuse("to_move", "0 or 1", mover);
    const areHoles = isList(closed, 0, holes, (hole) => isWhole(hole, 0, holes - 1));
    if (!areHoles || new Set(closed).size < closed.length) {
      refuse("closed", "a list of holes", closed);
    }
    const { closed: count } = this.manifest.options;
    const sides = new Set(closed.map((hole) => Math.floor(hole / row)));
    if (closed.length !== count || sides.size > 1) {
      refuse("closed", `${count} holes of one side, of which this export is`, closed);
    }
    const filled = closed.find((hole) => board[hole] > 0);
    if (filled !== undefined) refuse("board", `no seed in hole ${filled}, which is closed`, board);
    /** @param {number[]} list */
    const seeds = (list) => list.reduce((sum, held) => sum + held, 0);
    if (!Array.isArray(earlier)) refuse("earlier", "a list of boards", earlier);
    if (earlier.length > MOST_EARLIER) {
      refuse("earlier", `at most ${MOST_EARLIER} boards`, earlier.length);
    }
    /** @type {Map<string, number>} */
    const met = new Map();
    /** @type {number[][]} */
    const boards = [];
    for (const listed of earlier) {
      const past = counts("earlier", listed, holes);
      boards.push(past);
      if (seeds(past) !== seeds(board) || closed.some((hole) => past[hole] > 0)) {
        refuse("earlier", `boards with ${seeds(board)} seeds in open holes`, past);
      }
      if (past.some((held, hole) => held !== board[hole] && Math.max(held, board[hole]) > 3)) {
        refuse("earlier", "boards alike in every hole of four or more", past);
      }
      const times = (met.get(past.join()) ?? 0) + 1;
      met.set(past.join(), times);
      if (times > 2) refuse("earlier", "no board three times", past);
    }
    const inRound = seeds(board) + seeds(takings);
    if (inRound > allSeeds) {
      refuse("board", `at most ${allSeeds} seeds with those captured`, inRound);
    }
    this._checkMatch(position, inRound, closed);
    return { board, closed, mover, earlier: boards };
  }

  /**
   * Check what a position says of its match, which no value depends on.
   *
   * @param {Record<string, unknown>} position
   * @param {number} inRound
   * @param {number[]} closed
   */
  _checkMatch({ options: given, match }, inRound, closed) {
    /** @type {Record<string, unknown>} */
    const options = { ...this.manifest.option_defaults, .../** @type {object} */ (given) };
    const { match: isMatch, max_rounds: rounds } = options;
    const { most_rounds: mostRounds } = this.manifest.raja_pasu;
    if (typeof isMatch !== "boolean") refuse("options: match", "true or false", isMatch);
    if (!isWhole(rounds, 1, mostRounds)) {
      refuse("options: max_rounds", `1 to ${mostRounds}`, rounds);
    }
    if (match === undefined || match === null) {
      if (isMatch) refuse("match", "owned, round and leader, since the options say match", match);
      return;
    }
    const { allSeeds, seedsAHole: each, row } = this;
    checkKeys(match, "match", ["owned", "round", "leader"]);
    const { owned, round, leader } = match;
    if (!isList(owned, 2, 2, (held) => isWhole(held, each, allSeeds - each))) {
      refuse("match: owned", `two numbers from ${each} that add up to ${allSeeds}`, owned);
    }
    if (owned[0] + owned[1] !== allSeeds || (round === 1 && owned[0] !== owned[1])) {
      refuse("match: owned", `two numbers that add up to ${allSeeds}, equal in round 1`, owned);
    }
    if (!isWhole(round, 1, rounds)) refuse("match: round", `1 to ${rounds}`, round);
    if (!isWhole(leader, 0, 1)) refuse("match: leader", "0 or 1", leader);
    const shut = owned.flatMap((held, seat) =>
      Array.from(
        { length: row - Math.min(row, Math.floor(held / each)) },
        (_, at) => row * seat + at,
      ),
    );
    if (closed.length !== shut.length || shut.some((hole) => !closed.includes(hole))) {
      refuse("closed", `${shut.join(", ") || "none"} with owned ${owned.join(" and ")}`, closed);
    }
    const expected = each * (this.holes - closed.length);
    if (inRound !== expected) refuse("board", `${expected} seeds with those captured`, inRound);
  }
}
