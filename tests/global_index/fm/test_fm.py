"""The container of FM indexes that the Rust crate writes."""

import json
import random
from pathlib import Path

import pytest

from paimon_ksy.inspection.byte_map import hex_fields
from paimon_ksy.inspection.inspect import inspect_file
from paimon_ksy.inspection.json import assemble, dump_file
from paimon_ksy.inspection.verify import verify_as
from paimon_ksy.io.file_format import Subject, leaves_of, parsed
from paimon_ksy.io.file_kind import NAMED, kind_of
from paimon_ksy.io.source import open_source
from tests.support.commands import Cli
from tools.tables import rust_context

FM = NAMED["fm"]
CODECS = ("none", "zstd", "lz4")
ROWS, PARTITION = 70, 40


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """An FM index with each compression; the table of the first one stays as it is."""
    found = {}
    for codec in CODECS:
        path = tmp_path_factory.mktemp("fm") / "default.db" / "t"
        path.parent.mkdir()
        context = rust_context(str(path))
        context.set_current_catalog("p")
        context.sql(
            "CREATE TABLE p.default.t (id INT, s STRING) WITH ('row-tracking.enabled'='true', "
            "'data-evolution.enabled'='true')"
        )
        texts = ("NULL" if i % 7 == 0 else f"'name {i * i} of the row'" for i in range(ROWS))
        values = ", ".join(f"({i}, {text})" for i, text in enumerate(texts))
        context.sql(f"INSERT INTO p.default.t (id, s) VALUES {values}")
        options = f"fm-index.partition-row-count={PARTITION},fm-index.compression={codec}"
        context.sql(
            "CALL sys.create_global_index(table => 'default.t', index_column => 's', "
            f"index_type => 'fm', options => '{options}')"
        )
        [found[codec]] = (path / "index").glob("fm-*")
    return found


@pytest.mark.parametrize("codec", CODECS)
def test_what_a_file_contains_and_its_bytes(codec: str, files: dict[str, Path]) -> None:
    data = files[codec].read_bytes()
    source = open_source(data)
    assert kind_of(source) is FM
    report = inspect_file(Subject(source)).content
    assert (report.rows, [part.rows for part in report.partitions]) == (ROWS, [40, 30])
    assert sum(part.nulls for part in report.partitions) == ROWS // 7
    assert codec in report.partitions[0].compression
    assert not verify_as(FM, Subject(source))
    document = dump_file(source)
    assert assemble(document) == data
    if codec != "none":  # what a compressed directory refers to are parts of their own
        assert [part["num_rows"] for part in document["parts"][1:]] == [40, 30]
    # Checksums and counts are computed.
    del document["parts"][0]["footer"]["crc32"]
    if codec == "none":
        del document["parts"][0]["directory"]["crc32"], document["parts"][0]["directory"]["magic"]
        del document["parts"][0]["directory"]["num_partitions"]
    assert assemble(json.loads(json.dumps(document))) == data


@pytest.mark.parametrize("codec", CODECS)
def test_no_changed_byte_is_overlooked(codec: str, files: dict[str, Path]) -> None:
    data = files[codec].read_bytes()
    ends = [*range(200), *range(len(data) - 300, len(data))]
    for at in random.Random(codec).sample(range(len(data)), 150) + ends[::5]:
        changed = bytearray(data)
        changed[at] ^= 1 << at % 8
        assert verify_as(FM, Subject(open_source(bytes(changed)))), f"byte {at}"
    for size in range(0, len(data), len(data) // 30):
        assert size == 0 or verify_as(FM, Subject(open_source(data[:size])))


def test_the_facts_of_the_index_manifest_are_compared(files: dict[str, Path], cli: Cli) -> None:
    path = files["none"]
    table = str(path.parents[1])
    assert cli("verify", str(path), "--table", table)[0] == 0
    data = path.read_bytes()
    for facts in ({"metadata": b"x"}, {"row_range": (0, ROWS)}):
        [finding] = verify_as(FM, Subject(open_source(data), **facts))
        assert "index manifest" in finding.message and finding.byte


@pytest.mark.parametrize("codec", CODECS)
def test_the_fields_of_any_bytes(codec: str, files: dict[str, Path]) -> None:
    """Only the partitions with these bytes are parsed, also if the directory is compressed."""
    data = files[codec].read_bytes()
    source = open_source(data)
    whole = hex_fields(source, None, 0, len(data))
    named = {field.path: field.value for field in whole if field.path}
    parts = {field.path: field.value for field in leaves_of(0, parsed(source, 0, "fm_index"), "")}
    assert named.items() >= parts.items() if codec == "none" else "directory" in named
    assert named["directory.partitions[1].footer.num_rows"] == ROWS - PARTITION
    for start in range(0, len(data), 500):
        for field in hex_fields(source, None, start, 500):
            assert any(each.path == field.path and each.start <= field.start for each in whole)
