"""Print the CPU time of Spark reading files by `ksykit.spark`, and by Kaitai's parser.

    python ksykit/tools/bench_spark.py [--files N] [--parsed N]

Each file has 100,000 records. The session, local[2], starts first, and both ways first read a few
files to warm up. Figures are the CPU of the driver, the JVM and all workers, per file.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import ksykit.spark
import numpy as np
from ksykit.generator.generate import render_kaitai
from ksykit.generator.load import load_specs
from ksykit.in_memory import install

SPEC = """\
meta: {id: sensors, endian: le}
seq:
  - {id: num, type: u4}
  - {id: readings, type: reading, repeat: expr, repeat-expr: num}
types:
  reading:
    seq:
      - {id: time, type: u4}
      - {id: sensor, type: u2}
      - {id: value, type: f4}
      - {id: state, type: u1}
"""
RECORD = np.dtype([("time", "<u4"), ("sensor", "<u2"), ("value", "<f4"), ("state", "u1")])
ROWS = 100_000


def cpu() -> float:
    """Return the CPU seconds of this process, and of all that it started, also ended ones."""
    found: dict[int, tuple[int, int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        found[int(stat.parent.name)] = int(fields[1]), sum(map(int, fields[11:15]))
    tree, ticks = [os.getpid()], 0
    for process in tree:  # which grows
        ticks += found[process][1]
        tree += [child for child, (parent, _) in found.items() if parent == process]
    return ticks / os.sysconf("SC_CLK_TCK")


def parsed(spark: Any, paths: Sequence[str], texts: dict[str, str]) -> Any:
    """Return the records as Kaitai's parser reads them."""

    def read(frames: Iterator[Any]) -> Iterator[Any]:
        import pandas as pd

        parser = importlib.import_module(f"{install(texts)}.sensors").Sensors
        for path in (path for frame in frames for path in frame["file"]):
            rows = parser.from_file(path).readings
            names = RECORD.names or ()
            columns = {name: [getattr(row, name) for row in rows] for name in names}
            yield pd.DataFrame({"file": path, **columns})

    frame = spark.createDataFrame([(path,) for path in paths], "file string").repartition(2)
    return frame.mapInPandas(read, "file string, time long, sensor int, value float, state short")


def main() -> int:
    """Print the CPU for each file, and how many times ours is less."""
    parser = argparse.ArgumentParser(prog="bench_spark", description=__doc__)
    parser.add_argument("--files", type=int, default=300, help="files that ksykit reads")
    parser.add_argument("--parsed", type=int, default=16, help="files that Kaitai's parser reads")
    asked = parser.parse_args()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.log.level", "ERROR")
    with tempfile.TemporaryDirectory() as folder:
        spec = Path(folder, "sensors.ksy")
        spec.write_text(SPEC)
        texts = render_kaitai(load_specs(spec))
        paths = [str(Path(folder, f"{i:04}.sens")) for i in range(asked.files)]
        for i, path in enumerate(paths):
            rows = np.zeros(ROWS, RECORD)
            rows["time"], rows["value"] = np.arange(ROWS), i
            Path(path).write_bytes(ROWS.to_bytes(4, "little") + rows.tobytes())
        spark = builder.getOrCreate()
        ways: dict[str, tuple[Callable[..., Any], int]] = {
            "ksykit": (lambda some: ksykit.spark.read(spark, some, spec, "readings"), asked.files),
            "Kaitai": (lambda some: parsed(spark, some, texts), asked.parsed),
        }
        each: dict[str, float] = {}
        for name, (read, many) in ways.items():
            for count in (min(8, many), many):
                start, some = cpu(), paths[:count]
                found = read(some).agg({"*": "count", "value": "sum"}).collect()[0]
                if {*found} != {ROWS * count, ROWS * sum(range(count))}:
                    raise SystemExit(f"{name} reads wrongly: {found}")
                each[name] = (cpu() - start) / count
            print(f"{name}: {1000 * each[name]:,.0f} ms of CPU for each of {many} files")
        print(f"ksykit takes {each['Kaitai'] / each['ksykit']:.1f} times less")
        spark.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
