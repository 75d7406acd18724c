"""Selected rows of Avro files: blocks without one are not decoded, what follows is not read."""

from pathlib import Path

import numpy as np
import pytest

from paimon_ksy.table.formats.avro import read_avro
from paimon_ksy.table.formats.open_file import ReadStats
from tests.support.data_files import COLUMNS, NUM_ROWS, STORAGE, data_file, written


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(written(tmp_path_factory.mktemp("avro"), "avro").path)


def read(path: Path, positions: list[int] | None) -> tuple[list[int], ReadStats]:
    stats = ReadStats()
    wanted = [column for column in COLUMNS if column.name == "id"]
    chosen = None if positions is None else np.array(positions, np.int64)
    batches = read_avro(STORAGE, data_file(path), wanted, chosen, stats)
    return [value for batch in batches for value in batch["id"].to_pylist()], stats


def test_rows_are_those_at_the_positions(path: Path) -> None:
    everything, whole = read(path, None)
    assert len(everything) == NUM_ROWS
    assert whole.groups_skipped == 0 < whole.groups_read
    for positions in ([0], [NUM_ROWS - 1], [5, 6, NUM_ROWS // 2], [*range(0, NUM_ROWS, 997)]):
        assert read(path, positions)[0] == [everything[at] for at in positions]


def test_blocks_without_a_row_are_not_decoded(path: Path) -> None:
    _, whole = read(path, None)
    _, first = read(path, [0])
    assert (first.groups_read, first.groups_skipped) == (1, 0)  # what follows is not read
    assert first.bytes_read < whole.bytes_read
    _, last = read(path, [NUM_ROWS - 1])
    assert (last.groups_read, last.groups_skipped) == (1, whole.groups_read - 1)
    found, none = read(path, [])
    assert (found, none.groups_read) == ([], 0)
