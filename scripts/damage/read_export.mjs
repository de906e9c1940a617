// The readers of exports, asked by lines of JSON.
//
//     node read_export.mjs NAME=FOLDER ...
//
// Each FOLDER is a sound export.  {"open": NAME, "folder": FOLDER} opens the files of another
// folder with that export's reader and answers {"opened"}, after asking it what it can be
// asked; {"ask": NAME, "position", "level"} asks the sound one.  What is refused is answered by
// {"kind", "message"}, whatever else goes wrong by {"crash"}.

import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";
import { pathToFileURL } from "node:url";

/** @import { Game, Manifest, Reader } from "./exported.mjs" */

/**
 * @typedef {object} Sound
 * @property {(folder: string) => Game} openIn
 * @property {(game: Game) => unknown} answers
 * @property {Game} game
 * @property {Reader["ExportError"]} ExportError
 */

/** @type {(folder: string, name: string) => Buffer | undefined} */
const read = (folder, name) => {
  try {
    return fs.readFileSync(path.join(folder, name));
  } catch {
    return undefined;
  }
};

/** @type {Map<string, Sound>} */
const exports = new Map();
for (const word of process.argv.slice(2)) {
  const at = word.indexOf("=/");
  const folder = word.slice(at + 1);
  /** @type {Manifest} */
  const manifest = JSON.parse(String(read(folder, "manifest.json")));
  const [module] = Object.keys(manifest.reader);
  /** @type {Reader} */
  const { open, ExportError } = await import(pathToFileURL(path.join(folder, module)).href);
  const names = Object.keys(manifest.files);
  /** @param {string} from */
  const openIn = (from) => {
    const text = read(from, "manifest.json")?.toString();
    return open(text, ...names.map((name) => read(from, name)));
  };
  /** @param {Game} game */
  const answers = (game) =>
    game.numbers instanceof Map
      ? [...game.numbers]
      : manifest.vectors.slice(0, 3).map(({ position, level }) => game.ask(position, level));
  const game = openIn(folder);
  exports.set(word.slice(0, at), { openIn, answers, game, ExportError });
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  const known = /** @type {Sound} */ (exports.get(request.open ?? request.ask));
  let answer;
  try {
    if (request.open === undefined) {
      answer = known.game.ask(request.position, request.level);
    } else {
      const game = known.openIn(request.folder);
      try {
        known.answers(game);
      } catch {
        // A manifest that lies under a right digest may open; what it then answers is its own.
      }
      answer = { opened: true };
    }
  } catch (error) {
    answer =
      error instanceof known.ExportError
        ? { kind: error.kind, message: error.message }
        : { crash: String(error) };
  }
  console.log(JSON.stringify(answer));
}
