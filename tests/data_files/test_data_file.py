"""An open data file: read in batches, as one table, and closed."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack

import pyarrow as pa
import pytest

from paimon_ksy.data_files.data_file import DataFile, all_at_once

SCHEMA = pa.schema([("a", pa.int32()), ("b", pa.string())])


@pytest.mark.parametrize("parts", [0, 1, 3])
def test_batches_make_one_table_of_the_columns_asked_for(parts: int) -> None:
    def batches(names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        for part in range(parts):
            batch = pa.record_batch([pa.array([part], pa.int32()), pa.array(["x"])], schema=SCHEMA)
            yield batch.select(list(names))

    whole = all_at_once(SCHEMA, batches)
    assert whole(["b", "a"]).to_pydict() == {"b": ["x"] * parts, "a": [*range(parts)]}
    assert whole(["b", "a"]).schema == pa.schema([SCHEMA.field("b"), SCHEMA.field("a")])


def test_leaving_it_closes_what_was_opened_even_after_an_error() -> None:
    closed: list[str] = []
    for error in (None, ZeroDivisionError):
        stack = ExitStack()
        stack.callback(closed.append, "closed")
        file = DataFile("Avro", SCHEMA, None, lambda _: iter(()), lambda _: pa.table({}), stack)
        if error is None:
            with file as entered:
                assert entered is file
        else:
            with pytest.raises(error), file:
                raise error
    assert closed == ["closed", "closed"]
