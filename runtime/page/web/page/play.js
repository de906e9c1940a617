/** Playing: a new game, the table, bots that move, hints, undo, and the end. */

import { advice, errorBox, moveList, why } from "./advice.js";
import { ask } from "./asking.js";
import { announce, button, fill, h, mayMove, select, wait } from "./dom.js";
import { costText, VIEWS } from "./games.js";
import { address, go, packed } from "./route.js";
import { setup } from "./setup.js";
import { forget, game as keptGame, games, keep, newId, read, watch } from "./store.js";
import { SITE } from "./tables.js";
import { num, signed, t } from "./words.js";

const PACES = { slow: 1500, normal: 650, fast: 0 };

/** Show the page on which a game is played, or set up; return what ends it. */
export function playPage(main, game, query) {
  const id = query.get("g");
  const held = id === null ? null : keptGame(id);
  if (held && held.game === game) return new Table(main, held).begin();
  const open = games().filter((one) => one.game === game && !one.over);
  const place = h("div");
  fill(
    main,
    id !== null && h("p", { class: "note" }, t("game_gone")),
    open.length > 0 &&
      h(
        "section",
        { class: "panel" },
        h("h2", null, t("go_on")),
        open.map((one) =>
          h(
            "p",
            { class: "row" },
            h(
              "a",
              { href: address([game, "play"], { g: one.id }) },
              `${one.seats.map((seat) => seat.name).join(", ")} · ${t("steps", { n: one.steps.length })}`,
            ),
          ),
        ),
      ),
    place,
  );
  setup(place, game, (asked) => start(place, game, asked));
  ask(game, "open", { players: SITE.games[game].players.usual }).catch(() => undefined);
  return () => {};
}

/** Begin a new game and show it. */
async function start(place, game, { players, options, seats, first = 0 }) {
  try {
    const request = { game, options, players, first };
    if (VIEWS[game].hides) request.whole = true;
    const { position, status } = await ask(game, "new", request);
    const held = keep({
      id: newId(),
      game,
      seats,
      start: position,
      position,
      status,
      steps: [],
      undo: [],
      events: [],
      options,
      over: false,
    });
    go([game, "play"], { g: held.id });
  } catch (error) {
    place.append(errorBox(error));
  }
}

/** A game at a table: what is kept, what is on the screen, and whose turn it is. */
class Table {
  constructor(main, held) {
    this.main = main;
    this.held = held;
    this.view = VIEWS[held.game];
    this.local = this.view.local();
    this.chosen = null;
    this.hint = null;
    this.hints = false;
    this.covered = null;
    this.busy = false;
    this.ended = false;
    this.problem = null;
    this.fresh = false;
    this.turn = 0;
  }

  get names() {
    return this.held.seats.map((seat) => seat.name);
  }

  isPerson(seat) {
    return seat !== null && this.held.seats[seat]?.level === null;
  }

  /** Show the game and let it go on; return what ends it. */
  begin() {
    const people = this.held.seats.filter((seat) => seat.level === null).length;
    this.viewer = Math.max(0, this.held.seats.findIndex((seat) => seat.level === null));
    this.passes = Boolean(this.view.hides) && people > 1;
    if (this.passes) this.covered = this.viewer;
    const unwatch = watch(this.held.id, () => this.elsewhere());
    this.advance();
    return () => {
      this.ended = true;
      unwatch();
    };
  }

  /** Another tab went on with this game. */
  elsewhere() {
    if (this.ended) return;
    this.ended = true;
    fill(
      this.main,
      h(
        "section",
        { class: "panel" },
        h("p", { class: "note", role: "alert" }, t("another_tab")),
        button(
          t("take_game_here"),
          () => {
            const held = keptGame(this.held.id);
            if (held) new Table(this.main, held).begin();
            else go([this.held.game, "play"]);
          },
          { kind: "main" },
        ),
      ),
    );
  }

  /** Do what is to be done next: a bot's move, a throw, or wait for a person. */
  async advance() {
    const turn = ++this.turn;
    const { game, position, status } = this.held;
    this.legal = null;
    this.gains = null;
    this.prepared = null;
    if (status.to === "over") return this.draw();
    const waits = status.to === "chance";
    const seat = waits ? this.view.thrower(position) : status.seat;
    const person = this.isPerson(seat);
    if (person && this.passes && seat !== this.viewer) {
      this.covered = seat;
      this.viewer = seat;
    } else if (person) this.viewer = seat;
    try {
      await this.look(seat, person, waits);
      if (turn !== this.turn || this.ended) return;
      this.draw();
      this.fresh = false;
      if (person && !(waits && this.view.throwsAtOnce(position))) return;
      const pace = waits && this.view.throwsAtOnce(position) ? 0 : (PACES[read("pace", "normal")] ?? PACES.normal);
      await wait(pace);
      if (turn !== this.turn || this.ended) return;
      if (waits) return await this.step({});
      const level = this.held.seats[seat].level;
      const { move } = await ask(game, "move", { position, level, max_ms: 4000 });
      if (turn !== this.turn || this.ended) return;
      await this.step({ move });
    } catch (error) {
      this.fail(error);
    }
  }

  /** Find out what whoever is to move may do and sees. */
  async look(seat, person, waits) {
    const { game, position } = this.held;
    this.seen = position;
    if (this.view.hides) {
      const { position: seen } = await ask(game, "view", { position, seat: this.viewer });
      this.seen = seen;
    }
    if (this.view.prepare && person && this.covered === null) {
      this.prepared = await this.view.prepare(this.seen);
    }
    if (!person || waits) return;
    const found = await ask(game, this.view.boxes ? "gains" : "legal", { position });
    this.legal = found.legal;
    this.gains = found.gains ?? null;
  }

  fail(error) {
    this.problem = error;
    this.busy = false;
    this.draw();
  }

  /**
   * Make a step, keep it, and go on.
   *
   * @param {{ move?: any, outcome?: any, person?: boolean }} made
   */
  async step({ move, outcome, person = false }) {
    const { game, position, status } = this.held;
    const found = await ask(game, "apply", {
      position,
      ...(move ? { move } : {}),
      ...(outcome ? { outcome } : {}),
    });
    const steps = [...this.held.steps];
    if (move) steps.push({ seat: status.seat, move });
    else steps.push({ outcome: this.view.outcome(found.events) });
    const fell = !move || this.fences(found.events);
    const before = { position, status, steps: this.held.steps.length, events: this.held.events };
    const undo = fell ? [] : person ? [...this.held.undo, before] : this.held.undo;
    const over = found.status.to === "over";
    const events = move && move.keep ? this.held.events : found.events;
    const next = { ...this.held, ...found, steps, undo, events, over, last: status.seat };
    try {
      this.held = keep(next);
      this.problem = null;
    } catch (/** @type {any} */ error) {
      if (error.message === "another_tab") return this.elsewhere();
      this.held = { ...next, edition: this.held.edition };
      this.problem = new Error(t(error.message));
    }
    this.chosen = null;
    this.hint = null;
    this.fresh = true;
    this.tell(found.events);
    if (move && this.view.animate) {
      this.busy = true;
      this.drawStatus();
      const board = this.main.querySelector(".board")?.parentElement;
      if (board) await this.view.animate(board, position, found.events, this.names);
      this.busy = false;
      if (this.ended) return;
    }
    await this.advance();
  }

  /** Tell whether after events nothing may be undone: chance fell, or cards were seen. */
  fences(events) {
    return events.some((event) => event.thrown || event.draw || event.show || event.show_dublees || event.tiplu_drawn);
  }

  tell(events) {
    const text = events.map((event) => this.view.eventText(event, this.names)).filter(Boolean);
    if (text.length) announce(text.join(". "));
  }

  async play(move) {
    if (this.busy) return;
    this.busy = true;
    try {
      await this.step({ move, person: true });
    } catch (error) {
      this.fail(error);
    }
    this.busy = false;
  }

  async throwNow() {
    if (this.busy) return;
    this.busy = true;
    try {
      await this.step({});
    } catch (error) {
      this.fail(error);
    }
    this.busy = false;
  }

  async undo() {
    const { undo } = this.held;
    const last = undo[undo.length - 1];
    if (!last || this.busy) return;
    this.turn += 1;
    const steps = this.held.steps.slice(0, last.steps);
    const { position, status, events } = last;
    try {
      this.held = keep({ ...this.held, position, status, events, steps, undo: undo.slice(0, -1), over: false });
    } catch {
      return this.elsewhere();
    }
    this.chosen = null;
    this.hint = null;
    this.busy = false;
    await this.advance();
  }

  /** Choose a move without making it yet; with hints, what it would cost is asked. */
  async choose(move) {
    this.chosen = move;
    this.draw();
    if (this.hints) await this.askHint();
  }

  async askHint() {
    const { position } = this.held;
    this.hints = true;
    if (this.hint === null) {
      this.hint = "asking";
      this.draw();
      try {
        const found = await advice(this.seen.hand ? this.seen : position, { max_ms: 3000 });
        if (this.held.position !== position) return;
        this.hint = found;
      } catch (error) {
        this.hint = { error };
      }
    }
    this.draw();
  }

  // The screen.

  draw() {
    if (this.ended) return;
    if (this.covered !== null && this.held.status.to !== "over") return this.drawCover();
    const { status, position } = this.held;
    const over = status.to === "over";
    const waits = status.to === "chance";
    const seat = waits ? this.view.thrower(position) : status.seat;
    const mine = !over && !waits && this.isPerson(seat);
    const shown = over ? position : this.seen;
    const parts = this.view.table({
      game: this.held.game,
      position: shown,
      status,
      names: this.names,
      mine,
      near: this.viewer,
      legal: mine ? this.legal : null,
      gains: this.gains,
      prepared: this.prepared,
      chosen: this.chosen,
      events: this.held.events,
      fresh: this.fresh,
      local: this.local,
      best: this.hints && this.hint?.best ? this.hint.best : null,
      choose: (move) => this.choose(move),
      play: (move) => this.play(move),
    });
    const throws = waits && this.isPerson(seat) && !this.view.throwsAtOnce(position);
    fill(
      this.main,
      h("div", { id: "status" }, this.statusParts()),
      h(
        "div",
        { class: "columns" },
        h(
          "section",
          { class: "panel" },
          throws &&
            h(
              "div",
              { class: "actions" },
              button(this.view.throwText(position), () => this.throwNow(), { kind: "main", key: "throw" }),
            ),
          over && this.result(),
          parts,
        ),
        h("section", null, this.sidePart(mine)),
      ),
    );
  }

  drawStatus() {
    const place = document.getElementById("status");
    if (place) fill(place, this.statusParts());
  }

  statusParts() {
    const { status, position, seats } = this.held;
    const waits = status.to === "chance";
    const seat = status.to === "over" ? null : waits ? this.view.thrower(position) : status.seat;
    const events = (this.held.events ?? []).map((event) => this.view.eventText(event, this.names));
    return [
      h(
        "ul",
        { class: "players" },
        seats.map((one, at) =>
          h(
            "li",
            { class: at === seat ? "on" : "" },
            h("span", { class: "name" }, one.name),
            h("span", { class: "points" }, this.points(at)),
            h("span", { class: "quiet" }, ` ${one.level === null ? t("person") : t(`level_${one.level}`)}`),
          ),
        ),
      ),
      h(
        "p",
        { class: "line" },
        seat !== null && h("b", null, t(this.isPerson(seat) ? "your_turn" : "turn_of", { name: seats[seat].name })),
        " ",
        events.filter(Boolean).slice(-3).join(" · "),
      ),
      this.problem && errorBox(this.problem),
    ];
  }

  points(seat) {
    const { scores } = this.held.status;
    if (this.view.hides && this.held.status.to !== "over") return "";
    return scores ? num(scores[seat]) : "";
  }

  drawCover() {
    const name = this.held.seats[this.covered].name;
    fill(
      this.main,
      h(
        "section",
        { class: "panel", style: { textAlign: "center" } },
        h("h2", null, t("pass_phone", { name })),
        button(
          t("i_am", { name }),
          async () => {
            this.covered = null;
            this.prepared = this.view.prepare ? await this.view.prepare(this.seen) : null;
            this.draw();
          },
          { kind: "main" },
        ),
      ),
    );
  }

  result() {
    const { status, seats, id, game } = this.held;
    const winners = (status.winners ?? []).map((seat) => seats[seat].name).join(", ");
    const again = () => start(this.main, game, this.again());
    return h(
      "div",
      { class: "note", id: "result", style: { marginBottom: ".8rem" } },
      h("h2", null, t(status.winners?.length > 1 ? "share_the_win" : "wins_game", { name: winners })),
      h(
        "p",
        null,
        seats
          .map((seat, at) => `${seat.name}: ${game === "marriage" ? signed(status.returns[at]) : num(status.scores[at])}`)
          .join(" · "),
      ),
      h(
        "div",
        { class: "actions" },
        h("a", { class: "button main", href: address([game, "review"], { g: id }) }, t("review_game")),
        button(t("play_again"), again),
      ),
    );
  }

  /** Return what a further game begins with: who rolls or deals first moves on by a seat. */
  again() {
    const { start: begun, seats, options, position } = this.held;
    const count = seats.length;
    let first = (begun.first ?? begun.thrower ?? 0) + 1;
    if (begun.dealer !== undefined) first = begun.dealer + 2;
    if (begun.board) first = 0;
    return { players: count, options: options ?? position.options, seats, first: first % count };
  }

  sidePart(mine) {
    const { game, undo, id, position } = this.held;
    const hint = this.hint;
    const asked = hint?.options?.find((one) => JSON.stringify(one.move) === JSON.stringify(this.chosen));
    const lost = asked && hint.options[0].value - asked.value;
    const seen = this.seen ?? position;
    return [
      h(
        "div",
        { class: "actions", style: { marginBottom: ".8rem", marginTop: 0 } },
        button(t("hint"), () => this.askHint(), { disabled: !mine, key: "hint", "aria-pressed": String(this.hints) }),
        this.hints && button(t("hide_hints"), () => { this.hints = false; this.hint = null; this.draw(); }, { kind: "small plain" }),
        button(t("undo"), () => this.undo(), { disabled: undo.length === 0, key: "undo" }),
        this.held.status.to !== "over" &&
          !(this.view.hides && seen.hands) &&
          h("a", { class: "button", href: address([game, "judge"], { p: packed(seen) }) }, t("judge_this")),
        button(
          t("throw_away"),
          () => {
            if (!confirm(t("sure_throw_away"))) return;
            this.ended = true;
            forget(id);
            go([game, "play"]);
          },
          { kind: "plain" },
        ),
      ),
      this.hints &&
        mine &&
        h(
          "div",
          { class: "panel", id: "hints" },
          hint === "asking" || hint === null
            ? h("p", null, t("thinking"))
            : hint.error
              ? errorBox(hint.error)
              : [
                  asked &&
                    h(
                      "p",
                      { class: "note", id: "chosen-cost" },
                      lost <= 1e-9
                        ? t("chosen_best")
                        : t("chosen_costs", { n: costText(hint.unit, lost), move: this.view.moveText(this.chosen, position) }),
                    ),
                  hint.options
                    ? moveList({ ...hint, options: hint.options.slice(0, 5) }, position, {
                        names: this.names,
                        chosen: this.chosen,
                      })
                    : h("p", null, hint.best.map((move) => this.view.moveText(move, position)).join(", ")),
                  why(hint, position, this.names),
                ],
        ),
    ];
  }
}

/** Return a choice of level for a seat. */
export const levelSelect = (label, value, change) =>
  select(
    label,
    [["", t("person")], ...["easy", "medium", "hard", "expert"].map((one) => [one, t(`level_${one}`)])],
    value ?? "",
    (one) => change(one === "" ? null : one),
  );

export const moves = mayMove;
