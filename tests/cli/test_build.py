"""`build`: indexes from data files of each format."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet as pq
import pytest

import paimon_ksy
from paimon_ksy.messages.install import how_to_install
from paimon_ksy.types.schema import Schema
from tests import ROOT
from tests.support.build_data import table
from tests.support.commands import Cli
from tests.support.examples import WORKED_DATA, write


def test_build_gives_the_bytes_of_java(cli: Cli, tmp_path: Path) -> None:
    for name in ("worked", "orders"):
        folder = ROOT / "examples" / name
        output = tmp_path / f"{name}.index"
        schema = folder / "orders.schema.json"
        code, out, err = cli(
            "build", folder / "orders.parquet", "--schema-file", schema, "-o", output
        )
        assert (code, err) == (0, "")
        assert out.startswith(f"{output}: ")
        assert output.read_bytes() == (folder / "orders.parquet.index").read_bytes()


PAIMON_TYPES = (
    "b BOOLEAN, i INT, l BIGINT, f FLOAT, s STRING, d DATE, t TIME(3), ts TIMESTAMP(3), "
    "us TIMESTAMP(6), m MAP<STRING, INT>"
)


def write_parquet(path: Path) -> None:
    pq.write_table(table(), path)


def write_orc(path: Path) -> None:
    # ORC has no time of day: Paimon stores it as an integer.
    columns = table()
    at = columns.schema.get_field_index("t")
    pyarrow.orc.write_table(columns.set_column(at, "t", columns["t"].cast(pa.int32())), path)


def write_avro(path: Path) -> None:
    import fastavro

    def logical(kind: str, name: str) -> dict[str, str]:
        return {"type": kind, "logicalType": name}

    types: dict[str, Any] = {
        "b": "boolean",
        "i": "int",
        "l": "long",
        "f": "float",
        "s": "string",
        "d": logical("int", "date"),
        "t": logical("int", "time-millis"),
        "ts": logical("long", "timestamp-millis"),
        "us": logical("long", "timestamp-micros"),
        "m": {"type": "map", "values": ["null", "int"]},
    }
    fields = [{"name": n, "type": ["null", t], "default": None} for n, t in types.items()]
    schema = {"type": "record", "name": "org.apache.paimon.record", "fields": fields}
    numbers = table()
    for name, kind in (("d", "int32"), ("t", "int32"), ("ts", "int64"), ("us", "int64")):
        at = numbers.schema.get_field_index(name)
        numbers = numbers.set_column(at, name, numbers[name].cast(kind))
    # fastavro takes integers for dates and times as they are.
    records = [
        {**row, "m": None if row["m"] is None else dict(row["m"])} for row in numbers.to_pylist()
    ]
    with path.open("wb") as file:
        fastavro.writer(file, schema, records)


@pytest.mark.parametrize("write_data", [write_parquet, write_orc, write_avro])
@pytest.mark.parametrize("version", [1, 2])
def test_build_from_each_format(
    write_data: Callable[[Path], None], version: int, cli: Cli, tmp_path: Path
) -> None:
    data, output = tmp_path / "data", tmp_path / "out.index"
    write_data(data)
    names = [*"bilfsdt", "ts", "us", "m[k]"]
    arguments = [a for name in names for a in ("-i", f"bitmap:{name}(version={version})")]
    code, out, err = cli(
        "build", data, *arguments, "-s", PAIMON_TYPES, "-o", output, "--format", "json"
    )
    assert (code, err) == (0, "")
    expected = paimon_ksy.build_file_index(
        table(),
        Schema.parse(PAIMON_TYPES),
        {
            "file-index.bitmap.columns": ",".join(names),
            **{f"file-index.bitmap.{name}.version": str(version) for name in names},
        },
    )
    assert output.read_bytes() == expected
    found = json.loads(out)
    assert found["rows"] == 3
    assert found["bytes"] == len(expected)
    assert sorted(index["column"] for index in found["indexes"]) == sorted(names)
    assert 0 < sum(index["bytes"] for index in found["indexes"]) < found["bytes"]


def test_build_takes_types_from_the_data_file(cli: Cli, tmp_path: Path) -> None:
    write_avro(tmp_path / "data.avro")
    write_parquet(tmp_path / "data.parquet")
    made = []
    for name in ("data.avro", "data.parquet"):
        output = tmp_path / f"{name}.index"
        options = ("--set", "file-index.bitmap.columns=l,ts,t,d,m[k]")
        code, _, err = cli("build", tmp_path / name, *options, "-o", output)
        assert (code, err) == (0, "")
        made.append(output.read_bytes())
    assert made[0] == made[1]


def test_build_to_a_device_keeps_the_device(cli: Cli) -> None:
    assert cli("build", WORKED_DATA, "-i", "bitmap:status", "-o", "/dev/null")[0] == 0
    assert Path("/dev/null").is_char_device()


BROKEN_DATA = {
    "empty": b"",
    "text": b"hello, world",
    "parquet": WORKED_DATA.read_bytes()[:-100],
    "orc": b"ORC" + bytes(100),
    "avro": b"Obj\x01" + bytes(100),
}


@pytest.mark.parametrize("name", BROKEN_DATA)
def test_build_of_broken_data_files(name: str, cli: Cli, tmp_path: Path) -> None:
    path = write(tmp_path, BROKEN_DATA[name], name)
    code, _, err = cli("build", path, "-i", "bitmap:status", "-o", tmp_path / "x")
    assert code == 1
    assert err.startswith(f"paimon-ksy: {path}: ")
    assert err.count("\n") == 1
    assert "bug" not in err


def test_avro_without_fastavro_says_how_to_get_it(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_avro(tmp_path / "data.avro")
    monkeypatch.setitem(sys.modules, "fastavro", None)
    code, _, err = cli("build", tmp_path / "data.avro", "-i", "bitmap:i", "-o", tmp_path / "x")
    assert code == 1
    assert how_to_install("avro") in err
