// Asks the reader of an export about positions, most of which cannot be.
//
//     node positions.mjs FOLDER POSITIONS [LEVEL]
//
// POSITIONS is a file with one position a line, in JavaScript, JSON or more.  Prints the error of
// each, or "answered", a line each, and fails if one fails otherwise.

import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [folder, file, level] = process.argv.slice(2);
const at = (name) => path.resolve(folder, name);
const text = fs.readFileSync(at("manifest.json"), "utf8");
const manifest = JSON.parse(text);
const { open, ExportError } = await import(pathToFileURL(at(Object.keys(manifest.reader)[0])));
const game = open(text, ...Object.keys(manifest.files).map((name) => fs.readFileSync(at(name))));
for (const line of fs.readFileSync(file, "utf8").trim().split("\n")) {
  try {
    game.ask(eval(`(${line})`), level);
  } catch (error) {
    if (!(error instanceof ExportError)) throw error;
    console.log(`${error.kind}: ${error.message}`);
    continue;
  }
  console.log("answered");
}
