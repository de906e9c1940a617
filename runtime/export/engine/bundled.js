/** Files of a package that lie in a module, as base64, for bundlers that take no other files. */

import { has, shown, UstadError } from "./errors.js";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const CODES = new Uint8Array(128);
for (let at = 0; at < LETTERS.length; at++) CODES[LETTERS.charCodeAt(at)] = at;

/**
 * Return what gives the bytes of files by their paths, as `open` takes it.
 *
 * @param {Record<string, string>} files in base64
 */
export const reader = (files) => (/** @type {string} */ name) => {
  if (has(files, name)) return fromBase64(files[name]);
  const known = Object.keys(files).map((one) => one.split("/")[1]);
  throw new UstadError("usage", `read: this module has files of ${known[0]}, not ${shown(name)}`);
};

/**
 * Return the bytes of a text in base64, which was written with `=` at its end.
 *
 * @param {string} text
 */
function fromBase64(text) {
  const missing = text.endsWith("==") ? 2 : Number(text.endsWith("="));
  const bytes = new Uint8Array((text.length / 4) * 3 - missing);
  /** @param {number} at */
  const code = (at) => CODES[text.charCodeAt(at)];
  for (let at = 0, to = 0; at < text.length; at += 4) {
    const bits = (code(at) << 18) | (code(at + 1) << 12) | (code(at + 2) << 6) | code(at + 3);
    bytes[to++] = bits >> 16;
    bytes[to++] = bits >> 8; // what lies beyond the end is dropped
    bytes[to++] = bits;
  }
  return bytes;
}
