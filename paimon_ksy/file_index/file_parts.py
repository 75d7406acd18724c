"""The parts of a file index: its head, and the bodies of its indexes."""

from __future__ import annotations

from collections import Counter

from paimon_ksy.file_index.index_type import IndexType, listed_indexes, text
from paimon_ksy.file_index.inspect import read_head
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.generated.structs import type_named
from paimon_ksy.io.file_format import FilePart, overlap
from paimon_ksy.io.source import Source
from paimon_ksy.types.schema import Schema


def parts(source: Source, schema: Schema | None, start: int, end: int) -> list[FilePart]:
    """Return the head and the indexes in a range of bytes whose columns are in the schema."""
    file = read_head(source)
    indexes: dict[int, tuple[str, IndexType, int, dict[str, int]]] = {}
    for column in file.head.columns:
        name = text(column.name)
        data_type = schema[name] if schema is not None and name in schema else None
        for index_type, place in listed_indexes(column):
            kind = INDEX_TYPES.get(text(index_type))
            if kind is None or data_type is None or place.is_empty:
                continue
            arguments = kind.arguments(data_type, place.len_body)
            if arguments is not None:
                indexes.setdefault(place.ofs_body, (name, kind, place.len_body, arguments))
    times = Counter(name for name, *_ in indexes.values())
    listed = [FilePart(0, file.len_head, type_named("file_index"), {})]
    for at, (name, kind, size, arguments) in sorted(indexes.items()):
        if overlap(at, at + size, (start, end)):
            body = type_named(kind.spec)
            params = {param: arguments[param] for param in body.params}
            prefix = f"{name}: " if times[name] == 1 else f"{name} {kind.name}: "
            listed.append(FilePart(at, size, body, params, prefix, kind.fields))
    return listed
