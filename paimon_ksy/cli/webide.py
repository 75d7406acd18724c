"""`paimon-ksy webide`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from paimon_ksy.cli.commands import cli_command
from paimon_ksy.cli.common import check_output, new_file, open_named
from paimon_ksy.cli.failures import note
from paimon_ksy.cli.of_file import OfFile
from paimon_ksy.cli.options import Form, Format, OptionalOutput, Overwrite
from paimon_ksy.cli.output import print_answer
from paimon_ksy.io.file_kind import known_kind
from paimon_ksy.messages.answers import Answer


@dataclass(frozen=True)
class ForWebIde(Answer):
    """The .ksy for the Web IDE, and the file that it describes."""

    output: str
    file: str


@cli_command(
    "webide orders.parquet.index -s 'status STRING'",
    "webide index/index-1f2e-0 --table warehouse/default.db/orders",
    answer=ForWebIde,
)
def run(
    file: Annotated[
        str,
        typer.Argument(
            help="Path or URL of a file index, of deletion vectors, of a bucket index, or of a "
            "Parquet or ORC file.",
            metavar="FILE",
        ),
    ],
    of_file: OfFile,
    type_name: Annotated[
        str | None,
        typer.Option(
            "--type",
            help="Type in the specs that describes the file, e.g. 'binary_row(3)'.",
            metavar="TYPE",
        ),
    ] = None,
    output: OptionalOutput = None,
    overwrite: Overwrite = False,
    form: Format = Form.TEXT,
) -> None:
    """Make a file readable in the Kaitai Web IDE.

    The IDE shows each value and row. The command writes a .ksy for the file,
    by default FILE.ksy in this folder, which needs no other file: drop both
    onto ide.kaitai.io. An index does not store the types of its columns, so
    pass a schema. Vectors and bucket indexes need none.
    """
    from paimon_ksy.inspection.entry_point import entry_point  # imports numpy

    with open_named(file) as source:
        name = source.name.replace("\\", "/").rpartition("/")[2]
        output = output or f"{name}.ksy"
        check_output(output, overwrite)
        kind, subject = of_file.subject(source)
        kind = kind if type_name else known_kind(source, kind)
        made = entry_point(kind, subject, spec=type_name)
        with new_file(output, "w") as written:
            written.write(made.text)
    for message in made.notes:
        note(f"{file}: {message}")
    if output == "-":
        return
    steps = f"open https://ide.kaitai.io, drop {name} and this file onto it at once, and click both"
    print_answer(ForWebIde(output, file), form, [[(output, "bold"), (f": {steps}", "")]])
