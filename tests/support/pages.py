"""Opens pages in headless Chromium: errors of the console, axe, times."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ksykit.generator.npm import NpmMissing, package_file

from kit_support.needs import skip_or_fail
from tests import ROOT
from tests.support.browser import Page

# Of many elements alike only the first stay: axe takes a second for a hundred.
_AXE = """(async () => {
  const alike = ".hexline:nth-child(n+12), [role=group] > li:nth-child(n+4), tr:nth-child(n+9)";
  for (const each of document.querySelectorAll(alike)) each.remove();
  const found = await axe.run(document, {resultTypes: ["violations"]});
  return found.violations
    .filter((each) => ["serious", "critical"].includes(each.impact))
    .map((each) => each.id + ": " + each.nodes.slice(0, 3).map((node) => node.html).join(" | "));
})()"""


@contextmanager
def opened(page: Page, path: Path, width: int = 1280, scheme: str = "light") -> Iterator[Page]:
    """A page of the file system in a tab of its own; the end fails if its console had an error."""
    with page.tab("about:blank") as tab:
        for domain in ("Page", "Runtime", "Log", "Network"):
            tab.call(f"{domain}.enable")
        tab.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=False,
        )
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        tab.call("Emulation.setEmulatedMedia", features=features)
        tab.call("Page.navigate", url=path.as_uri())
        tab.wait_for(f"location.href === {path.as_uri()!r} && document.readyState === 'complete'")
        yield tab
        tab.evaluate("1")  # events before its answer have arrived
        assert problems(tab, path) == []


def problems(tab: Page, path: Path) -> list[str]:
    """Errors of the console, exceptions, and requests of anything but the page."""
    found = []
    for event in tab.events:
        method, params = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            found.append(str(params["exceptionDetails"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            found.append(params["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
            found.append(str(params["args"]))
        elif method == "Network.requestWillBeSent":
            url = params["request"]["url"]
            if url not in (path.as_uri(), "about:blank"):
                found.append(f"a request of {url}")
    return found


def elements(page: Page, path: Path) -> int:
    """The number of elements that a browser draws, which its time grows with."""
    with opened(page, path) as tab:
        return int(tab.evaluate("document.getElementsByTagName('*').length"))


def accessibility_problems(tab: Page) -> list[str]:
    """What axe-core finds that is serious or critical; the test is skipped without it."""
    try:
        axe = package_file(ROOT / "tools/axe", "axe-core/axe.min.js")
    except NpmMissing as error:
        skip_or_fail("network", f"network: {error}")
    script = axe.read_text(encoding="utf-8")
    tab.evaluate(f"{script};1")
    found: list[str] = tab.evaluate(_AXE)
    return found
