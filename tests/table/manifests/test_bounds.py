"""Statistics of data files as arrays: of which columns they are, and what is known."""

from typing import Any

import pyarrow as pa

from paimon_ksy.rows.binary_row import write_row
from paimon_ksy.table.manifests.bounds import FileBounds, alike, is_orc, null_counts
from paimon_ksy.table.manifests.entries import read_entries
from paimon_ksy.types.parse import parse_type
from tests.support.manifests import ENTRIES, avro, entry

INT, STRING, TIME = parse_type("INT"), parse_type("STRING"), parse_type("TIMESTAMP(3)")


def batch(*files: dict[str, Any]) -> pa.RecordBatch:
    data = avro(ENTRIES, [entry(**file) for file in files])
    [(found, _)] = read_entries([(data, "m")])
    return found


def stats(low: Any, high: Any, types: Any, nulls: Any) -> dict[str, Any]:
    return {
        "_MIN_VALUES": write_row(low, types),
        "_MAX_VALUES": write_row(high, types),
        "_NULL_COUNTS": nulls,
    }


def test_entries_are_grouped_by_their_columns() -> None:
    found = batch(
        {},
        {"_VALUE_STATS_COLS": ["a"]},
        {"_SCHEMA_ID": 1},
        {"_WRITE_COLS": ["b"]},
        {"_VALUE_STATS_COLS": ["a"], "_WRITE_COLS": ["b"]},
        {"_VALUE_STATS_COLS": []},
        {},
    )
    groups = {(part.schema_id, part.listed): part.at.tolist() for part in alike(found)}
    assert groups == {
        (0, None): [0, 6],
        (0, ("a",)): [1, 4],
        (1, None): [2],
        (0, ("b",)): [3],
        (0, ()): [5],
    }
    [part] = alike(batch({}, {}))
    assert (part.at.tolist(), part.columns(("x", "y"))) == ([0, 1], ("x", "y"))


def test_bounds_of_a_column() -> None:
    types = INT, STRING
    found = FileBounds(
        batch(
            {"_VALUE_STATS": stats((1, "a"), (2, "b"), types, [0, 3]), "_ROW_COUNT": 7},
            {"_VALUE_STATS": stats((None, "a"), (2, "b"), types, None)},
            {},
        ),
        ("i", "s"),
    )
    integers, texts = found("i", INT), found("s", STRING)
    assert integers is not None and texts is not None
    assert integers.known.tolist() == [True, False, False]
    assert (integers.low[0], integers.high[0]) == (1, 2)
    assert texts.known.tolist() == [True, True, False]
    assert texts.low.to_pylist()[:2] == [b"a", b"a"]
    assert (integers.null_counts.tolist(), texts.null_counts.tolist()) == ([0, -1, -1], [3, -1, -1])
    assert integers.num_rows.tolist() == [7, 10, 10]
    assert found("other", INT) is None
    nested = found("i", parse_type("ARRAY<INT>"))
    assert nested is not None and not nested.known.any()


def test_bounds_hold_times_that_orc_may_have_shifted() -> None:
    second = 10**9
    old, new = stats((-second,), (second,), (TIME,), [0]), stats((10**18,), (10**18,), (TIME,), [0])
    found = FileBounds(
        batch(
            *(
                {"_FILE_NAME": f"a{n}.{end}", "_VALUE_STATS": known}
                for n, known in enumerate((old, new))
                for end in ("orc", "parquet")
            )
        ),
        ("t",),
    )("t", TIME)
    assert found is not None
    day = 86_400 * 10**6
    assert found.low.tolist() == [-day, -(10**6), 10**15, 10**15]
    assert found.high.tolist() == [day, 10**6, 10**15, 10**15]


def test_key_ranges_bound_the_first_column_of_the_keys() -> None:
    types = INT, STRING
    rows = {"_MIN_KEY": write_row((3, "a"), types), "_MAX_KEY": write_row((5, "a"), types)}
    some = batch(rows, {"_MIN_KEY": b"", "_MAX_KEY": b""})
    found = FileBounds(some, ("x",), "k", len(types))("k", INT)
    assert found is not None
    assert (found.low[0], found.high[0], found.known.tolist()) == (3, 5, [True, False])
    assert found.null_counts.tolist() == [0, -1]
    assert FileBounds(some, ("x",), "k", len(types))("s", STRING) is None


def test_names_of_orc_files() -> None:
    names = ["a.orc", "a.ORC", "a.orc.zst", "a.parquet", "orc", "a.orc.parquet", "aorc"]
    found = is_orc(batch(*({"_FILE_NAME": name} for name in names)))
    assert found.tolist() == [True, True, True, False, True, False, False]


def test_counts_of_nulls() -> None:
    lists = pa.array([[9], [1, 2], None, [], [None, 4], [5, None]], pa.large_list(pa.int64()))
    assert null_counts(lists, 0).tolist() == [9, 1, -1, -1, -1, 5]
    assert null_counts(lists, 1).tolist() == [-1, 2, -1, -1, 4, -1]
    assert null_counts(lists.slice(1, 4), 1).tolist() == [2, -1, -1, 4]
    assert null_counts(lists, 7).tolist() == [-1] * 6
