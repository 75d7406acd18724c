"""The difference between two files: nothing of equal ones, and each changed byte at its field."""

import random
from collections.abc import Sequence
from functools import cache

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_support.examples import examples
from paimon_ksy.errors import CorruptFileError, UnsupportedError
from paimon_ksy.file_index import compare as meaning_changes
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.inspection import diff
from paimon_ksy.inspection.byte_map import hex_fields
from paimon_ksy.inspection.diff import MAX_BYTES, FileDiff, diff_files
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.file_kind import BUCKET_INDEX, FILE_INDEX, UNKNOWN, VECTORS, FileKind
from paimon_ksy.io.source import open_source
from paimon_ksy.messages.changes import Rows
from paimon_ksy.table_index.bucket_index import BucketIndex
from paimon_ksy.types.schema import Schema
from tests.golden import golden_indexes
from tests.golden.vectors import golden_vectors
from tests.support.examples import TYPES, WORKED
from tests.support.file_indexes import FILES
from tests.support.golden_json import schema_from_spec

TYPED = Schema.parse("i INT, s STRING, d DOUBLE")
OPTIONS = {
    "file-index.bitmap.columns": "i,s",
    "file-index.bsi.columns": "i",
    "file-index.range-bitmap.columns": "d,s",
    "file-index.bloom-filter.columns": "s",
    "file-index.bloom-filter.s.items": "10",
}


Row = tuple[int | None, str | None, float | None]


def all_types(rows: list[Row]) -> bytes:
    """An index of each type, some columns with several."""
    columns = zip(*rows, strict=True)
    arrays = [
        pa.array(column, kind)
        for column, kind in zip(columns, (pa.int32(), pa.string(), pa.float64()), strict=True)
    ]
    return build_file_index(pa.table(arrays, names=list(TYPED.names)), TYPED, OPTIONS)


ROWS: list[Row] = [
    (1, "a", 0.5),
    (2, "b", -0.0),
    (None, "a", None),
    (-7, None, 1e9),
    (1, "c", 0.5),
]


@cache
def corpus() -> dict[str, tuple[bytes, Schema | None, FileKind]]:
    """Small files of each kind and index type, and the types of their columns."""
    found: dict[str, tuple[bytes, Schema | None, FileKind]] = {
        name: (data, schema, FILE_INDEX) for name, (data, schema) in FILES.items()
    }
    found["all types"] = all_types(ROWS), TYPED, FILE_INDEX
    found["without types"] = all_types(ROWS), None, FILE_INDEX
    for kind in ("bitmap", "bsi", "range-bitmap", "bloom-filter"):
        small = [case for case in golden_indexes(kind) if len(case.data) < 400][:4]
        for case in small:
            found[case.name] = case.data, schema_from_spec(case.spec), FILE_INDEX
    for vectors in golden_vectors():
        if len(vectors.data) < 1000:
            found[vectors.name] = vectors.data, None, VECTORS
    hashes = BucketIndex(np.array([5, -1, 7, 7], np.int32), b"\1")
    found["bucket index"] = hashes.to_bytes(), None, BUCKET_INDEX
    return found


def compared(
    old: bytes, new: bytes, schema: Schema | None = None, kind: FileKind = UNKNOWN, most: int = 1000
) -> FileDiff:
    with open_source(old) as one, open_source(new) as other:
        one.name, other.name = "old", "new"
        return diff_files(
            Subject(one, schema), Subject(other, schema), kinds=(kind, kind), most=most
        )


@pytest.mark.parametrize("name", sorted(corpus()))
def test_a_file_equals_itself(name: str) -> None:
    data, schema, kind = corpus()[name]
    found = compared(data, data, schema, kind)
    assert found == FileDiff(kind, "old", "new", len(data), len(data), True)


def field_at(data: bytes, schema: Schema | None, kind: FileKind, at: int) -> tuple[int, int]:
    """The place of the field that a byte belongs to."""
    if kind == BUCKET_INDEX:
        return at - at % 4, min(at - at % 4 + 4, len(data))
    with open_source(data) as source:
        [found] = [f for f in hex_fields(source, schema, 0, len(data)) if f.start <= at < f.end]
    return found.start, found.end


@examples(60)
@given(
    name=st.sampled_from(sorted(corpus())),
    place=st.floats(0, 1, exclude_max=True),
    bits=st.integers(1, 255),
)
def test_a_changed_byte_is_reported_at_its_field(name: str, place: float, bits: int) -> None:
    data, schema, kind = corpus()[name]
    at = int(place * len(data))
    changed = bytearray(data)
    changed[at] ^= bits
    start, end = field_at(data, schema, kind, at)
    try:
        found = compared(data, bytes(changed), schema, kind)
    except CorruptFileError as error:
        # A file without vectors is its version and nothing else.
        assert (kind, len(data)) == (VECTORS, 1), error
        return
    assert not found.equal
    sides = [(each.old, each.new) for each in found.fields]
    assert any(old and (old.start, old.end) == (start, end) for old, _ in sides)
    back = compared(bytes(changed), data, schema, kind)
    sides = [(each.old, each.new) for each in back.fields]
    assert any(new and (new.start, new.end) == (start, end) for _, new in sides)


@pytest.mark.parametrize("name", sorted(corpus()))
def test_a_file_that_is_cut_differs_up_to_there(name: str) -> None:
    data, schema, kind = corpus()[name]
    for size in sorted({1, len(data) // 2, len(data) - 1} - {0, len(data)}):
        try:
            found = compared(data, data[:size], schema, kind)
        except CorruptFileError as error:
            assert error.path == "new"
            continue
        assert not found.equal
        assert found.num_fields
        assert {error.path for error in found.errors} <= {"new"}


def test_values_and_rows_that_were_gained_and_lost() -> None:
    changed = [*ROWS, (2, "new", None)]
    changed[0] = (9, "a", 0.5)
    found = compared(all_types(ROWS), all_types(changed), TYPED)
    assert not found.errors
    by_index = {(index.column, index.index_type): index for index in found.content.indexes}
    assert (found.content.same_indexes or 0) + len(by_index) == 6
    for kind in ("bitmap", "bsi"):
        index = by_index["i", kind]
        values = {
            value.plain: (value.old_rows, value.new_rows, value.gained, value.lost)
            for value in index.values
        }
        assert values == {1: (2, 1, 0, 1), 9: (0, 1, 1, 0), 2: (1, 2, 1, 0)}
        assert index.rows is not None
        assert (index.rows.count, index.rows.ranges) == (2, ((0, 0), (5, 5)))
        assert ("rows", 5, 6) in [(fact.name, fact.old, fact.new) for fact in index.facts]
    [null] = by_index["d", "range-bitmap"].values
    assert (null.text, null.old_rows, null.new_rows) == ("NULL", 1, 2)
    [text] = by_index["s", "bitmap"].values
    assert (text.text, text.plain) == ("'new'", "new")


def of_ints(values: Sequence[int | None], kind: str = "bitmap", **options: str) -> bytes:
    return build_file_index(
        pa.table({"i": pa.array(values, pa.int32())}),
        Schema.parse("i INT"),
        {f"file-index.{kind}.columns": "i"}
        | {f"file-index.{kind}.i.{key}": value for key, value in options.items()},
    )


@pytest.mark.parametrize(
    ("data_type", "kind", "note"),
    [
        (None, "bitmap", "--schema"),
        ("DECIMAL(9, 2)", "bitmap", "support DECIMAL"),
        ("INT", "bloom-filter", "no values"),
        ("INT", "bsi", "2 rows, too many"),
    ],
)
def test_why_values_are_not_known(
    data_type: str | None, kind: str, note: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(meaning_changes, "MAX_ROWS", 1)
    schema = None if data_type is None else Schema.parse(f"i {data_type}")
    [index] = compared(of_ints([1, 2], kind), of_ints([1, 3], kind), schema).content.indexes
    assert note in (index.note or "")


def test_an_index_of_unknown_type_has_no_values() -> None:
    old, new = (of_ints(values).replace(b"bitmap", b"bitten") for values in ([1], [2]))
    [index] = compared(old, new, Schema.parse("i INT")).content.indexes
    assert "unknown" in (index.note or "")


def test_a_bsi_is_compared_without_a_type() -> None:
    [index] = compared(of_ints([3, None], "bsi"), of_ints([3, 4], "bsi")).content.indexes
    assert {(value.text, value.gained, value.lost) for value in index.values} == {
        ("4", 1, 0),
        ("NULL", 0, 1),
    }


def test_the_first_values_and_rows_are_listed_and_all_counted() -> None:
    old, new = of_ints([1, 2, 3, 4, 0, 9]), of_ints([5, 6, 7, 8, 0, 8])
    [index] = compared(old, new, Schema.parse("i INT"), most=1).content.indexes
    assert (len(index.values), index.num_values) == (1, 9)
    assert index.rows == Rows(5, ((0, 3),), 2)


def test_the_same_values_in_another_version() -> None:
    """Bytes differ, and the meaning does not."""
    old, new = of_ints([1, 2], version="1"), of_ints([1, 2])
    [index] = compared(old, new, Schema.parse("i INT")).content.indexes
    assert (index.num_values, index.rows) == (0, Rows(0, (), 0))
    assert ("version", 1, 2) in [(fact.name, fact.old, fact.new) for fact in index.facts]


def test_a_broken_index_has_an_error_and_no_values() -> None:
    apart = compared(of_ints([1, 2, 1]), of_ints([1, 2, 2]), Schema.parse("i STRING"))
    assert len(apart.errors) == 2
    assert apart.content.indexes[0].values == ()


def test_floats_are_shown_as_their_values() -> None:
    rows: list[Row] = [(1, "a", value) for value in (0.5, -0.0, -1.5, float("inf"))]
    found = compared(all_types(rows), all_types([(1, "a", None)] * 4), TYPED)
    [index] = [index for index in found.content.indexes if index.column == "d"]
    assert {value.text for value in index.values} == {"0.5", "-0.0", "-1.5", "Infinity", "NULL"}


def test_indexes_that_were_added_and_removed() -> None:
    table = pa.table({"i": pa.array([1, 2], pa.int32())})
    schema = Schema.parse("i INT")
    old = build_file_index(table, schema, {"file-index.bitmap.columns": "i"})
    new = build_file_index(table, schema, {"file-index.bsi.columns": "i"})
    found = compared(old, new, schema)
    assert [(index.index_type, index.change) for index in found.content.indexes] == [
        ("bitmap", "removed"),
        ("bsi", "added"),
    ]
    assert {each.change for each in found.fields if each.old and each.new} == {"changed"}


def test_vectors_are_matched_by_their_bytes() -> None:
    from paimon_ksy.table_index.deletion_vector import DeletionVector
    from paimon_ksy.table_index.deletion_vector_file import join_vectors

    def file(*vectors: DeletionVector) -> bytes:
        named = {str(number): vector.stored() for number, vector in enumerate(vectors)}
        return join_vectors("x", named)[1]

    one, two, three = (DeletionVector.of(range(n, 2 * n)) for n in (10, 20, 30))
    found = compared(file(one, two), file(three, one, two))
    assert (found.content.same_vectors, found.content.num_vectors) == (2, 1)
    [vector] = found.content.vectors
    assert (vector.change, vector.new_number, vector.deleted.ranges) == ("added", 0, ((30, 59),))
    found = compared(file(one, two), file(one, two.add([3]) - DeletionVector.of([25])))
    [vector] = found.content.vectors
    assert (vector.deleted.ranges, vector.restored.ranges) == (((3, 3),), ((25, 25),))


def test_hash_codes_of_bucket_indexes() -> None:
    old, new = (BucketIndex(np.array(codes, np.int32)) for codes in ([1, 2, 2], [2, 3, 1]))
    found = compared(old.to_bytes(), new.to_bytes(), kind=BUCKET_INDEX)
    assert found.content.hash_codes is not None
    assert (found.content.hash_codes.gained, found.content.hash_codes.lost) == ((3,), (2,))


def test_files_of_different_kinds() -> None:
    vectors = next(case.data for case in golden_vectors() if case.name == "dv_mixed")
    with pytest.raises(UnsupportedError, match="is a vector file, but old is a file index"):
        compared(WORKED.read_bytes(), vectors)


def test_large_parts_are_compared_in_bounded_time_and_say_what_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(diff, "LARGE", 1 << 14)
    rng = random.Random(7)
    values = [rng.randrange(1 << 40) for _ in range(8_000)]
    schema = Schema.parse("n BIGINT")

    def index(column: list[int]) -> bytes:
        return build_file_index(
            pa.table({"n": pa.array(column)}), schema, {"file-index.bitmap.columns": "n"}
        )

    data = index(values)
    assert len(data) > 4 * diff.LARGE
    changed = bytearray(data)
    changed[len(data) // 2] ^= 1
    found = compared(data, bytes(changed), schema)
    assert (found.num_fields, found.left_out) == (1, 0)
    scrambled = data[:200] + bytes(255 - byte for byte in data[200:])
    found = compared(data, scrambled, schema, most=10)
    assert (len(found.fields), found.left_out > len(data) // 2) == (10, True)
    found = compared(data, index(values[:-1]), schema, most=10)
    assert found.left_out
    assert found.content.indexes[0].num_values == 1


def test_fields_that_damage_hides_are_compared_by_their_places() -> None:
    data = WORKED.read_bytes()
    changed = b"\1" + data[1:]
    found = compared(data, changed, Schema.parse(TYPES), FILE_INDEX)
    sides = [(each.old and each.old.path, each.new and each.new.at) for each in found.fields]
    assert sides == [("magic", None), (None, 0)]
    assert found.errors[0].path == "new"
    with pytest.raises(CorruptFileError):
        compared(changed, b"\2" + data[1:], None, FILE_INDEX)


def test_a_long_field_is_shown_from_the_line_in_which_it_differs() -> None:
    old = of_ints([1, 2])
    at = old.index(b"bitmap")
    unknown = old.replace(b"bitmap", b"bitten")
    [change] = compared(unknown + bytes(100), unknown + b"\1" * 70).fields
    assert change.old is not None
    assert change.new is not None
    assert at < change.old.at == change.new.at
    assert change.old.skipped % 16 == 0
    assert len(change.new.data) == MAX_BYTES
