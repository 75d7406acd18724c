"""Types of columns that pypaimon does not know, in the form of its own types."""

from __future__ import annotations

from typing import Any

from pypaimon.schema.data_types import AtomicType

from paimon_ksy.types.data_type import GEOSPATIAL, DataType


class KeptType(AtomicType):  # type: ignore[misc]
    """A type that keeps the node of its schema file.

    pypaimon reads GEOMETRY and GEOGRAPHY as BYTES. If it reads a column of an unknown type, it
    raises an error that names the type.
    """

    def __init__(self, node: Any, found: DataType) -> None:
        """Wrap the node from which `type_from_json` returned this type."""
        is_known = found.root in GEOSPATIAL
        super().__init__("BYTES" if is_known else str(found.text), found.nullable)
        self.node = node

    def to_dict(self) -> Any:
        """Return the node."""
        return self.node
