"""Tables with newer kinds of files: their rows are right, and no sound file is called corrupt."""

import json
import re
import uuid
import zipfile
from datetime import date, timedelta
from importlib import import_module
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pypaimon.common.options.core_options import CoreOptions
from pypaimon.globalindex.lumina import lumina_vector_global_index_reader

from paimon_ksy.errors import UnsupportedError
from paimon_ksy.inspection.registry import FORMATS
from paimon_ksy.io.file_kind import (
    DATA_FILES,
    JSON,
    KINDS,
    NAMED,
    UNKNOWN,
    FileKind,
    kind_of,
)
from paimon_ksy.io.source import open_source
from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.audit.orphans import clean_orphans, orphans
from paimon_ksy.table.delete.delete import delete
from paimon_ksy.table.query.read import query
from paimon_ksy.table.store import Table
from tests.reference.file_kind import FileKind as Magic
from tests.support import newer_tables
from tests.support.commands import Cli
from tests.support.newer_tables import TABLES, list_index_file, newer_table, rows
from tools.jvm import fetch_jars
from tools.tables import by_pypaimon, by_rust, make_table, rust_context

REFUSED = {"row": "pypaimon or pypaimon-rust", "mosaic": "pypaimon[mosaic] or pypaimon-rust"}
"""Formats that we refuse, and what can read them."""
_LATER = {("note", "options")}
_MISREAD = {("warning", "global-index-version")}
FINDINGS = {
    **dict.fromkeys(("btree_2", "composite", "bitmap", "bitmap_lz4", "bitmap_1_4"), _MISREAD),
    "btree_partial": {("warning", "global-index-coverage")},
    "btree_stale": {("error", "global-index-stale"), ("note", "options")},
    **dict.fromkeys(("mosaic", "row"), _LATER),
}
"""What is wrong with some of the tables."""
ALARMING = re.compile("corrupt|backup|broken|malformed|damaged")
NOW = timedelta(0)


def ordered(table: pa.Table) -> list[str]:
    return sorted(map(repr, table.to_pylist()))


@pytest.mark.parametrize("name", TABLES)
def test_rows_and_files_of_a_newer_table(name: str, tmp_path: Path, cli: Cli) -> None:
    path = newer_table(tmp_path, name)
    check_rows(name, path)
    found = list(audit(path, deep=True))
    checks = {(one.severity, one.check) for one in found} - {("note", "index-type")}
    assert checks == FINDINGS.get(name, set())
    assert orphans(path, NOW) == []
    kinds = set()
    for file in newer_files(path)[:3]:
        code, out, err = cli("inspect", file, "--format", "json")
        assert code == 0, err
        document = json.loads(out)
        kinds.add(document["kind"])
        kind = NAMED.get(document["kind"], UNKNOWN)
        assert ("note" in document) == (not is_checked(kind))
        if kind.magic is not None:  # compare it with Kaitai's parser of the spec
            parsed = Magic.from_bytes(Path(file).read_bytes())
            ends = parsed.start.magic, parsed.last.magic, parsed.last.magic_before
            assert kind.magic in ends
        for command in ("inspect", "verify", "report", "webide", "dump"):
            check_file(cli, tmp_path, command, file, kind)
    assert kinds == {TABLES[name].kind} - {""}
    if name == "row_tracking":
        for metadata in {*Path(path).rglob("*-*"), *Path(path).rglob("*.*")}:
            assert metadata.is_dir() or cli("inspect", metadata)[0] == 0


def check_rows(name: str, path: str) -> None:
    """Compare all rows with another reader's, and those of a predicate with all rows.

    With a predicate, the others miss rows that the index lacks, or cannot read the index.
    """
    if name in REFUSED:
        with pytest.raises(UnsupportedError, match=f"file format '{name}'") as refused:
            query(path)
        assert refused.value.remedy == f"to read it, use {REFUSED[name]}"
        return
    ours = query(path)
    assert ordered(ours) == ordered(by_rust(path) if TABLES[name].rust else by_pypaimon(path))
    if "name" in ours.column_names:
        matching = ours.filter(pc.equal(ours["name"], "n013"))
        assert ordered(query(path, "name = 'n013'")) == ordered(matching)


def newer_files(path: str) -> list[str]:
    """Return the files of a table that are not data files, manifests, JSON or hints."""
    files = [str(file) for file in sorted(Path(path).rglob("*")) if file.is_file()]
    known = (*DATA_FILES, JSON)
    return [f for f in files if "LATEST" not in f and kind_of(open_source(f)) not in known]


def is_checked(kind: FileKind) -> bool:
    return kind in FORMATS and FORMATS[kind].check is not None


def check_file(cli: Cli, folder: Path, command: str, file: str, kind: FileKind) -> None:
    outputs = {"report": ("-o", folder / "x.html"), "webide": ("-o", folder / "x.ksy")}
    more = [*outputs[command], "--overwrite"] if command in outputs else []
    code, out, err = cli(command, file, *more)
    assert not ALARMING.search(out + err), out + err
    is_dumped = kind in FORMATS and FORMATS[kind].is_read
    if is_dumped or (command != "dump" and "no spec describes" not in err):
        assert code == 0, err
    else:
        assert (code, "is an index of the type 'of-later'" in err or kind.title in err) == (2, True)
    if not is_checked(kind) and command in ("inspect", "verify"):
        assert "recognised, not checked" in out


# The index manifest -------------------------------------------------------------------------------


def test_the_index_manifest_decides_what_bytes_do_not(tmp_path: Path, cli: Cli) -> None:
    path = newer_table(tmp_path, "btree")
    [file] = Path(path, "index").iterdir()
    data = file.read_bytes()
    file.write_bytes(data[:-1] + b"x")
    for command, expected in (("inspect", 1), ("verify", 3)):
        code, out, err = cli(command, file)
        assert code == expected
        assert "should be a BTree index, but it lacks the magic number" in out + err
        assert "drop the global index and build it again" in out + err
    # The same file elsewhere: nothing but --table says what it is.
    copy = tmp_path / file.name
    copy.write_bytes(data[:-1] + b"x")
    code, _, err = cli("verify", copy)
    assert (code, "its kind is unknown" in err, "a global index" in err) == (2, True, True)
    code, out, _ = cli("verify", copy, "--table", path)
    assert (code, "lacks the magic number" in out) == (3, True)


def test_files_that_only_an_older_snapshot_or_a_tag_lists(tmp_path: Path, cli: Cli) -> None:
    path = newer_table(tmp_path, "row_tracking")
    file = list_index_file(path, "lumina", b"\7", "lumina-global-index-1.index")
    table = Table.at(path)
    latest = table.snapshot()
    assert latest is not None
    table.pypaimon.create_tag("before", latest.id)
    table.pypaimon.drop_global_index("id", "lumina")
    for gone in (None, f"snapshot/snapshot-{latest.id}"):
        if gone is not None:
            Path(path, gone).unlink()
        code, out, err = cli("inspect", file)
        assert (code, "(Lumina)" in out) == (0, True), (gone, err)
    Path(path, "tag", "tag-before").unlink()
    assert cli("inspect", file)[0] == 2


# Orphans, and deleted partitions ------------------------------------------------------------------


def test_orphaned_global_indexes(tmp_path: Path) -> None:
    path = newer_table(tmp_path, "btree")
    kept = {file.name for file in Path(path, "index").iterdir()}
    outside = tmp_path / "elsewhere"
    list_index_file(path, "lumina", b"x", "lumina-global-index-1.index", folder=outside)
    orphaned = Path(path, "index", f"vector-ivf-flat-global-index-{uuid.uuid4()}.index")
    for other in (orphaned, Path(path, "index", "notes.txt"), outside / orphaned.name):
        other.write_bytes(b"x")
    assert [one.path for one in orphans(path, NOW)] == [str(orphaned)]
    clean_orphans(path, NOW, dry_run=False)
    assert {file.name for file in Path(path, "index").iterdir()} == {*kept, "notes.txt"}
    assert len(list(outside.iterdir())) == 2


def test_deleting_a_partition_removes_its_global_indexes(tmp_path: Path) -> None:
    options = {"row-tracking.enabled": "true", "deletion-vectors.enabled": "true"}
    path = make_table(tmp_path, "t", [rows(0, 40), rows(40, 40)], options, partition_keys=["day"])
    newer_tables.by_pypaimon("name", "btree")(path)
    newer_tables.by_pypaimon("id", "bitmap")(path)
    table = Table.at(path)

    def days() -> set[tuple[str, str]]:
        files = table.index_manifests.of(table.snapshot())
        return {(str(file.partition[0]), file.index_type) for file in files}

    before = days()
    assert len(before) == 8
    first, second = (str((date(2024, 1, n) - date(1970, 1, 1)).days) for n in (1, 2))
    delete(table, "day = DATE '2024-01-01' OR day = DATE '2024-01-02' AND id < 10")
    # Rows of the second day are left, so its indexes are, too.
    assert before - days() == {(first, "btree"), (first, "bitmap")}
    assert (second, "DELETION_VECTORS") in days()
    assert ordered(query(path)) == ordered(by_pypaimon(path))
    assert {one.check for one in audit(path, deep=True)} == {"global-index-version"}
    delete(table, "true")
    assert days() == set()


# The outside world --------------------------------------------------------------------------------


def test_each_type_and_format_of_others_is_in_the_table_of_kinds(tmp_path: Path) -> None:
    index_types = {index_type for kind in KINDS for index_type in kind.index_types}
    formats = {kind.id for kind in KINDS if kind.suffix}
    builder = import_module("pypaimon.globalindex.create_global_index")
    types = {*builder._SORTED_INDEX_IDENTIFIERS, *builder._GENERIC_INDEX_IDENTIFIERS}
    assert types | {*lumina_vector_global_index_reader.LUMINA_IDENTIFIERS} <= index_types
    options = [getattr(CoreOptions, name) for name in dir(CoreOptions) if "FILE_FORMAT_" in name]
    texts = {option for option in options if isinstance(option, str)}
    assert len(texts) > 5
    assert texts <= formats
    # The errors of the Rust crate list what it supports.
    path = make_table(tmp_path, "t", [rows(1, 1)[:0]], {"file.format": "vortex"})
    with pytest.raises(ValueError, match="only supports index_type") as refused:
        newer_tables.by_rust("id", "none")(path)
    listed = set(re.findall(r"'([a-z][a-z-]+)'", str(refused.value).partition("got")[0]))
    assert listed - {"default"} <= index_types
    context = rust_context(path)
    context.register_batch("one", rows(1, 1).to_batches()[0])
    with pytest.raises(ValueError, match="unsupported write format") as refused:
        context.sql("INSERT INTO p.default.t SELECT * FROM one")
    assert set(re.findall(r"\.([a-z]+)", str(refused.value).partition("got")[0])) <= formats


@pytest.mark.library
def test_each_type_and_format_of_java_is_in_the_table_of_kinds() -> None:
    """Each of these classes is in a package of its own, whose name is the type or the format."""
    known = {each for kind in KINDS for each in (kind.id, *kind.index_types)}
    with zipfile.ZipFile(next(jar for jar in fetch_jars() if "paimon-bundle" in jar.name)) as jar:
        for service in ("globalindex.GlobalIndexerFactory", "format.FileFormatFactory"):
            lines = jar.read(f"META-INF/services/org.apache.paimon.{service}").decode().split()
            names = {line.split(".")[-2] for line in lines if line.startswith("org.")}
            assert len(names) >= 2
            assert names <= known
