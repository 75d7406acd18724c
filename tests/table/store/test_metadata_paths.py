"""Paths of metadata: names lead nowhere but into the table's own folders."""

from pathlib import Path

import pytest

from paimon_ksy.errors import CorruptFileError, OutsideError
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.paths import MetadataPaths
from tests.support.tables import make, rows


@pytest.fixture
def paths(tmp_path: Path) -> MetadataPaths:
    return Table.at(make(tmp_path, [rows(0, 3)])).metadata


def test_files_are_in_their_folders(paths: MetadataPaths) -> None:
    assert Path(paths.file("schema", "schema-0")).is_file()
    assert paths.file("schema", "schema-7") == f"{paths.folder}/schema/schema-7"
    assert paths.manifest("m") == f"{paths.location}/manifest/m"


@pytest.mark.parametrize("name", ["../x", "a/b", "", "..", "a\0b"])
def test_names_that_no_manifest_has(name: str, paths: MetadataPaths) -> None:
    with pytest.raises(CorruptFileError) as raised:
        paths.manifest(name, "manifest/list")
    assert str(raised.value).startswith("manifest/list: ")


def test_links_elsewhere(paths: MetadataPaths, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "schema-9").write_text("{}")
    Path(paths.folder, "schema", "schema-9").symlink_to(other / "schema-9")
    with pytest.raises(OutsideError):
        paths.file("schema", "schema-9")
    Path(paths.folder, "tag").symlink_to(other)
    with pytest.raises(OutsideError):
        paths.file("tag", "tag-x")
