/** What was learned: one's own worst positions, and how the attempts at positions went. */

import { read, write } from "./store.js";

const MOST = 40;

/** Return the worst positions of a game, the dearest first. */
export const worst = (game) =>
  read("worst", []).filter((one) => one.game === game).sort((a, b) => b.cost - a.cost);

/** Remember a position that cost much. */
export function remember(one) {
  if (!(one.cost > 1e-9)) return;
  const key = JSON.stringify(one.position);
  const others = read("worst", []).filter((each) => JSON.stringify(each.position) !== key);
  keep("worst", [...others, one].sort((a, b) => b.cost - a.cost).slice(0, MOST));
}

/** Forget a position: it was played right. */
export function master(one) {
  const key = JSON.stringify(one.position);
  keep("worst", read("worst", []).filter((each) => JSON.stringify(each.position) !== key));
}

/** Return the attempts at positions of a game: `{ kind, unit, cost }` each. */
export const attempts = (game) => read(`attempts.${game}`, []);

/** Write an attempt down. */
export function attempted(game, attempt) {
  keep(`attempts.${game}`, [...attempts(game), attempt].slice(-200));
}

/** Forget all attempts at positions of a game. */
export const startOver = (game) => keep(`attempts.${game}`, []);

function keep(name, value) {
  try {
    write(name, value);
  } catch {
    // what cannot be kept is lost when the page is closed; games are what matters
  }
}
