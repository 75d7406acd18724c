"""The records of formats: each kind of file that a spec describes has one."""

from pathlib import Path

import pytest
import yaml

from paimon_ksy.errors import UnsupportedError
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.generated.writers import type_named
from paimon_ksy.inspection.registry import FORMATS, checked_kind
from paimon_ksy.io.file_format import Late
from paimon_ksy.io.file_kind import AVRO, JSON, KINDS, VECTORS
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
    recognised = {kind for kind, each in FORMATS.items() if each.only_header and not each.check}
    assert {kind for kind in KINDS if not kind.readers} == {*FORMATS, AVRO} - recognised
    assert JSON.readers


def test_functions_exist() -> None:
    for each in FORMATS.values():
        for function in vars(each).values():
            if isinstance(function, Late):
                assert callable(function.function)


def test_kinds_that_are_checked() -> None:
    assert checked_kind("vectors") is VECTORS
    with pytest.raises(UnsupportedError, match="one of index, vectors, bucket-index, roaring"):
        checked_kind("parquet")
