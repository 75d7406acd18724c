"""`paimon-ksy dv`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paimon_ksy.cli.commands import cli_command
from paimon_ksy.cli.common import check_output, form_of, new_file, open_named, read_text
from paimon_ksy.cli.failures import UsageError, complain
from paimon_ksy.cli.findings import findings_node
from paimon_ksy.cli.options import (
    DataFile,
    Form,
    Format,
    Given,
    OptionalOutput,
    Output,
    Overwrite,
)
from paimon_ksy.cli.output import print_json, print_lines, print_tree
from paimon_ksy.cli.row_forms import writing
from paimon_ksy.cli.sections import show
from paimon_ksy.cli.verify import Verified
from paimon_ksy.errors import ExitCode, UnsupportedError
from paimon_ksy.io.file_kind import VECTORS
from paimon_ksy.messages.answers import Answer
from paimon_ksy.messages.findings import ERROR
from paimon_ksy.table.model.columns import cast_to

if TYPE_CHECKING:
    import pyarrow as pa

    from paimon_ksy.cli.vectors import ShownVectors
    from paimon_ksy.table_index.deletion_vector import DeletionVector
    from paimon_ksy.table_index.vector_bytes import Bits

PositionBits = Annotated[
    int | None,
    typer.Option(
        "--bits",
        help="Bits of a position: 32 or 64.  [default: 32, or for merge, those of the vectors]",
    ),
]
NoVerify = Annotated[
    bool,
    typer.Option("--no-verify", help="Skip the checks of version and CRC, like Java."),
]
_PLACE = "FILE[:OFFSET[:LENGTH]]"
_ARGUMENT: Any = typer.Argument(
    help=f"{_PLACE}: offset and length as in the index manifest.", metavar=_PLACE
)
Vector = Annotated[str, _ARGUMENT]
Vectors = Annotated[list[str], _ARGUMENT]


@dataclass(frozen=True)
class ShownFiles(Answer):
    """The vectors of files."""

    files: list[ShownVectors]


@cli_command("dv show index-1f2e-0", "dv show index-1f2e-0:1:22", answer=ShownFiles)
def run_show(files: Vectors, form: Format = Form.TEXT) -> None:
    """Show the vectors of files: their places and the rows that they delete.

    The command finds all vectors in a file without the table. It reports
    wrong CRCs, and then exits with 1. --format json has all ranges of rows.
    """
    from paimon_ksy.cli.vectors import shown_vectors

    shown = [shown_vectors(text) for text in files]
    if form.is_json:
        print_json(ShownFiles(shown))
    else:
        for one in shown:
            show(one, form)
    wrong = [error for one in shown for error in one.errors]
    for error in wrong:
        complain(error)
    if wrong:
        raise typer.Exit(ExitCode.ERROR)


@dataclass(frozen=True)
class VerifiedFiles(Answer):
    """The files that were verified."""

    files: list[Verified]


@cli_command(
    "dv verify index/index-*", "dv verify index-1f2e-0 --format json", answer=VerifiedFiles
)
def run_verify(files: Vectors, form: Format = Form.TEXT) -> None:
    """Check whole files: version, sizes, CRCs, and each Roaring bitmap down to its values.

    The command makes the checks of verify, for several files. The exit code
    is 3 if a file is corrupt.
    """
    from paimon_ksy.cli.vectors import parse_vector_argument
    from paimon_ksy.inspection.verify import verify

    results: list[Verified] = []
    for name in files:
        place = parse_vector_argument(name)
        findings = verify(place.path, kind=VECTORS.id, offset=place.offset, length=place.length)
        results.append(Verified(name, VECTORS.id, findings))
        if not form.is_json:
            print_tree(findings_node(name, VECTORS.name, findings))
    if form.is_json:
        print_json(VerifiedFiles(results))
    if any(finding.severity == ERROR for each in results for finding in each.findings):
        raise typer.Exit(ExitCode.FINDINGS)


@dataclass(frozen=True)
class Applied(Answer):
    """The number of live rows in a data file; `output` is null if no file was written."""

    rows: int
    deleted_rows: int
    live_rows: int
    output: str | None


@cli_command(
    "dv apply index-1f2e-0:1:22 data.parquet",
    "dv apply index-1f2e-0:1:22 data.parquet -o live.parquet",
    answer=Applied,
)
def run_apply(
    vector: Vector,
    data_file: DataFile,
    output: OptionalOutput = None,
    no_verify: NoVerify = False,
    overwrite: Overwrite = False,
    form: Format = Form.TEXT,
) -> None:
    """Count the live rows of a data file, or write them to another file.

    The name of the output must end with .parquet, .orc or .arrow.
    """
    from paimon_ksy.cli.vectors import naming_vector, one_vector
    from paimon_ksy.data_files.open import open_data_file

    format_ = ""
    if output is not None:
        endings = "end its name with .parquet, .orc or .arrow"
        format_ = form_of(output, ("parquet", "orc", "arrow"), endings)
        check_output(output, overwrite)
    deleting = one_vector(vector, verify=not no_verify)
    rows = live = 0
    with open_data_file(open_named(data_file)) as file, ExitStack() as outputs:
        write: Callable[[pa.RecordBatch], object] = lambda batch: None  # noqa: E731
        if output is not None:
            written = outputs.enter_context(new_file(output))
            write = outputs.enter_context(writing(written, format_, file.schema))
        names = file.schema.names if output is not None else file.schema.names[:1]

        def counting() -> Iterator[pa.RecordBatch]:
            nonlocal rows
            for batch in file.batches(names):
                rows += batch.num_rows
                yield batch

        with naming_vector(vector):
            for batch in deleting.apply_to_batches(counting()):
                live += batch.num_rows
                try:
                    write(batch if output is None else cast_to(batch, file.schema, data_file))
                except UnsupportedError as error:
                    error.remedy = "to count its live rows, leave out --output"
                    raise
    if output is None and Given.quiet and not form.is_json:
        print_lines([[(str(live), "bold")]])
    else:
        show(Applied(rows, rows - live, live, output), form, vector)


@dataclass(frozen=True)
class WrittenVector(Answer):
    """The vector that was written."""

    output: str
    bytes: int
    bits: int
    byte: int
    length: int
    rows: int


@cli_command(
    "dv merge a.dv b.dv -o both.dv", "dv merge a.dv:1 b.dv:31 -o both.dv", answer=WrittenVector
)
def run_merge(
    vectors: Vectors,
    output: Output,
    bits: PositionBits = None,
    overwrite: Overwrite = False,
    form: Format = Form.TEXT,
) -> None:
    """Write a file with one vector, which deletes all rows that the given ones delete.

    Without --bits, the result has 64 bits if one of the vectors has.
    """
    from paimon_ksy.cli.vectors import one_vector
    from paimon_ksy.table_index.deletion_vector import DeletionVector

    check_output(output, overwrite)
    asked = _bits(bits)
    merged = DeletionVector()
    for each in vectors:
        merged = merged | one_vector(each)
    _write(output, merged if asked is None else merged.to_bits(asked), form)


@cli_command(
    "dv create --positions '3, 10-19' -o new.dv",
    "dv create --positions-file rows.txt --bits 64 -o new.dv",
    answer=WrittenVector,
)
def run_create(
    output: Output,
    positions: Annotated[
        str | None,
        typer.Option(
            "--positions",
            "-p",
            help="Rows, e.g. '3, 10-19'; ranges include both ends.",
            metavar="ROWS",
        ),
    ] = None,
    positions_file: Annotated[
        str | None,
        typer.Option(
            "--positions-file",
            help="Read the rows from a file; - is standard input.",
            metavar="FILE",
        ),
    ] = None,
    bits: PositionBits = None,
    overwrite: Overwrite = False,
    form: Format = Form.TEXT,
) -> None:
    """Write a file with one vector that deletes these rows, counted from 0."""
    from paimon_ksy.table_index.deletion_vector import DeletionVector

    check_output(output, overwrite)
    if (positions is None) == (positions_file is None):
        raise UsageError("pass either --positions or --positions-file")
    vector = DeletionVector(_bits(bits) or 32)
    single: list[int] = []
    text = read_text(positions_file) if positions_file is not None else positions or ""
    for item in re.sub(r"\s*-\s*", "-", text).replace(",", " ").split():
        match = re.fullmatch(r"(\d{1,20})(?:-(\d{1,20}))?", item)
        if match is None or (match[2] and int(match[2]) < int(match[1])):
            raise UsageError(f"{item[:40]!r} is not a position: write 3, or 10-19")
        if match[2]:
            vector = vector.add(range(int(match[1]), int(match[2]) + 1))
        else:
            single.append(int(match[1]))
    _write(output, vector.add(single), form)


def _bits(bits: int | None) -> Bits | None:
    if bits is None or bits == 32:
        return None if bits is None else 32
    if bits == 64:
        return 64
    raise UsageError(f"--bits {bits}: must be 32 or 64")


def _write(output: str, vector: DeletionVector, form: Form) -> None:
    from paimon_ksy.table_index.deletion_vector_file import join_vectors

    name = Path(output).name
    result, data = join_vectors(name, {name: vector.stored()})
    with new_file(output) as file:
        file.write(data)
    if output == "-":
        return
    (meta,) = result.vectors
    rows = vector.cardinality
    answer = WrittenVector(output, result.size, vector.bits, meta.offset, meta.length, rows)
    show(answer, form)
