/** What the engine says of a position: every move with its value and cost, why, and plots. */

import { AskError, ask } from "./asking.js";
import { interval, shares, track } from "./chart.js";
import { h } from "./dom.js";
import { costText, markOf, valueText, VIEWS } from "./games.js";
import { digits, num, percent, t } from "./words.js";

/** Return an error of the engine in words: the thing, what was expected, what was found. */
export function errorText(error) {
  if (!(error instanceof AskError)) return String(error?.message ?? error);
  if (error.kind === "missing_table") return t("missing_table");
  if (error.kind === "data_damaged") return t("data_damaged");
  if (error.kind === "network") return t("no_network");
  const found = /^(.*?): expected (.*), got (.*)$/s.exec(error.message);
  if (!found) return t("refused", { message: digits(error.message) });
  const [, what, expected, got] = found;
  return t("error_expected", { what, expected: digits(expected), got: digits(got) });
}

/** Return an element that tells of an error. */
export const errorBox = (error, ...more) =>
  h("div", { class: "error", role: "alert" }, h("p", null, errorText(error)), more);

/**
 * Return the nearest position that does not break the rule that an error names, null if none is
 * known: the number it refuses is replaced by the nearest one that it expected.
 */
export function nearest(position, error) {
  const found = /^(.*?): expected (.*), got (-?\d+)$/s.exec(error?.message ?? "");
  if (!found) return null;
  const got = Number(found[3]);
  const range = /^a whole number from (-?\d+) to (-?\d+)/.exec(found[2]);
  const list = /^one of (-?\d+(?:, -?\d+)*)/.exec(found[2]);
  const single = /^(-?\d+)\b/.exec(found[2]);
  let value;
  if (range) value = Math.min(Math.max(got, Number(range[1])), Number(range[2]));
  else if (list) {
    const numbers = list[1].split(", ").map(Number);
    value = numbers.reduce((a, b) => (Math.abs(b - got) < Math.abs(a - got) ? b : a));
  } else if (single) value = Number(single[1]);
  else return null;
  const path = found[1].match(/[a-z_]+|\d+/g) ?? [];
  if (path[0] === "position") path.shift();
  const copy = structuredClone(position);
  let place = copy;
  for (const key of path.slice(0, -1)) {
    if (place === null || typeof place !== "object" || !(key in place)) return null;
    place = place[key];
  }
  const last = path[path.length - 1];
  if (place === null || typeof place !== "object" || place[last] !== got) return null;
  place[last] = value;
  return copy;
}

/**
 * Ask what a position is worth, with facts where the engine tells them.
 *
 * @param {any} position
 * @param {any} more keys of the request.
 */
export async function advice(position, more = {}) {
  return ask(position.game, "ask", { position, facts: true, ...more });
}

const SHOWN = 12;

/**
 * Return the moves of an answer as bars.
 *
 * @param {any} answer
 * @param {any} position
 * @param {{ names: string[], choose?: (move: any) => void, chosen?: any, all?: boolean,
 *   more?: () => void }} how
 */
export function moveList(answer, position, { names, choose, chosen, all = false, more }) {
  const { options = [], unit } = answer;
  if (options.length === 0) return null;
  const view = VIEWS[position.game];
  const best = options[0].value;
  const shown = all ? options : options.slice(0, SHOWN);
  const least = Math.min(...shown.map((one) => one.value));
  const room = 0.15 * (best - least);
  const key = JSON.stringify(chosen ?? null);
  return [
    h(
      "ol",
      { class: "moves" },
      shown.map((option) => {
        const cost = best - option.value;
        const tied = cost <= 1e-9;
        const mark = markOf(position.game, unit, cost);
        const text = view.moveText(option.move, position, names);
        const costs = tied ? t("best") : t("costs", { n: costText(unit, cost) });
        return h(
          "li",
          null,
          h(
            choose ? "button" : "div",
            {
              class: "move",
              type: choose ? "button" : null,
              "aria-pressed": choose ? String(JSON.stringify(option.move) === key) : null,
              onclick: choose ? () => choose(option.move) : null,
            },
            h(
              "span",
              { class: "top" },
              h("span", { class: tied ? "best-move" : "" }, text),
              h("span", { class: "value" }, h("b", null, valueText(unit, option.value)), " ", h("span", { class: `quiet mark${mark}` }, costs)),
            ),
            track(option.value, least - room, best, tied),
          ),
        );
      }),
    ),
    !all &&
      options.length > SHOWN &&
      more &&
      h(
        "button",
        { type: "button", class: "button small plain", onclick: more },
        t("all_moves", { n: options.length }),
      ),
  ];
}

/** Return why the best move is best, in words, and what the next best gives up. */
export function why(answer, position, names) {
  const { options = [], unit } = answer;
  const view = VIEWS[position.game];
  if (options.length === 0) return null;
  const second = options.find((one) => options[0].value - one.value > 1e-9);
  const lines = (option) => view.facts(option, unit).map((line) => h("li", null, line));
  const told = lines(options[0]);
  if (told.length === 0) return null;
  return h(
    "div",
    null,
    h("h3", null, t("why")),
    h("p", null, h("b", null, view.moveText(options[0].move, position, names))),
    h("ul", null, told),
    second && [
      h(
        "p",
        null,
        t("next_best", {
          move: view.moveText(second.move, position, names),
          n: costText(unit, options[0].value - second.value),
        }),
      ),
      h("ul", null, lines(second)),
    ],
  );
}

/** Return the plots that an answer has numbers for. */
export function plots(answer, position, names) {
  const found = [];
  if (answer.win_shares) {
    found.push(h("h3", null, t("win_shares")));
    found.push(shares(names, answer.win_shares, position.seat ?? -1, (one) => percent(one, 1)));
  }
  const best = answer.options?.[0];
  if (best?.facts?.win !== undefined) {
    const { win, tie } = best.facts;
    found.push(h("h3", null, t("win_shares")));
    found.push(
      shares([t("wins"), t("ties"), t("loses")], [win, tie, Math.max(0, 1 - win - tie)], 0, (one) => percent(one, 1)),
    );
  }
  if (answer.final_total) {
    const mean = answer.unit === "expected_total" ? answer.value : (best?.expected_total ?? null);
    found.push(h("h3", null, t("distribution")));
    found.push(interval(answer.final_total, mean));
    if (answer.bonus_chance !== undefined && answer.bonus_chance !== null) {
      found.push(h("p", { class: "quiet" }, t("fact_bonus_chance", { n: percent(answer.bonus_chance) })));
    }
  }
  return found;
}

/** Return the value of an answer in a line. */
export function valueLine(answer) {
  if (answer.value === undefined) return null;
  const told = { value: valueText(answer.unit, answer.value), unit: t(`unit_${answer.unit}`) };
  const match = answer.match ? ` · ${t(`match_${answer.match}`, {}, "raja_pasu")}` : "";
  const sure = answer.exact === false ? ` · ${t("not_proven")}` : "";
  return h("p", null, t("value_is", told), match, sure);
}

export const seatNumber = (seat) => num(seat + 1);
