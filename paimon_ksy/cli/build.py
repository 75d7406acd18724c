"""`paimon-ksy build`."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from paimon_ksy.cli.commands import cli_command
from paimon_ksy.cli.common import (
    check_output,
    key_values,
    new_file,
    open_named,
    read_schema,
    schema_document,
)
from paimon_ksy.cli.failures import UsageError, note
from paimon_ksy.cli.options import (
    Columns,
    DataFile,
    Form,
    Format,
    Output,
    Overwrite,
    SchemaFile,
    SetOptions,
)
from paimon_ksy.cli.progress import steps
from paimon_ksy.cli.sections import show
from paimon_ksy.messages.answers import Answer
from paimon_ksy.types.schema import Schema

if TYPE_CHECKING:
    from paimon_ksy.file_index.options import FileIndexOptions


@dataclass(frozen=True)
class BuiltIndex(Answer):
    """A built index; `inspect` shows its content."""

    column: str
    index_type: str
    bytes: int


@dataclass(frozen=True)
class Built(Answer):
    """The file index that was built."""

    output: str
    bytes: int
    rows: int
    seconds: float
    indexes: list[BuiltIndex]


@cli_command(
    "build data.parquet -i bitmap:status -o data.parquet.index",
    "build x.parquet -i 'bitmap:id(version=1)' -i bsi:n -o x.index",
    "build data.parquet --schema-file schema/schema-0 -o x.index",
    answer=Built,
)
def run(
    data_file: DataFile,
    output: Output,
    indexes: Annotated[
        list[str] | None,
        typer.Option(
            "--index",
            "-i",
            help="Index to build: TYPE:COLUMN or TYPE:COLUMN(KEY=VALUE, ..), e.g. bitmap:status. "
            "Repeatable.",
            metavar="TYPE:COLUMN",
        ),
    ] = None,
    options: SetOptions = None,
    schema: Columns = None,
    schema_file: SchemaFile = None,
    overwrite: Overwrite = False,
    form: Format = Form.TEXT,
) -> None:
    """Build the file index of a data file.

    The bytes equal those that Paimon's Java library writes. Without a schema,
    the types come from the data file, which does not distinguish CHAR from
    STRING, or store the precision of each TIMESTAMP: pass a schema for these.
    Without --index and --set, the options in the --schema-file determine the
    indexes.
    """
    import pyarrow as pa

    from paimon_ksy.data_files.open import columns_of, open_data_file, read_columns
    from paimon_ksy.file_index.builder import build_file_index
    from paimon_ksy.file_index.container import FileIndex
    from paimon_ksy.file_index.registry import INDEX_TYPES

    check_output(output, overwrite)
    index_options = _index_options(indexes or (), options or (), schema_file)
    types = read_schema(schema, schema_file)
    started = time.perf_counter()
    source = open_named(data_file)
    size = source.size
    with open_data_file(source) as file:
        names = list(dict.fromkeys(spec.column for spec in index_options.indexes))
        part = columns_of(file, data_file, names, types)
        types = Schema.from_arrow(part) if types is None else types
        # A build without rows is free, and finds errors before a big file is read.
        build_file_index(pa.Table.from_batches([], part), types, index_options)
        with steps() as shown:
            reading = shown.step("reading", file.num_rows, "rows")
            table = read_columns(file, data_file, part, reading.advance, types=types)
            # One step for each row and index.
            values = table.num_rows * len(index_options.indexes)
            indexing = shown.step("indexing values", values, "")
            data = build_file_index(table, types, index_options, on_progress=indexing.at)
    with new_file(output) as out:
        out.write(data)
    seconds = time.perf_counter() - started
    if output == "-":
        return
    with FileIndex.open(data) as index:
        facts = [
            BuiltIndex(column, kind, place.len_body)
            for column, kinds in index.places.items()
            for kind, place in kinds.items()
        ]
    show(Built(output, len(data), table.num_rows, seconds, facts), form)
    for fact in facts:
        if fact.bytes > size:
            takes_items = "items" in INDEX_TYPES[fact.index_type].options
            fits = "; items=distinct fits it to the file" if takes_items else ""
            note(f"the {fact.index_type} index on {fact.column!r} is larger than the data{fits}")


def _index_options(
    indexes: Sequence[str], options: Sequence[str], schema_file: str | None
) -> FileIndexOptions:
    """Return the indexes to build: from --index, --set, or the options in the schema file."""
    from paimon_ksy.file_index.builder import check_names
    from paimon_ksy.file_index.options import FileIndexOptions, parse_index_spec, parse_options

    if indexes and options:
        raise UsageError("--index and --set exclude each other")
    if indexes:
        return FileIndexOptions.of(map(parse_index_spec, indexes))
    if options:
        given = key_values("--set", options, "file-index.bitmap.columns=NAME")
        check_names(given)
        listed = parse_options(given)
        if not listed.indexes:
            raise UsageError("no --set lists columns: add --set file-index.bitmap.columns=NAME")
        return listed
    if schema_file is not None:
        table_options = schema_document(schema_file).get("options") or {}
        if isinstance(table_options, Mapping):
            listed = parse_options({str(k): str(v) for k, v in table_options.items()})
            if listed.indexes:
                return listed
    raise UsageError("name the indexes to build, such as --index bitmap:COLUMN")
