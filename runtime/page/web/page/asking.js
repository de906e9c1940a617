/** Questions to the engine, which runs in a worker. */

/** What the engine refuses; `kind` is its word for it, `message` names the thing. */
export class AskError extends Error {
  constructor({ kind, message }) {
    super(message);
    this.kind = kind;
  }
}

/** @type {Worker | null} */
let worker = null;
let last = 0;
/** @type {Map<number, { done: (value: any) => void, failed: (error: any) => void }>} */
const waiting = new Map();

function start() {
  const made = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  made.onmessage = ({ data: { id, result, error } }) => {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error) asked?.failed(new AskError(error));
    else asked?.done(result);
  };
  made.onerror = (event) => {
    event.preventDefault();
    for (const asked of waiting.values()) {
      asked.failed(new AskError({ kind: "internal", message: event.message || "worker" }));
    }
    waiting.clear();
    worker = null;
  };
  return made;
}

/**
 * Ask the engine of a game.
 *
 * @param {string} game
 * @param {string} method
 * @param {any} request
 * @returns {Promise<any>}
 */
export function ask(game, method, request) {
  worker ??= start();
  const id = ++last;
  return new Promise((done, failed) => {
    waiting.set(id, { done, failed });
    /** @type {Worker} */ (worker).postMessage({ id, game, method, request });
  });
}

/**
 * Return a position as the engine writes it, all options filled in, and its status; of a whole
 * round of Marriage what the seat to move knows.
 *
 * @param {any} position
 * @returns {Promise<{ position: any, status: any }>}
 */
export async function seen(position) {
  const { game } = position;
  const { status } = await ask(game, "status", { position });
  const seat = position.seat ?? status.seat ?? 0;
  if (position.hands && status.to === "over") return { position, status };
  return ask(game, "view", { position, seat });
}
