"""Memory that is freed is used again, and not asked of the system once more."""

import subprocess
import sys

import pytest

from tests import ROOT

FAULTS = """
import sys
from paimon_ksy.table.io.memory import keep_memory
from tests.support.tasks import page_faults
if sys.argv[1] == "kept":
    keep_memory()
print(page_faults(0))
"""


@pytest.mark.glibc
def test_pages_are_not_asked_for_again() -> None:
    kept, given_back = (
        int(subprocess.check_output([sys.executable, "-c", FAULTS, mode], cwd=ROOT, text=True))
        for mode in ("kept", "given back")
    )
    assert kept < given_back // 10
    assert given_back > 1000
