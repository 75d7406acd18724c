"""`paimon-ksy dump` and `paimon-ksy assemble`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated

import typer
from ksykit.runtime.objects import no_collection

from paimon_ksy.cli.commands import cli_command
from paimon_ksy.cli.common import check_output, local, new_file, open_input, parsed_json
from paimon_ksy.cli.of_file import OfFile
from paimon_ksy.cli.options import (
    SETTINGS,
    File,
    Form,
    Format,
    OptionalOutput,
    Output,
    Overwrite,
)
from paimon_ksy.cli.output import write_json
from paimon_ksy.cli.sections import show
from paimon_ksy.display import hidden
from paimon_ksy.errors import CorruptFileError, PaimonKsyError
from paimon_ksy.inspection.json import assemble, dump_file
from paimon_ksy.messages.answers import Answer
from paimon_ksy.messages.commands import STDIN

_DUMP = "pass JSON that `paimon-ksy dump` prints: see `paimon-ksy dump --help`"
BIG = 1 << 20
"""Bytes of a file that takes a second or more, so that a terminal shows progress."""


@cli_command(
    "dump orders.parquet.index",
    "dump orders.parquet.index -s 'status STRING' -o orders.json",
)
def run_dump(
    file: File,
    of_file: OfFile,
    output: OptionalOutput = None,
    overwrite: Overwrite = False,
) -> None:
    """Print the whole content of a file as JSON.

    `assemble` turns it back into the same bytes. If the column types are
    known, the JSON shows indexes down to single values, and otherwise their
    bytes.
    """
    if output is not None:
        check_output(output, overwrite)
    with open_input(file) as source, _steps(source.size) as begin:
        kind, subject = of_file.subject(source)
        document = dump_file(source, subject.schema, kind=kind, on_step=begin)
        if output is not None:
            begin("writing JSON")
            with new_file(output, "w") as written:
                write_json(document, written.write)
                written.write("\n")
    if output is None:
        write_json(document, lambda text: sys.stdout.write(hidden(text)))
        sys.stdout.write("\n")


@dataclass(frozen=True)
class Written(Answer):
    """The file that was written."""

    output: str
    bytes: int


@cli_command(
    "assemble orders.json -o copy.index",
    "dump x.index | paimon-ksy assemble - -o copy.index",
    answer=Written,
)
def run_assemble(
    json_file: Annotated[
        str,
        typer.Argument(help="JSON that dump printed; - is standard input.", metavar="JSON_FILE"),
    ],
    output: Output,
    overwrite: Overwrite = False,
    form: Format = Form.TEXT,
) -> None:
    """Write the file that the JSON of a dump describes.

    The bytes are the same unless you edit the JSON. Counts, lengths and
    offsets that are missing or null are computed: after an edit, remove those
    that depend on it, or set them to null.
    """
    check_output(output, overwrite)
    name = STDIN if json_file == "-" else json_file
    text = sys.stdin.buffer.read() if json_file == "-" else local(json_file).read_bytes()
    with _steps(len(text)) as begin, no_collection():
        begin("reading JSON")
        try:
            document = parsed_json(text)
        except ValueError as error:
            raise CorruptFileError(str(error), path=name, remedy=_DUMP) from None
        begin("writing fields")
        try:
            data = assemble(document)
        except PaimonKsyError as error:
            raise PaimonKsyError(str(error), path=name) from error
    with new_file(output) as file:
        file.write(data)
    if output == "-":
        return
    show(Written(output, len(data)), form)


@contextmanager
def _steps(size: int) -> Iterator[Callable[[str], None]]:
    """Show progress on stderr, if that is a terminal and the file is large."""
    if SETTINGS.get().quiet or size < BIG or not sys.stderr.isatty():
        yield lambda step: None
        return
    from rich.console import Console

    with Console(stderr=True).status("") as status:
        yield status.update
