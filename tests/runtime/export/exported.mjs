// What the scripts of this folder share: the files of an export, and its reader.

import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

/** @import { Answer, ExportError, FileFacts, Place } from "./export.js" */

/**
 * @typedef {object} Vector
 * @property {unknown} position
 * @property {string} [level]
 * @property {object[]} best
 * @property {number} read
 * @property {string} [unit]
 * @property {[object, number, number?][]} [options] moves, values and expected totals
 * @property {Record<string, unknown>} [beside]
 * @property {object} [move]
 *
 * @typedef {object} Manifest
 * @property {Record<string, FileFacts>} reader
 * @property {Record<string, FileFacts>} files
 * @property {Record<string, Place>} arrays
 * @property {object} proof
 * @property {Vector[]} vectors
 * @property {string} [sha256]
 *
 * @typedef {{ move: object, value: number, expected_total: number }} Option
 *
 * @typedef {object} Game
 * @property {(position: unknown, level?: string) => Answer<Option> & Record<string, unknown>} ask
 * @property {(position: unknown) => object | null} bestMove
 * @property {Map<string, number>} [numbers] of Marriage, which answers nothing
 *
 * @typedef {object} Reader
 * @property {(manifest: unknown, ...files: unknown[]) => Game} open
 * @property {typeof ExportError} ExportError
 */

/**
 * Return the manifest of an export as text and parsed, its other files, and its reader.
 *
 * @param {string} folder
 */
export async function exported(folder) {
  /** @param {string} name */
  const at = (name) => path.resolve(folder, name);
  const text = fs.readFileSync(at("manifest.json"), "utf8");
  /** @type {Manifest} */
  const manifest = JSON.parse(text);
  const files = Object.keys(manifest.files).map((name) => fs.readFileSync(at(name)));
  /** @type {Reader} */
  const reader = await import(pathToFileURL(at(Object.keys(manifest.reader)[0])).href);
  return { text, manifest, files, open: reader.open, ExportError: reader.ExportError };
}
