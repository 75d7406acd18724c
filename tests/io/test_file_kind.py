"""Files are recognised by their bytes, never by their name alone."""

import json
from pathlib import Path

import pytest
from ksykit.runtime.objects import to_bytes

from paimon_ksy.errors import CorruptFileError, UnsupportedError
from paimon_ksy.generated.structs.file_kind import make_file_end, make_file_kind, make_file_start
from paimon_ksy.generated.views.file_kind import EndMagic, StartMagic
from paimon_ksy.io.file_kind import (
    BUILD_AGAIN,
    FILE_INDEX,
    JSON,
    KINDS,
    RESCALE,
    UNKNOWN,
    VECTORS,
    FileKind,
    data_format,
    index_kind,
    kind_of,
    known_kind,
    missing_magic,
    unrecognised,
)
from paimon_ksy.io.source import open_source
from tests.golden.vectors import golden_vectors
from tests.support.file_indexes import FILES

INDEX_DATA = FILES["INT V2"][0]
VECTOR_DATA = golden_vectors()[0].data
WITH_MAGIC = [kind for kind in KINDS if kind.magic is not None]


def of_bytes(data: bytes) -> FileKind:
    with open_source(data) as source:
        return kind_of(source)


def file_with(start: int = 7, before: int = 7, end: int = 7) -> bytes:
    """Return a file of 40 bytes with these numbers at its start and its end."""
    ends = make_file_end(number_before=before, number=end)
    made = make_file_kind(start=make_file_start(number=start), content=bytes(28), last=ends)
    return to_bytes(made)


def test_each_magic_number_of_the_spec_identifies_a_kind() -> None:
    magics = [kind.magic for kind in WITH_MAGIC]
    assert sorted(magics, key=repr) == sorted([*StartMagic, *EndMagic], key=repr)
    assert len({kind.id for kind in KINDS}) == len({kind.title for kind in KINDS}) == len(KINDS)
    for kind in KINDS:
        assert ("recognised, not checked" in kind.note) == bool(kind.readers)
        is_index = kind.index_types and kind is not VECTORS
        assert (kind.remedy in (BUILD_AGAIN, RESCALE)) == bool(is_index)


@pytest.mark.parametrize("kind", WITH_MAGIC, ids=lambda kind: kind.id)
def test_a_magic_number_counts_at_its_own_end_of_the_file(kind: FileKind) -> None:
    magic = int(kind.magic or 0)
    at_start, before, at_end = file_with(magic), file_with(before=magic), file_with(end=magic)
    has = [of_bytes(data) is kind for data in (at_start, before, at_end)]
    assert has == [
        isinstance(kind.magic, StartMagic),
        kind.id == "fm",
        isinstance(kind.magic, EndMagic),
    ]
    # A sorted file can start with any bytes, such as the magic number of another kind.
    if isinstance(kind.magic, EndMagic):
        assert of_bytes(file_with(StartMagic.parquet, end=magic)) is kind
    with open_source(at_start[8:-8]) as source:
        error = missing_magic(source, kind)
        assert error is not None
        assert "lacks the magic number" in str(error)


@pytest.mark.parametrize(("kind", "data"), [(FILE_INDEX, INDEX_DATA), (VECTORS, VECTOR_DATA)])
def test_a_cut_file_still_is_of_its_kind_if_it_is_not_tiny(kind: FileKind, data: bytes) -> None:
    for size in range(len(data) + 1):
        assert of_bytes(data[:size]) is kind or size < 9
    assert data_format(data) is None
    for other in (b"\x55" * 40, b"a text that is of no kind", b"", b"PA", b"PAR2more"):
        assert of_bytes(other) is UNKNOWN
        assert data_format(other) is None


def test_metadata_is_a_json_object() -> None:
    assert of_bytes(json.dumps({"version": 3}).encode()) is JSON
    for other in (b"[1]", b"12", b'{"version":', b"[" * 100_000, b'{"a":' * 100_000):
        assert of_bytes(other) is UNKNOWN


def test_an_index_beside_its_data_file_is_recognised_without_a_magic_number(tmp_path: Path) -> None:
    for name in ("data-1.parquet", "alone.index", "data-1.parquet.index", "data-1.parquet-2.index"):
        (tmp_path / name).write_bytes(b"no magic number here")
    kinds = {path.name: kind_of(open_source(path)) for path in tmp_path.glob("*.index")}
    assert kinds.pop("alone.index") is UNKNOWN
    assert set(kinds.values()) == {FILE_INDEX}
    assert unrecognised("a\0.index").exit_code == 2


HINTS = {
    "index-1-0": "may be a vector file, a bucket index or an index of a primary-key table",
    "btree-global-index-1.index": "may be a global index",
    "data-1.blob": "may be a blob file",
    "LATEST": "no magic number",
}


@pytest.mark.parametrize("name", HINTS)
def test_a_name_is_only_a_hint(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"\1\2\3\4")
    source = open_source(path)
    assert known_kind(source, VECTORS) is VECTORS
    with pytest.raises(UnsupportedError, match="its kind is unknown") as found:
        known_kind(source)
    assert str(found.value).endswith(HINTS[name])
    assert "such as --kind bucket-index" in str(found.value.remedy)
    with pytest.raises(CorruptFileError, match="is empty"):
        known_kind(open_source(b""))


def test_kinds_by_index_type() -> None:
    types = ("HASH", "btree", "bitmap", "multivalue", "fmindex", "lumina", "x'y")
    ids = ["bucket-index", "btree", "bitmap", "bitmap", "fm", "lumina", "unknown"]
    assert [index_kind(each).id for each in types] == ids
    # Until Paimon 1.4, bitmap indexes had no magic number, and no metadata in the index manifest.
    assert index_kind("bitmap", has_metadata=False).id == "old-bitmap"
    assert index_kind("btree", has_metadata=False).id == "btree"
