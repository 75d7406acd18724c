"""What commands print: each file in `transcripts` has commands with their output and exit codes.

`pytest tests/cli/test_transcripts.py --rewrite` writes what they print today. Numbers of bytes and
seconds that vary, times and names of new files are replaced by words.
"""

import re
import shlex
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyroaring import BitMap

from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table_index.bucket_index import write_bucket_index
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.table_index.deletion_vector_file import write_vectors
from paimon_ksy.types.schema import Schema
from tests import ROOT
from tests.golden import golden_index
from tests.golden.vectors import bad_hashes, mixed
from tests.support import deletions, tables
from tests.support.audits import index_path, indexed
from tests.support.commands import Cli
from tests.support.newer_tables import newer_table
from tests.support.tables import make, rows

TRANSCRIPTS = sorted((Path(__file__).parent / "transcripts").glob("*.txt"))
VARYING = (
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(-[0-9a-f]{1,16})?", "UUID"),
    (r"\.parquet-[0-9a-f]{16}\.index", ".parquet-ID.index"),
    (r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d\.\d{3}Z)?( UTC)?", "TIME"),
    (r"\d+\.\d+ (ms|s)\b", r"N \1"),
    (r'("seconds": |seconds |build = |commit = |"build": |"commit": )[\d.]+', r"\1N"),
    (r'(bytes[ _](?:read|written)"?:? )[\d,]+\b', r"\1N"),
    (r"[\d,]+ bytes read", "N bytes read"),
    (r"[\d,]+ bytes written", "N bytes written"),
    (r"read [\d,]+ of", "read N of"),
    (r'("modified": )[\d.]+', r"\1N"),
    (r"\b20\d{11}\b|\b1[6-9]\d{11}\b", "MILLIS"),
    (r"(?m) +$", ""),
)


def files(folder: Path) -> None:
    """Write the files and tables that the transcripts name."""
    for name in ("parquet", "parquet.index", "schema.json"):
        shutil.copy(ROOT / f"examples/worked/orders.{name}", folder / f"w.{name}")
    shutil.copy(ROOT / "examples/orders/orders.parquet.index", folder / "o.index")
    shutil.copytree(ROOT / "examples/warehouse/default.db/orders", folder / "orders")
    table = pa.table(
        {
            "status": ["NEW", "PAID", "NEW", "NEW", "PAID", "NEW"],
            "amount": pa.array([5, 9, 7, None, 1, 7], pa.int32()),
        }
    )
    pq.write_table(table, folder / "x.parquet")
    schema = Schema.parse("status STRING, amount INT")
    for name, *kinds in (
        ("x.parquet", "bitmap", "range-bitmap"),
        ("bloom", "bloom-filter", "bitmap"),
    ):
        keys = [f"file-index.{kind}.columns" for kind in kinds]
        data = build_file_index(table, schema, dict(zip(keys, schema.names, strict=True)))
        (folder / f"{name}.index").write_bytes(data)
    for name, values in {"old": ["a", "b", "a"], "new": ["a", "b", "b"]}.items():
        data = build_file_index(
            pa.table({"s": values}), Schema.parse("s STRING"), {"file-index.bitmap.columns": "s"}
        )
        (folder / f"{name}.index").write_bytes(data)
    (folder / "cut.index").write_bytes(data[:-3])
    (folder / "head.index").write_bytes(data[:30])
    (folder / "no-columns.index").write_bytes(golden_index("c_zero_columns").data)
    (folder / "rows.bin").write_bytes(BitMap([1, 5, 70_000]).serialize())
    (folder / "other.db").mkdir()
    (folder / "text").write_text("something else altogether")
    write_vectors(folder / "two.dv", {"": DeletionVector.of([0]), "b": DeletionVector.of([2, 5])})
    (folder / "mixed.dv").write_bytes(mixed())
    (folder / "cut.dv").write_bytes(mixed()[:-1])
    (folder / "odd").write_bytes(bad_hashes())
    write_bucket_index(folder / "twice", [5, 5, 6])
    make(folder, [rows(0, 8, "a"), rows(8, 4, "b")], {"note": "a"}, ["day"])
    deletions.make(folder / "deletable", [deletions.rows(0, 10)], {}, ["day"])


def broken(folder: Path) -> None:
    """Write two tables whose indexes of one data file are broken; one of them has an orphan."""
    path = make(folder / "unlisted", [rows(i * 7, 12) for i in range(4)], tables.TO_FILES)
    rewrite_index(path, set=tables.STATUS, engine=local_engine(1))
    index_path(tables.files(path)[2]).unlink()
    path = indexed(folder / "broken")
    index = index_path(tables.files(path)[0])
    index.write_bytes(b"garbage")
    index.with_name("data-x.parquet.index").write_bytes(b"123")


def composite(folder: Path) -> None:
    """Write a table with a global index of two columns."""
    newer_table(folder / "newer", "composite")


MORE = {"audit": broken, "drop-index": composite}
"""What writes a table that only one transcript names."""


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_transcript(
    path: Path,
    cli: Cli,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    pytestconfig: pytest.Config,
) -> None:
    monkeypatch.chdir(tmp_path)
    files(tmp_path)
    if path.stem in MORE:
        MORE[path.stem](tmp_path)
    written = path.read_text("utf-8")
    printed = ""
    for command in re.findall(r"^\$ (paimon-ksy .*)$", written, re.MULTILINE):
        _, *words = shlex.split(command)
        code, out, err = cli(*words)
        printed += f"$ {command}\n" + plain(out + err, tmp_path)
        printed += f"exit {code}\n\n" if code else "\n"
    if pytestconfig.option.rewrite:
        path.write_text(printed, "utf-8")
    assert printed == written or pytestconfig.option.rewrite


def plain(text: str, folder: Path) -> str:
    """Return what a command printed, without what differs from run to run."""
    text = text.replace(f"{folder}/", "")
    for pattern, word in VARYING:
        text = re.sub(pattern, word, text)
    return text
