/** Yacht and dice poker: dice to keep or throw, and a sheet with a column for each seat. */

import { face } from "./dice.js";
import { button, h, mayMove, s, select } from "./dom.js";
import { digits, num, percent, signed, t, whole } from "./words.js";

const UPPER = ["ones", "twos", "threes", "fours", "fives", "sixes"];

const LOWER = {
  yacht: [
    "three_of_a_kind",
    "four_of_a_kind",
    "full_house",
    "small_straight",
    "large_straight",
    "yacht",
    "chance",
  ],
  dice_poker: [
    "pair",
    "two_pairs",
    "three",
    "small_straight",
    "large_straight",
    "full_house",
    "four",
    "poker",
    "chance",
  ],
};

/** Return the view of a game of five dice and a sheet. */
export function diceView(game) {
  const boxes = [...UPPER, ...LOWER[game]];
  const box = (name) => t(`box_${name}`, {}, game);
  return {
    game,
    boxes,
    sketch: () => sketch(game),
    table: (context) => [dicePart(context, box), sheetPart(context, game, boxes, box)],
    editor: (context) => editor(context, game, boxes, box),
    throwText: (position) => t("throw_dice", { n: 5 - (position.kept ?? []).length }),
    thrower: (position) => position.to_move,
    throwsAtOnce: (position) => position.kept !== undefined,
    outcome: (events) => events.find((event) => event.thrown)?.thrown ?? null,
    outcomeEditor: (context) => outcomeEditor(context),
    moveText: (move) => moveText(move, box),
    eventText: (event, names) => eventText(event, names, box),
    facts: (option) => factLines(option, box),
    practise: practiceOf(game),
    local: () => ({ kept: [] }),
  };
}

function sketch(game) {
  const faces = game === "yacht" ? [6, 6, 6, 6, 6] : [2, 3, 4, 5, 6];
  return s(
    "svg",
    { viewBox: "0 0 250 90", "aria-hidden": "true" },
    faces.map((number, at) => {
      const die = face(number);
      die.setAttribute("x", 8 + 48 * at);
      die.setAttribute("y", 22 + (at % 2) * 8);
      die.setAttribute("width", 42);
      die.setAttribute("height", 42);
      die.removeAttribute("class");
      return die;
    }),
  );
}

function moveText(move, box) {
  if (move.write) return t("move_write", { box: box(move.write) });
  if (move.pass) return t("move_pass");
  if (move.keep.length === 0) return t("move_keep_none");
  return t("move_keep", { dice: digits(move.keep.join(" ")) });
}

function eventText(event, names, box) {
  if (event.thrown) return t("event_thrown", { dice: digits(event.thrown.join(" ")) });
  if (event.write) {
    const told = { name: names[event.seat], box: box(event.write), points: event.gained };
    return t("event_write", told);
  }
  if (event.pass) return t("event_pass");
  if (event.keep) return moveText({ keep: event.keep }, box);
  return "";
}

function factLines(option, box) {
  const facts = option.facts ?? {};
  const lines = [];
  if (option.expected_total !== undefined) {
    lines.push(t("fact_expected_total", { n: num(option.expected_total, 2) }));
  }
  if (facts.win !== undefined) {
    lines.push(t("fact_win", { win: percent(facts.win), tie: percent(facts.tie) }));
  }
  if (facts.points_this_turn !== undefined) {
    lines.push(t("fact_points_this_turn", { n: num(facts.points_this_turn, 2) }));
  }
  if (facts.bonus_chance !== undefined && facts.bonus_chance !== null) {
    lines.push(t("fact_bonus_chance", { n: percent(facts.bonus_chance) }));
  }
  const likely = Object.entries(facts.chance_of ?? {})
    .filter(([, chance]) => chance > 0.02)
    .sort((a, b) => b[1] - a[1])
    .slice(0, 4)
    .map(([name, chance]) => `${box(name)} ${percent(chance, 0)}`);
  if (likely.length) lines.push(t("fact_chance_of", { list: likely.join(", ") }));
  return lines;
}

// Dice.

function dicePart(context, box) {
  const { position, local, mine, legal } = context;
  const dice = position.dice ?? [...(position.kept ?? []), ...Array(5).fill(null)].slice(0, 5);
  const key = JSON.stringify([position.dice, position.rolls_left, position.to_move]);
  if (local.key !== key) {
    local.key = key;
    local.kept = dice.map(() => false);
    local.fresh = context.fresh;
  }
  const mayKeep = mine && (legal ?? []).some((move) => move.keep);
  const toggle = (at) => {
    local.kept[at] = !local.kept[at];
    context.choose(keepOf(dice, local));
  };
  const row = h(
    "div",
    { class: "dice", role: "group", "aria-label": t("dice") },
    dice.map((number, at) =>
      h(
        "button",
        {
          type: "button",
          class: `die ${local.fresh && number !== null && mayMove() ? "rolling" : ""}`,
          "data-key": `die${at}`,
          disabled: !mayKeep,
          "aria-pressed": mayKeep ? String(local.kept[at]) : null,
          "aria-label": number === null ? t("die_not_thrown") : t("die_shows", { n: number }),
          onclick: () => toggle(at),
        },
        face(number),
      ),
    ),
  );
  local.fresh = false;
  const keep = keepOf(dice, local);
  const thrown = 5 - keep.keep.length;
  const pass = mine && (legal ?? []).some((move) => move.pass);
  const chosen = context.chosen;
  return h(
    "div",
    null,
    row,
    h("p", { class: "quiet line" }, rollsText(position), mayKeep && ` ${t("tap_to_keep")}`),
    h(
      "div",
      { class: "actions" },
      mayKeep &&
        button(t("throw_again", { n: thrown }), () => context.play(keep), {
          kind: chosen?.write ? "" : "main",
          key: "throw",
          disabled: thrown === 0,
        }),
      mine &&
        chosen?.write &&
        button(
          t("write_now", { box: box(chosen.write), points: gained(context, chosen.write) }),
          () => context.play(chosen),
          { kind: "main", key: "write" },
        ),
      pass && button(t("move_pass"), () => context.play({ pass: true }), { key: "pass" }),
    ),
  );
}

function keepOf(dice, local) {
  return { keep: dice.filter((_, at) => local.kept[at]).sort((a, b) => a - b) };
}

function rollsText(position) {
  if (position.dice === null && position.kept === undefined) return t("rolls_none_yet");
  return t("rolls_left", { n: position.rolls_left });
}

function gained({ gains }, name) {
  const event = (gains?.[name] ?? []).find((one) => one.write);
  return event?.gained ?? 0;
}

// The sheet.

function sheetPart(context, game, boxes, box) {
  const { position, status, names, mine, chosen } = context;
  const legal = new Set((context.legal ?? []).filter((move) => move.write).map((move) => move.write));
  const cell = (name, seat) => {
    const now = seat === position.to_move && status.to !== "over";
    const written = position.sheets[seat][name];
    if (written !== undefined) return h("td", { class: now ? "now" : "" }, num(written));
    if (!mine || !now || !legal.has(name) || !context.gains) {
      return h("td", { class: now ? "now" : "" }, "");
    }
    const points = gained(context, name);
    const pressed = chosen?.write === name;
    const choose = () => (pressed ? context.play({ write: name }) : context.choose({ write: name }));
    return h(
      "td",
      { class: "box now" },
      button(num(points), choose, {
        kind: `write ${points > 0 ? "" : "zero"}`,
        key: `box-${name}`,
        "aria-pressed": String(pressed),
        "aria-label": t("box_pays", { box: box(name), points }),
      }),
    );
  };
  const rowOf = (name) =>
    h("tr", null, h("th", { scope: "row" }, box(name)), position.sheets.map((_, seat) => cell(name, seat)));
  const sumRow = (label, values) =>
    h("tr", { class: "sum" }, h("th", { scope: "row" }, label), values.map((one) => h("td", null, one)));
  const upper = position.sheets.map((sheet) => sumOf(sheet, UPPER));
  const bonus = position.sheets.map((sheet, seat) => bonusText(game, position, sheet, upper[seat]));
  const extra = position.sheets.map((sheet) => sheet.extra_yachts ?? 0);
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": t("sheet") },
    h(
      "table",
      { class: "sheet" },
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          h("th", { scope: "col" }, t("sheet")),
          position.sheets.map((_, seat) =>
            h("th", { scope: "col", class: seat === position.to_move ? "now" : "" }, names[seat]),
          ),
        ),
      ),
      h(
        "tbody",
        null,
        UPPER.map(rowOf),
        sumRow(t(game === "yacht" ? "upper_sum" : "school_sum", {}, game), upper.map((one) => num(one))),
        sumRow(t("bonus", {}, game), bonus),
        boxes.slice(UPPER.length).map(rowOf),
        extra.some(Boolean) && sumRow(t("extra_yachts", {}, game), extra.map((n) => num(100 * n))),
        sumRow(t("total"), (status.scores ?? []).map((one) => num(one))),
      ),
    ),
  );
}

const sumOf = (sheet, names) => names.reduce((sum, name) => sum + (sheet[name] ?? 0), 0);

function bonusText(game, position, sheet, upper) {
  const open = UPPER.filter((name) => sheet[name] === undefined).length;
  if (game === "yacht") {
    if (upper >= 63) return num(35);
    return open ? t("bonus_missing", { n: 63 - upper }) : num(0);
  }
  const { school_bonus: pays, school_threshold: least } = position.options ?? {};
  if (open === 0) return num(upper >= least ? pays : 0);
  return signed(upper - least);
}

// Setting up.

function editor(context, game, boxes, box) {
  const { position, change } = context;
  const set = (more) => {
    const { kept: _, ...rest } = position;
    change({ ...rest, ...more });
  };
  const seats = position.sheets.length;
  const setSeats = (count) => {
    const blank = game === "yacht" ? { extra_yachts: 0 } : {};
    const sheets = Array.from({ length: count }, (_, seat) => position.sheets[seat] ?? { ...blank });
    change(inOrder({ ...position, sheets, to_move: Math.min(position.to_move, count - 1) }));
  };
  const setDie = (at) => {
    const dice = [...(position.dice ?? [1, 1, 1, 1, 1])];
    dice[at] = (dice[at] % 6) + 1;
    set({ dice });
  };
  const setBox = (seat, name, text) => {
    const sheets = position.sheets.map((sheet) => ({ ...sheet }));
    const value = whole(text);
    if (value === null) delete sheets[seat][name];
    else sheets[seat][name] = value;
    change(inOrder({ ...position, sheets }));
  };
  const rolls = [
    [3, t("before_roll")],
    [2, t("rolls_left", { n: 2 })],
    [1, t("rolls_left", { n: 1 })],
    [0, t("rolls_left", { n: 0 })],
  ];
  const seatChoices = position.sheets.map((_, seat) => [seat, t("seat", { n: seat + 1 })]);
  return [
    h(
      "div",
      { class: "dice", role: "group", "aria-label": t("dice") },
      (position.dice ?? []).map((number, at) =>
        h(
          "button",
          {
            type: "button",
            class: "die",
            "data-key": `set-die${at}`,
            "aria-label": t("die_change", { n: number }),
            onclick: () => setDie(at),
          },
          face(number),
        ),
      ),
    ),
    position.dice && h("p", { class: "quiet" }, t("tap_to_change")),
    h(
      "div",
      { class: "form" },
      select(t("when"), rolls, position.rolls_left, (value) =>
        set(
          Number(value) === 3
            ? { dice: null, rolls_left: 3 }
            : { dice: position.dice ?? [1, 2, 3, 4, 6], rolls_left: Number(value) },
        ),
      ),
      select(t("seats"), [1, 2, 3, 4, 5, 6].map((n) => [n, num(n)]), seats, (n) => setSeats(Number(n))),
      seats > 1 &&
        select(t("to_move"), seatChoices, position.to_move, (seat) =>
          change(inOrder({ ...position, to_move: Number(seat) })),
        ),
    ),
    h("p", { class: "quiet" }, t("open_boxes_empty")),
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": t("sheet") },
      h(
        "table",
        { class: "sheet" },
        h(
          "thead",
          null,
          h("tr", null, h("th", { scope: "col" }, t("sheet")), seatChoices.map(([, text]) => h("th", { scope: "col" }, text))),
        ),
        h(
          "tbody",
          null,
          [...boxes, ...(game === "yacht" ? ["extra_yachts"] : [])].map((name) =>
            h(
              "tr",
              null,
              h("th", { scope: "row" }, name === "extra_yachts" ? t("extra_yachts", {}, game) : box(name)),
              position.sheets.map((sheet, seat) =>
                h(
                  "td",
                  { class: "box" },
                  h("input", {
                    type: "text",
                    inputmode: "numeric",
                    "data-key": `in-${seat}-${name}`,
                    "aria-label": `${t("seat", { n: seat + 1 })}: ${name === "extra_yachts" ? t("extra_yachts", {}, game) : box(name)}`,
                    value: sheet[name] === undefined ? "" : num(sheet[name]),
                    onchange: (event) => setBox(seat, name, event.target.value),
                  }),
                ),
              ),
            ),
          ),
        ),
      ),
    ),
  ];
}

/** Return the position with who began chosen so that the sheets fit, if they can. */
function inOrder(position) {
  const seats = position.sheets.length;
  const kept = position.turns_left;
  const filled = position.sheets.map(
    (sheet) => Object.keys(sheet).filter((name) => name !== "extra_yachts").length,
  );
  const found = { ...position, first: Math.min(position.first ?? 0, seats - 1) };
  for (let first = 0; first < seats; first++) {
    const ahead = (position.to_move - first + seats) % seats;
    const least = filled[position.to_move];
    const fits = filled.every((count, seat) => {
      const place = (seat - first + seats) % seats;
      return count === least + (place < ahead ? 1 : 0);
    });
    if (fits) found.first = first;
  }
  if (kept !== undefined) {
    found.turns_left = filled.map((count) => 15 - count);
  }
  return found;
}

function outcomeEditor({ position, local, thrown }) {
  const count = 5 - (position.kept ?? []).length;
  local.outcome = (local.outcome ?? []).slice(0, count);
  while (local.outcome.length < count) local.outcome.push(1);
  const drawn = () =>
    local.outcome.map((number, at) =>
      h(
        "button",
        {
          type: "button",
          class: "die",
          "aria-label": t("die_change", { n: number }),
          onclick: () => {
            local.outcome[at] = (number % 6) + 1;
            row.replaceChildren(...drawn());
          },
        },
        face(number),
      ),
    );
  const row = h("div", { class: "dice" }, drawn());
  return h(
    "div",
    null,
    row,
    button(t("these_fell"), () => thrown([...local.outcome].sort((a, b) => a - b))),
  );
}

// Practice.

const at = (list, random) => list[Math.floor(random() * list.length)];

/** Return positions of a kind: a function of a source of random numbers for each kind. */
function practiceOf(game) {
  const blank = game === "yacht" ? { extra_yachts: 0 } : {};
  const start = (sheet) => ({
    game,
    sheets: [{ ...blank, ...sheet }],
    dice: null,
    rolls_left: 3,
  });
  /** Write what a middling game would have in so many boxes. */
  const written = (names, random) =>
    Object.fromEntries(names.map((name) => [name, at(LIKELY[game][name], random)]));
  const shuffled = (names, random) =>
    names.map((name) => [random(), name]).sort().map(([, name]) => name);
  const found = (names) => {
    const position = start(names);
    return game === "dice_poker" ? { ...position, turns_left: [15 - Object.keys(names).length] } : position;
  };
  const lower = LOWER[game];
  return {
    bonus_chase: (random) => {
      const open = shuffled(UPPER, random).slice(0, 1 + Math.floor(random() * 2));
      const done = UPPER.filter((name) => !open.includes(name));
      const more = game === "yacht" ? shuffled(lower, random).slice(0, 4) : [];
      return found(written([...done, ...more], random));
    },
    last_turns: (random) => {
      const open = shuffled(lower, random).slice(0, 1 + Math.floor(random() * 3));
      const done = [...UPPER, ...lower].filter((name) => !open.includes(name));
      return found(written(done, random));
    },
  };
}

const LIKELY = {
  yacht: {
    ones: [1, 2, 3],
    twos: [4, 6, 8],
    threes: [6, 9, 12],
    fours: [8, 12, 16],
    fives: [10, 15, 20],
    sixes: [12, 18, 24],
    three_of_a_kind: [0, 17, 22, 25],
    four_of_a_kind: [0, 14, 22],
    full_house: [0, 25],
    small_straight: [0, 30],
    large_straight: [0, 40],
    yacht: [0, 50],
    chance: [19, 22, 24],
  },
  dice_poker: {
    ones: [-1, 0, 1],
    twos: [-2, 0, 2],
    threes: [-3, 0, 3],
    fours: [-4, 0, 4],
    fives: [-5, 0, 5],
    sixes: [-6, 0, 6],
    pair: [10, 12],
    two_pairs: [18, 22],
    three: [12, 15, 18],
    small_straight: [15],
    large_straight: [20],
    full_house: [19, 22, 26],
    four: [12, 16, 20],
    poker: [65, 70],
    chance: [20, 23],
  },
};
