// Answers requests with the engine of a package, a line of JSON each.
//
//     node differential.mjs PACKAGE GAME < requests
//
// Each answer is {"result": ...} or {"error": {"kind", "message"}}, on a line of its own.

import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";
import { pathToFileURL } from "node:url";

const [folder, game] = process.argv.slice(2);
const { open } = await import(pathToFileURL(path.resolve(folder, "index.js")).href);
/** @param {string} name */
const read = (name) => fs.readFileSync(path.join(folder, name));
const engine = await open({ game, read });

/** @param {unknown} value @returns {unknown} */
const frozen = (value) => {
  if (typeof value === "object" && value !== null) Object.values(value).forEach(frozen);
  return Object.freeze(value);
};

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { method, ...request } = JSON.parse(line);
  let answer;
  try {
    answer = { result: engine.call(method, /** @type {object} */ (frozen(request))) };
  } catch (error) {
    const { name, kind, message, stack } = /** @type {Error & { kind?: string }} */ (error);
    const told = name === "UstadError" ? message : String(stack);
    answer = { error: { kind: kind ?? "internal", message: told } };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
