"""The command `ksykit`."""

from __future__ import annotations

import argparse
import csv
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from math import isfinite
from pathlib import Path
from time import sleep
from typing import IO, Any, TextIO

from . import __version__
from .display import printable

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130
_PAUSE = 0.3
"""Seconds between two looks at the specs that are watched."""
_SUFFIXES = ".parquet", ".csv", ".json", ".jsonl"


class _CommandError(Exception):
    """What ends a command: a line that names the cause and the remedy, and an exit code."""

    def __init__(self, message: str, code: int = FAILED) -> None:
        super().__init__(message)
        self.code = code


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return 0, 1 if it failed, 2 if it was called in a wrong way, 130 at Ctrl-C."""
    parser = _parser()
    given, rest = parser.parse_known_args(arguments)
    if len(rest) == 1 and rest[0][0] != "-" and given.run is _table and given.name is None:
        given.name = rest.pop()  # argparse takes no argument behind options after FILE..
    if rest:
        parser.error(f"unrecognized arguments: {printable(' '.join(rest))}")
    try:
        return int(given.run(given))
    except _CommandError as error:
        _say(f"error: {error}", sys.stderr)
        return error.code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # who reads what is printed has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED


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
    _add_import_path(made)
    what = "the folder of the package"
    made.add_argument("-o", "--output", required=True, metavar="FOLDER", type=Path, help=what)
    what = "also write the readers of Kaitai's compiler to this folder, to compare with"
    made.add_argument("--kaitai", metavar="FOLDER", type=Path, help=what)
    what = "write nothing; exit with 1 if a file of the package is not what the specs give"
    way = made.add_mutually_exclusive_group()
    way.add_argument("--check", action="store_true", help=what)
    what = "write the package again whenever a spec changes, until Ctrl-C"
    way.add_argument("--watch", action="store_true", help=what)
    made.add_argument("--json", action="store_true", help="print the answer as JSON")
    made.set_defaults(run=_generate)
    for run in (_show, _table, _dump, _assemble, _map):
        _add_reader(commands, run)
    return parser


def _add_import_path(command: argparse.ArgumentParser) -> None:
    what = "a folder of specs that others import as /NAME; may be given several times"
    command.add_argument(
        "-I", "--import-path", action="append", default=[], metavar="FOLDER", type=Path, help=what
    )


def _add_reader(commands: Any, run: Callable[[argparse.Namespace], int]) -> None:
    """Add a command that reads a file by a spec alone."""
    name, what = run.__name__[1:], (run.__doc__ or "").rstrip(".")
    made = commands.add_parser(name, help=f"{what[0].lower()}{what[1:]}", description=f"{what}.")
    if name == "table":
        made.add_argument("files", nargs="+", metavar="FILE", help="files, folders or patterns")
        what = "a table, by its path or last name; without it, tables are listed"
        made.add_argument("name", nargs="?", metavar="NAME", help=what)
        what = "columns, with commas between them"
        made.add_argument("--columns", metavar="A,B", type=lambda text: text.split(","), help=what)
        made.add_argument("--limit", metavar="N", type=_number, help="show or write only N rows")
        what = "leave out files that do not fit, print a line for each, and exit with 1"
        made.add_argument("--collect", action="store_true", help=what)
    else:
        made.add_argument("file", metavar="JSON" if name == "assemble" else "FILE", type=Path)
    made.add_argument("--spec", required=True, metavar="SPEC", type=Path, help="the .ksy file")
    _add_import_path(made)
    made.add_argument("--type", help="the type of the file; by default the outermost one")
    if name in ("table", "assemble"):
        what = "the file to write" + ": .parquet, .csv, .json or .jsonl" * (name == "table")
        is_needed = name == "assemble"
        made.add_argument(
            "-o", "--output", metavar="FILE", type=Path, required=is_needed, help=what
        )
    if name == "show":
        what = "how deep objects are shown; by default 4"
        made.add_argument("--depth", metavar="N", type=_number, default=4, help=what)
    if name == "map":
        made.add_argument("--start", metavar="N", type=_number, default=0, help="the first byte")
        made.add_argument("--length", metavar="N", type=_number, help="how many bytes")
    made.set_defaults(run=run)


def _number(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 up")
    return int(text)


_ABOUT = "Write readers and writers of binary formats, which .ksy files describe."
_OF_GENERATE = (
    "The package needs ksykit to run. Kaitai's compiler comes from npm: --kaitai needs node, and "
    "at first the network, or the command kaitai-struct-compiler 0.11 on the PATH."
)


def _generate(given: argparse.Namespace) -> int:
    """Write a package, or with `--watch` one after the other."""
    from .opening import need

    with _refusals(given.specs[0]):
        need("generator", "jinja2", "ruamel", "ruff")
    asked: set[Path] = set()
    if not given.watch:
        return _write(given, asked)
    before = None
    while True:
        if (now := _changes(given.specs, asked)) != before:
            try:
                _write(given, asked)
            except _CommandError as error:
                if error.code == USAGE:
                    raise
                _say(f"error: {error}", sys.stderr)
            sys.stdout.flush()
            before = _changes(given.specs, asked) | now
        sleep(_PAUSE)


def _changes(specs: Sequence[Path], asked: Iterable[Path]) -> dict[Path, tuple[int, ...]]:
    """Return what changes with each spec that is in folders, or was asked for."""
    every, found = [*asked], dict[Path, tuple[int, ...]]()
    for path in specs:
        every += [path] if path.suffix == ".ksy" else path.glob("*.ksy")
    for file in {path.absolute() for path in every}:
        with suppress(OSError):
            state = file.stat()
            found[file] = state.st_mtime_ns, state.st_size, state.st_ino
    return found


def _write(given: argparse.Namespace, asked: set[Path]) -> int:
    """Write a package, or compare one; add the specs to `asked`."""
    missing: list[str] = []
    rendered = _rendered(given, missing, asked)
    from .generator.generate import differing, in_the_way, write_files

    missing = [line.replace(": left out: ", ": ") for line in missing]
    changed: list[Path] = []
    with _refusals(given.output):
        for out, files in rendered.items():
            if given.check:
                changed += [out / name for name in differing(files, out)]
            elif (other := in_the_way(files, out)) is not None:
                message = f"{other}: exists, and was not generated: name another folder"
                raise _CommandError(message, USAGE)
        for out, files in rendered.items() if not given.check else ():
            write_files(files, out)
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


def _rendered(
    given: argparse.Namespace, missing: list[str], asked: set[Path]
) -> Mapping[Path, Mapping[str, str]]:
    """Return the files by folder and path; add what is left out to `missing`."""
    from .generator.generate import render_all, render_kaitai
    from .generator.load import load_specs

    with _refusals(given.specs[0]):
        paths, import_path = (
            [path.absolute() for path in paths] for paths in (given.specs, given.import_path)
        )
        specs = load_specs(*paths, import_path=import_path, asked=asked)
        rendered = {given.output: render_all(specs, missing)}
        if given.kaitai is not None:
            rendered[given.kaitai] = render_kaitai(specs)
    return rendered


@contextmanager
def _refusals(path: Any) -> Iterator[None]:
    """Raise _CommandError for what the system or a spec refuses, or a package that is missing."""
    from .generator.compiler import CompilerMissing
    from .generator.spec import SpecError

    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise _CommandError(f"{error.filename or path}: {reason}") from error
    except (SpecError, CompilerMissing, ModuleNotFoundError) as error:
        raise _CommandError(str(error)) from error


# --- Files that are read by a spec alone ---


@contextmanager
def _failures(path: Any) -> Iterator[None]:
    """Raise _CommandError for what is wrong with a file, a spec, a package or a name."""
    try:
        with _refusals(path):
            yield
    except (ValueError, RecursionError) as error:
        place = "" if getattr(error, "file", "") else f"{path}: "
        raise _CommandError(f"{place}{error or type(error).__name__}") from error


def _type(given: argparse.Namespace) -> Any:
    from .opening import loaded

    with _failures(given.spec):
        found = loaded(given.spec, given.type, given.import_path)
        if found.params:
            raise ValueError(f"{found.name} has parameters: name another type, by --type")
        return found


def _print(given: argparse.Namespace, lines: Callable[[Any], str]) -> int:
    """Print the lines that show an opened file."""
    from .opening import Opened

    with _failures(given.file), Opened(given.file, _type(given)) as one:
        for line in lines(one).splitlines():
            _say(line)
    return DONE


def _show(given: argparse.Namespace) -> int:
    """Show the fields and values of a file."""
    return _print(given, lambda one: str(one.tree(given.depth)))


def _dump(given: argparse.Namespace) -> int:
    """Print a file as JSON, without loss."""
    return _print(given, lambda one: json.dumps(one.json(), indent=1))


def _assemble(given: argparse.Namespace) -> int:
    """Write the file that `dump` printed as JSON."""
    from .runtime.objects import parts_from_json
    from .runtime.types import WRONG, type_named

    package = _type(given).package
    with _failures(given.file):
        doc = json.loads(given.file.read_bytes())
        try:
            data = parts_from_json(doc, lambda name: type_named(package, name))
        except WRONG as error:  # keys that are missing, or values of other kinds
            if isinstance(error, ValueError):
                raise
            raise ValueError(f"is not the JSON of a dump: {error!r:.100}") from error
    with _failures(given.output):
        _replace(given.output, lambda file: file.write(data))
    _say(f"{len(data):,} bytes in {given.output}")
    return DONE


def _map(given: argparse.Namespace) -> int:
    """Show the bytes of each field."""
    from .io import open_source
    from .opening import leaves, short

    with _failures(given.file), open_source(given.file) as source:
        at, size, rows = given.start, source.size, list[tuple[int, int, str]]()
        until = size if given.length is None else min(at + given.length, size)
        for leaf in leaves(source, _type(given), {}, at, until):
            rows += [(at, leaf.start, "no field")] if leaf.start > at else []
            rows.append((leaf.start, leaf.end, f"{leaf.path} = {short(leaf.value)}"))
            at = max(at, leaf.end)
        rows += [(at, until, "no field")] if until > at else []
        for start, end, text in rows:
            few = min(end - start, 8)
            data = source.read(start, few).hex(" ") + " .." * (end - start > few)
            _say(f"{start:{len(str(size))}}  {data:26}  {text}")
    return DONE


def _table(given: argparse.Namespace) -> int:
    """List the repeats of files, or show or write one as a table."""
    from .opening import Dataset, files_of
    from .tables import places

    if given.output is not None and given.output.suffix not in _SUFFIXES:
        message = f"{given.output}: is not named as one of {', '.join(_SUFFIXES)}"
        raise _CommandError(message, USAGE)
    type_ = _type(given)
    with _failures(given.files[0]):
        last = given.files[-1]
        if given.name is None and given.files[1:]:
            is_table = any(f".{path}".endswith(f".{last}") for path in places(type_))
            if is_table or not (files_of(last) or Path(last).exists()):
                given.name = given.files.pop()
        files = Dataset(files_of(given.files) or (), type_)
        if given.name is None:
            _print_rows([("table", "rows"), *files.tables.items()])
            return DONE
        table = files.table(
            given.name, given.columns, errors="collect" if given.collect else "raise"
        )
        if list(files.files) == given.files[:1]:
            table = table.drop_columns(table.column_names[:1])
    for error in files.errors:
        _say(f"left out: {error}", sys.stderr)
    limit = given.limit if given.output or given.limit is not None else 20
    rows = table if limit is None else table.slice(0, limit)
    if given.output is not None:
        with _failures(given.output):
            _replace(given.output, lambda file: _write_table(rows, given.output.suffix, file))
        _say(f"{len(rows):,} rows in {given.output}")
    else:
        _print_rows(
            [rows.column_names, *([*map(_cell, row.values())] for row in _plain_rows(rows))]
        )
        if len(rows) < len(table):
            _say(f"{len(rows):,} of {len(table):,} rows")
    return FAILED if files.errors else DONE


def _print_rows(rows: Sequence[Sequence[Any]]) -> None:
    """Print cells in columns, numbers to the right."""
    columns = [[printable(str(cell)) for cell in column] for column in zip(*rows, strict=True)]
    for i, column in enumerate(columns):
        side = ">" if type(rows[-1][i]) in (int, float) else "<"
        columns[i] = [f"{text:{side}{max(map(len, column))}}" for text in column]
    for line in zip(*columns, strict=True):
        _say("  ".join(line).rstrip())


def _cell(value: Any) -> Any:
    """Return a value of JSON as a cell."""
    if type(value) in (int, float, str):
        text = str(value)
        return value if len(text) <= 60 else f"{text[:29]}..{text[-29:]}"
    return "" if value is None else _cell(json.dumps(value))


def _plain(value: Any) -> Any:
    """Return a value as JSON: bytes as hexadecimal digits, floats that are no numbers as text."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, bytes):
        return value.hex()
    return str(value) if isinstance(value, float) and not isfinite(value) else value


def _plain_rows(table: Any) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table as JSON."""
    for batch in table.to_batches(10_000):
        yield from map(_plain, batch.to_pylist())


def _write_table(table: Any, suffix: str, file: IO[bytes]) -> None:
    """Write a table in the format that a name has which ends so."""
    if suffix == ".parquet":
        from pyarrow import ArrowNotImplementedError
        from pyarrow.parquet import write_table

        try:
            write_table(table, file)
        except ArrowNotImplementedError as error:
            raise ValueError(f"Parquet cannot store it: {error}") from error
        return
    text = TextIOWrapper(file, "utf-8", newline="", write_through=True)
    if suffix == ".csv":
        lines = csv.writer(text)
        lines.writerow(table.column_names)
        for row in _plain_rows(table):
            cells = row.values()
            lines.writerow([json.dumps(x) if isinstance(x, dict | list) else x for x in cells])
    elif suffix == ".jsonl":
        text.writelines(f"{json.dumps(row)}\n" for row in _plain_rows(table))
    else:
        before = "["
        for row in _plain_rows(table):
            text.write(before + json.dumps(row))
            before = ",\n"
        text.write("]\n" if len(table) else "[]\n")
    text.detach()


def _replace(path: Path, write: Callable[[IO[bytes]], Any]) -> None:
    """Write a file beside another, and put it in its place. Raises OSError."""
    path = path.resolve()
    if path.exists() and not path.is_file():
        raise OSError(0, "is not a regular file", str(path))
    if not path.parent.is_dir():
        raise OSError(0, "its folder does not exist", str(path))
    os.umask(mask := os.umask(0o077))
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~mask
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".ksykit-", delete=False) as file:
        try:
            write(file)
            file.close()
            Path(file.name).chmod(mode)
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
