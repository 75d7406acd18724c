"""Mutations break one thing, and say which; all that the specs know of is broken now and then."""

from typing import Any

import pytest
from hypothesis import Phase, find, given, settings
from ksykit.runtime.objects import to_bytes

from paimon_ksy.generated.structs.bucket_index import make_bucket_index
from paimon_ksy.generated.structs.deletion_vectors import DeletionVector as VectorStruct
from paimon_ksy.generated.structs.file_index import FileIndex
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.testing import Anatomy, Mutation, mutated, mutations
from tests.golden import golden_index

DATA = golden_index("types_bitmap_v2").data
FILE = Anatomy(DATA, [(0, FileIndex.from_bytes(DATA))])
ONCE = settings(phases=[Phase.generate], max_examples=2000, database=None, derandomize=True)
HEAD = "head.columns[0].indexes[0]"


@pytest.mark.parametrize(
    "what",
    [
        "count head.num_columns",
        "length head.columns[0].name.len_value",
        f"offset {HEAD}.ofs_body",
        "constant magic",
        f"value {HEAD}.body",
        "order of head.columns",
        "duplicate element of head.columns",
        "missing element of head.columns",
        "cut at ",
        "splice at version, with another file from version",
    ],
)
def test_each_kind_breaks_what_it_says(what: str) -> None:
    def is_wanted(mutation: Mutation) -> bool:
        return mutation.what == what or (what == "cut at " and mutation.what.startswith(what))

    found = find(mutations(FILE), is_wanted, settings=ONCE)
    kind, _, path = what.partition(" ")
    if kind == "splice":
        assert found.data == DATA  # the same file goes on
        return
    assert found.data != DATA
    sites = {site.path: site for site in FILE.sites}
    if path in sites:
        site = sites[path]
        assert len(found.data) == len(DATA)
        assert found.data[: site.start] == DATA[: site.start]
        assert found.data[site.end :] == DATA[site.end :]
    elif kind == "cut":
        end = int(found.what.removeprefix("cut at "))
        assert found.data == DATA[:end]
    else:
        left = {end - start for start, end in FILE.elements["head.columns"]}
        less = len(DATA) - len(found.data)
        changed = {0} | {a - b for a in left for b in left} | {-a for a in left}
        assert less in {"order": {0}, "missing": left, "duplicate": changed}[kind]


def test_checksums_are_broken_alone() -> None:
    data = DeletionVector.of([1, 5], 32).to_bytes()
    anatomy = Anatomy(data, [(0, VectorStruct.from_bytes(data))])
    found = find(mutations(anatomy), lambda one: one.what == "checksum crc32", settings=ONCE)
    assert found.data[:-4] == data[:-4] and found.data[-4:] != data[-4:]


@given(mutated("bitmap_entry_v1", column_type=4))
def test_parameters_stay(found: Mutation) -> None:
    assert found.params == {"column_type": 4}


def test_splices_go_on_in_the_other_file() -> None:
    one, other = (Anatomy.of(make_bucket_index(hashes=hashes)) for hashes in ([1, 2], [3, 4, 5]))

    def is_wanted(mutation: Mutation) -> bool:
        return mutation.what == "splice at hashes[1], with another file from hashes[1]"

    found = find(mutations(one, other), is_wanted, settings=ONCE)
    assert found.data == to_bytes(make_bucket_index(hashes=[1, 4, 5]))


def test_of_an_object_without_bytes() -> None:
    empty: Any = make_bucket_index(hashes=[])
    found = find(mutations(Anatomy.of(empty)), lambda mutation: True)
    assert found == Mutation(b"", "cut at 0")
