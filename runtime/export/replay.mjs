// Answers the test vectors of an export with the readers beside this script.
//
//     node replay.mjs FOLDER MODULE
//
// Prints {"wrong"}: null, or in words what the first vector is that is answered otherwise.  The
// best moves must be the same in the same order, and the value within 1e-9.

import fs from "node:fs";
import path from "node:path";

const [folder, module] = process.argv.slice(2);
const text = fs.readFileSync(path.join(folder, "manifest.json"), "utf8");
const manifest = JSON.parse(text);
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

const wrong = async () => {
  const { open } = await import(`./${module}`);
  const held = Object.keys(manifest.files).map((name) => fs.readFileSync(path.join(folder, name)));
  const game = open(text, ...held);
  if (typeof game.ask !== "function") return null; // numbers alone, nothing that answers
  for (const [number, vector] of manifest.vectors.entries()) {
    const { best, value } = game.ask(vector.position, vector.level);
    const near = Math.abs(value - vector.read) <= 1e-9;
    if (!near || !same(best, vector.best)) return `vector ${number}: ${JSON.stringify(best)}`;
  }
  return null;
};

let found;
try {
  found = await wrong();
} catch (error) {
  found = `${error.name}: ${error.message}`;
}
console.log(JSON.stringify({ wrong: found === null ? null : found.slice(0, 200) }));
