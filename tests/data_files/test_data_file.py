"""An open data file, which is closed."""

from contextlib import ExitStack

import pyarrow as pa
import pytest

from paimon_ksy.data_files.data_file import DataFile

SCHEMA = pa.schema([("a", pa.int32()), ("b", pa.string())])


def test_leaving_it_closes_what_was_opened_even_after_an_error() -> None:
    closed: list[str] = []
    for error in (None, ZeroDivisionError):
        stack = ExitStack()
        stack.callback(closed.append, "closed")
        file = DataFile("Avro", SCHEMA, None, lambda _: iter(()), stack)
        if error is None:
            with file as entered:
                assert entered is file
        else:
            with pytest.raises(error), file:
                raise error
    assert closed == ["closed", "closed"]
