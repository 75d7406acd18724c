"""Open pypaimon's tables from a folder or a catalog."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from paimon_ksy.errors import (
    AccessError,
    PaimonKsyError,
    UnsupportedError,
    first_line,
    is_denied,
)
from paimon_ksy.io.urls import is_local, local_path
from paimon_ksy.messages.commands import table_command, table_words
from paimon_ksy.table.store.endpoints import check_endpoints
from paimon_ksy.table.store.errors import pypaimon_module
from paimon_ksy.table.store.metadata_checks import check_documents, check_metadata
from paimon_ksy.table.store.near_names import no_table_at, no_table_of
from paimon_ksy.table.store.opened import Opened, file_io_of

_NOT_OPEN = "cannot open a Paimon table there"


def plain_path(path: str | os.PathLike[str]) -> str:
    """Return a path or URL in pypaimon's form: a plain path if it is on this machine."""
    name = os.fspath(path)
    return local_path(name) or name


def _absolute(path: str) -> str:
    """Return a path or URL for any folder to work in, such as that of a worker of Spark.

    Besides, pypaimon may mistake a relative path with a colon for a URL.
    """
    path = plain_path(path)
    return str(Path(path).absolute()) if is_local(path) else path


def open_folder(path: str, options: Mapping[str, str]) -> Opened:
    """Return the table in a folder.

    Args:
        path: A path that `plain_path` returned.
        options: The options of the file system.

    Raises:
        PaimonKsyError: There is no table, or it cannot be read.
    """
    if not is_local(path):
        check_endpoints(options, path)
    check_documents()
    try:
        found = Opened.at(_absolute(path).rstrip("/"), options)
    except PaimonKsyError:
        raise
    except Exception as error:  # pypaimon and file systems raise all kinds
        if is_denied(error):
            raise AccessError.of(path) from error
        reason = _with_cause(error)
        if reason.startswith("Unrecognized filesystem type"):
            reason += "; pypaimon reads tables of local folders, s3://, oss://, gs:// and hdfs://"
        elif isinstance(error, ImportError):
            reason += "; install that package to read tables at such URLs"
        raise PaimonKsyError(f"{_NOT_OPEN}: {reason}", path=path) from error
    if found is None:
        reason = no_table_at(path, file_io_of(path, options).exists)
        raise PaimonKsyError(f"{_NOT_OPEN}: {reason}", path=path)
    return found


def open_of_catalog(options: Mapping[str, str], identifier: str) -> Opened:
    """Return a table in a catalog.

    Args:
        options: pypaimon's options of the catalog.
        identifier: `database.name`, or `database.name$branch_b` for its branch b.

    Raises:
        PaimonKsyError: There is no such table, or the catalog cannot be read.
    """
    check_endpoints(options)
    name, *parts = identifier.split("$")
    if parts and not parts[-1].startswith("branch_"):
        own = "$".join((name, *parts[:-1]))
        look = table_command("inspect", table=table_words(own, options))
        message = f"system tables are unsupported; inspect the table {own} instead: {look}"
        raise UnsupportedError(message, path=identifier)
    check_metadata()
    create = pypaimon_module("catalog.catalog_factory").CatalogFactory.create
    table_class = pypaimon_module("table.file_store_table").FileStoreTable
    if options.get("uri", "").startswith(("http://", "https://")):
        options = {"metastore": "rest", **options}
    if "warehouse" in options and options.get("metastore") != "rest":
        options = {**options, "warehouse": _absolute(options["warehouse"])}
    catalog = None
    try:
        catalog = create(dict(options))
        if hasattr(catalog, "get_table_path"):  # pypaimon would wait for a pipe in its folder
            named = pypaimon_module("common.identifier").Identifier.from_string(identifier)
            path = plain_path(catalog.get_table_path(named))
            Opened(catalog.file_io, named, path, None).latest_schema()
        found = catalog.get_table(identifier)
        if not isinstance(found, table_class):
            kind = type(found).__name__.removesuffix("Table").lower()
            raise UnsupportedError(
                f"a table of type {kind} has no snapshots or indexes of Paimon", path=identifier
            )
        if (path := _absolute(found.table_path)) != found.table_path:
            parts_of = found.identifier, path, found.table_schema, found.catalog_environment
            found = type(found)(found.file_io, *parts_of)
        return Opened.of(found)
    except PaimonKsyError:
        raise
    except Exception as error:  # as above
        if identifier.count(".") != 1 or "/" in identifier:
            raise PaimonKsyError(
                "not the name of a table in a catalog: write DATABASE.TABLE, or give a "
                "path without warehouse, uri and metastore",
                path=identifier,
            ) from error
        reason = no_table_of(catalog, identifier) if "NotExist" in type(error).__name__ else ""
        line = first_line(error)  # without words, it is a key or the like
        reason = reason or (line if " " in line else f"{type(error).__name__}: {line}")
        raise PaimonKsyError(
            f"cannot be loaded from the catalog: {reason}", path=identifier
        ) from error


def pypaimon_options(options: Mapping[str, str]) -> dict[str, str]:
    """Return options of catalogs and file systems in pypaimon's spelling.

    Args:
        options: Options with keys in lower case, as Spark passes them.
    """
    config = pypaimon_module("common.options.config")
    kinds = config.CatalogOptions, config.OssOptions, config.S3Options
    options_of = [option for kind in kinds for option in vars(kind).values()]
    keys = [str(option.key()) for option in options_of if hasattr(option, "key")]
    known = {key.lower(): key for key in keys}
    return {known.get(key, key): value for key, value in options.items()}


def _with_cause(error: BaseException) -> str:
    """Return the line of an error, and that of its root cause."""
    line, cause = first_line(error), error
    while (further := cause.__cause__ or cause.__context__) is not None:
        cause = further
    began = first_line(cause)
    return line if began in line else f"{line}: {began}"
