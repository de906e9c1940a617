/**
 * Reads the learned numbers of Marriage's expert.
 *
 *     import { open } from "./marriage.js";
 *     const expert = open(manifest, values);     // the text or object, and the bytes
 *     expert.numbers.get("discard before the show: distance");
 *     expert.sum({ "net, stock before the show: distance": 3, "net, stock before the show: always": 1 });
 *
 * What each feature counts is said in the source of `ustad.runtime.games.marriage.values`; the vectors
 * of the manifest hold positions with the expert's move, its net and the features that the
 * net is the sum of.
 */

import { isObject } from "./errors.js";
import { ExportError, mustHold, opened, openExport } from "./export.js";

export { ExportError, parseManifest } from "./export.js";

/** @import { Manifest, Opened } from "./export.js" */
/** @typedef {Manifest & { names: string[] }} MarriageManifest */

/**
 * Open an export of Marriage; a damaged one is refused.
 *
 * @param {unknown} manifest
 * @param {unknown} values
 */
export function open(manifest, values) {
  return opened(() => {
    /** @type {Opened<MarriageManifest>} */
    const { manifest: found, arrays } = openExport(manifest, "marriage.js", values);
    mustHold(found.names.length === arrays.values.length, "names: one for each number");
    return new Weights(new Map(found.names.map((name, at) => [name, arrays.values[at]])));
  });
}

export class Weights {
  /** @param {Map<string, number>} numbers by the names of features. */
  constructor(numbers) {
    this.numbers = numbers;
  }

  /**
   * Return the sum of features, each times its number; a name that is not known is refused.
   *
   * @param {Record<string, number>} features
   */
  sum(features) {
    if (!isObject(features)) throw new ExportError("feature", "features: expected an object");
    let sum = 0;
    for (const [name, count] of Object.entries(features)) {
      const number = this.numbers.get(name);
      if (number === undefined || !Number.isFinite(count)) {
        throw new ExportError("feature", `feature ${name}: expected a known name and a number`);
      }
      sum += number * count;
    }
    return sum;
  }
}
