// Asks the reader of an export about positions, most of which cannot be.
//
//     node positions.mjs FOLDER POSITIONS [LEVEL]
//
// POSITIONS is a file with one position a line, in JavaScript, JSON or more.  Prints the error of
// each, or "answered", a line each, and fails if one fails otherwise.

import fs from "node:fs";

import { exported } from "./exported.mjs";

const [folder, file, level] = process.argv.slice(2);
const { text, files, open, ExportError } = await exported(folder);
const game = open(text, ...files);
for (const line of fs.readFileSync(file, "utf8").trim().split("\n")) {
  try {
    // eslint-disable-next-line no-eval -- the lines are the test's own
    game.ask(eval(`(${line})`), level);
  } catch (error) {
    if (!(error instanceof ExportError)) throw error;
    console.log(`${error.kind}: ${error.message}`);
    continue;
  }
  console.log("answered");
}
