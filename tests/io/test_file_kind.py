"""The kind of a file, by how it starts."""

import pytest

from paimon_ksy.io.file_kind import (
    DATA,
    INDEX,
    MAGICS,
    SMALLEST,
    VECTORS,
    data_format,
    other_kind,
    starts_as_index,
    starts_with_vector,
)
from paimon_ksy.io.source import open_source
from tests.golden.vectors import golden_vectors
from tests.support.file_indexes import FILES

INDEX_DATA = FILES["INT V2"][0]
VECTOR_DATA = golden_vectors()[0].data
STARTS = {INDEX: INDEX_DATA, VECTORS: VECTOR_DATA, "an ORC file": b"ORC" + bytes(40)}


@pytest.mark.parametrize("magic", MAGICS)
def test_data_files_start_with_their_magic_number(magic: bytes) -> None:
    assert data_format(magic + b"more") == MAGICS[magic]
    assert data_format(magic[:-1]) is None


@pytest.mark.parametrize(
    ("starts", "data"), [(starts_as_index, INDEX_DATA), (starts_with_vector, VECTOR_DATA)]
)
def test_a_cut_file_still_is_of_its_kind_if_it_is_not_tiny(starts: object, data: bytes) -> None:
    assert callable(starts)
    for size in range(len(data) + 1):
        with open_source(data[:size]) as source:
            assert starts(source) or size < SMALLEST
    with open_source(b"\x55" * 40) as source:
        assert not starts(source)


@pytest.mark.parametrize("wanted", [INDEX, VECTORS, DATA])
@pytest.mark.parametrize("kind", STARTS)
def test_another_kind_is_named(kind: str, wanted: str) -> None:
    with open_source(STARTS[kind]) as source:
        found = other_kind(source, wanted)
    if kind == wanted or (kind, wanted) == ("an ORC file", DATA):
        assert found is None
    else:
        assert found is not None
        assert f"this is {kind}, not {wanted}" in str(found)
        assert "paimon-ksy inspect" in str(found.remedy)


def test_nothing_is_said_of_an_unknown_kind() -> None:
    with open_source(b"a text that is of no kind") as source:
        assert other_kind(source, INDEX) is None
