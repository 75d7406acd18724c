"""What several commands do: read a schema, open a table, write a file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from paimon_ksy.cli.failures import UsageError
from paimon_ksy.errors import PaimonKsyError, SchemaError
from paimon_ksy.schema import Schema

if TYPE_CHECKING:
    from paimon_ksy.table.store import Table


def schema_document(schema_file: str) -> dict[str, Any]:
    """The JSON of a schema file. Raises UsageError."""
    try:
        document = json.loads(Path(schema_file).read_bytes())
    except OSError as error:
        raise UsageError(f"{schema_file}: {(error.strerror or str(error)).lower()}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{schema_file}: not JSON: {error}") from None
    if not isinstance(document, dict):
        raise UsageError(f"{schema_file}: not a schema file of Paimon: no JSON object")
    return document


def read_schema(schema: str | None, schema_file: str | None) -> Schema | None:
    """The schema of the options --schema and --schema-file, None if neither is given."""
    if schema is not None and schema_file is not None:
        raise UsageError("--schema and --schema-file say the same: give one of them")
    if schema is not None:
        return Schema.parse(schema)
    if schema_file is not None:
        try:
            return Schema.from_paimon_json(schema_document(schema_file))
        except SchemaError as error:
            raise SchemaError(f"{schema_file}: {error}") from error
    return None


def check_output(output: str, force: bool) -> None:
    """Refuse an output that is a directory, or is there already."""
    path = Path(output)
    if output == "-":
        raise UsageError("-: standard output is for what is told; name a file")
    if path.is_dir():
        raise UsageError(f"{output}: is a directory; name a file in it")
    if path.is_file() and not force:
        raise UsageError(f"{output}: exists; --force overwrites it")


@contextmanager
def new_file(output: str, mode: str = "wb") -> Iterator[IO[Any]]:
    """A file to write that gets its name when all is written: it is whole, or not there."""
    given = Path(output)
    encoding = None if "b" in mode else "utf-8"
    if given.exists() and not given.is_file():  # a pipe or a device cannot be replaced
        with given.open(mode, encoding=encoding) as file:
            yield file
        return
    path = given.resolve()
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open(mode.replace("w", "x"), encoding=encoding) as file:
            yield file
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        reason = (error.strerror or str(error)).lower()
        raise PaimonKsyError(f"{output}: cannot be written: {reason}") from error
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def open_table(name: str, catalog: Sequence[str] | None, master: str | None = None) -> Table:
    """The table that TABLE and --catalog name. Raises UsageError and PaimonKsyError.

    With `warehouse`, `uri` or `metastore` among the options the name is one of a catalog, else a
    path, and the options are those of its file system. Workers of another Spark than a local
    `master` are in other folders, so paths are whole there.
    """
    from paimon_ksy.table.store import Table

    options = {}
    for option in catalog or ():
        key, equals, value = option.partition("=")
        if not equals or not key:
            raise UsageError(f"--catalog {option}: write it like warehouse=/data")
        if key in options:
            raise UsageError(f"--catalog {key}: is given twice")
        options[key] = value
    if master is not None and not master.startswith("local"):
        if "warehouse" in options and Path(options["warehouse"]).is_dir():
            options["warehouse"] = str(Path(options["warehouse"]).absolute())
        elif Path(name).is_dir():
            name = str(Path(name).absolute())
    return Table.named(name, options)
