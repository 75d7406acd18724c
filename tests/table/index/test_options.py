"""The indexes that a table's options ask for."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

from paimon_ksy.errors import OptionError, PaimonKsyError, UnsupportedError
from paimon_ksy.table.store import Table
from tests.support.commands import run_command
from tests.support.tables import (
    EMBEDDED,
    STATUS,
    bodies,
    decimals,
    files,
    give,
    ids,
    indexes,
    make,
    referred,
    rows,
    run_rewrite,
)


def test_options_changed_and_reset_leave_nothing_stale(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 8), rows(8, 8)], {"file-index.bitmap.columns": "status,amount"})
    run_rewrite(path)
    fewer = {"file-index.bitmap.columns": "status"}
    assert run_rewrite(path, set=fewer, drop_unlisted=True).reasons == {"stale": 2}
    assert indexes(path) == 2 * [{"status": {"bitmap"}}]
    added = {"file-index.bitmap.columns": "status", "file-index.bsi.columns": "id"}
    assert run_rewrite(path, set=added).reasons == {"incomplete": 2}
    assert indexes(path) == 2 * [{"status": {"bitmap"}, "id": {"bsi"}}]
    version = {"file-index.bitmap.columns": "status", "file-index.bitmap.status.version": "1"}
    assert run_rewrite(path, set=version, drop_unlisted=True).reasons == {"version": 2}
    assert indexes(path) == 2 * [{"status": {"bitmap"}}]
    assert run_rewrite(path, set={**version, "file-index.bitmap.status.version": "2"}).reasons == {
        "version": 2
    }
    summary = run_rewrite(path, set={"file-index.bitmap.columns": ""}, drop_unlisted=True)
    assert summary.reasons == {"stale": 2}
    assert indexes(path) == [{}, {}]
    assert not referred(path)
    assert run_rewrite(path, set={"file-index.bitmap.columns": ""}).snapshot is None
    assert ids(path) == list(range(16))


def test_threshold_both_ways(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 8)], STATUS)
    run_rewrite(path, set=EMBEDDED)
    (file,) = files(path)
    assert file.embedded_index is not None
    assert file.extra_files == ()
    size = len(file.embedded_index)
    exact = {"file-index.in-manifest-threshold": f"{size} B"}
    assert run_rewrite(path, set=exact).snapshot is None  # at most so many bytes are embedded
    below = {"file-index.in-manifest-threshold": f"{size - 1} B"}
    assert run_rewrite(path, set=below).reasons == {"threshold": 1}
    (file,) = files(path)
    assert file.embedded_index is None
    assert [Path(name).stat().st_size for name in file.index_files] == [size]
    assert Path(file.index_files[0]).parent == Path(file.path).parent
    assert run_rewrite(path, set=exact).reasons == {"threshold": 1}
    (file,) = files(path)
    assert (file.extra_files, file.index_files) == ((), ())
    assert file.embedded_index is not None
    assert ids(path) == list(range(8))


@pytest.mark.parametrize(
    ("options", "error", "reason"),
    [
        ({"file-index.bitmap.columns": "nix"}, OptionError, "no column 'nix'"),
        ({"file-index.nix.columns": "id"}, OptionError, "no index type 'nix'"),
        ({"bucket": "1"}, OptionError, "not an option of file indexes"),
        ({"file-index.columns": "id"}, OptionError, "not an option of file indexes"),
        ({"file-index.bitmap.column": "id"}, OptionError, "not an option of file indexes"),
        ({"file-index.bitmap.a.b.version": "1"}, OptionError, "not an option of file indexes"),
        ({"file-index.bitmap.status.version": "7"}, OptionError, "7"),
        (
            {"file-index.bsi.columns": "status", "file-index.bitmap.columns": ""},
            UnsupportedError,
            "status",
        ),
        ({"file-index.in-manifest-threshold": "many"}, OptionError, "many"),
    ],
)
def test_options_that_cannot_be(
    options: dict[str, str], error: type[PaimonKsyError], reason: str, tmp_path: Path
) -> None:
    path = make(tmp_path, [rows(0, 4)], STATUS)
    with pytest.raises(error, match=reason) as caught:
        run_rewrite(path, set=options)
    assert "\n" not in str(caught.value)


BIG = {"file-index.bitmap.columns": "id,big", "file-index.bsi.columns": "big"}
"""A bitmap refuses the type, and a BSI one of the values."""


def test_other_columns_are_indexed_where_one_cannot_be(tmp_path: Path) -> None:
    path = decimals(tmp_path)
    summary = run_rewrite(path, set=BIG)
    assert [(one.index_type, one.column, one.files) for one in summary.refused] == [
        ("bitmap", "big", 2),
        ("bsi", "big", 1),
    ]
    assert "DECIMAL(38, 2)" in summary.refused[0].reason
    assert "64 bits" in summary.refused[1].reason
    assert indexes(path) == [
        {"id": {"bitmap"}},
        {"id": {"bitmap"}, "big": {"bsi"}},
    ]
    assert summary.values == 2 + 2 * 2
    again = run_rewrite(path, set=BIG)
    assert (again.snapshot, again.rewritten, again.left) == (None, 0, 2)
    assert again.refused == summary.refused
    assert sum(one.endswith(".index") for one in map(str, Path(path).rglob("*"))) == 0


def test_an_index_stays_where_it_cannot_be_built_again(tmp_path: Path) -> None:
    """As one that another writer built of a column that is refused here."""
    path = decimals(tmp_path, big=False)
    run_rewrite(path, set=BIG)
    sound = bodies(files(path)[0])
    other = decimals(tmp_path / "big")
    give(other, files(other)[0], sound)
    summary = run_rewrite(other, set=BIG, rebuild=True)
    assert {(one.index_type, one.files) for one in summary.refused} == {
        ("bitmap", 2),
        ("bsi", 1),
    }
    assert bodies(files(other)[0]).keys() == sound.keys()


def test_a_run_that_can_build_nothing_fails(tmp_path: Path) -> None:
    path = decimals(tmp_path)
    ran = run_command(
        "table", "rewrite-index", path, "--engine", "local", "--set", "file-index.bsi.columns=big"
    )
    assert ran.exit_code == 0  # of the other file
    assert "1 of 2 files indexed; 1 had no index: left 1" in ran.stdout
    alone = make(
        tmp_path / "alone",
        [pa.table({"big": pa.array([Decimal(10) ** 30], pa.decimal128(38, 2))})],
    )
    ran = run_command(
        "table", "rewrite-index", alone, "--engine", "local", "--set", "file-index.bsi.columns=big"
    )
    assert ran.exit_code == 1
    assert "bsi: column big, reason column 'big': it cannot be" in ran.stdout
    assert Table.at(alone).snapshot().id == 1  # type: ignore[union-attr]
