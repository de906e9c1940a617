/**
 * What each decision of a round of Marriage cost, which the engine does not review.
 *
 * The answer has the form of the protocol's `review`.  A decision costs the predicted net of the
 * best move less that of the move made.  What a round is worth is known to the seat to move alone:
 * so luck and the decisions of others are told together, as `rest`, and
 * `start + own + rest = result`, the start being what the first decision of the seat was worth.
 */

const TIE = 1e-9;
const WORST = 3;

/**
 * Return what the decisions of a record cost.
 *
 * @param {any} engine
 * @param {any} record
 * @param {{ seen: any, status: any }[]} along what `replay` found
 */
export function costs(engine, record, along) {
  const told = record.steps.map((_, at) => engine.call("ask", { position: along[at].seen }));
  const steps = record.steps.map(({ seat, move }, at) => {
    const { best, options, value } = told[at];
    const key = JSON.stringify(move);
    // Of alike moves, such as shows that leave the same cards, one may stand for all.
    const made = options.find((one) => JSON.stringify(one.move) === key);
    const cost = made ? Math.max(0, value - made.value) : 0;
    return { step: at, seat, move, best, cost: cost <= TIE ? 0 : cost };
  });
  const { status } = along[along.length - 1];
  const seats = record.seats.map((_, seat) => {
    const own = steps.filter((one) => one.seat === seat);
    const lost = own.reduce((sum, one) => sum + one.cost, 0);
    const dear = own.filter((one) => one.cost > TIE).sort((a, b) => b.cost - a.cost);
    const found = {
      seat,
      own: -lost || 0,
      decisions: own.length,
      mistakes: dear.length,
      worst: dear.slice(0, WORST).map((one) => one.step),
      mean_cost: own.length ? lost / own.length : 0,
    };
    if (own.length === 0 || status.to !== "over") return found;
    const start = told[own[0].step].value;
    const result = status.returns[seat];
    return { ...found, start, result, rest: result - start + lost };
  });
  return { unit: "net", exact: false, over: status.to === "over", seats, steps };
}
