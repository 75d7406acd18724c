"""What several commands do: read a schema, open a table, write a file."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from paimon_ksy.cli.failures import UsageError, tell_table
from paimon_ksy.errors import SchemaError, UnsupportedError
from paimon_ksy.io.source import Source, open_source
from paimon_ksy.io.urls import local_path
from paimon_ksy.io.whole_file import whole_file
from paimon_ksy.messages.commands import given_words
from paimon_ksy.messages.masking import is_secret, remember, remember_url
from paimon_ksy.types.schema import Schema

if TYPE_CHECKING:
    from paimon_ksy.table.store import Table


STDIN = "standard input"
"""The name of what - stands for, in messages."""
_MOST_PIPED = 1 << 28  # bytes of a pipe, which are kept in memory


def schema_document(schema_file: str) -> dict[str, Any]:
    """Return the JSON of a schema file.

    Raises:
        UsageError: The file cannot be read, or is not a schema.
    """
    try:
        document = json.loads(local(schema_file).read_bytes())
    except OSError as error:
        raise UsageError((error.strerror or str(error)).lower(), path=schema_file) from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"not JSON: {error}", path=schema_file) from None
    if not isinstance(document, dict):
        raise UsageError("not a schema file of Paimon: no JSON object", path=schema_file)
    return document


def read_schema(schema: str | None, schema_file: str | None) -> Schema | None:
    """Return the schema of the options --schema and --schema-file, None if neither is given."""
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
    """Return the local file that an option names.

    Raises:
        UsageError: It is a URL of another system.
    """
    path = local_path(name)
    if path is None:
        raise UsageError("name a file on this machine", path=name)
    return Path(path)


def open_input(name: str) -> Source:
    """Open a file to be read by range; - is standard input.

    Raises:
        PaimonKsyError: It cannot be opened, or more bytes come from a pipe than memory should hold.
    """
    if name != "-":
        return open_source(name)
    stream = sys.stdin.buffer
    if stream.seekable():
        source = open_source(stream)
    else:
        data = stream.read(_MOST_PIPED + 1)
        if len(data) > _MOST_PIPED:
            message = f"it is a pipe with more than {_MOST_PIPED:,} bytes: write them to a file"
            raise UnsupportedError(message, path=STDIN)
        source = open_source(data)
    source.name = STDIN
    return source


def check_output(output: str, force: bool) -> None:
    """Refuse an output that is a directory, or exists already."""
    path = local(output)
    if output == "-":
        raise UsageError("-: standard output is for the report; name a file")
    if path.is_dir():
        raise UsageError("is a directory; name a file in it", path=output)
    if path.is_file() and not force:
        raise UsageError("exists; choose another name, or overwrite it with --force", path=output)


@contextmanager
def new_file(output: str, mode: str = "wb") -> Iterator[IO[Any]]:
    """Open a file to write, which gets its name when all is written: it is whole or missing."""
    given = local(output)
    encoding = None if "b" in mode else "utf-8"
    if given.exists() and not given.is_file():  # a pipe or a device cannot be replaced
        with given.open(mode, encoding=encoding) as file:
            yield file
        return
    with whole_file(given.resolve(), mode, name=output) as file:
        yield file


_ENVIRONMENT = "PAIMON_KSY_CATALOG_"
_OF_CATALOG = ("warehouse", "uri", "metastore")


def catalog_options(given: Sequence[str], name: str) -> dict[str, str]:
    """Return the options of the environment, of files and of the command line.

    Args:
        given: The values of --catalog: KEY=VALUE or @FILE. They win over the environment, and
            KEY=VALUE over files.
        name: The table. If it is a path, a catalog of the environment does not apply.

    Raises:
        UsageError: If a file cannot be read, or an option is not understood.
    """
    options = {
        key.removeprefix(_ENVIRONMENT).lower().replace("__", ".").replace("_", "-"): value
        for key, value in os.environ.items()
        if key.startswith(_ENVIRONMENT)
    }
    if "/" in name or Path(name).exists():
        for key in _OF_CATALOG:
            options.pop(key, None)
    for option in given:
        if option.startswith("@"):
            options |= _options_of_file(option[1:])
    written = set()
    for option in given:
        key, equals, value = option.partition("=")
        if option.startswith("@"):
            continue
        if not equals or not key:
            raise UsageError(f"--catalog {option}: write it like warehouse=/data or @catalog.yaml")
        if key in written:
            raise UsageError(f"--catalog {key}: is given twice")
        written.add(key)
        options[key] = value
    return options


def _options_of_file(path: str) -> dict[str, str]:
    """Return the options of a YAML file such as pypaimon's paimon.yaml, or of KEY=VALUE lines."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError((error.strerror or str(error)).lower(), path=path) from None
    except UnicodeDecodeError:
        raise UsageError("not UTF-8 text", path=path) from None
    if Path(path).suffix in (".yaml", ".yml", ".json"):
        return _yaml(text, path)
    options = {}
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            key, equals, value = line.partition("=")
            if not equals or not key.strip():
                raise UsageError(f"line {number}: write it like warehouse=/data", path=path)
            options[key.strip()] = value.strip()
    return options


def _yaml(text: str, path: str) -> dict[str, str]:
    import yaml  # pypaimon's, without which there is no table to open

    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = "" if mark is None else f"line {mark.line + 1}: "
        raise UsageError(f"{where}not YAML", path=path) from None  # its text may be a secret
    plain = (str, int, float)
    if not isinstance(found, dict) or not all(isinstance(v, plain) for v in found.values()):
        raise UsageError("write a line KEY: VALUE for each option", path=path)
    texts = {True: "true", False: "false"}
    return {str(k): texts[v] if isinstance(v, bool) else str(v) for k, v in found.items()}


def open_table(name: str, catalog: Sequence[str] | None, master: str | None = None) -> Table:
    """Return the table that TABLE and --catalog name.

    Args:
        name: A path. With `warehouse`, `uri` or `metastore` among the options, a name in a catalog.
        catalog: The values of --catalog: options of the catalog, or of the path's file system.
        master: The Spark master that runs the command, if any. The workers of a remote one run in
            other folders, so paths are made absolute for it.

    Raises:
        UsageError: An option is not understood.
        PaimonKsyError: The table cannot be opened.
    """
    from paimon_ksy.table.store import Table

    options = catalog_options(catalog or (), name)
    for key, value in options.items():
        if is_secret(key):
            remember(value)
        remember_url(value)
    if master is not None and not master.startswith("local"):
        if "warehouse" in options:
            options["warehouse"] = _absolute(options["warehouse"])
        else:
            name = _absolute(name)
    table = Table.named(name, options)
    table.words = given_words(name, catalog or ())
    tell_table(table.words)
    return table


def _absolute(name: str) -> str:
    """Return the whole path of a folder on this machine; other names as they are."""
    path = local_path(name)
    return str(Path(path).absolute()) if path is not None and Path(path).is_dir() else name
