/**
 * What a hand of Marriage is, what it needs, and which cards bring it: the method `hand`.
 *
 * Before the show the *partition* is the choice of pure melds that hold most cards and, among
 * those, leaves the best finish; the distance to a finish is the least over all choices of pure
 * melds.  What is searched in which order stands in `ustad.runtime.games.marriage.hand`.
 */

import { isList, readOptions, shown as told, UstadError } from "./errors.js";
import { TIE } from "./export.js";
import {
  beyond,
  CARD_NAMES,
  CARD_NUMBERS,
  CARDS,
  cardsIn,
  copiesOf,
  countsOf,
  DUBLEES_TO_SHOW,
  FINISH_PLACES,
  flat,
  HAND,
  has,
  isTanela,
  jokersOf,
  kindsOf,
  MASTER,
  meldNames,
  meldsToJson,
  namesOf,
  NO_CARD,
  PURE_RUNS,
  PURE_TARGETS,
  PUTALI,
  setOf,
  SHOW_MELDS,
  sorted,
  sortedMelds,
  without,
} from "./cards.js";
import { countedMaal, firstTurn } from "./course.js";
import { decide } from "./decisions.js";
import { arrange, finishMelds, FINISHES } from "./finishes.js";
import { fixed } from "./facts.js";
import { Work } from "./ratings.js";
import { dubleeCount, showDistance } from "./shows.js";

/** @import { JsonObject, Option } from "./errors.js" */
/** @import { Cards, Melds } from "./cards.js" */
/** @import { MarriageRules } from "./course.js" */
/** @import { Expert } from "./nets.js" */

/** How many cards are in hand after a show of seven dublees. */
const HELD_DUBLEES = HAND - 2 * DUBLEES_TO_SHOW;

/**
 * Pure melds, as far as a hand holds them: the melds, and the cards of the hand in them.
 *
 * @typedef {{ targets: number[][], kept: number[] }} Partition
 *
 * A partition, and the finish distance that counts with it.
 *
 * @typedef {{ partition: Partition, distance: number }} Nearest
 */

/** A hand to be judged: all cards, the tanelas laid among them, the tiplu, the options. */
class Hand {
  /**
   * @param {MarriageRules} rules
   * @param {Cards} cards
   * @param {Melds} laid
   * @param {number} tiplu
   * @param {boolean} hasShown
   */
  constructor(rules, cards, laid, tiplu, hasShown) {
    this.rules = rules;
    this.cards = cards;
    this.laid = laid;
    this.tiplu = tiplu;
    this.hasShown = hasShown;
    /** The cards that are not laid. */
    this.rest = without(cards, flat(laid));
    this.jokers = jokersOf(tiplu);
    const known = tiplu < 0 ? [] : [tiplu];
    /** How many copies of each card are laid or the tiplu. */
    this.outOfPlay = countsOf([...flat(laid), ...known]);
    /** How many copies of each card are not in sight. */
    this.unseen = countsOf([...cards, ...known]).map((seen, card) => copiesOf(card) - seen);
    /** The cards of the packs of which no copy is left out of sight. */
    this.gone = setOf(CARD_NAMES.map((_, card) => card).filter((card) => this._isGone(card)));
    /** How many cards the show is still to lay. */
    this.places = 3 * (SHOW_MELDS - laid.length);
  }

  /** @param {number} card */
  _isGone(card) {
    return card < PUTALI && this.unseen[card] === 0;
  }

  /** Return the maal of cards in hand with what is laid. @param {Cards} cards */
  maal(cards) {
    const laid = flat(this.laid);
    const owned = countsOf([...cards, ...laid]);
    return countedMaal(this.rules, owned, countsOf(laid), this.tiplu, this.hasShown, true);
  }

  /** @param {Cards} cards */
  showDistance(cards) {
    return showDistance(countsOf(cards), this.outOfPlay, this.rules.master_is_pure);
  }

  /** How many copies of some kinds are unseen. @param {Iterable<number>} kinds */
  unseenOf(kinds) {
    let many = 0;
    for (const card of kinds) many += this.unseen[card];
    return many;
  }
}

// Before the show.

/** The cards of the melds that a hand does not hold. @param {Partition} partition */
const missingOf = ({ targets, kept }) => beyond(flat(targets), kept);

/**
 * Return what a hand is before the show.
 *
 * @param {Hand} hand
 * @returns {JsonObject}
 */
function judgeHand(hand) {
  const counts = countsOf(hand.rest);
  const distance = hand.showDistance(hand.rest);
  const pairs = dubleeCount(counts);
  const near = nearest(hand, hand.places - distance);
  const whole = nearestFinish(hand, {
    partition: near.partition,
    distance: distance + near.distance,
  });
  const rest = without(hand.rest, near.partition.kept);
  const seven = kindsOf(hand.rest)
    .filter((card) => card < MASTER && counts[card] >= 2)
    .slice(0, DUBLEES_TO_SHOW);
  const canDublees = pairs >= DUBLEES_TO_SHOW;
  const { discard, outs } = showOuts(hand, distance);
  const singles = kindsOf(hand.rest).filter((card) => card < MASTER && counts[card] === 1);
  return {
    three_pure: distance === 0,
    seven_dublees: canDublees,
    can_show: distance === 0 || (canDublees && hand.rules.dublee),
    show_distance: distance,
    dublee_distance: Math.max(0, DUBLEES_TO_SHOW - pairs),
    finish_distance: whole.distance,
    dublees: pairs,
    maal: hand.maal(hand.rest),
    melds: distance === 0 ? meldsToJson(near.partition.targets) : null,
    dublee_melds: canDublees ? meldsToJson(seven.map((card) => [card, card])) : null,
    partition: partitionToJson(near.partition),
    rest: namesOf(rest),
    finish: finishToJson(hand, rest),
    whole_show: partitionToJson(whole.partition),
    whole_finish: finishToJson(hand, without(hand.rest, whole.partition.kept)),
    ...(discard === NO_CARD ? {} : { discard: CARD_NAMES[discard] }),
    ...outsToJson(hand, "outs", outs),
    ...outsToJson(hand, "dublee_outs", canDublees ? [] : singles),
  };
}

/** Some kinds with the jokers last. @param {Hand} hand @param {Cards} cards */
const jokersLast = ({ jokers }, cards) => [
  ...cards.filter((card) => !has(jokers, card)),
  ...cards.filter((card) => has(jokers, card)),
];

/**
 * Return the card to discard, NO_CARD unless there are 22, and the outs of the others.
 *
 * @param {Hand} hand
 * @param {number} distance
 */
function showOuts(hand, distance) {
  /** @type {{ discard: number, outs: number[] }} */
  let best = { discard: NO_CARD, outs: [] };
  if (distance === 0) return best;
  const ways = [...partitions(hand, hand.places - distance)];
  if (hand.cards.length <= HAND) {
    return { discard: NO_CARD, outs: outsOf(hand, hand.rest, ways, distance) };
  }
  /** @param {Cards} cards @param {number} card */
  const count = (cards, card) => cards.filter((one) => one === card).length;
  let most = -1;
  for (const card of jokersLast(hand, kindsOf(hand.rest))) {
    const copies = count(hand.rest, card);
    const left = ways.filter((way) => count(way.kept, card) < copies);
    if (left.length === 0) continue;
    const outs = outsOf(hand, without(hand.rest, [card]), left, distance);
    const many = hand.unseenOf(outs);
    if (many > most) [best, most] = [{ discard: card, outs }, many];
  }
  return best;
}

/**
 * Return the unseen cards that lessen the distance of some cards to a show.
 *
 * @param {Hand} hand
 * @param {Cards} cards
 * @param {Partition[]} ways
 * @param {number} distance
 */
function outsOf(hand, cards, ways, distance) {
  const missing = new Set(ways.flatMap(missingOf));
  const isOpen = ways.some((way) => 3 * way.targets.length < hand.places);
  return CARD_NAMES.map((_, card) => card).filter((card) => {
    if (hand.unseen[card] === 0) return false;
    if (!isOpen && card !== MASTER) return missing.has(card);
    return hand.showDistance([...cards, card]) < distance;
  });
}

/**
 * Yield the choices of pure melds that hold at least so many cards of a hand.
 *
 * @param {Hand} hand
 * @param {number} least
 * @returns {Generator<Partition>}
 */
function* partitions(hand, least) {
  const counts = countsOf(hand.rest);
  const wild = hand.rules.master_is_pure && counts[MASTER] > 0;
  const withMaster = PURE_RUNS.flatMap((run) =>
    run.map((_, at) => [...run.filter((__, other) => other !== at), MASTER]),
  );
  /** @param {Cards} target */
  const heldOf = (target) => {
    const many = countsOf(target);
    return kindsOf(target).reduce((sum, card) => sum + Math.min(many[card], counts[card]), 0);
  };
  const held = new Map(
    [...PURE_TARGETS, ...(wild ? withMaster : [])].map((target) => [
      target.join(),
      { target, many: heldOf(target) },
    ]),
  );
  const order = [...held.values()]
    .filter(({ many }) => many > 0)
    .sort((one, other) => other.many - one.many);
  const need = new Int32Array(CARDS);

  /**
   * @param {number[][]} chosen
   * @param {number} first
   * @param {number} places
   * @returns {Generator<Partition>}
   */
  function* extend(chosen, first, places) {
    const kinds = kindsOf(flat(chosen));
    if (kinds.some((card) => need[card] > copiesOf(card) - hand.outOfPlay[card])) return;
    const kept = kinds.flatMap((card) =>
      new Array(Math.min(need[card], counts[card])).fill(card),
    );
    if (kept.length >= least) yield { targets: sortedMelds(chosen), kept };
    for (let at = first; at < (places > 0 ? order.length : 0); at++) {
      const { target, many } = order[at];
      if (kept.length + places * many < least) return;
      for (const card of target) need[card] += 1;
      yield* extend([...chosen, target], at, places - 1);
      for (const card of target) need[card] -= 1;
    }
  }

  yield* extend([], 0, hand.places / 3);
}

/**
 * Return the pure melds that hold most cards and leave the least finish distance.
 *
 * @param {Hand} hand
 * @param {number} most how many cards pure melds can hold.
 * @returns {Nearest}
 */
function nearest(hand, most) {
  /** @type {Map<string, number>} */
  const known = new Map();
  let least = FINISH_PLACES;
  /** @type {Nearest | null} */
  let best = null;
  let bestUnseen = 0;
  for (const partition of partitions(hand, most)) {
    const key = partition.kept.join();
    let distance = known.get(key);
    if (distance === undefined) {
      distance = distanceLeft(hand, partition.kept, least);
      least = Math.min(least, distance);
      known.set(key, distance);
    }
    const unseen = hand.unseenOf(new Set(missingOf(partition)));
    const better =
      best === null ||
      distance < best.distance ||
      (distance === best.distance && unseen > bestUnseen);
    if (better) [best, bestUnseen] = [{ partition, distance }, unseen];
  }
  return /** @type {Nearest} */ (best); // no melds are a choice too
}

/**
 * Return the pure melds with which a hand is nearest to a finish, and how near.
 *
 * @param {Hand} hand
 * @param {Nearest} near the nearest to a show, and the distance to show and finish with it.
 * @returns {Nearest}
 */
function nearestFinish(hand, near) {
  let best = near;
  const leastLeft = distanceLeft(hand, [], FINISH_PLACES);
  const known = new Set([near.partition.kept.join()]);
  for (let size = near.partition.kept.length; size >= 0; size--) {
    const missing = hand.places - size;
    if (missing + leastLeft >= best.distance) break;
    for (const partition of partitions(hand, size)) {
      const key = partition.kept.join();
      if (partition.kept.length !== size || known.has(key)) continue;
      known.add(key);
      const most = best.distance - missing - 1;
      const whole = missing + distanceLeft(hand, partition.kept, most);
      if (whole < best.distance) {
        best = { partition, distance: whole };
        if (missing + leastLeft >= whole) break;
      }
    }
  }
  return best;
}

/**
 * Return the finish distance of what pure melds leave, `most` + 1 if it is more.
 *
 * @param {Hand} hand
 * @param {Cards} kept
 * @param {number} most
 */
const distanceLeft = (hand, kept, most) =>
  FINISHES.search(countsOf(without(hand.rest, kept)), hand.jokers, most, false, hand.gone);

// The finish.

/**
 * Return what the cards in hand after the show are.
 *
 * @param {Hand} hand
 * @returns {JsonObject}
 */
function judgeFinish(hand) {
  const cards = hand.rest;
  const distance = FINISHES.search(countsOf(cards), hand.jokers, FINISH_PLACES, true, hand.gone);
  const outs = CARD_NAMES.map((_, card) => cardsIn(FINISHES.outs(card)));
  const canGo = outs.map((_, card) => FINISHES.canGo(card));
  /** @type {number[][] | null} */
  let melds = null;
  let discard = NO_CARD;
  let helpful = cardsIn(FINISHES.outs(CARDS));
  const order = jokersLast(hand, kindsOf(cards));
  if (cards.length !== FINISH_PLACES && distance === 0) {
    for (const card of order) {
      if (melds === null) {
        melds = finishMelds(without(cards, [card]), hand.jokers);
        discard = card;
      }
    }
  } else if (cards.length !== FINISH_PLACES) {
    const able = order.filter((card) => canGo[card]);
    let most = -1;
    for (const card of able.length > 0 ? able : order) {
      const many = hand.unseenOf(outs[card]);
      if (many > most) [discard, most] = [card, many];
    }
    helpful = outs[discard];
  }
  return {
    can_finish: melds !== null,
    finish_distance: distance,
    maal: hand.maal(cards),
    melds: melds && meldsToJson(melds),
    discard: discard === NO_CARD ? null : CARD_NAMES[discard],
    partition: finishToJson(hand, discard === NO_CARD ? cards : without(cards, [discard])),
    ...outsToJson(hand, "outs", distance > 0 ? helpful : []),
  };
}

/**
 * Return what the cards in hand after a show of seven dublees are; an eighth finishes.
 *
 * @param {Hand} hand
 * @returns {JsonObject}
 */
function judgeDubleeFinish(hand) {
  const counts = countsOf(hand.rest);
  const kinds = kindsOf(hand.rest);
  const pair = kinds.find((card) => counts[card] >= 2) ?? NO_CARD;
  const drawn = hand.rest.length > HELD_DUBLEES - 3 * hand.laid.length;
  const order = jokersLast(hand, kinds);
  let discard = NO_CARD;
  let outs = pair < 0 ? kinds.filter((card) => card < MASTER) : [];
  if (drawn && pair >= 0) {
    const left = without(hand.rest, [pair, pair]);
    discard = order.find((card) => left.includes(card)) ?? NO_CARD;
  } else if (drawn) {
    /** @param {number} card */
    const weight = (card) => (has(hand.jokers, card) ? CARDS : 0) + hand.unseen[card];
    discard = order.reduce((one, other) => (weight(other) < weight(one) ? other : one));
    outs = outs.filter((card) => card !== discard);
  }
  const done = pair >= 0 && discard >= 0;
  return {
    can_finish: done,
    finish_distance: pair >= 0 ? 0 : 1,
    maal: hand.maal(hand.rest),
    melds: done ? meldsToJson([[pair, pair]]) : null,
    discard: discard < 0 ? null : CARD_NAMES[discard],
    ...outsToJson(hand, "outs", outs),
  };
}

// What expert discards.

/**
 * Return which card expert discards and why, nothing if it is the one given.
 *
 * @param {Hand} hand
 * @param {number} discard
 * @param {boolean} afterShow
 * @param {boolean} dublees
 * @param {Expert} expert
 * @param {number} players
 */
function byNet(hand, discard, afterShow, dublees, expert, players) {
  const tiplu = afterShow ? hand.tiplu : NO_CARD;
  const start = firstTurn(players, players - 1);
  const course = {
    ...start,
    turns: afterShow ? players : 0,
    hasDrawn: true,
    stock: start.stock - 1,
    shown: afterShow ? 1 : 0,
    dublees: dublees ? 1 : 0,
    tipluDrawn: tiplu !== NO_CARD,
  };
  const sight = {
    course,
    seat: 0,
    hand: countsOf(hand.rest),
    laid: countsOf(flat(hand.laid)),
    table: countsOf(flat(hand.laid)),
    unseen: hand.unseen,
    tiplu,
    top: NO_CARD,
    hasDiscarded: afterShow,
  };
  const work = new Work();
  const { card: best } = decide(work, hand.rules, sight, expert.player, true);
  const more = work.weighed[best] - work.weighed[discard];
  if (work.valid[best] === 0 || work.weighed[best] <= work.weighed[discard] + TIE) return {};
  const name = CARD_NAMES[discard];
  const here = `, here ${fixed(more, 1)} more by ${CARD_NAMES[best]}`;
  const by = work.valid[discard] !== 0 ? here : "";
  return {
    ask_discard: CARD_NAMES[best],
    ask_because:
      `${name} keeps the distance and leaves most outs; ask goes by the ` +
      `predicted net${by}: it weighs dublees, turns and what else a card can become too`,
  };
}

// JSON.

/**
 * @param {Hand} hand
 * @param {string} name
 * @param {number[]} outs
 * @returns {JsonObject}
 */
function outsToJson(hand, name, outs) {
  const unseen = outs.filter((card) => hand.unseen[card] > 0);
  return {
    [name]: unseen.map((card) => ({ card: CARD_NAMES[card], unseen: hand.unseen[card] })),
    [`${name}_unseen`]: hand.unseenOf(unseen),
  };
}

/**
 * Return pure melds with the cards held and the cards missing.
 *
 * @param {Partition} partition
 */
function partitionToJson({ targets, kept }) {
  const left = countsOf(kept);
  return targets.map((target) => {
    const held = target.filter((card) => --left[card] >= 0);
    for (const card of target) if (left[card] < 0) left[card] = 0;
    return { cards: meldNames(held), missing: namesOf(beyond(target, held)) };
  });
}

/**
 * Return the melds nearest to a finish, each with how many cards it misses.
 *
 * @param {Hand} hand
 * @param {Cards} cards
 */
function finishToJson(hand, cards) {
  FINISHES.search(countsOf(cards), hand.jokers, FINISH_PLACES, false, hand.gone);
  return arrange(cards, hand.jokers).map((meld) => ({
    cards: meldNames(meld.cards),
    missing: meld.missing,
  }));
}

// The request.

/** @type {(message: string) => never} */
const refuse = (message) => {
  throw new UstadError("usage", message);
};

/**
 * Answer `hand`.
 *
 * @param {JsonObject} given
 * @param {Option[]} options
 * @param {Expert} expert
 * @param {number} players how many where nobody says.
 * @returns {JsonObject}
 */
export function handAnswer(given, options, expert, players) {
  const { after_show: afterShow = false } = given;
  const hand = readHand(given, options);
  const held = hand.rest.length;
  const dublees = afterShow === true && held !== FINISH_PLACES && held !== FINISH_PLACES + 1;
  if (dublees) checkAfterDublees(hand);
  /** @type {JsonObject} */
  let answered;
  if (dublees) answered = judgeDubleeFinish(hand);
  else answered = afterShow ? judgeFinish(hand) : judgeHand(hand);
  const missing = HAND - hand.cards.length;
  if (!afterShow && missing > 0) {
    const said = Object.entries(answered).filter(([key]) => !OF_A_WHOLE_HAND.includes(key));
    answered = { missing_cards: missing, ...Object.fromEntries(said) };
  }
  const discard = CARD_NUMBERS.get(answered.discard);
  if (discard === undefined || answered.can_finish) return answered;
  return { ...answered, ...byNet(hand, discard, afterShow === true, dublees, expert, players) };
}

/** What cannot be said of fewer cards than a hand has: a finish takes them all. */
const OF_A_WHOLE_HAND = ["finish_distance", "finish", "whole_show", "whole_finish"];

/** Refuse what cannot be the cards in hand after a show. @param {Hand} hand */
function checkAfterDublees(hand) {
  const many = hand.rest.length;
  const held = FINISH_PLACES;
  const dublees = HELD_DUBLEES - flat(hand.laid).length;
  if (hand.rules.dublee && (many === dublees || many === dublees + 1)) return;
  const beside = hand.laid.length > 0 ? " beside those laid" : "";
  refuse(
    `--cards: expected with --after-show ${held + 1} cards${beside}, or ${held} before the ` +
      `draw, ${dublees + 1} or ${dublees} after seven dublees, got ${many}`,
  );
}

/**
 * Return the hand that a request describes.
 *
 * @param {JsonObject} given
 * @param {Option[]} options
 */
function readHand(given, options) {
  const { not_shown: notShown = false, after_show: afterShow = false } = given;
  for (const [key, value] of [["not_shown", notShown], ["after_show", afterShow]]) {
    if (typeof value !== "boolean") refuse(`${key}: expected true or false, got ${told(value)}`);
  }
  const { laid: tanelas = [] } = given;
  if (!Array.isArray(tanelas)) refuse(`laid: expected a list of tanelas, got ${told(tanelas)}`);
  const read = readOptions(options, given.options ?? {});
  const rules = /** @type {MarriageRules} */ (/** @type {unknown} */ (read));
  const texts = {
    cards: textOf("cards", given.cards),
    tiplu: given.tiplu === undefined ? null : textOf("tiplu", given.tiplu),
    laid: tanelas.map((tanela) => textOf("laid", tanela)),
  };
  const cards = cardsOfText("--cards", texts.cards);
  const laid = sortedMelds(texts.laid.map((text) => cardsOfText("--laid", text)));
  if (cards.length === 0 || cards.length > HAND + 1) {
    refuse(`--cards: expected 1 to ${HAND + 1} cards, got ${cards.length}`);
  }
  if (afterShow && notShown) {
    refuse(
      "hand: expected --after-show or --not-shown: who has shown is not one who never shows",
    );
  }
  if (laid.length > SHOW_MELDS || !laid.every(isTanela)) {
    refuse("--laid: expected at most three tanelas, each three identical cards");
  }
  if (beyond(flat(laid), cards).length > 0) {
    refuse("--laid: expected cards that are among --cards");
  }
  /** @type {number[]} */
  let tiplu = [];
  if (texts.tiplu !== null) {
    tiplu = cardsOfText("--tiplu", texts.tiplu);
    if (tiplu.length !== 1 || tiplu[0] >= PUTALI) {
      refuse(`--tiplu: expected one card of the packs, got ${told(texts.tiplu)}`);
    }
  }
  const counts = countsOf([...cards, ...tiplu]);
  for (const card of new Set([...cards, ...tiplu])) {
    if (counts[card] > copiesOf(card)) {
      refuse(
        `--cards: ${CARD_NAMES[card]}: there are ${copiesOf(card)}, got ${counts[card]} ` +
          "in cards and tiplu",
      );
    }
  }
  return new Hand(rules, cards, laid, tiplu.length > 0 ? tiplu[0] : NO_CARD, !notShown);
}

/**
 * Return cards given as a text or as a list, as a text.
 *
 * @param {string} key
 * @param {unknown} value
 */
function textOf(key, value) {
  /** @param {unknown} one @returns {one is string} */
  const isText = (one) => typeof one === "string";
  if (isList(value, 0, Infinity, isText)) return value.join(" ");
  if (isText(value)) return value;
  return refuse(`${key}: expected cards such as "7H 10D PJ", got ${told(value)}`);
}

/**
 * @param {string} flag
 * @param {string} text
 */
function cardsOfText(flag, text) {
  const words = text.replaceAll(",", " ").toUpperCase().split(/\s+/).filter(Boolean);
  const found = words.map((word) => {
    const card = CARD_NUMBERS.get(word);
    if (card !== undefined) return card;
    const expected = "cards such as 7H, 10D, PJ (putali) or MJ (master)";
    return refuse(`${flag}: expected ${expected}, got ${told(word)}`);
  });
  if (words.length > HAND + 1) {
    refuse(`${flag}: expected at most ${HAND + 1} cards, got ${words.length}`);
  }
  return sorted(found);
}

