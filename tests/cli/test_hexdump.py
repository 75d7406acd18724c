"""Bytes of a file, field by field."""

import time
from pathlib import Path

import pytest

from paimon_ksy.inspection import byte_map
from paimon_ksy.io.source import open_source
from paimon_ksy.table_index import vector_file
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.table_index.deletion_vector_file import write_vectors
from tests.golden import bad_files
from tests.golden.vectors import mixed
from tests.support.commands import Cli
from tests.support.examples import write


@pytest.fixture(autouse=True)
def _in_an_empty_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Run each test in an empty folder."""
    monkeypatch.chdir(tmp_path)


def test_the_hex_dump_of_a_large_vector_reads_no_fields_of_its_bitmap(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_vectors("gap.dv", {"": DeletionVector.of([2**51], 64)})
    started = time.process_time()
    code, out, _ = cli("inspect", "gap.dv", "--hex", "--length", 100)
    assert (code, "vectors[0].data.bitmap_64\n" in out) == (0, True)
    assert time.process_time() - started < 2
    monkeypatch.setattr(vector_file, "SMALL", 0)
    with open_source(mixed()) as source:
        fields = byte_map.hex_fields(source, None, 33, 48)
    assert [(f.start, f.end, f.path) for f in fields[:4]] == [
        (33, 37, "vectors[1].len_data"),
        (37, 41, "vectors[1].data.kind"),
        (41, 73, "vectors[1].data.bitmap_64"),
        (73, 77, "vectors[1].crc32"),
    ]
    assert fields[4].path == "vectors[2].len_data"
    with open_source(mixed()[:80]) as source:
        fields = byte_map.hex_fields(source, None, 0, 80)
    assert (fields[-1].start, fields[-1].path) == (77, None)


def test_hex_of_bytes_that_no_field_covers(cli: Cli, tmp_path: Path) -> None:
    [case] = [case for case in bad_files() if case.name == "trailing_garbage"]
    path = write(tmp_path, case.data)
    _, out, _ = cli("inspect", path, "-s", "a INT", "--hex")
    assert out.splitlines()[-1].endswith("no field")
