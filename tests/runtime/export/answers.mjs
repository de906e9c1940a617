// Answers vectors with the reader of an export, and says where it is off.
//
//     node answers.mjs FOLDER [VECTORS [WITHIN]]
//
// FOLDER is an export; VECTORS a file with one JSON vector a line, by default those of the
// manifest.  Prints {"checked", "wrong": [...], "worst", "median_ms"}, and fails if any is wrong:
// the best moves must be the same in the same order, every value what the vector says within
// WITHIN, 1e-9 unless given, and what an answer holds beside them the same.  Moves that are tied
// with the best have its value in an answer, whatever rounding makes of each.

import fs from "node:fs";

import { exported } from "./exported.mjs";

/** @import { Vector } from "./exported.mjs" */

const [folder, file, within = "1e-9"] = process.argv.slice(2);
const { text, manifest, files, open } = await exported(folder);
const game = open(text, ...files);
/** @type {Vector[]} */
const vectors =
  file === undefined
    ? manifest.vectors
    : fs.readFileSync(file, "utf8").trim().split("\n").map((line) => JSON.parse(line));

/** @type {(one: unknown, other: unknown) => boolean} */
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
/** @type {{ vector: Vector, answer: unknown }[]} */
const wrong = [];
/** @type {number[]} */
const times = [];
let worst = 0;
for (const vector of vectors) {
  const begin = performance.now();
  const answer = game.ask(vector.position, vector.level);
  times.push(performance.now() - begin);
  const gaps = [answer.value - vector.read];
  for (const [move, value, total] of vector.options ?? []) {
    const option = answer.options.find((found) => same(found.move, move));
    const tied = vector.best.some((one) => same(one, move));
    gaps.push((option?.value ?? NaN) - (tied ? answer.value : value));
    if (total !== undefined) gaps.push((option?.expected_total ?? NaN) - total);
  }
  const { best, value, unit, options, ...beside } = answer;
  for (const [key, held] of Object.entries(vector.beside ?? {})) {
    const told = beside[key];
    if (key !== "win_shares") gaps.push(same(told, held) ? 0 : NaN);
    else if (!Array.isArray(told) || !Array.isArray(held)) gaps.push(NaN);
    else held.forEach((share, seat) => gaps.push(told[seat] - share));
  }
  /** @param {object} held */
  const keys = (held) => Object.keys(held).sort().join();
  if (vector.beside !== undefined && keys(beside) !== keys(vector.beside)) gaps.push(NaN);
  if (vector.unit !== undefined && unit !== vector.unit) gaps.push(NaN);
  const off = Math.max(...gaps.map(Math.abs));
  const all = vector.options === undefined || vector.options.length === options.length;
  if (!(off <= Number(within)) || !all || !same(best, vector.best)) wrong.push({ vector, answer });
  else worst = Math.max(worst, off);
  if (vector.move !== undefined && !same(game.bestMove(vector.position), vector.move)) {
    wrong.push({ vector, answer });
  }
}
times.sort((a, b) => a - b);
const median_ms = times[times.length >> 1];
const checked = vectors.length;
console.log(JSON.stringify({ checked, wrong: wrong.slice(0, 3), worst, median_ms }));
process.exitCode = wrong.length || !vectors.length ? 1 : 0;
