"""Tables of each release of Paimon since 0.4, with manifests in each format that it can read.

They were made by `make releases`, with the rows that the release itself reads.
"""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

import paimon_ksy as pk
from paimon_ksy.table.engine import local_engine
from tests import ROOT
from tests.golden import members_of
from tools import jvm, releases

ARCHIVE = ROOT / "tests" / "golden" / "releases.tar.xz"
SINCE_PARQUET = ("0.9.0", "1.0.1", "1.1.1", "1.2.0", "1.3.1", "1.4.2")
RELEASES = ("0.4.0", "0.5.0", "0.6.0", "0.7.0", "0.8.2", *SINCE_PARQUET)
WRITTEN = [f"{release}-{kind}" for release in RELEASES for kind in ("avro", "orc")]
WRITTEN += [f"{release}-parquet" for release in SINCE_PARQUET]
TABLES = pytest.mark.parametrize("name", ["log", "keyed"])
EACH = pytest.mark.parametrize("written", sorted(WRITTEN))


def unpacked(written: str, name: str, folder: Path) -> tuple[str, list[str]]:
    """The path of a table, and the lines of the rows that its release reads."""
    start = f"{written}/{name}/"
    for path, data in members_of(ARCHIVE).items():
        if path.startswith(start):
            file = folder / name / path.removeprefix(start)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
    return str(folder / name), members_of(ARCHIVE)[f"{written}/{name}.rows"].decode().splitlines()


def lines(path: str, where: str | None = None) -> list[str]:
    """The rows of a query in the form of `Releases.java`."""
    rows = pk.query(path, where).to_pylist()
    return sorted(
        f"{row['id']}|{row['day']}|{row['name'] or ''}|{row['amount']}|"
        f"{int(row['at'].timestamp() * 1000)}"
        for row in rows
    )


def test_there_are_all_releases() -> None:
    assert {path.split("/")[0] for path in members_of(ARCHIVE)} == set(WRITTEN)


@EACH
@TABLES
def test_rows_are_those_that_the_release_reads(written: str, name: str, tmp_path: Path) -> None:
    path, rows = unpacked(written, name, tmp_path)
    assert lines(path) == rows
    assert pk.count(path).count == len(rows)
    cases: list[tuple[str, Callable[[list[str]], bool]]] = [
        ("day = 'day-1'", lambda row: row[1] == "day-1"),
        ("name = 'name-2' AND id >= 6", lambda row: row[2] == "name-2" and int(row[0]) >= 6),
        ("name IS NULL", lambda row: row[2] == ""),
        ("amount < 1.5", lambda row: float(row[3]) < 1.5),
        ("id = 1000", lambda row: False),
    ]
    for where, of_row in cases:
        wanted = [row for row in rows if of_row(row.split("|"))]
        assert lines(path, where) == wanted, where
        assert pk.count(path, where).count == len(wanted)


@EACH
@TABLES
def test_an_audit_finds_nothing(written: str, name: str, tmp_path: Path) -> None:
    path, _ = unpacked(written, name, tmp_path)
    found = [one.check for one in pk.audit(path, deep=True, engine=local_engine(1))]
    # Java 1.4 needs a bucket-key, which releases before 0.8 did not.
    assert found == (["options"] if written < "0.8" and name == "log" else [])
    assert pk.clean_orphans(path, timedelta(0)) == []


@EACH
def test_indexes_are_built_or_refused(written: str, tmp_path: Path) -> None:
    """A commit goes into manifests of the table's own format, or is refused before any work."""
    path, rows = unpacked(written, "log", tmp_path)
    options = {"file-index.bitmap.columns": "name"}
    if not written.endswith("avro"):
        before = sorted(Path(path).rglob("*"))
        with pytest.raises(pk.UnsupportedError, match=r"manifest\.format"):
            pk.rewrite_index(path, set=options, engine=local_engine(1))
        assert sorted(Path(path).rglob("*")) == before
        return
    assert pk.rewrite_index(path, set=options, engine=local_engine(1)).rewritten > 0
    assert lines(path) == rows
    stats = pk.QueryStats()
    assert pk.query(path, "name = 'absent'", stats=stats).num_rows == 0
    assert stats.files_read == 0


@pytest.mark.java
@pytest.mark.library
def test_the_newest_release_writes_the_same_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A share of `make releases`: by the library that other tests use."""
    archive = tmp_path / "releases.tar.xz"
    jars = jvm.fetch_jars()
    monkeypatch.setattr(releases, "fetch_jars", lambda *_: jars)
    monkeypatch.setattr(releases, "FORMATS", ("parquet",))
    monkeypatch.setattr(releases, "ARCHIVE", archive)
    monkeypatch.setattr(releases, "ROOT", tmp_path)
    assert releases.main() == 0
    assert capsys.readouterr().out.startswith("releases.tar.xz: ")
    before, made = members_of(ARCHIVE), members_of(archive)
    assert {name.split("/")[0] for name in made} == {"1.4.2-parquet"}
    for rows in ("1.4.2-parquet/log.rows", "1.4.2-parquet/keyed.rows"):
        assert made[rows] == before[rows]

    def missing() -> str:
        raise jvm.MissingToolError("no Java here")

    monkeypatch.setattr("tools.jvm.find_java", missing)
    assert releases.main() == 1
    assert capsys.readouterr().err == "no Java here\n"
