/**
 * Opens an export: checks every byte of it and finds its arrays.
 *
 * An export is a manifest (JSON) and binary files.  An array of the manifest says in which
 * file its numbers lie, from which byte, of which type and shape; with `scale` and `offset`
 * the number q stands for offset + scale * q; with `differences` the file holds, of uint16
 * numbers, what each is more than the one before it along the first axis, low bytes first.
 * The manifest holds the SHA-256 of each file
 * and, as `sha256`, its own: over JSON.stringify of itself without that key.  Given as text it
 * must be, character for character, what was written.
 */

export const FORMAT = "ustad export";
export const FORMAT_VERSION = 1;

/**
 * What readers use of a manifest; a game's own keys are said where they are read.
 *
 * @typedef {object} Manifest
 * @property {string} game
 * @property {Record<string, unknown>} options of the table
 * @property {Record<string, unknown>} option_defaults of positions
 * @property {Record<string, Unit>} levels the unit of each level's values
 * @property {Record<string, FileFacts>} reader
 * @property {Record<string, FileFacts>} files
 * @property {Record<string, Place>} arrays
 *
 * @typedef {"expected_total" | "win_share" | "margin" | "net"} Unit
 * @typedef {{ bytes: number, sha256: string }} FileFacts
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

/** What is wrong with an export or a question; `kind` is a stable word for programs. */
export class ExportError extends Error {
  /**
   * @param {"corrupt_export"|"mismatched_export"|"position"|"option"|"level"|"feature"} kind
   * @param {string} message
   */
  constructor(kind, message) {
    super(message.replace(/\s+/g, " ")); // one line, whatever it tells of
    this.name = "ExportError";
    this.kind = kind;
  }
}

/** @param {string} message */
const corrupt = (message) => new ExportError("corrupt_export", message);

/** @param {unknown} error */
const reason = (error) => (error instanceof Error ? error.message : String(error));

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
    if (error instanceof ExportError) throw error;
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
  const found = typeof manifest === "string" ? parseManifest(manifest) : manifest;
  if (!isObject(found)) throw corrupt("manifest: expected an object");
  if (found.format !== FORMAT || found.format_version !== FORMAT_VERSION) {
    const got = `${shown(found.format)} ${shown(found.format_version)}`;
    throw new ExportError(
      "mismatched_export",
      `manifest: expected ${FORMAT} ${FORMAT_VERSION}, got ${got}`,
    );
  }
  checkDigest(found);
  if (typeof manifest === "string" && manifest !== writtenText(found)) {
    throw corrupt("manifest: it does not stand as it was written");
  }
  // From here on the manifest is, word for word, one that was written.
  const written = /** @type {M} */ (/** @type {unknown} */ (found));
  const readers = Object.keys(written.reader);
  if (!readers.includes(reader)) {
    throw new ExportError(
      "mismatched_export",
      `manifest: an export of ${written.game} is read by ${readers[0]}, not by ${reader}`,
    );
  }
  /** @type {Record<string, Uint8Array>} */
  const buffers = {};
  Object.entries(written.files).forEach(([name, expected], at) => {
    if (files[at] === undefined && at > 0) return;
    buffers[name] = checkedBytes(name, expected, files[at]);
  });
  /** @type {Record<string, Numbers>} */
  const arrays = {};
  let room = Object.values(buffers).reduce((sum, bytes) => sum + bytes.length, 0);
  for (const [name, place] of Object.entries(written.arrays)) {
    if (!Object.keys(buffers).includes(place.file)) continue;
    arrays[name] = arrayAt(name, place, buffers[place.file]);
    room -= arrays[name].byteLength;
    if (room < 0) throw corrupt("manifest: arrays: they are more than the files hold");
  }
  return { manifest: written, arrays };
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
 * Return the text of a manifest as it is written: a line for each key.
 *
 * @param {Record<string, unknown>} manifest
 */
function writtenText(manifest) {
  const lines = Object.entries(manifest).map(
    ([key, held]) => `${JSON.stringify(key)}: ${JSON.stringify(held)}`,
  );
  return `{\n${lines.join(",\n")}\n}\n`;
}

/** @param {Record<string, unknown>} manifest */
function checkDigest(manifest) {
  const { sha256: expected, ...rest } = manifest;
  let text;
  try {
    text = JSON.stringify(rest);
  } catch (error) {
    throw corrupt(`manifest: ${reason(error)}`);
  }
  if (sha256(new TextEncoder().encode(text)) !== expected) {
    throw corrupt("manifest: its digest is wrong: it is not what was written");
  }
}

/**
 * @param {string} name
 * @param {FileFacts} expected
 * @param {unknown} given
 */
function checkedBytes(name, expected, given) {
  let bytes;
  if (given instanceof ArrayBuffer) bytes = new Uint8Array(given);
  else if (ArrayBuffer.isView(given)) {
    bytes = new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
  } else throw corrupt(`${name}: expected an ArrayBuffer or a view of bytes`);
  if (bytes.length !== expected.bytes) {
    throw corrupt(`${name}: expected ${expected.bytes} bytes, got ${bytes.length}`);
  }
  if (sha256(bytes) !== expected.sha256) {
    throw corrupt(`${name}: its digest is wrong: it is not what was written`);
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

// Questions.

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
export const isObject = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Tell whether a value is a whole number in a range.
 *
 * @param {unknown} value
 * @param {number} low
 * @param {number} high
 * @returns {value is number}
 */
export const isWhole = (value, low, high) =>
  typeof value === "number" && Number.isInteger(value) && low <= value && value <= high;

/**
 * Tell whether a value is a list of so many items, none left out, that all hold.
 *
 * @template T
 * @param {unknown} value
 * @param {number} least
 * @param {number} most
 * @param {(item: unknown) => item is T} holds
 * @returns {value is T[]}
 */
export const isList = (value, least, most, holds) =>
  Array.isArray(value) &&
  isWhole(value.length, least, most) &&
  Array.from(value).every((item) => holds(item)); // holes become undefined

/**
 * Return a value as short JSON, for an error message.
 *
 * @param {unknown} value
 */
export function shown(value) {
  /** @type {string} */
  let text = typeof value;
  try {
    text = typeof value === "string" ? value : String(JSON.stringify(value));
  } catch {
    // Nested too deep, or in itself: its type says enough.
  }
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/**
 * Refuse a position for what one of its keys holds.
 *
 * @param {string} key
 * @param {string} expected
 * @param {unknown} got
 * @returns {never}
 */
export function refuse(key, expected, got) {
  throw new ExportError("position", `position: ${key}: expected ${expected}, got ${shown(got)}`);
}

/**
 * Check that an object has no keys but the ones that are known.
 *
 * @param {unknown} value
 * @param {string} name
 * @param {string[]} known
 * @returns {asserts value is Record<string, unknown>}
 */
export function checkKeys(value, name, known) {
  if (!isObject(value)) {
    throw new ExportError("position", `${name}: expected an object, got ${shown(value)}`);
  }
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) {
      throw new ExportError(
        "position",
        `${name}: unknown key ${shown(key)}, expected ${known.join(", ")}`,
      );
    }
  }
}

/**
 * Check that a position is of the game and options of an export, options left out by default.
 *
 * @param {Manifest} manifest
 * @param {Record<string, unknown>} position
 */
export function checkGame(manifest, position) {
  if (position.game !== manifest.game) refuse("game", manifest.game, position.game);
  const { options: given = {} } = position;
  checkKeys(given, "options", Object.keys(manifest.option_defaults));
  const options = { ...manifest.option_defaults, ...given };
  for (const [name, value] of Object.entries(options)) {
    if (name in manifest.options && value !== manifest.options[name]) {
      throw new ExportError(
        "option",
        `option ${name}: this export is of ${shown(manifest.options[name])}, got ${shown(value)}`,
      );
    }
  }
}

/**
 * Return the unit of a level's values, after checking that an export plays this level.
 *
 * @param {Manifest} manifest
 * @param {string} level
 */
export function unitOf(manifest, level) {
  const { levels } = manifest;
  const known = Object.keys(levels);
  if (!known.includes(level)) {
    const expected = known.join(" or ");
    throw new ExportError("level", `level: this export plays ${expected}, got ${shown(level)}`);
  }
  return levels[level];
}

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

// SHA-256 (FIPS 180-4), so that opening is synchronous and needs no secure context.

const ROUND = new Uint32Array(64);
const START = new Uint32Array(8);
{
  /** @type {number[]} */
  const primes = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p)) primes.push(n);
  /** @param {number} x */
  const fraction = (x) => Math.floor((x - Math.floor(x)) * 2 ** 32);
  primes.forEach((p, i) => {
    ROUND[i] = fraction(Math.cbrt(p));
    if (i < 8) START[i] = fraction(Math.sqrt(p));
  });
}

/**
 * Return the SHA-256 of bytes, in hexadecimal.
 *
 * @param {Uint8Array} bytes
 */
export function sha256(bytes) {
  const state = START.slice();
  const words = new Uint32Array(64);
  const block = new DataView(new ArrayBuffer(64));
  const whole = bytes.length - (bytes.length % 64);
  const input = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < whole; at += 64) digestBlock(state, words, input, at);
  let used = 0;
  for (let at = whole; at < bytes.length; at++) block.setUint8(used++, bytes[at]);
  block.setUint8(used++, 0x80);
  if (used > 56) {
    for (; used < 64; used++) block.setUint8(used, 0);
    digestBlock(state, words, block, 0);
    used = 0;
  }
  for (; used < 56; used++) block.setUint8(used, 0);
  block.setUint32(56, Math.floor(bytes.length / 2 ** 29));
  block.setUint32(60, (bytes.length << 3) >>> 0);
  digestBlock(state, words, block, 0);
  return [...state].map((word) => word.toString(16).padStart(8, "0")).join("");
}

/**
 * @param {Uint32Array} state changed by the block
 * @param {Uint32Array} words 64 of room
 * @param {DataView} view
 * @param {number} at where the block begins
 */
function digestBlock(state, words, view, at) {
  for (let i = 0; i < 16; i++) words[i] = view.getUint32(at + 4 * i);
  for (let i = 16; i < 64; i++) {
    const x = words[i - 15];
    const y = words[i - 2];
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    words[i] = words[i - 16] + s0 + words[i - 7] + s1;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUND[i] + words[i]) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}
