"""BTree indexes have the bytes of those by pypaimon, and so of those by the Java library."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pypaimon.globalindex.btree.btree_index_writer import BTreeIndexWriter
from pypaimon.globalindex.key_serializer import create_serializer
from pypaimon.schema.data_types import AtomicType

from kit_support.examples import examples
from paimon_ksy.errors import UnsupportedError
from paimon_ksy.global_index.btree.writer import Options, write_index
from paimon_ksy.types.data_type import Field
from paimon_ksy.types.parse import parse_type
from tests.generator.test_block_formats import LocalFiles
from tests.support.global_indexes import in_key_order
from tests.support.strategies import arrow_column, columns

# Without NaNs, of which pypaimon keeps each, and without texts that are not UTF-8.
TYPES = ["BOOLEAN", "INT", "BIGINT", "DATE", "TIME(3)", "DECIMAL(10,2)", "DECIMAL(38,0)"]
TYPES += ["TIMESTAMP(3)", "TIMESTAMP(6)", "TIMESTAMP_LTZ(6)"]


@pytest.mark.parametrize("text", TYPES)
@settings(examples(12), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_files_are_those_of_pypaimon(
    text: str, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    field = Field("c", parse_type(text))
    column = arrow_column(field.type, data.draw(columns(field.type, min_size=1)))
    block_size, has_filter = data.draw(st.sampled_from([1, 60, 1000])), data.draw(st.booleans())
    folder = tmp_path_factory.mktemp("index")
    serializer = create_serializer(AtomicType(text))
    theirs = BTreeIndexWriter(LocalFiles(), str(folder), serializer, block_size, has_filter)
    values = column.to_pylist()
    for row in in_key_order([column], [field]):
        theirs.write(values[row], row * 1000)
    [result] = theirs.finish()
    [path] = Path(folder).iterdir()
    options = Options(block_size=block_size, has_bloom_filter=has_filter, has_runs=False)
    ours = write_index([column], [field], options, np.arange(len(column)) * 1000)
    assert (ours.data, ours.num_rows) == (path.read_bytes(), result.row_count)
    assert ours.metadata == result.meta


def test_columns_without_order_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="cannot be built on BYTES"):
        write_index([pa.array([b"a"])], [Field("c", parse_type("BYTES"))])
