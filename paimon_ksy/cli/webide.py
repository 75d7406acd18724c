"""`paimon-ksy webide`."""

from __future__ import annotations

import os
import webbrowser
from pathlib import Path
from threading import Event

from paimon_ksy.cli.catalog import CatalogSource, open_table
from paimon_ksy.cli.common import local, new_file, read_schema
from paimon_ksy.cli.failures import UsageError, note
from paimon_ksy.cli.output import print_json, print_lines
from paimon_ksy.cli.verify import chosen_kind
from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.inspection.entry_point import entry_point
from paimon_ksy.inspection.verify import Kind
from paimon_ksy.inspection.web_ide import serve_web_ide
from paimon_ksy.io.source import Source, open_source
from paimon_ksy.table_index.deletion_vector_file import VectorMeta
from paimon_ksy.types.schema import Schema

IDE = "PAIMON_KSY_WEBIDE"
_PUBLIC_IDE = "https://ide.kaitai.io"
_AT_ONCE = 1 << 24  # bytes


def run(
    path: str,
    *,
    schema: str | None,
    schema_file: str | None,
    table: str | None,
    catalog: CatalogSource,
    kind: str | None,
    folder: str | None,
    imports: bool,
    overwrite: bool,
    show: bool,
    as_json: bool,
) -> None:
    """Write a file and its .ksy into a folder, and with `show`, open them in the IDE."""
    if table is not None and (schema is not None or schema_file is not None):
        raise UsageError("--table already provides the schema: drop --schema and --schema-file")
    if catalog and table is None:
        raise UsageError("--catalog needs --table: add it")
    ide = _ide_folder() if show else None
    if show and imports:
        raise UsageError("--imports and --open exclude each other: drop --open")
    columns = read_schema(schema, schema_file)
    with open_source(path) as source:
        chosen = chosen_kind(kind, path)
        name = source.name.replace("\\", "/").rpartition("/")[2]
        vectors = None
        if table is not None:
            columns, vectors = from_table(table, catalog, chosen, name)
        made = entry_point(source, chosen, columns, vectors, inline=not imports)
        folder_path = local(folder or f"{name}.webide")
        spec, data = folder_path / f"{name}.ksy", folder_path / name
        _make(folder_path)
        in_place = data.exists() and Path(source.name).exists() and data.samefile(source.name)
        for output in (spec,) if in_place else (spec, data):
            if output.exists() and not overwrite:
                message = "already exists: name another folder, or add --overwrite"
                raise UsageError(message, path=str(output))
        with new_file(str(spec), "w") as file:
            file.write(made.text)
        if not in_place:
            _copy(source, data)
    for message in made.notes:
        note(f"{path}: {message}")
    if as_json:
        print_json({"spec": str(spec), "file": str(data)})
    elif ide is None:
        _explain(spec, data, imports)
    if ide is not None:
        _open(ide, spec, data)


def _ide_folder() -> Path | None:
    """Return the folder of a Web IDE that PAIMON_KSY_WEBIDE names; None if it is not set."""
    named = os.environ.get(IDE)
    if not named:
        return None
    folder = Path(named)
    if not (folder / "index.html").is_file():
        message = f"{IDE} must name the folder of a Web IDE, but this has no index.html"
        raise UsageError(message, path=named)
    return folder


def from_table(
    table: str, catalog: CatalogSource, kind: Kind, name: str
) -> tuple[Schema | None, list[VectorMeta] | None]:
    """Return a table's facts about a file: the types of columns, or the places of vectors."""
    opened = open_table(table, catalog)
    snapshot = opened.snapshot()
    if kind == "vectors":
        vectors = [
            VectorMeta(found.offset, found.length, found.cardinality or 0, data_file)
            for file in opened.index_manifests.with_vectors(snapshot)
            if file.file_name == name
            for data_file, found in file.vectors.items()
        ]
        if not vectors:
            message = "the latest snapshot has no vector in this file: drop --table"
            raise UsageError(message, path=name)
        return None, vectors
    if kind == "bucket-index":
        return None, None
    # The index has the columns and types of its data file, which may have an older schema.
    for file in opened.files(snapshot):
        if any(each.rpartition("/")[2] == name for each in file.index_files):
            return opened.schema_at(file.schema_id).columns, None
    return opened.schema.columns, None


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise PaimonKsyError(f"cannot be created: {reason}", path=str(folder)) from error


def _copy(source: Source, path: Path) -> None:
    with new_file(str(path)) as file:
        for start in range(0, source.size, _AT_ONCE):
            file.write(source.read(start, min(_AT_ONCE, source.size - start)))


def _explain(spec: Path, data: Path, imports: bool) -> None:
    """Print how to open the two files in the Web IDE."""
    print_lines([[(str(spec), "bold")], [(str(data), "bold")]])
    also = " with all files of specs/" if imports else ""
    print_lines([[(f"1. Open {_PUBLIC_IDE} and drop both files{also} onto it, all at once.", "")]])
    print_lines([[(f"2. In its file tree, click {data.name}, then {spec.name}.", "")]])


def _open(ide: Path, spec: Path, data: Path) -> None:
    """Serve the IDE and open a browser, until the user presses Ctrl+C."""
    with serve_web_ide(ide, spec, data) as url:
        print_lines([[(f"{data.name} is open at {url}; Ctrl+C stops", "")]])
        webbrowser.open(url)
        Event().wait()
