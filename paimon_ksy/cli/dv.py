"""`paimon-ksy dv`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paimon_ksy.cli.commands import cli_command
from paimon_ksy.cli.common import check_output, form_of, new_file, open_named
from paimon_ksy.cli.failures import complain
from paimon_ksy.cli.options import (
    SETTINGS,
    DataFile,
    Form,
    Format,
    OptionalOutput,
    Overwrite,
)
from paimon_ksy.cli.output import print_answer, print_lines
from paimon_ksy.cli.row_forms import writing
from paimon_ksy.cli.sections import section_node, show
from paimon_ksy.errors import ExitCode, UnsupportedError
from paimon_ksy.messages.answers import Answer
from paimon_ksy.messages.sections import section_of
from paimon_ksy.table.model.columns import cast_to

if TYPE_CHECKING:
    import pyarrow as pa

    from paimon_ksy.cli.vectors import ShownVectors

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
    nodes = (section_node(section_of(vectors)) for vectors in shown)
    print_answer(ShownFiles(shown), form, (line for node in nodes for line in node.lines()))
    wrong = [error for vectors in shown for error in vectors.errors]
    for error in wrong:
        complain(error)
    if wrong:
        raise typer.Exit(ExitCode.ERROR)


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
    if output is None and SETTINGS.get().quiet and not form.is_json:
        print_lines([[(str(live), "bold")]])
    else:
        show(Applied(rows, rows - live, live, output), form, vector)
