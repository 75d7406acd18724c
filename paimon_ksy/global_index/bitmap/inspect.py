"""Report on a bitmap or multivalue index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
from ksykit.runtime.arrays import BytesColumn
from pyroaring import BitMap

from paimon_ksy.columns.stored_values import are_ascending
from paimon_ksy.generated.views.compressed_block import BlockCompression
from paimon_ksy.global_index.bitmap.parts import BitmapParts
from paimon_ksy.global_index.bitmap.reader import BitmapFile, form_of, misread_by
from paimon_ksy.global_index.check import ANY_ROWS
from paimon_ksy.global_index.report import KeysContent, check_types, shown
from paimon_ksy.global_index.sorted_keys import KeyForm, KeyTypeError
from paimon_ksy.io.corrupt import CorruptErrors
from paimon_ksy.io.file_format import Subject
from paimon_ksy.messages.answers import Answer, keyed
from paimon_ksy.roaring.bitmap_64 import read_bitmaps
from paimon_ksy.roaring.containers import containers

_ORDERS = {
    (True, True): "value and bytes",
    (True, False): "value",
    (False, True): "bytes",
    (False, False): None,
}


@dataclass(frozen=True)
class GlobalBitmapValue(Answer):
    """A value: in the form of its type, or as hex digits if that is unknown."""

    value: Any
    rows: int
    place: int = field(metadata=keyed("byte"))


@dataclass(frozen=True)
class GlobalBitmapReport(KeysContent):
    """A bitmap or multivalue index.

    Attributes:
        order: Whether values ascend by value or by their bytes; None if the type is unknown.
        misread_by: Which other readers misread the file, and how.
        values: The most frequent values.
        rows, nulls: The number of rows, and of those that are null; None in a multivalue index,
            which does not list these.
    """

    version: int
    distinct: int
    rows: int | None
    nulls: int | None
    blocks: int
    compression: str
    order: str | None
    misread_by: str
    containers: dict[str, int]
    values: tuple[GlobalBitmapValue, ...]


def inspect(subject: Subject, top: int | None) -> GlobalBitmapReport:
    """Return what the index contains, with its `top` values. Raises CorruptFileError."""
    with CorruptErrors(subject.source):
        form = None if subject.schema is None else form_of(subject.schema.fields)
        file = BitmapFile(subject.source, form, ANY_ROWS)
        parts, kinds, codecs = file.parts, Counter[str](), dict[str, None]()
        stored: list[bytes] = []
        counts: list[np.ndarray] = []
        places: list[int] = []
        for block in parts.blocks():
            codecs[BlockCompression(block.block.compression).name] = None
            stored += block.keys.tolist()
            places += block.extents[:, 0].tolist()
            sizes = np.zeros(len(block.keys), np.int64)
            for numbers, some, _ in file.read_many(block.extents):
                sizes[numbers] = some
            counts.append(sizes)
            kinds.update(_containers(parts, block.extents))
        nulls, others = len(file.null_rows()), len(file.other_rows())
        sizes = np.concatenate([np.empty(0, np.int64), *counts])
        order = np.argsort(-sizes, kind="stable")[:top].tolist()
        values = shown([stored[i] for i in order], form)
        by_value, by_bytes = orders = _orders(stored, form)
        return GlobalBitmapReport(
            version=parts.footer.version,
            distinct=parts.footer.num_values,
            rows=None if file.is_multivalue else nulls + others,
            nulls=None if file.is_multivalue else nulls,
            blocks=len(parts.directory.places),
            compression=", ".join(codecs),
            order=_ORDERS[orders],
            misread_by=misread_by(by_value, by_bytes, is_multivalue=file.is_multivalue),
            containers={kind: kinds[kind] for kind in ("array", "bitset", "run")},
            values=tuple(
                GlobalBitmapValue(value, int(sizes[i]), places[i])
                for i, value in zip(order, values, strict=True)
            ),
        )


def check_schema(subject: Subject) -> None:
    """Raise SchemaError if keys are not of the types in the schema."""
    form = None if subject.schema is None else form_of(subject.schema.fields)

    def stored_keys() -> Iterator[tuple[int, BytesColumn]]:
        parts = BitmapParts(subject.source)
        yield parts.directory.ofs, parts.directory.keys
        for block in islice(parts.blocks(), 1):
            yield block.ofs, block.keys

    check_types(subject, form, stored_keys)


def _orders(stored: list[bytes], form: KeyForm | None) -> tuple[bool, bool]:
    """Return whether values ascend by value, and by their bytes; neither if that is unknown."""
    if form is None:
        return False, False
    try:
        by_value = are_ascending(form.keys(BytesColumn.of(stored)))
    except KeyTypeError:
        return False, False
    return by_value, are_ascending(stored)


def _containers(parts: BitmapParts, extents: np.ndarray) -> Counter[str]:
    """Count the containers of some bitmaps by their kind."""
    bitmaps: list[BitMap] = []
    ranges = sorted((start, end) for start, end in extents.tolist())
    for data in parts.source.read_ranges(ranges):
        bitmaps += read_bitmaps(data).values()
    return Counter(containers(bitmaps))
