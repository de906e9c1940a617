/** Judging a position: set up by touch, every move with its value, why, and a step on and back. */

import { advice, errorBox, moveList, nearest, plots, valueLine, why } from "./advice.js";
import { ask, seen } from "./asking.js";
import { announce, button, fill, h, mayMove, select, wait } from "./dom.js";
import { VIEWS } from "./games.js";
import { packed, rename, unpacked } from "./route.js";
import { optionForm } from "./setup.js";
import { SITE } from "./tables.js";
import { num, t } from "./words.js";

/** How many moves of best play are shown. */
const LINE = 8;

/** Show the page on which a position is judged; return what ends it. */
export function judgePage(main, game, query) {
  const judge = new Judge(main, game);
  const given = query.has("p") ? unpacked(query.get("p")) : null;
  judge.begin(given, query.has("p"));
  return () => {
    judge.ended = true;
  };
}

/** Return a position to begin with. */
async function usual(game) {
  const { players } = SITE.games[game];
  const { position } = await ask(game, "new", { game, players: Math.max(1, players.least), seed: 7 });
  if (position.dice === undefined) return position;
  return { ...position, dice: [1, 1, 3, 4, 6], rolls_left: 2 };
}

class Judge {
  constructor(main, game) {
    this.main = main;
    this.game = game;
    this.view = VIEWS[game];
    this.local = this.view.local();
    this.before = [];
    this.level = "expert";
    this.asked = 0;
    this.all = false;
    this.ended = false;
    this.gains = null;
    this.prepared = null;
    this.place = { left: h("section", null), right: h("section", { class: "panel", id: "answer" }) };
  }

  async begin(given, wanted) {
    fill(this.main, h("div", { class: "columns" }, this.place.left, this.place.right));
    try {
      this.position = given?.game === this.game ? given : await usual(this.game);
      this.setting = given === null;
      if (wanted && given?.game !== this.game) announce(t("address_damaged"));
      await this.ask();
    } catch (error) {
      fill(this.place.right, errorBox(error));
    }
  }

  get names() {
    if (this.game === "raja_pasu") return [t("south", {}, this.game), t("north", {}, this.game)];
    const seats =
      this.position.sheets?.length ?? this.position.stacks?.length ?? this.position.players ?? this.position.hands?.length ?? 2;
    return Array.from({ length: seats }, (_, seat) => t("seat", { n: seat + 1 }));
  }

  /** Take over a position that was set up, and ask about it. */
  change(position) {
    this.position = position;
    this.before = [];
    this.all = false;
    this.ask();
  }

  /** Ask what the position is worth; an answer that comes late is of no consequence. */
  async ask() {
    const asked = ++this.asked;
    this.error = null;
    this.chosen = null;
    this.legal = null;
    this.status = null;
    try {
      const { position, status } = await seen(this.position);
      if (asked !== this.asked || this.ended) return;
      this.position = position;
      this.status = status;
      rename([this.game, "judge"], { p: packed(position) });
      this.drawLeft();
      const found = await Promise.all([
        status.to === "over" ? null : advice(position, { level: this.level, max_ms: 5000 }),
        status.to === "move" ? ask(this.game, this.view.boxes ? "gains" : "legal", { position }) : { legal: [] },
        this.view.prepare ? this.view.prepare(position) : null,
      ]);
      if (asked !== this.asked || this.ended) return;
      [this.answer, { legal: this.legal, gains: this.gains }, this.prepared] = found;
    } catch (error) {
      if (asked !== this.asked || this.ended) return;
      this.error = error;
      this.answer = null;
      rename([this.game, "judge"], { p: packed(this.position) });
      this.setting = true;
    }
    this.drawLeft();
    this.drawRight();
  }

  /** Go on from the position by a move or by chance. */
  async step(request) {
    const { position } = this;
    try {
      const found = await ask(this.game, "apply", { position, ...request });
      this.before.push(position);
      this.setting = false;
      if (this.view.animate && request.move) {
        const place = this.place.left.querySelector(".board")?.parentElement;
        if (place) await this.view.animate(place, position, found.events, this.names);
      }
      this.position = found.position;
      this.fresh = true;
      await this.ask();
    } catch (error) {
      this.error = error;
      this.drawRight();
    }
  }

  back() {
    const position = this.before.pop();
    if (!position) return;
    this.position = position;
    this.ask();
  }

  drawLeft() {
    const { position, status, local, setting } = this;
    const tabs = h(
      "div",
      { class: "actions", style: { marginTop: 0, marginBottom: ".6rem" } },
      button(t("set_up"), () => this.mode(true), { "aria-pressed": String(setting), key: "set-up" }),
      button(t("look"), () => this.mode(false), { "aria-pressed": String(!setting), key: "look" }),
      button(t("back"), () => this.back(), { disabled: this.before.length === 0, key: "back" }),
    );
    const shown = setting
      ? [this.view.editor({ position, local, change: (next) => this.change(next) }), this.optionPart()]
      : status &&
        this.view.table({
          game: this.game,
          position,
          status,
          names: this.names,
          mine: status.to === "move",
          near: 0,
          legal: this.legal,
          gains: this.gains,
          prepared: this.prepared,
          chosen: this.chosen,
          events: [],
          fresh: this.fresh,
          local,
          best: this.answer?.best,
          choose: (move) => this.choose(move),
          play: (move) => this.step({ move }),
        });
    this.fresh = false;
    fill(this.place.left, h("div", { class: "panel" }, tabs, shown));
  }

  mode(setting) {
    this.setting = setting;
    this.drawLeft();
  }

  choose(move) {
    this.chosen = move;
    this.setting = false;
    this.drawLeft();
    this.drawRight();
  }

  optionPart() {
    const options = { ...this.position.options };
    const change = () => {
      const own = Object.fromEntries(Object.entries(options).filter(([name]) => name in (this.position.options ?? {}) || name in SITE.games[this.game].options));
      delete own.stack;
      delete own.laps;
      this.change({ ...this.position, options: own });
    };
    return h("details", null, h("summary", null, t("options")), optionForm(this.game, options, change));
  }

  drawRight() {
    const { answer, position, status, names } = this;
    if (this.error) {
      const near = nearest(position, this.error);
      fill(
        this.place.right,
        errorBox(this.error, near && button(t("use_nearest"), () => this.change(near), { key: "nearest" })),
      );
      return;
    }
    const waits = status?.to === "chance";
    const units = this.game === "yacht" && position.sheets.length > 1;
    fill(
      this.place.right,
      units &&
        select(
          t("judge_by"),
          [
            ["expert", t("unit_win_share")],
            ["hard", t("unit_expected_total")],
          ],
          this.level,
          (level) => {
            this.level = level;
            this.ask();
          },
        ),
      status?.to === "over" && h("p", { class: "note" }, t("position_over")),
      answer && valueLine(answer),
      waits && this.chancePart(),
      answer &&
        moveList(answer, position, {
          names,
          chosen: this.chosen,
          all: this.all,
          choose: (move) => this.choose(move),
          more: () => {
            this.all = true;
            this.drawRight();
          },
        }),
      this.chosen &&
        h(
          "div",
          { class: "actions" },
          button(t("step_into", { move: this.view.moveText(this.chosen, position, names) }), () => this.step({ move: this.chosen }), {
            kind: "main",
            key: "step-into",
          }),
        ),
      answer?.options?.length > 0 && why(answer, position, names),
      answer && plots(answer, position, names),
      this.linePart(),
    );
  }

  chancePart() {
    const { position, local } = this;
    return h(
      "div",
      { class: "note" },
      h("p", null, t("waits_for_chance")),
      this.view.outcomeEditor({ position, local, thrown: (outcome) => this.step({ outcome }) }),
      h("div", { class: "actions" }, button(t("let_it_fall"), () => this.step({}), { key: "fall" })),
    );
  }

  /** Best play on from here, shown move by move. */
  linePart() {
    if (!this.view.animate || this.status?.to !== "move" || !this.answer) return null;
    return h("div", { class: "actions" }, button(t("show_line"), () => this.showLine(), { key: "line" }));
  }

  async showLine() {
    const asked = this.asked;
    const gone = () => asked !== this.asked || this.ended;
    let { position, status } = this;
    this.setting = false;
    this.drawLeft();
    for (let shown = 0; shown < LINE && status.to === "move"; shown++) {
      const { move } = await ask(this.game, "move", { position, level: "expert", max_ms: 3000 });
      const found = await ask(this.game, "apply", { position, move });
      if (gone()) return;
      const place = this.place.left.querySelector(".board")?.parentElement;
      if (place) await this.view.animate(place, position, found.events, this.names);
      ({ position, status } = found);
      if (gone()) return;
      const table = { position, status, names: this.names, mine: false, near: 0, local: this.local };
      fill(
        this.place.left,
        h(
          "div",
          { class: "panel" },
          h("p", { class: "note" }, `${num(shown + 1)}. ${this.view.moveText(move)}`),
          this.view.table(table),
          button(t("back"), () => this.ask(), { key: "end-line" }),
        ),
      );
      await wait(mayMove() ? 700 : 300);
      if (gone()) return;
    }
  }
}
