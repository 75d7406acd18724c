"""Global indexes of the conformance kit: how paimon-ksy builds and reads one file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from conformance.run import pack
from paimon_ksy.errors import CorruptFileError
from paimon_ksy.evaluation.evaluate import ALL, evaluate
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.generated.views.compressed_block import BlockCompression
from paimon_ksy.global_index.bitmap.writer import BitmapIndexWriter
from paimon_ksy.global_index.btree.writer import Options, write_index
from paimon_ksy.global_index.index_type import GlobalIndexFile
from paimon_ksy.global_index.metadata import write_metadata
from paimon_ksy.global_index.registry import global_index_type, open_global_index
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.file_kind import FileKind, index_kind, missing_magic
from paimon_ksy.io.source import open_source
from paimon_ksy.predicates.bind import bind
from paimon_ksy.types.arrow import to_arrow
from paimon_ksy.types.data_type import Field
from tests.support.golden_json import value_to_json
from tests.support.golden_tables import rows_of
from tools.conformance.cases import Case

Keys = list[tuple[list[Any], list[Any]]]
"""Each key, which is a list of its columns' values, and its rows as a set of the kit."""


def written(
    index_type: str,
    columns: Sequence[Mapping[str, str]],
    options: Mapping[str, str],
    rows: Sequence[Sequence[Any]],
    **given: str | None,
) -> tuple[bytes, bytes | None]:
    """Return a file of a global index, and its metadata in the index manifest.

    With `metadata=None`, it is a bitmap index of Paimon 1.4.
    """
    case = Case.of(columns, rows)
    fields = case.schema.fields
    if given.get("metadata", "") is None:
        builder = INDEX_TYPES[index_type].new_builder(fields[0].type, options)
        return b"".join(builder.build(case.table().column(0).combine_chunks())), None
    family = "btree" if index_type == "btree" else "bitmap"
    asked = {key.removeprefix(f"{family}-index."): value for key, value in options.items()}
    compression = BlockCompression[asked.get("compression", "none")]
    if index_type == "btree":
        size = int(asked.get("block-size", "65536 b").removesuffix(" b"))
        version = int(asked.get("file-version", "1"))
        has_filter = asked.get("bloom-filter.enabled") == "true"
        how = Options(version, size, compression, has_filter)
        made = write_index(case.table().columns, fields, how)
        return made.data, made.metadata
    size = int(asked.get("dictionary-block-size", "16384 b").removesuffix(" b"))
    [element] = key_fields(fields)
    writer = BitmapIndexWriter(element, block_size=size, compression=compression)
    write = writer.write_elements if index_type == "multivalue" else writer.write
    data, metadata = write(case.table().column(0).combine_chunks())
    return data, write_metadata(metadata)


def key_fields(fields: Sequence[Field]) -> Sequence[Field]:
    """Return the columns of keys: those of an ARRAY column are its elements."""
    return [
        Field(field.name, field.type.fields[0].type) if field.type.root == "ARRAY" else field
        for field in fields
    ]


def file_kind(about: Mapping[str, Any]) -> FileKind:
    """Return the kind of the file of a case, or of a request."""
    return index_kind(about["index_type"], has_metadata=about["metadata"] is not None)


def _metadata(request: Mapping[str, Any]) -> bytes | None:
    stated = request["metadata"]
    return None if stated is None else bytes.fromhex(stated)


def right_keys(index_type: str, rows: Sequence[Sequence[Any]]) -> Keys:
    """Return the keys of an index of these rows, from the rows alone."""
    found: dict[str, tuple[list[Any], set[int]]] = {}
    for number, row in enumerate(rows):
        keys: Iterable[list[Any]] = [list(row)]
        if index_type == "multivalue":
            keys = [[element] for element in row[0] or () if element is not None]
        for key in keys:
            found.setdefault(repr(key), (key, set()))[1].add(number)
    return [(key, pack(numbers)) for key, numbers in found.values()]


def read_keys(request: Mapping[str, Any]) -> Keys:
    """Return all keys of a file, which is checked. Raises CorruptFileError or UnsupportedError."""
    schema = Case.of(request["columns"]).schema
    types = [field.type for field in key_fields(schema.fields)]
    index_type, metadata = request["index_type"], _metadata(request)
    facts: dict[str, Any] = {"row_range": (0, request["num_rows"] - 1), "metadata": metadata}
    record = global_index_type(index_type, metadata)
    assert record
    keys: Keys = []
    with open_source(request["file"]) as source:
        if (error := missing_magic(source, file_kind(request))) is not None:
            raise error
        subject = Subject(source, schema, index_type=index_type, **facts)
        for part in record.postings(subject):
            if not part.keys:
                raise CorruptFileError("a key is not of the columns' types", path=source.name)
            names = map(str, range(len(types)))
            columns = [one.cast(to_arrow(kind)) for one, kind in zip(part.keys, types, strict=True)]
            start = 0
            listed = rows_of(pa.Table.from_arrays(columns, list(names)))
            for key, count in zip(listed, part.counts.tolist(), strict=True):
                rows = pack(part.rows[start : start + count].tolist())
                keys.append((list(map(value_to_json, types, key)), rows))
                start += count
    return keys


def selected(request: Mapping[str, Any]) -> list[int] | None:
    """Return the rows for which a predicate may be true; None if the index cannot tell."""
    case = Case.of(request["columns"])
    count, path = request["num_rows"], request["file"]
    file = GlobalIndexFile(
        lambda: open_source(path),
        path,
        request["index_type"],
        case.schema.fields,
        0,
        count - 1,
        count,
        _metadata(request),
    )
    reader = open_global_index([file])
    if reader is None:
        return None
    predicate = bind(case.predicate(request["predicate"]), case.schema)
    found = evaluate(predicate, lambda leaf: reader.answer(leaf) or ALL, lambda _: False)
    if found.kind == "skip":
        return []
    return None if found.matching is None else list(found.matching)
