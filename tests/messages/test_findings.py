"""Findings: errors as findings, and commands in them that name the table."""

import pytest

from paimon_ksy.errors import (
    AccessError,
    Call,
    CorruptFileError,
    OutsideError,
    PaimonKsyError,
    Remedy,
)
from paimon_ksy.messages.findings import ERROR, NOTE, REMEDY_ACCESS, Finding, corrupt, folded


def test_notes_of_one_kind_are_one_with_a_count() -> None:
    def found(file: str, message: str, severity: str = NOTE) -> Finding:
        return Finding(severity, "index", file, None, None, message, "rebuild it")

    alike = [found(f"f{n}", f"data-{n}.parquet has {n} rows") for n in range(3)]
    errors = [found(f"f{n}", "it is cut", ERROR) for n in range(2)]
    other = found("f0", "it has option a")
    listed = folded([*alike, other, found("f0", "it has option b"), *errors], "!")
    assert [(each.file, each.severity) for each in listed] == [
        *(("f0", ERROR), ("f1", ERROR), ("f0 and 2 more!", NOTE), ("f0", NOTE), ("f0", NOTE))
    ]
    assert folded([other]) == [other]


def test_an_error_over_a_file_keeps_its_column_and_byte() -> None:
    error = CorruptFileError("it is cut", column="a", offset=7)
    found = corrupt("index", "x.index", error, "embedded: ", "rebuild it")
    assert found == Finding(ERROR, "index", "x.index", "a", 7, "embedded: it is cut", "rebuild it")
    own = CorruptFileError("it is cut", path="y.index")
    assert corrupt("index", "x.index", own).file == "y.index"
    assert corrupt("index", "x.index", CorruptFileError("cut", path="<bytes>")).file == "x.index"


def test_an_error_without_a_place_is_its_text_without_the_path_again() -> None:
    error = PaimonKsyError("cannot be read", path="x")
    assert corrupt("data-file", "x", error).message == "cannot be read"


def test_what_may_not_be_read_is_not_to_be_built_again() -> None:
    found = corrupt("index", "x", AccessError("denied", path="x"), remedy="rebuild it")
    assert (found.check, found.remedy) == ("index-file", REMEDY_ACCESS)


def test_what_is_outside_is_a_finding_on_paths() -> None:
    found = corrupt(
        "index", "x", OutsideError.of("x", "/elsewhere", None, ["/t"]), remedy="rebuild it"
    )
    assert found.check == "path"
    assert found.remedy != "rebuild it"


@pytest.mark.parametrize(
    ("table", "file", "named"), [("'my table'", None, "'my table'"), (None, "x y", None)]
)
def test_commands_name_the_table(table: str | None, file: str | None, named: str | None) -> None:
    remedy = Remedy("run ", Call("table audit", "--repair"))
    finding = Finding(ERROR, "index", "f", None, None, "broken", remedy)
    on = finding.on(table, file)
    if named is not None:
        assert on.remedy == f"run `paimon-ksy table audit {named} --repair`"
    assert finding.remedy == remedy  # a finding never changes
    plain = Finding(ERROR, "index", "f", None, None, "broken", "restore it")
    assert plain.on(table, file) is plain
