"""The page in a real browser: games played, judged and kept, languages, offline, what is hostile.

The right answers are Python's, which have tests of their own; what the page shows is compared with
them as it is shown.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ustad.runtime import Advisor
from ustad.runtime.core.registry import NAMES
from ustad.runtime.page.wording import LANGUAGES, joined

PARTS = ("play", "judge", "learn", "review", "rules")
AXE = "axe-core@4.14.1"
SECONDS = 20.0


class Page:
    """A page that is shown: addresses, clicks and what is on it."""

    def __init__(self, driver: Any, server: Any) -> None:
        self.driver, self.server = driver, server

    def show(self, address: str = "", **settings: str) -> None:
        """Show an address anew, with settings of the page."""
        self.driver.get("about:blank")
        script = "".join(
            f"localStorage[{json.dumps(f'ustad.{name}')}] = {json.dumps(json.dumps(value))};"
            for name, value in settings.items()
        )
        add, remove = (f"Page.{verb}ScriptToEvaluateOnNewDocument" for verb in ("add", "remove"))
        held = self.driver.execute_cdp_cmd(add, {"source": script})
        self.driver.get(f"{self.server.address}{address}")
        self.driver.execute_cdp_cmd(remove, held)
        self.until(lambda: self.all("main > *"))

    def run(self, script: str, *words: Any) -> Any:
        """Run a script in the page."""
        return self.driver.execute_script(script, *words)

    def all(self, selector: str) -> list[Any]:
        """Return the elements of a selector."""
        found: list[Any] = self.driver.find_elements("css selector", selector)
        return found

    def click(self, selector: str) -> None:
        """Click an element once it is there."""
        self.until(lambda: self.all(selector))
        self.run("arguments[0].click()", self.all(selector)[0])

    def text(self, selector: str = "main") -> str:
        """Return the text of an element once it is there."""
        self.until(lambda: self.all(selector))
        return str(self.run("return document.querySelector(arguments[0]).innerText", selector))

    def until(self, holds: Callable[[], Any], seconds: float = SECONDS) -> None:
        """Wait until something holds."""
        end = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < end, self.run("return document.body.innerText")
            time.sleep(0.02)

    def width(self, pixels: int) -> None:
        """Make the page so many pixels wide."""
        size = {"width": pixels, "height": 800, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def offline(self, off: bool) -> None:
        """Take the network away, or give it back."""
        limits = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        self.driver.execute_cdp_cmd("Network.enable", {})
        self.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {"offline": off, **limits})

    def begin(self, game: str, seats: int = 0, **settings: str) -> None:
        """Begin a game whose bots play at once."""
        self.show(f"#/{game}/play", pace="fast", motion="off", **settings)
        if seats:
            self.choose("players", str(seats))
        self.click("[data-key=begin]")
        self.until(lambda: self.all(".players"))

    def choose(self, key: str, value: str) -> None:
        """Choose a value of a select."""
        script = """const one = document.querySelector(`[data-key="${arguments[0]}"]`);
        one.value = arguments[1]; one.dispatchEvent(new Event("change", { bubbles: true }));"""
        self.until(lambda: self.all(f'[data-key="{key}"]'))
        self.run(script, key, value)

    def autoplay(self, most: float = 10_000) -> dict[str, Any]:
        """Play by clicking."""
        told: dict[str, Any] = self.driver.execute_async_script(AUTOPLAY, most, 60_000)
        return told

    def complaints(self) -> list[str]:
        """Return what the browser complained of."""
        return [one["message"] for one in self.driver.get_log("browser") if one["level"] != "INFO"]


AUTOPLAY = """
/** Buttons in the order in which they are clicked, where they are there. */
const CLICKED = [
  '[data-key="write"]',
  ".write:not(.zero)",
  ".write",
  '[data-key="throw"]',
  '[data-key="bet-now"]',
  '[data-key="sow"]',
  ".pit.can",
  '[data-key^="show"]',
  '[data-key="discard"]',
  '[data-key="draw-stock"]',
  '[data-key="draw-pile"]',
  ".hand button.card",
  '[data-key="pass"]',
];

/**
 * @param {number} most clicks, Infinity for all of the game.
 * @param {number} limit milliseconds.
 * @param {(told: { over: boolean, clicks: number, wrong?: string }) => void} done
 */
function autoplay(most, limit, done) {
  const began = Date.now();
  let clicks = 0;
  const enabled = (selector) =>
    [...document.querySelectorAll(`main ${selector}`)].find((one) => !one.disabled);
  const next = () => {
    if (document.getElementById("result")) return done({ over: true, clicks });
    const wrong = document.querySelector("main .error");
    if (wrong) return done({ over: false, clicks, wrong: wrong.textContent });
    if (clicks >= most) return done({ over: false, clicks });
    if (Date.now() - began > limit) return done({ over: false, clicks, wrong: "no end" });
    const button = CLICKED.map(enabled).find(Boolean);
    if (button) {
      button.click();
      clicks += 1;
    }
    setTimeout(next, 5);
  };
  next();
}
autoplay(...arguments);
"""
"""Plays the game that is shown by clicking: so many clicks at most, and milliseconds."""


@pytest.fixture
def page(chromium: Any, server: Any) -> Iterator[Page]:
    """The page, of which the browser knows nothing yet, and complains of nothing at the end."""
    found = Page(chromium, server)
    found.width(360)
    chromium.get_log("browser")
    yield found
    found.offline(False)
    assert found.complaints() == []


def packed(position: Any) -> str:
    """Return a position as addresses hold it."""
    return base64.urlsafe_b64encode(json.dumps(position).encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    ("game", "language"), list(zip(NAMES, ("en", "bn", "ne", "ne", "ne"), strict=True)), ids=NAMES
)
def test_a_game_is_played_to_its_end_reloaded_in_the_middle(
    game: str, language: str, page: Page
) -> None:
    page.begin(game, language=language)
    assert page.run("return document.documentElement.lang") == language
    assert "wrong" not in page.autoplay(5)
    if not page.all("#result"):
        kept = page.run(KEPT)
        page.driver.refresh()
        page.until(lambda: page.all(".players"))
        assert page.run(KEPT)["steps"][: len(kept["steps"])] == kept["steps"]
    assert page.autoplay()["over"]
    kept = page.run(KEPT)
    assert kept["over"]
    assert kept["status"]["winners"]


KEPT = """const key = Object.keys(localStorage).find((one) => one.startsWith("ustad.game."));
return JSON.parse(localStorage[key]);"""


@pytest.mark.parametrize("game", ["yacht", "dice_poker", "pasa", "marriage"])
def test_the_four_levels_play_against_each_other(game: str, page: Page) -> None:
    seats = 2 if game == "pasa" else 4
    page.show(f"#/{game}/play", pace="fast", motion="off")
    page.choose("players", str(seats))
    for seat, level in enumerate(("expert", "hard", "medium", "easy")[:seats]):
        page.choose(f"level{seat}", level)
    if game == "pasa":
        page.choose("option-stack", "12")  # what the small table is of
    page.click("[data-key=begin]")
    page.until(lambda: page.all("#result"), 60)
    record = page.run(KEPT)
    start, steps = record["start"], record["steps"]
    assert len(steps) > 1
    told = {"start": start, "steps": steps, "seats": record["seats"]}
    assert play_on(told) == record["status"]


def play_on(record: dict[str, Any]) -> dict[str, Any]:
    """Return the status at the end of a record, as Python plays it."""
    advisor, position = Advisor(), record["start"]
    status: dict[str, Any] = {}
    for step in record["steps"]:
        more = {"outcome": step["outcome"]} if "outcome" in step else {"move": step["move"]}
        answer = advisor.call("apply", {"position": position, **more})
        position, status = answer["position"], answer["status"]
    return status


@pytest.mark.parametrize("game", NAMES)
def test_a_game_is_reviewed_as_python_reviews_it(game: str, page: Page, folder: Path) -> None:
    """The small tables of Raja Pasu are of other boards: that it cannot be judged is said."""
    page.show(f"#/{game}/play", pace="fast", motion="off", language="en")
    page.choose("players", "2") if game != "raja_pasu" else None
    if game == "pasa":
        page.choose("option-stack", "12")
    page.click("[data-key=begin]")
    page.until(lambda: page.all(".players"))
    assert page.autoplay()["over"]
    kept = page.run(KEPT)
    page.click("#result a")
    if game == "raja_pasu":
        page.until(lambda: page.all("main .error"))
        assert joined("en")["page"]["missing_table"] in page.text("main .error")
        return
    page.until(lambda: page.all("#worst"))
    rows = [line.split("\t") for line in page.text(".numbers tbody").split("\n")]
    found = {row[0]: [float(one.replace("−", "-")) for one in row[1:]] for row in rows}
    record = {key: kept[key] for key in ("start", "steps", "seats")}
    unit = {"unit": "expected_total"} if game == "yacht" else {}
    seats = Advisor(str(folder)).call("review", {"record": record, **unit})["seats"]
    names = {"own": "own decisions", "result": "result", "decisions": "decisions"}
    if game != "marriage":
        names |= {"start": "at the start", "luck": "luck", "others": "decisions of others"}
    for key, name in names.items():
        assert found[name] == pytest.approx([seat[key] for seat in seats], abs=0.03), key
    assert len(page.all("#worst li")) == len(seats[0]["worst"])
    if seats[0]["worst"]:  # else no decision cost anything
        page.click("#worst button")
        page.until(lambda: page.all("#step .button.main"))


POSITIONS: dict[str, dict[str, Any]] = {
    "yacht": {"game": "yacht", "sheets": [{"ones": 3}], "dice": [1, 1, 3, 4, 6], "rolls_left": 1},
    "dice_poker": {"game": "dice_poker", "sheets": [{}], "dice": [2, 2, 3, 4, 6], "rolls_left": 1},
    "pasa": {
        "game": "pasa",
        "stacks": [10, 14],
        "thrower": 0,
        "turns_left": 2,
        "bets": [None, None],
    },
    "raja_pasu": {
        "game": "raja_pasu",
        "board": [0, 0, 0, 0, 0, 7, 7, 7, 7, 7, 7, 7, 7, 7],
        "closed": [0, 1, 2, 3, 4],
        "to_move": 0,
        "captured": [0, 0],
    },
}


@pytest.mark.parametrize("game", NAMES)
def test_a_position_in_the_address_is_judged_as_python_judges_it(
    game: str, page: Page, folder: Path
) -> None:
    advisor = Advisor(str(folder))
    position = POSITIONS.get(game) or advisor.call("new", {"game": game, "seed": 5})["position"]
    page.width(1280)
    page.show(f"#/{game}/judge?p={packed(position)}", language="en")
    page.until(lambda: page.all("#answer .move"))
    answer = advisor.call("ask", {"position": position})
    shown = [line.replace("−", "-") for line in page.text("#answer .moves").split("\n")]
    first = answer["options"][0]["value"]
    share = answer["unit"] == "win_share"
    found = float(re.findall(r"[-+]?\d+(?:\.\d+)?(?=%? best)", "\n".join(shown))[0])
    assert found == pytest.approx(100 * first if share else first, abs=0.051)
    assert len(page.all("#answer .move")) == min(12, len(answer["options"]))


def test_what_cannot_be_is_named_and_the_nearest_offered(page: Page) -> None:
    position = {**POSITIONS["yacht"], "sheets": [{"ones": 31}]}
    page.show(f"#/yacht/judge?p={packed(position)}", language="ne")
    page.until(lambda: page.all("[data-key=nearest]"))
    assert "३१" in page.text("#answer")
    page.click("[data-key=nearest]")
    page.until(lambda: page.all("#answer .move"))
    assert page.run("return document.querySelector('[data-key=\"in-0-ones\"]').value") == "५"


def test_digits_of_three_scripts_are_read(page: Page) -> None:
    page.show("#/yacht/judge", language="bn")
    page.until(lambda: page.all("#answer .move"))

    def shown() -> Any:
        return page.run("return document.querySelector('[data-key=\"in-0-twos\"]').value")

    for typed in ("4", "४", "৪"):
        page.choose("in-0-twos", typed)
        page.until(lambda: shown() == "৪")
        page.choose("in-0-twos", "")
        page.until(lambda: shown() == "")


def test_a_move_is_stepped_into_and_taken_back(page: Page) -> None:
    page.show(f"#/raja_pasu/judge?p={packed(POSITIONS['raja_pasu'])}", motion="off")
    page.click("#answer .move")
    before = page.run("return location.hash")
    page.click("[data-key=step-into]")
    page.until(lambda: page.run("return location.hash") != before)
    page.click("[data-key=back]")
    page.until(lambda: page.run("return location.hash") == before)


def test_it_works_without_a_network_after_one_visit(page: Page) -> None:
    page.show("", language="en")
    ready = joined("en")["page"]["offline_ready"]
    page.until(lambda: ready in page.text("#offline"))
    page.offline(True)
    page.driver.refresh()
    page.until(lambda: page.all(".games"))
    for game in ("yacht", "marriage"):
        page.begin(game)
        assert page.autoplay()["over"]
    for language in LANGUAGES:
        page.show("", language=language)
        assert page.run("return document.documentElement.lang") == language


def test_damaged_data_are_fetched_again_and_never_believed(page: Page) -> None:
    page.server.damage = ["data/"]
    page.show(f"#/pasa/judge?p={packed(POSITIONS['pasa'])}")
    page.until(lambda: page.all("#answer .move"))
    assert page.server.damage == []
    asked = [path for path in page.server.asked if path.startswith("data/")]
    assert len(asked) > len(set(asked))


def test_another_tab_does_not_write_over_a_game(page: Page) -> None:
    page.begin("yacht")
    address = page.driver.current_url
    first = page.driver.current_window_handle
    page.driver.switch_to.new_window("tab")
    page.driver.get(address)
    page.until(lambda: page.all("[data-key=throw]"))
    page.click("[data-key=throw]")
    page.until(lambda: page.all("[data-key^=box-]"))
    steps = len(page.run(KEPT)["steps"])
    page.driver.close()
    page.driver.switch_to.window(first)
    page.until(lambda: page.all("main .note"))
    assert not page.all("[data-key=throw]")
    page.click("main .button.main")  # goes on here
    page.until(lambda: page.all("[data-key^=box-]"))
    assert len(page.run(KEPT)["steps"]) == steps


def test_a_move_is_taken_back_until_chance_falls(page: Page) -> None:
    page.begin("raja_pasu")
    page.click(".pit.can")
    page.click("[data-key=sow]")
    page.until(lambda: len(page.run(KEPT)["steps"]) >= 2 and page.all(".pit.can"))
    page.click("[data-key=undo]")
    page.until(lambda: page.run(KEPT)["steps"] == [])
    page.begin("yacht", seats=1)
    page.click("[data-key=throw]")
    page.until(lambda: page.all("[data-key^=box-]"))
    assert page.all("[data-key=undo]:disabled")
    page.click("[data-key^=box-]")
    page.click("[data-key=write]")
    page.until(lambda: page.all("[data-key=undo]:not(:disabled)"))
    page.click("[data-key=undo]")
    page.until(lambda: page.all("[data-key^=box-]"))


def test_a_hint_tells_what_the_chosen_move_costs(page: Page) -> None:
    page.begin("yacht", language="en")
    page.click("[data-key=throw]")
    page.click("[data-key=hint]")
    page.until(lambda: page.all("#hints .move"))
    page.click("[data-key=box-yacht]")
    page.until(lambda: page.all("#chosen-cost"))
    assert re.search(r"\d", page.text("#chosen-cost"))


@pytest.mark.parametrize("game", NAMES)
def test_positions_are_practised(game: str, page: Page) -> None:
    page.show(f"#/{game}/learn", motion="off", language="en")
    kinds = page.all("[data-key^=kind-]")
    if game in ("pasa", "raja_pasu"):  # the small tables are of other positions
        assert len(kinds) == 2
        return
    page.click("[data-key=kind-whole_games]")
    page.until(lambda: page.all("#lesson .players, #lesson table, #lesson .cloth"))
    page.run(MAKE_ANY_MOVE)
    page.until(lambda: page.all("#verdict"))
    assert "1 decisions" in page.text("#score")


MAKE_ANY_MOVE = """
const found = [".write", '[data-key="throw"]', '[data-key^="draw"]', ".hand button.card"]
  .flatMap((one) => [...document.querySelectorAll(`#lesson ${one}`)]).find((one) => !one.disabled);
found.click();
document.querySelector('#lesson [data-key="write"], #lesson [data-key="discard"]')?.click();
"""


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_fits_every_width_in_every_language(language: str, page: Page) -> None:
    """Nothing is wider than the screen, no key of words is shown, and digits are of the script."""
    for address in ("", *(f"#/{game}/{part}" for game in NAMES for part in PARTS)):
        page.width(320)
        page.show(address, language=language)
        if address.endswith("judge"):
            page.until(lambda: page.all("#answer > *"))
        for width in (320, 360, 1280):
            page.width(width)
            wide = page.run("return document.documentElement.scrollWidth")
            assert wide <= width, (address, width)
        text = page.text("body")
        assert not re.search(r"[a-z]+_[a-z]+|\{\w+\}", text), address
        if language != "en":
            of_cards = r"\b(10|[2-9])\s*[♠♥♦♣]"  # they stand on cards as on cards of paper
            found = re.findall(r".*\b[0-9]+\b.*", re.sub(of_cards, "", text))
            assert found == [], address
    script = {"ne": "Devanagari", "bn": "Bengali"}.get(language)
    loaded = page.run(
        "return [...document.fonts].filter((f) => f.status === 'loaded').map((f) => f.family)"
    )
    assert script is None or f"Ustad {script}" in " ".join(loaded)


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The checker of accessibility, from the registry of npm."""
    place, npm = tmp_path_factory.mktemp("axe"), shutil.which("npm")
    words = ["install", "--silent", "--no-audit", "--no-fund", "--prefix", str(place), AXE]
    if npm is None or subprocess.run([npm, *words], check=False).returncode:
        pytest.skip("npm cannot install axe-core: accessibility is not checked")
    return (place / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


@pytest.mark.slow
def test_axe_finds_nothing_serious(page: Page, axe: str) -> None:
    wrong = []
    for theme, games in (("light", NAMES), ("dark", NAMES[:1])):
        for address in ("", *(f"#/{game}/{part}" for game in games for part in PARTS)):
            page.show(address, theme=theme, language="en")
            if address.endswith("judge"):
                page.until(lambda: page.all("#answer > *"))
            if address.endswith("play"):
                page.click("[data-key=begin]")
                page.until(lambda: page.all(".players"))
            page.driver.execute_cdp_cmd("Runtime.evaluate", {"expression": axe})
            found = page.driver.execute_async_script(
                "axe.run().then((told) => arguments[0](told.violations))"
            )
            wrong += [
                (theme, address, one["id"], one["nodes"][0]["html"][:150])
                for one in found
                if one["impact"] in ("serious", "critical")
            ]
    assert wrong == []


RECORD = {
    "ustad_record": 1,
    "start": {"game": "pasa", "stacks": [10, 14], "thrower": 0, "turns_left": 1},
    "seats": [
        {"name": "<img src=x onerror=alert(1)>", "level": None},
        {"name": "b", "level": "easy"},
    ],
}


@pytest.mark.parametrize(
    ("lines", "where"),
    [
        (["{"], "1"),
        (['{"a": 1}'], "1"),
        ([json.dumps(RECORD), "nothing", "{}"], "2"),
        ([json.dumps(RECORD), '{"seat": 1}', "{}"], "2"),
    ],
)
def test_a_file_that_is_no_record_is_refused_at_its_line(
    lines: list[str], where: str, page: Page, tmp_path: Path
) -> None:
    path = tmp_path / "record.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    page.show("#/pasa/review", language="en")
    page.all("#file")[0].send_keys(str(path))
    page.until(lambda: page.all("main .error"))
    assert f"Line {where} " in page.text("main .error")


def test_all_comes_from_one_origin_and_nothing_else_may_run(page: Page, site: Path) -> None:
    page.show("#/yacht/judge")
    page.until(lambda: page.all("#answer .move"))
    names = page.run("return performance.getEntriesByType('resource').map((one) => one.name)")
    assert names
    assert all(name.startswith(page.server.address) for name in names)
    assert "default-src 'self'" in (site / "index.html").read_text(encoding="utf-8")


def test_the_first_visit_is_small(site: Path) -> None:
    """All that is fetched before a game is opened, with both fonts of a script: 450 kB at most."""
    code = [path for path in site.rglob("*") if path.is_file() and "data" not in path.parts]
    fonts = [path for path in code if path.suffix == ".woff2"]
    others = [path for path in code if path not in fonts]
    assert fonts
    size = sum(len(gzip.compress(path.read_bytes(), 9)) for path in others)
    size += sum(path.stat().st_size for path in fonts if path.name.startswith("devanagari"))
    assert size < 450_000
