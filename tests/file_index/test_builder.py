"""File indexes built from Arrow are, byte for byte, what the Java library wrote."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_support.examples import examples
from paimon_ksy.errors import OptionError, PaimonKsyError, SchemaError, UnsupportedError
from paimon_ksy.file_index.builder import assemble, build_file_index, java_order, values_of_key
from paimon_ksy.file_index.options import parse_options
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.types.arrow import to_arrow
from paimon_ksy.types.schema import Schema
from tests.golden import golden_index, golden_indexes
from tests.support.file_indexes import bodies_of, specs_of, table_of
from tests.support.golden_json import schema_from_spec
from tests.support.memory import peak_of
from tests.support.strategies import tables

GOLDEN = [case.name for case in golden_indexes(*INDEX_TYPES)]


# -- golden files ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in GOLDEN if name.startswith("c_map_nested")])
def test_whole_files_of_table_options(name: str) -> None:
    """All index types of map keys, and the order of columns and index types."""
    case = golden_index(name)
    data = build_file_index(table_of(case), schema_from_spec(case.spec), case.spec["tableOptions"])
    assert data == case.data


@pytest.mark.parametrize("name", [n for n in GOLDEN if "tableOptions" not in golden_index(n).spec])
def test_whole_files(name: str) -> None:
    """All index types; in the order of the file, for these were not written by a table's writer."""
    case = golden_index(name)
    built = bodies_of(build_file_index(table_of(case), schema_from_spec(case.spec), specs_of(case)))
    bodies = {(column, kind): body for column, indexes in built for kind, body in indexes}
    if name == "c_empty_index":  # marked as EMPTY by force: Java's writer never does it here
        bodies = dict.fromkeys(bodies)
    parts = []
    for column, indexes in bodies_of(case.data):
        found = [(kind, bodies.pop((column, kind))) for kind, _ in indexes]
        parts.append((column, [(kind, None if body is None else [body]) for kind, body in found]))
    assert not bodies
    assert assemble(parts) == case.data


EIGHTEEN = [f"c{i:02}" for i in range(18)]


@pytest.mark.parametrize(
    ("columns", "order"),
    [
        (
            {"bitmap": ",".join(EIGHTEEN)},  # more than a HashMap takes before it grows
            "c00 c11 c10 c02 c13 c01 c12 c04 c15 c03 c14 c06 c17 c05 c16 c08 c07 c09",
        ),
        (
            {"range-bitmap": "id,d", "bsi": "v,t", "bloom-filter": "s", "bitmap": "s,v"},
            "s:bloom-filter:bitmap d:range-bitmap t:bsi v:bitmap:bsi id:range-bitmap",
        ),
        (
            {"bloom-filter": "ms[a]", "bitmap": "m[k1],m[k2],id,ms[a]"},
            "m[k2] m[k1] ms[a]:bloom-filter:bitmap id",
        ),
    ],
)
def test_order_in_files_of_real_tables(columns: dict[str, str], order: str) -> None:
    """Index files of tables that Java wrote: options, and how their columns and types stand."""
    options = {f"file-index.{kind}.columns": names for kind, names in columns.items()}
    expected = [item.split(":") for item in order.split()]
    assert java_order(parse_options(options)) == [
        (name, list(kinds) or ["bitmap"]) for name, *kinds in expected
    ]


# -- the same rows in other shapes -----------------------------------------------------------------


@given(tables(), st.sampled_from(["1", "2"]), st.sampled_from(["64b", "16kb"]), st.data())
@examples(60)
def test_chunks_and_dictionaries_change_nothing(
    table: Any, version: str, block_size: str, data: st.DataObject
) -> None:
    names = table.schema.names
    options = {"file-index.bitmap.columns": ",".join(names)} | {
        f"file-index.bitmap.{name}.{key}": value
        for name in names
        for key, value in {"version": version, "index-block-size": block_size}.items()
    }
    arrow = table.to_arrow()
    try:
        expected = build_file_index(arrow, table.schema, options)
    except OptionError as error:
        assert "does not fit" in str(error) or "a value takes" in str(error)
        return
    assert build_file_index(arrow, table.schema, options) == expected
    cut = data.draw(st.integers(0, arrow.num_rows))
    chunked = pa.concat_tables([arrow.slice(0, cut), arrow.slice(cut)])
    assert build_file_index(chunked, table.schema, options) == expected
    reader = pa.RecordBatchReader.from_batches(arrow.schema, chunked.to_batches())
    assert build_file_index(reader, table.schema, options) == expected
    encoded = pa.table({name: chunked[name].dictionary_encode() for name in names})
    assert build_file_index(encoded, table.schema, options) == expected


def test_a_record_batch_without_a_schema() -> None:
    batch = pa.record_batch({"a": pa.array([1, 2, 1], pa.int32())})
    options = {"file-index.bitmap.columns": "a"}
    assert build_file_index(batch, None, options) == build_file_index(
        pa.table(batch.columns, names=["a"]), Schema.parse("a INT"), options
    )


def test_progress() -> None:
    table = pa.table({"a": [1, 2, 3], "b": ["x", None, "y"]})
    seen: list[tuple[int, int]] = []
    build_file_index(
        table,
        None,
        {"file-index.bitmap.columns": "a,b"},
        on_progress=lambda done, total: seen.append((done, total)),
    )
    assert seen == [(3, 6), (6, 6)]


# -- keys of maps ----------------------------------------------------------------------------------


@given(
    st.lists(
        st.none() | st.dictionaries(st.sampled_from("abc"), st.none() | st.integers(0, 3)),
        max_size=12,
    ),
    st.data(),
)
def test_values_of_a_key(maps: list[dict[str, int | None] | None], data: st.DataObject) -> None:
    column = pa.array(
        [value if value is None else list(value.items()) for value in maps],
        pa.map_(pa.string(), pa.int32()),
    )
    start = data.draw(st.integers(0, len(maps)))
    cut = data.draw(st.integers(start, len(maps)))
    chunked = pa.chunked_array([column.slice(start, cut - start), column.slice(cut)], column.type)
    expected = [value and value.get("a") for value in maps[start:]]
    assert values_of_key(chunked, "a").to_pylist() == [None if v == {} else v for v in expected]


def test_a_null_map_whose_entries_are_still_there() -> None:
    keys, items = pa.array(["a", "a"]), pa.array([1, 2])
    offsets = pa.array([0, 1, 2], pa.int32())
    column = pa.MapArray.from_arrays(offsets, keys, items, mask=pa.array([True, False]))
    assert values_of_key(column, "a").to_pylist() == [None, 2]


def test_a_map_with_a_key_twice() -> None:
    column = pa.array([[("a", 1), ("a", 2)]], pa.map_(pa.string(), pa.int32()))
    with pytest.raises(SchemaError, match="twice"):
        values_of_key(column, "a")


def test_a_map_without_rows_is_empty() -> None:
    table = pa.table({"m": pa.array([], pa.map_(pa.string(), pa.int32()))})
    data = build_file_index(table, None, {"file-index.bitmap.columns": "m[a]"})
    assert bodies_of(data) == [("m[a]", [("bitmap", None)])]


# -- refusals --------------------------------------------------------------------------------------


def refuse(
    ddl: str, options: Mapping[str, str], error: type[PaimonKsyError], rows: list[Any] | None = None
) -> str:
    """The message with which building column `a` fails; without rows, before any work."""
    schema = Schema.parse(f"a {ddl}")
    table = pa.table({} if rows is None else {"a": pa.array(rows, to_arrow(schema["a"]))})
    with pytest.raises(error) as caught:
        build_file_index(table, schema, options)
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    ("ddl", "options"),
    [
        ("INT", {"file-index.nope.columns": "a"}),
        ("INT", {"file-index.bitmap.columns": "b"}),
        ("INT", {"file-index.bitmap.columns": "a[k]"}),
        ("INT", {"file-index.bitmap.columns": "a", "file-index.bitmap.a.version": "3"}),
        ("INT", {"file-index.bitmap.columns": "a", "file-index.bitmap.a.version": "x"}),
        ("INT", {"file-index.bitmap.columns": "a", "file-index.bitmap.a.index-block-size": "1q"}),
        ("INT", {"file-index.bitmap.columns": "a", "file-index.bitmap.a.items": "5"}),
    ],
)
def test_bad_options(ddl: str, options: dict[str, str]) -> None:
    refuse(ddl, options, OptionError)


def test_keys_of_a_map_that_are_no_strings() -> None:
    refuse("MAP<INT, INT>", {"file-index.bitmap.columns": "a[1]"}, UnsupportedError)


def test_a_column_that_the_data_lack() -> None:
    with pytest.raises(SchemaError, match="no column 'a'"):
        build_file_index(
            pa.table({"b": [1]}), Schema.parse("a INT"), {"file-index.bitmap.columns": "a"}
        )


def test_what_is_no_table_no_schema_or_no_text() -> None:
    table, schema = pa.table({"a": [1]}), Schema.parse("a INT")
    options = {"file-index.bitmap.columns": "a"}
    for wrong, error, says in [
        (([{"a": 1}], schema, options), SchemaError, "a list is not an Arrow table"),
        ((table, "a INT", options), SchemaError, "a str is not a schema"),
        (
            (table, schema, options | {"file-index.bitmap.a.version": 1}),
            OptionError,
            "option 'file-index.bitmap.a.version': 1 is not a text",
        ),
    ]:
        arguments: Any = wrong
        with pytest.raises(error, match=says):
            build_file_index(*arguments)


def test_a_value_that_fits_into_no_block() -> None:
    """16,368 bytes is the longest string that Java takes with blocks of 16 kB."""
    options = {"file-index.bitmap.columns": "a"}
    schema = Schema.parse("a STRING")
    build_file_index(pa.table({"a": ["x" * 16_368]}), schema, options)
    message = refuse("STRING", options, OptionError, ["x" * 16_369])
    assert "column 'a'" in message
    assert "'index-block-size' to at least 16385b" in message
    for remedy in {"index-block-size": "16385b"}, {"version": "1"}:
        more = {f"file-index.bitmap.a.{key}": value for key, value in remedy.items()}
        build_file_index(pa.table({"a": ["x" * 16_369]}), schema, options | more)


def test_a_name_that_java_cannot_write() -> None:
    name = "é" * 32_768
    with pytest.raises(PaimonKsyError, match="65535"):
        build_file_index(pa.table({name: [1]}), None, {"file-index.bitmap.columns": name})


def test_an_index_over_2_gigabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paimon_ksy.file_index.bitmap.writer.MAX_INT", 1000)
    message = refuse("INT", {"file-index.bitmap.columns": "a"}, UnsupportedError, list(range(1000)))
    assert "index fewer rows" in message


# -- memory ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", ["1", "2"])
@pytest.mark.parametrize("distinct", [10_000, 200_000])
def test_peak_memory_is_at_most_six_times_the_column(version: str, distinct: int) -> None:
    rng = np.random.default_rng(1)
    values = rng.permutation(200_000) % distinct
    table = pa.table({"a": values})
    options = {"file-index.bitmap.columns": "a", "file-index.bitmap.a.version": version}
    build_file_index(table.slice(0, 1), None, options)
    assert peak_of(lambda: build_file_index(table, None, options)) <= 6 * table.nbytes
