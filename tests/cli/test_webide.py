"""`paimon-ksy webide`."""

import json
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from tests.golden.vectors import golden_vectors
from tests.support.commands import Cli
from tests.support.examples import TYPES, WORKED, WORKED_DATA, WORKED_SCHEMA, write
from tests.support.tables import STATUS, TO_FILES, make, rows


def test_writes_an_entry_point(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = cli("webide", WORKED, "-s", TYPES)
    assert (code, err) == (0, "")
    spec = tmp_path / "orders.parquet.index.ksy"
    assert [*tmp_path.iterdir()] == [spec]
    assert out.startswith(f"{spec.name}: open https://ide.kaitai.io, drop {WORKED.name} and ")
    assert spec.read_bytes() == WORKED.with_name(spec.name).read_bytes()
    other = ("webide", WORKED, "--schema-file", WORKED_SCHEMA, "-o", "-")
    assert cli(*other)[1].encode() == spec.read_bytes()


def test_table_has_types_and_places(cli: Cli, tmp_path: Path) -> None:
    options = {**STATUS, **TO_FILES, "deletion-vectors.enabled": "true"}
    path = make(tmp_path, [rows(0, 50), rows(50, 50)], options)
    assert cli("table", "rewrite-index", path, "--engine", "local")[0] == 0
    assert cli("table", "delete", path, "--where", "id IN (3, 4, 70)", "--yes")[0] == 0

    [first, _] = sorted(Path(path).glob("bucket-0/*.index"))
    assert cli("webide", first, "--table", path, "-o", tmp_path / "a")[::2] == (0, "")
    assert "type: bitmap_index(8)\n" in (tmp_path / "a").read_text()

    [vectors] = Path(path).glob("index/index-*")
    assert cli("webide", vectors, "--table", path, "-o", tmp_path / "v")[::2] == (0, "")
    made = YAML(typ="safe").load((tmp_path / "v").read_text())
    data_files = {file.name for file in Path(path).glob("bucket-0/*.parquet")}
    assert set(json.loads(made["instances"]["data_files"]["value"])) == data_files
    assert sorted(json.loads(made["instances"]["numbers_of_rows"]["value"])) == [1, 2]

    other = write(tmp_path, golden_vectors()[2].data, "index-1-0")
    code, _, err = cli("webide", other, "--table", path, "-o", tmp_path / "c")
    assert code == 2 and "drop --table" in err


def test_other_files(cli: Cli, tmp_path: Path) -> None:
    assert cli("webide", WORKED_DATA, "-o", tmp_path / "x")[0] == 0
    row = write(tmp_path, bytes(16))
    given = ("webide", row, "-o", tmp_path / "z", "--type")
    assert cli(*given, "binary_row(1)")[0] == 0
    assert "type: binary_row(1)\n" in (tmp_path / "z").read_text()
