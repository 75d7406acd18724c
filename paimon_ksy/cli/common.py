"""Code that commands share: read a schema, open a file, write a file."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import IO, Any

from paimon_ksy.cli.failures import UsageError
from paimon_ksy.errors import MissingFileError, SchemaError, UnsupportedError, close_match
from paimon_ksy.io.source import Source, open_source
from paimon_ksy.io.urls import local_path
from paimon_ksy.io.whole_file import whole_file
from paimon_ksy.messages.commands import STDIN
from paimon_ksy.types.schema import Schema

STDOUT = "standard output"
"""The name in messages of the output -."""
_MOST_PIPED = 1 << 28  # bytes; the content of a pipe is kept in memory
_MOST_LISTED = 10_000  # files of a folder, to find one with a similar name
MOST_SCHEMA = 1 << 26
"""Characters that a schema file may have: a larger file is something else."""


def read_text(name: str, most: int = -1) -> str:
    """Return the text of a local file that an option names; - is standard input.

    With `most`, it is at most so many characters. Raises UsageError.
    """
    try:
        if name == "-":
            return sys.stdin.read(most)
        with local(name).open(encoding="utf-8") as file:
            return file.read(most)
    except OSError as error:
        raise UsageError((error.strerror or str(error)).lower(), path=name) from None
    except UnicodeDecodeError:
        raise UsageError("not UTF-8 text", path=name) from None


def parsed_json(data: bytes | str) -> Any:
    """Return the document that JSON describes. Raises ValueError."""
    try:
        return json.loads(data)
    except UnicodeDecodeError:
        raise ValueError("not JSON: it is not UTF-8 text") from None
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"not JSON: {error}") from None


def key_values(
    option: str,
    texts: Iterable[str] | None,
    example: str,
    is_key: Callable[[str], object] = lambda _: True,
) -> dict[str, str]:
    """Parse the values of an option, each KEY=VALUE, such as `example`.

    A key may contain `=`: it ends at the first one after which `is_key` accepts it.

    Raises:
        UsageError: A text is not KEY=VALUE, or a key is given twice.
    """
    values: dict[str, str] = {}
    for text in texts or ():
        key, equals, value = text.partition("=")
        ends = (match.start() for match in re.finditer("=", text))
        if (end := next((end for end in ends if is_key(text[:end].strip())), None)) is not None:
            key, value = text[:end], text[end + 1 :]
        key, value = key.strip(), value.strip()
        if not equals or not key:
            raise UsageError(f"{option} {text}: write it like {example}")
        if key in values:
            both = f"write {key}={values[key]},{value}"
            remedy = both if key.endswith(".columns") else "remove one"
            raise UsageError(f"{option} {key} is given twice: {remedy}")
        values[key] = value
    return values


def schema_document(schema_file: str) -> dict[str, Any]:
    """Return the JSON of a schema file. Raises UsageError."""
    text = read_text(schema_file, MOST_SCHEMA + 1)
    if len(text) > MOST_SCHEMA:
        message = f"not a schema file of Paimon: more than {MOST_SCHEMA:,} characters"
        raise UsageError(message, path=schema_file)
    try:
        document = parsed_json(text)
    except ValueError as error:
        raise UsageError(str(error), path=schema_file) from None
    if not isinstance(document, dict):
        raise UsageError("not a schema file of Paimon: no JSON object", path=schema_file)
    return document


def read_schema(schema: str | None, schema_file: str | None) -> Schema | None:
    """Return the schema from --schema or --schema-file; None without both."""
    if schema is not None and schema_file is not None:
        raise UsageError("--schema and --schema-file exclude each other")
    if schema is not None:
        return Schema.parse(schema)
    if schema_file is not None:
        try:
            return Schema.from_paimon_json(schema_document(schema_file))
        except SchemaError as error:
            raise SchemaError(str(error), path=schema_file) from error
    return None


def local(name: str) -> Path:
    """Return the path of the local file that an option names. Raises UsageError."""
    path = local_path(name)
    if path is None:
        raise UsageError("name a file on this machine", path=name)
    return Path(path)


def open_named(name: str) -> Source:
    """Open a file that the user named. Raises PaimonKsyError (see `suggesting`)."""
    with suggesting():
        return open_source(name)


@contextmanager
def suggesting() -> Iterator[None]:
    """Have an error about a missing file name the file beside it whose name is most alike."""
    try:
        yield
    except MissingFileError as error:
        path = None if error.path is None else local_path(error.path)
        if path is not None:
            with suppress(OSError):
                folder = islice(Path(path).parent.iterdir(), _MOST_LISTED)
                if near := close_match(Path(path).name, (each.name for each in folder)):
                    error.remedy = f"did you mean {str(Path(path).with_name(near))!r}?"
        raise


def open_input(name: str) -> Source:
    """Open a file for reads by range; - is standard input.

    Raises:
        PaimonKsyError: The file cannot be opened, or a pipe has more bytes than may be kept in
            memory.
    """
    if name != "-":
        return open_named(name)
    stream = sys.stdin.buffer
    if stream.seekable():
        source = open_source(stream)
    else:
        data = stream.read(_MOST_PIPED + 1)
        if len(data) > _MOST_PIPED:
            message = f"the pipe has more than {_MOST_PIPED:,} bytes: write them to a file first"
            raise UnsupportedError(message, path=STDIN)
        source = open_source(data)
    source.name = STDIN
    return source


_EXTENSIONS = {
    **{".parquet": "parquet", ".pq": "parquet", ".orc": "orc", ".arrow": "arrow"},
    **{".json": "json", ".jsonl": "json", ".ndjson": "json", ".csv": "csv"},
    **{".md": "markdown", ".markdown": "markdown"},
}


def form_of(output: str, among: Container[str], remedy: str) -> str:
    """Return the format that the extension of an output stands for. Raises UsageError."""
    form = _EXTENSIONS.get(Path(output).suffix.lower())
    if form is None or form not in among:
        raise UsageError(f"unknown format: {remedy}", path=output)
    return form


def check_output(output: str, overwrite: bool) -> None:
    """Check the name of an output; - is standard output. Raises UsageError."""
    if output == "-":
        return
    path = local(output)
    if path.is_dir():
        raise UsageError("is a directory; name a file in it", path=output)
    if path.is_file() and not overwrite:
        message = "already exists: choose another name, or replace it with --overwrite"
        raise UsageError(message, path=output)


@contextmanager
def new_file(output: str, mode: str = "wb") -> Iterator[IO[Any]]:
    """Open a file for writing; it appears under its name only when it is complete.

    Standard output, -, is written directly.

    Raises:
        UsageError: Binary data would be written to a terminal.
    """
    if output == "-":
        if "b" in mode and sys.stdout.isatty():
            raise UsageError("standard output is a terminal: redirect it, or name a file")
        yield sys.stdout.buffer if "b" in mode else sys.stdout
        return
    given = local(output)
    encoding = None if "b" in mode else "utf-8"
    if given.exists() and not given.is_file():  # a pipe or a device cannot be replaced
        with given.open(mode, encoding=encoding) as file:
            yield file
        return
    with whole_file(given.resolve(), mode, name=output) as file:
        yield file
