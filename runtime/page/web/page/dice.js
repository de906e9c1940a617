/** Dice as drawings. */

import { s } from "./dom.js";

const SPOTS = {
  1: [[2, 2]],
  2: [[1, 1], [3, 3]],
  3: [[1, 1], [2, 2], [3, 3]],
  4: [[1, 1], [1, 3], [3, 1], [3, 3]],
  5: [[1, 1], [1, 3], [2, 2], [3, 1], [3, 3]],
  6: [[1, 1], [1, 2], [1, 3], [3, 1], [3, 2], [3, 3]],
};

/** Return a die with a face up; null is one that has not been thrown. */
export function face(number, kind = "face") {
  const spots = number === null ? [] : SPOTS[number];
  return s(
    "svg",
    { class: kind, viewBox: "0 0 40 40", "aria-hidden": "true" },
    s("rect", { x: 1, y: 1, width: 38, height: 38, rx: 8, fill: "var(--die)", stroke: "var(--quiet)" }),
    spots.map(([x, y]) =>
      s("circle", { cx: 10 * x, cy: 10 * y, r: 3.6, fill: number === 1 ? "#b3321f" : "var(--pip)" }),
    ),
    number === null &&
      s("path", { d: "M14 20h12", stroke: "var(--quiet)", "stroke-width": 2, "stroke-linecap": "round" }),
  );
}

const RINGS = {
  1: [[2, 3]],
  2: [[2, 2], [2, 4]],
  5: [[1, 1.6], [3, 1.6], [2, 3], [1, 4.4], [3, 4.4]],
  6: [[1, 1.4], [3, 1.4], [1, 3], [3, 3], [1, 4.6], [3, 4.6]],
};

/** Return a long die of pasa, whose faces have rings. */
export function longFace(number) {
  const rings = number === null ? [] : RINGS[number];
  return s(
    "svg",
    { class: "long", viewBox: "0 0 40 108", "aria-hidden": "true" },
    s("rect", { x: 2, y: 2, width: 36, height: 104, rx: 7, fill: "#f4e6c8", stroke: "#8a5a33", "stroke-width": 2 }),
    rings.map(([x, y]) =>
      s("circle", { cx: 10 * x, cy: 18 * y, r: 4.6, fill: "none", stroke: "#5d2f14", "stroke-width": 2.4 }),
    ),
  );
}
