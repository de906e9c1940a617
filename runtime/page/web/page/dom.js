/** Elements: made, filled and replaced.  Text is always text, so nothing that is given can run. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Return an element.  Attributes that are false or null are left out; `on…` are listeners;
 * `style` is an object of properties.
 *
 * @param {string} tag
 * @param {Record<string, any> | null} [attributes]
 * @param {...any} children texts, elements, lists of them; null and false are nothing.
 * @returns {any}
 */
export function h(tag, attributes, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/**
 * The same for a drawing.
 *
 * @param {string} tag
 * @param {Record<string, any> | null} [attributes]
 * @param {...any} children
 * @returns {any}
 */
export function s(tag, attributes, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(element.style, value);
    else if (name === "value" || name === "checked") element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child);
  }
  return element;
}

/** Put children in the place of all that an element holds; the focus stays where it was. */
export function fill(element, ...children) {
  const active = /** @type {any} */ (document.activeElement);
  const key = element.contains(active) ? active.getAttribute("data-key") : null;
  const nodes = children.flat(Infinity).filter((one) => one !== null && one !== false);
  element.replaceChildren(...nodes.filter((one) => one !== undefined));
  if (key === null) return;
  for (const one of element.querySelectorAll("[data-key]")) {
    if (one.getAttribute("data-key") === key) return one.focus({ preventScroll: true });
  }
}

/** Return a button; `key` keeps the focus when what is around it is drawn anew. */
export function button(text, onclick, more = {}) {
  const { key, kind = "", ...rest } = more;
  return h(
    "button",
    { type: "button", class: `button ${kind}`, "data-key": key ?? null, onclick, ...rest },
    text,
  );
}

/** Return a choice out of a list of [value, text]. */
export function select(label, choices, value, onchange, more = {}) {
  const options = choices.map(([one, text]) =>
    h("option", { value: one, selected: one === value }, text),
  );
  return h(
    "label",
    { class: "field" },
    h("span", null, label),
    h(
      "select",
      { onchange: (/** @type {any} */ event) => onchange(event.target.value), ...more },
      options,
    ),
  );
}

/** Tell whoever cannot see the screen. */
export function announce(text) {
  const place = document.getElementById("told");
  if (place) place.textContent = text;
}

/** Tell whether motion is wanted. */
export const mayMove = () =>
  document.documentElement.dataset.motion !== "off" &&
  !matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Resolve after some milliseconds. */
export const wait = (/** @type {number} */ ms) => new Promise((done) => setTimeout(done, ms));
