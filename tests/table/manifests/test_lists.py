"""Manifest lists, also of older versions of Paimon and in other formats."""

from dataclasses import replace
from typing import Any

import pytest

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.table.manifests.lists import read_list
from paimon_ksy.table.model.files import ManifestFile
from tests.support.manifests import CODECS, EMPTY, LISTS, avro, listed, orc, parquet, without
from tests.support.older_metadata import SINCE

RECORDS = [listed(), listed("manifest-1", _NUM_DELETED_FILES=7, _MIN_BUCKET=0, _EXTRA_FILES=["x"])]
WANTED = [
    ManifestFile("manifest-0", 500, 1, 0, 0, (), EMPTY, EMPTY, ()),
    ManifestFile("manifest-1", 500, 1, 7, 0, ("x",), EMPTY, EMPTY, ()),
]
LATER = [name for name in SINCE if name in str(LISTS)]


@pytest.mark.parametrize("codec", CODECS)
def test_each_codec(codec: str) -> None:
    assert read_list(avro(LISTS, RECORDS, codec), "list") == WANTED


@pytest.mark.parametrize("write", [avro, orc, parquet])
@pytest.mark.parametrize("lacking", [[], LATER, ["_EXTRA_FILES"]], ids=len)
def test_each_format_and_older_versions(write: Any, lacking: list[str]) -> None:
    found = read_list(write(without(LISTS, lacking), RECORDS), "list")
    assert [each.file_name for each in found] == ["manifest-0", "manifest-1"]
    # Up to 0.5, Paimon wrote bounds of other manifests into ORC.
    has_bounds = write is not orc or "_MIN_BUCKET" not in lacking
    assert found[0] == replace(WANTED[0], has_bounds=has_bounds)
    assert found[1].extra_files == (() if "_EXTRA_FILES" in lacking else ("x",))


@pytest.mark.parametrize("name", ["_FILE_NAME", "_NUM_ADDED_FILES", "_PARTITION_STATS"])
@pytest.mark.parametrize("write", [avro, orc, parquet])
def test_a_field_that_all_versions_have(write: Any, name: str) -> None:
    with pytest.raises(
        CorruptFileError, match=rf"^list: a manifest has no '{name}(\._MIN_VALUES)?'"
    ):
        read_list(write(without(LISTS, [name]), RECORDS), "list")


def test_null_where_there_must_be_a_value() -> None:
    with pytest.raises(CorruptFileError, match=r"^list: a manifest has no '_NUM_ADDED_FILES'"):
        read_list(orc(LISTS, [listed(_NUM_ADDED_FILES=None)]), "list")


@pytest.mark.parametrize("name", ["", "..", "a/b"])
def test_names_of_files_elsewhere(name: str) -> None:
    for record in (listed(name), listed(_EXTRA_FILES=[name])):
        with pytest.raises(CorruptFileError, match="not a valid file name"):
            read_list(avro(LISTS, [record]), "list")
