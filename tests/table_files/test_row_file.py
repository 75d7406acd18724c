"""Row files: their footer, index and blocks."""

from __future__ import annotations

from pathlib import Path

import pytest

from paimon_ksy.errors import UnsupportedError
from paimon_ksy.inspection.inspect import inspect_file
from paimon_ksy.inspection.json import assemble, dump_file
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.source import open_source
from paimon_ksy.messages.findings import Finding
from paimon_ksy.table_files.row_file import MOST_INDEX, check, read_blocks
from tests.support.damage import each_flipped
from tests.support.newer_tables import rows
from tools.tables import make_table


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file of several blocks that pypaimon writes."""
    folder = tmp_path_factory.mktemp("rows")
    make_table(folder, "t", [rows(0, 3000)], {"file.format": "row"})
    [path] = Path(folder).rglob("*.row")
    return path.read_bytes()


def findings(data: bytes, num_rows: int | None = None) -> list[Finding]:
    with open_source(data) as source:
        return list(check(Subject(source, num_rows=num_rows)))


def test_files_of_pypaimon_are_read_and_written_again(data: bytes) -> None:
    with open_source(data) as source:
        shown = inspect_file(Subject(source), top=None).to_json()
        assert assemble(dump_file(source)) == data
    blocks = shown["blocks"]
    assert (shown["kind"], shown["rows"], shown["num_blocks"]) == ("row", 3000, len(blocks))
    assert len(blocks) > 1 and sum(each["rows"] for each in blocks) == 3000
    assert [each["byte"] for each in blocks[1:]] == [b["byte"] + b["bytes"] for b in blocks[:-1]]
    assert not findings(data, 3000)


def test_every_changed_byte_is_detected_except_in_values(data: bytes) -> None:
    """Frames have no checksums; all else is checked."""
    with open_source(data) as source:
        footer, _ = read_blocks(source)
    start = footer.ofs_index
    unnoticed = [at for at, bad in each_flipped(data) if at >= start and not findings(bad, 3000)]
    assert not unnoticed


def test_a_block_that_decodes_to_another_size_is_named(data: bytes) -> None:
    bad = bytearray(data)
    bad[0] ^= 1
    [finding] = findings(bytes(bad))
    assert (finding.severity, finding.check, finding.byte) == ("error", "row", 0)
    assert finding.message.startswith("block 0: zstd: ")


def test_another_number_of_rows_is_an_error(data: bytes) -> None:
    [finding] = findings(data, 999)
    assert finding.message == "it has 3,000 rows, but 999 are expected"


def test_a_large_index_is_refused_before_it_is_read(tmp_path: Path, data: bytes) -> None:
    footer = bytearray(data[-32:])
    footer[12:24] = (0).to_bytes(8, "little") + (MOST_INDEX + 1).to_bytes(4, "little")
    path = tmp_path / "x.row"
    with path.open("wb") as file:
        file.truncate(MOST_INDEX + 1)
        file.seek(MOST_INDEX + 1)
        file.write(footer)
    with open_source(path) as source, pytest.raises(UnsupportedError, match="are supported"):
        read_blocks(source)
