"""The versions of a table's schema."""

from __future__ import annotations

from typing import Any

from paimon_ksy.errors import CorruptFileError, MissingFileError, PaimonKsyError
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.documents import schema_document
from paimon_ksy.table.model.files import TableSchema
from paimon_ksy.table.store.errors import REMEDY_SCHEMA, reading_schema


class Schemas:
    """The versions of a table's schema. Each one allows the external paths in its options.

    Attributes:
        current: The version in which the table is read.
        location: The folder of the table.
    """

    def __init__(self, current: TableSchema, storage: Storage, location: str, folder: str) -> None:
        """Start with the version in which the table is read.

        `folder` is that of the table, or of its branch, that contains schema/.

        Raises:
            OutsideError: The table's folder of schemas is elsewhere.
        """
        self._storage = storage
        self.location = location
        self._folder = f"{folder}/schema"
        self.current = self._allowed(current)
        self._by_id = {self.current.id: self.current}
        storage.roots.check_file(f"{self._folder}/schema-{self.current.id}")

    def at(self, schema_id: int) -> TableSchema:
        """Return a version of the schema."""
        if (schema := self._by_id.get(schema_id)) is not None:
            return schema
        schema = self._by_id[schema_id] = self._allowed(self.read(schema_id))
        return schema

    def read(self, schema_id: int) -> TableSchema:
        """Return a version of the schema, read from its file.

        Raises:
            PaimonKsyError: The file does not exist, or contains no schema of this id.
        """
        path = f"{self._folder}/schema-{schema_id}"
        try:
            with reading_schema(path):
                schema = TableSchema.parse(self._storage.read_json(path))
        except MissingFileError:
            text = f"its schema {schema_id} does not exist"
            raise PaimonKsyError(text, path=self.location) from None
        if schema.id != schema_id:
            raise CorruptFileError(
                f"id is {schema.id}, but the file is named schema-{schema_id}",
                path=path,
                remedy=REMEDY_SCHEMA,
            )
        return schema

    def document(self, schema_id: int) -> dict[str, Any]:
        """Return the document of a version of the schema (see `schema_document` and `read`)."""
        self.read(schema_id)
        return schema_document(self._storage.read_json(f"{self._folder}/schema-{schema_id}"))

    def ids(self) -> list[int]:
        """Return the ids of all versions of the schema, ascending."""
        return self._storage.ids(self._folder, "schema")

    def _allowed(self, schema: TableSchema) -> TableSchema:
        self._storage.roots.allow(schema.options)
        return schema
