/** Setting up a new game: seats, who sits there, options. */

import { button, fill, h, select } from "./dom.js";
import { LEVELS } from "./games.js";
import { read, write } from "./store.js";
import { SITE } from "./tables.js";
import { known, num, t } from "./words.js";

/** The options whose choices go by which tables there are. */
const BY_TABLE = ["yacht", "dice_poker"];

/** Show the form for a new game; `begin` gets players, options and seats. */
export function setup(place, game, begin) {
  const { players } = SITE.games[game];
  const before = read(`setup.${game}`, {});
  const state = {
    players: inRange(before.players, players),
    options: before.options ?? {},
    seats: Array.isArray(before.seats) ? before.seats : [],
  };
  const draw = () => {
    while (state.seats.length < state.players) {
      const first = state.seats.length === 0;
      state.seats.push({ name: "", level: first ? null : "medium" });
    }
    fill(
      place,
      h(
        "section",
        { class: "panel" },
        h("h2", null, t("new_game")),
        players.most > players.least &&
          h(
            "div",
            { class: "form" },
            select(
              t("seats"),
              range(Math.max(1, players.least), players.most).map((n) => [n, num(n)]),
              state.players,
              (n) => {
                state.players = Number(n);
                draw();
              },
              { "data-key": "players" },
            ),
          ),
        h(
          "div",
          { class: "seats" },
          state.seats.slice(0, state.players).map((seat, at) => seatRow(seat, at, draw)),
        ),
        h("details", null, h("summary", null, t("options")), optionForm(game, state.options, draw)),
        button(
          t("begin"),
          () => {
            const seats = state.seats.slice(0, state.players).map((seat, at) => ({
              name: seat.name.trim() || (seat.level === null ? personName(at, state) : botName(seat.level, at)),
              level: seat.level,
            }));
            try {
              write(`setup.${game}`, state);
            } catch {
              // the game itself says whether there is room
            }
            begin({ players: state.players, options: state.options, seats });
          },
          { kind: "main", key: "begin" },
        ),
      ),
    );
  };
  draw();
}

const range = (low, high) => Array.from({ length: high - low + 1 }, (_, at) => low + at);

const inRange = (n, { least, most, usual }) =>
  Number.isInteger(n) && n >= least && n <= most ? n : usual;

const botName = (level, at) => `${t(`level_${level}`)} ${num(at + 1)}`;

function personName(at, state) {
  const people = state.seats.slice(0, state.players).filter((seat) => seat.level === null);
  return people.length === 1 ? t("you") : t("seat", { n: at + 1 });
}

function seatRow(seat, at, draw) {
  const levels = [["", t("person")], ...LEVELS.map((level) => [level, t(`level_${level}`)])];
  return h(
    "div",
    { class: "seatrow", role: "group", "aria-label": t("seat", { n: at + 1 }) },
    select(
      t("seat", { n: at + 1 }),
      levels,
      seat.level ?? "",
      (level) => {
        seat.level = level === "" ? null : level;
        draw();
      },
      { "data-key": `level${at}` },
    ),
    seat.level === null &&
      h(
        "label",
        { class: "field" },
        h("span", null, t("name")),
        h("input", {
          type: "text",
          maxlength: 24,
          autocomplete: "off",
          value: seat.name,
          "data-key": `name${at}`,
          oninput: (event) => (seat.name = event.target.value),
        }),
      ),
  );
}

/** Return the fields of a game's options; what is chosen is written into `options`. */
export function optionForm(game, options, changed) {
  if (BY_TABLE.includes(game)) return variantForm(game, options, changed);
  return h(
    "div",
    { class: "form" },
    Object.entries(SITE.games[game].options).map(([name, may]) => optionField(game, name, may, options, changed)),
  );
}

/** Yacht and dice poker are played with the options that there are tables of. */
function variantForm(game, options, changed) {
  const { tables, options: declared } = SITE.games[game];
  const differs = (table) =>
    Object.entries(table.options).filter(([name, value]) => declared[name] && value !== declared[name].default);
  const choices = tables.map((table, at) => {
    const told = differs(table).map(([name, value]) => choiceText(game, name, value));
    return [at, told.length ? told.join(", ") : t("usual_rules")];
  });
  const now = tables.findIndex((table) =>
    Object.entries(table.options).every(([name, value]) => (options[name] ?? declared[name]?.default) === value),
  );
  return h(
    "div",
    { class: "form" },
    select(
      t("rules_variant"),
      choices,
      Math.max(0, now),
      (at) => {
        for (const name of Object.keys(options)) delete options[name];
        Object.assign(options, Object.fromEntries(differs(tables[Number(at)])));
        changed();
      },
      { "data-key": "variant" },
    ),
  );
}

function optionField(game, name, may, options, changed) {
  const value = options[name] ?? may.default;
  const set = (one) => {
    if (one === may.default) delete options[name];
    else options[name] = one;
    changed();
  };
  const numbers = may.low === undefined ? [] : numbersOf(may);
  const all = [...may.choices, ...numbers.filter((one) => !may.choices.includes(one))];
  const listed = all.includes(value) ? all : [value, ...all];
  const key = `option-${name}`;
  return select(
    optionText(game, name),
    listed.map((one) => [String(one), choiceText(game, name, one)]),
    String(value),
    (text) => set(listed.find((one) => String(one) === text)),
    { "data-key": key },
  );
}

/** Return the numbers that an option of a whole number offers. */
function numbersOf({ low, high, default: usual }) {
  const list = [low, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, usual];
  const fits = list.filter((one) => Number.isInteger(one) && one >= low && one <= high);
  return [...new Set(fits)].sort((a, b) => a - b);
}

const optionText = (game, name) => t(`option_${name}`, {}, game);

function choiceText(game, name, value) {
  const key = `option_${name}_${value}`;
  if (known(key, game)) return t(key, {}, game);
  if (typeof value === "boolean") return t(value ? "yes" : "no");
  if (value === null) return t("usual");
  return typeof value === "number" ? num(value) : value;
}
