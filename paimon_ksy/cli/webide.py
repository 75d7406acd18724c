"""`paimon-ksy webide`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from paimon_ksy.cli.commands import cli_command
from paimon_ksy.cli.common import local, new_file, open_named
from paimon_ksy.cli.failures import UsageError, note
from paimon_ksy.cli.of_file import OfFile
from paimon_ksy.cli.options import Folder, Form, Format, Overwrite
from paimon_ksy.cli.output import print_json, print_lines
from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.io.file_kind import known_kind
from paimon_ksy.io.source import Source
from paimon_ksy.messages.answers import Answer

_PUBLIC_IDE = "https://ide.kaitai.io"
_AT_ONCE = 1 << 24  # bytes


@dataclass(frozen=True)
class ForWebIde(Answer):
    """The two files for the Web IDE."""

    spec: str
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
    folder: Folder = None,
    type_name: Annotated[
        str | None,
        typer.Option(
            "--type",
            help="Type in the specs that describes the file, e.g. 'binary_row(3)'.",
            metavar="TYPE",
        ),
    ] = None,
    overwrite: Overwrite = False,
    form: Format = Form.TEXT,
) -> None:
    """Make a file readable in the Kaitai Web IDE.

    The IDE shows each value and row. The command writes a folder, by default
    FILE.webide, with the file and a .ksy for it, which needs no other file:
    drop both onto ide.kaitai.io. An index does not store the types of its
    columns, so pass a schema. Vectors and bucket indexes need none.
    """
    from paimon_ksy.inspection.entry_point import entry_point  # imports numpy

    with open_named(file) as source:
        kind, subject = of_file.subject(source)
        kind = kind if type_name else known_kind(source, kind)
        name = source.name.replace("\\", "/").rpartition("/")[2]
        made = entry_point(kind, subject, spec=type_name)
        folder_path = local(folder or f"{name}.webide")
        spec, data = folder_path / f"{name}.ksy", folder_path / name
        _make(folder_path)
        in_place = data.exists() and Path(source.name).exists() and data.samefile(source.name)
        for output in (spec,) if in_place else (spec, data):
            if output.exists() and not overwrite:
                message = "already exists: name another folder, or add --overwrite"
                raise UsageError(message, path=str(output))
        with new_file(str(spec), "w") as written:
            written.write(made.text)
        if not in_place:
            _copy(source, data)
    for message in made.notes:
        note(f"{file}: {message}")
    if form.is_json:
        print_json(ForWebIde(str(spec), str(data)))
        return
    print_lines([[(str(spec), "bold")], [(str(data), "bold")]])
    print_lines([[(f"1. Open {_PUBLIC_IDE} and drop both files onto it, all at once.", "")]])
    print_lines([[(f"2. In its file tree, click {data.name}, then {spec.name}.", "")]])


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
