"""Drives headless Chromium through the Chrome DevTools Protocol."""

import itertools
import json
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

TIMEOUT = 600  # seconds for anything the browser does: on a busy machine, a start may take minutes


class Page:
    """A page in the browser."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._ids = itertools.count(1)
        self.events: list[dict[str, Any]] = []

    @contextmanager
    def tab(self, url: str) -> Iterator["Page"]:
        """Another page of the same browser."""
        target = self.call("Target.createTarget", url=url)["targetId"]
        host, port = self._connection.remote_address[:2]
        with connect(f"ws://{host}:{port}/devtools/page/{target}", max_size=None) as connection:
            yield Page(connection)
        self.call("Target.closeTarget", targetId=target)

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method of the DevTools Protocol and return its result."""
        call_id = next(self._ids)
        self._connection.send(json.dumps({"id": call_id, "method": method, "params": params}))
        while True:
            message = json.loads(self._connection.recv(timeout=TIMEOUT))
            if message.get("id") == call_id:
                assert "error" not in message, f"{method}: {message['error']}"
                result: dict[str, Any] = message["result"]
                return result
            self.events.append(message)

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression; a promise is awaited."""
        result = self.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def wait_for(self, expression: str) -> None:
        """Wait until a JavaScript expression is true."""
        end = time.monotonic() + TIMEOUT
        while not self.evaluate(f"!!({expression})"):
            assert time.monotonic() < end, f"not true after {TIMEOUT} s: {expression}"
            time.sleep(0.1)


@contextmanager
def chromium(profile: Path) -> Iterator[Page]:
    """A page in a new browser with an empty profile."""
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    command += ["--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank"]
    browser = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with connect(_page_url(profile), max_size=None) as connection:
            yield Page(connection)
    finally:
        browser.terminate()
        browser.wait(timeout=TIMEOUT)


def _page_url(profile: Path) -> str:
    """Where to talk to the browser's page; waits until the browser has written its port."""
    port_file = profile / "DevToolsActivePort"
    end = time.monotonic() + TIMEOUT
    while not (port_file.exists() and (lines := port_file.read_text().splitlines())):
        assert time.monotonic() < end, f"chromium did not start within {TIMEOUT} s"
        time.sleep(0.1)
    with urllib.request.urlopen(f"http://127.0.0.1:{lines[0]}/json/list") as answer:
        pages = [target for target in json.load(answer) if target["type"] == "page"]
    url: str = pages[0]["webSocketDebuggerUrl"]
    return url
