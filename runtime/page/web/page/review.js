/** Reviewing a game: what each decision cost, what luck did, and the worst to play again. */

import { errorBox } from "./advice.js";
import { ask } from "./asking.js";
import { course } from "./chart.js";
import { button, fill, h, select } from "./dom.js";
import { costText, valueText, VIEWS } from "./games.js";
import { remember } from "./learned.js";
import { download, readRecord, RecordError, recordText } from "./records.js";
import { address, go, packed } from "./route.js";
import { game as keptGame, games } from "./store.js";
import { SITE } from "./tables.js";
import { digits, num, signed, t } from "./words.js";

/** Show the page on which a game is reviewed; return what ends it. */
export function reviewPage(main, game, query) {
  const held = query.has("g") ? keptGame(query.get("g")) : null;
  if (held && held.game === game) {
    const record = { start: held.start, steps: held.steps, seats: held.seats };
    const review = new Review(main, game, record, held);
    review.begin();
    return () => {
      review.ended = true;
    };
  }
  choose(main, game);
  return () => {};
}

/** Offer the games that are kept, and files. */
function choose(main, game) {
  const finished = games().filter((one) => one.game === game && one.steps.length > 0);
  const told = h("div");
  const open = async (file) => {
    try {
      const record = readRecord(await file.text());
      const review = new Review(main, record.start.game, record, null);
      await review.begin();
    } catch (error) {
      fill(told, fileError(error));
    }
  };
  const input = h("input", {
    type: "file",
    accept: ".jsonl,.json,.txt",
    id: "file",
    onchange: (event) => event.target.files[0] && open(event.target.files[0]),
  });
  const zone = h(
    "div",
    {
      class: "drop",
      ondragover: (event) => {
        event.preventDefault();
        zone.classList.add("over");
      },
      ondragleave: () => zone.classList.remove("over"),
      ondrop: (event) => {
        event.preventDefault();
        zone.classList.remove("over");
        if (event.dataTransfer.files[0]) open(event.dataTransfer.files[0]);
      },
    },
    h("label", { for: "file" }, t("drop_record")),
    h("p", null, input),
  );
  fill(
    main,
    h(
      "section",
      { class: "panel" },
      h("h2", null, t("your_games")),
      finished.length === 0
        ? h("p", { class: "quiet" }, t("no_games_yet"))
        : h(
            "ul",
            { class: "plain" },
            finished.map((one) =>
              h(
                "li",
                { class: "row" },
                h("a", { href: address([game, "review"], { g: one.id }) }, one.seats.map((seat) => seat.name).join(", ")),
                h("span", { class: "quiet" }, `${new Date(one.at).toLocaleDateString(document.documentElement.lang)} · ${one.over ? t("finished") : t("broken_off")}`),
              ),
            ),
          ),
    ),
    h("section", { class: "panel" }, h("h2", null, t("record_from_file")), zone, told),
  );
}

function fileError(error) {
  if (!(error instanceof RecordError)) return errorBox(error);
  return h("p", { class: "error", role: "alert" }, t("record_wrong", { line: error.line, what: t(`record_${error.message}`) }));
}

class Review {
  constructor(main, game, record, held) {
    this.main = main;
    this.game = game;
    this.view = VIEWS[game];
    this.record = record;
    this.held = held;
    this.ended = false;
    const person = record.seats.findIndex((seat) => seat.level === null);
    this.seat = Math.max(0, person);
  }

  get names() {
    return this.record.seats.map((seat, at) => seat.name || t("seat", { n: at + 1 }));
  }

  async begin() {
    fill(this.main, h("p", { class: "panel", role: "status" }, t("thinking")));
    const { game, record } = this;
    try {
      const asked = { start: record.start, steps: record.steps, seats: record.seats };
      const { positions, answer } = await ask(game, "review", { record: asked });
      this.positions = positions;
      this.answer = answer;
    } catch (error) {
      if (this.ended) return;
      fill(this.main, errorBox(error), h("p", null, h("a", { href: address([game, "review"]) }, t("back"))));
      return;
    }
    if (this.ended) return;
    this.keepWorst();
    this.draw();
  }

  /** Remember the worst decisions of people, to try them again. */
  keepWorst() {
    const { unit, steps, seats } = this.answer;
    for (const { seat, worst } of seats) {
      if (this.record.seats[seat]?.level !== null) continue;
      for (const at of worst) {
        const { move, cost } = steps[at];
        remember({ game: this.game, position: this.positions[at].seen, move, cost, unit });
      }
    }
  }

  draw() {
    const { answer, names } = this;
    const seats = names.map((name, seat) => [seat, name]);
    const own = answer.seats[this.seat];
    fill(
      this.main,
      h(
        "section",
        { class: "panel" },
        h(
          "div",
          { class: "row" },
          seats.length > 1 &&
            select(t("whose"), seats, this.seat, (seat) => {
              this.seat = Number(seat);
              this.draw();
            }),
          button(t("download_record"), () => download(`${this.game}.jsonl`, this.text())),
        ),
        h("div", { id: "course" }, this.course()),
      ),
      h(
        "div",
        { class: "columns" },
        h("section", { class: "panel" }, h("h2", null, t("luck_and_skill")), this.numbers()),
        h("section", { class: "panel", id: "worst" }, h("h2", null, t("worst_decisions")), this.worst(own)),
      ),
      h("section", { class: "panel", id: "step" }, h("p", { class: "quiet" }, t("choose_a_step"))),
    );
  }

  text() {
    const last = this.positions[this.positions.length - 1];
    return recordText({ ...this.record, status: last.status });
  }

  course() {
    const { unit, seats } = this.answer;
    const whole = seats[this.seat].luck !== undefined;
    const points = whole ? this.points() : this.decisions();
    if (points.length < 2) return null;
    const note = whole ? (seats.length > 2 && unit === "win_share" ? "course_note_many" : "course_note") : "course_note_costs";
    return [
      course(points, (value) => (whole ? valueText(unit, value) : costText(unit, value)), (step) => this.show(step)),
      h("p", { class: "quiet" }, t(note)),
    ];
  }

  /** Return the value for the seat after each step, as luck and decisions made it. */
  points() {
    const { answer, seat, record } = this;
    const two = record.seats.length === 2 && answer.unit !== "expected_total";
    const lucky = SITE.games[this.game].levels[answer.unit]?.lucky || Infinity;
    let value = answer.seats[seat].start;
    return answer.steps.map((step) => {
      const luck = step.luck?.[seat] ?? 0;
      const mine = step.seat === seat;
      const cost = mine ? step.cost : 0;
      const given = two && step.cost !== undefined && !mine ? step.cost : 0;
      value += luck - cost + given;
      return { value, step: step.step, cost, mark: Math.abs(luck) > lucky };
    });
  }

  /** Return what the seat's decisions cost so far, where its value is not known at every step. */
  decisions() {
    let value = 0;
    const own = this.answer.steps.filter((step) => step.seat === this.seat);
    return own.map((step) => {
      value += step.cost;
      return { value, step: step.step, cost: step.cost };
    });
  }

  numbers() {
    const { answer, names } = this;
    const known = (part) => answer.seats.some((seat) => seat[part] !== undefined);
    const parts = ["start", "luck", "own", "others", "rest", "unexplained", "result"].filter(known);
    const places = answer.unit === "win_share" ? 3 : 2;
    return h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": t("luck_and_skill") },
      h(
        "table",
        { class: "numbers" },
        h("thead", null, h("tr", null, h("th", { scope: "col" }, t(`unit_${answer.unit}`)), names.map((name) => h("th", { scope: "col" }, name)))),
        h(
          "tbody",
          null,
          parts.map((part) =>
            h(
              "tr",
              null,
              h("th", { scope: "row" }, t(`part_${part}`)),
              answer.seats.map((seat) => h("td", null, part === "start" || part === "result" ? num(seat[part] ?? 0, places) : signed(seat[part] ?? 0, places))),
            ),
          ),
          h("tr", null, h("th", { scope: "row" }, t("decisions")), answer.seats.map((seat) => h("td", null, num(seat.decisions)))),
          h("tr", null, h("th", { scope: "row" }, t("mistakes")), answer.seats.map((seat) => h("td", null, num(seat.mistakes)))),
        ),
      ),
    );
  }

  worst(own) {
    const { steps, unit } = this.answer;
    if (own.worst.length === 0) return h("p", null, t("no_mistakes"));
    return h(
      "ol",
      { class: "moves" },
      own.worst.map((at) => {
        const step = steps[at];
        const { seen } = this.positions[at];
        return h(
          "li",
          null,
          h(
            "button",
            { class: "move", type: "button", onclick: () => this.show(at) },
            h(
              "span",
              { class: "top" },
              h("span", null, this.view.moveText(step.move, seen)),
              h("span", { class: "value mark3" }, t("costs", { n: costText(unit, step.cost) })),
            ),
            h("span", { class: "quiet" }, t("better_was", { move: this.view.moveText(step.best[0], seen) })),
          ),
        );
      }),
    );
  }

  /** Show a step: where it was made, what was better, and how to try it again. */
  show(at) {
    const step = this.answer.steps[at];
    const { seen, status } = this.positions[at];
    const place = /** @type {HTMLElement} */ (document.getElementById("step"));
    fill(
      place,
      h("h2", null, t("step_number", { n: at + 1 })),
      step.move &&
        h(
          "p",
          null,
          `${this.names[step.seat]}: ${this.view.moveText(step.move, seen)}`,
          step.cost > 1e-9 && ` — ${t("costs", { n: costText(this.answer.unit, step.cost) })}; ${t("better_was", { move: this.view.moveText(step.best[0], seen) })}`,
        ),
      !step.move && h("p", null, digits(JSON.stringify(this.record.steps[at].outcome))),
      this.view.table({ position: seen, status, names: this.names, mine: false, near: this.seat, local: this.view.local(), events: [] }),
      h(
        "div",
        { class: "actions" },
        !seen.hands && button(t("try_again"), () => go([this.game, "judge"], { p: packed(seen) }), { kind: "main" }),
        button(t("before_it"), () => this.show(at - 1), { disabled: at === 0, key: "before" }),
        button(t("after_it"), () => this.show(at + 1), { disabled: at + 1 >= this.answer.steps.length, key: "after" }),
      ),
    );
    place.scrollIntoView({ block: "nearest" });
  }
}
