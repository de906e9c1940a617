/**
 * The distance to a show: how many cards must be replaced until three pure melds can be shown.
 *
 * The distance is 9 less the most cards of the hand that three target melds can hold.  Within a
 * suit the best targets are found rank by rank; suits and putali are then combined.  *Covers*
 * are the most cards that 1, 2 and 3 targets hold, four bits each.  A suit is a number of 26
 * bits, two for each rank, and its covers are remembered.
 */

import { MASTER, PUTALI, RANKS, SHOW_MELDS } from "./cards.js";

/** @import { Counts } from "./cards.js" */

/**
 * Return the cards of a suit as a number, two bits a rank, the ace lowest.
 *
 * @param {Counts} counts
 * @param {number} suit
 */
export function suitKey(counts, suit) {
  let key = 0;
  for (let rank = 0; rank < RANKS; rank++) key |= counts[suit * RANKS + rank] << (2 * rank);
  return key;
}

const FEW = 4 * 4 * 4 * 2;

/** The place of so many targets, sequences begun one and two ranks ago, and wild cards used. */
/** @type {(m: number, x: number, y: number, w: number) => number} */
const place = (m, x, y, w) => (m << 5) | (x << 3) | (y << 1) | w;

/** The working arrays of `mostInTargets`: what it returns is read before the next. */
const TWO = [new Int8Array(FEW), new Int8Array(FEW)];

/**
 * Return the most cards of a suit that targets can hold, -1 where none can be; see `place`.
 *
 * @param {number} key
 * @param {number} blocked
 * @param {number} wild
 * @param {number} high how many targets are queen, king and ace.
 */
function mostInTargets(key, blocked, wild, high) {
  let [best, after] = TWO;
  best.fill(-1);
  best[place(high, 0, 0, 0)] = 0;
  for (let rank = 0; rank < RANKS; rank++) {
    const held = (key >> (2 * rank)) & 3;
    const limit = (blocked >> rank) & 1 ? 0 : 3 - (blocked >> RANKS === rank + 1 ? 1 : 0);
    const through = rank === 0 || rank >= 11 ? high : 0;
    after.fill(-1);
    for (let m = high; m < 4; m++) {
      const mostNew = rank <= 10 ? 3 - m : 0;
      for (let x = 0; x <= m - high; x++) {
        for (let y = 0; y <= m - high - x; y++) {
          for (let w = 0; w <= wild; w++) {
            const value = best[place(m, x, y, w)];
            if (value < 0) continue;
            for (let begun = 0; begun <= mostNew; begun++) {
              const used = through + x + y + begun;
              if (used > limit) break;
              const got = value + Math.min(held, used);
              const at = place(m + begun, begun, x, w);
              if (got > after[at]) after[at] = got;
              if (used > held && w < wild && got + 1 > after[at | 1]) after[at | 1] = got + 1;
            }
            if (x + y + through === 0 && m < 3 && limit === 3) {
              const at = place(m + 1, 0, 0, w); // a tanela
              if (value + held > after[at]) after[at] = value + held;
            }
          }
        }
      }
    }
    [best, after] = [after, best];
  }
  return best;
}

/**
 * Return the most cards of a suit that 1, 2 and 3 target melds can hold.
 *
 * @param {number} key the cards.
 * @param {number} blocked ranks, as bits, of which no copy is left for a target; in the bits
 *   above these 1 + the rank of which two are left, if there is one.
 * @param {number} wild 1 if a wild card fills one place of one sequence, and counts.
 */
function suitCovers(key, blocked, wild) {
  const covers = [0, 0, 0, 0];
  const most = Math.max(key & 3, (key >> 22) & 3, (key >> 24) & 3) + wild;
  const mostHigh = blocked & (1 | (1 << 11) | (1 << 12)) ? 0 : Math.min(3, most);
  for (let high = 0; high <= mostHigh; high++) {
    const best = mostInTargets(key, blocked, wild, high);
    for (let m = high; m < 4; m++) {
      for (let w = 0; w <= wild; w++) covers[m] = Math.max(covers[m], best[place(m, 0, 0, w)]);
    }
  }
  const two = Math.max(covers[1], covers[2]);
  return covers[1] | (two << 4) | (Math.max(two, covers[3]) << 8);
}

const REMEMBERED = 1 << 16;
const questions = new Float64Array(REMEMBERED).fill(-1);
const answers = new Int16Array(REMEMBERED);

/**
 * Return the covers of a suit, looked up among those remembered or put there.
 *
 * @param {number} key see `suitCovers`, as the others.
 * @param {number} blocked
 * @param {number} wild
 */
export function rememberedCovers(key, blocked, wild) {
  const question = key + blocked * 2 ** 26 + wild * 2 ** 43;
  const mixed = Math.imul(key ^ Math.imul(blocked * 2 + wild, 0x3c6ef372), 0x9e3779b1);
  const at = (mixed ^ (mixed >>> 15)) & (REMEMBERED - 1);
  if (questions[at] === question) return answers[at];
  const answer = suitCovers(key, blocked, wild);
  questions[at] = question;
  answers[at] = answer;
  return answer;
}

/**
 * Return the most cards that 1, 2 and 3 targets can hold in two parts of a hand.
 *
 * @param {number} covers
 * @param {number} more
 */
export function addCovers(covers, more) {
  const [a1, a2, a3] = [covers & 15, (covers >> 4) & 15, covers >> 8];
  const [b1, b2, b3] = [more & 15, (more >> 4) & 15, more >> 8];
  const two = Math.max(a2, b2, a1 + b1);
  const three = Math.max(a3, b3, a1 + b2, a2 + b1);
  return Math.max(a1, b1) | (two << 4) | (three << 8);
}

/**
 * Return the greater covers, number by number.
 *
 * @param {number} covers
 * @param {number} other
 */
function maxCovers(covers, other) {
  const two = Math.max((covers >> 4) & 15, (other >> 4) & 15);
  return Math.max(covers & 15, other & 15) | (two << 4) | (Math.max(covers >> 8, other >> 8) << 8);
}

/** The putali make one tanela at most. @param {number} putali */
export const putaliCovers = (putali) => putali | (putali << 4) | (putali << 8);

/**
 * Return how many cards must be replaced until a hand holds the pure melds of a show.
 *
 * @param {Counts} counts the cards in hand.
 * @param {Counts} laid the cards out of play for this hand: three of each tanela on the table,
 *   which count among the melds, and one of the tiplu where it is known.
 * @param {boolean} masterIsPure
 */
export function showDistance(counts, laid, masterIsPure) {
  const wild = masterIsPure ? counts[MASTER] : 0;
  let [down, total, plain] = [0, 0, 0];
  for (let suit = 0; suit < 4; suit++) {
    const key = suitKey(counts, suit);
    let blocked = 0;
    for (let rank = 0; rank < RANKS; rank++) {
      const gone = laid[suit * RANKS + rank];
      if (gone === 3) {
        blocked |= 1 << rank;
        down += 1;
      } else if (gone > 0) blocked |= (rank + 1) << RANKS;
    }
    const covers = rememberedCovers(key, blocked, 0);
    if (wild > 0) {
      const withWild = rememberedCovers(key, blocked, 1);
      total = maxCovers(addCovers(total, covers), addCovers(plain, withWild));
      plain = addCovers(plain, covers);
    } else total = addCovers(total, covers);
  }
  if (laid[PUTALI] > 0) down += 1;
  else total = addCovers(total, putaliCovers(counts[PUTALI]));
  const missing = SHOW_MELDS - down;
  return missing <= 0 ? 0 : 3 * missing - ((total >> (4 * (missing - 1))) & 15);
}

/** Return how many disjoint pairs of identical cards there are. @param {Counts} counts */
export function dubleeCount(counts) {
  let pairs = 0;
  for (let card = 0; card < MASTER; card++) if (counts[card] >= 2) pairs += 1;
  return pairs;
}
