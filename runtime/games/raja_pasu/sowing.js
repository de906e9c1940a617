/**
 * Sowing: what a move of Raja Pasu does to the seeds of a ring, the mover's holes first.
 */

/**
 * A step of a move: a lap, a pasu or a pussa; where, how many seeds were taken, and how many of
 * the lap were sown.
 *
 * @typedef {{ kind: "lap" | "four" | "pussa", hole: number, seeds: number, sown: number }} Step
 *
 * What a move leaves and what mover and other took, with its laps, negative if endless.
 *
 * @typedef {{ board: number[], taken: number[], laps: number }} Sown
 */

export const PASU = 4; // a hole that a seed brings to so many is emptied

const PATIENCE = 64; // laps after which a move is suspected to be endless

/**
 * Sow lap after lap until the move has ended or so many laps are sown.
 *
 * @param {number[]} board the seeds of the open holes, the mover's first; changed.
 * @param {number} own how many of the holes are the mover's.
 * @param {number} from where the first lap starts.
 * @param {boolean} skipped whether a lap leaves out the hole it began from.
 * @param {number} most the most laps to sow.
 * @param {number[]} taken what mover and other have taken; added to.
 * @param {Step[] | null} log takes down the steps.
 * @returns {[number, number]} the laps sown, and the hole that the next would start from, -1 for
 *   none.
 */
export function sowLaps(board, own, from, skipped, most, taken, log = null) {
  const size = board.length;
  let hole = from;
  let laps = 0;
  while (laps < most) {
    const start = hole;
    const seeds = board[start];
    board[start] = 0;
    log?.push({ kind: "lap", hole: start, seeds, sown: 0 });
    for (let sown = 0; sown < seeds; ) {
      hole = hole + 1 < size ? hole + 1 : 0;
      if (skipped && hole === start && size > 1) continue;
      sown += 1;
      board[hole] += 1;
      if (board[hole] === PASU) {
        board[hole] = 0;
        taken[hole < own ? 0 : 1] += PASU;
        log?.push({ kind: "four", hole, seeds: PASU, sown });
      }
    }
    laps += 1;
    hole = hole + 1 < size ? hole + 1 : 0;
    if (board[hole] === 0) {
      const beyond = hole + 1 < size ? hole + 1 : 0;
      if (board[beyond] > 0) {
        taken[0] += board[beyond];
        log?.push({ kind: "pussa", hole: beyond, seeds: board[beyond], sown: 0 });
        board[beyond] = 0;
      }
      return [laps, -1];
    }
  }
  return [laps, hole];
}

/**
 * Play a hole; the board after it is still seen by the mover.
 *
 * @param {number[]} seeds of the ring, the mover's holes first.
 * @param {number} own
 * @param {number} hole
 * @param {boolean} skipped
 * @returns {Sown}
 */
export function playHole(seeds, own, hole, skipped) {
  const board = [...seeds];
  const taken = [0, 0];
  const [laps, next] = sowLaps(board, own, hole, skipped, PATIENCE, taken);
  return next < 0 ? { board, taken, laps } : playWatched(seeds, own, hole, skipped);
}

/**
 * Play a hole like playHole, ending an endless relay where a lap would start as one before.
 *
 * @type {typeof playHole}
 */
function playWatched(seeds, own, hole, skipped) {
  const board = [...seeds];
  const taken = [0, 0];
  const met = new Set();
  let laps = 0;
  for (let at = hole; at >= 0; laps++) {
    const start = `${at},${board.join()}`;
    if (met.has(start)) return { board, taken, laps: -laps };
    met.add(start);
    [, at] = sowLaps(board, own, at, skipped, 1, taken);
  }
  return { board, taken, laps };
}

/**
 * Return what the mover gains by a hole, and the seeds after it as the other sees them.
 *
 * @param {number[]} seeds
 * @param {number} own
 * @param {number} hole
 * @param {boolean} skipped
 */
export function playedHole(seeds, own, hole, skipped) {
  const { board, taken } = playHole(seeds, own, hole, skipped);
  const after = [...board.slice(own), ...board.slice(0, own)];
  return { gain: taken[0] - taken[1], after, captured: taken[0] + taken[1] };
}

/**
 * Return how many seeds some holes hold.
 *
 * @param {number[]} seeds
 */
export const sum = (seeds) => seeds.reduce((total, held) => total + held, 0);

/**
 * Tell whether the first holes of a ring are empty.
 *
 * @param {number[]} seeds
 * @param {number} own
 */
export function isEmpty(seeds, own) {
  for (let hole = 0; hole < own; hole++) if (seeds[hole] > 0) return false;
  return true;
}
