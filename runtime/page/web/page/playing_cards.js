/** Playing cards: names, order and drawings.  A card is rank and suit letter, `PJ` or `MJ`. */

import { h, s } from "./dom.js";
import { t } from "./words.js";

export const SUITS = ["S", "H", "D", "C"];
export const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
export const PUTALI = "PJ";
export const MASTER = "MJ";

/** All cards that there are, by suit and rank, the jokers last. */
export const CARDS = [
  ...SUITS.flatMap((suit) => RANKS.map((rank) => rank + suit)),
  PUTALI,
  MASTER,
];

/** Return how many copies of a card there are. */
export const copies = (one) => (one === MASTER ? 1 : 3);

export const suitOf = (one) => one.slice(-1);
export const rankOf = (one) => one.slice(0, -1);
export const isPrinted = (one) => one === PUTALI || one === MASTER;

const order = new Map(CARDS.map((one, at) => [one, at]));

/** Compare cards by suit and rank. */
export const inOrder = (a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0);

const SIGNS = { S: "♠", H: "♥", D: "♦", C: "♣" };

/** Return a card in signs. */
export function cardText(one) {
  if (isPrinted(one)) return t(one === PUTALI ? "putali" : "master", {}, "marriage");
  return rankOf(one) + SIGNS[suitOf(one)];
}

/** Return a card in words, for whoever hears it. */
export function cardName(one) {
  if (isPrinted(one)) return cardText(one);
  const suit = t(`suit_${suitOf(one)}`, {}, "marriage");
  const rank = rankOf(one);
  const named = "AJQK".includes(rank) ? t(`rank_${rank}`, {}, "marriage") : rank;
  const told = t("card_name", { rank: /^\d+$/.test(named) ? Number(named) : named, suit }, "marriage");
  return `${cardText(one)} ${told}`; // what is seen, then what it is called
}

export const cardsText = (cards) => cards.map(cardText).join(" ");

/** Return the drawing of a card; null is its back. */
export function cardFace(one) {
  const red = one !== null && "HD".includes(suitOf(one));
  const fill = red ? "#b3142d" : "#20242c";
  if (one === null) {
    return s(
      "svg",
      { viewBox: "0 0 44 62", "aria-hidden": "true" },
      s("rect", { x: 1, y: 1, width: 42, height: 60, rx: 6, fill: "#9c1f33", stroke: "#fff", "stroke-width": 2 }),
      s("path", { d: "M8 10h28v42H8z M8 10l28 42 M36 10L8 52", fill: "none", stroke: "#e7b9a8", "stroke-width": 1.5 }),
    );
  }
  const inside = isPrinted(one)
    ? [
        s("path", {
          d: one === PUTALI ? "M22 12l4.5 9 10 1.2-7.3 6.8 2 9.8L22 34l-9.2 4.8 2-9.8-7.3-6.8 10-1.2z" : "M9 36l-2-19 9 8 6-12 6 12 9-8-2 19z",
          fill: one === PUTALI ? "#c58a1c" : "#6a3fa0",
        }),
      ]
    : [
        s("text", { x: 4, y: 18, "font-size": 17, "font-weight": 700, fill, "letter-spacing": rankOf(one) === "10" ? -1.5 : 0 }, rankOf(one)),
        s("text", { x: 22, y: 52, "text-anchor": "middle", "font-size": 32, fill }, SIGNS[suitOf(one)]),
      ];
  return s(
    "svg",
    { viewBox: "0 0 44 62", "aria-hidden": "true" },
    s("rect", { x: 1, y: 1, width: 42, height: 60, rx: 6, fill: "#fffdf8", stroke: "#8b7d6b" }),
    inside,
  );
}

/** Return a card that is only looked at. */
export function card(one, kind = "") {
  return h(
    "span",
    { class: `card ${kind}`, role: "img", "aria-label": one === null ? t("card_back", {}, "marriage") : cardName(one) },
    cardFace(one),
  );
}

/** Return a card that can be tapped. */
export function cardButton(one, onclick, more = {}) {
  const { kind = "", key, ...rest } = more;
  return h(
    "button",
    {
      type: "button",
      class: `card ${kind}`,
      "data-key": key ?? null,
      "aria-label": cardName(one),
      onclick,
      ...rest,
    },
    cardFace(one),
  );
}

/** Return how often each card is in lists of cards. */
export function counted(...lists) {
  /** @type {Map<string, number>} */
  const found = new Map();
  for (const one of lists.flat(Infinity)) found.set(one, (found.get(one) ?? 0) + 1);
  return found;
}

/** Return cards without others, each copy once. */
export function without(cards, others) {
  const left = counted(others);
  return cards.filter((one) => {
    const count = left.get(one) ?? 0;
    if (count === 0) return true;
    left.set(one, count - 1);
    return false;
  });
}
