/**
 * Runs the engine beside the page, so that nothing waits for it.
 *
 * A request is `{ id, game, method, request }`; the answer `{ id, result }` or `{ id, error }`.
 * An engine is opened with the tables that fit the position, fetched when they are first needed.
 * Files are believed by their digests: one that is another is fetched anew, past every cache.
 */

import { open } from "../index.js";
import { costs } from "./costs.js";
import { SITE } from "./tables.js";

const ROOT = new URL("../../", import.meta.url);

/** @type {Map<string, Promise<any>>} */
const engines = new Map();

/** Return the tables that a position or a new game needs. */
function needed(game, request) {
  const { tables } = SITE.games[game];
  const position = request.position ?? request.record?.start ?? request;
  const known = { ...position.options };
  if (game === "pasa") {
    const stacks = position.stacks ?? [];
    known.players = stacks.length || request.players;
    known.chips = stacks.length ? stacks.reduce((sum, one) => sum + one, 0) : null;
  }
  const fits = (table) =>
    Object.entries(table.options).every(([name, value]) => {
      const given = known[name] ?? SITE.games[game].options[name]?.default ?? null;
      return given === null || name === "laps" || given === value;
    });
  const found = tables.find(fits);
  if (found) return [found];
  // No table answers this: the engine still plays, and says what is missing where it is needed.
  const size = (table) => Object.values(table.files).reduce((sum, file) => sum + file.size, 0);
  return [...tables].sort((a, b) => size(a) - size(b)).slice(0, 1);
}

async function digest(bytes) {
  const found = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...found].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function fetched({ path, sha256 }) {
  for (const cache of ["default", "reload"]) {
    const sent = await fetch(new URL(path, ROOT), /** @type {any} */ ({ cache }));
    if (!sent.ok) continue;
    const packed = new Blob([await sent.arrayBuffer()]);
    try {
      const stream = packed.stream().pipeThrough(new DecompressionStream("gzip"));
      const bytes = await new Response(stream).arrayBuffer();
      if (!crypto.subtle || (await digest(bytes)) === sha256) return bytes;
    } catch {
      // damaged: once more
    }
  }
  throw Object.assign(new Error("data_damaged"), { kind: "data_damaged" });
}

function engineOf(game, request) {
  const tables = needed(game, request);
  const key = [game, ...tables.map((table) => table.name)].join("|");
  const found = engines.get(key);
  if (found) return found;
  const files = Object.assign({}, ...tables.map((table) => table.files));
  const index = { ...SITE.games[game].index, tables: tables.map((table) => table.name) };
  const read = async (/** @type {string} */ name) => {
    const path = name.slice(`data/${game}/`.length);
    if (path === "index.json") return new TextEncoder().encode(JSON.stringify(index));
    return fetched(files[path]);
  };
  // Every file was held against its digest; where there is no `crypto` the engine checks it.
  const opened = open({ game: /** @type {any} */ (game), read, verify: false });
  engines.set(key, opened);
  opened.catch(() => engines.delete(key));
  return opened;
}

/** What a box would hold that is written now: what each move that writes would gain. */
function gains(engine, { position }) {
  const { legal } = engine.call("legal", { position });
  const writes = legal.filter((move) => move.write !== undefined);
  return {
    legal,
    gains: Object.fromEntries(
      writes.map((move) => [move.write, engine.call("apply", { position, move }).events]),
    ),
  };
}

/** What each seat to move saw, step by step, and the status, along a record and after it. */
function replay(engine, { record }) {
  let position = record.start;
  let { status } = engine.call("status", { position });
  const seen = () => {
    if (!position.hands || status.seat === null) return position;
    return engine.call("view", { position, seat: status.seat }).position;
  };
  const positions = [{ position, seen: seen(), status }];
  for (const { move, outcome } of record.steps) {
    ({ position, status } = engine.call("apply", { position, move, outcome }));
    positions.push({ position, seen: seen(), status });
  }
  return { positions };
}

/** What decisions cost, and what each seat to move saw. */
function reviewed(engine, { record }) {
  const { positions } = replay(engine, { record });
  if (record.start.game === "marriage") return { answer: costs(engine, record, positions), positions };
  return { answer: engine.call("review", { record }), positions };
}

function answer(engine, method, request) {
  if (method === "open") return {};
  if (method === "gains") return gains(engine, request);
  if (method === "review") return reviewed(engine, request);
  return engine.call(method, request);
}

self.onmessage = async ({ data: { id, game, method, request } }) => {
  try {
    const engine = await engineOf(game, request);
    const result = answer(engine, method, request);
    self.postMessage({ id, result: JSON.parse(JSON.stringify(result)) });
  } catch (/** @type {any} */ error) {
    const kind = error.kind ?? (error instanceof TypeError ? "network" : "internal");
    self.postMessage({ id, error: { kind, message: String(error.message) } });
  }
};
