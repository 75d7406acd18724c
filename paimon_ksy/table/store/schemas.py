"""The versions of a table's schema."""

from __future__ import annotations

from paimon_ksy.errors import CorruptFileError, MissingFileError, PaimonKsyError
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import TableSchema
from paimon_ksy.table.store.errors import REMEDY_SCHEMA, pypaimon_module, reading_schema
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
        self._storage = storage
        self.paths = paths
        # With the options of a catalog, which no file contains.
        text = pypaimon_module("common.json_util").JSON.to_json(opened.table_schema)
        self.current = self._allowed(TableSchema.parse(str(text)))
        self._known = {self.current.id: self.current}
        paths.file("schema", f"schema-{self.current.id}")

    def at(self, schema_id: int) -> TableSchema:
        """Return a version of the schema.

        Raises:
            PaimonKsyError: No version has this id.
        """
        if (known := self._known.get(schema_id)) is not None:
            return known
        found = self._known[schema_id] = self._allowed(self.read(schema_id))
        return found

    def read(self, schema_id: int) -> TableSchema:
        """Return a version of the schema, read from its file.

        Raises:
            PaimonKsyError: The file does not exist, or contains no schema of this id.
        """
        path = self.paths.file("schema", f"schema-{schema_id}")
        try:
            with reading_schema(path):
                found = TableSchema.parse(self._storage.read_json(path))
        except MissingFileError:
            text = f"its schema {schema_id} does not exist"
            raise PaimonKsyError(text, path=self.paths.location) from None
        if found.id != schema_id:
            raise CorruptFileError(
                f"id is {found.id}, but the file is named schema-{schema_id}",
                path=path,
                remedy=REMEDY_SCHEMA,
            )
        return found

    def ids(self) -> list[int]:
        """Return the ids of all versions of the schema, ascending."""
        return self._storage.ids(f"{self.paths.folder}/schema", "schema")

    def _allowed(self, schema: TableSchema) -> TableSchema:
        self._storage.roots.allow(schema.options)
        return schema
