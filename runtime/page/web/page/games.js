/** The games of the page, and what is particular to each: how it looks and how it reads. */

import { SITE } from "./tables.js";
import { diceView } from "./five_view.js";
import { marriageView } from "./marriage_view.js";
import { pasaView } from "./pasa_view.js";
import { rajaView } from "./raja_view.js";
import { num, percent, signed, t } from "./words.js";

/** @type {Record<string, any>} */
export const VIEWS = {
  yacht: diceView("yacht"),
  dice_poker: diceView("dice_poker"),
  pasa: pasaView,
  raja_pasu: rajaView,
  marriage: marriageView,
};

export const NAMES = Object.keys(VIEWS);

export const LEVELS = ["easy", "medium", "hard", "expert"];

/** Return a value in words of its unit. */
export function valueText(unit, value) {
  if (unit === "win_share") return percent(value, 2);
  if (unit === "margin" || unit === "net") return signed(value, unit === "net" ? 2 : 0);
  return num(value, 2);
}

/** Return a cost in words of its unit. */
export function costText(unit, cost) {
  if (unit === "win_share") return percent(cost, 2);
  return num(cost, unit === "margin" ? 0 : 2);
}

/** Return the mark of a cost, by what the levels' mistakes cost: 0 for none to 3 for very bad. */
export function markOf(game, unit, cost) {
  const marks = SITE.games[game].levels[unit]?.marks ?? [];
  return cost <= 1e-9 ? 0 : marks.filter((one) => cost >= one).length;
}

/** Return a name for a seat of a game. */
export const seatName = (names, seat) => names?.[seat] || t("seat", { n: seat + 1 });
