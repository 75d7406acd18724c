"""Timestamps of ORC files that 64 bits of nanoseconds do not hold."""

import pyarrow as pa
import pyarrow.fs

from paimon_ksy.data_files.orc.timestamps import fit


def test_nanoseconds_of_orc_that_others_wrote() -> None:
    """They are no proof of an overflow, so no value of the column is taken for one."""
    nanos = pa.array([1_816, 1_001, None], pa.timestamp("ns"))
    assert fit(nanos, pa.timestamp("us")).cast(pa.int64()).to_pylist() == [1, 1, None]
