"""Drives the Kaitai Web IDE in headless Chromium."""

import base64
import http.server
import json
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tests import ROOT
from tests.support.browser import Page, chromium


def ide_folder() -> Path | None:
    """The Web IDE as static files: $PAIMON_KSY_WEBIDE, or ../shared/webide; None if not there."""
    folder = Path(os.environ.get("PAIMON_KSY_WEBIDE", ROOT.parent / "shared" / "webide"))
    return folder if (folder / "index.html").is_file() else None


@contextmanager
def web_ide(folder: Path, profile: Path) -> Iterator[Page]:
    """The Web IDE, started and ready, in a new browser with an empty profile."""
    with _served(folder) as url, chromium(profile) as page:
        page.call("Page.navigate", url=f"{url}/index.html?noAutoCompile")
        page.wait_for("window.kaitaiIde && kaitaiIde.app && kaitaiIde.app.formatReady")
        page.evaluate("Promise.all([kaitaiIde.app.inputReady, kaitaiIde.app.formatReady]).then()")
        page.evaluate(PARSE)
        yield page


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    """The URL at which this folder is served."""
    handler = partial(_Handler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        server.block_on_close = False
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


class _Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path.startswith("/onchange"):  # an answer makes the IDE reload
            threading.Event().wait()
        super().do_GET()

    def log_message(self, format: str, *args: Any) -> None:
        """No log of requests."""


@dataclass(frozen=True)
class Node:
    """A line of the IDE's tree of parsed data."""

    path: str  # field names and indexes from the root, with dots between
    text: str  # as the IDE shows it
    problem: str | None  # an error of the field, or "incomplete"


def parse(page: Page, files: Mapping[str, bytes], spec: str, data: str) -> list[Node]:
    """Open a spec and a binary among `files`, with lazy parsing off, and return the whole tree.

    Fails if the spec does not compile or the IDE reports an error.
    """
    added = {name: base64.b64encode(content).decode() for name, content in files.items()}
    arguments = ", ".join(json.dumps(argument) for argument in (added, spec, data))
    answer = page.evaluate(f"parseInWebIde({arguments})")
    assert not answer["problems"], answer["problems"]
    return list(_nodes(answer["root"]))


def _nodes(node: Mapping[str, Any]) -> Iterator[Node]:
    yield Node(node["path"], node["text"], node["problem"])
    for child in node["children"]:
        yield from _nodes(child)


PARSE = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
