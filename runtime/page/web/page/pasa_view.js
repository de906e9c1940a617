/** Pasa: stacks, bets against the thrower, and three long dice. */

import { longFace } from "./dice.js";
import { button, h, mayMove, s, select } from "./dom.js";
import { digits, num, percent, signed, t, whole } from "./words.js";

const GAME = "pasa";
const FACES = [1, 2, 5, 6];

export const pasaView = {
  game: GAME,
  sketch,
  table,
  editor,
  throwText: () => t("throw_pasa", {}, GAME),
  thrower: (position) => position.thrower,
  throwsAtOnce: () => false,
  outcome: (events) => events.find((event) => event.thrown)?.thrown ?? null,
  outcomeEditor,
  moveText: (move) => t("move_bet", { n: move.bet }, GAME),
  eventText,
  facts,
  practise: { last_turns: lastTurns },
  local: () => ({}),
};

function sketch() {
  return s(
    "svg",
    { viewBox: "0 0 250 90", "aria-hidden": "true" },
    [6, 6, 1].map((number, at) => {
      const die = longFace(number);
      die.setAttribute("x", 62 + 44 * at);
      die.setAttribute("y", 4 + 5 * (at % 2));
      die.setAttribute("width", 31);
      die.setAttribute("height", 82);
      return die;
    }),
  );
}

function eventText(event, names) {
  if (event.bet !== undefined) {
    return t("event_bet", { name: names[event.seat], n: event.bet }, GAME);
  }
  if (!event.thrown) return "";
  const told = {
    name: names[event.seat],
    dice: digits(event.thrown.join(" ")),
    sum: event.sum,
    result: t(event.result, {}, GAME),
  };
  const named = event.named ? ` (${t(event.named, {}, GAME)})` : "";
  return `${t("event_thrown", told, GAME)}${named}`;
}

function facts({ facts: held }) {
  if (held?.if_paro === undefined) return [];
  return [
    t("fact_if_paro", { n: percent(held.if_paro, 2) }, GAME),
    t("fact_if_tiro", { n: percent(held.if_tiro, 2) }, GAME),
  ];
}

/** Return a stack of chips as a drawing. */
function chips(count, most) {
  const shown = Math.min(count, Math.max(1, Math.round((12 * count) / Math.max(most, 1))));
  return s(
    "svg",
    { viewBox: "0 0 60 56", "aria-hidden": "true" },
    Array.from({ length: shown }, (_, at) =>
      s("ellipse", {
        cx: 30,
        cy: 49 - 3.6 * at,
        rx: 20,
        ry: 6,
        fill: at % 2 ? "#e8c872" : "#c9973a",
        stroke: "#7a5516",
      }),
    ),
  );
}

function table(context) {
  const { position, status, names, mine, legal, chosen, events } = context;
  const most = Math.max(...position.stacks);
  const thrown = (events ?? []).find((event) => event.thrown);
  const limit = (legal ?? []).map((move) => move.bet);
  return [
    h(
      "div",
      { class: "cloth" },
      h(
        "div",
        { class: "dice", "aria-label": thrown ? eventText(thrown, names) : t("dice"), role: "img" },
        (thrown?.thrown ?? [null, null, null]).map((number) => {
          const die = longFace(number);
          if (thrown && context.fresh && mayMove()) die.classList.add("rolling");
          return die;
        }),
      ),
      h(
        "p",
        { class: "line", style: { textAlign: "center" } },
        `${t("turns_left", { n: position.turns_left }, GAME)} · ${t("paro_sums", {}, GAME)} · ${t("tiro_sums", {}, GAME)}`,
      ),
      h(
        "div",
        { class: "stacks" },
        position.stacks.map((stack, seat) =>
          h(
            "div",
            { class: `stack ${seat === (status.seat ?? position.thrower) ? "on" : ""}` },
            h("span", null, names[seat]),
            chips(stack, most),
            h("b", null, num(stack)),
            h(
              "div",
              null,
              seat === position.thrower
                ? t("has_dice", {}, GAME)
                : position.bets[seat] === null
                  ? t("no_bet", {}, GAME)
                  : t("bet_is", { n: position.bets[seat] }, GAME),
            ),
          ),
        ),
      ),
    ),
    mine &&
      limit.length > 0 &&
      h(
        "div",
        { class: "actions", role: "group", "aria-label": t("your_bet", {}, GAME) },
        limit.length <= 8
          ? limit.map((bet) => betButton(context, bet))
          : [
              select(t("your_bet", {}, GAME), limit.map((bet) => [bet, num(bet)]), chosen?.bet ?? limit[0], (bet) =>
                context.choose({ bet: Number(bet) }),
              ),
            ],
        button(
          t("bet_now", { n: chosen?.bet ?? limit[0] }, GAME),
          () => context.play(chosen ?? { bet: limit[0] }),
          { kind: "main", key: "bet-now" },
        ),
      ),
  ];
}

function betButton(context, bet) {
  const pressed = (context.chosen?.bet ?? context.legal[0].bet) === bet;
  return button(num(bet), () => context.choose({ bet }), {
    key: `bet${bet}`,
    "aria-pressed": String(pressed),
    "aria-label": t("move_bet", { n: bet }, GAME),
  });
}

// Setting up.

function editor({ position, change }) {
  const seats = position.stacks.length;
  const resize = (count) => {
    const stack = { 2: 50, 3: 20, 4: 10, 5: 5, 6: 3 }[count] ?? 10;
    change({
      ...position,
      stacks: Array(count).fill(stack),
      bets: Array(count).fill(null),
      thrower: 0,
      turns_left: 2 * count,
    });
  };
  const setStack = (seat, text) => {
    const value = whole(text);
    if (value === null) return change(position);
    const stacks = position.stacks.map((one, at) => (at === seat ? value : one));
    change({ ...position, stacks, bets: betsOf({ ...position, stacks }, position.bets) });
  };
  const setBet = (seat, text) => {
    const bets = position.bets.map((one, at) => (at === seat ? whole(text) : one));
    change({ ...position, bets: betsOf(position, bets) });
  };
  const names = position.stacks.map((_, seat) => t("seat", { n: seat + 1 }));
  const field = (label, key, value, set) =>
    h(
      "label",
      { class: "field" },
      h("span", null, label),
      h("input", {
        type: "text",
        class: "number",
        inputmode: "numeric",
        "data-key": key,
        value,
        onchange: (event) => set(event.target.value),
      }),
    );
  return [
    h(
      "div",
      { class: "form" },
      select(t("seats"), [2, 3, 4, 5, 6].map((n) => [n, num(n)]), seats, (n) => resize(Number(n))),
      select(t("thrower", {}, GAME), names.map((name, seat) => [seat, name]), position.thrower, (seat) =>
        change({
          ...position,
          thrower: Number(seat),
          bets: betsOf({ ...position, thrower: Number(seat) }, Array(seats).fill(null)),
        }),
      ),
      field(t("turns_left_label", {}, GAME), "turns", num(position.turns_left), (text) => {
        const turns = whole(text);
        change(turns === null ? position : { ...position, turns_left: turns });
      }),
    ),
    h(
      "div",
      { class: "seats" },
      names.map((name, seat) =>
        h(
          "div",
          { class: "seatrow", role: "group", "aria-label": name },
          h("b", null, name),
          field(`${t("stack", {}, GAME)} (${num(seat + 1)})`, `stack${seat}`, num(position.stacks[seat]), (text) => setStack(seat, text)),
          seat !== position.thrower &&
            position.stacks[seat] > 0 &&
            field(
              `${t("bet", {}, GAME)} (${num(seat + 1)})`,
              `bet${seat}`,
              position.bets[seat] === null ? "" : num(position.bets[seat]),
              (text) => setBet(seat, text),
            ),
        ),
      ),
    ),
    h("p", { class: "quiet" }, t("bets_empty", {}, GAME)),
  ];
}

/** Return the bets so that no one bets before those ahead: the thrower never, empty stacks 0. */
function betsOf({ stacks, thrower }, bets) {
  const seats = stacks.length;
  const found = [...bets];
  let open = false;
  for (let step = 1; step < seats; step++) {
    const seat = (thrower + step) % seats;
    if (stacks[seat] === 0) found[seat] = 0;
    else if (open) found[seat] = null;
    else {
      if (found[seat] === 0) found[seat] = null;
      open = found[seat] === null;
    }
  }
  found[thrower] = null;
  return found;
}

function outcomeEditor({ local, thrown }) {
  local.outcome ??= [1, 1, 1];
  const choices = FACES.map((one) => [one, num(one)]);
  return h(
    "div",
    { class: "row" },
    local.outcome.map((one, at) =>
      select(t("die_number", { n: at + 1 }), choices, one, (value) => (local.outcome[at] = Number(value))),
    ),
    button(t("these_fell"), () => thrown([...local.outcome].sort((a, b) => a - b))),
  );
}

/** Return the last turn with the dice of a game of two to four seats. */
function lastTurns(random) {
  const seats = 2 + Math.floor(random() * 3);
  const stacks = Array(seats).fill({ 2: 50, 3: 20, 4: 10 }[seats]);
  for (let step = 0; step < 30; step++) {
    const from = Math.floor(random() * seats);
    const to = Math.floor(random() * seats);
    const moved = Math.min(stacks[from] - 1, 1 + Math.floor(random() * 3));
    if (moved > 0) {
      stacks[from] -= moved;
      stacks[to] += moved;
    }
  }
  const turns = 1 + Math.floor(random() * 2);
  return {
    game: GAME,
    stacks,
    thrower: Math.floor(random() * seats),
    turns_left: turns,
    bets: Array(seats).fill(null),
  };
}

export const gainText = (gained) => gained.map((one) => signed(one)).join(" ");
