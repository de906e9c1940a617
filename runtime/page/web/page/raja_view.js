/** Raja Pasu: the board of two rows, and the sowing as it goes from hole to hole. */

import { announce, button, h, mayMove, s, select, wait } from "./dom.js";
import { num, signed, t, whole } from "./words.js";

const GAME = "raja_pasu";
const HOLES = 14;

export const rajaView = {
  game: GAME,
  sketch,
  table,
  editor,
  throwText: () => "",
  thrower: () => 0,
  throwsAtOnce: () => false,
  outcome: () => null,
  outcomeEditor: () => null,
  moveText: (move) => t("move_hole", { n: holeNumber(move.hole) }, GAME),
  eventText,
  facts,
  animate,
  practise: { few_seeds: fewSeeds },
  local: () => ({}),
};

/** Return a hole as its owner counts it: from 1 at the own left. */
const holeNumber = (hole) => (hole % 7) + 1;

const owner = (hole) => (hole < 7 ? 0 : 1);

function sketch() {
  return s(
    "svg",
    { viewBox: "0 0 250 90", "aria-hidden": "true" },
    s("rect", { x: 12, y: 10, width: 226, height: 72, rx: 22, fill: "var(--wood)" }),
    Array.from({ length: HOLES }, (_, at) => {
      const x = 34 + 30.3 * (at % 7);
      const y = at < 7 ? 29 : 63;
      return [
        s("circle", { cx: x, cy: y, r: 12.5, fill: "var(--hole)" }),
        seeds([3, 1, 4, 2, 6, 5, 7][(3 * at) % 7]).map(([dx, dy]) =>
          s("circle", { cx: x + dx * 0.22, cy: y + dy * 0.22, r: 2.4, fill: "var(--seed)" }),
        ),
      ];
    }),
  );
}

/** Return where seeds lie in a hole: in a spiral, as those of a sunflower. */
function seeds(count) {
  const shown = Math.min(count, 19);
  return Array.from({ length: shown }, (_, at) => {
    const radius = 8.2 * Math.sqrt(at + (shown > 1 ? 0.45 : 0));
    return [radius * Math.cos(2.4 * at), radius * Math.sin(2.4 * at)];
  });
}

function pitSeeds(count) {
  return s(
    "svg",
    { viewBox: "-50 -50 100 100", "aria-hidden": "true" },
    seeds(count).map(([x, y]) =>
      s("circle", { cx: x, cy: y - 6, r: 6.4, fill: "var(--seed)", stroke: "#6a4a1c", "stroke-width": 1 }),
    ),
  );
}

/** Return the holes as they lie on the screen: the far row, then the near one. */
function places(near) {
  const south = [0, 1, 2, 3, 4, 5, 6];
  const north = [13, 12, 11, 10, 9, 8, 7];
  return near === 1
    ? [...[...south].reverse(), ...[...north].reverse()]
    : [...north, ...south];
}

function table(context) {
  const { position, status, names, mine, legal, chosen, best, near = 0 } = context;
  const may = new Set((legal ?? []).map((move) => move.hole));
  const pit = (hole) => {
    const count = position.board[hole];
    const can = mine && may.has(hole);
    const classes = [
      "pit",
      can ? "can" : "",
      chosen?.hole === hole ? "on" : "",
      (best ?? []).some((move) => move.hole === hole) ? "best" : "",
      position.closed.includes(hole) ? "closed" : "",
    ];
    const tap = () =>
      chosen?.hole === hole ? context.play({ hole }) : context.choose({ hole });
    return h(
      "button",
      {
        type: "button",
        class: classes.join(" "),
        "data-hole": hole,
        "data-number": num(holeNumber(hole)),
        "data-key": `hole${hole}`,
        disabled: !can,
        "aria-pressed": can ? String(chosen?.hole === hole) : null,
        "aria-label": position.closed.includes(hole)
          ? t("hole_closed", { name: names[owner(hole)], n: holeNumber(hole) }, GAME)
          : t("hole_has", { name: names[owner(hole)], n: holeNumber(hole), count }, GAME),
        onclick: tap,
      },
      pitSeeds(count),
      h("span", { class: "count" }, num(count)),
    );
  };
  const side = (seat) =>
    h(
      "div",
      { class: "side" },
      h("b", null, names[seat]),
      h("span", { "data-taken": seat }, t("taken", { n: position.captured[seat] }, GAME)),
    );
  const far = near === 1 ? 0 : 1;
  return [
    side(far),
    h("div", { class: "board", role: "group", "aria-label": t("board", {}, GAME) }, places(near).map(pit)),
    side(1 - far),
    position.match && h("p", { class: "quiet" }, matchText(position, names)),
    mine &&
      h(
        "div",
        { class: "actions" },
        chosen?.hole !== undefined &&
          button(t("sow", { n: holeNumber(chosen.hole) }, GAME), () => context.play(chosen), {
            kind: "main",
            key: "sow",
          }),
        chosen?.hole === undefined && status.to === "move" && h("span", { class: "quiet" }, t("tap_hole", {}, GAME)),
      ),
  ];
}

function matchText({ match }, names) {
  const [south, north] = match.owned;
  const told = { round: match.round, south, north, a: names[0], b: names[1] };
  return t("match_line", told, GAME);
}

function eventText(event, names) {
  if (event.pasu !== undefined) return t("event_pasu", { name: names[event.seat], n: event.seeds }, GAME);
  if (event.pussa !== undefined) return t("event_pussa", { name: names[event.seat], n: event.seeds }, GAME);
  if (event.round_over || event.remainder !== undefined) return t("event_round", {}, GAME);
  return "";
}

function facts({ facts: held, match }) {
  const lines = [];
  if (match) lines.push(t(`match_${match}`, {}, GAME));
  if (held?.captures !== undefined) lines.push(t("fact_captures", { n: held.captures }, GAME));
  if (held?.final) lines.push(t("fact_final", { own: held.final[0], other: held.final[1] }, GAME));
  if (held?.line?.length) {
    const list = held.line.map((move) => num(holeNumber(move.hole))).join(" · ");
    lines.push(t("fact_line", { list }, GAME));
  }
  return lines;
}

/**
 * Show a sowing on a board that is on the screen: lap by lap, seed by seed.
 *
 * @param {HTMLElement} place
 * @param {any} before the position.
 * @param {any[]} events
 * @param {string[]} names
 */
async function animate(place, before, events, names) {
  if (!mayMove()) return;
  const board = [...before.board];
  const taken = [...before.captured];
  const pit = (hole) => place.querySelector(`[data-hole="${hole}"]`);
  const draw = (hole, hit = false) => {
    const found = pit(hole);
    if (!found) return;
    found.replaceChildren(pitSeeds(board[hole]), h("span", { class: "count" }, num(board[hole])));
    found.classList.toggle("hit", hit);
  };
  const take = (seat, count) => {
    taken[seat] += count;
    const found = place.querySelector(`[data-taken="${seat}"]`);
    if (found) found.textContent = t("taken", { n: taken[seat] }, GAME);
  };
  const drops = events.reduce((sum, event) => sum + (event.sown?.length ?? 0), 0);
  const pause = Math.max(14, Math.min(110, 5200 / Math.max(1, drops)));
  const fours = events.filter((event) => event.pasu !== undefined);
  let dropped = 0;
  let lapped = 0;
  for (const event of events) {
    if (!place.isConnected) return;
    if (event.sown) {
      lapped += 1;
      board[event.hole] = 0;
      draw(event.hole, true);
      await wait(2 * pause);
      draw(event.hole);
      dropped = 0;
      const inLap = poolOf(events, event, fours);
      for (const hole of event.sown) {
        board[hole] += 1;
        dropped += 1;
        draw(hole, true);
        const four = inLap.find((one) => one.after === dropped);
        if (four) {
          board[four.pasu] = 0;
          take(four.seat, four.seeds);
          await wait(pause);
        }
        await wait(pause);
        draw(hole);
      }
    } else if (event.pussa !== undefined) {
      board[event.pussa] = 0;
      draw(event.pussa, true);
      take(event.seat, event.seeds);
      announce(eventText(event, names));
      await wait(4 * pause);
      draw(event.pussa);
    }
  }
  return lapped;
}

/** Return the fours of one lap: they are told right after it. */
function poolOf(events, lap, fours) {
  const from = events.indexOf(lap);
  const next = events.findIndex((event, at) => at > from && event.sown);
  return fours.filter((one) => {
    const at = events.indexOf(one);
    return at > from && (next < 0 || at < next);
  });
}

// Setting up.

function editor({ position, change, local }) {
  const total = (board) => board.reduce((sum, one) => sum + one, 0);
  const setHole = (hole, text) => {
    const value = whole(text);
    if (value === null || value < 0) return change(position);
    const board = position.board.map((one, at) => (at === hole ? value : one));
    change({ ...position, board });
  };
  const move = (from, to) => {
    if (from === to || position.board[from] === 0 || position.closed.includes(to)) return;
    const board = [...position.board];
    board[from] -= 1;
    board[to] += 1;
    change({ ...position, board });
  };
  const setClosed = (text) => {
    const [side, count] = text.split("-").map(Number);
    const closed = Array.from({ length: count }, (_, at) => 7 * side + at);
    const board = position.board.map((one, at) => (closed.includes(at) ? 0 : one));
    change({ ...position, closed, board });
  };
  const closedNow = position.closed.length ? `${owner(position.closed[0])}-${position.closed.length}` : "0-0";
  const sides = [t("south", {}, GAME), t("north", {}, GAME)];
  const closings = [["0-0", t("none_closed", {}, GAME)]];
  for (const side of [0, 1]) {
    for (let count = 1; count <= 6; count++) {
      closings.push([`${side}-${count}`, t("closed_of", { name: sides[side], n: count }, GAME)]);
    }
  }
  const captured = (seat) =>
    h(
      "label",
      { class: "field" },
      h("span", null, `${t("taken_label", {}, GAME)}: ${sides[seat]}`),
      h("input", {
        type: "text",
        class: "number",
        inputmode: "numeric",
        "data-key": `taken${seat}`,
        value: num(position.captured[seat]),
        onchange: (event) => {
          const value = whole(event.target.value);
          if (value === null) return change(position);
          change({ ...position, captured: position.captured.map((one, at) => (at === seat ? value : one)) });
        },
      }),
    );
  return [
    h(
      "div",
      { class: "form" },
      select(t("to_move"), sides.map((name, seat) => [seat, name]), position.to_move, (seat) =>
        change({ ...position, to_move: Number(seat) }),
      ),
      select(t("closed", {}, GAME), closings, closedNow, setClosed),
      captured(0),
      captured(1),
    ),
    h("p", { class: "quiet" }, t("edit_board", {}, GAME)),
    h(
      "div",
      { class: "board" },
      places(0).map((hole) =>
        h(
          "label",
          {
            class: `pit ${position.closed.includes(hole) ? "closed" : ""}`,
            "data-number": num(holeNumber(hole)),
            ondragover: (event) => event.preventDefault(),
            ondrop: (event) => {
              event.preventDefault();
              if (local.drag !== undefined) move(local.drag, hole);
            },
          },
          pitSeeds(position.board[hole]),
          h("input", {
            type: "text",
            inputmode: "numeric",
            draggable: "true",
            disabled: position.closed.includes(hole),
            "data-key": `edit${hole}`,
            "aria-label": `${sides[owner(hole)]} ${num(holeNumber(hole))}`,
            value: num(position.board[hole]),
            ondragstart: () => (local.drag = hole),
            onchange: (event) => setHole(hole, event.target.value),
          }),
        ),
      ),
    ),
    h(
      "p",
      { class: "quiet" },
      t("seeds_in_all", { n: total(position.board) + position.captured[0] + position.captured[1] }, GAME),
    ),
  ];
}

/** Return a board of few seeds, as it may be near the end of a round. */
function fewSeeds(random) {
  /** @type {number[]} */
  const board = Array.from({ length: HOLES }, () => {
    const drawn = random();
    return drawn < 0.45 ? 0 : drawn < 0.7 ? 1 : drawn < 0.88 ? 2 : 3;
  });
  board[Math.floor(random() * 7)] = 2;
  board[Math.floor(random() * 7)] = 3;
  const left = 98 - board.reduce((sum, one) => sum + one, 0);
  const own = Math.floor(left / 2);
  return { game: GAME, board, closed: [], to_move: 0, captured: [own, left - own] };
}

export const marginText = (value) => signed(value);
