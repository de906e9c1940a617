/**
 * What can be wrong with a question, told in one line, and reading JSON so that nothing passes.
 *
 * Kinds and words are those of Python: every error names the thing, what was expected and what
 * was found; `kind` is a stable word for programs.
 */

/** What a user can mend. */
export class UstadError extends Error {
  /**
   * @param {string} kind
   * @param {string} message
   */
  constructor(kind, message) {
    super(message.replace(/\s+/g, " ").trim()); // one line, whatever it tells of
    this.name = "UstadError";
    this.kind = kind;
  }
}

/** @typedef {Record<string, unknown>} JsonObject */

/**
 * @param {unknown} value
 * @returns {value is JsonObject}
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
 * Tell whether an object has a key of its own.
 *
 * @param {object} object
 * @param {string} key
 */
export const has = (object, key) => Object.prototype.hasOwnProperty.call(object, key);

const SHOWN = 60;

/**
 * Return a value as short one-line JSON, for an error message, as Python writes it.
 *
 * @param {unknown} value
 */
export function shown(value) {
  let text;
  try {
    text = jsonText(value, SHOWN + 1);
  } catch {
    text = `'${typeof value}'`; // a getter or a proxy that throws
  }
  const letters = Array.from(text.slice(0, 4 * SHOWN));
  return letters.length > SHOWN ? `${letters.slice(0, SHOWN - 3).join("")}...` : letters.join("");
}

/**
 * Return a value as JSON with a space after commas and colons; cut off when it gets long.
 *
 * @param {unknown} value
 * @param {number} room how many characters are wanted.
 * @returns {string}
 */
function jsonText(value, room) {
  if (typeof value === "string") return JSON.stringify(value.slice(0, room));
  if (typeof value === "number") return numberText(value);
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value !== "object" || value === null) return `'${typeof value}'`;
  const list = Array.isArray(value);
  let text = list ? "[" : "{";
  let first = true;
  for (const key of list ? value.keys() : Object.keys(value)) {
    if (text.length > room) return text;
    if (!first) text += ", ";
    first = false;
    if (!list) text += `${JSON.stringify(String(key).slice(0, room))}: `;
    text += jsonText(/** @type {JsonObject} */ (value)[key], room - text.length);
  }
  return text + (list ? "]" : "}");
}

/** @param {number} value */
function numberText(value) {
  if (Object.is(value, -0)) return "-0.0";
  return String(value).replace(/e([+-])(\d)$/, "e$10$2"); // Python's exponents have two digits
}

const DEEPEST = 100;
const MOST_ITEMS = 1_000_000;

/**
 * Return a copy of what a caller gave, read once: plain objects without a prototype, lists and
 * values of JSON.  Getters, prototypes and later changes are of no consequence.
 *
 * @param {unknown} given
 * @param {string} name what error messages call it.
 * @returns {unknown}
 */
export function plain(given, name) {
  let items = 0;
  /** @type {(value: unknown, depth: number) => unknown} */
  const copy = (value, depth) => {
    items += 1;
    if (depth > DEEPEST) throw new UstadError("json", `${name}: nested too deep`);
    if (items > MOST_ITEMS) throw new UstadError("json", `${name}: too much of it`);
    if (value === null || typeof value === "string" || typeof value === "boolean") return value;
    if (typeof value === "number") {
      if (Number.isFinite(value)) return value;
      throw new UstadError("json", `${name}: ${value} is no finite number`);
    }
    if (typeof value !== "object") {
      throw new UstadError("json", `${name}: expected JSON, got a value of type ${typeof value}`);
    }
    if (Array.isArray(value)) {
      if (value.length > MOST_ITEMS) throw new UstadError("json", `${name}: too much of it`);
      return Array.from(value, (item) => copy(item, depth + 1));
    }
    const found = Object.create(null);
    for (const key of Object.keys(value)) {
      const held = /** @type {JsonObject} */ (value)[key];
      if (held !== undefined) found[key] = copy(held, depth + 1);
    }
    return found;
  };
  try {
    return copy(given, 0);
  } catch (error) {
    if (error instanceof UstadError) throw error;
    throw new UstadError("json", `${name}: cannot be read: ${reason(error)}`);
  }
}

/** @param {unknown} error */
export const reason = (error) => (error instanceof Error ? error.message : String(error));

/** One JSON object, read key by key; `done` refuses what was not read. */
export class Fields {
  /**
   * @param {unknown} value
   * @param {string} name what error messages call it.
   * @param {string} kind of the errors.
   */
  constructor(value, name, kind = "position") {
    this.name = name;
    this.kind = kind;
    /** @type {string[]} */
    this.read = [];
    if (!isObject(value)) {
      throw new UstadError(kind, `${name}: expected an object, got ${shown(value)}`);
    }
    this.value = value;
  }

  /**
   * Refuse what a key holds.
   *
   * @param {string} key
   * @param {string} expected
   * @param {unknown} got
   * @returns {never}
   */
  fail(key, expected, got) {
    throw new UstadError(
      this.kind,
      `${this.name}: ${key}: expected ${expected}, got ${shown(got)}`,
    );
  }

  /**
   * Return the value of a key; without a fallback the key must be there.
   *
   * @param {string} key
   * @param {unknown} [fallback]
   */
  take(key, fallback) {
    this.read.push(key);
    if (has(this.value, key)) return this.value[key];
    if (fallback === undefined) {
      throw new UstadError(this.kind, `${this.name}: the key ${shown(key)} is missing`);
    }
    return fallback;
  }

  /**
   * Return a whole number of a range.
   *
   * @param {string} key
   * @param {number} low
   * @param {number} high
   * @param {number} [fallback]
   * @returns {number}
   */
  integer(key, low, high, fallback) {
    const value = this.take(key, fallback);
    if (!isWhole(value, low, high)) {
      this.fail(key, low === high ? `${low}` : `a whole number from ${low} to ${high}`, value);
    }
    return value;
  }

  /**
   * Return one of some words.
   *
   * @param {string} key
   * @param {string[]} choices
   * @returns {string}
   */
  oneOf(key, choices) {
    const value = this.take(key);
    if (typeof value !== "string" || !choices.includes(value)) {
      this.fail(key, `one of ${choices.join(", ")}`, value);
    }
    return value;
  }

  /** Refuse the keys that nobody read. */
  done() {
    const key = Object.keys(this.value).find((one) => !this.read.includes(one));
    if (key === undefined) return;
    const expected = [...this.read].sort().join(", ");
    throw new UstadError(
      this.kind,
      `${this.name}: unknown key ${shown(key)}, expected ${expected}`,
    );
  }
}

/**
 * An option of a game's rules as the package tells it: what it may be.
 *
 * @typedef {object} Option
 * @property {string} name
 * @property {unknown} default
 * @property {unknown[]} choices
 * @property {number} [low] a whole number from here
 * @property {number} [high] to here
 */

/**
 * Return a full option set, defaults filled in.
 *
 * @param {Option[]} options
 * @param {unknown} given
 */
export function readOptions(options, given) {
  const fields = new Fields(given, "options", "option");
  /** @type {JsonObject} */
  const found = {};
  for (const option of options) {
    const value = fields.take(option.name, option.default);
    if (!mayBe(option, value)) {
      const told = `option ${option.name}: expected ${inWords(option)}, got ${shown(value)}`;
      throw new UstadError("option", told);
    }
    found[option.name] = value;
  }
  fields.done();
  return found;
}

/**
 * @param {Option} option
 * @param {unknown} value
 */
function mayBe({ choices, low, high }, value) {
  return (
    choices.includes(value) || (low !== undefined && isWhole(value, low, high ?? Infinity))
  );
}

/** @param {Option} option */
function inWords({ choices, low, high }) {
  if (low === undefined) {
    return `one of ${choices.map((choice) => shown(choice).replace(/^"|"$/g, "")).join(", ")}`;
  }
  const others = choices.map((choice) => ` or ${shown(choice)}`).join("");
  return `a whole number from ${low} to ${high}${others}`;
}
