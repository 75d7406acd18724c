"""The cases of conformance/: our runner passes all, the Java library a share of them."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from conformance.run import (
    BAD,
    JAVA,
    KIT,
    ProtocolError,
    Result,
    Runner,
    integers,
    known_differences,
    load_checks,
    pack,
    run,
)
from paimon_ksy.inspection.registry import FORMATS
from tools.conformance import matrix
from tools.conformance.global_indexes import file_kind
from tools.conformance.kit.__main__ import cases

CASE = "bucket_index/limits"
"""A case of two checks: a file to read, and one to write."""


def test_our_runner_passes_the_whole_kit() -> None:
    result = run(matrix.runner("ours"))
    assert not result.failed and not result.unsupported
    assert {known.outcome for known in result.happened} == {"bytes"}
    assert result.passed.total() > 3000


def test_cases_fit_their_schema() -> None:
    checker = Draft202012Validator(json.loads((KIT / "case.schema.json").read_text()))
    cases = sorted(KIT.glob("*/*/case.json"))
    for path in cases:
        checker.validate(json.loads(path.read_text(encoding="utf-8")))
    case = json.loads(cases[0].read_text(encoding="utf-8"))
    del case["made"]
    assert not checker.is_valid(case)


def test_each_format_has_sound_and_damaged_cases() -> None:
    older = {"index", "vectors", "bucket-index", "roaring-bitmap"}
    formats = {kind.id for kind, one in FORMATS.items() if one.check is not None} - older
    formats |= {"multivalue", "index-metadata", "source-metadata"}
    checks = list(load_checks(KIT))
    for is_bad in (False, True):
        requests = [check.request for check in checks if (check.column == BAD) == is_bad]
        assert formats <= set(map(format_of, requests))


def format_of(request: Mapping[str, Any]) -> Any:
    """The format of the file that a check reads; only its metadata tells those of a type apart."""
    if request.get("metadata", "") is None:
        return file_kind(request).id
    return request.get("format", request.get("index_type"))


def test_content_and_keys_are_compared() -> None:
    checks = {check.name: check for check in load_checks(KIT)}
    blob, keys = checks["other_files/blob_values#0"], checks["global_index/btree_int#0"]
    assert blob.judge({"content": {"rows": 4, "other": 1}}) is None
    assert blob.judge({"content": {"values": [{"byte": 0}, {}, {}, {"byte": 1}]}}) == (
        "wrong",
        "content.values[3].byte is 1, not 37",
    )
    assert blob.judge({"content": {"values": []}}) is not None
    with pytest.raises(ValueError, match="none of"):
        blob.judge({"content": {}})
    given = json.loads((KIT / keys.case / "case.json").read_bytes())["keys"]
    assert keys.judge({"keys": given}) is None
    assert keys.judge({"keys": given[1:]}) == ("wrong", "key [5] has rows [], not [0, 3, 8]")


@pytest.mark.java
@pytest.mark.library
def test_the_library_answers_a_share_as_the_cases_say() -> None:
    result = run(matrix.runner("java"), share=20)
    assert not result.failed
    assert result.passed["file index: read"] > 70 and result.known.total() > 15


@pytest.mark.parametrize("name", ["pypaimon", "pypaimon_rust"])
def test_other_libraries_answer_a_share_as_before(name: str) -> None:
    """The next test runs pyiceberg on all cases that it supports."""
    result = run(matrix.runner(name), share=9)
    assert not result.failed, [*map(str, result.new), *result.stale]
    assert result.passed.total() > 30 and result.known.total() > 0


def columns(page: str) -> dict[str, list[str]]:
    """Return the cells of a page's first table by heading, without dashes."""
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| ")]
    table = rows[: next(at for at, row in enumerate(rows) if row[0] == "runner")]
    headings, *lines = table
    return {
        heading: [f"{line[0]}: {line[at]}" for line in lines if line[at] != "-"]
        for at, heading in enumerate(headings)
        if at
    }


def test_the_page_has_what_the_runners_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The page of one runner has the same column and differences as the committed page."""
    before = matrix.PAGE.read_text(encoding="utf-8")
    page = tmp_path / "conformance.md"
    monkeypatch.setattr(matrix, "PAGE", page)
    monkeypatch.setattr(matrix, "RUNNERS", ["pyiceberg"])
    assert matrix.main() == 0
    made = page.read_text(encoding="utf-8")
    assert capsys.readouterr().out == made + "\n"
    [(name, cells)] = columns(made).items()
    assert cells == columns(before)[name]
    differences = [line for line in made.splitlines() if line.startswith("| pyiceberg |")]
    assert len(differences) > 1 and set(differences) <= set(before.splitlines())

    monkeypatch.setattr("conformance.run.known_differences", lambda *_: {"gone#0": None})
    monkeypatch.setattr(matrix, "run", partial(run, only="roaring/*"))
    assert matrix.main() == 1
    printed = capsys.readouterr().out
    assert "STALE pyiceberg: gone#0" in printed and "NEW pyiceberg: " in printed

    monkeypatch.setattr(matrix, "RUNNERS", ["absent"])
    assert matrix.main() == 1
    assert capsys.readouterr().err.endswith("the runner ended with exit code 1\n")


@pytest.mark.java
@pytest.mark.library
def test_the_kit_is_what_the_library_makes() -> None:
    made = cases()
    assert {case.path for case in made} == {check.case for check in load_checks(KIT)}
    for case in made:
        for name, data in case.texts().items():
            assert (KIT / case.path / name).read_bytes() == data, f"{case.path}/{name}"


def test_known_differences_are_of_checks_that_exist() -> None:
    checks = list(load_checks(KIT))
    names = {check.name for check in checks}
    entries = json.loads((KIT / "differences.json").read_text())
    runners = {"paimon-ksy", "pypaimon", "pypaimon-rust", "pyiceberg"}
    assert {entry["runner"] for entry in entries} == runners
    for name in (*sorted(runners), JAVA):
        known = known_differences(name, KIT, checks)
        assert known and known.keys() <= names
    because = {name for check in checks if check.java for name in check.java["because"]}
    assert because == json.loads((KIT / "deviations.json").read_text()).keys()


def test_the_runner_of_the_readme_works_as_written(tmp_path: Path) -> None:
    readme = (KIT / "README.md").read_text()
    [program] = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    assert 20 <= program.count("\n") <= 30
    (tmp_path / "my_runner.py").write_text(program)
    command = [sys.executable, str(KIT / "run.py"), "--", sys.executable, "my_runner.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    counts = {line[2:26].strip(): line[26:].split() for line in done.stdout.splitlines()}
    assert counts["bucket index: read"] == counts["bucket index: write"] == ["8", "0", "0", "0"]
    assert counts["bad files"][:3] == ["1", "0", "0"]


# Runners that fail ------------------------------------------------------------------------------

INTRODUCTION = '{"protocol": 1, "name": "r", "ops": ["read_bucket_index"]}'
ANSWER = '{"hashes": [0, 1, -1, 2147483647, -2147483648]}'
Asks = Callable[..., Result]


@pytest.fixture
def asks(tmp_path: Path) -> Asks:
    """Runs a program, given what it does after its introduction, on a kit of one case."""
    shutil.copytree(KIT / CASE, tmp_path / CASE)

    def asked(program: str, known: list[Any] | None = None, timeout: float = 30) -> Result:
        (tmp_path / "differences.json").write_text(json.dumps(known or []))
        begin = f"import sys, time\nsys.stdin.readline()\nprint({INTRODUCTION!r}, flush=True)\n"
        command = [sys.executable, "-c", begin + program]
        return run(Runner(command, timeout), tmp_path)

    return asked


def only(result: Result) -> tuple[str, str]:
    """The outcome and text of the only new difference; what it cannot do is no difference."""
    [found] = result.new
    assert result.unsupported.total() == 1 and not result.passed
    assert found.check.name == f"{CASE}#0"
    return found.outcome, found.text


def test_a_right_answer_passes(asks: Asks) -> None:
    result = asks(f"sys.stdin.readline(); print({ANSWER!r})")
    assert result.passed.total() == 1 and not result.failed


def test_other_answers_are_new_unless_they_are_listed(asks: Asks) -> None:
    wrong = "sys.stdin.readline(); print('{\"hashes\": [7]}')"
    entry = {"runner": "r", "outcome": "wrong", "checks": {CASE: [0]}, "reason": "it has its own"}
    assert only(asks(wrong))[0] == "wrong"
    listed = asks(wrong, [{**entry, "text": "[7], not"}])
    assert not listed.failed and [one.reason for one in listed.happened] == ["it has its own"]
    for other in ({"text": "[8]"}, {"outcome": "error"}):
        failed = asks(wrong, [{**entry, **other}])
        assert only(failed)[0] == "wrong" and failed.stale == [f"{CASE}#0"]
    assert only(asks(wrong, [{**entry, "runner": "s"}]))[0] == "wrong"
    assert only(asks(wrong, [{**entry, "checks": {CASE: [1]}}]))[0] == "wrong"


def test_listed_differences_that_do_not_happen_fail(asks: Asks) -> None:
    right = f"sys.stdin.readline(); print({ANSWER!r})"
    checks = {CASE: [[0, 2]], "bucket_index/gone": [0]}  # passes, unsupported, no such checks
    entry = {"runner": "r", "outcome": "wrong", "checks": checks, "reason": "none"}
    result = asks(right, [entry])
    assert result.failed and not result.new
    names = [f"{CASE}#0", f"{CASE}#1", f"{CASE}#2", "bucket_index/gone#0"]
    assert sorted(result.stale) == sorted(names)


_HANGING = [sys.executable, "-c", "import time; time.sleep(60)"]


@pytest.mark.parametrize(
    ("program", "outcome", "text"),
    [
        ("sys.stdin.readline(); sys.exit(3)", "crash", "the runner ended with exit code 3"),
        ("sys.stdin.readline(); time.sleep(60)", "timeout", "no answer within 2 s"),
        ("time.sleep(60)", "timeout", "no answer within 2 s"),
        (f"import subprocess; subprocess.run({_HANGING!r})", "timeout", "no answer"),
        ("while True: print('{\"hashes\": []}')", "wrong", ""),
        *(
            (f"sys.stdin.readline(); print({line!r})", "protocol", "")
            for line in ("", "Ready.", "[1]", "\\xff", '{"rows": []}', "[" * 100_000)
        ),
    ],
)
def test_a_runner_that_fails_is_ended_and_seen(
    asks: Asks, program: str, outcome: str, text: str
) -> None:
    found = only(asks(program, timeout=2))
    assert found[0] == outcome and text in found[1]


def test_a_runner_that_reads_nothing_is_ended() -> None:
    begin = f"import sys, time\nsys.stdin.readline()\nprint({INTRODUCTION!r}, flush=True)\n"
    runner = Runner([sys.executable, "-c", begin + "time.sleep(60)"], timeout=2)
    runner.ask({"op": "capabilities"})
    with pytest.raises(TimeoutError):
        runner.ask({"op": "write_bucket_index", "hashes": "0" * 2**20})  # more than a pipe has


def test_a_bad_line_does_not_shift_later_answers(asks: Asks, tmp_path: Path) -> None:
    shutil.copytree(KIT / "bucket_index" / "empty", tmp_path / "bucket_index" / "empty")
    program = f"for line in sys.stdin: print('Ready.'); print({ANSWER!r}, flush=True)"
    assert [found.outcome for found in asks(program).new] == ["protocol", "protocol"]


def test_a_line_without_end_takes_bounded_memory(
    asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conformance.run.LONGEST", 2**16)
    assert only(asks("sys.stdin.readline()\nwhile True: sys.stdout.write('x' * 2**16)"))[0] == (
        "protocol"
    )


def test_a_set_of_too_many_is_refused() -> None:
    [check] = [c for c in load_checks(KIT) if c.name == "roaring/one_32#0"]
    with pytest.raises(ValueError, match="more than"):
        check.judge({"values": [[0, 2**40]]})


@pytest.mark.parametrize(
    ("introduction", "told"),
    [
        ('{"protocol": 2, "name": "r", "ops": []}', "it speaks protocol 2"),
        ('{"protocol": 1, "ops": []}', "lack a name"),
        ('{"protocol": 1, "name": "r", "ops": 5}', "lack a name or ops"),
        ('{"error": "no"}', "protocol None"),
    ],
)
def test_a_runner_has_to_introduce_itself(introduction: str, told: str) -> None:
    with pytest.raises(ProtocolError, match=told):
        run(Runner([sys.executable, "-c", f"print({introduction!r})"]))


def test_sets_are_packed() -> None:
    for values in ([], [5], [1, 2], [1, 2, 3], [0, 2, 4, 6, 9, 10], [7, 10, 13, 14, 15, 16]):
        assert list(integers(pack(values))) == values
    assert pack(range(0, 100, 3)) == [[0, 99, 3]]
