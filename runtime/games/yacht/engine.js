/**
 * Plays yacht from an export that holds outlooks: level expert, for the win.
 *
 *     import { open } from "./yacht.js";
 *     const game = open(manifest, values, outlook);
 *     game.ask(position);            // {best, value, unit: "win_share", options, outlook}
 *     game.ask(position, "hard");    // for the total, as of sheet.js
 */

import { opened, openExport } from "./export.js";
import { Outlook } from "./outlook.js";
import { SheetGame } from "./sheet.js";

export { ExportError, parseManifest } from "./export.js";

/** @import { Opened } from "./export.js" */
/** @import { OutlookManifest } from "./outlook.js" */
/** @import { SheetManifest } from "./sheet.js" */

/**
 * Open an export of yacht; a damaged one is refused.  Without an outlook it plays level hard.
 *
 * @param {unknown} manifest
 * @param {unknown} values
 * @param {unknown} [outlook]
 */
export function open(manifest, values, outlook) {
  return opened(() => {
    /** @type {Opened<SheetManifest & OutlookManifest>} */
    const found = openExport(manifest, "yacht.js", values, outlook);
    const known = "outlook_kind" in found.arrays;
    return new SheetGame(found, known ? new Outlook(found.manifest, found.arrays) : null);
  });
}
