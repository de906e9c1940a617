/**
 * The distance to a finish: how many cards must be replaced until all lie in melds.
 *
 * Jokers need only be counted.  The other cards fall into *groups*, cards that can lie in one
 * meld; the choices of at most four disjoint ones are searched, large groups first, cutting off
 * what cannot reach the best.  With N cards placed, J jokers, and h groups that are a tanela
 * with one card missing, where no joker helps, the distance is max(h, 12 - N - J).  The same
 * search finds, for each card that may be discarded, the *outs*: cards that lessen the distance.
 */

import {
  CARDS,
  countsOf,
  FINISH_PLACES,
  HALF,
  has,
  howMany,
  NO_CARDS,
  PUTALI,
  RANKS,
  sorted,
  sortedMelds,
  suitOf,
  without,
} from "./cards.js";

/** @import { Cards, CardSet, Counts } from "./cards.js" */

const MOST_GROUPS = 1024;
/** Cards of the largest group. */
const LARGEST = 5;
/** No distance is lost, and nothing helps: in the high half of a set, above its cards. */
const NOTHING_HELPS = 1 << 30;
/** How many places a meld has, from 3 to 5. */
const SIZES = 3;

/**
 * Return the cards that would join a sequence in a meld of exactly so many places, as bits of
 * its suit.
 *
 * @param {number} low its lowest rank
 * @param {number} high its highest rank; an ace above the king is 13
 * @param {number} members its ranks as bits
 * @param {number} places
 */
function runOuts(low, high, members, places) {
  let outs = 0;
  for (let rank = Math.max(0, high - 4); rank <= Math.min(13, low + 4); rank++) {
    if ((members >> rank) & 1) continue;
    const span = Math.max(3, Math.max(high, rank) - Math.min(low, rank) + 1);
    if (span === places && (rank < 13 || low > 0)) outs |= 1 << (rank % RANKS);
  }
  return outs;
}

/** What makes a sequence of 3, 4 and 5 places with one card, as bits of its suit, by rank. */
const BESIDE_ONE = Array.from({ length: RANKS * SIZES }, (_, at) => {
  const rank = Math.floor(at / SIZES);
  const places = 3 + (at % SIZES);
  const outs = runOuts(rank, rank, 1 << rank, places);
  return rank === 0 ? outs | runOuts(13, 13, 1 << 13, places) : outs;
});

/** Where the bits of a card's suit begin in its half. @param {number} card */
const shiftOf = (card) => (Math.floor(card / RANKS) & 1) * RANKS;

/** Four cards of a rank, as bits of either half. @param {number} rank */
const rankBits = (rank) => (1 << rank) | (1 << (RANKS + rank));

/**
 * @typedef {{ cards: number[], missing: number }} FinishMeld its cards, and how many it misses
 * @typedef {{ members: number[], need: number, exact: boolean, hole: boolean }} Group
 */

/** A search of finishes; what it found stays until the next. */
class FinishSearch {
  constructor() {
    this.size = new Int8Array(MOST_GROUPS);
    this.need = new Int8Array(MOST_GROUPS);
    this.exact = new Int8Array(MOST_GROUPS);
    this.hole = new Int8Array(MOST_GROUPS);
    this.members = new Int8Array(MOST_GROUPS * LARGEST);
    this.joinLow = new Int32Array(MOST_GROUPS * SIZES);
    this.joinHigh = new Int32Array(MOST_GROUPS * SIZES);
    this.order = new Int16Array(MOST_GROUPS);
    this.left = new Int8Array(CARDS);
    this.besideLow = new Int32Array(CARDS);
    this.besideHigh = new Int32Array(CARDS);
    /** For each card the outs once it is discarded, in the last place with nothing discarded. */
    this.outsLow = new Int32Array(CARDS + 1);
    this.outsHigh = new Int32Array(CARDS + 1);
    /** The groups of a best way. @type {Group[]} */
    this.chosen = [];
    this.count = 0;
    // The groups taken, and for each number of them where the next is looked for.
    this.taken = [0, 0, 0, 0];
    this.start = [0, 0, 0, 0, 0];
    /** @type {number[]} */
    this.kinds = [];
    // The choice: how many groups and cards it has, and of groups that need exactly three places,
    // at least four, five, and that are a tanela with one card missing.
    this.groups = 0;
    this.placed = 0;
    this.exacts = 0;
    this.fours = 0;
    this.fives = 0;
    this.holes = 0;
    // How many ordinary cards and jokers the hand has.
    this.cards = 0;
    this.jokers = 0;
  }

  // Groups.

  /**
   * Add a group, no sequence if `need` is 0, and return its place, -1 if there is no room.
   *
   * @param {number} need
   * @param {number} hole
   * @param {number[]} members
   */
  _add(need, hole, members) {
    const at = this.count;
    if (at === MOST_GROUPS) return -1;
    this.size[at] = members.length;
    this.need[at] = Math.max(3, need);
    this.exact[at] = need === 0 ? 1 : 0;
    this.hole[at] = hole;
    for (let k = 0; k < members.length; k++) this.members[at * LARGEST + k] = members[k];
    for (let k = 0; k < SIZES; k++) {
      this.joinLow[at * SIZES + k] = 0;
      this.joinHigh[at * SIZES + k] = 0;
    }
    this.count += 1;
    return at;
  }

  /**
   * Add the sequences whose lowest card this is.
   *
   * @param {number} card
   */
  _addRuns(card) {
    const suit = suitOf(card);
    const rank = card % RANKS;
    let possible = 0; // bit k: whether there is a card k + 1 ranks above
    for (let step = 1; step < 5; step++) {
      const place = rank + step;
      if (place > 13 || (place === 13 && rank === 0)) continue;
      if (this.left[suit * RANKS + (place % RANKS)] > 0) possible |= 1 << (step - 1);
    }
    for (let choice = possible; choice > 0; choice = (choice - 1) & possible) {
      const members = [card];
      let high = rank;
      let ranks = 1 << rank;
      for (let step = 1; step < 5; step++) {
        if (!((choice >> (step - 1)) & 1)) continue;
        members.push(suit * RANKS + ((rank + step) % RANKS));
        high = rank + step;
        ranks |= 1 << high;
      }
      const at = this._add(high - rank + 1, 0, members);
      if (at < 0) continue;
      const joins = card < HALF ? this.joinLow : this.joinHigh;
      for (let k = 0; k < SIZES; k++) {
        joins[at * SIZES + k] = runOuts(rank, high, ranks, 3 + k) << shiftOf(card);
      }
    }
  }

  /**
   * Add the trials whose first card this is, and its tanela.
   *
   * @param {number} card
   * @param {number} copies how many there are of it
   * @param {boolean} gone whether no other is to be had
   */
  _addSets(card, copies, gone) {
    const { left } = this;
    for (let second = card + RANKS; second < PUTALI; second += RANKS) {
      if (left[second] <= 0) continue;
      const at = this._add(0, 0, [card, second]);
      if (at >= 0) {
        this.joinLow[at * SIZES] = rankBits(card % RANKS);
        this.joinHigh[at * SIZES] = rankBits(card % RANKS);
        for (const one of [card, second]) {
          if (one < HALF) this.joinLow[at * SIZES] &= ~(1 << one);
          else this.joinHigh[at * SIZES] &= ~(1 << (one - HALF));
        }
      }
      for (let third = second + RANKS; third < PUTALI; third += RANKS) {
        if (left[third] > 0) this._add(0, 0, [card, second, third]);
      }
    }
    if (copies === 3) this._add(0, 0, [card, card, card]);
    if (copies >= 2 && !gone) {
      const at = this._add(0, 1, [card, card]);
      if (at >= 0) {
        if (card < HALF) this.joinLow[at * SIZES] = 1 << card;
        else this.joinHigh[at * SIZES] = 1 << (card - HALF);
      }
    }
  }

  // Choices of groups.

  /**
   * Take a group into the choice (1) or give it back (-1).
   *
   * @param {number} group
   * @param {number} times
   */
  _take(group, times) {
    const need = this.need[group];
    this.groups += times;
    this.placed += times * this.size[group];
    this.exacts += times * this.exact[group];
    if (need >= 4) this.fours += times;
    if (need >= 5) this.fives += times;
    this.holes += times * this.hole[group];
  }

  /**
   * Take the cards of a group from those left; tell whether they were there.
   *
   * @param {number} group
   */
  _takeCards(group) {
    const { left, members } = this;
    const end = group * LARGEST + this.size[group];
    let able = true;
    for (let at = group * LARGEST; at < end; at++) {
      left[members[at]] -= 1;
      if (left[members[at]] < 0) able = false;
    }
    if (!able) this._giveBack(group);
    return able;
  }

  /** @param {number} group */
  _giveBack(group) {
    const end = group * LARGEST + this.size[group];
    for (let at = group * LARGEST; at < end; at++) this.left[this.members[at]] += 1;
  }

  /**
   * Return how many cards must be replaced until a finish.
   *
   * @param {Counts} counts 13 cards after a draw, or 12 before it.
   * @param {CardSet} jokers
   * @param {number} most distances above it are not told apart: one more stands for them.
   * @param {boolean} outsWanted whether the outs are found too; right for 1 to `most`.
   * @param {CardSet} gone the cards of which no other copy is to be had.
   */
  search(counts, jokers, most, outsWanted, gone = NO_CARDS) {
    const { left, order, taken, start, size, need } = this;
    this.kinds = [];
    let cards = 0;
    for (let card = 0; card < CARDS; card++) {
      left[card] = has(jokers, card) ? 0 : counts[card];
      cards += left[card];
      if (left[card] > 0) this.kinds.push(card);
    }
    this.count = 0;
    for (const card of this.kinds) {
      if (card >= PUTALI) continue;
      this._addRuns(card);
      this._addSets(card, counts[card], has(gone, card));
    }
    let total = 0;
    for (let many = LARGEST; many > 1; many--) {
      for (let group = 0; group < this.count; group++) {
        if (size[group] === many) order[total++] = group;
      }
    }
    start.fill(0);
    this.groups = this.placed = this.exacts = this.fours = this.fives = this.holes = 0;
    this.cards = cards;
    this.jokers = howMany(counts) - cards;
    this._choose(0);
    this.outsLow.fill(0);
    this.outsHigh.fill(0);
    let best = most + 1;
    for (;;) {
      const melds = this.fours === 0 ? 4 : 3;
      const singles = Math.min(melds - this.groups, cards - this.placed);
      const lacking = FINISH_PLACES - this.placed - singles - this.jokers;
      const distance = Math.max(0, this.holes, lacking);
      if (distance < best) {
        best = distance;
        this.outsLow.fill(0);
        this.outsHigh.fill(0);
        this._choose(this.groups);
      }
      if (best === 0) return 0;
      if (outsWanted && distance === best && best <= most) this._addOuts(best, jokers);
      // On to the next choice: one group more, or the last ones given back and others taken.
      let place = -1;
      while (place < 0) {
        const room = (this.fours === 0 ? 4 : 3) - this.groups;
        const end = room > 0 ? total : 0;
        for (let at = start[this.groups]; at < end; at++) {
          const group = order[at];
          const reach = FINISH_PLACES - this.placed - room * size[group] - this.jokers;
          if (reach > best || (reach === best && !outsWanted)) break;
          if (
            this.holes + this.hole[group] <= best &&
            fits(
              this.groups + 1,
              this.exacts + this.exact[group],
              this.fours + (need[group] >= 4 ? 1 : 0),
              this.fives + (need[group] >= 5 ? 1 : 0),
            ) &&
            this._takeCards(group)
          ) {
            place = at;
            break;
          }
        }
        if (place < 0) {
          if (this.groups === 0) return best;
          const group = taken[this.groups - 1];
          this._giveBack(group);
          this._take(group, -1);
          start[this.groups] += 1;
        }
      }
      start[this.groups] = place;
      start[this.groups + 1] = place;
      taken[this.groups] = order[place];
      this._take(order[place], 1);
    }
  }

  /** Note the first groups taken as those of a best way. @param {number} many */
  _choose(many) {
    this.chosen = this.taken.slice(0, many).map((group) => ({
      members: [...this.members.subarray(group * LARGEST, group * LARGEST + this.size[group])],
      need: this.need[group],
      exact: this.exact[group] === 1,
      hole: this.hole[group] === 1,
    }));
  }

  // Outs.

  /**
   * Tell whether the choice fits and lessens the best distance with one card more.
   *
   * @param {number} best
   * @param {number} groups how many more groups, as the others
   * @param {number} placed
   * @param {number} exacts
   * @param {number} fours
   * @param {number} fives
   * @param {number} holes
   */
  _isNearer(best, groups, placed, exacts, fours, fives, holes) {
    const many = this.groups + groups;
    const held = this.placed + placed;
    const four = this.fours + fours;
    if (!fits(many, this.exacts + exacts, four, this.fives + fives)) return false;
    const singles = Math.min((four === 0 ? 4 : 3) - many, this.cards + 1 - held);
    const lacking = FINISH_PLACES - held - singles - this.jokers;
    return Math.max(this.holes + holes, lacking) < best;
  }

  /**
   * Add the outs of the choice, which reaches the best distance, by discard.
   *
   * @param {number} best
   * @param {CardSet} jokers
   */
  _addOuts(best, jokers) {
    const { left, kinds, besideLow, besideHigh, outsLow, outsHigh } = this;
    let [joinedLow, joinedHigh] = this.holes < best ? [jokers.low, jokers.high] : [0, 0];
    for (let level = 0; level < this.groups; level++) {
      const group = this.taken[level];
      const need = this.need[group];
      for (let k = 0; k < SIZES; k++) {
        const low = this.joinLow[group * SIZES + k];
        const high = this.joinHigh[group * SIZES + k];
        if ((low === 0 && high === 0) || k + 3 < need) continue;
        const fours = (k >= 1 ? 1 : 0) - (need >= 4 ? 1 : 0);
        const fives = (k >= 2 ? 1 : 0) - (need >= 5 ? 1 : 0);
        if (this._isNearer(best, 0, 1, 0, fours, fives, -this.hole[group])) {
          joinedLow |= low;
          joinedHigh |= high;
        }
      }
    }
    const trial = this._isNearer(best, 1, 2, 1, 0, 0, 0);
    const twin = this._isNearer(best, 1, 2, 1, 0, 0, 1);
    const three = trial || this._isNearer(best, 1, 2, 0, 0, 0, 0);
    const four = this._isNearer(best, 1, 2, 0, 1, 0, 0);
    const five = this._isNearer(best, 1, 2, 0, 1, 1, 0);
    // Outs that at least one single card gives, and that two give.
    let [onceLow, onceHigh, twiceLow, twiceHigh] = [joinedLow, joinedHigh, 0, 0];
    for (const card of kinds) {
      if (left[card] <= 0) continue;
      const rank = card % RANKS;
      let [low, high] = [0, 0]; // what lessens the distance beside this card
      if (trial) {
        low |= rankBits(rank);
        high |= rankBits(rank);
      }
      let run = 0;
      if (three) run |= BESIDE_ONE[rank * SIZES];
      if (four) run |= BESIDE_ONE[rank * SIZES + 1];
      if (five) run |= BESIDE_ONE[rank * SIZES + 2];
      const own = 1 << (card < HALF ? card : card - HALF);
      if (card < HALF) low = ((low & ~own) | (run << shiftOf(card))) | (twin ? own : 0);
      else high = ((high & ~own) | (run << shiftOf(card))) | (twin ? own : 0);
      besideLow[card] = low;
      besideHigh[card] = high;
      twiceLow |= onceLow & low;
      twiceHigh |= onceHigh & high;
      if (left[card] > 1) {
        twiceLow |= low;
        twiceHigh |= high;
      }
      onceLow |= low;
      onceHigh |= high;
    }
    outsLow[CARDS] |= onceLow;
    outsHigh[CARDS] |= onceHigh;
    for (const card of kinds) {
      if (left[card] <= 0) continue;
      const [low, high] = [besideLow[card], besideHigh[card]];
      outsLow[card] |= joinedLow | (onceLow & ~low) | (low & twiceLow);
      outsHigh[card] |= joinedHigh | (onceHigh & ~high) | (high & twiceHigh);
      if (outsLow[card] === 0 && outsHigh[card] === 0) outsHigh[card] = NOTHING_HELPS;
    }
  }

  /**
   * Return the outs once a card is discarded; CARDS for none.
   *
   * @param {number} card
   * @returns {CardSet}
   */
  outs(card) {
    return { low: this.outsLow[card], high: this.outsHigh[card] };
  }

  /**
   * Tell whether a card can be discarded without losing distance.
   *
   * @param {number} card
   */
  canGo(card) {
    return this.outsLow[card] !== 0 || this.outsHigh[card] !== 0;
  }
}

/**
 * Tell whether so many groups fit 3+3+3+3, 3+4+5 or 4+4+4 places.
 *
 * @param {number} groups
 * @param {number} exact how many need exactly three places
 * @param {number} four how many need at least four
 * @param {number} five how many need five
 */
function fits(groups, exact, four, five) {
  if (four === 0) return groups <= 4;
  if (groups > 3) return false;
  return (exact <= 1 && four <= 2 && five <= 1) || (exact === 0 && five === 0);
}

/** The one search: what it found is read before the next. */
export const FINISHES = new FinishSearch();

// The melds of a finish.

/**
 * Return twelve cards in melds of the finish, null if they are none.
 *
 * @param {Cards} hand
 * @param {CardSet} jokers
 */
export function finishMelds(hand, jokers) {
  if (FINISHES.search(countsOf(hand), jokers, 0, false) > 0) return null;
  return sortedMelds(arrange(hand, jokers).map(({ cards }) => cards));
}

/**
 * Tell whether twelve of thirteen cards lie in melds of the finish.
 *
 * @param {Cards} hand
 * @param {CardSet} jokers
 */
export const finishMeldsExist = (hand, jokers) =>
  FINISHES.search(countsOf(hand), jokers, 0, false) === 0;

/** The sizes that the melds of a finish can have, in all orders. */
const SHAPES = [
  [3, 3, 3, 3],
  [3, 4, 5],
  [3, 5, 4],
  [4, 3, 5],
  [4, 5, 3],
  [5, 3, 4],
  [5, 4, 3],
  [4, 4, 4],
];

/**
 * Return the melds of the finish that the last search has found, each with the places it misses.
 *
 * @param {Cards} hand some cards are left out if there are more than places.
 * @param {CardSet} jokers
 */
export function arrange(hand, jokers) {
  const groups = FINISHES.chosen;
  const left = without(hand, groups.flatMap(({ members }) => members));
  const singles = left.filter((card) => !has(jokers, card)).map((card) => [card]);
  const parts = [...groups.map(({ members }) => members), ...singles];
  const wild = left.filter((card) => has(jokers, card));
  const ways = SHAPES.filter(
    (sizes) =>
      groups.length <= sizes.length &&
      groups.every(({ exact, need }, at) => (exact ? sizes[at] === 3 : need <= sizes[at])),
  ).map((sizes) => filled(groups, parts, wild, sizes));
  /** @type {FinishMeld[]} */
  let best = [];
  let least = Infinity;
  for (const way of ways) {
    const missing = way.reduce((sum, meld) => sum + meld.missing, 0);
    if (missing < least) [best, least] = [way, missing];
  }
  return best;
}

/**
 * Return melds of these sizes, made of parts in order and filled up with jokers.
 *
 * @param {Group[]} groups
 * @param {number[][]} parts
 * @param {number[]} wild
 * @param {number[]} sizes
 * @returns {FinishMeld[]}
 */
function filled(groups, parts, wild, sizes) {
  let spare = wild;
  return sizes.map((size, at) => {
    const cards = parts[at] ?? [];
    const noJoker = at < groups.length && groups[at].hole; // none helps a tanela
    const take = noJoker ? 0 : size - cards.length;
    const whole = sorted([...cards, ...spare.slice(0, take)]);
    spare = spare.slice(take);
    return { cards: whole, missing: size - whole.length };
  });
}
