/** Kinds of decisions, as the costs of the levels are measured by: the names are those of the data. */

const KEEPS = ["write", "keep with one roll left", "keep with two rolls left"];

/** Return which kind of decision a position asks for. */
export function kindOf(game, position) {
  if (game === "yacht" || game === "dice_poker") return KEEPS[position.rolls_left];
  if (game === "raja_pasu") return sum(position.board) < 49 ? "late" : "early";
  if (game === "pasa") return isAhead(position) ? "far ahead" : "not far ahead";
  const { table, to_move: seat, phase } = position;
  return `${phase} ${table[seat].shown ? "after" : "before"} the show`;
}

const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);

/** Tell whether the lead of the seat that bets next is more than the turns left. */
function isAhead({ stacks, bets, thrower, turns_left: turns }) {
  const seats = stacks.length;
  const waiting = Array.from({ length: seats - 1 }, (_, at) => (thrower + 1 + at) % seats);
  const seat = waiting.find((one) => bets[one] === null) ?? thrower;
  const largest = Math.max(...stacks.filter((_, other) => other !== seat));
  return stacks[seat] - largest > turns;
}
