"""A schema with another type than the index's is told from damage."""

import pyarrow as pa
import pytest

from paimon_ksy.errors import CorruptFileError, SchemaError
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.inspection.verify_index import schema_mismatch
from paimon_ksy.io.source import open_source
from paimon_ksy.types.schema import Schema

NAME = "a b"
OPTIONS = {"file-index.bitmap.columns": NAME}
STORED = Schema.parse(f"`{NAME}` STRING")
DATA = build_file_index(pa.table({NAME: ["NEW", "PAID", None, "NEW"]}), STORED, OPTIONS)


def mismatch(data: bytes, schema: str | None, column: str | None) -> SchemaError | None:
    parsed = None if schema is None else Schema.parse(schema)
    with open_source(data) as source:
        return schema_mismatch(source, parsed, CorruptFileError("broken", column=column))


def test_types_that_fit_are_listed_to_be_pasted() -> None:
    found = mismatch(DATA, f"`{NAME}` BIGINT", NAME)
    assert found is not None
    assert found.column == NAME
    assert "its type in the schema is BIGINT, but the index stores another type" in str(found)
    assert f"--schema '`{NAME}` STRING'" in str(found.remedy)


@pytest.mark.parametrize(
    ("data", "schema", "column"),
    [
        (DATA[:-20], f"`{NAME}` BIGINT", NAME),  # damage: it fits no type
        (DATA, f"`{NAME}` STRING", NAME),  # damage of something else than values
        (DATA, f"`{NAME}` CHAR(9)", NAME),  # which is stored as STRING is
        (DATA, f"`{NAME}` BIGINT", None),
        (DATA, f"`{NAME}` BIGINT", "other"),
        (DATA, None, NAME),
    ],
)
def test_no_other_schema_is_to_blame(data: bytes, schema: str | None, column: str | None) -> None:
    assert mismatch(data, schema, column) is None
