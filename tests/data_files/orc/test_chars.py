"""CHARs of ORC files, which are padded there, are read as Java reads them: without."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy.data_files.orc.chars import unpadded
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.check import check_index
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.types.arrow import to_arrow
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema


@pytest.mark.parametrize(
    ("text", "read", "wanted"),
    [
        ("ROW<a CHAR(2), b STRING>", [{"a": "x ", "b": "y "}, None], [{"a": "x", "b": "y "}, None]),
        ("ARRAY<CHAR(2)>", [["x ", None], None, []], [["x", None], None, []]),
        ("MAP<STRING, CHAR(2)>", [[("k ", "x ")], None], [[("k ", "x")], None]),
        ("MULTISET<CHAR(2)>", [[("x ", 2)], None], [[("x", 2)], None]),
        ("STRING", ["x ", None], ["x ", None]),
    ],
)
def test_chars_in_other_types(text: str, read: list[Any], wanted: list[Any]) -> None:
    kind = parse_type(text)
    column = pa.array(read, to_arrow(kind))
    found = unpadded(column, kind)
    assert found.to_pylist() == wanted
    assert found.type == column.type
    assert unpadded(column.slice(1), kind).to_pylist() == wanted[1:]


@pytest.mark.parametrize("kind", ["bitmap", "range-bitmap", "bloom-filter"])
def test_an_index_that_java_made_of_padded_values_is_sound(kind: str, tmp_path: Path) -> None:
    """It indexes what it writes, of which ORC keeps no spaces; other values are told."""
    schema = Schema.parse("c CHAR(5)")
    wanted = {f"file-index.{kind}.columns": "c"}
    written = build_file_index(pa.table({"c": ["a ", None, "bc", "a", ""]}), schema, wanted)
    read = pa.table({"c": ["a", None, "bc", "a", ""]})
    with FileIndex.open(written) as opened:
        assert list(check_index(opened, 5, schema, data=lambda: read)) == []
        other = pa.table({"c": ["x", None, "bc", "a", ""]})
        assert len(list(check_index(opened, 5, schema, data=lambda: other))) == 1
