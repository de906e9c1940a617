/**
 * Raja Pasu in the phone engine: the rules of rounds and matches, and the four levels.
 *
 * Expert sows every legal move and looks the position after it up among the exact margins of an
 * export; a position that is not there is searched, with the margins as leaves.
 *
 *     import { open } from "./raja_pasu.js";
 *     const engine = open(manifest, values);     // one table: the text or object, and the bytes
 *     engine.ask(position);                      // {best, value, unit, options, exact}
 *
 * Positions and moves are those of `ustad ask`: {"game": "raja_pasu", "board": [14 numbers],
 * "closed": [], "to_move": 0, "captured": [0, 0]}, and `earlier` boards since the last
 * irreversible move.  Of equally good moves the first of `best` is the one to play: it
 * captures most, or its value can be made good in the fewest moves, so that no game goes
 * round for ever.
 */

import {
  ALL_SEEDS,
  closedHoles,
  counts,
  HOLES,
  readClosed,
  readEarlier,
  readMatch,
  ringOf,
  ROW,
  ROW_HOLES,
  SEATS,
  SEEDS_A_HOLE,
} from "./board.js";
import { Chance } from "./chance.js";
import { Engine, OVER } from "./engine.js";
import { Fields, readOptions, shown, UstadError } from "./errors.js";
import { opened, openExport, ranked } from "./export.js";
import { Margins } from "./margins.js";
import { boundsAround, nodeOf, thirdTime } from "./repetitions.js";
import { DEEPEST, Search } from "./search.js";
import { isEmpty, PASU, playedHole, playHole, sowLaps, sum } from "./sowing.js";

export { ExportError, parseManifest } from "./export.js";

/** @import { Match, RajaPasuRules } from "./board.js" */
/** @import { Advice, Facts, Game, Judge, Option } from "./engine.js" */
/** @import { JsonObject } from "./errors.js" */
/** @import { Opened } from "./export.js" */
/** @import { RajaPasuManifest } from "./margins.js" */
/** @import { Found } from "./search.js" */
/** @import { Step } from "./sowing.js" */

/**
 * A position; `captured` is what South and North took in this round.
 *
 * @typedef {object} State
 * @property {RajaPasuRules} rules
 * @property {number[]} board
 * @property {number[]} closed
 * @property {number} mover
 * @property {number[]} captured
 * @property {number[][]} earlier
 * @property {Match | null} match
 *
 * A legal move: what it gains and takes, the seeds as the next mover sees them, and how many
 * holes are that one's.
 *
 * @typedef {object} Played
 * @property {number} hole
 * @property {number} gain
 * @property {number} captured
 * @property {number[]} after
 * @property {number} other
 */

/**
 * Open an export of Raja Pasu; a damaged one is refused.
 *
 * @param {unknown} manifest
 * @param {unknown} values
 */
export function open(manifest, values) {
  return opened(() => new Engine(new RajaPasu([openExport(manifest, "raja_pasu.js", values)])));
}

const LATE = 49; // seeds on the board, half of all, from which on a round is late
const LONGEST_LINE = 8;
const MOST_SEARCHED = 150_000; // positions looked at where one is not among the margins
const MOST_SEARCHED_FOR_PLAY = 3000; // the same with an export for play
const HARD_DEPTH = 4;

/**
 * Return the seeds in a player's row.
 *
 * @param {State} state
 * @param {number} seat
 */
const rowSum = ({ board }, seat) => sum(board.slice(ROW * seat, ROW * (seat + 1)));

/**
 * Tell whether the position stands for the third time.
 *
 * @param {State} state
 */
function isRepeated({ board, earlier }) {
  if (earlier.length < 4) return false;
  const text = board.join();
  let count = 0;
  for (let at = earlier.length - 2; at >= 0; at -= 2) count += Number(earlier[at].join() === text);
  return count >= 2;
}

/**
 * Tell whether the round is over, and in a match, the match with it.
 *
 * @param {State} state
 */
const isOver = (state) => rowSum(state, state.mover) === 0 || isRepeated(state);

/**
 * Return what South and North take of the board of a round that is over.
 *
 * @param {State} state
 */
function remainder(state) {
  const rows = [rowSum(state, 0), rowSum(state, 1)];
  if (isRepeated(state)) return rows;
  return state.mover === 0 ? [0, sum(rows)] : [sum(rows), 0];
}

/**
 * Return the seeds that South and North own at the end of a round, reserves included.
 *
 * @param {State} state
 */
function ownedAfter(state) {
  const rest = remainder(state);
  const { captured, match, closed } = state;
  return captured.map((mine, seat) => {
    const filled = ROW - closed.filter((hole) => Math.floor(hole / ROW) === seat).length;
    const kept = match === null ? 0 : match.owned[seat] - SEEDS_A_HOLE * filled;
    return mine + rest[seat] + kept;
  });
}

/**
 * Return the start of a round.
 *
 * @param {RajaPasuRules} rules
 * @param {Match} match
 * @returns {State}
 */
function startRound(rules, match) {
  const closed = closedHoles(match.owned);
  const board = new Array(HOLES).fill(SEEDS_A_HOLE);
  for (const hole of closed) board[hole] = 0;
  const kept = rules.match ? match : null;
  return { rules, board, closed, mover: match.leader, captured: [0, 0], earlier: [], match: kept };
}

/**
 * Return the start of the round after one that is over; itself, if it was the last.
 *
 * @param {State} state
 */
function nextRound(state) {
  const { rules, match, mover } = state;
  if (match === null || match.round >= rules.max_rounds) return state;
  const owned = ownedAfter(state);
  if (Math.min(...owned) < SEEDS_A_HOLE) return state;
  const leader = 1 - (isRepeated(state) ? match.leader : mover);
  return startRound(rules, { owned, round: match.round + 1, leader });
}

/**
 * Return what a legal move leads to, the round perhaps over.
 *
 * @param {State} state
 * @param {number} hole
 * @returns {State}
 */
function afterSowing(state, hole) {
  const { holes, own } = ringOf(state.closed, state.mover);
  const seeds = holes.map((one) => state.board[one]);
  const sown = playHole(seeds, own, holes.indexOf(hole), state.rules.origin === "skipped");
  const board = new Array(HOLES).fill(0);
  holes.forEach((one, at) => {
    board[one] = sown.board[at];
  });
  const stays =
    sum(sown.taken) === 0 && state.board.every((held, at) => held < PASU || held === board[at]);
  return {
    ...state,
    board,
    mover: 1 - state.mover,
    captured: state.captured.map((held, seat) => held + sown.taken[seat ^ state.mover]),
    earlier: stays ? [...state.earlier, state.board] : [],
  };
}

/**
 * Return what has stood twice in the past of a position, itself counted, as nodes.
 *
 * @param {State} state
 */
function stoodTwice({ closed, mover, earlier, board }) {
  if (earlier.length < 2) return new Set();
  const rings = [ringOf(closed, mover), ringOf(closed, 1 - mover)];
  const met = new Set();
  const twice = new Set();
  [...earlier, board].reverse().forEach((past, at) => {
    const turn = at % 2;
    const seeds = rings[turn].holes.map((hole) => past[hole]);
    const node = nodeOf(seeds, turn);
    if (met.has(node)) twice.add(node);
    met.add(node);
  });
  return twice;
}

/** The rules and levels of Raja Pasu. @implements {Game} */
export class RajaPasu {
  /** @param {Opened<RajaPasuManifest>[]} tables */
  constructor(tables) {
    const { rules } = tables[0].manifest;
    this.name = "raja_pasu";
    this.seats = rules.players;
    this.options = rules.options;
    const forPlay = tables.some(({ manifest }) => manifest.options.closed === undefined);
    this.mostSearched = forPlay ? MOST_SEARCHED_FOR_PLAY : MOST_SEARCHED;
    /** @type {Map<string, Margins>} */
    this.tables = new Map();
    for (const table of tables) {
      const { origin, closed } = table.manifest.options;
      if (closed !== undefined) this.tables.set(`${origin},${closed}`, new Margins(table));
      else {
        for (let shut = 0; shut < ROW; shut++) {
          this.tables.set(`${origin},${shut}`, new Margins(table, `_${shut}`));
        }
      }
    }
  }

  /** @param {unknown} given */
  readRules(given) {
    return /** @type {RajaPasuRules} */ (/** @type {unknown} */ (readOptions(this.options, given)));
  }

  /** @type {(rules: RajaPasuRules, seats: number, first: number) => State} */
  start(rules, _seats, first) {
    const owned = [ALL_SEEDS / 2, ALL_SEEDS / 2];
    return startRound(rules, { owned, round: 1, leader: first });
  }

  // JSON.

  /**
   * @param {unknown} position
   * @returns {State}
   */
  read(position) {
    /** @type {Fields} */
    const fields = new Fields(position, "position");
    fields.oneOf("game", [this.name]);
    const given = fields.take("match", null);
    const options = this.readRules(fields.take("options", {}));
    if (options.match && given === null) {
      fields.fail("match", "owned, round and leader, since the options say match", null);
    }
    const rules = { ...options, match: given !== null };
    const board = counts(fields, "board", fields.take("board"), HOLES);
    const closed = readClosed(fields, board);
    const captured = counts(fields, "captured", fields.take("captured", [0, 0]), 2);
    const mover = fields.integer("to_move", 0, 1);
    const earlier = readEarlier(fields, board, closed);
    fields.done();
    const seeds = sum(board) + sum(captured);
    if (seeds > ALL_SEEDS) {
      fields.fail("board", `at most ${ALL_SEEDS} seeds with those captured`, seeds);
    }
    const match = given === null ? null : readMatch(given, rules, seeds, closed);
    const untouched = board.every((held, hole) => closed.includes(hole) || held === SEEDS_A_HOLE);
    if (match !== null && untouched && mover !== match.leader) {
      fields.fail("to_move", `${match.leader}, who leads the round`, mover);
    }
    return { rules, board, closed, mover, captured, earlier, match };
  }

  /** @param {State} state */
  write({ rules, board, closed, mover, captured, earlier, match }) {
    /** @type {JsonObject} */
    const options = {};
    for (const option of this.options) {
      const value = rules[/** @type {keyof RajaPasuRules} */ (option.name)];
      if (option.name !== "match" && value !== option.default) options[option.name] = value;
    }
    return {
      game: this.name,
      ...(Object.keys(options).length > 0 ? { options } : {}),
      board: [...board],
      closed: [...closed],
      to_move: mover,
      captured: [...captured],
      ...(earlier.length > 0 ? { earlier: earlier.map((past) => [...past]) } : {}),
      ...(match === null ? {} : { match: { ...match, owned: [...match.owned] } }),
    };
  }

  /** @param {unknown} move */
  readMove(move) {
    const fields = new Fields(move, "move", "move");
    const hole = fields.integer("hole", 0, HOLES - 1);
    fields.done();
    return hole;
  }

  /** @param {number} hole */
  writeMove(hole) {
    return { hole };
  }

  /**
   * @param {unknown} outcome
   * @returns {never}
   */
  readOutcome(outcome) {
    const told = `outcome: no chance is to fall in raja_pasu, got ${shown(outcome)}`;
    throw new UstadError("outcome", told);
  }

  // The rules.

  /** @param {State} state */
  player(state) {
    return isOver(state) ? OVER : state.mover;
  }

  /** @param {State} state */
  legal(state) {
    if (isRepeated(state)) return [];
    return ROW_HOLES[state.mover].filter((hole) => state.board[hole] > 0);
  }

  /**
   * @param {State} state
   * @param {number} hole
   */
  apply(state, hole) {
    const legal = this.legal(state);
    if (!legal.includes(hole)) {
      const why = isOver(state)
        ? "the round is over, no move is left"
        : `hole: expected one of ${legal.join(", ")} (${SEATS[state.mover]} to move), got ${hole}`;
      throw new UstadError("move", `move: ${why}`);
    }
    const after = afterSowing(state, hole);
    return after.match !== null && isOver(after) ? nextRound(after) : after;
  }

  /** @returns {[never, number][]} */
  outcomes() {
    return [];
  }

  /** @returns {never} */
  applyOutcome() {
    throw new UstadError("outcome", "outcome: no chance is to fall in raja_pasu");
  }

  /**
   * Return the steps of a move in order, one object each.
   *
   * @param {State} before
   * @param {number} hole
   * @param {State} after
   */
  events(before, hole, after) {
    const { holes, own } = ringOf(before.closed, before.mover);
    const seeds = holes.map((one) => before.board[one]);
    const at = holes.indexOf(hole);
    const skipped = before.rules.origin === "skipped";
    const { laps } = playHole(seeds, own, at, skipped);
    /** @type {Step[]} */
    const steps = [];
    sowLaps([...seeds], own, at, skipped, Math.abs(laps), [0, 0], steps);
    /** @type {JsonObject[]} */
    const events = [];
    let lap = 0;
    for (const { kind, hole: place, seeds: held, sown } of steps) {
      const where = holes[place];
      if (kind === "lap") {
        lap += 1;
        const around = [...holes.slice(place + 1), ...holes.slice(0, place + 1)];
        if (skipped && around.length > 1) around.pop();
        const fell = Array.from({ length: held }, (_, i) => around[i % around.length]);
        events.push({ lap, hole: where, seeds: held, sown: fell });
      } else if (kind === "four") {
        events.push({ pasu: where, seat: Math.floor(where / ROW), seeds: held, after: sown });
      } else events.push({ pussa: where, seat: before.mover, seeds: held });
    }
    if (laps < 0) events.push({ endless: true });
    const ended = afterSowing(before, hole);
    if (isOver(ended)) events.push({ over: remainder(ended), repeated: isRepeated(ended) });
    const { match, closed } = after;
    if (match !== null && match !== before.match) {
      events.push({ ...match, owned: [...match.owned], closed: [...closed] });
    }
    return events;
  }

  /** @param {State} state */
  scores(state) {
    return isOver(state) ? ownedAfter(state) : [...state.captured];
  }

  /** @param {State} state */
  returns(state) {
    const [south, north] = ownedAfter(state);
    return [south - north, north - south];
  }

  // The levels.

  /**
   * @param {State} state
   * @param {string} level
   * @param {() => Chance} chance
   * @param {number} most milliseconds of a search
   * @returns {number}
   */
  choose(state, level, chance, most) {
    if (level === "easy" || level === "medium") {
      const { moves } = this._played(state);
      if (level === "medium") return moves.reduce((a, b) => (b.gain > a.gain ? b : a)).hole;
      // The mover takes half of what both take and of what it gains.
      const capturing = moves.filter(({ captured, gain }) => captured + gain > 0);
      return chance().choice(capturing.length > 0 ? capturing : moves).hole;
    }
    const told = level === "expert" && stoodTwice(state).size === 0 ? this._told(state) : null;
    return told?.hole ?? /** @type {Advice} */ (this.rate(state, level, most)).best[0];
  }

  /**
   * Return what an export for play tells that expert plays, and the margin; null if it does not.
   *
   * @param {State} state
   */
  _told({ rules, closed, mover, board }) {
    const table = this.tables.get(`${rules.origin},${closed.length}`);
    const { holes, own } = ringOf(closed, mover);
    const seeds = holes.map((hole) => board[hole]);
    const place = table === undefined ? -1 : table.move(seeds, own);
    if (table === undefined || place < 0) return null;
    return { hole: holes[place], margin: Number(table.margin(seeds, own)) };
  }

  /**
   * Return every legal move with the mover's margin from here to the end of the round, best
   * first; the first of `best` is the one to play.
   *
   * @param {State} state
   * @param {string} level
   * @param {number} most milliseconds of a search
   * @returns {Advice & { exact: boolean, match?: null } | null}
   */
  rate(state, level, most) {
    if (level === "easy" || level === "medium") return null;
    const unit = /** @type {const} */ ("margin");
    if (isOver(state)) {
      const rest = remainder(state);
      const value = rest[state.mover] - rest[1 - state.mover];
      return { best: [], value, unit, options: [], exact: true };
    }
    const { moves, seeds, own } = this._played(state);
    const skipped = state.rules.origin === "skipped";
    /** @type {(seeds: number[], own: number) => number | null} */
    const margin = level === "hard" ? () => null : this._margin(state.rules.origin);
    const search = new Search(skipped, margin);
    const twice = stoodTwice(state);
    search.until = Date.now() + most;
    let found = this._margins(moves, level, margin, search);
    if (twice.size > 0 && level === "hard") {
      found = moves.map(({ after, other }, at) =>
        twice.has(nodeOf(after, 1))
          ? { margin: thirdTime(after, other), proven: true }
          : { margin: found[at].margin, proven: false },
      );
    } else if (twice.size > 0) {
      const bounds = boundsAround(seeds, [own, seeds.length - own], skipped, twice, margin);
      found = moves.map(({ after }, at) => {
        const [lower, upper] = bounds.get(nodeOf(after, 1)) ?? [-ALL_SEEDS, ALL_SEEDS];
        const told = Math.min(Math.max(found[at].margin, lower), upper);
        return { margin: told, proven: lower === upper };
      });
    }
    const rated = moves.map(({ hole, gain }, at) => {
      return { move: hole, value: gain - found[at].margin };
    });
    const told = level === "hard" || twice.size > 0 ? null : this._told(state);
    if (told !== null) {
      // No move brings more than the best, and one of an unproven margin is taken to bring less.
      rated.forEach((option, at) => {
        if (option.move === told.hole) option.value = told.margin;
        else if (!found[at].proven) option.value = Math.min(option.value, told.margin - 2);
      });
    }
    const answer = ranked(rated, unit);
    if (answer.best.length > 1) {
      const tied = moves.filter(({ hole }) => answer.best.includes(hole));
      const leads = level === "hard" || twice.size > 0;
      const first =
        told?.hole ?? (leads ? leadOn(state, tied) : prefer(state, tied, margin, skipped));
      /** @param {number} hole */
      const isFirst = (hole) => Number(hole === first);
      answer.best.sort((a, b) => isFirst(b) - isFirst(a));
      answer.options.sort((a, b) => b.value - a.value || isFirst(b.move) - isFirst(a.move));
    }
    const exact = found.every(({ proven }) => proven);
    if (state.match === null || level !== "expert") return { ...answer, exact };
    // The results of matches are in tables that an export does not hold: they are not known here.
    const options = answer.options.map((option) => ({ ...option, match: null }));
    return { ...answer, options, exact, match: null };
  }

  get units() {
    return { margin: "expert" };
  }

  /**
   * Each player's margin in the round, what is captured counted in.
   *
   * @returns {Judge}
   */
  judge() {
    let exact = true;
    /** @type {Map<State, Advice>} */
    const known = new Map();
    /** @param {State} state */
    const rated = (state) => {
      let advice = known.get(state);
      if (advice === undefined) {
        const found = /** @type {Advice & { exact: boolean }} */ (this.rate(state, "expert", Infinity));
        exact &&= found.exact;
        advice = found;
        known.set(state, advice);
      }
      return advice;
    };
    return {
      values: (state) => {
        const { captured, mover } = state;
        const toCome = rated(state).value;
        const south = captured[0] - captured[1] + (mover === 0 ? toCome : -toCome);
        return [south, -south];
      },
      expected: (state, hole, following) => {
        const { mover, captured, match } = state;
        const { value } = optionOf(rated(state).options, hole);
        const mine = value + captured[mover] - captured[1 - mover];
        const ends = match !== null && isOver(afterSowing(state, hole));
        if (!ends && Math.abs(following[mover] - mine) <= 1e-9) return following;
        return mover === 0 ? [mine, -mine] : [-mine, mine];
      },
      best: (state) => rated(state).best,
      kind: ({ board }) => (sum(board) < LATE ? "late" : "early"),
      part: ({ match }) => (match === null ? 1 : match.round),
      exact: () => exact,
    };
  }

  /**
   * What speaks for a hole: what it takes; where the margins are exact, the score that it leads
   * to and how the round goes on under best play.
   *
   * @param {State} state
   * @param {string} level
   * @param {Advice & { exact?: boolean }} advice
   * @returns {Facts}
   */
  facts(state, level, { exact, options }) {
    const { board, captured, mover } = state;
    const { moves } = this._played(state);
    const every = sum(board) + sum(captured);
    /** @param {{ captures: number, final?: number[] }} numbers */
    const speaksFor = ({ captures, final }) =>
      `takes ${captures}${final ? ` and leads to ${final[0]} to ${final[1]}` : ""}`;
    return {
      of: (hole) => {
        const found = /** @type {Played} */ (moves.find((one) => one.hole === hole));
        const captures = (found.captured + found.gain) / 2;
        if (!exact) return { captures };
        const ahead = optionOf(options, hole).value + captured[mover] - captured[1 - mover];
        const mine = (every + ahead) / 2;
        return { captures, final: [mine, every - mine], line: this._line(state, hole, level) };
      },
      describe: (hole) => `hole ${hole}`,
      speaksFor,
      givesUp: (cost, _, other) =>
        `gives up ${cost} ${cost === 1 ? "seed" : "seeds"}: it ${speaksFor(other)}`,
    };
  }

  /**
   * Return the next moves of best play of both after a move.
   *
   * @param {State} state
   * @param {number} hole
   * @param {string} level
   */
  _line(state, hole, level) {
    const margin = this._margin(state.rules.origin);
    /** @param {State} one */
    const isKnown = (one) => {
      const { holes, own } = ringOf(one.closed, one.mover);
      return level === "hard" || margin(holes.map((at) => one.board[at]), own) !== null;
    };
    /** @type {JsonObject[]} */
    const line = [];
    let now = afterSowing(state, hole);
    while (line.length < LONGEST_LINE && !isOver(now) && isKnown(now)) {
      const next = this.choose(now, level, () => new Chance(0, "move", {}), Infinity);
      line.push({ hole: next });
      now = afterSowing(now, next);
    }
    return line;
  }

  /**
   * Return the margin after each move, and whether it is proven.
   *
   * @param {Played[]} moves
   * @param {string} level
   * @param {(seeds: number[], own: number) => number | null} margin
   * @param {Search} search
   * @returns {Found[]}
   */
  _margins(moves, level, margin, search) {
    const positions = moves.map(({ after, other }) => ({ seeds: after, own: other }));
    if (level === "hard") return search.margins(positions, HARD_DEPTH - 1);
    /** @type {Found[]} */
    const found = [];
    for (const { seeds, own } of positions) {
      const known = margin(seeds, own);
      if (known === null) return search.margins(positions, DEEPEST, this.mostSearched);
      found.push({ margin: known, proven: true });
    }
    return found;
  }

  /**
   * Return what knows the margin of a position that is over or in the tables, null for others.
   *
   * @param {string} origin
   * @returns {(seeds: number[], own: number) => number | null}
   */
  _margin(origin) {
    return (seeds, own) => {
      if (isEmpty(seeds, own)) return -sum(seeds);
      const closed = HOLES - seeds.length;
      if (closed >= ROW || (own !== ROW && seeds.length - own !== ROW)) return null;
      const table = this.tables.get(`${origin},${closed}`);
      if (table === undefined) {
        throw new UstadError(
          "missing_table",
          `expert: no table here is of ${closed} closed holes, origin=${origin}; ` +
            "other levels need none",
        );
      }
      return table.margin(seeds, own);
    };
  }

  /**
   * Return the legal moves, played, and the ring that they are played on.
   *
   * @param {State} state
   */
  _played(state) {
    const { holes, own } = ringOf(state.closed, state.mover);
    const seeds = holes.map((hole) => state.board[hole]);
    const skipped = state.rules.origin === "skipped";
    /** @type {Played[]} */
    const moves = [];
    for (let at = 0; at < own; at++) {
      if (seeds[at] === 0) continue;
      const played = playedHole(seeds, own, at, skipped);
      moves.push({ hole: holes[at], other: holes.length - own, ...played });
    }
    return { own, seeds, moves };
  }
}

/** @param {Option[]} options @param {number} hole @returns {Option} */
const optionOf = (options, hole) =>
  /** @type {Option} */ (options.find(({ move }) => move === hole));

/**
 * Return one of equally good moves: one that captures most, then one to a new board.
 *
 * @param {State} state
 * @param {Played[]} tied
 */
function leadOn(state, tied) {
  const past = new Set(state.earlier.map((board) => board.join()));
  /** @param {Played} move */
  const rank = ({ hole, captured }) =>
    2 * captured + Number(!past.has(afterSowing(state, hole).board.join()));
  return tied.reduce((best, move) => (rank(move) > rank(best) ? move : best)).hole;
}

/**
 * Return one of equally good moves: one that captures most, else the quickest: the value can be
 * made good in the fewest moves without capture, however the seeds are shared that are left then.
 *
 * @param {State} state
 * @param {Played[]} tied
 * @param {(seeds: number[], own: number) => number | null} margin
 * @param {boolean} skipped
 */
function prefer(state, tied, margin, skipped) {
  const most = tied.reduce((best, move) => (move.captured > best.captured ? move : best));
  if (most.captured > 0) return most.hole;
  const ends = tied.find(({ hole }) => isOver(afterSowing(state, hole)));
  if (ends !== undefined) return ends.hole;
  const margins = tied.map(({ after, other }) => margin(after, other));
  const known = new Map();
  for (let depth = 1; depth < DEEPEST; depth++) {
    for (const [at, { hole, after, other }] of tied.entries()) {
      const aim = margins[at];
      if (aim === null) return leadOn(state, tied);
      if (boundOf(after, other, depth, 1, { known, margin, skipped }) <= aim) return hole;
    }
  }
  return leadOn(state, tied);
}

/**
 * Return the mover's margin if the mover gets all that is left after d moves, or none.
 *
 * @param {number[]} seeds
 * @param {number} own
 * @param {number} depth
 * @param {number} sign 1 if the mover gets what is left then, -1 if the other does.
 * @param {{ known: Map<string, number>, skipped: boolean,
 *   margin: (seeds: number[], own: number) => number | null }} by what was found before, and what
 *   is known after captures.
 * @returns {number}
 */
function boundOf(seeds, own, depth, sign, by) {
  const here = sum(seeds);
  if (isEmpty(seeds, own)) return -here;
  if (depth === 0) return sign * here;
  const key = `${seeds.join()},${own},${sign * depth}`;
  const before = by.known.get(key);
  if (before !== undefined) return before;
  let best = -here;
  const other = seeds.length - own;
  for (let hole = 0; hole < own; hole++) {
    if (seeds[hole] === 0) continue;
    const { gain, after, captured } = playedHole(seeds, own, hole, by.skipped);
    const margin = captured > 0 ? by.margin(after, other) : null;
    best = Math.max(best, gain - (margin ?? boundOf(after, other, depth - 1, -sign, by)));
  }
  by.known.set(key, best);
  return best;
}
