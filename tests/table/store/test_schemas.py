"""The versions of a table's schema."""

import json
from pathlib import Path

import pytest

from paimon_ksy.errors import CorruptFileError, PaimonKsyError
from paimon_ksy.table.store import Table
from tests.support.golden_tables import golden_table


def test_each_version_has_its_id_and_its_columns(tmp_path: Path) -> None:
    path = golden_table("evolution", tmp_path)
    schemas = Table.at(path).schemas
    ids = schemas.ids()
    assert len(ids) > 2
    assert ids == sorted(int(f.name[7:]) for f in Path(path, "schema").glob("schema-*"))
    assert schemas.current.id == ids[-1]
    for number in ids:
        found = schemas.at(number)
        document = json.loads(Path(path, "schema", f"schema-{number}").read_text())
        assert found.id == number
        assert list(found.columns.names) == [field["name"] for field in document["fields"]]
        assert schemas.at(number) is found


def test_a_version_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(PaimonKsyError, match="its schema 99 does not exist"):
        Table.at(golden_table("evolution", tmp_path)).schemas.at(99)


def test_a_version_under_the_name_of_another_one(tmp_path: Path) -> None:
    path = golden_table("evolution", tmp_path)
    Path(path, "schema", "schema-1").write_bytes(Path(path, "schema", "schema-0").read_bytes())
    with pytest.raises(CorruptFileError, match="id is 0, but the file is named schema-1") as raised:
        Table.at(path).schemas.at(1)
    assert str(raised.value).startswith(f"{path}/schema/schema-1: ")


def test_files_of_other_names_are_no_schemas(tmp_path: Path) -> None:
    path = golden_table("evolution", tmp_path)
    before = Table.at(path).schemas.ids()
    for name in ("schema-x", ".schema-9.tmp", "schema-007", f"schema-{1 << 63}"):
        Path(path, "schema", name).write_text("no schema")
    assert Table.at(path).schemas.ids() == before
