"""`paimon-ksy generate`."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Annotated

import typer

from paimon_ksy.cli.commands import cli_command
from paimon_ksy.cli.common import local
from paimon_ksy.cli.failures import UsageError, note
from paimon_ksy.cli.options import Form, Format, Output
from paimon_ksy.cli.output import print_json, print_lines
from paimon_ksy.errors import PaimonKsyError, counted
from paimon_ksy.messages.answers import Answer
from paimon_ksy.messages.install import how_to_install


@dataclass(frozen=True)
class Generated(Answer):
    """The folder of a generated package, its files, and what is left out of it, and why."""

    folder: str
    files: list[str]
    left_out: list[str]


@cli_command("generate specs -o myformat", "generate track.ksy -o track", answer=Generated)
def run(
    specs: Annotated[
        list[str],
        typer.Argument(
            help="Folders of .ksy files, or .ksy files, which may import others beside them.",
            metavar="SPECS",
        ),
    ],
    output: Output,
    form: Format = Form.TEXT,
) -> None:
    """Write readers and writers of your own formats.

    SPECS describe a binary format in the language of Kaitai Struct. The
    output is a Python package, which reads columns, writes bytes and draws
    test data. It needs paimon-ksy to run. The Kaitai compiler comes from npm:
    the first run needs node and the network, or the command
    kaitai-struct-compiler 0.11 on the PATH.
    """
    if output == "-":
        raise UsageError("a package has several files: name a folder")
    for package in ("ruamel", "ruff"):
        if find_spec(package) is None:
            message = f"the Python package {package!r} is missing"
            raise PaimonKsyError(message, remedy=how_to_install("generator"))
    from paimon_ksy.generator.compiler import CompilerMissing
    from paimon_ksy.generator.generate import in_the_way, render_all, write_files
    from paimon_ksy.generator.load import load_specs
    from paimon_ksy.generator.spec import SpecError

    missing: list[str] = []
    try:
        files = render_all(load_specs(*(local(spec).absolute() for spec in specs)), missing)
        if (other := in_the_way(files, local(output))) is not None:
            message = "exists, and was not generated: name another folder"
            raise UsageError(message, path=str(other))
        write_files(files, local(output))
    except SpecError as error:
        message = f"{error.path}{error.path and ': '}{error.message}"
        raise PaimonKsyError(message, path=error.file, remedy=error.remedy) from error
    except CompilerMissing as error:
        raise PaimonKsyError(str(error)) from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise PaimonKsyError(reason, path=error.filename or output) from error
    missing = [line.replace(": left out: ", ": ") for line in missing]
    for line in missing:
        note(f"left out: {line}")
    if form.is_json:
        print_json(Generated(output, sorted(files), missing))
    else:
        print_lines([[(f"{counted(len(files), 'file')} in {output}", "")]])
