"""A table of orders to be advised on, and what tests do with the advice."""

from __future__ import annotations

import shlex
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.table.advise.report import Advice, ColumnAdvice
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.index.summary import RewriteSummary
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.table.store import Table
from tools.tables import make_table

LOCAL = local_engine(workers=1)
FILES, ROWS = 3, 20_000

SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("status", pa.string()),
        ("amount", pa.decimal128(10, 2)),
        ("user_id", pa.int32()),
        ("region", pa.string()),
        ("note", pa.string()),
        ("closed", pa.timestamp("us")),
        ("m", pa.map_(pa.string(), pa.string())),
        ("tags", pa.list_(pa.string())),
    ]
)


def texts(prefix: str | pa.Array, numbers: np.ndarray) -> pa.Array:
    return pc.binary_join_element_wise(prefix, pa.array(numbers).cast(pa.string()), "")


def part(at: int) -> pa.Table:
    """A file of orders. PENDING are few, and next to each other; amounts are of one range in each
    file but for a few; only the last orders are not closed."""
    rng = np.random.default_rng(at)
    status = rng.integers(0, 3, ROWS)
    if at == 1:
        status[7000:7100] = 3
    cents = at * 100_000 + rng.integers(0, 200, ROWS) * 500
    cents[[0, ROWS // 2, ROWS - 1]] = 0, FILES * 100_000, 0
    ids = np.arange(at * ROWS, (at + 1) * ROWS)
    closed = np.where(ids < (FILES - 1) * ROWS, ids, 0) * 1_000_000
    keys = np.arange(ROWS) % 5 == 0
    offsets = np.concatenate([[0], np.cumsum(keys)]).astype(np.int32)
    maps = pa.MapArray.from_arrays(
        offsets, pa.array(["k"] * int(keys.sum())), texts("v", np.full(int(keys.sum()), at))
    )
    amounts = pa.array(cents).cast(pa.decimal128(19, 0)).cast(pa.decimal128(21, 2))
    hundred = pa.scalar(Decimal(100))
    numbers = rng.integers(0, 2**62, (2, ROWS))
    return pa.table(
        [
            ids,
            pa.array(["COMPLETED", "SHIPPED", "CANCELLED", "PENDING"]).take(pa.array(status)),
            pc.divide(amounts, hundred).cast(pa.decimal128(10, 2)),
            pa.array(rng.integers(0, 5_000, ROWS), pa.int32()),
            texts("region-", rng.integers(0, 4, ROWS)),
            texts(texts("a note of some length ", numbers[0]), numbers[1]),
            pa.array(closed, pa.timestamp("us"), mask=ids >= (FILES - 1) * ROWS),
            maps,
            pa.array([["x"]] * ROWS),
        ],
        schema=SCHEMA,
    )


def orders_table(folder: Path) -> str:
    """A table of orders in 3 files, without indexes or statistics."""
    return make_table(folder, "orders", map(part, range(FILES)))


def verdicts(advice: Advice) -> dict[str, str]:
    return {
        column.column: f"{column.verdict} {','.join(column.advised)}".strip()
        for column in advice.columns
    }


def column(advice: Advice, name: str) -> ColumnAdvice:
    [advised] = [column for column in advice.columns if column.column == name]
    return advised


def follow(advice: Advice, *, saves: bool = True) -> RewriteSummary:
    """Do what the advised command does; without `saves`, leave the table's options as they are."""
    assert advice.command is not None
    words = shlex.split(advice.command)
    assert words[:4] == ["paimon-ksy", "table", "rewrite-index", advice.table]
    if "--save-options" in words:
        words.remove("--save-options")
    else:
        saves = False
    given = list(zip(words[4::2], words[5::2], strict=True))
    options = dict(text.split("=", 1) for option, text in given if option == "--set")
    where = dict(given).get("--partitions")
    return rewrite_index(advice.table, where, set=options, save_options=saves, engine=LOCAL)


def copy(path: str, folder: Path) -> str:
    """A table of one's own with the same files."""
    import shutil

    target = folder / "default.db" / Path(path).name
    shutil.copytree(path, target)
    return str(target)


def index_sizes(path: str) -> dict[tuple[str, str], int]:
    """Bytes of each index in all files of a table."""
    table = Table.at(path)
    sizes: dict[tuple[str, str], int] = {}
    for file in table.data_files.of(table.snapshot()):
        assert file.index is not None
        place = table.storage.read(file.index) if isinstance(file.index, str) else file.index
        with FileIndex.open(place) as opened:
            for name, entries in opened.places.items():
                for kind, entry in entries.items():
                    sizes[name, kind] = sizes.get((name, kind), 0) + entry.len_body
    return sizes


def data_files(path: str) -> list[DataFile]:
    table = Table.at(path)
    return list(table.data_files.of(table.snapshot()))
