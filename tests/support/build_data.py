"""A table of many types, of which `build` makes indexes."""

import pyarrow as pa
import pyarrow.orc


def table() -> pa.Table:
    return pa.table(
        {
            "b": pa.array([True, None, False], pa.bool_()),
            "i": pa.array([1, 2, None], pa.int32()),
            "l": pa.array([2**40, 1, 1], pa.int64()),
            "f": pa.array([1.5, None, -0.0], pa.float32()),
            "s": pa.array(["x", "", None], pa.string()),
            "d": pa.array([0, 19_782, None], pa.date32()),
            "t": pa.array([0, 45_000_500, None], pa.time32("ms")),
            "ts": pa.array([-1, 0, None], pa.timestamp("ms")),
            "us": pa.array([-1, 0, None], pa.timestamp("us")),
            "m": pa.array([[("k", 1)], [], None], pa.map_(pa.string(), pa.int32())),
        }
    )
