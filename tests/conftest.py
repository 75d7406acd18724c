"""What all tests share: what they may need, Hypothesis profiles, and why tests were skipped."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from functools import cache

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "default",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("ci", settings.get_profile("default"), derandomize=True, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that needs what this machine lacks.

    PAIMON_KSY_REQUIRE lists needs ("java network") whose absence is a failure.
    """
    required = os.environ.get("PAIMON_KSY_REQUIRE", "").split()
    for need, missing in NEEDS.items():
        if item.get_closest_marker(need) and (reason := missing()):
            if need in required:
                pytest.fail(reason, pytrace=False)
            pytest.skip(reason)


@cache
def missing_java() -> str | None:
    """Why tests cannot use Java; None if they can."""
    if shutil.which("java") is None:
        return "java: no `java` on PATH"
    return None


@cache
def missing_network() -> str | None:
    """Why tests cannot use the network; None if they can. Asks for what pip would ask for."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--no-cache-dir",
        ]
        command += ["--retries=0", "--timeout=10", "--dest", folder, "kaitaistruct==0.11"]
        reached = subprocess.run(command, capture_output=True, check=False).returncode == 0
    return None if reached else "network: the Python package index cannot be reached"


@cache
def missing_browser() -> str | None:
    """Why tests cannot use a browser; None if they can."""
    if shutil.which("chromium") is None:
        return "browser: no `chromium` on PATH"
    return None


NEEDS = {"java": missing_java, "network": missing_network, "browser": missing_browser}


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line for each reason for which tests were skipped."""
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", [])
        if isinstance(report.longrepr, tuple)
    )
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"skipped {count}: {reason}")
