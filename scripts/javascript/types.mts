// A game with the types of a package for npm: compiled, never run.

import { open, UstadError } from "./ustad.js";

const read = async (name: string): Promise<Uint8Array> => new Uint8Array(name.length);
const engine = await open({ game: "pasa", read, verify: false });
let { position, status } = engine.call("new", { game: "pasa", players: 4, seed: 7 });
while (status.to !== "over") {
  if (status.to === "chance") ({ position, status } = engine.call("apply", { position, seed: 1 }));
  const { move, seed } = engine.call("move", { position, level: "hard" });
  const told = engine.call("apply", { position, move, seed });
  const first: number = told.seed ?? told.events.length;
  const { best, value = first, options = [] } = engine.call("ask", { position, top: 3, move });
  best.length + value + (options[0]?.value ?? 0);
  ({ position, status } = told);
}
const { position: begun } = engine.call("new", { game: "yacht", options: { second_yacht: "plain" } });
if (begun.game === "yacht") begun.sheets.map(({ ones, chance }) => (ones ?? 0) + (chance ?? 0));
engine.call("apply", { position: begun, move: { write: "ones" }, outcome: [1, 2, 3, 4, 5] });
const winners: readonly number[] = status.winners ?? [];
winners.length;
// @ts-expect-error there is no such level
engine.call("ask", { position, level: "best" });
// @ts-expect-error there is no such box
engine.call("apply", { position, move: { write: "elevens" } });
// @ts-expect-error there is no such method
engine.call("review", { position });
// @ts-expect-error there is no such option
engine.call("new", { game: "pasa", options: { menu: "none" } });
// @ts-expect-error what is answered is not changed
status.seat = 0;
try {
  engine.call("legal", { position });
} catch (error) {
  if (error instanceof UstadError) error.kind.length;
}
