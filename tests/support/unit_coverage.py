"""A plugin of pytest that measures what tests of the layer `unit` run, among all others.

    make test ARGS="-p tests.support.unit_coverage"

To measure all tests takes twice as long as to run them: `make coverage` does that. These are most
of the tests, and take little of the time.
"""

from __future__ import annotations

from collections.abc import Generator
from importlib import import_module
from pkgutil import walk_packages

import coverage
import pytest

from tests import ROOT

_DATA = ROOT / ".cache" / "coverage" / "units"
_DATA.parent.mkdir(parents=True, exist_ok=True)
_MEASURED = coverage.Coverage(_DATA, data_suffix=True)
_MEASURED.start()  # here, because conftest.py imports the project

import paimon_ksy  # noqa: E402


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """End what importing the project and its tests runs.

    Modules that functions import are imported here, else by whichever test comes first.
    """
    for module in walk_packages(paimon_ksy.__path__, "paimon_ksy."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    _MEASURED.stop()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Measure a test of the layer."""
    if item.get_closest_marker("unit") is None:
        return (yield)
    _MEASURED.start()
    try:
        return (yield)
    finally:
        _MEASURED.stop()


def pytest_sessionfinish() -> None:
    """Write what was measured, for `coverage combine`."""
    _MEASURED.stop()
    _MEASURED.save()
