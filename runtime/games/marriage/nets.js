/**
 * The expert of Marriage: the net that learned numbers predict of each move, and why it plays one.
 *
 * How nets of moves of different kinds are made to agree with what is played stands in
 * `ustad.runtime.games.marriage.expert`; this is the same in JavaScript.
 */

import {
  CARD_NAMES,
  countsOf,
  DUBLEES_TO_SHOW,
  flat,
  has,
  howMany,
  jokersOf,
  laidPoints,
  maalPoints,
  MASTER,
  NO_CARD,
  PUTALI,
  sorted,
} from "./cards.js";
import {
  afterShow,
  afterTipluDrawn,
  cardsGivenUp,
  countedMaal,
  isShow,
  PAYS,
  publicAfter,
  seesAtOnce,
} from "./course.js";
import {
  ALWAYS_TAKEN,
  bestDiscard,
  decide,
  moveOf,
  NO_CHOICE,
  playerOf,
  QUIET,
  rateBlind,
  sightOf,
  sum,
  weigh,
} from "./decisions.js";
import { CARD, isMine, legalMoves, NOTHING, stateAfter } from "./round.js";
import {
  addNeighbours,
  AS_IT_IS,
  discardKind,
  KIND,
  KIND_STARTS,
  PRE,
  predictorsOf,
  rateAfterShow,
  rateBeforeShow,
  sightDublees,
  sightShown,
  WEIGHTS,
  withHand,
  Work,
} from "./ratings.js";
import { fixed } from "./facts.js";
import { dubleeCount } from "./shows.js";

/** @import { Counts } from "./cards.js" */
/** @import { MarriageRules, Move } from "./course.js" */
/** @import { Row, Sight } from "./ratings.js" */
/** @import { View } from "./round.js" */

/**
 * What a net is predicted by: where its numbers begin, and features.
 *
 * @typedef {{ first: number, line: number[] }} Predictors
 *
 * What the best discard after a show weighs; NO_CARD if none is to be made.
 *
 * @typedef {{ discard: number, weight: number }} Weighed
 *
 * How far a hand is from its goal.
 *
 * @typedef {object} Prospect
 * @property {string} goal
 * @property {number} distance
 * @property {number} outs
 * @property {number} unseen
 * @property {number} turns
 */

/** By how much less, at least, a move is rated that the level never prefers. */
const WORSE = 1e-6;

/** @type {Move} */
const STOCK = Object.freeze({ draw: "stock" });
/** @type {Move} */
const PILE = Object.freeze({ draw: "pile" });

/** What tells moves apart. @param {Move} move */
const keyOf = (move) => JSON.stringify(move);

/** Plays the learned numbers. */
export class Expert {
  /** @param {Float64Array} numbers */
  constructor(numbers) {
    this.numbers = numbers;
    this.player = playerOf("expert", numbers.slice(0, WEIGHTS.length));
    this.work = new Work();
  }

  /**
   * @param {View} view
   * @param {boolean} [passes]
   */
  decide(view, passes = false) {
    return decide(this.work, view.rules, sightOf(view), this.player, passes);
  }

  /** @param {View} view @returns {Move} */
  choose(view) {
    return moveOf(this.work, view, this.decide(view));
  }
}

/** One decision of the expert, each move rated by the hand that it leads to. */
export class Rated {
  /**
   * @param {View} view
   * @param {Expert} bot
   */
  constructor(view, bot) {
    this.view = view;
    this.bot = bot;
    /** @type {MarriageRules} */
    this.rules = view.rules;
    /** @type {Sight} */
    this.sight = sightOf(view);
    this.opponents = view.open.course.players - 1;
    this.shown = sightShown(this.sight);
    this.dublees = sightDublees(this.sight);
    this.drawn = view.open.course.hasDrawn;
    /** @type {Map<string, Weighed>} */
    this.rated = new Map();
    /** @type {Move | null} */
    this.played = null;
    /** @type {{ taken: boolean, weight: number } | null} */
    this.pile = null;
  }

  /** The move that is played. */
  get chosen() {
    this.played ??= this.bot.choose(this.view);
    return this.played;
  }

  // Values.

  /** Return every legal move with its predicted net, that of the one played being greatest. */
  options() {
    const moves = legalMoves(this.view);
    /** @type {Map<string, number>} */
    const found = new Map();
    /** @param {Map<string, number>} nets */
    const add = (nets) => nets.forEach((net, key) => found.set(key, net));
    add(this._draws(moves.filter((move) => move.draw !== undefined)));
    add(this._discards(moves.filter((move) => move.discard !== undefined && !move.finish)));
    add(this._shows(moves.filter((move) => move.show !== undefined)));
    add(this._finishes(moves.filter((move) => move.finish !== undefined)));
    for (const move of moves) {
      if (move.lay || move.show_dublees) found.set(keyOf(move), this.net(move));
    }
    const top = /** @type {number} */ (found.get(keyOf(this.chosen)));
    return moves.map((move) => {
      const value = /** @type {number} */ (found.get(keyOf(move)));
      return { move, value: value <= top ? value : top - WORSE };
    });
  }

  /**
   * Return the nets of draws, of which the stock is always one.
   *
   * @param {Move[]} draws
   */
  _draws(draws) {
    const found = new Map(draws.map((draw) => [keyOf(draw), this.net(draw)]));
    const pile = found.get(keyOf(PILE));
    if (pile === undefined) return found;
    const stock = /** @type {number} */ (found.get(keyOf(STOCK)));
    const { taken, weight } = this.pileWeight;
    if (taken && stock >= pile) found.set(keyOf(STOCK), pile - Math.max(WORSE, weight));
    else if (this.stockIsRaised) found.set(keyOf(STOCK), pile + Math.max(WORSE, -weight));
    return found;
  }

  /** Whether the stock is preferred though the pile is predicted to bring more. */
  get stockIsRaised() {
    if (this.sight.top < 0 || this.pileWeight.taken) return false;
    return this.net(STOCK) <= this.net(PILE);
  }

  /**
   * Return the nets of discards, that of the one with the greatest weight being greatest.
   *
   * @param {Move[]} discards
   */
  _discards(discards) {
    /** @type {Map<string, number>} */
    const found = new Map();
    if (discards.length === 0) return found;
    const { card: best } = this.bot.decide(this.view, true);
    const valid = this.bot.work.valid.slice();
    const weighed = this.bot.work.weighed.slice();
    const top = this.net({ discard: best });
    for (const move of discards) {
      const card = /** @type {number} */ (move.discard);
      let net;
      if (valid[card] !== 0 && valid[best] !== 0) {
        // Noise too faint to matter can have picked the one that weighs less.
        net = top + Math.min(0, weighed[card] - weighed[best]);
      } else {
        net = this.net(move);
        if (card !== best && net >= top) net = top - WORSE;
      }
      found.set(keyOf(move), net);
    }
    return found;
  }

  /**
   * Return the nets of shows of three melds, the others by weight beside the best.
   *
   * @param {Move[]} shows
   */
  _shows(shows) {
    if (shows.length === 0) return new Map();
    const weights = new Map(shows.map((move) => [keyOf(move), this.showWeight(move)]));
    /** @param {Move} move */
    const weight = (move) => /** @type {number} */ (weights.get(keyOf(move)));
    const [first, ...others] = shows;
    const heaviest = others.reduce((one, two) => (weight(two) > weight(one) ? two : one), first);
    const best = this.chosen.show ? this.chosen : heaviest;
    const net = this.net(best);
    return new Map(
      shows.map((move) => [keyOf(move), net + Math.min(0, weight(move) - weight(best))]),
    );
  }

  /**
   * Return the nets of finishes, the others by maal beside the one that keeps most.
   *
   * @param {Move[]} finishes
   */
  _finishes(finishes) {
    if (finishes.length === 0) return new Map();
    const maal = finishes.map((move) => this.maal(this._left(move)));
    const most = Math.max(...maal);
    const net = this.net(finishes[maal.indexOf(most)]);
    return new Map(
      finishes.map((move, at) => [keyOf(move), net + this.opponents * (maal[at] - most)]),
    );
  }

  /** Return the predicted net of a move that is the best of its kind. @param {Move} move */
  net(move) {
    return this.predicted(this.predictors(move));
  }

  /** @param {Predictors} predictors */
  predicted({ first, line }) {
    return line.reduce((total, held, at) => total + held * this.bot.numbers[first + at], 0);
  }

  /** Return the predicted net before a card or the tiplu comes, as that of the move before. */
  netWaiting() {
    const { view, sight } = this;
    const { course } = sight;
    const more = { ...course, stock: course.stock + 1 };
    if (view.waits === CARD) {
      const open = { ...view.open, course: { ...more, hasDrawn: false } };
      const before = new Rated({ ...view, open, waits: NOTHING }, this.bot);
      const nets = before._draws(sight.top >= 0 ? [STOCK, PILE] : [STOCK]);
      return /** @type {number} */ (nets.get(keyOf(STOCK)));
    }
    const first = isMine(view) && course.tipluDrawn && course.shown === 1 << view.seat;
    const row = this.features(sight.hand);
    const seen = first ? { ...sight, course: more } : sight;
    return this.predicted(this.predictorsOf(KIND.show, row, seen, this.dublees));
  }

  // What nets are predicted by.

  /**
   * Return what the net of a move that is the best of its kind is predicted by.
   *
   * @param {Move} move
   * @returns {Predictors}
   */
  predictors(move) {
    const { sight } = this;
    if (move.lay || move.draw === "pile") {
      const after = new Rated(this.after(move), this.bot);
      return after.predictors(after.chosen);
    }
    if (move.draw === "stock") {
      const kind = this.shown ? KIND.postStock : KIND.preStock;
      return this.predictorsOf(kind, this.features(sight.hand), sight, this.dublees);
    }
    if (isShow(move)) return this._afterShow(move);
    const left = this._left(move);
    const after = withHand(sight, left);
    if (move.finish) {
      return this.predictorsOf(KIND.finish, new Float64Array(0), after, this.dublees);
    }
    const row = this.features(left);
    const thrown = /** @type {number} */ (move.discard);
    if (!this.shown && thrown < PUTALI) addNeighbours(row, sight.hand, sight.unseen, thrown);
    return this.predictorsOf(discardKind(sight), row, after, this.dublees);
  }

  /** Return the cards in hand without the discard of a move. @param {Move} move */
  _left(move) {
    const left = this.sight.hand.slice();
    left[/** @type {number} */ (move.discard)] -= 1;
    return left;
  }

  /**
   * Return what the seat knows once it has laid a tanela or taken the pile's card.
   *
   * @param {Move} move
   * @returns {View}
   */
  after(move) {
    const { view } = this;
    if (move.lay) return /** @type {View} */ (stateAfter(view, move));
    const { top } = this.sight;
    const open = publicAfter(view.open, move, false, view.rules);
    return {
      ...view,
      open,
      hand: sorted([...view.hand, top]),
      drawn: top,
      waits: NOTHING,
      maal: null,
      net: null,
    };
  }

  /**
   * Return the predictors after a show and, if the tiplu is not seen yet, a discard.
   *
   * @param {Move} move
   */
  _afterShow(move) {
    const { sight, rules } = this;
    const dublees = move.show_dublees !== undefined;
    const melds = countsOf(cardsGivenUp(move));
    const cards = sight.hand.map((many, card) => many - melds[card]);
    let course = afterShow(sight.course, dublees, rules);
    if (!seesAtOnce(sight.course, rules)) {
      cards[this.bestBlind(cards, dublees).discard] -= 1;
      if (sight.course.shown === 0) course = afterTipluDrawn(course, rules);
    }
    const after = { ...sight, hand: cards, table: sum(sight.table, melds), course };
    return this.predictorsOf(KIND.show, this.postFeatures(cards, dublees), after, dublees);
  }

  /**
   * Return what the learned function of a kind predicts a net by, for what a move leaves.
   *
   * @param {number} kind
   * @param {Row} row
   * @param {Sight} sight
   * @param {boolean} dublees
   * @returns {Predictors}
   */
  predictorsOf(kind, row, sight, dublees) {
    const owned = sum(sight.hand, sight.table);
    const line = predictorsOf(this.rules, sight, kind, row, owned, dublees);
    return { first: KIND_STARTS[kind], line: line.map((held) => this.opponents * held) };
  }

  // Hands.

  /**
   * Return the features of cards in hand, before or after the show as the seat is.
   *
   * @param {Counts} cards
   * @returns {Row}
   */
  features(cards) {
    if (this.shown) return this.postFeatures(cards, this.dublees);
    rateBeforeShow(this.bot.work, this.rules, withHand(this.sight, cards), false);
    return this.bot.work.pre[AS_IT_IS].slice();
  }

  /**
   * Return the features of cards in hand after a show.
   *
   * @param {Counts} cards
   * @param {boolean} dublees
   * @returns {Row}
   */
  postFeatures(cards, dublees) {
    rateAfterShow(this.bot.work, withHand(this.sight, cards), dublees, false);
    return this.bot.work.post[AS_IT_IS].slice();
  }

  /**
   * Return the maal of a hand and the table, as it is if the seat shows, without laying.
   *
   * @param {Counts} cards
   */
  maal(cards) {
    return maalPoints(sum(cards, this.sight.table), this.sight.tiplu, 0, false, true, false);
  }

  // Weights beside the other moves of a kind.

  /** Return what the cards left by a show of three melds weigh. @param {Move} move */
  showWeight(move) {
    const melds = countsOf(cardsGivenUp(move));
    const cards = this.sight.hand.map((many, card) => many - melds[card]);
    if (!seesAtOnce(this.sight.course, this.rules)) return this.bestBlind(cards, false).weight;
    return this._known(cards, false, () => ({
      discard: NO_CARD,
      weight: weigh(this.postFeatures(cards, false), this.bot.player.weights, WEIGHTS.postDiscard),
    })).weight;
  }

  /**
   * Return the best discard after a show, and its weight.
   *
   * @param {Counts} cards
   * @param {boolean} dublees
   */
  bestBlind(cards, dublees) {
    return this._known(cards, dublees, () => {
      const { work, player } = this.bot;
      const { barred } = this.sight.course;
      const sight = withHand(this.sight, cards);
      let best;
      if (dublees) {
        rateAfterShow(work, sight, true, true);
        work.weighed.fill(0);
        const first = WEIGHTS.postDiscard;
        best = bestDiscard(work, work.post, player.weights, first, barred, QUIET);
        if (best < 0) best = cards.findIndex((many, card) => many > 0 && card !== barred);
      } else best = rateBlind(work, sight, true, player.weights);
      return { discard: best, weight: work.weighed[best] };
    });
  }

  /**
   * Return what is known of some cards, the same ones being rated once.
   *
   * @param {Counts} cards
   * @param {boolean} dublees
   * @param {() => Weighed} rate
   */
  _known(cards, dublees, rate) {
    const key = `${cards.join()} ${dublees}`;
    const found = this.rated.get(key) ?? rate();
    this.rated.set(key, found);
    return found;
  }

  /**
   * Whether the pile's card is taken, and what it weighs, the stock weighing 0; what is taken or
   * left by a rule weighs 0.
   */
  get pileWeight() {
    if (this.pile === null) {
      const { action } = this.bot.decide(this.view, true);
      const weight = this.bot.work.weighed[AS_IT_IS];
      const byRule = weight === ALWAYS_TAKEN || weight === NO_CHOICE;
      this.pile = { taken: action === "pile", weight: byRule ? 0 : weight };
    }
    return this.pile;
  }

  // Words.

  /** Return in words why a move is played. @param {Move} move */
  why(move) {
    const { sight } = this;
    if (move.lay) {
      const pays = laidPoints(1, move.lay[0] === PUTALI);
      const when = this.rules.laid_need_tiplu ? ", once the tiplu is seen" : "";
      return `the tanela laid before the first draw pays ${pays} more from each${when}`;
    }
    if (move.finish) {
      const bonus = this.dublees ? PAYS.dublee : 0;
      return (
        `the finish takes ${PAYS.shown + bonus} from each who has shown and ` +
        `${PAYS.unshown + bonus} from each who has not`
      );
    }
    const cards = sight.hand.slice();
    for (const card of cardsGivenUp(move)) cards[card] -= 1;
    if (isShow(move)) {
      const row = this.postFeatures(cards, move.show_dublees !== undefined);
      return (
        "the show lets the tiplu be seen, and all maal counts from now on; the cards left " +
        `are ${row[PRE.distance]} from a finish`
      );
    }
    const hand = `${this._distanceInWords(cards)}; maal ${this.counted(cards)}`;
    if (move.discard !== undefined) return `leaves the hand ${hand}`;
    if (sight.top < 0) return `the pile is empty; hand ${hand}`;
    const nets = this._draws([STOCK, PILE]);
    const [pile, stock] = [PILE, STOCK].map((one) => nets.get(keyOf(one)) ?? 0);
    const worth = pile - stock;
    const joker = move.draw === "pile" && has(jokersOf(sight.tiplu), sight.top);
    const card = `${CARD_NAMES[sight.top]} of the pile${joker ? ", a joker," : ""}`;
    const more = worth > 0 ? "more" : "less";
    return `${card} is worth ${fixed(Math.abs(worth), 1)} ${more} than the stock; hand ${hand}`;
  }

  /**
   * Return the maal of a hand and the table, as it counts by now, or once the seat shows.
   *
   * @param {Counts} cards
   * @param {boolean} [shows]
   */
  counted(cards, shows = false) {
    const { laid, table, tiplu } = this.sight;
    const shown = this.shown || shows;
    return countedMaal(this.rules, sum(cards, table), laid, tiplu, shown, true);
  }

  /**
   * Return how far a hand is from its goal, before the show by the nearer route.
   *
   * @param {Counts} cards
   * @returns {Prospect}
   */
  prospect(cards) {
    const found = this._prospect(this.shown ? "a finish" : "a show", this.features(cards));
    const missing = Math.max(0, DUBLEES_TO_SHOW - dubleeCount(cards));
    if (this.shown || !this.rules.dublee || missing >= found.distance) return found;
    let outs = 0;
    for (let card = 0; card < MASTER; card++) {
      if (cards[card] === 1) outs += this.sight.unseen[card];
    }
    return { ...found, goal: "a show of seven dublees", distance: missing, outs };
  }

  /**
   * Return how far the hand that a show leaves is from a finish, and the maal then.
   *
   * @param {Move} show
   */
  prospectAfter(show) {
    const dublees = show.show_dublees !== undefined;
    const laid = countsOf(flat(show.show ?? show.show_dublees ?? []));
    const cards = this.sight.hand.map((many, card) => many - laid[card]);
    if (this.drawn) cards[this.bestBlind(cards, dublees).discard] -= 1;
    const left = this._prospect("a finish", this.postFeatures(cards, dublees));
    return { left, maal: this.counted(sum(cards, laid), true) };
  }

  /**
   * Return what the features of a hand say; both kinds have these at the same places.
   *
   * @param {string} goal
   * @param {Row} row
   * @returns {Prospect}
   */
  _prospect(goal, row) {
    const unseen = howMany(this.sight.unseen);
    const share = (row[PRE.outs1] + row[PRE.outs2] + row[PRE.outs3]) / 10;
    const outs = Number(fixed(share * unseen, 0));
    return { goal, distance: row[PRE.distance], outs, unseen, turns: row[PRE.turns] };
  }

  /** @param {Counts} cards */
  _distanceInWords(cards) {
    const { goal, distance, outs, unseen, turns } = this.prospect(cards);
    const pairs = this.rules.dublee && !this.shown ? dubleeCount(cards) : 0;
    const text = pairs >= 4 ? `, ${pairs} dublees` : "";
    return (
      `${distance} from ${goal}, ${outs} of ${unseen} unseen cards help, ` +
      `about ${fixed(turns, 0)} turns${text}`
    );
  }
}

