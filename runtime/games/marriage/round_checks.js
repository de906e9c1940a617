/**
 * Views and whole rounds read from JSON, held against what a round can have brought about.
 *
 * Errors name the key that cannot be so, and what was expected, in the words of Python.
 */

import { UstadError } from "./errors.js";
import {
  beyond,
  CARD_NAMES,
  copiesOf,
  countsOf,
  flat,
  HAND,
  howMany,
  inWords,
  NO_CARD,
  PUTALI,
  SHOW_MELDS,
} from "./cards.js";
import {
  cardsOf,
  chanceOfNoTiplu,
  countedMaal,
  hasDublees,
  hasShown,
  heldCards,
  inHand,
  isOver,
  NOBODY,
  openCards,
  pileSize,
  seatOfTurn,
  settlement,
  toMove,
  topOf,
} from "./course.js";
import {
  CARD,
  cardsCounted,
  checkFinishMelds,
  hiddenCards,
  isMine,
  maalOf,
  netOf,
  possibleTiplus,
  viewOf,
  WHETHER_TIPLU,
} from "./round.js";

/** @import { Fields } from "./errors.js" */
/** @import { PublicState } from "./course.js" */
/** @import { Deal, View } from "./round.js" */

/** @type {(message: string) => never} */
const refuse = (message) => {
  throw new UstadError("position", `position: ${message}`);
};

/** @param {number} card */
const nameOrNull = (card) => (card === NO_CARD ? null : CARD_NAMES[card]);

/** @param {readonly number[]} numbers */
const listed = (numbers) => `[${numbers.join(", ")}]`;

/**
 * Refuse a view that no round can have brought about.
 *
 * @param {Fields} fields
 * @param {View} view
 */
export function checkView(fields, view) {
  checkHand(fields, view);
  checkStock(fields, view.open);
  checkCopies(fields, view);
  checkTipluDrawn(fields, view);
  checkFinisher(fields, view);
  if (view.maal !== null) checkSettlement(fields, view, view.maal);
  checkSeats(fields, view.open);
  checkPile(fields, view.open);
  if (view.open.discards.length === view.open.course.turns) checkWholePlay(fields, view);
}

/**
 * Refuse a whole round that cannot be.
 *
 * @param {Fields} fields
 * @param {Deal} deal
 * @param {readonly number[] | null} maal as told
 * @param {readonly number[] | null} net as told
 */
export function checkWhole(fields, deal, maal, net) {
  const { open, hands, stock, tiplu } = deal;
  const { course } = open;
  hands.forEach((hand, seat) => {
    const many = inHand(open, seat);
    if (hand.length !== many) fields.fail(`hands[${seat}]`, `${many} cards`, hand.length);
  });
  checkStock(fields, open);
  const found = openCards(open);
  for (const card of [...hands.flat(), ...stock]) found[card] += 1;
  if (tiplu >= 0) found[tiplu] += 1;
  found.forEach((many, card) => {
    if (many === copiesOf(card)) return;
    refuse(
      `${CARD_NAMES[card]}: there are ${copiesOf(card)}, got ${many} in hands, ` +
        "table, pile, stock and tiplu",
    );
  });
  if (course.shown !== 0 && !course.tipluDrawn && stock.some((card) => card < PUTALI)) {
    fields.fail("tiplu_drawn", "true, since somebody has shown", false);
  }
  checkView(fields, viewOf(deal, toMove(open)));
  if (open.discards.length === course.turns) {
    heldCards(open).forEach((held, seat) => {
      const [card] = beyond(cardsCounted(held), hands[seat]);
      if (card !== undefined) {
        refuse(`hands[${seat}]: expected ${CARD_NAMES[card]}, taken and not thrown`);
      }
    });
  }
  checkTold(fields, "maal", maal, () => maalOf(deal));
  checkTold(fields, "net", net, () => netOf(deal));
}

/**
 * @param {Fields} fields
 * @param {string} key
 * @param {readonly number[] | null} told
 * @param {() => number[]} counted
 */
function checkTold(fields, key, told, counted) {
  if (told === null) return;
  const right = counted();
  if (told.join() !== right.join()) fields.fail(key, listed(right), told);
}

/**
 * Refuse a hand of another size, and a card drawn that is not there.
 *
 * @param {Fields} fields
 * @param {View} view
 */
function checkHand(fields, view) {
  const { hand, drawn, open } = view;
  const own = cardsOf(open.seats[view.seat]);
  let holds = HAND - own.length;
  if (isMine(view) && open.course.hasDrawn && view.waits !== CARD) {
    holds += 1;
    if (drawn < 0 || !(hand.includes(drawn) || own.includes(drawn))) {
      const expected = "the card just drawn, one of the hand or just shown";
      fields.fail("drawn", expected, nameOrNull(drawn));
    }
  } else if (drawn >= 0) {
    fields.fail("drawn", "null, since this seat has not just drawn", CARD_NAMES[drawn]);
  }
  if (hand.length !== holds) fields.fail("hand", `${holds} cards`, hand.length);
}

/**
 * Refuse a stock with which there are more or less than all cards.
 *
 * @param {Fields} fields
 * @param {PublicState} open
 */
function checkStock(fields, { course, pile }) {
  const stock = course.stock + pileSize(course) - pile.length;
  if (course.stock !== stock) {
    fields.fail("stock", `${stock}, so that there are 160 cards`, course.stock);
  }
}

/**
 * Refuse a tiplu that cannot be seen, and more copies of a card than there are.
 *
 * @param {Fields} fields
 * @param {View} view
 */
function checkCopies(fields, view) {
  const { open, tiplu } = view;
  if (tiplu >= 0) {
    if (tiplu >= PUTALI) fields.fail("tiplu", "a card of the packs", CARD_NAMES[tiplu]);
    const sees = hasShown(open, view.seat) || isOver(open.course);
    if (!open.course.tipluDrawn || !sees) {
      fields.fail("tiplu", "null, since this seat has not shown", CARD_NAMES[tiplu]);
    }
  }
  hiddenCards(view).forEach((many, card) => {
    if (many >= 0) return;
    refuse(
      `${CARD_NAMES[card]}: there are ${copiesOf(card)}, got ` +
        `${copiesOf(card) - many} in hand, table, pile and tiplu`,
    );
  });
}

/**
 * Refuse a tiplu that is drawn or not where that cannot be.
 *
 * @param {Fields} fields
 * @param {View} view
 */
function checkTipluDrawn(fields, view) {
  const { open } = view;
  const { course } = open;
  const none = chanceOfNoTiplu(hiddenCards(view), course.stock);
  if (course.blind && !(hasShown(open, toMove(open)) && course.hasDrawn)) {
    fields.fail("shown_blind", "false, since the seat to move has not just shown", true);
  }
  if (view.waits === WHETHER_TIPLU) {
    const firstShow = course.shown === 1 << toMove(open) && course.finisher === NOBODY;
    if (!firstShow || !(none > 0 && none < 1)) {
      fields.fail("tiplu_drawn", "true or false, since it can be known", null);
    }
  } else if (course.tipluDrawn) {
    if (course.shown === 0) {
      fields.fail("tiplu_drawn", "false, since nobody has shown", true);
    }
    if (possibleTiplus(view).length === 0) {
      fields.fail("tiplu_drawn", "false, since no card is left to be the tiplu", true);
    }
  } else if (course.shown !== 0 && none === 0) {
    fields.fail("tiplu_drawn", "true, since somebody has shown", false);
  }
}

/**
 * Refuse a finish that cannot have been made.
 *
 * @param {Fields} fields
 * @param {View} view
 */
function checkFinisher(fields, view) {
  const { open } = view;
  const { finisher, players, hasDrawn, tipluDrawn } = open.course;
  if (finisher === NOBODY) return;
  if ((finisher + 1) % players !== toMove(open) || hasDrawn) {
    fields.fail("finisher", "the seat before the one to move, in phase draw", finisher);
  }
  if (!(hasShown(open, finisher) && tipluDrawn)) {
    fields.fail("finisher", "a seat that has shown and sees the tiplu", finisher);
  }
  if (hasDublees(open, finisher)) return;
  const { melds, laid } = open.seats[finisher];
  try {
    checkFinishMelds(melds.slice(SHOW_MELDS - laid.length), possibleTiplus(view));
  } catch (error) {
    refuse(`table[${finisher}]: ${/** @type {Error} */ (error).message}`);
  }
}

/**
 * Refuse a maal that the seat's own cards do not pay, and a net that is not that of maal.
 *
 * @param {Fields} fields
 * @param {View} view
 * @param {readonly number[]} maal
 */
function checkSettlement(fields, view, maal) {
  const { open, seat, tiplu, net } = view;
  if (tiplu >= 0 || !open.course.tipluDrawn) {
    const own = open.seats[seat];
    const points = countedMaal(
      view.rules,
      countsOf([...view.hand, ...cardsOf(own)]),
      countsOf(flat(own.laid)),
      tiplu,
      hasShown(open, seat),
      open.course.shown !== 0,
    );
    if (maal[seat] !== points) fields.fail("maal", `${points} for seat ${seat}`, maal[seat]);
  }
  const right = settlement(open.course, maal);
  if (net !== null && net.join() !== right.join()) {
    fields.fail("net", `${listed(right)} by this maal`, net);
  }
}

/**
 * Refuse more than a hand before a seat, and anything before one that has not played.
 *
 * @param {Fields} fields
 * @param {PublicState} open
 */
function checkSeats(fields, open) {
  const { dealer, players, turns } = open.course;
  open.seats.forEach((seat, at) => {
    const many = cardsOf(seat).length;
    if (many > HAND) fields.fail(`table[${at}]`, `at most ${HAND} cards`, many);
  });
  open.seats.forEach((seat, at) => {
    const first = (at - dealer - 1 + 2 * players) % players;
    if ((seat.laid.length > 0 || hasShown(open, at)) && first > turns) {
      refuse(`table[${at}]: expected nothing, since seat ${at} has not played yet`);
    }
  });
}

/**
 * Refuse a pile, discards and taken cards that no round can have brought about.
 *
 * @param {Fields} fields
 * @param {PublicState} open
 */
function checkPile(fields, open) {
  const { course, pile, discards, taken } = open;
  if (!course.hasDrawn && discards.length > 0) {
    const { card } = discards[discards.length - 1];
    if (card !== topOf(open)) {
      refuse(`pile: expected ${CARD_NAMES[card]} on top, since it was thrown last`);
    }
  }
  const mayBeTaken = taken.length === 0 || taken[taken.length - 1].seat === toMove(open);
  if (pile.length === 0 && !(course.hasDrawn && mayBeTaken)) {
    fields.fail("pile", "a card, since none was just taken from it", []);
  }
  const turns = Math.max(course.turns, discards.length);
  if (pile.length > turns + 1) {
    fields.fail("pile", `at most ${turns + 1} cards after ${turns} turns`, pile.length);
  }
  if (discards.length > course.turns) {
    if (course.turns >= course.players) {
      fields.fail("discards", `at most ${course.turns}, one a turn`, discards.length);
    }
    return;
  }
  const gone = turns + 1 - pile.length;
  if (taken.length > gone) {
    fields.fail("taken", `at most ${gone} cards, by turns and pile`, taken.length);
  }
}

/**
 * Refuse what cannot be where the discards of every turn are known.
 *
 * @param {Fields} fields
 * @param {View} view
 */
function checkWholePlay(fields, view) {
  const { open } = view;
  const { course } = open;
  open.discards.forEach(({ seat }, turn) => {
    const whose = seatOfTurn(course, turn);
    if (seat !== whose) {
      fields.fail(`discards[${turn}]`, `seat ${whose}, whose turn it was`, seat);
    }
  });
  if (!pileCanBe(open)) {
    refuse(
      "pile: expected what the discards leave of it, each card taken by the " +
        "seat after the one that threw it",
    );
  }
  const held = heldCards(open);
  const others = held.filter((_, seat) => seat !== view.seat);
  hiddenCards(view).forEach((many, card) => {
    const left = others.reduce((rest, counts) => rest - counts[card], many);
    if (left >= 0) return;
    refuse(
      `taken: ${CARD_NAMES[card]}: there are ${copiesOf(card)}, got ` +
        `${copiesOf(card) - left} with those that others have taken and hold`,
    );
  });
  held.forEach((counts, seat) => {
    if (seat === view.seat) {
      const missing = beyond(cardsCounted(counts), view.hand);
      if (missing.length > 0) {
        refuse(`hand: expected ${inWords(missing)}, taken and not thrown`);
      }
    } else if (howMany(counts) > inHand(open, seat)) {
      refuse(
        `taken: seat ${seat} holds ${inHand(open, seat)} cards only, ` +
          `got ${howMany(counts)} taken and not thrown`,
      );
    }
  });
}

/**
 * Tell whether some choice of cards taken leaves the pile, the last of them those listed.
 *
 * Each card was on top once, and was taken in the next turn or has stayed.  Walked from the last
 * to the first, the pile and the cards taken are read off from their ends; equal cards leave
 * several ways, each told by how many were taken.
 *
 * @param {PublicState} open
 */
function pileCanBe({ course, pile, taken: known, discards }) {
  const takenNow = course.barred !== NO_CARD;
  const tops = [NO_CARD, ...discards.map(({ card }) => card)]; // the first is not known
  let ways = new Set([0]);
  for (let turn = tops.length - 1; turn >= 0; turn--) {
    const card = tops[turn];
    const present = turn === course.turns;
    /** @type {Set<number>} */
    const after = new Set();
    /** @param {number} other */
    const canBe = (other) => turn === 0 || card === other;
    for (const taken of ways) {
      const stayed = tops.length - 1 - turn - taken;
      const mayStay = stayed < pile.length && !(present && takenNow);
      if (mayStay && canBe(pile[pile.length - 1 - stayed])) after.add(taken);
      if (present && !takenNow) continue;
      if (taken < known.length) {
        const entry = known[known.length - 1 - taken];
        if (entry.seat !== seatOfTurn(course, turn) || !canBe(entry.card)) continue;
      }
      after.add(taken + 1);
    }
    ways = after;
  }
  return ways.has(tops.length - pile.length);
}
