"""A proxy before a server on localhost, which fails at chosen requests.

    with FailingProxy("http://127.0.0.1:5000") as proxy:
        proxy.fail = lambda method, path: "cut" if path.endswith(".parquet") else None
        read_from(proxy.url)

A fault is the status of an answer (403, 503, ..), `slow` for S3's SlowDown, `cut` for half a body
before the connection is closed, or `hangs` for no answer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import urlsplit

from tests.support.local_server import LocalServer

Fault = int | str | None

CODES = {403: "AccessDenied", 500: "InternalError", 503: "ServiceUnavailable"}


class FailingProxy(LocalServer):
    """The proxy. `fail` is asked for each request; `failed` has those that did."""

    def __init__(self, target: str) -> None:
        self.target = urlsplit(target).netloc
        self.fail: Callable[[str, str], Fault] = lambda method, path: None
        self.failed: list[str] = []
        self.ended = threading.Event()
        super().__init__(_Handler)

    def __exit__(self, *given: Any) -> None:
        self.ended.set()
        super().__exit__(*given)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, proxy: FailingProxy, *given: Any) -> None:
        self.proxy = proxy
        super().__init__(*given)

    def _serve(self) -> None:
        sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fault = self.proxy.fail(self.command, self.path)
        if fault is not None:
            self.proxy.failed.append(f"{self.command} {self.path}")
        if fault == "hangs":
            self.proxy.ended.wait(60)
            self.close_connection = True
            return
        if isinstance(fault, int) or fault == "slow":
            status = 503 if fault == "slow" else int(fault)
            code = "SlowDown" if fault == "slow" else CODES[status]
            text = f"<Error><Code>{code}</Code><Message>by the proxy</Message></Error>"
            self._answer(status, {"Content-Type": "application/xml"}, text.encode())
            return
        server = HTTPConnection(self.proxy.target)
        server.request(self.command, self.path, sent, dict(self.headers))
        found = server.getresponse()
        body = found.read()
        headers = {
            name: value
            for name, value in found.getheaders()
            if name.lower() not in ("connection", "transfer-encoding", "date", "server")
        }
        server.close()
        self._answer(found.status, headers, body, cut=fault == "cut")

    def _answer(
        self, status: int, headers: dict[str, str], body: bytes, *, cut: bool = False
    ) -> None:
        self.send_response(status)
        for name, value in headers.items():
            if name.lower() != "content-length":
                self.send_header(name, value)
        length = headers.get("Content-Length", len(body)) if self.command == "HEAD" else len(body)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body[: len(body) // 2] if cut else body)
        self.close_connection = cut

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _serve

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nothing is logged."""
