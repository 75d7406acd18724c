"""Open tables from a folder or a catalog: what reading needs, and pypaimon's table on first use."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Self

from paimon_ksy.errors import (
    AccessError,
    CorruptFileError,
    MissingFileError,
    PaimonKsyError,
    UnsupportedError,
    close_match,
    first_line,
    listed,
    none_of,
)
from paimon_ksy.io.urls import is_local, local_path
from paimon_ksy.messages.causes import chain, is_denied
from paimon_ksy.messages.commands import command, table_command, table_words
from paimon_ksy.table.io.servers import check_endpoints
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.documents import schema_document
from paimon_ksy.table.model.files import TableSchema
from paimon_ksy.table.store.errors import pypaimon_module, reading_schema
from paimon_ksy.types.data_type import GEOSPATIAL
from paimon_ksy.types.parse import type_from_json

_NOT_OPEN = "cannot open a Paimon table there"


def file_io_of(path: str, options: Mapping[str, str]) -> Any:
    """Return pypaimon's `FileIO` for a path or URL, with the options of the file system."""
    options_of = pypaimon_module("common.options").Options
    return pypaimon_module("common.file_io").FileIO.get(path, options_of(dict(options)))


@dataclass(frozen=True, eq=False)
class Opened:
    """An open table: its files, and its schema with the options of a catalog.

    An instance can be pickled; the copy has empty caches.

    Attributes:
        files: pypaimon's `FileIO`; of a folder of this machine, its options (see `file_io`).
        table_path: The folder.
        document: The schema (see `schema_document`) in which the table is read.
        branch: The name of the branch.
        identifier: The name in a catalog; None for a table that was opened by its path.
        environment: pypaimon's `CatalogEnvironment`, if a server or database knows the table.
    """

    files: Any
    table_path: str
    document: Mapping[str, Any]
    branch: str = "main"
    identifier: str | None = None
    environment: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        parts = self.files, self.table_path, self.document, self.branch
        return type(self), (*parts, self.identifier, self.environment)

    @cached_property
    def schema(self) -> TableSchema:
        """The schema in which the table is read."""
        return TableSchema.parse(json.dumps(self.document))

    @cached_property
    def file_io(self) -> Any:
        """The `FileIO` with which pypaimon reads and writes."""
        is_plain = isinstance(self.files, Mapping)
        return file_io_of(self.table_path, self.files) if is_plain else self.files

    @property
    def storage(self) -> Storage:
        """The files of the table, with no external paths yet."""
        files = None if isinstance(self.files, Mapping) else self.files
        return Storage.of(files, self.table_path)

    @property
    def folder(self) -> str:
        """The folder of the table or its branch that contains schema/, snapshot/ and tag/."""
        return folder_of(self.table_path, self.branch)

    @property
    def origin(self) -> tuple[str, dict[str, str]]:
        """The name and the options that open the table again, in another process."""
        is_plain = isinstance(self.files, Mapping)
        options = dict(self.files) if is_plain else self.files.properties.to_map()
        if self.identifier is None:
            return self.folder, options
        if self.environment is not None:
            options = self.environment.catalog_loader.context().options.to_map()
        return self.identifier, options

    @cached_property
    def pypaimon(self) -> Any:
        """The table object of pypaimon, whose import takes 0.6 s and 60 MB.

        It has no columns of types that pypaimon does not know.
        """
        schema_class = pypaimon_module("schema.table_schema").TableSchema
        fields = [*_for_pypaimon(self.document["fields"])]
        with reading_schema(f"{self.folder}/schema/schema-{self.document['id']}"):
            schema = schema_class.from_json(json.dumps({**self.document, "fields": fields}))
        branch = None if self.branch == "main" else self.branch
        identifier = pypaimon_module("common.identifier").Identifier(
            "default", "table", branch=branch
        )
        if self.environment is not None:
            identifier = self.environment.identifier
        table = pypaimon_module("table.file_store_table").FileStoreTable
        return table(self.file_io, identifier, self.table_path, schema, self.environment)

    def with_schema(self, document: Mapping[str, Any], options: Mapping[str, str]) -> Self:
        """Return the table in another schema, with these options."""
        return replace(self, document={**document, "options": dict(options)})

    def of_branch(self, name: str) -> Self:
        """Return the table in a branch.

        Raises:
            CorruptFileError: The branch has no schema.
        """
        folder = folder_of(self.table_path, name)
        document: Mapping[str, Any] | None = latest_schema(self.storage, folder)
        if document is None and name != "main":
            raise CorruptFileError("it is not a branch with a schema", path=folder)
        document = document or self.document
        options = {**document["options"], "branch": name}
        if "path" in self.document["options"]:
            options["path"] = self.document["options"]["path"]
        environment, identifier = self.environment, self.identifier
        if identifier is not None:
            identifier = identifier.partition("$")[0]
            identifier = identifier if name == "main" else f"{identifier}$branch_{name}"
        if environment is not None:
            named = environment.identifier
            branch = type(named).create(
                named.get_database_name(), named.get_table_name(), branch=name
            )
            environment = environment.copy(branch)
        changed = replace(self, branch=name, identifier=identifier, environment=environment)
        return changed.with_schema(document, options)


def folder_of(location: str, branch: str) -> str:
    """Return the folder that contains the metadata of a branch."""
    location = location.rstrip("/")
    return location if branch == "main" else f"{location}/branch/branch-{branch}"


def latest_schema(storage: Storage, folder: str) -> dict[str, Any] | None:
    """Return the latest schema of a table or branch; None if there is none."""
    if not (ids := storage.ids(f"{folder}/schema", "schema")):
        return None
    path = f"{folder}/schema/schema-{ids[-1]}"
    text = storage.read_json(path)
    with reading_schema(path):
        document = schema_document(text)
        TableSchema.parse(text)  # also checks the types of its columns
    return document


def _for_pypaimon(columns: Iterable[Mapping[str, Any]]) -> Iterable[Mapping[str, Any]]:
    """Yield the columns of types that pypaimon knows; GEOMETRY and GEOGRAPHY as BYTES."""
    for column in columns:
        kind = type_from_json(column["type"])
        if kind.root in GEOSPATIAL:
            yield {**column, "type": "BYTES" if kind.nullable else "BYTES NOT NULL"}
        elif kind.is_known:
            yield column


# A folder -------------------------------------------------------------------------------------


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
    """Return the table in a folder. `plain_path` returned the path.

    Raises:
        PaimonKsyError: There is no table, or it cannot be read.
    """
    files: Any = dict(options)
    location = _absolute(path).rstrip("/")
    if not is_local(path):
        check_endpoints(options, path)
    try:
        if not is_local(path):
            files = file_io_of(location, options)
        storage = Opened(files, location, {}).storage
        document = latest_schema(storage, location)
    except PaimonKsyError:
        raise
    except Exception as error:  # pypaimon and file systems raise all kinds
        if is_denied(error):
            raise AccessError.of(path) from error
        line, began = first_line(error), first_line([*chain(error, handled=True)][-1])
        reason = line if began in line else f"{line}: {began}"
        if reason.startswith("Unrecognized filesystem type"):
            reason += "; pypaimon reads tables of local folders, s3://, oss://, gs:// and hdfs://"
        elif isinstance(error, ImportError):
            reason += "; install that package to read tables at such URLs"
        raise PaimonKsyError(f"{_NOT_OPEN}: {reason}", path=path) from error
    if document is None:
        reason = no_table_at(path, lambda name: files.exists(name))
        raise MissingFileError(reason, path=path)
    return Opened(files, location, document)


_REMEDY = "pass the folder that contains schema/ and snapshot/"
_NO_FOLDER, _NO_TABLE = "no such folder", "not a table of Paimon, because it contains no schema"
_MOST_NAMED = 1000


def no_table_at(path: str, exists: Callable[[str], bool]) -> str:
    """Return why there is no table at a path, and a suggestion if there is one.

    `exists` returns whether the file system of a URL has a file or folder.
    """
    here = local_path(path)
    if here is None:
        scheme, _, rest = path.partition("://")
        bucket = rest.partition("/")[0]
        with suppress(Exception):  # the user may be allowed to read this folder alone
            if not exists(f"{scheme}://{bucket}"):
                return f"the bucket {bucket!r} does not exist"
            if not exists(path):
                return f"{_NO_FOLDER}; {_REMEDY}"
        return f"{_NO_TABLE}; {_REMEDY}"
    folder = Path(here)
    reason = _NO_TABLE if folder.exists() else _NO_FOLDER
    try:
        return _place_of_table(path, folder) or reason + _tables_near(folder)
    except OSError:  # the folder may not be listed
        return f"{reason}; {_REMEDY}"


def _place_of_table(path: str, folder: Path) -> str | None:
    """Return which table a path may mean that is not the folder of a table."""
    if folder.is_file():
        return f"it is a file: {command('inspect', path)} shows what is in it"
    if folder.exists():
        outer = (each for each in folder.parents if (each / "schema" / "schema-0").is_file())
        if ".." not in folder.parts and (table := next(outer, None)) is not None:
            look = command("table", "inspect", str(table))
            return f"it is a folder inside a table: {look} shows the table"
        return None
    name, _, branch = folder.name.partition("$branch_")
    if branch and (folder.parent / name / "schema").is_dir():
        there = folder.parent / name / "branch" / f"branch-{branch}"
        return f"a branch has a folder in that of its table: try {there}"
    if "/" not in path and path.count(".") == 1:
        look = command("table", "inspect", path, "--catalog", "warehouse=FOLDER")
        return (
            f"{_NO_FOLDER}; if it is the name of a table in a catalog, add the catalog's "
            f"options: {look}"
        )
    return None


def _tables_near(folder: Path) -> str:
    """Return advice that names the tables in a folder or beside it, if there are any."""
    for place, pattern, before in (
        (folder, "*/schema", "tables in it"),
        (folder, "*.db/*/schema", "tables in it"),
        (folder.parent, "*/schema", "tables beside it"),
    ):
        found = (entry.parent.relative_to(place) for entry in place.glob(pattern))
        if names := sorted(map(str, islice(found, _MOST_NAMED))):
            near = close_match(folder.name, names)
            return f"{near and f' (did you mean {near!r}?)'}; {before}: {listed(names)}"
    return f"; {_REMEDY}"


# A catalog ------------------------------------------------------------------------------------


_FOLDERS = "filesystem"
"""The metastore whose tables are folders."""


def open_of_catalog(options: Mapping[str, str], identifier: str) -> Opened:
    """Return a table in a catalog.

    The identifier is `database.name`, or `database.name$branch_b` for its branch b.

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
    catalog = None
    try:
        catalog = _catalog(options)
        if hasattr(catalog, "get_table_path"):  # pypaimon would wait for a pipe in its folder
            names = pypaimon_module("common.identifier").Identifier.from_string(identifier)
            path = plain_path(catalog.get_table_path(names))
            branch = names.get_branch_name_or_default()
            storage = Storage.of(catalog.file_io, path)
            document = latest_schema(storage, folder_of(path, branch))
            if document is not None and options.get("metastore", _FOLDERS) == _FOLDERS:
                return Opened(catalog.file_io, path, document, branch, identifier)
        table = catalog.get_table(identifier)
    except PaimonKsyError:
        raise
    except Exception as error:  # catalogs raise all kinds
        raise _not_loaded(catalog, identifier, error) from error
    if not hasattr(table, "table_path"):
        kind = type(table).__name__.removesuffix("Table").lower()
        raise UnsupportedError(
            f"a table of type {kind} has no snapshots or indexes of Paimon", path=identifier
        )
    branch = table.identifier.get_branch_name_or_default()
    path = _absolute(table.table_path)
    # The schema has options that no file contains.
    document = schema_document(pypaimon_module("common.json_util").JSON.to_json(table.table_schema))
    return Opened(table.file_io, path, document, branch, identifier, table.catalog_environment)


def _catalog(options: Mapping[str, str]) -> Any:
    """Return pypaimon's catalog with these options."""
    from pypaimon import CatalogFactory

    return CatalogFactory.create(_of_catalog(options))


def _of_catalog(options: Mapping[str, str]) -> dict[str, str]:
    """Return the options of a catalog for any folder to work in."""
    if options.get("uri", "").startswith(("http://", "https://")):
        options = {"metastore": "rest", **options}
    if "warehouse" in options and options.get("metastore") != "rest":
        options = {**options, "warehouse": _absolute(options["warehouse"])}
    return dict(options)


def is_of_catalog(options: Mapping[str, str]) -> bool:
    """Return whether options are those of a catalog, and not of a file system."""
    return not options.keys().isdisjoint(("warehouse", "uri", "metastore"))


def absolute(name: str, options: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return a table's name and options for any folder to work in (see `Table.named`)."""
    if is_of_catalog(options):
        return name, _of_catalog(options)
    return _absolute(name), dict(options)


def tables_in(folder: str | None, options: Mapping[str, str]) -> Iterator[str]:
    """Yield the tables in a folder, or in a catalog: their paths or names, in order.

    The folder is one of tables, or of databases `NAME.db`; None for the catalog.

    Raises:
        PaimonKsyError: The folder does not exist, or the catalog cannot be read.
    """
    check_endpoints(options, folder or "")
    if folder is None:
        try:
            catalog = _catalog(options)
            for database in sorted(catalog.list_databases()):
                yield from (f"{database}.{name}" for name in sorted(catalog.list_tables(database)))
        except Exception as error:  # catalogs raise all kinds
            message = f"the catalog cannot be listed: {first_line(error)}"
            raise PaimonKsyError(message) from error
        return
    path = _absolute(folder).rstrip("/")
    file_io = file_io_of(path, options)
    storage = Storage.of(file_io, path)
    if not file_io.exists(path):
        raise MissingFileError(_NO_FOLDER, path=folder)
    if storage.ids(f"{path}/schema", "schema"):  # the folder of a table
        yield folder
        return
    for name in storage.names(path):
        if storage.ids(f"{path}/{name}/schema", "schema"):
            yield f"{folder.rstrip('/')}/{name}"
        elif name.endswith(".db"):
            yield from (
                f"{folder.rstrip('/')}/{name}/{each}"
                for each in storage.names(f"{path}/{name}")
                if storage.ids(f"{path}/{name}/{each}/schema", "schema")
            )


def _not_loaded(catalog: Any, identifier: str, error: Exception) -> PaimonKsyError:
    if identifier.count(".") != 1 or "/" in identifier:
        text = "not the name of a table in a catalog: write DATABASE.TABLE, or give a path without "
        return PaimonKsyError(text + "warehouse, uri and metastore", path=identifier)
    kind = MissingFileError if "NotExist" in type(error).__name__ else PaimonKsyError
    reason = "" if kind is PaimonKsyError else _no_table_of(catalog, identifier)
    line = first_line(error)  # without words, it is a key or the like
    reason = reason or (line if " " in line else f"{type(error).__name__}: {line}")
    return kind(f"cannot be loaded from the catalog: {reason}", path=identifier)


def _no_table_of(catalog: Any, identifier: str) -> str:
    """Return which tables or databases exist in a pypaimon catalog instead of `database.name`."""
    database, _, name = identifier.partition(".")
    try:
        databases = catalog.list_databases()
        if database not in databases:
            return f"no database {database!r}{none_of(database, 'there are', databases)}"
        tables = catalog.list_tables(database)
        return f"no table {name!r}{none_of(name, f'{database} has', tables)}"
    except Exception:  # another error is reported anyway
        return ""


# Options --------------------------------------------------------------------------------------

_WITH_CAPITALS = (
    *("fs.oss.accessKeyId", "fs.oss.accessKeySecret", "fs.oss.securityToken"),
    *("fs.s3.accessKeyId", "fs.s3.accessKeySecret", "fs.s3.securityToken", "header.User-Agent"),
)


def pypaimon_options(options: Mapping[str, str]) -> dict[str, str]:
    """Return options of catalogs and file systems in pypaimon's spelling.

    Args:
        options: Options with keys in lower case, as Spark passes them.
    """
    spelled = {key.lower(): key for key in _WITH_CAPITALS}
    return {spelled.get(key, key): value for key, value in options.items()}
