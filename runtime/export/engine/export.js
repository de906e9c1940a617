/**
 * Opens an export: checks every byte of it and finds its arrays.
 *
 * An export is a manifest (JSON) and binary files.  An array of the manifest says in which
 * file its numbers lie, from which byte, of which type and shape; with `scale` and `offset`
 * the number q stands for offset + scale * q; with `differences` the file holds, of uint16
 * numbers, what each is more than the one before it along the first axis, low bytes first.
 * The manifest holds the SHA-256 of each file
 * and, as its last key `sha256`, its own: over its bytes up to the comma before that key.
 */

import { fromUtf8, sha256, utf8 } from "./digest.js";
import { isObject, isWhole, reason, shown, UstadError } from "./errors.js";

/** @import { Option } from "./errors.js" */

export { UstadError, UstadError as ExportError } from "./errors.js";

export const FORMAT = "ustad export";
export const FORMAT_VERSION = 2;

/**
 * What readers use of a manifest; a game's own keys are said where they are read.
 *
 * @typedef {object} Manifest
 * @property {string} version of ustad, which wrote it
 * @property {number} index_version of how states are numbered
 * @property {string} game
 * @property {Record<string, unknown>} options of the table
 * @property {Record<string, unknown>} option_defaults of positions
 * @property {Record<string, Unit>} levels the unit of the values of each level that has any
 * @property {RulesFacts} rules what every game tells of its rules
 * @property {Record<string, FileFacts>} reader
 * @property {Record<string, FileFacts>} files
 * @property {Record<string, Place>} arrays
 *
 * @typedef {object} RulesFacts
 * @property {[number, number, number]} players least, most, and how many where nobody says
 * @property {Option[]} options of a new game
 *
 * @typedef {"expected_total" | "win_share" | "margin" | "net"} Unit
 * @typedef {{ bytes: number, sha256: string, sums: number[] }} FileFacts
 *
 * @typedef {object} Place where an array lies
 * @property {string} file
 * @property {string} dtype
 * @property {number[]} shape
 * @property {number} at
 * @property {number} [scale]
 * @property {number} [offset]
 * @property {boolean} [differences]
 *
 * @typedef {Place & { scale: number, offset: number }} Rounded
 * @typedef {Uint8Array | Uint16Array | Uint32Array} Unsigned
 * @typedef {Unsigned | Int8Array | Int16Array | Int32Array | Float64Array} Numbers
 */

/**
 * An export, all checked.
 *
 * @template {Manifest} M
 * @typedef {{ manifest: M, arrays: Record<string, Numbers> }} Opened
 */

/**
 * What `ask` answers, options best first.
 *
 * @template {{ move: unknown, value: number }} Option
 * @typedef {{ best: Option["move"][], value: number, unit: Unit, options: Option[] }} Answer
 */

const LARGEST_MANIFEST = 4_000_000;
const BYTE_ORDER_MARK = "\u{feff}";

/**
 * @typedef {new (buffer: ArrayBufferLike, at?: number, length?: number) => Numbers} NumbersType
 * @type {Record<string, NumbersType & { BYTES_PER_ELEMENT: number }>}
 */
const TYPES = {
  uint8: Uint8Array,
  int8: Int8Array,
  uint16: Uint16Array,
  int16: Int16Array,
  uint32: Uint32Array,
  int32: Int32Array,
  float64: Float64Array,
};

/** @param {string} message */
const corrupt = (message) => new UstadError("corrupt_export", message);

/**
 * Return what a function makes of a manifest; what it cannot use is a corrupt export.
 *
 * @template T
 * @param {() => T} make
 */
export function opened(make) {
  try {
    return make();
  } catch (error) {
    if (error instanceof UstadError) throw error;
    throw corrupt(`manifest: it is not what an exporter writes: ${reason(error)}`);
  }
}

/**
 * Return the manifest that a text holds; `openExport` checks it.
 *
 * @param {unknown} text
 * @returns {unknown}
 */
export function parseManifest(text) {
  if (typeof text !== "string" || text.length > LARGEST_MANIFEST) {
    throw corrupt(`manifest: expected a text of at most ${LARGEST_MANIFEST} characters`);
  }
  if (text.startsWith(BYTE_ORDER_MARK)) {
    throw corrupt("manifest: it begins with a byte-order mark, which was not written");
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw corrupt(`manifest: not JSON: ${reason(error)}`);
  }
}

/**
 * Return the manifest and its arrays by name, all checked.
 *
 * @template {Manifest} M what this reader's manifests are.
 * @param {unknown} manifest the object, or its text.
 * @param {string} reader the module that reads such exports.
 * @param {unknown[]} files ArrayBuffers or views of bytes in the order of the manifest's `files`;
 *   of those after the first some may be left out, and their arrays with them.
 * @returns {Opened<M>}
 */
export function openExport(manifest, reader, ...files) {
  if (isBuffer(manifest) || ArrayBuffer.isView(manifest)) {
    throw corrupt("manifest: expected its text, or the object that it holds, got bytes");
  }
  const found = typeof manifest === "string" ? parseManifest(manifest) : manifest;
  mustBeManifest(found, "manifest");
  const whole = utf8(typeof manifest === "string" ? manifest : writtenText(found));
  mustBeSealed(whole, sha256(digested(whole)), "manifest");
  // From here on the manifest is, word for word, one that was written.
  const written = /** @type {M} */ (/** @type {unknown} */ (found));
  const readers = Object.keys(written.reader);
  if (!readers.includes(reader)) {
    throw new UstadError(
      "mismatched_export",
      `manifest: an export of ${written.game} is read by ${readers[0]}, not by ${reader}`,
    );
  }
  /** @type {Record<string, Uint8Array>} */
  const buffers = {};
  Object.entries(written.files).forEach(([name, expected], at) => {
    if (files[at] === undefined && at > 0) return;
    const bytes = sizedBytes(name, expected, files[at]);
    if (sha256(bytes) !== expected.sha256) throw wrongFile(name);
    buffers[name] = bytes;
  });
  return arraysIn(written, buffers);
}

/**
 * Return a manifest from its bytes.
 *
 * @param {unknown} given
 * @param {string} name
 * @param {boolean} check its digest, and that it stands as it was written.
 * @returns {Promise<Record<string, unknown>>}
 */
export async function openManifest(given, name, check) {
  const bytes = bytesOf(given, name);
  const found = parseManifest(fromUtf8(bytes));
  mustBeManifest(found, name);
  if (check) mustBeSealed(bytes, await digestOf(digested(bytes)), name);
  return found;
}

/**
 * Return an export whose manifest is known and whose files were read.
 *
 * @template {Manifest} M
 * @param {M} manifest
 * @param {Record<string, unknown>} files
 * @param {boolean} check the digests of the files.
 * @returns {Promise<Opened<M>>}
 */
export async function openBytes(manifest, files, check) {
  /** @type {Record<string, Uint8Array>} */
  const buffers = {};
  for (const [name, expected] of Object.entries(manifest.files)) {
    const bytes = sizedBytes(name, expected, files[name]);
    if (check && !(await isWritten(bytes, expected))) throw wrongFile(name);
    buffers[name] = bytes;
  }
  return opened(() => arraysIn(manifest, buffers));
}

/**
 * Return the SHA-256 of bytes, by `crypto` where it is.
 *
 * @param {Uint8Array} bytes
 */
async function digestOf(bytes) {
  const { subtle } = /** @type {{ crypto?: any }} */ (globalThis).crypto ?? {};
  if (!subtle) return sha256(bytes);
  const found = new Uint8Array(await subtle.digest("SHA-256", /** @type {any} */ (bytes)));
  return [...found].map((byte) => (byte + 256).toString(16).slice(1)).join("");
}

/**
 * Tell whether a file is what was written: by its digest where `crypto` is, else by two sums of
 * its words, which take a small part of the time of a digest.
 *
 * @param {Uint8Array} bytes
 * @param {FileFacts} expected
 */
async function isWritten(bytes, { sha256: digest, sums }) {
  const { subtle } = /** @type {{ crypto?: any }} */ (globalThis).crypto ?? {};
  if (subtle) return (await digestOf(bytes)) === digest;
  return wordSums(bytes).join() === sums.join();
}

/**
 * Return two sums of 32-bit words, little-endian, zeros filled in: s = s * factor + word.
 *
 * @param {Uint8Array} bytes
 */
function wordSums(bytes) {
  let one = 0;
  let other = 0;
  let at = 0;
  if (LITTLE_ENDIAN && bytes.byteOffset % 4 === 0) {
    const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
    at = 4 * words.length;
    for (let i = 0; i < words.length; i++) {
      one = (Math.imul(one, 0x01000193) + words[i]) | 0;
      other = (Math.imul(other, 0x85ebca6b) + words[i]) | 0;
    }
  }
  for (; at < bytes.length; at += 4) {
    // Beyond the end there is nothing, which counts as 0.
    const word =
      bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
    one = (Math.imul(one, 0x01000193) + word) | 0;
    other = (Math.imul(other, 0x85ebca6b) + word) | 0;
  }
  return [one >>> 0, other >>> 0];
}

/**
 * Return the arrays of a manifest.
 *
 * @template {Manifest} M
 * @param {M} manifest
 * @param {Record<string, Uint8Array>} buffers of its files
 * @returns {Opened<M>}
 */
function arraysIn(manifest, buffers) {
  /** @type {Record<string, Numbers>} */
  const arrays = {};
  let room = Object.values(buffers).reduce((sum, bytes) => sum + bytes.length, 0);
  for (const [name, place] of Object.entries(manifest.arrays)) {
    if (!Object.keys(buffers).includes(place.file)) continue;
    arrays[name] = arrayAt(name, place, buffers[place.file]);
    room -= arrays[name].byteLength;
    if (room < 0) throw corrupt("manifest: arrays: they are more than the files hold");
  }
  return { manifest, arrays };
}

/**
 * Refuse a manifest that says of its game what its arrays do not bear out.
 *
 * @param {boolean} holds
 * @param {string} what
 */
export function mustHold(holds, what) {
  if (!holds) throw corrupt(`manifest: ${what}`);
}

/**
 * Refuse a table whose states are numbered in another way than an engine does it.
 *
 * @param {Manifest} manifest
 * @param {number} known the version of the numbering that the engine knows.
 */
export function mustNumberStates({ index_version: found, version }, known) {
  if (found === known) return;
  throw otherVersion("manifest", `states numbered by version ${known}`, shown(found), {
    newer: isWhole(found, known + 1, Infinity),
    version,
  });
}

/**
 * Return the error on data of another version than an engine reads, which says what to update.
 *
 * @param {string} name
 * @param {string} expected
 * @param {string} got
 * @param {{ newer: boolean, version: unknown }} written whether the data are newer than the
 *   engine, and the version of ustad that wrote them.
 */
function otherVersion(name, expected, got, { newer, version }) {
  const by = typeof version === "string" ? `, written by ustad ${version}` : "";
  const mend = newer
    ? "the engine is older than its data: update the engine"
    : "the data are older than the engine: export them anew";
  const told = `${name}: expected ${expected}, got ${got}${by}: ${mend}`;
  return new UstadError("mismatched_export", told);
}

/**
 * Return the text of a manifest as it is written: a line for each key.
 *
 * @param {Record<string, unknown>} manifest
 */
function writtenText(manifest) {
  try {
    const lines = Object.entries(manifest).map(
      ([key, held]) => `${JSON.stringify(key)}: ${JSON.stringify(held)}`,
    );
    return `{\n${lines.join(",\n")}\n}\n`;
  } catch (error) {
    throw corrupt(`manifest: ${reason(error)}`);
  }
}

/**
 * Return the end of a manifest, all that its digest is not over.
 *
 * @param {string} digest
 */
const sealOf = (digest) => utf8(`,\n"sha256": "${digest}"\n}\n`);

const SEAL_LENGTH = sealOf("0".repeat(64)).length;

/**
 * Return what the digest of a manifest is over.
 *
 * @param {Uint8Array} bytes
 */
const digested = (bytes) => bytes.subarray(0, Math.max(0, bytes.length - SEAL_LENGTH));

/**
 * Refuse a manifest that does not end in its digest.
 *
 * @param {Uint8Array} bytes
 * @param {string} digest what it is.
 * @param {string} name
 */
function mustBeSealed(bytes, digest, name) {
  if (sealOf(digest).join() === bytes.subarray(-SEAL_LENGTH).join()) return;
  const why = bytes.includes(13)
    ? "its line ends were changed; copy it as bytes"
    : "it is not what was written";
  throw corrupt(`${name}: its digest is wrong: ${why}`);
}

/** @param {string} name */
const wrongFile = (name) => corrupt(`${name}: its digest is wrong: it is not what was written`);

/**
 * Refuse what is no manifest of this format.
 *
 * @param {unknown} found
 * @param {string} name
 * @returns {asserts found is Record<string, unknown>}
 */
function mustBeManifest(found, name) {
  if (!isObject(found)) throw corrupt(`${name}: expected an object`);
  const { format, format_version: number, version } = found;
  if (format === FORMAT && number === FORMAT_VERSION) return;
  const got = `${shown(format)} ${shown(number)}`;
  throw otherVersion(name, `${FORMAT} ${FORMAT_VERSION}`, got, {
    newer: isWhole(number, FORMAT_VERSION + 1, Infinity),
    version,
  });
}

/**
 * @param {unknown} given
 * @param {string} name
 */
function bytesOf(given, name) {
  try {
    if (isBuffer(given)) return new Uint8Array(given);
    if (ArrayBuffer.isView(given)) {
      return new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
    }
  } catch {
    throw corrupt(`${name}: its bytes are gone: the buffer was handed on (detached)`);
  }
  throw corrupt(`${name}: expected an ArrayBuffer or a view of bytes, got ${shown(given)}`);
}

/**
 * Tell whether a value is a buffer of bytes, one of another frame or worker too.
 *
 * @param {unknown} value
 * @returns {value is ArrayBuffer}
 */
const isBuffer = (value) =>
  /^\[object (Shared)?ArrayBuffer\]$/.test(Object.prototype.toString.call(value));

/**
 * @param {string} name
 * @param {FileFacts} expected
 * @param {unknown} given
 */
function sizedBytes(name, expected, given) {
  const bytes = bytesOf(given, name);
  if (bytes.length !== expected.bytes) {
    throw corrupt(`${name}: expected ${expected.bytes} bytes, got ${bytes.length}`);
  }
  return bytes;
}

const LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/**
 * @param {string} name
 * @param {Place} place
 * @param {Uint8Array} bytes
 * @returns {Numbers}
 */
function arrayAt(name, place, bytes) {
  const Type = TYPES[place.dtype];
  if (!Object.keys(TYPES).includes(place.dtype)) {
    throw corrupt(`manifest: arrays: ${name}: dtype ${shown(place.dtype)}`);
  }
  if (!place.shape.every((side) => isWhole(side, 0, bytes.length))) {
    throw corrupt(`manifest: arrays: ${name}: shape ${shown(place.shape)}`);
  }
  const length = place.shape.reduce((product, side) => product * side, 1);
  const size = length * Type.BYTES_PER_ELEMENT;
  if (!isWhole(place.at, 0, bytes.length) || !(place.at + size <= bytes.length)) {
    throw corrupt(`manifest: arrays: ${name}: it lies outside of its file`);
  }
  if (place.differences) {
    if (Type !== Uint16Array || length === 0) {
      throw corrupt(`manifest: arrays: ${name}: differences of ${place.dtype}`);
    }
    const step = length / place.shape[0];
    return fromDifferences(bytes.subarray(place.at, place.at + size), length, step);
  }
  const start = bytes.byteOffset + place.at;
  if (LITTLE_ENDIAN && start % Type.BYTES_PER_ELEMENT === 0) {
    return new Type(bytes.buffer, start, length);
  }
  const copy = bytes.slice(place.at, place.at + size);
  if (!LITTLE_ENDIAN && Type.BYTES_PER_ELEMENT > 1) {
    for (let at = 0; at < size; at += Type.BYTES_PER_ELEMENT) {
      copy.subarray(at, at + Type.BYTES_PER_ELEMENT).reverse();
    }
  }
  return new Type(copy.buffer);
}

/**
 * Return numbers of 16 bits from differences, each from the number `step` places before it.
 *
 * @param {Uint8Array} bytes
 * @param {number} length
 * @param {number} step
 */
function fromDifferences(bytes, length, step) {
  const found = new Uint16Array(length);
  for (let at = 0; at < length; at++) {
    const before = at < step ? 0 : found[at - step];
    found[at] = before + bytes[at] + 256 * bytes[length + at]; // modulo 2 ** 16
  }
  return found;
}

// Answers.

/** Moves whose values differ by no more are equally good. */
export const TIE = 1e-9;

/**
 * Return moves and values, best first.  What is tied with the best has its value, and keeps
 * its own order.
 *
 * @template {{ move: unknown, value: number }} Option
 * @param {Option[]} options
 * @param {Unit} unit
 * @returns {Answer<Option>}
 */
export function ranked(options, unit) {
  const value = Math.max(...options.map((option) => option.value));
  const sorted = options
    .map((option) => (option.value >= value - TIE ? { ...option, value } : option))
    .sort((a, b) => b.value - a.value);
  const best = sorted.filter((option) => option.value === value).map(({ move }) => move);
  return { best, value, unit, options: sorted };
}
