"""Timestamps that Java's writer of ORC stores as other ones: queries give what a scan gives."""

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from paimon_ksy.data_files.orc import shifted
from paimon_ksy.data_files.orc.shifted import (
    ShiftedError,
    have_shifted,
    latest,
    may_be_stored_as_others,
    widened,
    without_gaps,
    without_shifted,
)
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.check import check_index
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.inspection.verify import verify
from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.statistics import Bounds
from paimon_ksy.predicates.tree import Predicate, Unsure, col
from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.store import Table
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.literals import TIMESTAMP, TIMESTAMP_LTZ, TypedLiteral
from paimon_ksy.types.schema import Schema
from tests.support.brute_force import matching_rows
from tests.support.golden_tables import rows_of
from tools import jvm

SECOND, DAY = 10**6, 86_400 * 10**6
LOCAL = local_engine(1)

MOVED = {
    -1: 999_999,
    -500_000: 500_000,
    -999_000: 1_000,
    -12_219_292_800 * SECOND - 1: -12_218_428_800 * SECOND - 1,  # 1582-10-14 to 10-24
    -14_831_769_600 * SECOND: -14_830_992_000 * SECOND,  # 1500-01-01 to 01-10
    -62_135_596_800 * SECOND: -62_135_769_600 * SECOND,  # the year 1, by two days to before it
}
"""Microseconds in UTC as they are written, and as they are stored."""
KEPT = [0, 1, -SECOND, -SECOND - 1, -999_001, -1_500_000, SECOND, 5 * DAY, 1_700_000_000 * SECOND]
KEPT += [-12_219_292_800 * SECOND, -2_208_988_800 * SECOND, 253_402_300_799 * SECOND]


SCHEMA = Schema.parse("t TIMESTAMP(6), z TIMESTAMP(3) WITH LOCAL TIME ZONE, n INT")


def at(micros: int, kind: DataType = TIMESTAMP) -> TypedLiteral:
    return TypedLiteral(micros * 1000, kind)


def micros_of(time: str) -> int:
    return int(np.datetime64(time, "us").astype(np.int64))


def test_only_tests_of_such_times_are_not_sure() -> None:
    def left(predicate: Predicate, bounds: Bounds | None = None) -> Predicate:
        return without_shifted(bind(predicate, SCHEMA), lambda _: bounds)

    recent = at(1_700_000_000 * SECOND)
    for sure in (
        col("t") > recent,
        col("t").is_in([recent, at(5 * DAY), at(-5 * DAY)]),
        (col("z") <= at(1_700_000_000 * SECOND, TIMESTAMP_LTZ)) | (col("n") == 0),
        col("t").is_null(),
        col("t").is_not_null(),
    ):
        assert left(sure) == bind(sure, SCHEMA)
    for micros in (*MOVED, *MOVED.values(), 0):
        for unsure in (
            col("t") == at(micros),
            col("t") < at(micros),
            col("t").is_not_in([recent, at(micros)]),
        ):
            assert isinstance(left(unsure), Unsure)
            ages = Bounds(recent.value, recent.value, 0, 9)
            assert left(unsure, ages) == bind(unsure, SCHEMA)


@pytest.mark.parametrize(
    ("time", "is_near"),
    [
        ("1940-06-14T23:30", True),  # Paris took the time of Berlin
        ("2011-12-30T12:00", True),  # Samoa crossed the date line
        ("2011-12-31T12:00", True),
        ("2012-01-02T12:00", False),
        ("2024-03-10T02:00", True),
        ("2024-03-10T03:59:59.999999", True),
        ("2024-03-12T03:00", False),
        ("2424-03-10T02:00", True),
        ("9999-03-14T02:30", True),
        ("9999-12-31T23:00", False),
    ],
)
def test_times_that_clocks_skip_are_known_in_all_years(time: str, is_near: bool) -> None:
    nanos = micros_of(time) * 1000
    for kind, near in ((TIMESTAMP, is_near), (TIMESTAMP_LTZ, False)):
        where = bind(col("t" if kind is TIMESTAMP else "z") == TypedLiteral(nanos, kind), SCHEMA)
        assert isinstance(without_shifted(where, lambda _: None), Unsure) == near
        assert (without_gaps(where) != where) == near
        same = np.array([nanos // SECOND // 1000])
        assert may_be_stored_as_others(same, kind).tolist() == [near]
        assert have_shifted(Bounds(nanos, nanos, 0, 1), kind) or not near
        assert latest(Bounds(nanos, nanos, 0, 1), kind).max == nanos + near * DAY * 1000


def test_without_zones_no_local_time_is_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shifted, "_zones", list)
    where = bind(col("t") == at(5 * DAY + 30), SCHEMA)
    shifted._near_gap.cache_clear()
    assert without_gaps(where) != where
    shifted._near_gap.cache_clear()


def test_bounds_hold_both() -> None:
    for before, after in MOVED.items():
        for other in (*KEPT, *MOVED):
            for one, moved in ((before, after), (after, before)):
                low, high = widened(*np.sort([[one], [other]], axis=0))
                assert low[0] <= moved <= high[0]
            least, most = sorted((before * 1000, other * 1000))
            assert have_shifted(Bounds(least, most, 0, 2), TIMESTAMP)
    low, high = widened(np.array([5 * DAY]), np.array([9 * DAY]))
    assert (low[0], high[0]) == (5 * DAY, 9 * DAY)
    assert not have_shifted(Bounds(5 * DAY * 1000, 9 * DAY * 1000, 0, 2), TIMESTAMP)
    assert have_shifted(Bounds(None, None, 0, 2), TIMESTAMP)
    assert not have_shifted(Bounds(None, None, 2, 2), TIMESTAMP)


# Tables of the library --------------------------------------------------------------------------

COLUMNS = {
    "id": "INT",
    "t": "TIMESTAMP(6)",
    "s": "TIMESTAMP(3)",
    "z": "TIMESTAMP(6) WITH LOCAL TIME ZONE",
}
INDEXES = {
    "file-index.bitmap.columns": "t",
    "file-index.bsi.columns": "s,z",
    "file-index.range-bitmap.columns": "t,z",
    "file-index.bloom-filter.columns": "t,s",
}


@pytest.fixture(scope="module", params=["-1", "3"])
def table(
    request: pytest.FixtureRequest,
    java_tables: jvm.Session,
    tmp_path_factory: pytest.TempPathFactory,
) -> Table:
    """ORC files with one timestamp or a few each, in fixed buckets or in none."""
    path = str(tmp_path_factory.mktemp("shifted") / "t")
    options = {"file.format": "orc", "bucket": request.param, **INDEXES}
    if request.param != "-1":
        options["bucket-key"] = "t"
    columns = [{"name": name, "type": kind} for name, kind in COLUMNS.items()]
    times = [*MOVED, *KEPT]
    groups = [[time] for time in MOVED] + [times, times[::2], times[1::3], KEPT[-4:]]
    first = 0
    created = {"path": path, "columns": columns, "keys": [], "options": options}
    java_tables.ask({"op": "create", **created})
    for group in groups:
        rows = [[first + n, time, time // 1000, time] for n, time in enumerate(group)]
        java_tables.ask({"op": "write", "rows": rows, "compact": False})
        first += len(group)
    return Table.at(path)


@pytest.mark.java
def test_an_audit_names_them(table: Table) -> None:
    every = audit(table.location, deep=True, engine=LOCAL)
    findings = [found for found in every if found.check != "readers"]
    assert {(found.severity, found.check) for found in findings} == {("note", "timestamps")}
    assert {found.column for found in findings} == {"t", "s", "z"}
    assert len({(found.file, found.column) for found in findings}) == len(findings)
    assert {found.check for found in audit(table.location, engine=LOCAL)} <= {"readers"}


@pytest.mark.java
def test_verify_names_them_as_a_note(table: Table) -> None:
    schema = table.schema.columns
    seen = set()
    for file in table.data_files.of(table.snapshot()):
        found = verify(file.index_files[0], schema=schema, data=file.path)
        assert {(one.severity, one.check) for one in found} <= {("note", "timestamps")}
        assert len({one.column for one in found}) == len(found)
        seen |= {one.column for one in found}
    assert seen == {"t", "s", "z"}


def asked_of(name: str, micros: int) -> Iterator[Predicate]:
    kind = TIMESTAMP_LTZ if name == "z" else TIMESTAMP
    literal, column = at(micros, kind), col(name)
    yield from (column == literal, column != literal, column < literal)
    yield column.is_in([literal, at(5 * DAY, kind)])


@pytest.mark.java
@pytest.mark.parametrize("name", ["t", "s", "z"])
def test_queries_are_those_of_a_scan(table: Table, name: str) -> None:
    rows = rows_of(query(table, engine=LOCAL))
    schema = table.schema.columns
    data = {column: [row[i] for row in rows] for i, column in enumerate(schema.names)}
    assert set(data["t"]) != {micros * 1000 for micros in (*MOVED, *KEPT)}
    others = (*MOVED.values(), *KEPT, -3_000 * 365 * DAY // 10) if name == "t" else ()
    for micros in (*MOVED, *others):
        for number, where in enumerate(asked_of(name, micros)):
            wanted = [data["id"][row] for row in matching_rows(where, data, schema)]
            found = query(table, where, ["id"], engine=LOCAL)["id"].to_pylist()
            assert sorted(found) == sorted(wanted), where
            if number % 2 == 0:
                assert count(table, where, engine=LOCAL).count == len(wanted)


@pytest.mark.java
@pytest.mark.parametrize(("name", "descending"), [*product("tsz", [False, True])])
def test_orders_are_those_of_a_scan(table: Table, name: str, descending: bool) -> None:
    place = list(COLUMNS).index(name)
    values = sorted((row[place] for row in rows_of(query(table, engine=LOCAL))), reverse=descending)
    for limit in (1, 2, 3, 5, 10, 20, len(values)):
        order = f"{name}{' DESC' if descending else ''}"
        found = query(table, None, [name], order_by=order, limit=limit, engine=LOCAL)
        assert [value for (value,) in rows_of(found)] == values[:limit]


IN_GAP = [  # a time that the clocks of a zone skip, what Java stores, and a later time
    ("America/New_York", "2024-03-10T02:30:00", "2024-03-10T03:30:00", "2024-03-10T09:00:00"),
    ("Pacific/Apia", "2011-12-30T12:00:00", "2011-12-31T12:00:00", "2011-12-31T23:00:00"),
]


@pytest.mark.java
@pytest.mark.library
@pytest.mark.parametrize("keyed", [False, True])
@pytest.mark.parametrize(("zone", "written", "stored", "later"), IN_GAP)
def test_times_that_clocks_skip(
    zone: str,
    written: str,
    stored: str,
    later: str,
    keyed: bool,
    tmp_path: Path,
) -> None:
    """Java writes them with indexes, keys and buckets of times that the file does not contain."""
    path = str(tmp_path / "t")
    of_bucket = {"bucket": "8"} if keyed else {"bucket": "8", "bucket-key": "t"}
    indexes = {"file-index.bitmap.columns": "t", "file-index.bsi.columns": "t"}
    indexes |= {"file-index.bloom-filter.columns": "t", "file-index.range-bitmap.columns": "t"}
    columns = [{"name": "t", "type": "TIMESTAMP(6)"}, {"name": "id", "type": "INT"}]
    options_of = {"file.format": "orc", **of_bucket, **indexes, "file-index.read.enabled": "true"}
    micros = [*map(micros_of, (written, stored, later))]
    with jvm.session("Tables", zone=zone) as java:
        keys = ["t"] if keyed else []
        created = {"path": path, "columns": columns, "keys": keys, "options": options_of}
        java.ask({"op": "create", **created})
        for group in ([0], [1], [0, 2]):
            written_rows = [[micros[at], at] for at in group]
            java.ask({"op": "write", "rows": written_rows, "compact": False})
    table = Table.at(path)
    rows = rows_of(query(table, engine=LOCAL))
    schema = table.schema.columns
    data = {name: [row[i] for row in rows] for i, name in enumerate(schema.names)}
    assert micros[0] * 1000 not in data["t"]
    for each in micros:
        for where in asked_of("t", each):
            wanted = [data["id"][row] for row in matching_rows(where, data, schema)]
            found = query(table, where, ["id"], engine=LOCAL)["id"].to_pylist()
            assert sorted(found) == sorted(wanted), where
            assert count(table, where, engine=LOCAL).count == len(wanted)
    for order in (" DESC", ""):
        wanted = sorted(data["t"], reverse=bool(order))[:1]
        found = query(table, None, ["t"], order_by="t" + order, limit=1, engine=LOCAL)
        assert [value for (value,) in rows_of(found)] == wanted
    assert {each.severity for each in audit(path, deep=True, engine=LOCAL)} <= {"note"}


def test_other_values_stay_errors() -> None:
    """An index with other timestamps than Java makes of them is of another file."""
    schema = Schema.parse("t TIMESTAMP(6)")

    def rows(micros: Sequence[int]) -> pa.Table:
        return pa.table({"t": pa.array(micros, pa.timestamp("us"))})

    right = rows([*MOVED.values(), 1, 5 * DAY])
    for kind in ("bitmap", "bsi", "range-bitmap", "bloom-filter"):
        for last, orc, wanted in (
            (5 * DAY, True, "Shifted"),
            (5 * DAY + 1, True, "Corrupt"),
            (5 * DAY, False, "Corrupt"),
        ):
            options = {f"file-index.{kind}.columns": "t"}
            built = build_file_index(rows([*MOVED, 1, last]), schema, options)
            with FileIndex.open(built, schema) as opened:
                name = "orc" if orc else "parquet"
                count = right.num_rows
                [error] = check_index(opened, count, schema, data=lambda: right, file_format=name)
            assert (
                type(error).__name__ == f"{wanted}{'Error' if wanted == 'Shifted' else 'FileError'}"
            )


def test_its_finding_is_a_note_on_the_column() -> None:
    note = ShiftedError("at").finding("x.index", "embedded index: ")
    assert (note.severity, note.file, note.column, note.byte) == ("note", "x.index", "at", None)
    assert note.message.startswith("embedded index: Java's ORC writer shifted")
