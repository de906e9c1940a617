/**
 * Reads the learned numbers of Marriage's expert.
 *
 *     import { open } from "./marriage.js";
 *     const numbers = open(manifest, values);    // the text or object, and the bytes
 *     numbers.get("discard before the show: distance");
 */

import { mustHold, opened, openExport } from "./export.js";

export { ExportError, parseManifest } from "./export.js";

/** Open an export of Marriage; a damaged one is refused.  Returns a Map of numbers by name. */
export function open(manifest, values) {
  return opened(() => {
    const { manifest: found, arrays } = openExport(manifest, "marriage.js", values);
    mustHold(found.names.length === arrays.values.length, "names: one for each number");
    return new Map(found.names.map((name, at) => [name, arrays.values[at]]));
  });
}
