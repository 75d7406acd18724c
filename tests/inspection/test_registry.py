"""The records of formats: each kind of file that a spec describes has one."""

import json
from contextlib import suppress
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pyroaring import BitMap

from kit_support.examples import examples
from paimon_ksy.errors import CorruptFileError, UnsupportedError
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.generated.structs import type_named
from paimon_ksy.inspection import registry
from paimon_ksy.inspection.diff import diff_files
from paimon_ksy.inspection.json import assemble, dump_file
from paimon_ksy.inspection.registry import FORMATS, checked_kind, kind_in
from paimon_ksy.inspection.verify import verify_as
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.file_kind import AVRO, JSON, KINDS, ROARING, VECTORS, FileKind
from paimon_ksy.io.source import open_source
from paimon_ksy.testing import encoded
from tests import ROOT

OTHERS = {
    *("file_kind", "binary_row", "protobuf", "snappy_block"),
    *("compressed_block", "global_index_source", "sorted_index_meta", "sorted_key", "sst_block"),
}
"""Specs of parts of files, and of metadata in manifests, which no other spec needs to import."""


def test_each_spec_that_is_no_part_of_another_has_a_record() -> None:
    specs = {path.stem: path.read_text() for path in Path(ROOT, "specs").glob("*.ksy")}
    parts = {
        name for text in specs.values() for name in yaml.safe_load(text)["meta"].get("imports", [])
    }
    of_files = {each.spec.partition("::")[0] for each in FORMATS.values()}
    of_indexes = {each.spec for each in INDEX_TYPES.values()}
    assert set(specs) - parts <= of_files | of_indexes | OTHERS
    assert not any(type_named(each.spec).params for each in FORMATS.values() if each.inspect)


def test_kinds_are_said_to_be_read_by_others_if_only_their_header_is_known() -> None:
    assert {kind for kind in KINDS if not kind.readers} <= {*FORMATS, AVRO}
    headers = [each.kind for each in FORMATS.values() if each.only_header and not each.check]
    assert headers and all(kind.readers for kind in headers)
    assert JSON.readers


def test_kinds_without_magic_numbers_are_those_that_records_recognise() -> None:
    for kind, record in FORMATS.items():
        assert (kind in registry._WITHOUT_MAGIC) == (record.matches is not None)


@pytest.mark.parametrize(
    "kind", [kind for kind in FORMATS if FORMATS[kind].is_read], ids=attrgetter("id")
)
@examples(100)
@given(st.data())
def test_dumps_of_each_format_come_back(kind: FileKind, data: st.DataObject) -> None:
    """Those of sound files, and those of damaged ones if their head can be read."""
    file = data.draw(encoded(FORMATS[kind].spec))
    assert assemble(dumped(file, kind)) == file
    bad = bytearray(file)
    for at, bit in data.draw(st.lists(st.tuples(st.integers(), st.integers(0, 7)), max_size=3)):
        if file:
            bad[at % len(file)] ^= 1 << bit
    del bad[data.draw(st.integers(0, len(bad))) :]
    with suppress(CorruptFileError):
        assert assemble(dumped(bytes(bad), kind)) == bad


def dumped(file: bytes, kind: FileKind) -> Any:
    """The dump, once through text."""
    return json.loads(json.dumps(dump_file(open_source(file), kind=kind)))


def test_kinds_that_are_checked() -> None:
    assert checked_kind("vectors") is VECTORS
    with pytest.raises(UnsupportedError, match="one of index, vectors, bucket-index, roaring"):
        checked_kind("parquet")


def test_a_format_without_functions_of_its_own_is_checked_dumped_and_compared() -> None:
    """The facts of `inspect` are what differs; its only field of bytes is the file."""
    one, other = (BitMap(rows).serialize() for rows in (range(0, 90, 3), range(0, 99, 3)))
    sources = open_source(one), open_source(other)
    assert kind_in(sources[0]) is ROARING and not verify_as(ROARING, Subject(sources[0]))
    [finding] = verify_as(ROARING, Subject(open_source(one + b"\0")))
    assert finding.severity == "error"
    compared = diff_files(*map(Subject, sources))
    changed = {(each.path, each.old, each.new) for each in compared.changes}
    assert changed == {("cardinality", 30, 33)} and compared.num_fields
    assert assemble(dump_file(sources[0])) == one
