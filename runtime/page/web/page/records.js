/** Records: games as files of JSON Lines, read and written. */

import { SITE } from "./tables.js";

/** A file that is no record; `line` is where it is wrong, from 1. */
export class RecordError extends Error {
  constructor(line, message) {
    super(message);
    this.line = line;
  }
}

const LARGEST = 5_000_000;

/** Return the record that a text holds, or throw a RecordError. */
export function readRecord(text) {
  if (text.length > LARGEST) throw new RecordError(1, "too_large");
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
  const held = lines.map((line, at) => {
    if (line.trim() === "") return null;
    try {
      return JSON.parse(line);
    } catch {
      // A game that broke off in the middle of a line ends before it.
      if (at === lines.length - 1 && at > 0) return null;
      throw new RecordError(at + 1, "no_json");
    }
  });
  const first = held[0];
  if (first === null || typeof first !== "object" || first.ustad_record !== 1) {
    throw new RecordError(1, "no_record");
  }
  if (!(first.start?.game in SITE.games)) throw new RecordError(1, "no_game");
  const steps = [];
  for (const [at, line] of held.entries()) {
    if (at === 0 || line === null) continue;
    if (typeof line !== "object") throw new RecordError(at + 1, "no_step");
    if (line.over) break;
    if (line.move === undefined && line.outcome === undefined) throw new RecordError(at + 1, "no_step");
    steps.push(line);
  }
  const seats = Array.isArray(first.seats)
    ? first.seats.map((seat) => ({ name: String(seat?.name ?? ""), level: seat?.level ?? null }))
    : [];
  return { start: first.start, steps, seats };
}

/** Return a game that is kept as the text of a file. */
export function recordText(held) {
  const lines = [
    { ustad_record: 1, start: held.start, seats: held.seats, seed: null, version: SITE.version },
    ...held.steps,
  ];
  if (held.status.to === "over") lines.push({ over: true, returns: held.status.returns });
  return `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
}

/** Give a text to whoever looks at the page as a file. */
export function download(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "application/jsonl" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
