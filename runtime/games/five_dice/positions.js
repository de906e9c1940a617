/**
 * Reading positions of games of five dice and a sheet: what a sheet can hold is in the arrays.
 */

import { Fields, isList, isWhole, shown, UstadError } from "./errors.js";

/** @import { JsonObject } from "./errors.js" */
/** @import { Turns } from "./turns.js" */

/**
 * What a game is.
 *
 * @typedef {object} Facts
 * @property {string} name
 * @property {[number, number, number]} seats
 * @property {string[]} boxes
 * @property {number} dice
 * @property {number} faces
 * @property {number} rolls a turn
 * @property {(given: unknown) => { options: JsonObject, turns: Turns }} readRules
 *
 * A sheet: the points of its boxes, null while open, its extras, and the turns left.
 *
 * @typedef {{ points: (number | null)[], extras: number, turnsLeft: number }} Sheet
 *
 * A position; `turns` knows the rules that it is played by.
 *
 * @typedef {object} State
 * @property {Turns} turns
 * @property {JsonObject} options
 * @property {Sheet[]} sheets
 * @property {number} first
 * @property {number} toMove
 * @property {number[]} kept
 * @property {number[] | null} dice
 * @property {number} rollsLeft
 */

/**
 * Return the state that a JSON position describes; what cannot be is refused.
 *
 * @param {Facts} game
 * @param {unknown} position
 * @returns {State}
 */
export function readPosition(game, position) {
  /** @type {Fields} */
  const fields = new Fields(position, "position");
  fields.oneOf("game", [game.name]);
  const { options, turns } = game.readRules(fields.take("options", {}));
  const given = fields.take("sheets");
  const [least, most] = game.seats;
  if (!Array.isArray(given) || !isWhole(given.length, least, most)) {
    return fields.fail("sheets", `a list with one sheet a seat, ${least} to ${most} seats`, given);
  }
  const seats = given.length;
  const sheets = readSheets(game, turns, fields, given);
  const first = fields.integer("first", 0, seats - 1, 0);
  const toMove = fields.integer("to_move", 0, seats - 1, seats === 1 ? 0 : undefined);
  const roll = readRoll(game, fields);
  fields.done();
  const state = { turns, options, sheets, first, toMove, ...roll };
  checkRotation(game, state);
  if (state.sheets[state.toMove].turnsLeft === 0 && state.rollsLeft !== game.rolls) {
    fields.fail("rolls_left", `${game.rolls}, since every sheet is full`, state.rollsLeft);
  }
  return state;
}

/**
 * @param {Facts} game
 * @param {Turns} turns
 * @param {Fields} fields
 * @param {unknown[]} given
 */
function readSheets(game, turns, fields, given) {
  if (turns.sheet.extra_key !== null) {
    return given.map((sheet, seat) => readCounted(game, turns, sheet, `sheets[${seat}]`));
  }
  let left = given.map(() => /** @type {unknown} */ (null));
  if (turns.sheet.turns_weight > 0) {
    const listedTurns = fields.take("turns_left", null);
    if (Array.isArray(listedTurns) && listedTurns.length === given.length) left = listedTurns;
    else if (listedTurns !== null) {
      const expected = `a list with ${given.length} numbers, one a sheet`;
      fields.fail("turns_left", expected, listedTurns);
    }
  }
  return given.map((sheet, seat) => readRows(game, turns, sheet, left[seat], seat));
}

/**
 * Return a sheet that counts extras.
 *
 * @param {Facts} game
 * @param {Turns} turns
 * @param {unknown} sheet
 * @param {string} name
 * @returns {Sheet}
 */
function readCounted(game, turns, sheet, name) {
  /** @type {Fields} */
  const fields = new Fields(sheet, name);
  const { held_box, extra_key, extra_held, extra_points } = turns.sheet;
  const points = game.boxes.map((label, box) => {
    const held = fields.take(label, null);
    return held === null ? null : possiblePoints(turns, fields, label, box, 0, held);
  });
  const holds = held_box !== null && points[held_box] !== null && extra_points > 0;
  const may = holds && turns.heldBy(points[Number(held_box)]) === extra_held;
  const most = may ? turns.mostExtras(points.map((held) => held ?? undefined)) : 0;
  const extras = fields.integer(String(extra_key), 0, most, 0);
  fields.done();
  return { points, extras, turnsLeft: points.filter((held) => held === null).length };
}

/**
 * Return a sheet without extras; a dash stands, as 0, only when no turn is left.
 *
 * @param {Facts} game
 * @param {Turns} turns
 * @param {unknown} sheet
 * @param {unknown} turnsLeft null if none are given.
 * @param {number} seat
 * @returns {Sheet}
 */
function readRows(game, turns, sheet, turnsLeft, seat) {
  /** @type {Fields} */
  const fields = new Fields(sheet, `sheets[${seat}]`);
  const { counting, stride, turns_weight: turnsMatter } = turns.sheet;
  const given = game.boxes.map((label) => fields.take(label, null));
  fields.done();
  const isDash = (/** @type {number} */ box) => box >= counting && given[box] === 0;
  if (turnsMatter > 0 && turnsLeft === null && given.some((_, box) => isDash(box))) {
    throw noTurnsLeft(seat, "holds dashes");
  }
  const dashed = turnsMatter > 0 && turnsLeft === 0;
  const held = given.map((points, box) => (dashed && isDash(box) ? null : points));
  const open = openBoxes({ points: held });
  const points = held.map((paid, box) =>
    paid === null ? null : possiblePoints(turns, fields, game.boxes[box], box, open, paid),
  );
  const firstOpen = points.slice(0, counting).indexOf(null);
  if (firstOpen >= 0 && stride[open & ((1 << counting) - 1)] === 0) {
    const late = points.findIndex((paid, box) => box >= counting && paid !== null);
    if (late >= 0) {
      const until = `no points before the school is full (${game.boxes[firstOpen]} is open)`;
      fields.fail(game.boxes[late], until, points[late]);
    }
  }
  const count = points.filter((paid) => paid === null).length;
  if (turnsMatter === 0) return { points, extras: 0, turnsLeft: count };
  return ended({ points, extras: 0, turnsLeft: readTurns(turnsLeft, firstOpen >= 0, count, seat) });
}

/**
 * @param {Facts} game
 * @param {Fields} fields
 */
function readRoll(game, fields) {
  const dice = fields.take("dice");
  const kept = fields.take("kept", null);
  const { rolls } = game;
  if (dice !== null) {
    if (kept !== null) fields.fail("kept", "nothing beside dice", kept);
    const rolled = readDice(game, fields, "dice", dice, game.dice, game.dice);
    return { kept: [], dice: rolled, rollsLeft: fields.integer("rolls_left", 0, rolls - 1) };
  }
  if (kept === null) {
    return { kept: [], dice: null, rollsLeft: fields.integer("rolls_left", rolls, rolls) };
  }
  const held = readDice(game, fields, "kept", kept, 0, game.dice - 1);
  return { kept: held, dice: null, rollsLeft: fields.integer("rolls_left", 1, rolls - 1) };
}

/**
 * Return the dice under a key in ascending order.
 *
 * @param {Facts} game
 * @param {Fields} fields
 * @param {string} key
 * @param {unknown} value
 * @param {number} least
 * @param {number} most
 * @returns {number[]}
 */
export function readDice(game, fields, key, value, least, most) {
  /** @param {unknown} die @returns {die is number} */
  const isDie = (die) => isWhole(die, 1, game.faces);
  if (isList(value, least, most, isDie)) return [...value].sort((a, b) => a - b);
  const count = least === most ? `${least}` : `${least} to ${most}`;
  return fields.fail(key, `a list of ${count} dice from 1 to ${game.faces}`, value);
}

/**
 * Refuse sheets that no order of turns can give.
 *
 * @param {Facts} game
 * @param {State} state
 */
function checkRotation(game, state) {
  const { sheets, first, toMove } = state;
  const seats = sheets.length;
  const taken = sheets.map(({ turnsLeft }) => game.boxes.length - turnsLeft);
  const ahead = (toMove - first + seats) % seats;
  for (let offset = 0; offset < seats; offset++) {
    const seat = (first + offset) % seats;
    const expected = taken[toMove] + Number(offset < ahead);
    if (taken[seat] === expected) continue;
    if (state.sheets[state.toMove].turnsLeft === 0) {
      throw new UstadError(
        "position",
        `position: to_move: expected ${first}, the first seat, since every sheet is full, ` +
          `got ${toMove}`,
      );
    }
    throw new UstadError(
      "position",
      `position: sheets[${seat}]: expected ${expected} turns taken, since seat ${first} rolled ` +
        `first and seat ${toMove} is to move, got ${taken[seat]}`,
    );
  }
}

/**
 * Return the open boxes of a sheet, as bits.
 *
 * @param {{ points: unknown[] }} sheet
 */
export function openBoxes({ points }) {
  let open = 0;
  points.forEach((held, box) => {
    if (held === null) open |= 1 << box;
  });
  return open;
}

/**
 * Return a sheet with its dashes, as 0, if no turn is left.
 *
 * @param {Sheet} sheet
 */
export function ended(sheet) {
  if (sheet.turnsLeft > 0) return sheet;
  return { ...sheet, points: sheet.points.map((held) => held ?? 0) };
}

/**
 * Return the points of a box if it can hold them beside the boxes that are still open.
 *
 * @param {Turns} turns
 * @param {Fields} fields
 * @param {string} label
 * @param {number} box
 * @param {number} open
 * @param {unknown} held
 * @returns {number}
 */
function possiblePoints(turns, fields, label, box, open, held) {
  const beside = open & ~((1 << turns.sheet.counting) - 1);
  const possible = [...turns.possible[box]]
    .filter(([, sets]) => sets.some((set) => (set & beside) === 0))
    .map(([points]) => Number(points))
    .sort((a, b) => a - b);
  if (typeof held === "number" && possible.includes(held)) return held;
  return fields.fail(label, `one of ${possible.join(", ")}`, held);
}

/**
 * @param {number} seat
 * @param {string} why
 */
function noTurnsLeft(seat, why) {
  const expected = `a list with one number a sheet, since sheets[${seat}] ${why}`;
  return new UstadError("position", `position: turns_left: expected ${expected}, got null`);
}

/**
 * Return the turns left of a sheet, checked against its boxes.
 *
 * @param {unknown} given
 * @param {boolean} inSchool
 * @param {number} count of open boxes
 * @param {number} seat
 */
function readTurns(given, inSchool, count, seat) {
  if (given === null && (inSchool || count === 0)) return count;
  if (given === null) throw noTurnsLeft(seat, "is in part two");
  const least = inSchool ? count : 0;
  if (isWhole(given, least, count)) return given;
  const expected = least === count ? `${least}` : `${least} to ${count}`;
  throw new UstadError(
    "position",
    `position: turns_left[${seat}]: expected ${expected}, since ${count} rows of ` +
      `sheets[${seat}] are open, got ${shown(given)}`,
  );
}
