"""What a test needs and this machine lacks: a skip, or a failure where it is required.

What a run of all files leaves out, too.
"""

import logging
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kit_support.needs import skip_or_fail
from paimon_ksy.display import remember
from paimon_ksy.messages.masking import masked
from tests import ROOT
from tests.conftest import NEEDS, SHARES, undo


@pytest.mark.parametrize("need", NEEDS)
def test_what_is_missing_fails_where_it_is_required(
    need: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESTS_REQUIRE", " ".join(other for other in NEEDS if other != need))
    with pytest.raises(pytest.skip.Exception, match="not there"):
        skip_or_fail(need, "not there")
    monkeypatch.setenv("TESTS_REQUIRE", " ".join(NEEDS))
    with pytest.raises(pytest.fail.Exception, match="not there"):
        skip_or_fail(need, "not there")


SOME = """
import pytest

@pytest.mark.skip(reason="posix: not here")
def test_listed(): ...

@pytest.mark.skip(reason="not today")
def test_unlisted(): ...

@pytest.mark.xfail(strict=True)
def test_known(): raise ValueError
"""


def pytest_with(folder: Path, *options: str) -> list[str]:
    """Run pytest on a folder with the rules of this project; return the lines it prints."""
    (folder / "pytest.ini").write_text("[pytest]")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.conftest", *options]
    paths = os.pathsep.join(map(str, (ROOT, ROOT / "ksykit/tests")))
    env = {**os.environ, "PYTHONPATH": paths}
    ran = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    return ran.stdout.splitlines()


def test_skip_for_another_reason_than_a_need_fails(tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(SOME)
    (tmp_path / "test_all.py").write_text("import pytest\npytest.skip('', allow_module_level=True)")
    found = pytest_with(tmp_path, "-rfEs", "--continue-on-collection-errors")
    failed = {line.split()[1] for line in found if re.match("(FAILED|ERROR) ", line)}
    assert failed == {"test_all.py", "test_some.py::test_known", "test_some.py::test_unlisted"}
    assert "skipped 1: posix: not here" in found


def test_what_a_test_leaves_in_the_process_is_undone() -> None:
    def state() -> list[object]:
        log = logging.getLogger("pypaimon")
        variables = {name: text for name, text in os.environ.items() if not name.startswith("PYT")}
        return [variables, log.isEnabledFor(logging.ERROR), masked("a secret")]

    before = state()
    os.environ["PATH"] = "/nowhere"
    logging.disable(logging.CRITICAL)
    logging.getLogger("pypaimon").setLevel(logging.CRITICAL)
    remember("secret")
    assert all(now != then for now, then in zip(state(), before, strict=True))
    undo()
    assert state() == before


def test_a_run_of_all_files_is_sampled_and_one_of_a_file_is_not(tmp_path: Path) -> None:
    folder = tmp_path / "tests" / "faults"
    folder.mkdir(parents=True)
    body = "import pytest\n@pytest.mark.parametrize('n', range(8))\ndef test_x(n): pass\n"
    (folder / "test_x.py").write_text(body)
    file = "tests/faults/test_x.py"
    assert "1 passed, 7 deselected" in pytest_with(tmp_path)[-1]
    assert "7 passed, 1 deselected" in pytest_with(tmp_path, "--rest=100")[-1]
    assert "8 passed" in pytest_with(tmp_path, file)[-1]


def test_what_has_a_share_is_there() -> None:
    missing = [
        name
        for name in SHARES
        for file, _, test in (name.partition("::"),)
        if not (ROOT / file).exists() or (test and f"def {test}(" not in (ROOT / file).read_text())
    ]
    assert missing == []
