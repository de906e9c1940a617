/**
 * The last turns of yacht, exactly: everybody plays for the own share of the win.
 *
 * Two seats with at most two open boxes each, and more seats with at most one; `endgame.py` says
 * how.  The rules are the arrays of `turns.js`.
 */

/** @import { State, Turn, Turns } from "./turns.js" */

/**
 * Another seat: its state, and how far its total is behind that of the seat to move.
 *
 * @typedef {{ state: State, behind: number }} Rival
 */

const TIE = 1e-9;
const NOBODY = -10_000;

/** @param {number} open */
const boxesOf = (open) => {
  let count = 0;
  for (let left = open; left > 0; left &= left - 1) count += 1;
  return count;
};

/**
 * Tell whether these are last turns.
 *
 * @param {State[]} states of all seats
 */
export function areLast(states) {
  const most = states.length === 2 ? 2 : 1;
  return states.length > 1 && states.every(({ open }) => boxesOf(open) <= most);
}

/**
 * Return the turn of the seat to move, solved on its share of the win.
 *
 * @param {Turns} turns
 * @param {State} state
 * @param {Rival[]} others in the order in which they play
 * @returns {Turn}
 */
export function lastTurn(turns, state, others) {
  if (others.length > 1) return ofMore(turns, state, others);
  const [{ state: other, behind }] = others;
  const two = new TwoSeats(turns);
  return two.turn(state, other, behind);
}

/** What one of two seats wins the other loses. */
class TwoSeats {
  /** @param {Turns} turns */
  constructor(turns) {
    this.turns = turns;
    const { boxes } = turns.sheet;
    this.highest = boxes.map(() => 0);
    for (const { box, points } of turns.payments.found) {
      this.highest[box] = Math.max(this.highest[box], points);
    }
    /** @type {Map<string, number>} */
    this.known = new Map();
  }

  /**
   * Return a turn, solved.
   *
   * @param {State} mover
   * @param {State} other
   * @param {number} lead
   */
  turn(mover, other, lead) {
    return this.turns.solve(mover, (after, brings) => 1 - this.value(other, after, -lead - brings));
  }

  /**
   * Return the share of the win of the seat to move.
   *
   * @param {State} mover
   * @param {State} other
   * @param {number} lead
   * @returns {number}
   */
  value(mover, other, lead) {
    const { turns } = this;
    if (lead > this.most(other)) return 1;
    if (lead + this.most(mover) < 0) return 0;
    if (mover.open === 0) {
      if (other.open !== 0) return 1 - this.value(other, mover, -lead);
      return lead > 0 ? 1 : 0.5 * Number(lead === 0);
    }
    const key = `${turns.place(mover)},${turns.place(other)},${lead}`;
    let found = this.known.get(key);
    if (found === undefined) {
      found = turns.start(this.turn(mover, other, lead));
      this.known.set(key, found);
    }
    return found;
  }

  /**
   * Return a bound on the points that are still to come.
   *
   * @param {State} state
   */
  most({ open, sum, held }) {
    const { counting, bonus, held_box, extra_points: extra, extra_held: needed } = this.turns.sheet;
    let points = 0;
    for (let box = 0; box < this.highest.length; box++) {
      if ((open >> box) & 1) points += this.highest[box];
    }
    const counts = (open & ((1 << counting) - 1)) !== 0;
    if (counts && this.turns.earned(open, sum) === 0) points += bonus;
    const boxes = boxesOf(open);
    const openHeld = held_box !== null && ((open >> held_box) & 1) === 1;
    return points + extra * (openHeld ? boxes - 1 : held === needed ? boxes : 0);
  }
}

/**
 * A seat with one turn left.
 *
 * @typedef {{ state: State, total: number, totals: number[] }} Seat
 *
 * What each of those who hold the top gets, by the top total and how many hold it.
 *
 * @typedef {Map<string, number>} Shares
 */

/** @param {number} top @param {number} count */
const keyOf = (top, count) => `${top},${count}`;

/**
 * @param {Turns} turns
 * @param {State} state
 * @param {Rival[]} others
 */
function ofMore(turns, state, others) {
  const full = others.filter((rival) => rival.state.open === 0).map(({ behind }) => -behind);
  const top = Math.max(NOBODY, ...full);
  const count = full.filter((total) => total === top).length;
  const later = others.filter((rival) => rival.state.open !== 0);
  const seats = [{ state, behind: 0 }, ...later].map((rival) => seatOf(turns, rival));
  /** @type {[number, number][][]} */
  const reached = [[[top, count]]];
  for (const seat of seats) {
    /** @type {Map<string, [number, number]>} */
    const next = new Map();
    for (const [held, many] of reached[reached.length - 1]) {
      for (const after of leadsTo(seat, held, many)) next.set(keyOf(...after), after);
    }
    reached.push([...next.values()]);
  }
  /** @type {Shares} */
  let shares = new Map();
  for (const [held, many] of reached[seats.length]) {
    shares.set(keyOf(held, many), 1 / Math.max(many, 1));
  }
  for (let at = seats.length - 1; at > 0; at--) {
    shares = solved(turns, seats[at], reached[at], shares);
  }
  return ownTurn(turns, seats[0], top, count, shares);
}

/**
 * @param {Turns} turns
 * @param {Rival} rival
 * @returns {Seat}
 */
function seatOf(turns, { state, behind }) {
  const { extra_points: extra, extra_held: needed } = turns.sheet;
  /** @type {Set<number>} */
  const totals = new Set();
  for (const { box, points } of turns.payments.found) {
    if (((state.open >> box) & 1) === 0) continue;
    const { brings } = turns.after(state, box, points);
    totals.add(brings - behind);
    if (extra > 0 && state.held === needed) totals.add(brings + extra - behind);
  }
  return { state, total: -behind, totals: [...totals] };
}

/**
 * Return the tops that can be after a turn, and how many seats hold each.
 *
 * @param {Seat} seat
 * @param {number} top
 * @param {number} count
 * @returns {[number, number][]}
 */
function leadsTo({ totals }, top, count) {
  /** @type {[number, number][]} */
  const higher = totals.filter((total) => total > top).map((total) => [total, 1]);
  return [[top, count], [top, count + 1], ...higher];
}

/**
 * Return a turn, solved on the own share.
 *
 * @param {Turns} turns
 * @param {Seat} seat
 * @param {number} top
 * @param {number} count
 * @param {Shares} shares
 */
function ownTurn(turns, { state, total }, top, count, shares) {
  return turns.solve(state, (_, brings) => {
    const reached = total + brings;
    if (reached < top) return 0;
    return shares.get(reached > top ? keyOf(reached, 1) : keyOf(top, count + 1)) ?? 0;
  });
}

/**
 * Return what a turn leaves to each of those who hold the top, by the tops before it.
 *
 * @param {Turns} turns
 * @param {Seat} seat
 * @param {[number, number][]} tops
 * @param {Shares} shares the same after the turn
 * @returns {Shares}
 */
function solved(turns, seat, tops, shares) {
  /** @type {Map<string, number[]>} */
  const asked = new Map();
  const byTotal = turns.solved(seat.state, []);
  const most = Math.max(...seat.totals);
  /** @type {Shares} */
  const found = new Map();
  for (const [top, count] of tops) {
    const key = keyOf(top, count);
    const kept = shares.get(key) ?? 0;
    if (top > most) {
      found.set(key, kept);
      continue;
    }
    const level = shares.get(keyOf(top, count + 1)) ?? 0;
    // Tops between the same totals are one question.
    const lower = seat.totals.filter((total) => total < top).length;
    const equal = seat.totals.includes(top);
    const question = `${lower},${equal},${equal ? level : 0}`;
    let chances = asked.get(question);
    if (chances === undefined) {
      const turn = ownTurn(turns, seat, top, count, shares);
      chances = chancesOf(turns, turn, byTotal, seat, top);
      asked.set(question, chances);
    }
    const [below, at] = chances;
    found.set(key, below * kept + at * level);
  }
  return found;
}

/**
 * Return how likely a turn ends below a top, and at it.
 *
 * @param {Turns} turns
 * @param {Turn} turn by the own share
 * @param {Turn} byTotal the same turn by the expected total, which tells equal choices apart
 * @param {Seat} seat
 * @param {number} top
 */
function chancesOf(turns, turn, byTotal, { state, total }, top) {
  const { extra_points: extra, extra_held: needed } = turns.sheet;
  const paysExtra = extra > 0 && state.held === needed;
  /** @type {Float64Array[]} */
  let rows = [];
  for (let left = 0; left < turns.manifest.turn.rolls_a_turn; left++) {
    const before = rows;
    const ends = turns.rolls.map((roll) => {
      const choice = turns.bestChoice(turn, roll, left, byTotal);
      if ("keep" in choice) return before[choice.keep];
      const points = turns.pointsOf(turn, roll, left)[choice.box];
      const { brings } = turns.after(state, choice.box, points);
      const reached = total + brings + (paysExtra && turns.extraRolls.has(roll) ? extra : 0);
      return Float64Array.of(Number(reached < top - TIE), Number(reached === top));
    });
    rows = turns.meanOfRows(ends, 2);
  }
  return [...rows[0]];
}
