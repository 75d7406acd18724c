"""`paimon-ksy webide`."""

from __future__ import annotations

import os
import webbrowser
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Annotated

import typer

from paimon_ksy.cli.commands import cli_command
from paimon_ksy.cli.common import local, new_file
from paimon_ksy.cli.failures import UsageError, note
from paimon_ksy.cli.of_file import OfFile
from paimon_ksy.cli.options import Folder, Form, Format, Overwrite
from paimon_ksy.cli.output import print_json, print_lines
from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.inspection.web_ide import serve_web_ide
from paimon_ksy.io.file_kind import known_kind
from paimon_ksy.io.source import Source, open_source
from paimon_ksy.messages.answers import Answer

IDE = "PAIMON_KSY_WEBIDE"
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
    "webide orders.parquet.index --schema-file schema/schema-0 --open",
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
    imports: Annotated[
        bool,
        typer.Option(
            "--imports",
            help="Import the specs of a checkout, instead of writing all types into the .ksy.",
        ),
    ] = False,
    type_name: Annotated[
        str | None,
        typer.Option(
            "--type",
            help="Type in the specs that describes the file, e.g. 'binary_row(3)'.",
            metavar="TYPE",
        ),
    ] = None,
    show: Annotated[
        bool,
        typer.Option(
            "--open",
            help="Open the file in a local Web IDE, whose folder is in PAIMON_KSY_WEBIDE.",
        ),
    ] = False,
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

    ide = _ide_folder() if show else None
    if show and imports:
        raise UsageError("--imports and --open exclude each other: drop --open")
    with open_source(file) as source:
        kind, columns, vectors = of_file.facts(source)
        kind = kind if type_name else known_kind(source, kind)
        name = source.name.replace("\\", "/").rpartition("/")[2]
        made = entry_point(source, kind, columns, vectors, inline=not imports, spec=type_name)
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
