/** The page: its head, what the address asks for, languages, and its offline copy. */

import { announce, button, fill, h, select } from "./dom.js";
import { NAMES, VIEWS } from "./games.js";
import { home, rulesPage } from "./home.js";
import { judgePage } from "./judge.js";
import { learnPage } from "./learn.js";
import { playPage } from "./play.js";
import { reviewPage } from "./review.js";
import { address, go, route } from "./route.js";
import { read, write } from "./store.js";
import { current, LANGUAGES, load, num, paragraphs, preferred, t } from "./words.js";

const PAGES = {
  play: playPage,
  judge: judgePage,
  learn: learnPage,
  review: reviewPage,
  rules: rulesPage,
};

/** Return the pages of a game: the rules where they are written. */
const partsOf = (game) =>
  Object.keys(PAGES).filter((one) => one !== "rules" || paragraphs("rules", game).length > 0);

/** What ends the page that is shown, if it has something to end. */
let leave = () => {};
let offline = { kept: 0, of: 0 };

/** @type {any} */
let update = null;

function setting(name, fallback) {
  return read(name, fallback);
}

function remember(name, value) {
  try {
    write(name, value);
  } catch {
    announce(t("storage_refused"));
  }
}

function look() {
  const theme = setting("theme", "auto");
  const root = document.documentElement;
  if (theme === "auto") delete root.dataset.theme;
  else root.dataset.theme = theme;
  root.dataset.motion = setting("motion", "on");
}

function head(path) {
  const [game, part] = path;
  const languages = Object.entries(LANGUAGES).map(([code, name]) => [code, name]);
  const nav =
    game &&
    h(
      "nav",
      { class: "tabs", "aria-label": t("what_to_do") },
      partsOf(game).map((one) =>
        h(
          "a",
          { href: address([game, one]), "aria-current": one === part ? "page" : null },
          t(one),
        ),
      ),
    );
  return h(
    "header",
    { class: "head" },
    h(
      "div",
      { class: "bar" },
      h(
        "a",
        { class: "brand", href: "#/", "aria-label": `ustad: ${t("all_games")}` },
        h("img", { src: "icon.svg", alt: "", width: 32, height: 32 }),
        h("span", null, "ustad"),
      ),
      game && h("h1", null, t("title", {}, game)),
      select(t("language"), languages, current(), change, { class: "language", "data-key": "language" }),
    ),
    nav,
  );
}

function foot() {
  const themes = ["auto", "light", "dark"].map((one) => [one, t(`theme_${one}`)]);
  const motions = ["on", "off"].map((one) => [one, t(`motion_${one}`)]);
  const paces = ["slow", "normal", "fast"].map((one) => [one, t(`pace_${one}`)]);
  const choose = (name) => (value) => {
    remember(name, value);
    look();
  };
  return h(
    "footer",
    { class: "foot" },
    h(
      "div",
      { class: "settings" },
      select(t("theme"), themes, setting("theme", "auto"), choose("theme")),
      select(t("motion"), motions, setting("motion", "on"), choose("motion")),
      select(t("pace"), paces, setting("pace", "normal"), choose("pace")),
    ),
    h("p", { id: "offline", class: "quiet" }, offlineText()),
  );
}

function offlineText() {
  if (offline.of === 0) return "";
  if (offline.kept >= offline.of) return t("offline_ready");
  return t("offline_part", { kept: num(offline.kept), of: num(offline.of) });
}

async function change(language) {
  remember("language", language);
  await load(language);
  show();
}

/** Show what the address asks for. */
function show() {
  leave();
  leave = () => {};
  const { path, query } = route();
  const [game, part] = path;
  const app = /** @type {HTMLElement} */ (document.getElementById("app"));
  const known = NAMES.includes(game);
  if (path.length && (!known || (part && !(part in PAGES)))) return go([]);
  if (known && !part) return go([game, "play"]);
  const main = h("main", { id: "main", tabindex: "-1" });
  const skip = h(
    "a",
    {
      class: "skip",
      href: "#main",
      onclick: (/** @type {Event} */ event) => {
        event.preventDefault();
        main.focus();
      },
    },
    t("skip"),
  );
  const told = h("p", { id: "told", class: "unseen", role: "status", "aria-live": "polite" });
  fill(app, skip, head(known ? path : []), banner(), main, foot(), told);
  document.title = known ? `${t("title", {}, game)} · ${t(part)} · ustad` : "ustad";
  if (known) leave = PAGES[part](main, game, query) ?? (() => {});
  else home(main);
}

function banner() {
  const place = h("div", { id: "banner" });
  if (update) {
    place.append(
      h(
        "p",
        { class: "banner", role: "alert" },
        t("new_version"),
        button(t("take_over"), () => update.postMessage("take over"), { kind: "small" }),
      ),
    );
  }
  return place;
}

/** Keep the page on this machine, and take over new versions when they are asked for. */
async function keep() {
  if (!("serviceWorker" in navigator)) return;
  const workers = navigator.serviceWorker;
  const first = !workers.controller;
  workers.addEventListener("message", ({ data }) => {
    offline = data;
    const place = document.getElementById("offline");
    if (place) place.textContent = offlineText();
  });
  let reloading = false;
  workers.addEventListener("controllerchange", () => {
    if (first || reloading) return;
    reloading = true;
    location.reload();
  });
  try {
    const registration = await workers.register("sw.js", { updateViaCache: "none" });
    const offer = () => {
      if (!registration.waiting || !workers.controller) return;
      update = registration.waiting;
      document.getElementById("banner")?.replaceWith(banner());
    };
    offer();
    registration.addEventListener("updatefound", () => {
      registration.installing?.addEventListener("statechange", offer);
    });
    const ready = await workers.ready;
    ready.active?.postMessage("keep data");
  } catch {
    // Without a service worker the page still works, but for the time without a network.
  }
}

async function begin() {
  look();
  const asked = setting("language", null);
  await load(asked in LANGUAGES ? asked : preferred(navigator.languages ?? ["en"]));
  addEventListener("hashchange", show);
  show();
  keep();
}

if (Object.keys(VIEWS).length) begin();
