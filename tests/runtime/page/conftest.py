"""What tests of the page share: a site with small tables, a server for it, and a browser."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from built import Build
from small_games import small_games, small_tables

from ustad.runtime.cli.page import Handler
from ustad.runtime.page.site import write_site

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)


@pytest.fixture(scope="session")
def folder(
    tables: Path,
    build: Build,
    tmp_path_factory: pytest.TempPathFactory,
    write_outlook: Callable[[Path], None],
) -> Path:
    """A folder of small tables of all games."""
    found = tmp_path_factory.mktemp("page-tables")
    small_tables(tables, found, build, write_outlook)
    return found


@pytest.fixture(scope="session")
def site(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of these tables."""
    out = tmp_path_factory.mktemp("page") / "site"
    write_site(small_games(folder), out)
    return out


class Server:
    """Shows a site; ``damage`` holds the beginnings of paths whose next answer is damaged."""

    def __init__(self, site: Path) -> None:
        self.damage: list[str] = []
        self.asked: list[str] = []
        outer = self

        class Noting(Handler):
            def do_GET(self) -> None:  # noqa: N802  the name of the base class
                path = self.path.lstrip("/")
                outer.asked.append(path)
                hit = next((one for one in outer.damage if path.startswith(one)), None)
                if hit is None:
                    return super().do_GET()
                outer.damage.remove(hit)
                content = bytearray((site / path).read_bytes())
                content[len(content) // 2] ^= 1
                self.send_response(200)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
                return None

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), partial(Noting, directory=str(site)))
        self.address = f"http://127.0.0.1:{self._http.server_port}/"
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def close(self) -> None:
        """End it."""
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture
def server(site: Path) -> Iterator[Server]:
    """A server of its own for each test: no test finds what another one kept."""
    found = Server(site)
    yield found
    found.close()


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Chromium, driven by Selenium; without it the page is not shown."""
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if program is None or driver is None:
        assert "USTAD_NEED_BROWSER" not in os.environ, "chromium and chromedriver are needed here"
        pytest.skip("chromium and chromedriver are not installed: the page is not shown")
    webdriver = pytest.importorskip("selenium.webdriver")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    found = webdriver.Chrome(options, webdriver.ChromeService(driver))
    found.set_script_timeout(100)
    yield found
    found.quit()
