"""The command `ksykit`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from . import __version__
from .display import printable

if TYPE_CHECKING:
    from .generator.spec import Spec

DONE, FAILED, USAGE = 0, 1, 2


class _CommandError(Exception):
    """What ends a command: a line that names the cause and the remedy, and an exit code."""

    def __init__(self, message: str, code: int = FAILED) -> None:
        super().__init__(message)
        self.code = code


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return 0, 1 if it failed, or 2 if it was called in a wrong way."""
    given = _parser().parse_args(arguments)
    try:
        return int(given.run(given))
    except _CommandError as error:
        _say(f"error: {error}", sys.stderr)
        return error.code


def _say(text: str, file: TextIO | None = None) -> None:
    """Print a line, with everything escaped that is not a character."""
    print(printable(text), file=file)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="ksykit", description=_ABOUT)
    parser.add_argument("--version", action="version", version=f"ksykit {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    what = "write a Python package that reads and writes the formats of .ksy files"
    made = commands.add_parser(
        "generate", help=what, description=f"{what[0].upper()}{what[1:]}.", epilog=_OF_GENERATE
    )
    what = "folders of .ksy files, or .ksy files, which may import others beside them"
    made.add_argument("specs", nargs="+", metavar="SPECS", type=Path, help=what)
    what = "a folder of specs that others import as /NAME; may be given several times"
    made.add_argument(
        "-I", "--import-path", action="append", default=[], metavar="FOLDER", type=Path, help=what
    )
    what = "the folder of the package"
    made.add_argument("-o", "--output", required=True, metavar="FOLDER", type=Path, help=what)
    what = "also write the readers of Kaitai's compiler to this folder, to compare with"
    made.add_argument("--kaitai", metavar="FOLDER", type=Path, help=what)
    what = "write nothing; exit with 1 if a file of the package is not what the specs give"
    made.add_argument("--check", action="store_true", help=what)
    made.add_argument("--json", action="store_true", help="print the answer as JSON")
    made.set_defaults(run=_generate)
    return parser


_ABOUT = "Write readers and writers of binary formats, which .ksy files describe."
_OF_GENERATE = (
    "The package needs ksykit to run. Kaitai's compiler comes from npm: --kaitai needs node, and "
    "at first the network, or the command kaitai-struct-compiler 0.11 on the PATH."
)


def _generate(given: argparse.Namespace) -> int:
    missing: list[str] = []
    rendered = _rendered(given, missing)
    from .generator.generate import differing, in_the_way, write_files

    missing = [line.replace(": left out: ", ": ") for line in missing]
    changed: list[Path] = []
    try:
        for out, files in rendered.items():
            if given.check:
                changed += [out / name for name in differing(files, out)]
            elif (other := in_the_way(files, out)) is not None:
                message = f"{other}: exists, and was not generated: name another folder"
                raise _CommandError(message, USAGE)
        for out, files in rendered.items() if not given.check else ():
            write_files(files, out)
    except OSError as error:
        raise _CommandError(_of_system(error, given.output)) from error
    for line in missing:
        _say(f"left out: {line}", sys.stderr)
    if given.json:
        answer: dict[str, Any] = {"folder": str(given.output)}
        answer |= {"files": sorted(rendered[given.output]), "left_out": missing}
        differ = [path.relative_to(given.output).as_posix() for path in changed]
        _say(json.dumps(answer | ({"differ": differ} if given.check else {})))
    elif given.check:
        for path in changed:
            _say(f"{path}: is not what the specs give")
    else:
        for out, files in rendered.items():
            _say(f"{len(files)} files in {out}")
    return FAILED if changed else DONE


def _rendered(given: argparse.Namespace, missing: list[str]) -> Mapping[Path, Mapping[str, str]]:
    """Return the files by folder and path; add what is left out to `missing`."""
    _need("generator", "jinja2", "ruamel", "ruff")
    from .generator.compiler import CompilerMissing
    from .generator.generate import render_all, render_kaitai
    from .generator.spec import SpecError

    specs = _loaded(given)
    try:
        rendered = {given.output: render_all(specs, missing)}
        if given.kaitai is not None:
            rendered[given.kaitai] = render_kaitai(specs)
        return rendered
    except (SpecError, CompilerMissing) as error:
        raise _CommandError(str(error)) from error


def _need(extra: str, *packages: str) -> None:
    """Check that the packages of an extra are installed."""
    for package in packages:
        if find_spec(package) is None:
            message = f"the Python package {package!r} is missing: install `ksykit[{extra}]`"
            raise _CommandError(message)


def _loaded(given: argparse.Namespace) -> Mapping[str, Spec]:
    """Return the specs that a command names."""
    from .generator.load import load_specs
    from .generator.spec import SpecError

    try:
        paths = [path.absolute() for path in given.specs]
        return load_specs(*paths, import_path=[path.absolute() for path in given.import_path])
    except SpecError as error:
        raise _CommandError(str(error)) from error
    except OSError as error:
        raise _CommandError(_of_system(error, given.specs[0])) from error


def _of_system(error: OSError, path: Path) -> str:
    return f"{error.filename or path}: {(error.strerror or str(error)).lower()}"
