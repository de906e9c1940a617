/** Learning: one's own worst positions again, and positions of a kind to practise. */

import { advice, errorBox, moveList, why } from "./advice.js";
import { ask, seen } from "./asking.js";
import { button, fill, h } from "./dom.js";
import { costText, LEVELS, VIEWS } from "./games.js";
import { kindOf } from "./kinds.js";
import { attempted, attempts, master, startOver, worst } from "./learned.js";
import { SITE } from "./tables.js";
import { num, t } from "./words.js";

/** Show the page on which positions are practised; return what ends it. */
export function learnPage(main, game) {
  const learn = new Learn(main, game);
  learn.draw();
  return () => {
    learn.ended = true;
  };
}

class Learn {
  constructor(main, game) {
    this.main = main;
    this.game = game;
    this.view = VIEWS[game];
    this.ended = false;
    this.local = this.view.local();
    this.chosen = null;
    this.answer = null;
    this.cost = 0;
  }

  /** The kinds of positions that there are to practise. */
  get kinds() {
    const own = worst(this.game).length ? ["own_worst"] : [];
    return [...own, "whole_games", ...Object.keys(this.view.practise)];
  }

  draw() {
    if (this.ended) return;
    fill(
      this.main,
      h(
        "section",
        { class: "panel" },
        h("h2", null, t("practise")),
        worst(this.game).length === 0 && h("p", { class: "quiet" }, t("no_worst_yet")),
        h(
          "div",
          { class: "actions" },
          this.kinds.map((kind) =>
            button(t(`practise_${kind}`, { n: worst(this.game).length }), () => this.next(kind), {
              "aria-pressed": String(kind === this.kind),
              key: `kind-${kind}`,
            }),
          ),
        ),
      ),
      h(
        "div",
        { class: "columns" },
        h("section", { class: "panel", id: "lesson" }, this.lesson()),
        h("section", null, h("div", { class: "panel", id: "score" }, this.score())),
      ),
    );
  }

  /** Put the next position of a kind. */
  async next(kind) {
    this.kind = kind;
    this.chosen = null;
    this.answer = null;
    this.error = null;
    this.made = null;
    try {
      const found = kind === "own_worst" ? this.ownWorst() : await this.drawn(kind);
      if (found === null) return this.draw();
      await this.put(found);
    } catch (error) {
      this.error = error;
      this.position = null;
    }
    this.draw();
  }

  ownWorst() {
    const list = worst(this.game);
    if (list.length === 0) return null;
    this.at = ((this.at ?? -1) + 1) % list.length;
    this.from = list[this.at];
    return this.from.position;
  }

  /** Return a position of a kind, played on to a decision. */
  async drawn(kind) {
    this.from = null;
    const { game } = this;
    if (kind === "whole_games") return this.fromGame();
    let position = this.view.practise[kind](Math.random);
    let { status } = await ask(game, "status", { position });
    const keeps = Math.floor(Math.random() * 3);
    for (let step = 0; status.to === "chance" || (step < keeps && status.to === "move" && position.dice); step++) {
      const request = status.to === "chance" ? {} : await this.keepMove(position);
      if (request === null) break;
      ({ position, status } = await ask(game, "apply", { position, ...request }));
    }
    if (status.to === "over") return this.drawn(kind);
    return position;
  }

  /** Return a move of a bot if it goes on with the turn. */
  async keepMove(position) {
    const { move } = await ask(this.game, "move", { position, level: "hard" });
    return move.keep ? { move } : null;
  }

  /** Return a position out of the middle of a game of bots. */
  async fromGame() {
    const { game } = this;
    const { players } = SITE.games[game];
    const request = { game, players: Math.max(players.least, Math.min(2, players.most)) };
    let { position, status } = await ask(game, "new", this.view.hides ? { ...request, whole: true } : request);
    let left = 2 + Math.floor(Math.random() * 30);
    while (left > 0 || status.to !== "move") {
      if (status.to === "over") return this.fromGame();
      const step =
        status.to === "chance" ? {} : { move: (await ask(game, "move", { position, level: "medium", max_ms: 300 })).move };
      ({ position, status } = await ask(game, "apply", { position, ...step }));
      left -= 1;
    }
    const { legal } = await ask(game, "legal", { position });
    if (legal.length < 2) return this.fromGame();
    if (!this.view.hides) return position;
    return (await ask(game, "view", { position, seat: status.seat })).position;
  }

  async put(given) {
    const { game } = this;
    const { position, status } = await seen(given);
    this.position = position;
    this.status = status;
    this.local = this.view.local();
    const found = await ask(game, this.view.boxes ? "gains" : "legal", { position });
    this.legal = found.legal;
    this.gains = found.gains ?? null;
    this.prepared = this.view.prepare ? await this.view.prepare(position) : null;
  }

  get names() {
    if (this.game === "raja_pasu") return [t("south", {}, this.game), t("north", {}, this.game)];
    const { sheets, stacks, players } = this.position;
    const count = sheets?.length ?? stacks?.length ?? players;
    return Array.from({ length: count }, (_, seat) =>
      seat === (this.status.seat ?? 0) ? t("you") : t("seat", { n: seat + 1 }),
    );
  }

  /** Judge the move that was made. */
  async play(move) {
    if (this.made) return;
    this.made = move;
    this.chosen = move;
    try {
      this.answer = await advice(this.position, { max_ms: 4000 });
    } catch (error) {
      this.error = error;
      return this.draw();
    }
    const key = JSON.stringify(move);
    const { options, unit } = this.answer;
    const option = options.find((one) => JSON.stringify(one.move) === key);
    this.cost = option ? Math.max(0, options[0].value - option.value) : 0;
    attempted(this.game, { kind: kindOf(this.game, this.position), unit, cost: this.cost });
    if (this.from && this.cost <= 1e-9) master(this.from);
    this.draw();
  }

  lesson() {
    if (this.error) return errorBox(this.error);
    if (!this.position) return h("p", { class: "quiet" }, t("choose_practice"));
    const { position, status, answer } = this;
    return [
      this.from && !this.made && h("p", { class: "note" }, t("you_lost_here", { n: costText(this.from.unit, this.from.cost) })),
      this.made &&
        answer &&
        h(
          "div",
          { class: "note", role: "status", id: "verdict" },
          h("p", null, h("b", null, this.cost <= 1e-9 ? t("chosen_best") : t("chosen_costs", { n: costText(answer.unit, this.cost), move: this.view.moveText(this.made, position) }))),
          button(t("next_position"), () => this.next(this.kind), { kind: "main", key: "next" }),
        ),
      this.view.table({
        game: this.game,
        position,
        status,
        names: this.names,
        mine: !this.made,
        near: status.seat ?? 0,
        legal: this.made ? null : this.legal,
        gains: this.gains,
        prepared: this.prepared,
        chosen: this.chosen,
        events: [],
        fresh: false,
        local: this.local,
        best: this.made ? answer?.best : null,
        choose: (move) => {
          this.chosen = move;
          this.draw();
        },
        play: (move) => this.play(move),
      }),
      this.made && answer && [moveList({ ...answer, options: answer.options.slice(0, 6) }, position, { names: this.names, chosen: this.made }), why(answer, position, this.names)],
    ];
  }

  /** The mean cost of a decision, beside what decisions of these kinds cost the levels. */
  score() {
    const all = attempts(this.game);
    const unit = all[all.length - 1]?.unit;
    const done = all.filter((one) => one.unit === unit);
    if (done.length === 0) return h("p", { class: "quiet" }, t("no_attempts_yet"));
    const mean = done.reduce((sum, one) => sum + one.cost, 0) / done.length;
    const costs = SITE.games[this.game].levels[unit]?.costs ?? {};
    const known = done.filter((one) => costs[one.kind]);
    const levelMean = (level) => known.reduce((sum, one) => sum + costs[one.kind][level], 0) / known.length;
    /** @type {[string, number][]} */
    const rows = [[t("you"), mean], ...(known.length ? LEVELS.map((level) => /** @type {[string, number]} */ ([t(`level_${level}`), levelMean(level)])) : [])];
    return [
      h("h2", null, t("mean_cost")),
      h("p", { class: "quiet" }, t("attempts_done", { n: done.length })),
      h(
        "table",
        { class: "numbers" },
        h("thead", { class: "unseen" }, h("tr", null, h("th", { scope: "col" }, t("who")), h("th", { scope: "col" }, t("mean_cost")))),
        h(
          "tbody",
          null,
          rows.map(([name, cost], at) =>
            h("tr", null, h("th", { scope: "row" }, at === 0 ? h("b", null, name) : name), h("td", null, unit === "win_share" ? `${num(100 * cost, 2)}%` : num(cost, 3))),
          ),
        ),
      ),
      button(t("start_over"), () => { startOver(this.game); this.draw(); }, { kind: "small plain" }),
    ];
  }
}
