"""The versions of a table's schema."""

from __future__ import annotations

from typing import Any

from paimon_ksy.errors import CorruptFileError, PaimonKsyError
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import TableSchema
from paimon_ksy.table.store.errors import REMEDY_SCHEMA, pypaimon_module
from paimon_ksy.table.store.metadata_paths import MetadataPaths
from paimon_ksy.table.store.opened import Opened


class Schemas:
    """The versions of a table's schema. Each one allows the external paths in its options.

    Attributes:
        current: The version in which the table is read.
        paths: The paths of the table's metadata.
    """

    def __init__(self, opened: Opened, storage: Storage, paths: MetadataPaths) -> None:
        """Read the schema of a table.

        Raises:
            OutsideError: The table's folder of schemas is elsewhere.
            SchemaError: The schema is not a Paimon schema.
        """
        self._files = opened.schema_files
        self._storage = storage
        self.paths = paths
        self.current = self._parse(opened.table_schema)
        self._known = {self.current.id: self.current}
        paths.file("schema", f"schema-{self.current.id}")

    def at(self, schema_id: int) -> TableSchema:
        """Return a version of the schema.

        Raises:
            PaimonKsyError: No version has this id.
        """
        if (known := self._known.get(schema_id)) is not None:
            return known
        path = self.paths.file("schema", f"schema-{schema_id}")
        with self.paths.reading(f"schema/schema-{schema_id}"):
            found = self._files.at(schema_id)
        if found is None:
            raise PaimonKsyError(f"its schema {schema_id} does not exist", path=self.paths.location)
        if found.id != schema_id:
            raise CorruptFileError(
                f"id is {found.id}, but the file is named schema-{schema_id}",
                path=path,
                remedy=REMEDY_SCHEMA,
            )
        schema = self._known[schema_id] = self._parse(found)
        return schema

    def ids(self) -> list[int]:
        """Return the ids of all versions of the schema, ascending."""
        with self.paths.reading("schema/*"):
            return sorted(schema.id for schema in self._files.all())

    def _parse(self, schema: Any) -> TableSchema:
        found = TableSchema.parse(str(pypaimon_module("common.json_util").JSON.to_json(schema)))
        if self._storage.roots is not None:
            self._storage.roots.allow(found.options)
        return found
