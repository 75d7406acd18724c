"""File indexes: opening, what is read and when, several indexes, warnings and errors."""

import io
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal, localcontext
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from ksykit.runtime.objects import to_bytes
from pyroaring import BitMap

import paimon_ksy as pk
from paimon_ksy.errors import OptionError
from paimon_ksy.file_index import container as container_module
from paimon_ksy.file_index.builder import check_names, marked
from paimon_ksy.file_index.container import IndexIgnoredWarning, bound_predicate
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.generated.structs.file_index import (
    make_file_index,
    make_file_index_column,
    make_file_index_entry,
    make_file_index_head,
)
from paimon_ksy.generated.structs.java_utf8 import make_java_utf8
from paimon_ksy.predicates.tree import Comparison
from paimon_ksy.types.literals import DATE, TypedLiteral, parse_date
from tests.golden import golden_index, golden_indexes
from tests.support.brute_force import matching_rows
from tests.support.golden_json import schema_from_spec
from tests.support.selections import selected_rows
from tests.support.strategies import arrow_column

SCHEMA = pk.Schema.parse("status STRING, amount INT, note STRING")

TABLE = pa.table(
    {
        "status": ["PENDING", "PAID", None, "PENDING", "LOST"],
        "amount": pa.array([10, 20, 30, None, 10], pa.int32()),
        "note": ["x"] * 5,
    }
)

DATA = pk.build_file_index(TABLE, SCHEMA, {"file-index.bitmap.columns": "status, amount"})


def container(columns: Sequence[tuple[bytes, Sequence[tuple[bytes, bytes | None]]]]) -> bytes:
    """A file index of columns with their index types and bodies; None is EMPTY."""
    made = [
        make_file_index_column(
            name=make_java_utf8(value=name),
            indexes=[
                make_file_index_entry(index_type=make_java_utf8(value=kind), body=body)
                for kind, body in indexes
            ],
        )
        for name, indexes in columns
    ]
    return to_bytes(make_file_index(head=make_file_index_head(columns=made)))


def body_of(data: bytes, column: str) -> bytes:
    with pk.FileIndex.open(data) as index:
        place = index.places[column]["bitmap"]
        return data[place.ofs_body : place.end]


def test_reads_like_the_readme(tmp_path: Path) -> None:
    path = tmp_path / "orders.index"
    path.write_bytes(DATA)
    with pk.FileIndex.open(path, SCHEMA) as index:
        assert sorted(index.columns) == ["amount", "status"]
        assert index.num_rows == 5
        selection = index.evaluate("status = 'PENDING'")
        assert selection.kind == "rows"
        assert selection.exact
        assert selected_rows(selection) == [0, 3]
        assert selection.count == 2
        assert index.evaluate("status = 'PENDING' AND amount > 10").kind == "skip"
        assert index.evaluate(pk.col("amount") == 10).count == 2
        assert index.evaluate(pc.field("status") == "LOST").count == 1
        # A column without an index says nothing.
        assert index.evaluate("note = 'x'") == pk.Selection("all", False)
        assert not index.evaluate("note = 'x' AND amount = 10").exact
        assert 0 < index.bytes_read < 8 * len(DATA)  # parts are fetched again


def test_any_source(tmp_path: Path) -> None:
    path = tmp_path / "orders.index"
    path.write_bytes(DATA)
    for source in [str(path), path.as_uri(), DATA, memoryview(DATA), io.BytesIO(DATA)]:
        with pk.FileIndex.open(source, SCHEMA) as index:
            assert index.evaluate("amount = 10").count == 2


def test_a_changed_answer_does_not_change_the_next() -> None:
    with pk.FileIndex.open(DATA, SCHEMA) as index:
        for sql, count in [("status = 'PENDING'", 2), ("status IS NULL", 1)]:
            rows = index.evaluate(sql).matching
            assert rows is not None
            rows.clear()
            assert index.evaluate(sql).count == count


def test_each_golden_file_opens_and_lists_what_java_lists() -> None:
    for case in golden_indexes():
        with pk.FileIndex.open(case.data) as index:
            listed = {
                name: {kind: (entry.ofs_body, entry.len_body) for kind, entry in entries.items()}
                for name, entries in index.places.items()
            }
        assert listed == {
            column["name"]: {i["type"]: (i["start"], i["length"]) for i in column["indexes"]}
            for column in case.dump["columns"]
        }


def test_names_in_modified_utf8() -> None:
    case = golden_index("c_names_mutf8")
    schema = schema_from_spec(case.spec)
    with pk.FileIndex.open(case.data, schema) as index:
        assert set(index.columns) == set(schema.names)
        assert any("\0" in name for name in index.columns)
        assert any(ord(max(name)) > 0xFFFF for name in index.columns)


def test_and_reads_nothing_more_once_nothing_can_match() -> None:
    empty = container([(b"empty", [(b"bitmap", None)]), (b"id", [(b"bitmap", b"")])])
    schema = pk.Schema.parse("id BIGINT, empty INT")
    with pk.FileIndex.open(empty, schema) as index:
        before = index.bytes_read
        assert index.evaluate("id = 1 AND empty = 1").kind == "skip"
        assert index.bytes_read == before


def test_each_bitmap_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with pk.FileIndex.open(DATA, SCHEMA) as index:
        read: list[tuple[int, int]] = []
        real = index.source.read

        def counted(pos: int, length: int) -> bytes:
            read.append((pos, length))
            return real(pos, length)

        monkeypatch.setattr(index.source, "read", counted)
        for _ in range(3):
            assert index.evaluate("status IN ('PENDING', 'PAID') OR status = 'PENDING'").count == 3
            assert index.evaluate("status = 'PENDING' OR amount = 10").count == 3
    assert len(read) == len(set(read)) == 2  # PAID stands in one row and has none


def test_the_shortest_file_has_no_columns() -> None:
    data = container([])
    assert len(data) == 20
    with pk.FileIndex.open(data, SCHEMA) as index:
        assert index.evaluate("status = 'PAID'").kind == "all"


def test_a_repeated_column_has_the_indexes_of_both() -> None:
    body = body_of(DATA, "amount")
    data = container([(b"amount", [(b"bitmap", body)]), (b"amount", [(b"other", b"??")])])
    with pk.FileIndex.open(data, SCHEMA) as index:
        assert index.columns == ("amount",)
        assert list(index.places["amount"]) == ["bitmap", "other"]
        # An exact answer needs no other index, so the unknown one is not missed.
        assert index.evaluate("amount = 10").count == 2


def test_of_a_repeated_index_type_the_last_counts() -> None:
    body = body_of(DATA, "amount")
    data = container([(b"amount", [(b"bitmap", body), (b"bitmap", None)])])
    with pk.FileIndex.open(data, SCHEMA) as index:
        assert index.evaluate("amount = 10").kind == "skip"


def test_an_index_that_cannot_be_read_is_left_out_with_a_warning() -> None:
    data = container([(b"amount", [(b"foo", b"??")])])
    with (
        pk.FileIndex.open(data, SCHEMA) as index,
        pytest.warns(IndexIgnoredWarning, match="'amount': unknown index type 'foo'") as caught,
    ):
        assert index.evaluate("amount = 10") == pk.Selection("all", False)
        index.evaluate("amount = 11")  # said once
    assert [Path(warning.filename).name for warning in caught] == [Path(__file__).name]


class Even:
    """An index type of a plug-in, which knows that values are in even rows only."""

    num_rows = 5

    def answer(self, leaf: object) -> pk.Selection:
        from pyroaring import BitMap

        return pk.Selection.of(BitMap([0, 2, 4]), 5, False)


def test_all_indexes_of_a_column_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    even = replace(INDEX_TYPES["bsi"], name="even", reader=lambda *_: Even())
    monkeypatch.setattr(container_module, "INDEX_TYPES", {**INDEX_TYPES, "even": even})
    body = body_of(DATA, "amount")
    for indexes in ([(b"even", b"")], [(b"even", b""), (b"bitmap", body)]):
        with pk.FileIndex.open(container([(b"amount", indexes)]), SCHEMA) as index:
            selection = index.evaluate("amount = 10")
            both = len(indexes) == 2
            assert selected_rows(selection) == ([0, 4] if both else [0, 2, 4])
            assert selection.exact == both


EMPTY = container([(b"amount", [(b"bitmap", None)]), (b"status", [(b"bitmap", None)])])


@pytest.mark.parametrize(
    "sql",
    [
        *(f"amount {op} 1" for op in ("=", "<>", "<", "<=", ">", ">=")),
        "amount IN (1, 2)",
        "amount NOT IN (1, 2)",
        "amount BETWEEN 1 AND 2",
        "amount IS NOT NULL",
        "status LIKE 'a%'",
        "status NOT LIKE '_'",
    ],
)
def test_an_empty_index_holds_no_value(sql: str) -> None:
    with pk.FileIndex.open(EMPTY, SCHEMA) as index:
        assert index.evaluate(sql).kind == "skip"
        assert index.evaluate("amount IS NULL") == pk.Selection("all", False)
        assert index.num_rows is None


def test_a_closed_index_is_not_called_corrupt(tmp_path: Path) -> None:
    path = tmp_path / "orders.index"
    path.write_bytes(DATA)
    index = pk.FileIndex.open(path, SCHEMA)
    index.close()
    for use in (lambda: index.evaluate("status = 'PENDING'"), lambda: index.num_rows):
        with pytest.raises(pk.PaimonKsyError, match="is closed") as caught:
            use()
        assert not isinstance(caught.value, pk.CorruptFileError)


def test_a_predicate_needs_a_schema() -> None:
    with (
        pk.FileIndex.open(DATA) as index,
        pytest.raises(pk.PredicateError, match="needs the columns' types"),
    ):
        index.evaluate("amount = 1")


def test_a_wrong_column_or_literal_is_an_error() -> None:
    with pk.FileIndex.open(DATA, SCHEMA) as index:
        for sql in ["nothing = 1", "amount = 'x'", "amount ="]:
            with pytest.raises(pk.PredicateError):
                index.evaluate(sql)


@pytest.mark.parametrize("column", ["DATE", "TIMESTAMP(3)", "TIMESTAMP(6)", "TIMESTAMP_LTZ(6)"])
@pytest.mark.parametrize("index_type", INDEX_TYPES)
def test_dates_and_timestamps_that_no_index_can_store(index_type: str, column: str) -> None:
    schema = pk.Schema.parse(f"c {column}")
    stored = [None, 0, 10**9] if schema["c"].is_timestamp else [None, 0, 1]
    table = pa.table({"c": arrow_column(schema["c"], stored)})
    data = pk.build_file_index(table, schema, {f"file-index.{index_type}.columns": "c"})
    with pk.FileIndex.open(data, schema) as index:
        for year in ("-9999999", "+9999999"):
            far = TypedLiteral(parse_date(f"{year}-01-01"), DATE)
            leaves = [Comparison(op, "c", far) for op in ("=", "<>", "<", "<=", ">", ">=")]
            listed = pk.col("c").is_in([far, TypedLiteral(0, DATE)])
            for predicate in (*leaves, listed, ~listed):
                expected = matching_rows(predicate, {"c": stored}, schema)
                found = index.evaluate(predicate)
                assert set(selected_rows(found, 3)).issuperset(expected), predicate
                assert not found.exact or selected_rows(found, 3) == expected, predicate


def test_what_is_no_schema_or_no_predicate_is_an_error() -> None:
    schema: Any = "amount INT"
    for predicate in ("amount = 1", pk.col("amount") == 1):
        with (
            pk.FileIndex.open(DATA, schema) as index,
            pytest.raises(
                pk.SchemaError, match=r"a str is not a schema: make one with Schema\.parse"
            ),
        ):
            index.evaluate(predicate)
    with pk.FileIndex.open(DATA, SCHEMA) as index:
        for wrong in (5, ["amount = 1"]):
            with pytest.raises(pk.PredicateError, match="is not a predicate: write SQL"):
                index.evaluate(wrong)


def test_a_type_that_bitmap_cannot_hold() -> None:
    schema = pk.Schema.parse("amount DECIMAL(10, 2)")
    with (
        pk.FileIndex.open(DATA, schema) as index,
        pytest.raises(
            pk.PaimonKsyError, match=r"'amount' is DECIMAL.* a bitmap index cannot contain"
        ),
    ):
        index.evaluate("amount = 1")


def test_errors_say_where(tmp_path: Path) -> None:
    path = tmp_path / "broken.index"
    path.write_bytes(DATA[:-3])
    with (
        pk.FileIndex.open(path, SCHEMA) as index,
        pytest.raises(pk.CorruptFileError) as error,
    ):
        for column in ("status", "amount"):
            index.evaluate(f"{column} IS NOT NULL")
            index.evaluate(
                f"{column} IN ('PENDING', '10')" if column == "status" else "amount = 10"
            )
    assert error.value.path == str(path)
    assert error.value.column in SCHEMA.names
    assert error.value.offset is not None
    assert str(error.value).startswith(f"{path}: column '{error.value.column}', byte ")


def test_what_is_no_index_is_closed_again(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    path.write_bytes(b"PAR1" * 100)
    with pytest.raises(pk.CorruptFileError, match="a Parquet file, not a file index"):
        pk.FileIndex.open(path)
    file = io.BytesIO(b"PAR1" * 100)
    with pytest.raises(pk.CorruptFileError):
        pk.FileIndex.open(file)
    assert not file.closed


def test_a_name_that_is_not_modified_utf8() -> None:
    data = container([(b"\xff\xfe", [])])
    with pytest.raises(pk.CorruptFileError, match="not modified UTF-8"):
        pk.FileIndex.open(data)


def test_a_bound_predicate_is_remembered() -> None:
    predicate = pk.col("amount") == 10
    assert bound_predicate(predicate, SCHEMA) is bound_predicate(predicate, SCHEMA)
    assert bound_predicate("amount = 10", SCHEMA) is bound_predicate("amount = 10", SCHEMA)
    other = pk.Schema.parse("amount BIGINT")
    assert bound_predicate(predicate, other) == Comparison("=", "amount", 10, other["amount"])


_WIDTHS = {
    "TINYINT": pa.int8(),
    "SMALLINT": pa.int16(),
    "INT": pa.int32(),
    "BIGINT": pa.int64(),
    "STRING": pa.string(),
}


@pytest.mark.parametrize("index_type", ["bitmap", "bitmap 1", "range-bitmap"])
@pytest.mark.parametrize("written", _WIDTHS)
def test_values_of_another_width_are_an_error(index_type: str, written: str) -> None:
    """The bounds alone would show that no row has the value."""
    name, *version = index_type.split()
    values = pa.array([i % 100 + 1 for i in range(2000)], pa.int32()).cast(_WIDTHS[written])
    options = {f"file-index.{name}.columns": "c"}
    if version:
        options[f"file-index.{name}.c.version"] = version[0]
    schema = pk.Schema.parse(f"c {written}")
    data = pk.build_file_index(pa.table({"c": values}), schema, options)
    for kind in _WIDTHS.keys() - {written}:
        for value in (5, 127):
            with (
                pk.FileIndex.open(data, pk.Schema.parse(f"c {kind}")) as index,
                pytest.raises(pk.CorruptFileError, match="or was written with another schema"),
            ):
                index.evaluate(f"c = '{value}'" if kind == "STRING" else f"c = {value}")


def test_a_value_below_the_keys_of_another_width() -> None:
    """The directory alone looks like one of INTs from -5."""
    values = pa.array([-5 << 32, -7, (1 << 32) + 2], pa.int64())
    options = {
        "file-index.bitmap.columns": "c",
        "file-index.bitmap.c.version": "2",
        "file-index.bitmap.c.index-block-size": "36b",
    }
    data = pk.build_file_index(pa.table({"c": values}), pk.Schema.parse("c BIGINT"), options)
    with (
        pk.FileIndex.open(data, pk.Schema.parse("c INT")) as index,
        pytest.raises(pk.CorruptFileError, match="or was written with another schema"),
    ):
        index.evaluate("c = -7")


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("kind", ["TINYINT", "SMALLINT", "BIGINT", "FLOAT", "DOUBLE", "STRING"])
def test_the_schema_of_another_file(version: int, kind: str) -> None:
    """Values of another width are not taken for those of an INT: no row would be found."""
    rows = pa.table({"c": pa.array([*range(100), 7, 7], pa.int32())})
    options = {"file-index.bitmap.columns": "c", "file-index.bitmap.c.version": str(version)}
    data = pk.build_file_index(rows, pk.Schema.parse("c INT"), options)
    with pk.FileIndex.open(data, pk.Schema.parse(f"c {kind}")) as index:
        if kind == "FLOAT":  # of the same width, so nothing tells
            assert index.evaluate("c = 7").kind == "skip"
            return
        with pytest.raises(pk.CorruptFileError, match="or was written with another schema"):
            index.evaluate("c = '7'" if kind == "STRING" else "c = 7")


@pytest.mark.parametrize("kind", ["range-bitmap", "bsi"])
def test_decimals_do_not_depend_on_the_context(kind: str) -> None:
    """The context of the caller's thread may have few digits; a rounded bound would lose rows."""
    values = [Decimal("-1234567890.12"), Decimal("0.07"), Decimal("9876543210.99")]
    rows = pa.table({"d": pa.array(values, pa.decimal128(18, 2))})
    schema = pk.Schema.parse("d DECIMAL(18, 2)")
    data = pk.build_file_index(rows, schema, {f"file-index.{kind}.columns": "d"})
    with localcontext() as context, pk.FileIndex.open(data, schema) as index:
        context.prec = 3
        for row, value in enumerate(values):
            assert selected_rows(index.evaluate(pk.col("d") == value)) == [row]
        assert index.values("d", BitMap([0, 1, 2])) == values
        if kind == "range-bitmap":
            assert index.bounds("d") == (values[0], values[2])


def test_values_and_bounds_are_those_of_the_first_index_that_has_them() -> None:
    options = {
        "file-index.bloom-filter.columns": "note",
        "file-index.range-bitmap.columns": "status",
    }
    data = pk.build_file_index(TABLE, SCHEMA, {**options, "file-index.bsi.columns": "amount"})
    with pk.FileIndex.open(data, SCHEMA) as index:
        assert index.values("amount", BitMap([0, 3, 4])) == [10, None, 10]
        assert index.values("status", BitMap([1, 2])) == ["PAID", None]
        assert index.values("note", BitMap([0])) is None
        assert index.bounds("status") == ("LOST", "PENDING")
        assert index.bounds("note") is index.bounds("amount") is None
    with pk.FileIndex.open(data) as index:
        assert (index.values("amount", BitMap([0])), index.bounds("amount")) == (None, None)


def test_marks_stay_after_the_head() -> None:
    marked_data = marked(DATA, b"later")
    with pk.FileIndex.open(marked_data, SCHEMA) as index:
        assert selected_rows(index.evaluate("status = 'PENDING'")) == [0, 3]
    assert len(marked_data) == len(DATA) + 5 and b"later" in marked_data
    assert b"later" in marked(None, b"later")


def test_names_of_options_are_checked() -> None:
    check_names(["file-index.bsi.columns", "file-index.bitmap.a.version"])
    for wrong in ("bitmap.columns", "file-index.bitmap.column", "file-indx.bitmap.columns"):
        with pytest.raises(OptionError, match="is not an option of file indexes"):
            check_names([wrong])
