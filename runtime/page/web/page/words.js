/** The words of the page in the language that is chosen, and numbers in its digits. */

export const LANGUAGES = { en: "English", ne: "नेपाली", bn: "বাংলা" };

const ZEROS = { en: 0x30, ne: 0x966, bn: 0x9e6 };

/** @type {any} */
let words = { page: {}, core: {} };
let language = "en";

/** Return the language of this page. */
export const current = () => language;

/** Return which language a browser's list of languages asks for. */
export function preferred(list) {
  for (const tag of list) {
    const one = String(tag).slice(0, 2).toLowerCase();
    if (one in LANGUAGES) return one;
    if (one === "hi" || one === "mai") return "ne"; // the script is read there
  }
  return "en";
}

/** Take over the words of a language. */
export async function load(chosen) {
  const answer = await fetch(new URL(`./words.${chosen}.json`, import.meta.url));
  words = await answer.json();
  language = chosen;
  document.documentElement.lang = chosen;
}

/**
 * Return the words for a key: of a game if it has them, else of the page or of all games.
 * What stands in braces is put in; numbers in the digits of the language.
 *
 * @param {string} key
 * @param {Record<string, any>} [values]
 * @param {string} [game]
 */
export function t(key, values = {}, game = "") {
  const found = find(key, game);
  if (found === undefined) return key;
  return String(found).replace(/\{(\w+)\}/g, (all, name) =>
    name in values ? shown(values[name]) : all,
  );
}

/** Tell whether there are words for a key. */
export const known = (key, game = "") => find(key, game) !== undefined;

const find = (key, game) =>
  words[game]?.[key] ?? words.page[`${game}.${key}`] ?? words.page[key] ?? words.core?.[key];

/** Return the list of paragraphs under a key of a game. */
export const paragraphs = (key, game) => words[game]?.[key] ?? [];

const shown = (value) => (typeof value === "number" ? num(value) : String(value));

/** Return a text with its digits in the script of the language. */
export function digits(text) {
  const zero = ZEROS[language];
  if (zero === 0x30) return String(text);
  return String(text).replace(/[0-9]/g, (digit) => String.fromCodePoint(zero + Number(digit)));
}

/** Return a number in words' digits, with so many places. */
export function num(value, places = 0) {
  const fixed = Math.abs(value) < 0.5 * 10 ** -places ? (0).toFixed(places) : value.toFixed(places);
  return digits(fixed.replace("-", "−"));
}

/** Return a number with its sign. */
export const signed = (value, places = 0) => (value > 0 ? `+${num(value, places)}` : num(value, places));

/** Return a share as per cent. */
export const percent = (share, places = 1) => `${num(100 * share, places)}%`;

/** Return a text with the digits of all three scripts as those of programs. */
export function plainDigits(text) {
  return String(text)
    .replace(/[०-९]/g, (one) => String(one.charCodeAt(0) - ZEROS.ne))
    .replace(/[০-৯]/g, (one) => String(one.charCodeAt(0) - ZEROS.bn))
    .replace(/[−–]/g, "-");
}

/** Return the whole number that a text says, null if it says none. */
export function whole(text) {
  const plain = plainDigits(text).trim();
  return /^-?\d{1,7}$/.test(plain) ? Number(plain) : null;
}
