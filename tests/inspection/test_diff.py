"""The difference between two files: nothing of equal ones, and each changed byte at its field."""

from collections.abc import Sequence
from functools import cache

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_support.examples import examples
from paimon_ksy.errors import CorruptFileError, UnsupportedError
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.inspection import diff
from paimon_ksy.inspection.byte_map import hex_fields
from paimon_ksy.inspection.diff import MAX_BYTES, FileDiff, diff_files
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.file_kind import BUCKET_INDEX, FILE_INDEX, UNKNOWN, VECTORS, FileKind
from paimon_ksy.io.source import open_source
from paimon_ksy.messages.answers import to_json
from paimon_ksy.table_index.bucket_index import BucketIndex
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.table_index.deletion_vector_file import join_vectors
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
    assert found == FileDiff("old", "new", kind.id, len(data), len(data), True)


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


def paths(found: FileDiff) -> dict[str, tuple[object, object]]:
    """The old and new values of what differs in the reports, each as text."""
    return {each.path: (to_json(each.old), to_json(each.new)) for each in found.changes}


def test_values_whose_numbers_of_rows_differ() -> None:
    changed = [*ROWS, (2, "new", None)]
    changed[0] = (9, "a", 0.5)
    found = compared(all_types(ROWS), all_types(changed), TYPED)
    assert not found.errors
    apart = paths(found)
    of_bitmap = "columns[i INT].indexes[bitmap]"
    assert apart[f"{of_bitmap}.rows"] == (5, 6)
    assert apart[f"{of_bitmap}.values[1].rows"] == (2, 1)
    assert apart[f"{of_bitmap}.values[2].rows"] == (1, 2)
    assert apart[f"{of_bitmap}.values[9]"] == (None, {"value": 9, "rows": 1})
    assert apart["columns[d DOUBLE].indexes[range-bitmap].nulls"] == (1, 2)
    assert apart["columns[s STRING].indexes[bitmap].values['new']"][0] is None


def of_ints(values: Sequence[int | None], kind: str = "bitmap", **options: str) -> bytes:
    return build_file_index(
        pa.table({"i": pa.array(values, pa.int32())}),
        Schema.parse("i INT"),
        {f"file-index.{kind}.columns": "i"}
        | {f"file-index.{kind}.i.{key}": value for key, value in options.items()},
    )


def test_the_first_differences_are_listed_and_all_counted() -> None:
    old, new = of_ints([1, 2, 3, 4, 0, 9]), of_ints([5, 6, 7, 8, 0, 8])
    schema = Schema.parse("i INT")
    every = compared(old, new, schema)
    few = compared(old, new, schema, most=1)
    assert (len(few.changes), few.num_changes) == (1, len(every.changes))
    assert (len(few.fields), few.num_fields) == (1, len(every.fields))


def test_the_same_values_in_another_version() -> None:
    old, new = of_ints([1, 2], version="1"), of_ints([1, 2])
    apart = paths(compared(old, new, Schema.parse("i INT")))
    assert apart["columns[i INT].indexes[bitmap].version"] == (1, 2)
    assert not [path for path in apart if "values" in path]


def test_a_broken_index_has_an_error() -> None:
    apart = compared(of_ints([1, 2, 1]), of_ints([1, 2, 2]), Schema.parse("i STRING"))
    assert len(apart.errors) == 2


def test_indexes_that_were_added_and_removed() -> None:
    table = pa.table({"i": pa.array([1, 2], pa.int32())})
    schema = Schema.parse("i INT")
    old = build_file_index(table, schema, {"file-index.bitmap.columns": "i"})
    new = build_file_index(table, schema, {"file-index.bsi.columns": "i"})
    apart = paths(compared(old, new, schema))
    assert apart["columns[i INT].indexes[bitmap]"][1] is None
    assert apart["columns[i INT].indexes[bsi]"][0] is None


def test_the_rows_of_vectors() -> None:
    def file(*vectors: DeletionVector) -> bytes:
        named = {str(number): vector.stored() for number, vector in enumerate(vectors)}
        return join_vectors("x", named)[1]

    one, two = (DeletionVector.of(range(n, 2 * n)) for n in (10, 20))
    apart = paths(compared(file(one), file(one, two)))
    assert apart["vectors[1]"][0] is None
    apart = paths(compared(file(one, two), file(one, two.add([3]) - DeletionVector.of([25]))))
    assert apart == {"vectors[1].ranges": ([[20, 39]], [[3, 3], [20, 24], [26, 39]])} | {
        path: sides for path, sides in apart.items() if path != "vectors[1].ranges"
    }


def test_bucket_indexes() -> None:
    old, new = (BucketIndex(np.array(codes, np.int32)) for codes in ([1, 2, 2], [2, 3]))
    found = compared(old.to_bytes(), new.to_bytes(), kind=BUCKET_INDEX)
    assert paths(found) == {"num_hash_codes": (3, 2), "repeated": (1, 0)}
    assert [change.old and change.old.value for change in found.fields] == [1, 2, 2]


def test_files_of_different_kinds() -> None:
    vectors = next(case.data for case in golden_vectors() if case.name == "dv_mixed")
    with pytest.raises(UnsupportedError, match="is a vector file, but old is a file index"):
        compared(WORKED.read_bytes(), vectors)


def test_large_files_are_not_compared_by_field(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diff, "LARGE", 8)
    old, new = of_ints([1, 2, 3]), of_ints([1, 2, 2])
    found = compared(old, new, Schema.parse("i INT"))
    assert (found.fields, found.num_fields) == ((), None)
    assert found.num_changes
    assert compared(old, old).equal


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
