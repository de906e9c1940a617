/** Marriage: the hand laid out in melds, the table, the piles, and what may be shown. */

import { ask } from "./asking.js";
import { button, h, s, select } from "./dom.js";
import {
  card,
  cardButton,
  cardFace,
  CARDS,
  cardsText,
  cardText,
  copies,
  counted,
  inOrder,
  isPrinted,
  without,
} from "./playing_cards.js";
import { num, t } from "./words.js";

const GAME = "marriage";

export const marriageView = {
  game: GAME,
  hides: true,
  sketch,
  table,
  editor,
  prepare,
  throwText: () => t("draw_unknown", {}, GAME),
  thrower: (position) => position.to_move,
  throwsAtOnce: () => false,
  outcome: () => null,
  outcomeEditor,
  moveText,
  eventText,
  facts,
  practise: {},
  local: () => ({}),
};

function sketch() {
  return s(
    "svg",
    { viewBox: "0 0 250 90", "aria-hidden": "true" },
    ["6H", "7H", "8H", "PJ", "QS"].map((one, at) => {
      const face = cardFace(one);
      face.setAttribute("width", 50);
      face.setAttribute("height", 70);
      const angle = 9 * (at - 2);
      return s("g", { transform: `translate(${28 + 38 * at} ${12 + 3 * Math.abs(at - 2)}) rotate(${angle} 25 35)` }, face);
    }),
  );
}

const melds = (list) => list.map(cardsText).join(" | ");

function moveText(move) {
  if (move.draw) return t(`move_draw_${move.draw}`, {}, GAME);
  if (move.lay) return t("move_lay", { cards: cardsText(move.lay) }, GAME);
  if (move.show) {
    return move.show.length ? t("move_show", { cards: melds(move.show) }, GAME) : t("move_show_laid", {}, GAME);
  }
  if (move.show_dublees) return t("move_show_dublees", { cards: melds(move.show_dublees) }, GAME);
  if (move.finish) {
    return t("move_finish", { cards: melds(move.finish), card: cardText(move.discard) }, GAME);
  }
  return t("move_discard", { card: cardText(move.discard) }, GAME);
}

function eventText(event, names) {
  if (event.over) return event.finisher === null ? t("event_stock_out", {}, GAME) : "";
  if (event.tiplu_drawn) return t("event_tiplu", {}, GAME);
  const { seat, ...move } = event;
  if (seat === undefined || !Object.keys(move).some((key) => key in { draw: 1, lay: 1, show: 1, show_dublees: 1, finish: 1, discard: 1 })) {
    return "";
  }
  const told = move.draw === "pile" && event.card ? t("event_took", { card: cardText(event.card) }, GAME) : moveText(move);
  return t("event_move", { name: names[seat], move: told }, GAME);
}

function facts({ facts: held }) {
  if (!held) return [];
  const lines = [];
  if (held.distance !== undefined) lines.push(t("fact_distance", { n: held.distance }, GAME));
  if (held.outs) lines.push(t("fact_outs", { n: held.outs, of: held.unseen }, GAME));
  if (held.turns) lines.push(t("fact_turns", { n: num(held.turns, 1) }, GAME));
  if (held.maal !== undefined) lines.push(t("fact_maal", { n: held.maal }, GAME));
  return lines;
}

/** Ask how the hand of a view lies in melds, if anything is to be said of it. */
async function prepare(position) {
  const own = position.table?.[position.seat];
  if (!own || !position.hand?.length) return null;
  const laid = own.shown ? [] : own.melds.filter((meld) => meld.length === 3);
  const request = {
    cards: [...position.hand, ...laid.flat()],
    options: position.options,
    tiplu: position.tiplu ?? null,
    laid: laid.length ? laid.map((meld) => meld.join(" ")) : null,
    after_show: own.shown || null,
    not_shown: !own.shown && position.tiplu ? true : null,
  };
  try {
    return await ask(GAME, "hand", request);
  } catch {
    return null; // such as a show whose tiplu is not seen yet: the hand lies in suits
  }
}

/** Return the hand in groups: melds that are whole, parts of melds, and the rest by suit. */
function groups(hand, prepared) {
  const found = [];
  let left = [...hand].sort(inOrder);
  const take = (meld, missing) => {
    const cards = meld.cards ?? meld;
    if (without(cards, left).length) return;
    left = without(left, cards);
    found.push({ cards, missing, whole: Array.isArray(missing) ? missing.length === 0 : !missing });
  };
  for (const meld of prepared?.partition ?? []) take(meld, meld.missing ?? []);
  for (const meld of prepared?.finish ?? []) take(meld, meld.missing ?? 0);
  const bySuit = Map.groupBy
    ? Map.groupBy(left, (one) => (isPrinted(one) ? "J" : one.slice(-1)))
    : new Map([["", left]]);
  for (const cards of bySuit.values()) found.push({ cards, rest: true });
  return found;
}

function handPart(context) {
  const { position, prepared, mine, legal, chosen } = context;
  const discards = new Set(
    (legal ?? []).filter((move) => move.discard && !move.finish).map((move) => move.discard),
  );
  let number = 0;
  const cardOf = (one) => {
    const can = mine && discards.has(one);
    number += 1;
    if (!can) return card(one);
    const pressed = chosen?.discard === one && !chosen.finish;
    return cardButton(one, () => context.choose({ discard: one }), {
      key: `card${number}`,
      "aria-pressed": String(pressed),
    });
  };
  return h(
    "div",
    { class: "hand", role: "group", "aria-label": t("your_hand", {}, GAME) },
    groups(position.hand, prepared).map((group) =>
      h(
        "div",
        { class: `meld ${group.rest ? "" : group.whole ? "whole" : "part"}` },
        group.cards.map(cardOf),
        Array.isArray(group.missing) && group.missing.map((one) => card(one, "ghost")),
      ),
    ),
  );
}

function handNotes(prepared) {
  if (!prepared) return [];
  const notes = [];
  if (prepared.can_show) notes.push(t("can_show", {}, GAME));
  else if (prepared.show_distance !== undefined && prepared.show_distance !== null) {
    notes.push(t("show_distance", { n: prepared.show_distance }, GAME));
  }
  if (prepared.finish_distance !== undefined && prepared.finish_distance !== null) {
    notes.push(t("finish_distance", { n: prepared.finish_distance }, GAME));
  }
  if (prepared.maal !== undefined) notes.push(t("fact_maal", { n: prepared.maal }, GAME));
  return notes;
}

function outsPart(prepared) {
  if (!prepared?.outs?.length) return null;
  return h(
    "details",
    null,
    h("summary", null, t("outs", { n: prepared.outs_unseen ?? 0 }, GAME)),
    h(
      "div",
      { class: "hand" },
      prepared.outs.map(({ card: one, unseen }) =>
        h("span", { class: "pick" }, card(one, "small"), h("span", { class: "quiet" }, `×${num(unseen)}`)),
      ),
    ),
  );
}

function table(context) {
  const { position, status, names, mine, legal, chosen, prepared } = context;
  if (position.hands) return wholeTable(position, names);
  const top = position.pile[position.pile.length - 1] ?? null;
  const others = (legal ?? []).filter((move) => !(move.discard && !move.finish));
  const more = others.filter((move) => !move.draw);
  return [
    h(
      "div",
      { class: "cloth" },
      h(
        "div",
        { class: "row", style: { justifyContent: "center" } },
        pile(card(null), t("stock_has", { n: position.stock }, GAME)),
        pile(top === null ? card(null, "ghost") : card(top), t("pile_has", { n: position.pile.length }, GAME)),
        position.tiplu && pile(card(position.tiplu), t("tiplu", {}, GAME)),
        position.tiplu_drawn && !position.tiplu && pile(card(null), t("tiplu_hidden", {}, GAME)),
      ),
      shownMelds(position, names),
    ),
    h("h3", { style: { marginTop: ".8rem" } }, t("hand_of", { name: names[position.seat] }, GAME)),
    handPart(context),
    h("p", { class: "quiet line" }, handNotes(prepared).join(" · ")),
    outsPart(prepared),
    mine &&
      status.to === "move" &&
      h(
        "div",
        { class: "actions" },
        others
          .filter((move) => move.draw)
          .map((move) =>
            button(moveText(move), () => context.play(move), {
              kind: "main",
              key: `draw-${move.draw}`,
            }),
          ),
        more.slice(0, 6).map((move, at) =>
          button(moveText(move), () => context.play(move), { key: `show${at}` }),
        ),
        more.length > 6 &&
          select(t("more_shows", {}, GAME), [["", "…"], ...more.slice(6).map((move, at) => [at, moveText(move)])], "", (at) => {
            if (at !== "") context.choose(more[6 + Number(at)]);
          }),
        chosen &&
          (chosen.discard || chosen.show || chosen.show_dublees || chosen.lay) &&
          button(moveText(chosen), () => context.play(chosen), { kind: "main", key: "discard" }),
        position.phase === "discard" && !chosen && h("span", { class: "quiet" }, t("tap_card", {}, GAME)),
      ),
  ];
}

const pile = (drawn, text) =>
  h("span", { style: { textAlign: "center" } }, drawn, h("small", { style: { display: "block" } }, text));

function shownMelds(position, names) {
  const seats = position.table.filter((one) => one.melds.length);
  if (seats.length === 0) return null;
  return h(
    "div",
    { class: "tablecards", style: { marginTop: "10px" } },
    seats.map((one) =>
      h(
        "div",
        null,
        h("b", null, names[one.seat], one.shown && eye()),
        h(
          "div",
          { class: "hand" },
          one.melds.map((meld) => h("span", { class: "meld" }, meld.map((each) => card(each, "small")))),
        ),
      ),
    ),
  );
}

/** The sign of who has shown. */
const eye = () =>
  s(
    "svg",
    { viewBox: "0 0 24 16", width: 24, height: 16, role: "img", "aria-label": t("has_shown", {}, GAME), style: { marginLeft: "6px" } },
    s("path", { d: "M1 8Q12-5 23 8Q12 21 1 8z", fill: "none", stroke: "#ffd98a", "stroke-width": 2 }),
    s("circle", { cx: 12, cy: 8, r: 3.5, fill: "#ffd98a" }),
  );

/** Show all that there is, when a round is over. */
function wholeTable(position, names) {
  return h(
    "div",
    { class: "cloth" },
    position.tiplu && h("div", { class: "row" }, pile(card(position.tiplu), t("tiplu", {}, GAME))),
    position.hands.map((hand, seat) =>
      h(
        "div",
        { style: { marginTop: "8px" } },
        h("b", null, names[seat]),
        h(
          "div",
          { class: "hand" },
          position.table[seat].melds.map((meld) =>
            h("span", { class: "meld whole" }, meld.map((each) => card(each, "small"))),
          ),
          h("span", { class: "meld" }, [...hand].sort(inOrder).map((each) => card(each, "small"))),
        ),
      ),
    ),
  );
}

// Setting up.

const PHASES = ["draw", "discard"];

function editor({ position, change, local }) {
  const own = position.table[position.seat];
  const target = local.target ?? "hand";
  const shownCards = position.table.flatMap((one) => one.melds.flat());
  const seen = counted(position.hand, shownCards, position.pile, position.tiplu ? [position.tiplu] : []);
  const leftOf = (one) => copies(one) - (seen.get(one) ?? 0);
  const held = own.shown ? (own.dublees ? 7 : 12) : 21 - 3 * own.melds.length;
  const wanted = held + (position.phase === "discard" ? 1 : 0);
  const lists = { hand: position.hand, pile: position.pile, tiplu: position.tiplu ? [position.tiplu] : [] };
  const put = (one) => {
    if (leftOf(one) <= 0) return;
    if (target === "hand") change(fitted({ ...position, hand: [...position.hand, one] }));
    else if (target === "pile") change(fitted({ ...position, pile: [...position.pile, one] }));
    else if (!isPrinted(one)) change(fitted({ ...position, tiplu: one, tiplu_drawn: true }));
  };
  const remove = (one) => {
    if (target === "hand") change(fitted({ ...position, hand: without(position.hand, [one]) }));
    else if (target === "pile") change(fitted({ ...position, pile: without(position.pile, [one]) }));
    else change(fitted({ ...position, tiplu: null, tiplu_drawn: position.table.some((each) => each.shown) }));
  };
  return [
    h(
      "div",
      { class: "form" },
      select(t("seats"), [2, 3, 4, 5].map((n) => [n, num(n)]), position.players, (n) => change(blank(Number(n)))),
      select(t("phase", {}, GAME), PHASES.map((one) => [one, t(`phase_${one}`, {}, GAME)]), position.phase, (phase) =>
        change(fitted({ ...position, phase })),
      ),
      select(
        t("put_cards", {}, GAME),
        ["hand", "pile", "tiplu"].map((one) => [one, t(`put_${one}`, {}, GAME)]),
        target,
        (value) => {
          local.target = value;
          change(position);
        },
      ),
    ),
    h("p", { class: position.hand.length === wanted ? "quiet" : "note" }, t("hand_count", { n: position.hand.length, of: wanted }, GAME)),
    h(
      "div",
      { class: "hand", style: { minHeight: "68px" } },
      [...lists[target]].sort(target === "hand" ? inOrder : () => 0).map((one, at) =>
        cardButton(one, () => remove(one), { key: `held${at}`, }),
      ),
    ),
    h(
      "div",
      { class: "row" },
      button(t("deal_rest", {}, GAME), () => change(dealt(position, wanted)), { kind: "small", disabled: position.hand.length >= wanted }),
      button(t("clear", {}), () => change(fitted({ ...position, hand: [] })), { kind: "small" }),
    ),
    h("p", { class: "quiet" }, t("pick_cards", {}, GAME)),
    h(
      "div",
      { class: "pack" },
      CARDS.map((one) => {
        const left = leftOf(one);
        return h(
          "span",
          { class: "pick" },
          cardButton(one, () => put(one), { key: `pack-${one}`, disabled: left <= 0, kind: left > 0 ? "" : "ghost" }),
          h("span", { class: "left", "aria-hidden": "true" }, `×${num(Math.max(0, left))}`),
        );
      }),
    ),
  ];
}

/** Return a view of a round before its first draw, with nothing in the hand. */
function blank(players) {
  return fitted({
    game: GAME,
    options: {},
    players,
    seat: 0,
    to_move: 0,
    dealer: players - 1,
    turns: 0,
    phase: "draw",
    hand: [],
    drawn: null,
    table: Array.from({ length: players }, (_, seat) => ({
      seat,
      melds: [],
      laid_before_draw: [],
      shown: false,
      dublees: false,
    })),
    tiplu_drawn: false,
    tiplu: null,
    pile: ["2C"],
    discards: [],
    taken: [],
    stock: 0,
  });
}

/** Return a position whose counts fit its cards: the stock, and what is not remembered. */
function fitted(position) {
  const shown = position.table.reduce((sum, one) => sum + one.melds.flat().length, 0);
  const held = position.table.reduce((sum, one) => {
    const laid = one.melds.flat().length;
    if (one.seat === position.seat) return sum;
    return sum + (one.shown ? (one.dublees ? 7 : 12) : 21 - laid);
  }, 0);
  const own = position.table[position.seat];
  const wanted =
    (own.shown ? (own.dublees ? 7 : 12) : 21 - own.melds.flat().length) + (position.phase === "discard" ? 1 : 0);
  const drawn = position.phase === "discard" ? (position.drawn ?? position.hand[position.hand.length - 1] ?? null) : null;
  const stock = 160 - shown - held - wanted - position.pile.length - (position.tiplu_drawn ? 1 : 0);
  return {
    ...position,
    drawn: drawn !== null && position.hand.includes(drawn) ? drawn : position.phase === "discard" ? (position.hand[0] ?? null) : null,
    stock: Math.max(0, stock),
  };
}

/** Return a position whose hand is filled with cards that nobody has seen. */
function dealt(position, wanted) {
  const seen = counted(position.hand, position.pile, position.table.map((one) => one.melds), position.tiplu ?? []);
  const unseen = CARDS.flatMap((one) => Array(Math.max(0, copies(one) - (seen.get(one) ?? 0))).fill(one));
  const hand = [...position.hand];
  while (hand.length < wanted && unseen.length) {
    hand.push(unseen.splice(Math.floor(Math.random() * unseen.length), 1)[0]);
  }
  return fitted({ ...position, hand });
}

function outcomeEditor({ local, thrown }) {
  local.outcome ??= CARDS[0];
  return h(
    "div",
    { class: "row" },
    select(t("card_drawn", {}, GAME), CARDS.map((one) => [one, cardText(one)]), local.outcome, (one) => (local.outcome = one)),
    button(t("these_fell"), () => thrown(local.outcome)),
  );
}
