"""Tests of ksykit by themselves: `pytest` in this distribution's folder."""

import pytest
from hypothesis import HealthCheck, settings


def pytest_configure(config: pytest.Config) -> None:
    """Set what Hypothesis draws, unless the tests of the whole repository did."""
    if config.getoption("--share", default=None) is None:
        config.addinivalue_line("markers", "slow: takes more than ten seconds")
        config.addinivalue_line("markers", "java: needs a Java 17 runtime")
        checks = [HealthCheck.data_too_large, HealthCheck.too_slow]
        settings.register_profile(
            "alone", max_examples=25, deadline=None, suppress_health_check=checks
        )
        settings.load_profile("alone")
