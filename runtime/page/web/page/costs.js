/**
 * What each decision of a game cost, and what chance did, from the values that the engine tells.
 *
 * The answer has the form of the protocol's `review`.  A decision costs the value of the best move
 * less that of the move made.  Where the value of every seat is known at every step (sheets, win
 * shares, the margin of a round), what chance changed is luck and `start + luck + own + others =
 * result`.  Where it is known for the seat to move alone, that is left out: what is not the start
 * nor own decisions is `rest`.
 */

const TIE = 1e-9;
const WORST = 3;

/** How a game is judged: the unit, the level that knows it, and the values of all seats. */
const JUDGES = {
  yacht: { unit: "expected_total", level: "hard", values: sheetValues },
  dice_poker: { unit: "expected_total", level: "expert", values: sheetValues },
  pasa: { unit: "win_share", level: "expert", values: pasaValues },
  raja_pasu: { unit: "margin", level: "expert", values: marginValues },
  marriage: { unit: "net", level: "expert", values: null },
};

/**
 * Return what the decisions of a record cost.
 *
 * @param {any} engine
 * @param {any} record
 * @param {{ position: any, seen: any, status: any }[]} along what `replay` found
 */
export function costs(engine, record, along) {
  const { game } = record.start;
  const { unit, level, values } = JUDGES[game];
  const seats = record.seats.length;
  const match = Boolean(record.start.match);
  const told = along.map(({ seen, status }) =>
    status.to === "over" ? null : engine.call("ask", { position: seen, level }),
  );
  /** @type {number[][]} */
  const worth = [];
  if (values && !match) {
    along.forEach((one, at) => worth.push(values(one, told[at], worth[at - 1], engine, level)));
  }
  const steps = record.steps.map((step, at) => {
    if (step.move === undefined) {
      return { step: at, ...(worth.length ? { luck: change(worth, at) } : {}) };
    }
    const { best, options, value } = told[at];
    const key = JSON.stringify(step.move);
    const made = options.find((one) => JSON.stringify(one.move) === key);
    // Of alike moves, such as shows that leave the same cards, one may stand for all.  Where chance
    // has no part, a search after the move knows more than one before it.
    let cost = made ? Math.max(0, value - made.value) : 0;
    if (unit === "margin" && worth.length) cost = Math.max(0, -change(worth, at)[step.seat]);
    return { step: at, seat: step.seat, move: step.move, best, cost: cost <= TIE ? 0 : cost };
  });
  const last = along[along.length - 1].status;
  const exact = game !== "marriage" && told.every((one) => one?.exact !== false);
  const found = Array.from({ length: seats }, (_, seat) => {
    const made = steps.filter((one) => one.seat === seat);
    const own = -made.reduce((sum, one) => sum + one.cost, 0);
    const dear = [...made].filter((one) => one.cost > TIE).sort((a, b) => b.cost - a.cost);
    return {
      seat,
      own: own || 0,
      ...parts(seat),
      decisions: made.length,
      mistakes: dear.length,
      worst: dear.slice(0, WORST).map((one) => one.step),
      mean_cost: made.length ? -own / made.length || 0 : 0,
    };
    function parts(one) {
      if (worth.length) {
        const luck = steps.reduce((sum, step) => sum + (step.luck?.[one] ?? 0), 0);
        const start = worth[0][one];
        const result = worth[worth.length - 1][one];
        return { start, luck, others: result - start - luck - own, result };
      }
      if (match) return {};
      const first = along.findIndex(({ status }) => status.to === "move" && status.seat === one);
      if (first < 0 || last.to !== "over") return {};
      const start = told[first].value;
      const result = last.returns[one];
      return { start, result, rest: result - start - own };
    }
  });
  return { unit, exact, over: last.to === "over", seats: found, steps };
}

const change = (worth, at) => worth[at + 1].map((one, seat) => one - worth[at][seat]);

/** Each sheet's expected total: a seat's own changes in its own turn alone. */
function sheetValues({ position, status }, answer, before, engine, level) {
  if (status.to === "over") return status.scores.map(Number);
  const { sheets, to_move: mover } = position;
  const known = before ?? sheets.map((sheet) => alone(engine, position, sheet, level));
  return known.map((value, seat) => (seat === mover ? answer.value : value));
}

/** Return what a sheet is worth before its turn. */
function alone(engine, { kept: _, turns_left: turns, ...position }, sheet, level) {
  const seat = position.sheets.indexOf(sheet);
  /** @type {any} */
  const one = { ...position, sheets: [sheet], first: 0, to_move: 0, dice: null, rolls_left: 3 };
  if (turns) one.turns_left = [turns[seat]];
  return engine.call("ask", { position: one, level }).value;
}

function pasaValues({ status }, answer) {
  return status.to === "over" ? status.returns : answer.win_shares;
}

/** The margin of the round, what is taken counted in. */
function marginValues({ position, status }, answer) {
  const [south, north] = status.to === "over" ? status.returns : position.captured;
  if (status.to === "over") return [south, north];
  const ahead = south - north + (position.to_move === 0 ? answer.value : -answer.value);
  return [ahead, -ahead];
}
