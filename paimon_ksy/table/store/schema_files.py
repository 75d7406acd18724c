"""The schema files of a table or branch, as pypaimon's `TableSchema`."""

from __future__ import annotations

from typing import Any

from paimon_ksy.table.store.errors import pypaimon_module

_PREFIX = "schema-"


class SchemaFiles:
    """A substitute for pypaimon's `SchemaManager`, whose use imports all of pypaimon.

    Errors of pypaimon are not translated.
    """

    def __init__(self, file_io: Any, folder: str) -> None:
        """Read the schemas of a table or branch.

        Args:
            file_io: pypaimon's `FileIO`.
            folder: The folder that contains schema/.
        """
        self._file_io = file_io
        self._folder = f"{folder}/schema"
        self._known: dict[int, Any] = {}

    def latest(self) -> Any | None:
        """Return the latest schema; None if there is none."""
        try:
            ids = self._ids()
            return self.at(ids[-1]) if ids else None
        except Exception as error:  # file systems raise all kinds
            raise RuntimeError(f"Failed to load schema from path: {self._folder}") from error

    def at(self, schema_id: int) -> Any | None:
        """Return the schema in the file with this id; None if there is no such file."""
        if schema_id not in self._known:
            path = f"{self._folder}/{_PREFIX}{schema_id}"
            if not self._file_io.exists(path):
                return None
            read = pypaimon_module("schema.table_schema").TableSchema.from_path
            self._known[schema_id] = read(self._file_io, path)
        return self._known[schema_id]

    def all(self) -> list[Any]:
        """Return all schemas, by the ids of their files."""
        found = (self.at(number) for number in self._ids())
        return [schema for schema in found if schema is not None]

    def _ids(self) -> list[int]:
        if not self._file_io.exists(self._folder):
            return []
        names = (status.path.split("/")[-1] for status in self._file_io.list_status(self._folder))
        found = []
        for name in names:
            if name.startswith(_PREFIX):
                try:
                    found.append(int(name.removeprefix(_PREFIX)))
                except ValueError:  # the name of a temporary file, for example
                    continue
        return sorted(found)
