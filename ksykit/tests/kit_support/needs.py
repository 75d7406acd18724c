"""What tests need, and may lack."""

import os
from typing import NoReturn

import pytest


def skip_or_fail(need: str, reason: str) -> NoReturn:
    """Skip a test for want of something, or fail.

    TESTS_REQUIRE lists needs ("java network browser") whose absence is a failure.
    """
    if need in os.environ.get("TESTS_REQUIRE", "").split():
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
