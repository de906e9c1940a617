// Opens damaged copies of an export: each must be refused with an ExportError.
//
//     node damage.mjs FOLDER COUNT
//
// Prints {"refused": {kind: count}}; fails if a damaged copy opens or fails otherwise.

import { exported } from "./exported.mjs";

/** @import { Manifest } from "./exported.mjs" */

const [folder, count] = process.argv.slice(2);
const { text, manifest, files, open, ExportError } = await exported(folder);

// A small generator (xorshift), so that a failure comes again.
let seed = 88172645;
/** @param {number} n */
const below = (n) => {
  seed ^= seed << 13;
  seed ^= seed >>> 17;
  seed ^= seed << 5;
  return (seed >>> 0) % n;
};
/** @param {Uint8Array} bytes */
const flipped = (bytes) => {
  const copy = Uint8Array.from(bytes);
  copy[below(copy.length)] ^= 1 << below(8);
  return copy;
};
/** @param {(copy: Manifest) => void} change */
const sealed = (change) => {
  const copy = JSON.parse(text);
  change(copy);
  return copy;
};
const other = { ...manifest, format_version: 3 };
/** @type {(() => [unknown, ...unknown[]])[]} */
const cases = [
  () => [text, ...files.map((bytes) => bytes.subarray(0, below(bytes.length)))],
  () => [text, ...files.map((bytes) => Buffer.concat([bytes, Buffer.from([0])]))],
  () => [text, ...files.map(flipped)],
  () => [text.slice(0, below(text.length - 2)), ...files],
  () => [sealed((copy) => (copy.arrays.values.shape[0] = 1e10)), ...files],
  () => [sealed((copy) => (copy.arrays.values.at = -8)), ...files],
  () => [sealed((copy) => delete copy.sha256), ...files],
  () => [sealed((copy) => (copy.proof = { largest_cost: NaN })), ...files],
  () => [other, ...files],
  () => ["[".repeat(100_000), ...files],
  () => [`${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`, ...files],
  () => [JSON.parse(`${'{"format":'.repeat(5000)}1${"}".repeat(5000)}`), ...files],
  () => [null, ...files],
  () => [text],
  () => [text, ...files.map(() => "text")],
  () => [" ".repeat(5_000_000), ...files],
];
/** @type {Record<string, number>} */
const refused = {};
for (let i = 0; i < Number(count); i++) {
  try {
    open(...cases[i % cases.length]());
  } catch (error) {
    if (!(error instanceof ExportError)) throw error;
    refused[error.kind] = (refused[error.kind] ?? 0) + 1;
    continue;
  }
  throw new Error(`damage ${i % cases.length} was not noticed`);
}
// What says the same in another text is refused too, and so is any changed character.
for (const rewritten of [
  `${text}\n`,
  text.slice(1).replace("\n", "{"),
  text.replace(": ", ":  "),
  text.replace('"format_version": 2', '"format_version": 2.0e0'),
  text.replace('"format":', '"game": "x",\n"format":'),
  JSON.stringify(manifest),
]) {
  try {
    open(rewritten, ...files);
  } catch (error) {
    if (!(error instanceof ExportError) || error.kind !== "corrupt_export") throw error;
    continue;
  }
  throw new Error(`another text was not noticed: ${rewritten.slice(0, 60)}`);
}
for (let i = 0; i < Number(count); i++) {
  const spot = below(text.length);
  const changed = text.slice(0, spot) + String.fromCharCode(32 + below(90)) + text.slice(spot + 1);
  if (changed === text) continue;
  try {
    open(changed, ...files);
  } catch (error) {
    if (!(error instanceof ExportError)) throw error;
    refused[error.kind] = (refused[error.kind] ?? 0) + 1;
    continue;
  }
  throw new Error(`not noticed: ${spot}`);
}
console.log(JSON.stringify({ refused }));
