"""Avro data files, with the types that their writers mean."""

from pathlib import Path
from typing import Any

import fastavro

from paimon_ksy.data_files.open import columns_of, open_data_file, read_columns


def test_avro_of_records_that_may_be_null(tmp_path: Path) -> None:
    """As Java writes it where BLOBs are in files of their own."""
    fields = [{"name": name, "type": ["null", "int"], "default": None} for name in ("a", "b")]
    schema: Any = ["null", {"type": "record", "name": "record", "fields": fields}]
    path = tmp_path / "data.avro"
    with path.open("wb") as file:
        fastavro.writer(file, schema, [{"a": 1, "b": None}, {"a": None, "b": 2}])
    with open_data_file(str(path)) as opened:
        columns = columns_of(opened, str(path), ["b", "a"])
        found = read_columns(opened, str(path), columns)
    assert found.to_pylist() == [{"b": None, "a": 1}, {"b": 2, "a": None}]
