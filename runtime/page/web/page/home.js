/** All games on one page, the games to go on with, and the rules of each. */

import { button, fill, h } from "./dom.js";
import { NAMES, VIEWS } from "./games.js";
import { address } from "./route.js";
import { forget, games } from "./store.js";
import { digits, paragraphs, t } from "./words.js";

/** Show all games. */
export function home(main) {
  const open = games().filter((one) => !one.over && NAMES.includes(one.game));
  fill(
    main,
    h("p", { class: "lead" }, t("lead")),
    open.length > 0 &&
      h(
        "section",
        { class: "panel" },
        h("h2", null, t("go_on")),
        h(
          "ul",
          { class: "plain" },
          open.map((one) => goOn(main, one)),
        ),
      ),
    h(
      "ul",
      { class: "games" },
      NAMES.map((name) =>
        h(
          "li",
          { class: "panel game" },
          h("a", { class: "cover", href: address([name, "play"]) }, VIEWS[name].sketch(), h("h2", null, t("title", {}, name))),
          h("p", { class: "quiet" }, t("in_short", {}, name)),
          h(
            "p",
            { class: "links" },
            partsOf(name).map((one) =>
              h(
                "a",
                { href: address([name, one]), "aria-label": `${t("title", {}, name)}: ${t(one)}` },
                t(one),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}

const partsOf = (name) => [
  ...["play", "judge", "learn", "review"],
  ...(paragraphs("rules", name).length ? ["rules"] : []),
];

function goOn(main, one) {
  const names = one.seats.map((seat) => seat.name).join(", ");
  return h(
    "li",
    { class: "row" },
    h(
      "a",
      { href: address([one.game, "play"], { g: one.id }) },
      `${t("title", {}, one.game)}: ${names}`,
    ),
    h("span", { class: "quiet" }, t("steps", { n: one.steps.length })),
    button(
      t("throw_away"),
      () => {
        forget(one.id);
        home(main);
      },
      { kind: "small plain" },
    ),
  );
}

/** Show the rules of a game. */
export function rulesPage(main, game) {
  const found = paragraphs("rules", game);
  fill(
    main,
    h(
      "article",
      { class: "panel prose" },
      found.map((text) =>
        text.startsWith("# ") ? h("h2", null, digits(text.slice(2))) : h("p", null, digits(text)),
      ),
    ),
  );
}
