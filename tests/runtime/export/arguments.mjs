// Opens an export with arguments of a wrong kind, and manifests that were changed on their way.
//
//     node arguments.mjs FOLDER
//
// Prints the message of each, by name; "opened" where it is none.

import { runInNewContext } from "node:vm";
import { exported } from "./exported.mjs";

const [folder] = process.argv.slice(2);
const { text, manifest, files, open, ExportError } = await exported(folder);

/** @param {Uint8Array} bytes */
const copied = (bytes) => Uint8Array.from(bytes);
const detached = files.map(copied);
structuredClone(detached[0], { transfer: [detached[0].buffer] });
/** @type {Record<string, [unknown, ...unknown[]]>} */
const cases = {
  sound: [text, ...files],
  "without TextEncoder": [manifest, ...files],
  "a buffer of another frame": [
    text,
    ...files.map((bytes) => {
      const other = runInNewContext(`new ArrayBuffer(${bytes.length})`);
      new Uint8Array(other).set(bytes);
      return other;
    }),
  ],
  "a Buffer for the manifest": [Buffer.from(text), ...files],
  "an ArrayBuffer for the manifest": [copied(Buffer.from(text)).buffer, ...files],
  "a detached view": [text, ...detached],
  "a detached buffer": [text, detached[0].buffer, ...files.slice(1)],
  "a text for a file": [text, "text", ...files.slice(1)],
  "nothing for a file": [text],
  "line ends": [text.replaceAll("\n", "\r\n"), ...files],
  "a byte-order mark": [`\u{feff}${text}`, ...files],
  "another space": [text.replace(": ", ":  "), ...files],
};
const { TextEncoder, TextDecoder } = globalThis;
/** @type {Record<string, string>} */
const told = {};
for (const [name, given] of Object.entries(cases)) {
  if (name === "without TextEncoder") Object.assign(globalThis, { TextEncoder: undefined, TextDecoder: undefined });
  try {
    open(...given);
    told[name] = "opened";
  } catch (error) {
    if (!(error instanceof ExportError)) throw error;
    told[name] = error.message;
  }
  Object.assign(globalThis, { TextEncoder, TextDecoder });
}
console.log(JSON.stringify(told));
