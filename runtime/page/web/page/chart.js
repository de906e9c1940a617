/** Plots, as drawings: values as bars, shares, a distribution, and the value over a game. */

import { h, s } from "./dom.js";
import { num, t } from "./words.js";

/** Return a bar for a value between the least and the most; what is lost to the best is shown. */
export function track(value, least, most, best) {
  const span = most - least || 1;
  const width = 100 * Math.max(0.02, (value - least) / span);
  return s(
    "svg",
    { class: "track", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
    s("rect", { class: "ground", x: 0, y: 0, width: 100, height: 8 }),
    s("rect", { class: best ? "best" : "less", x: 0, y: 0, width, height: 8 }),
  );
}

/** Return bars of shares that sum to one, each with a name. */
export function shares(names, values, own, text) {
  const most = Math.max(...values, 1e-9);
  const height = 26 * values.length;
  return s(
    "svg",
    { class: "chart", viewBox: `0 0 320 ${height}`, role: "img", "aria-label": named(names, values, text) },
    values.map((value, seat) => [
      s("text", { x: 0, y: 26 * seat + 17, class: seat === own ? "strong" : "" }, shortened(names[seat])),
      s("rect", {
        class: seat === own ? "own" : "bar",
        x: 96,
        y: 26 * seat + 6,
        width: Math.max(1, (160 * value) / most),
        height: 14,
        rx: 3,
      }),
      s("text", { x: 262, y: 26 * seat + 17, class: "strong" }, text(value)),
    ]),
  );
}

const shortened = (name) => (name.length > 13 ? `${name.slice(0, 12)}…` : name);
const named = (names, values, text) => values.map((one, seat) => `${names[seat]} ${text(one)}`).join(", ");

/**
 * Return a total as a distribution, known by three of its points: 5, 50 and 95 of 100 games are
 * below.
 */
export function interval({ p5, p50, p95 }, mean) {
  const low = Math.max(0, p5 - 0.25 * (p95 - p5));
  const high = p95 + 0.25 * (p95 - p5);
  const x = (value) => 20 + (280 * (value - low)) / (high - low || 1);
  const y = 62;
  const label = t("final_total_is", { p5: num(p5), p50: num(p50), p95: num(p95) });
  return h(
    "figure",
    { style: { margin: "0 0 .8rem" } },
    s(
      "svg",
      { class: "chart", viewBox: "0 0 320 92", role: "img", "aria-label": label },
      s("line", { class: "axis", x1: 10, x2: 310, y1: y, y2: y }),
      s("rect", { class: "area", x: x(p5), y: y - 16, width: x(p95) - x(p5), height: 16, rx: 4 }),
      [p5, p50, p95].map((value) => [
        s("line", { class: "axis", x1: x(value), x2: x(value), y1: y - 26, y2: y + 4 }),
        s("text", { class: "strong", x: x(value), y: y + 18, "text-anchor": "middle" }, num(value)),
      ]),
      ["5", "50", "95"].map((part, place) =>
        s("text", { x: x([p5, p50, p95][place]), y: y + 29, "text-anchor": "middle" }, `${num(Number(part))}%`),
      ),
      mean !== null &&
        s("circle", { class: "own", cx: x(mean), cy: y - 8, r: 5 }),
    ),
    h("figcaption", { class: "quiet" }, label),
  );
}

/**
 * Return a distribution in full: points and the chance of each.
 *
 * @param {number[]} points
 * @param {number[]} chances
 * @param {number} mean
 */
export function histogram(points, chances, mean) {
  const low = Math.min(...points);
  const high = Math.max(...points);
  const bins = Math.min(60, high - low + 1);
  const width = (high - low + 1) / bins;
  const sums = Array(bins).fill(0);
  points.forEach((one, at) => (sums[Math.min(bins - 1, Math.floor((one - low) / width))] += chances[at]));
  const most = Math.max(...sums);
  const x = (value) => 16 + (288 * (value - low)) / (high - low + 1);
  const marks = [low, Math.round(mean), high];
  return s(
    "svg",
    { class: "chart", viewBox: "0 0 320 110", role: "img", "aria-label": t("distribution") },
    sums.map((sum, bin) =>
      s("rect", {
        class: "bar",
        x: x(low + bin * width),
        y: 86 - (76 * sum) / most,
        width: Math.max(1, 288 / bins - 0.6),
        height: (76 * sum) / most,
      }),
    ),
    s("line", { class: "axis", x1: 10, x2: 310, y1: 86, y2: 86 }),
    marks.map((value) => s("text", { class: "strong", x: x(value), y: 102, "text-anchor": "middle" }, num(value))),
  );
}

/**
 * Return the value of a game over its steps, with dots where a decision cost or chance helped.
 *
 * @param {{ value: number, step: number, cost?: number, mark?: boolean }[]} points
 * @param {(value: number) => string} text
 * @param {(step: number) => void} show
 */
export function course(points, text, show) {
  const values = points.map((one) => one.value);
  const low = Math.min(...values);
  const high = Math.max(...values);
  const width = innerWidth < 600 ? 340 : 620; // as wide as the screen, so that text keeps its size
  const right = width - 14;
  const x = (at) => 46 + ((right - 46) * at) / Math.max(1, points.length - 1);
  const y = (value) => 14 + 150 * (1 - (value - low) / (high - low || 1));
  const line = points.map((one, at) => `${at ? "L" : "M"}${x(at).toFixed(1)} ${y(one.value).toFixed(1)}`).join("");
  const dots = points.map((one, at) => {
    const kind = one.cost && one.cost > 1e-9 ? "dot" : one.mark ? "lucky" : null;
    return (
      kind &&
      s("circle", {
        class: kind,
        cx: x(at),
        cy: y(one.value),
        r: kind === "dot" ? 5 : 4,
        onclick: () => show(one.step),
      })
    );
  });
  return s(
    "svg",
    { class: "chart", viewBox: `0 0 ${width} 190`, role: "img", "aria-label": t("value_over_game") },
    [low, high].map((value) => [
      s("line", { class: "axis", x1: 46, x2: right + 4, y1: y(value), y2: y(value) }),
      s("text", { x: 42, y: y(value) + 4, "text-anchor": "end" }, text(value)),
    ]),
    s("path", { class: "curve", d: line }),
    dots,
    s("text", { x: 46, y: 186 }, num(1)),
    s("text", { x: right, y: 186, "text-anchor": "end" }, num(points.length)),
  );
}
