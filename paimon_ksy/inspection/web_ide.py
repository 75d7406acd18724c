"""Serve the Kaitai Web IDE on this machine, with a file and its .ksy opened in it."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

SCRIPT = resources.files(__package__).joinpath("web_ide.js").read_text(encoding="utf-8")
"""Functions that open files in the IDE's page."""
_OWN = "/paimon-ksy/"


@contextmanager
def serve_web_ide(ide: Path, spec: Path | None = None, data: Path | None = None) -> Iterator[str]:
    """Serve the Web IDE on localhost; yield its URL.

    Args:
        ide: The folder of the IDE, as static files.
        spec: A .ksy, which the page opens.
        data: The file that it describes.
    """
    files = {path.name: path for path in (spec, data) if path is not None}
    handler = partial(_Handler, directory=str(ide), files=files)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        server.block_on_close = False
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/index.html"
        finally:
            server.shutdown()


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the files of the IDE, and the two files to open; `files` contains the spec first."""

    def __init__(self, *arguments: Any, files: dict[str, Path], **options: Any) -> None:
        self.files = files
        super().__init__(*arguments, **options)

    def do_GET(self) -> None:
        """Answer a request."""
        path = unquote(urlsplit(self.path).path)
        host = urlsplit(f"//{self.headers.get('Host', '')}").hostname
        if host not in ("127.0.0.1", "localhost"):  # a page of another site
            self.send_error(HTTPStatus.FORBIDDEN)
        elif path == "/onchange":  # a response makes the IDE reload, so never send one
            threading.Event().wait()
        elif path in ("/", "/index.html") and self.files:
            self._send(self._page(), "text/html; charset=utf-8")
        elif path == f"{_OWN}web_ide.js":
            self._send(SCRIPT.encode(), "text/javascript; charset=utf-8")
        elif path.startswith(_OWN) and path.removeprefix(_OWN) in self.files:
            content = self.files[path.removeprefix(_OWN)].read_bytes()
            self._send(content, "application/octet-stream")
        else:
            super().do_GET()

    def _page(self) -> bytes:
        """Return the IDE's page with a script that opens the files."""
        page = Path(self.directory, "index.html").read_text(encoding="utf-8")
        names = ", ".join(json.dumps(quote(name)) for name in self.files)
        call = f"openServedFiles(...[{names}].map(decodeURIComponent))"
        scripts = f'<script src="{_OWN[1:]}web_ide.js"></script><script>{call}</script>'
        return page.replace("</body>", f"{scripts}</body>").encode()

    def _send(self, content: bytes, kind: str) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Do not log requests."""
