"""Mutants of the specs: which there are, and that golden tests notice one."""

from pathlib import Path

import pytest

from paimon_ksy.generator.compiler import CompilerMissing, compiler_path
from tests import ROOT
from tests.conftest import skip_or_fail
from tools import mutants_specs
from tools.project_copy import copy_project

SPEC = """
meta: {id: small, endian: be}
seq:
  - {id: magic, contents: [1, 255]}
  - {id: version, type: u1, valid: 1}
  - {id: num, type: s4, valid: {min: 0, max: 9}}
types:
  inner:
    seq:
      - {id: key, type: f8le}
      - {id: body, size: num}
      - {id: kind, type: u2, valid: {any-of: [1, 2]}}
      - {id: one, type: u1, if: kind == 1}
      - {id: two, type: u1, if: kind == 2}
"""


def test_kinds_of_mutants(tmp_path: Path) -> None:
    (tmp_path / "small.ksy").write_text(SPEC, encoding="utf-8")
    found = list(mutants_specs.mutants(tmp_path))
    assert [(one.place, one.change) for one in found] == [
        ("small/magic", "contents [1, 255] → [1, 0]"),
        ("small/magic", "after version"),
        ("small/version", "u1 → u2"),
        ("small/version", "valid 1 → 2"),
        ("small/version", "after num"),
        ("small/num", "s4 → s8"),
        ("small/num", "s4 → s4le"),
        ("small/num", "min 0 → 1"),
        ("small/num", "max 9 → 8"),
        ("inner/key", "f8le → f4le"),
        ("inner/key", "f8le → f8be"),
        ("inner/key", "after body"),
        ("inner/body", "num → (num) + 1"),
        ("inner/body", "after kind"),
        ("inner/kind", "u2 → u4"),
        ("inner/kind", "u2 → u2le"),
        ("inner/kind", "without 2"),
        ("inner/kind", "after one"),
        ("inner/one", "u1 → u2"),  # and not "after two": only one of both is there
        ("inner/two", "u1 → u2"),
    ]
    swapped = next(one for one in found if one.change == "after body").document
    assert [one["id"] for one in swapped["types"]["inner"]["seq"]] == [
        "body",
        "key",
        "kind",
        "one",
        "two",
    ]


def test_tests_that_crash_have_noticed_the_mutant(tmp_path: Path) -> None:
    (tmp_path / "small.ksy").write_text(SPEC, encoding="utf-8")
    mutant = next(mutants_specs.mutants(tmp_path))
    for code, killer in {
        "import os, signal; os.kill(os.getpid(), signal.SIGABRT)": "the tests crash",
        "print('FAILED a.py::b'); raise SystemExit(1)": "a.py::b",
        "pass": "",
    }.items():
        done = mutants_specs._python(tmp_path, "-c", code)
        assert mutants_specs._first_failure(mutant, done) == killer
    done = mutants_specs._python(tmp_path, "-c", "raise SystemExit(4)")
    with pytest.raises(RuntimeError, match="small/magic"):
        mutants_specs._first_failure(mutant, done)


@pytest.mark.network
def test_a_golden_test_kills_a_mutant(tmp_path: Path) -> None:
    try:
        compiler_path()
    except CompilerMissing as error:
        skip_or_fail("network", f"network: {error}")
    folder = copy_project(tmp_path / "project")
    [mutant] = [
        mutant
        for mutant in mutants_specs.mutants(ROOT / "specs")
        if (mutant.spec, mutant.change) == ("bucket_index", "s4 → s4le")
    ]
    killer = mutants_specs._killer(folder, mutant)
    assert killer.startswith("tests/table_index/test_bucket_index.py::")
