/**
 * The coach: what each decision of a game cost, and what luck did; `runtime/review.py` says how.
 *
 * For every seat `start + luck + own + others = result`: what a step changed in what the game was
 * worth belongs to chance or to the seat that made it.
 */

import { CHANCE, LEVELS, OVER } from "./chance.js";
import { Fields, isObject, isWhole, shown, UstadError } from "./errors.js";

/** @import { JsonObject } from "./errors.js" */
/** @import { Game, Judge } from "./engine.js" */

const TIE = 1e-9;
const WORST = 3;
const MOST_STEPS = 100_000;
const LONGEST_NAME = 100;
const MISTAKES = ["doubtful", "bad", "very bad"];
const GRADE = /^(easy|medium|hard|expert)(:(0|1|0?\.[0-9]+))?$/;

/**
 * A game written down: who sits where, the states, and the steps between them.
 *
 * @typedef {object} Record
 * @property {{ name: string, level: string | null }[]} players
 * @property {any[]} states
 * @property {any[]} steps
 *
 * What the play of the levels was measured to be, in one unit.
 *
 * @typedef {object} Measured
 * @property {number[]} marks
 * @property {number} lucky
 * @property {[number, number[]][]} luck by the number of seats, a seat's luck: 101 quantiles
 * @property {[string, number[]][]} costs by the kind of decision, the mean cost of each level
 */

/** @param {unknown} error @param {string} where */
function placed(error, where) {
  if (!(error instanceof UstadError)) return error;
  return new UstadError("record", `${where}: ${error.message}`);
}

/**
 * Return the record that an object describes, or an error that names the step.
 *
 * @param {Game} game
 * @param {unknown} given
 * @param {(position: unknown) => any} read
 * @returns {Record}
 */
export function readRecord(game, given, read) {
  const fields = new Fields(given, "record", "record");
  const start = fields.take("start");
  const steps = fields.take("steps");
  const seats = fields.take("seats", null);
  fields.done();
  if (!Array.isArray(steps)) fields.fail("steps", "a list", steps);
  /** @type {Record} */
  const record = { players: [], states: [], steps: [] };
  try {
    if (!isObject(start)) {
      throw new UstadError("record", `start: expected a position, got ${shown(start)}`);
    }
    record.states.push(read(start));
    record.players = readPlayers(seats, /** @type {number[]} */ (game.scores(record.states[0])).length);
  } catch (error) {
    throw placed(error, "record");
  }
  const asked = { over: false };
  /** @type {unknown[]} */ (steps).forEach((step, at) => {
    try {
      if (at >= MOST_STEPS) throw new UstadError("record", `expected at most ${MOST_STEPS} steps`);
      takeStep(game, record, step, asked);
    } catch (error) {
      throw placed(error, `record: steps[${at}]`);
    }
  });
  return record;
}

/**
 * @param {unknown} seats
 * @param {number} count
 */
function readPlayers(seats, count) {
  if (seats === null) {
    return Array.from({ length: count }, (_, seat) => ({ name: `seat ${seat}`, level: null }));
  }
  if (!Array.isArray(seats) || seats.length !== count) {
    const expected = `a list of ${count}, one a seat`;
    throw new UstadError("record", `seats: expected ${expected}, got ${shown(seats)}`);
  }
  return seats.map((seat, number) => {
    const fields = new Fields(seat, `seats[${number}]`, "record");
    const name = fields.take("name");
    const level = fields.take("level", null);
    fields.done();
    if (typeof name !== "string" || [...name].length > LONGEST_NAME) {
      fields.fail("name", `a text of at most ${LONGEST_NAME} characters`, name);
    }
    if (level !== null && !(typeof level === "string" && GRADE.test(level))) {
      fields.fail("level", "null or one of easy, medium, hard, expert, or such as hard:0.6", level);
    }
    return { name: String(name), level: /** @type {string | null} */ (level) };
  });
}

/**
 * Read the next step, or the end.
 *
 * @param {Game} game
 * @param {Record} record
 * @param {unknown} step
 * @param {{ over: boolean }} ended
 */
function takeStep(game, record, step, ended) {
  /** @param {string} message @returns {never} */
  const fail = (message) => {
    throw new UstadError("record", message);
  };
  if (ended.over) fail("expected nothing after the end of the game");
  const fields = new Fields(step, "step", "record");
  const state = record.states[record.states.length - 1];
  const player = game.player(state);
  const keys = Object.keys(fields.value);
  if (keys.includes("over")) {
    if (fields.take("over") !== true) fail("over: expected true");
    const told = fields.take("returns");
    fields.done();
    if (player !== OVER) fail("the game is not over: expected a step");
    const known = game.returns(state);
    const count = record.players.length;
    const numbers = Array.isArray(told) && told.length === count;
    if (!numbers || !told.every((one) => typeof one === "number")) {
      fail(`returns: expected ${count} numbers, one a seat, got ${shown(told)}`);
    }
    if (known !== null && known.join() !== /** @type {number[]} */ (told).join()) {
      fail(`returns: expected ${shown(known)}, got ${shown(told)}`);
    }
    ended.over = true;
    return;
  }
  if (player === OVER) fail("the game is over: expected no step");
  let made;
  if (player === CHANCE) made = game.readOutcome(fields.take("outcome"));
  else {
    if (keys.includes("outcome")) fail(`expected a move of seat ${player}, got an outcome`);
    const seat = fields.take("seat");
    if (!isWhole(seat, player, player)) {
      fail(`seat: expected ${player}, which is to move, got ${shown(seat)}`);
    }
    made = game.readMove(fields.take("move"));
  }
  fields.done();
  const after = player === CHANCE ? game.applyOutcome(state, made) : game.apply(state, made);
  record.states.push(after);
  record.steps.push(made);
}

/** @param {number[]} numbers */
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/**
 * Return the review of a record.
 *
 * @param {Game} game
 * @param {Record} record
 * @param {Judge} judge
 * @param {string} unit
 * @param {Measured | undefined} measured
 * @returns {JsonObject}
 */
export function review(game, record, judge, unit, measured) {
  const { states, steps } = record;
  const seats = record.players.map((_, seat) => seat);
  const values = states.map((state) => judge.values(state));
  const movers = states.slice(0, -1).map((state) => game.player(state));
  const expected = steps.map((move, at) => {
    if (movers[at] < 0) return values[at + 1];
    return judge.expected?.(states[at], move, values[at + 1]) ?? values[at + 1];
  });
  /** @param {any} move */
  const key = (move) => JSON.stringify(game.writeMove(move));
  /** @type {Map<number, { seat: number, best: any[], cost: number }>} */
  const decisions = new Map();
  movers.forEach((seat, at) => {
    if (seat < 0) return;
    const cost = values[at][seat] - expected[at][seat];
    const best = judge.best(states[at]);
    const tied = cost <= TIE || best.some((move) => key(move) === key(steps[at]));
    decisions.set(at, { seat, best, cost: tied ? 0 : cost });
  });
  const luck = steps.map((_, at) =>
    movers[at] === CHANCE ? seats.map((seat) => values[at + 1][seat] - values[at][seat]) : seats.map(() => 0),
  );
  const exact = judge.exact();
  const parts = partsOf(steps.map((_, at) => judge.part?.(states[at]) ?? 0));

  /** How the result of a seat came about in one part. @param {number} seat @param {number[]} part */
  const share = (seat, [first, stop]) => {
    const start = values[first][seat];
    const within = steps.map((_, at) => at).filter((at) => at >= first && at < stop);
    let result = within.length > 0 ? expected[stop - 1][seat] : start;
    if (!exact && parts.length === 1) result = values[stop][seat];
    const chance = sum(within.map((at) => luck[at][seat]));
    let own = 0;
    let others = 0;
    for (const at of within) {
      const decision = decisions.get(at);
      if (decision?.seat === seat) own -= decision.cost;
      else if (decision) others += expected[at][seat] - values[at][seat];
    }
    const unexplained = result - (start + chance + own + others);
    return { start, luck: chance, own, others, result, ...(exact ? {} : { unexplained }) };
  };
  /** @param {ReturnType<typeof share>[]} shares */
  const joined = (shares) =>
    Object.fromEntries(
      Object.keys(shares[0]).map((name) => {
        return [name, sum(shares.map((one) => /** @type {any} */ (one)[name]))];
      }),
    );
  const over = game.player(states[states.length - 1]) === OVER;
  /** @param {number} seat */
  const seatTold = (seat) => {
    const own = [...decisions].filter(([, decision]) => decision.seat === seat);
    const costs = own.map(([, { cost }]) => cost);
    const wrong = own.filter(([, { cost }]) => cost > TIE);
    const worst = wrong.sort((a, b) => b[1].cost - a[1].cost).slice(0, WORST);
    const kinds = own.map(([at]) => judge.kind(states[at]));
    const levels = measured && levelCosts(measured, kinds);
    const quantiles = over ? measured?.luck.find(([count]) => count === seats.length)?.[1] : undefined;
    const all = sum(luck.map((one) => one[seat]));
    return {
      seat,
      ...joined(parts.map((part) => share(seat, part))),
      decisions: costs.length,
      mistakes: wrong.length,
      worst: worst.map(([at]) => at),
      mean_cost: costs.length > 0 ? sum(costs) / costs.length : 0,
      ...(levels ? { levels } : {}),
      ...(quantiles
        ? { luckier_than: Math.max(0, Math.min(quantiles.filter((q) => q < all).length - 1, 100)) }
        : {}),
    };
  };
  /** @param {number} at */
  const stepTold = (at) => {
    const decision = decisions.get(at);
    /** @type {JsonObject} */
    const told = { step: at };
    if (decision !== undefined) {
      told.seat = decision.seat;
      told.move = game.writeMove(steps[at]);
      told.best = decision.best.map((move) => game.writeMove(move));
      told.cost = decision.cost;
      const worse = measured ? measured.marks.filter((least) => decision.cost >= least).length : 0;
      if (worse > 0 && decision.cost > TIE) told.mark = MISTAKES[worse - 1];
      return told;
    }
    told.luck = luck[at];
    /** @param {number} one */
    const mark = (one) => {
      if (measured === undefined || Math.abs(one) < measured.lucky) return null;
      return one > 0 ? "lucky" : "unlucky";
    };
    const marks = luck[at].map(mark);
    if (marks.some((one) => one !== null)) told.marks = marks;
    return told;
  };
  return {
    unit,
    exact,
    over,
    seats: seats.map(seatTold),
    steps: steps.map((_, at) => stepTold(at)),
    ...(parts.length > 1
      ? { parts: parts.map((part) => seats.map((seat) => ({ seat, ...share(seat, part) }))) }
      : {}),
  };
}

/**
 * Return where each part of a game begins and stops.
 *
 * @param {number[]} numbers the part of each step
 */
function partsOf(numbers) {
  const begins = numbers.flatMap((one, at) => (at === 0 || one !== numbers[at - 1] ? [at] : []));
  if (begins.length === 0) return [[0, 0]];
  return begins.map((first, at) => [first, begins[at + 1] ?? numbers.length]);
}

/**
 * Return the mean cost a decision of each level in these kinds of positions.
 *
 * @param {Measured} measured
 * @param {string[]} kinds
 */
function levelCosts({ costs }, kinds) {
  const found = kinds.map((kind) => costs.find(([one]) => one === kind)?.[1]);
  if (kinds.length === 0 || found.includes(undefined)) return null;
  const rows = /** @type {number[][]} */ (found);
  return Object.fromEntries(
    LEVELS.map((level, at) => [level, sum(rows.map((row) => row[at])) / rows.length]),
  );
}
