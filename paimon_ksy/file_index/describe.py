"""Describe a file index for the Web IDE: the types of its columns, which it does not store."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from paimon_ksy.display import printable
from paimon_ksy.errors import CorruptFileError
from paimon_ksy.file_index.index_type import IndexPlace, listed_indexes, text
from paimon_ksy.file_index.inspect import read_head
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.io.file_format import Subject
from paimon_ksy.types.data_type import DataType

if TYPE_CHECKING:
    from paimon_ksy.inspection.entry_point import Entry

_DECIMAL = 100
"""Inlined types add this to the scale of a DECIMAL, to distinguish it from other column types."""


def describe(entry: Entry, subject: Subject) -> None:
    """Add each index of a column with a type, and bytes for the others."""
    entry.add_field("file", "file_index")
    listed: list[tuple[str, DataType | None, str, IndexPlace, str]] = []
    try:
        listed += _listed(subject)
    except CorruptFileError as error:
        entry.notes.append(str(error))
    untyped: dict[str, None] = {}
    for name, data_type, index_type, place, where in entry.first(listed, "indexes"):
        kind = INDEX_TYPES.get(index_type)
        arguments = None if kind is None else kind.arguments(data_type, place.len_body)
        if kind is not None and arguments is None and data_type is None:
            untyped[name] = None
        elif kind is not None and arguments is None:
            what = f"column {printable(name)!r} cannot be {data_type}"
            entry.notes.append(f"{what} in a {index_type} index: its index is shown as bytes")
        elif arguments is not None and data_type is not None and data_type.root == "DECIMAL":
            arguments = {**arguments, "column_type": _DECIMAL + (data_type.scale or 0)}
        entry.add_instance(
            (name, index_type),
            f"{where}.ofs_body",
            f"Column {name}{'' if data_type is None else f' {data_type}'}: {index_type} index.",
            spec=None if kind is None or arguments is None else kind.spec,
            arguments=arguments or {},
            size=f"{where}.len_body",
        )
    if untyped:
        first = ", ".join(map(repr, map(printable, [*untyped][:3])))
        more = ", .." if len(untyped) > 3 else ""
        entry.notes.append(
            f"the types of columns {first}{more} are unknown, so their indexes are shown as bytes: "
            "pass --schema, --schema-file or --table"
        )


def _listed(subject: Subject) -> Iterator[tuple[str, DataType | None, str, IndexPlace, str]]:
    """Yield the column, its type, the index type, the place and the path of each index."""
    schema = subject.schema
    for number, column in enumerate(read_head(subject.source).head.columns):
        name = text(column.name)
        data_type = schema[name] if schema is not None and name in schema else None
        for at, (kind, place) in enumerate(listed_indexes(column)):
            if not place.is_empty:
                where = f"file.head.columns[{number}].indexes[{at}]"
                yield name, data_type, text(kind), place, where
