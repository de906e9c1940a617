/**
 * Yacht in the phone engine: a game of dice and a sheet, played to win where an outlook is there.
 *
 *     import { open } from "./yacht.js";
 *     const engine = open(manifest, values, outlook);
 *     engine.ask(position);            // {best, value, unit: "win_share", options, outlook}
 *     engine.ask(position, "hard");    // for the total, as of sheet.js
 */

import { areLast, lastTurn } from "./endgame.js";
import { opened, openExport } from "./export.js";
import { Outlook } from "./outlook.js";
import { SheetEngine, SheetGame } from "./sheet.js";

export { ExportError, parseManifest } from "./export.js";

/** @import { Opened } from "./export.js" */
/** @import { OutlookManifest } from "./outlook.js" */
/** @import { SheetManifest } from "./turns.js" */

/** @typedef {Opened<SheetManifest & OutlookManifest>} Table */

/** The rules and levels of yacht. */
export class Yacht extends SheetGame {
  /** @param {Table[]} tables */
  constructor(tables) {
    /** @param {Table} table */
    const outlookOf = ({ manifest, arrays }) =>
      "outlook_kind" in arrays ? new Outlook(manifest, arrays) : null;
    super(tables, outlookOf, { areLast, lastTurn });
  }
}

/**
 * Open an export of yacht; a damaged one is refused.  Without an outlook expert plays alone.
 *
 * @param {unknown} manifest
 * @param {unknown} values
 * @param {unknown} [outlook]
 */
export function open(manifest, values, outlook) {
  return opened(() => {
    /** @type {Table} */
    const found = openExport(manifest, "yacht.js", values, outlook);
    return new SheetEngine(new Yacht([found]));
  });
}
