/**
 * What stays on this machine: settings and games, in localStorage.
 *
 * A game is written whole after every step.  It carries a number that grows with every writing:
 * a tab that finds another number than the one it wrote or read last knows that another tab went on
 * with the game, and writes nothing.
 */

const PREFIX = "ustad.";
const GAMES = `${PREFIX}game.`;
const MOST_FINISHED = 20;

/** Something could not be kept; `message` is a key of words. */
export class StoreError extends Error {}

/** Return what is kept under a name, or the fallback where there is nothing or no JSON. */
export function read(name, fallback) {
  try {
    const text = localStorage.getItem(PREFIX + name);
    return text === null ? fallback : JSON.parse(text);
  } catch {
    return fallback;
  }
}

/** Keep a value under a name, or throw a StoreError. */
export function write(name, value) {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    throw new StoreError("storage_refused");
  }
}

/** Return all games that are kept, the last played first. */
export function games() {
  const found = [];
  try {
    for (const key of Object.keys(localStorage)) {
      if (!key.startsWith(GAMES)) continue;
      const game = read(key.slice(PREFIX.length), null);
      if (game && typeof game === "object" && game.start && Array.isArray(game.steps)) {
        found.push(game);
      }
    }
  } catch {
    return [];
  }
  return found.sort((a, b) => b.at - a.at);
}

/** Return a game, null if it is not kept. */
export const game = (id) => read(`game.${id}`, null);

/**
 * Keep a game, and return it as it was kept.
 * It throws a StoreError if another tab went on with it, or if there is no room.
 */
export function keep(held) {
  const before = game(held.id);
  if (before && before.edition !== held.edition) throw new StoreError("another_tab");
  const kept = { ...held, edition: (held.edition ?? 0) + 1, at: Date.now() };
  try {
    write(`game.${held.id}`, kept);
  } catch (error) {
    const old = games().filter((one) => one.over && one.id !== held.id);
    if (old.length === 0) throw error;
    forget(old[old.length - 1].id); // the oldest finished game makes room
    write(`game.${held.id}`, kept);
  }
  const finished = games().filter((one) => one.over);
  for (const one of finished.slice(MOST_FINISHED)) forget(one.id);
  return kept;
}

/** Keep a game no longer. */
export function forget(id) {
  try {
    localStorage.removeItem(GAMES + id);
  } catch {
    // nothing was kept
  }
}

/** Call back with its id when another tab changes a game; returns what ends that. */
export function watch(id, changed) {
  const listener = (event) => {
    if (event.key === GAMES + id) changed();
  };
  addEventListener("storage", listener);
  return () => removeEventListener("storage", listener);
}

/** Return an id for a new game. */
export const newId = () => `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 6)}`;
