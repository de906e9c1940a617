"""``ustad page``: the static page on which people play, judge, learn and review."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from webbrowser import open_new_tab

from ustad.runtime.cli.export import default_packages
from ustad.runtime.cli.output import print_json
from ustad.runtime.cli.parser import OK, add_command
from ustad.runtime.core.errors import ExportError
from ustad.runtime.page.site import write_site
from ustad.tables import escaped, obstacle


def add_page(commands: Any, games: Sequence[str]) -> None:
    """Add the command ``page``."""
    del games
    parser = add_command(commands, "page", _page, "the page: all games in a browser, offline")
    parser.add_argument("--out", required=True, metavar="DIR", help="the folder to write")
    parser.add_argument(
        "--open", action="store_true", help="show it in the browser, until Ctrl-C is pressed"
    )


def _page(args: argparse.Namespace) -> int:
    out = Path(args.out)
    if (reason := obstacle(out)) is not None:
        raise ExportError(f"{args.out}: cannot be written: {reason}")
    written = write_site(default_packages(args), out)
    if args.json:
        print_json({"page": {"path": args.out, "files": written}})
    else:
        size = sum(written.values()) / 1e6
        print(f"{escaped(args.out)}: {len(written)} files, {size:.1f} MB", flush=True)
    if args.open:
        _show(out)
    return OK


def _show(out: Path) -> None:
    """Serve a folder on this machine and show it, until Ctrl-C is pressed."""
    handler = partial(Handler, directory=str(out))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        address = f"http://127.0.0.1:{server.server_port}/"
        print(f"ustad: the page is at {address}; Ctrl-C ends it", file=sys.stderr, flush=True)
        open_new_tab(address)
        server.serve_forever()


class Handler(SimpleHTTPRequestHandler):
    """Serves the files of a page, without a line for each."""

    extensions_map = {  # noqa: RUF012  a constant of the base class
        **SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
        ".webmanifest": "application/manifest+json",
        ".woff2": "font/woff2",
        ".bin": "application/octet-stream",
    }

    def log_message(self, *_: Any) -> None:
        """Say nothing."""
