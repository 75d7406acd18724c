"""Mutants of the specs: which there are, and that golden tests notice one."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from paimon_ksy.generator.compiler import CompilerMissing, compiler_path
from tests import ROOT
from tests.conftest import skip_or_fail
from tools import mutants_specs
from tools.mutants_specs import Mutant, Result

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
"""


def test_kinds_of_mutants(tmp_path: Path) -> None:
    (tmp_path / "small.ksy").write_text(SPEC)
    found = list(mutants_specs.mutants(tmp_path))
    assert [(one.place, one.kind, one.change) for one in found] == [
        ("small/magic", "valid", "contents [1, 255] → [1, 0]"),
        ("small/magic", "order", "after version"),
        ("small/version", "size", "u1 → u2"),
        ("small/version", "valid", "valid 1 → 2"),
        ("small/version", "order", "after num"),
        ("small/num", "size", "s4 → s8"),
        ("small/num", "endianness", "s4 → s4le"),
        ("small/num", "valid", "min 0 → 1"),
        ("small/num", "valid", "max 9 → 8"),
        ("inner/key", "size", "f8le → f4le"),
        ("inner/key", "endianness", "f8le → f8be"),
        ("inner/key", "order", "after body"),
        ("inner/body", "size", "num → (num) + 1"),
        ("inner/body", "order", "after kind"),
        ("inner/kind", "size", "u2 → u4"),
        ("inner/kind", "endianness", "u2 → u2le"),
        ("inner/kind", "valid", "without 2"),
    ]
    swapped = next(one for one in found if one.change == "after body").document
    assert [one["id"] for one in swapped["types"]["inner"]["seq"]] == ["body", "key", "kind"]


@pytest.mark.parametrize(
    ("one", "other", "exclude"),
    [
        ("kind == 1", "kind == 2", True),
        ("kind == 1", "kind == 1", False),
        ("kind == 1", "other == 2", False),
        ("kind == 1 or kind == 2", "kind == 3 or kind == 4", True),
        ("kind == 1 or kind == 2", "kind == 2 or kind == 3", False),
        ("is_run", "not is_run and size <= 9", True),
        ("not is_run and size <= 9", "not is_run and size > 9", True),
        ("not is_run and size <= 9", "not is_run and size > 8", False),
        ("x and (kind == 1 or kind == 2)", "kind == 3", False),  # not found, and so tried
        ("kind == 1", "kind != 1", True),
        ("kind == 1", "kind != 2", False),
        ("kind == 1", None, False),
        (None, "kind == 1", False),
    ],
)
def test_fields_that_are_never_both_there_have_no_order(
    one: str | None, other: str | None, exclude: bool
) -> None:
    assert mutants_specs._exclude_each_other(one, other) is exclude


def test_a_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    found = list(mutants_specs.mutants(ROOT / "specs"))[:3]
    killers = ("tests/a.py::b[x | y]", "", "the generator refuses it")
    results = [mutants_specs.Result(*each) for each in zip(found, killers, strict=True)]
    path = tmp_path / "table.md"
    assert mutants_specs.read_table(path) == []
    path.write_text(mutants_specs.table(results), encoding="utf-8")
    assert mutants_specs.read_table(path) == results


def test_tests_that_crash_have_noticed_the_mutant(tmp_path: Path) -> None:
    (tmp_path / "small.ksy").write_text(SPEC)
    mutant = next(mutants_specs.mutants(tmp_path))
    crash = "import os, signal; os.kill(os.getpid(), signal.SIGABRT)"
    for code, killer in (
        (crash, "the tests end by SIGABRT"),
        ("print('FAILED a.py::b')", "a.py::b"),
    ):
        done = mutants_specs._python(tmp_path, "-c", code)
        assert done is not None
        assert mutants_specs._first_failure(mutant, done) == killer
    done = mutants_specs._python(tmp_path, "-c", "raise SystemExit(4)")
    assert done is not None
    with pytest.raises(RuntimeError, match="small/magic"):
        mutants_specs._first_failure(mutant, done)


def test_the_command_tries_a_share_and_then_what_survived(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tried: list[tuple[str, str]] = []

    def run(chosen: list[Mutant], jobs: int) -> Iterator[Result]:
        for mutant in chosen:
            tried.append((mutant.place, mutant.change))
            yield Result(mutant, "tests/a.py::b" if mutant.kind == "size" else "")

    monkeypatch.setattr(mutants_specs, "run", run)
    path = tmp_path / "table.md"
    options = ["mutants_specs", "--spec", "bucket_index", "--table", str(path)]
    monkeypatch.setattr("sys.argv", [*options, "--share", "0.5"])
    assert mutants_specs.main() == 1
    found = [one for one in mutants_specs.mutants(ROOT / "specs") if one.spec == "bucket_index"]
    every = {(one.place, one.change) for one in found}
    sizes = {(one.place, one.change) for one in found if one.kind == "size"}
    first = {*tried}
    assert len(tried) == math.ceil(len(found) / 2) and first < every and first & sizes
    printed = capsys.readouterr().out
    assert f"{len(first - sizes)} of {len(first)} survived" in printed
    assert all(f"  bucket_index: {place}: {change}" in printed for place, change in first - sizes)
    tried.clear()
    monkeypatch.setattr("sys.argv", [*options, "--again"])
    assert mutants_specs.main() == 1
    assert {*tried} == every - (first & sizes)
    assert len(mutants_specs.read_table(path)) == len(found)


@pytest.mark.network
def test_a_golden_test_kills_a_mutant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        compiler_path()
    except CompilerMissing as error:
        skip_or_fail("network", f"network: {error}")
    project = tmp_path / "project"
    monkeypatch.setattr(mutants_specs, "_folder", lambda number: project)
    [mutant] = [
        one for one in mutants_specs.mutants(ROOT / "specs")
        if (one.spec, one.kind) == ("bucket_index", "endianness")
    ]  # fmt: skip
    [result] = mutants_specs.run([mutant], jobs=1)
    assert result.killer.startswith("tests/table_index/test_bucket_index.py::")
    assert f"| `{result.killer}` |" in mutants_specs.table([result])
    survivor = mutants_specs.Result(mutant, "")
    assert "a test is missing" in mutants_specs.table([survivor])
