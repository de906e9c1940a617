/**
 * Outlooks: how many points a sheet may still make, and what that says of who wins.
 *
 * A state's distribution lies in one of several forms (the manifest's `outlook`): in whole
 * parts, an entry for each number of points, or by knots, between which lie equal parts of
 * the chance.  `outlook_kind` tells the form of each state; the states of a form follow one
 * another in order.
 */

/** @import { Manifest, Numbers } from "./export.js" */

/**
 * @typedef {object} OutlookFacts
 * @property {string} name
 * @property {string[]} steps the arrays of distributions in whole parts
 * @property {number} knots
 * @property {number} shifts parts of a point
 * @property {number} reach more points than any sheet makes
 *
 * @typedef {Manifest & { outlook: OutlookFacts }} OutlookManifest
 */

const NODES = [
  [[0.5, 1]],
  [-1, 1].map((sign) => [(1 + sign / Math.sqrt(3)) / 2, 0.5]),
  [
    [(1 - Math.sqrt(0.6)) / 2, 5 / 18],
    [0.5, 8 / 18],
    [(1 + Math.sqrt(0.6)) / 2, 5 / 18],
  ],
];

export class Outlook {
  /**
   * @param {OutlookManifest} manifest
   * @param {Record<string, Numbers>} arrays
   */
  constructor(manifest, arrays) {
    this.facts = manifest.outlook;
    this.arrays = arrays;
    this.kind = arrays.outlook_kind;
    this.place = new Uint32Array(this.kind.length);
    const counts = new Uint32Array(this.facts.steps.length + 1);
    for (let state = 0; state < this.kind.length; state++) {
      this.place[state] = counts[this.kind[state]]++;
    }
    this.far = counts[counts.length - 1];
    this.starts = this.facts.steps.map((name) => {
      const lengths = arrays[`${name}_lengths`];
      const found = new Uint32Array(lengths.length + 1);
      for (let row = 0; row < lengths.length; row++) found[row + 1] = found[row] + lengths[row];
      return found;
    });
  }

  /**
   * Return the chance of 0, 1, 2, ... points still to come.
   *
   * @param {number} state its place among the values
   */
  row(state) {
    const kind = this.kind[state];
    const place = this.place[state];
    return kind < this.starts.length ? this._steps(kind, place) : this._knots(place);
  }

  /**
   * Return what it takes to win; see `winShares`.
   *
   * @param {Float64Array[]} rows
   * @param {number[]} leads
   * @param {number} count
   */
  winShares(rows, leads, count) {
    return winShares(rows, leads, count);
  }

  /**
   * @param {number} kind
   * @param {number} place
   */
  _steps(kind, place) {
    const name = this.facts.steps[kind];
    const parts = this.arrays[name];
    const begin = this.starts[kind][place];
    const end = this.starts[kind][place + 1];
    const first = this.arrays[`${name}_first`][place];
    const row = new Float64Array(first + end - begin);
    let sum = 0;
    for (let at = begin; at < end; at++) sum += parts[at];
    for (let at = begin; at < end; at++) row[first + at - begin] = parts[at] / sum;
    return row;
  }

  /** @param {number} place */
  _knots(place) {
    const { knots: count, shifts, reach } = this.facts;
    const shifted = this.arrays.knot_shift[place];
    const shift = Math.floor(shifted / shifts);
    const share = (shifted - shift * shifts) / shifts;
    const knots = new Int32Array(count);
    let knot = 0;
    for (let i = 0; i < count; i++) {
      knot += this.arrays.knots[i * this.far + place];
      knots[i] = Math.min(Math.max(knot + shift, -1), reach - 2);
    }
    const row = new Float64Array(Math.max(knots[count - 1], 0) + 2);
    for (let i = 1; i < count; i++) {
      const gap = knots[i] - knots[i - 1];
      const height = 1 / (count - 1) / Math.max(gap, 1);
      // Where a gap is closed the whole part stands on its one point.
      const begin = gap > 0 ? knots[i - 1] + 1 : Math.max(knots[i - 1], 0);
      const end = gap > 0 ? knots[i] + 1 : begin + 1;
      for (let points = begin; points < end; points++) row[points] += height;
    }
    for (let points = row.length - 1; points > 0; points--) {
      row[points] += share * (row[points - 1] - row[points]);
    }
    row[0] *= 1 - share;
    return row;
  }
}

/**
 * Return the share of the win with 0, 1, ... points more than now.
 *
 * With a = P(total < t) and b = P(total = t) of each opponent, a total of t wins the integral
 * over z in [0, 1] of the product over opponents of a + b z, which Gauss and Legendre's nodes
 * give exactly.
 *
 * @param {Float64Array[]} rows what each opponent may still make.
 * @param {number[]} leads my total less that of each opponent.
 * @param {number} count how many points to answer for.
 */
export function winShares(rows, leads, count) {
  const below = rows.map((row, opponent) => chancesBelow(row, leads[opponent], count + 1));
  const shares = new Float64Array(count);
  const product = new Float64Array(count);
  for (const [node, weight] of NODES[rows.length >> 1]) {
    product.fill(weight);
    for (const chances of below) {
      for (let points = 0; points < count; points++) {
        product[points] *= chances[points] * (1 - node) + chances[points + 1] * node;
      }
    }
    for (let points = 0; points < count; points++) shares[points] += product[points];
  }
  return shares;
}

/**
 * Return the chance that an opponent makes less than lead, lead + 1, ... points.
 *
 * @param {Float64Array} row
 * @param {number} lead
 * @param {number} count
 */
function chancesBelow(row, lead, count) {
  const found = new Float64Array(count);
  let sum = 0;
  let points = 0;
  for (; points < Math.min(lead, row.length); points++) sum += row[points];
  for (let at = Math.max(0, -lead); at < count; at++) {
    while (points < lead + at && points < row.length) sum += row[points++];
    found[at] = lead + at >= row.length ? 1 : sum;
  }
  return found;
}
