"""Report on a BTree index, and map its bytes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from ksykit.runtime.arrays import BytesColumn
from ksykit.runtime.errors import FormatError

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.generated.structs import type_named
from paimon_ksy.generated.views.compressed_block import BlockCompression
from paimon_ksy.global_index.btree.reader import BTreeFile, misread_by
from paimon_ksy.global_index.check import ANY_ROWS, UNORDERED, Order
from paimon_ksy.global_index.report import KeysContent, check_types, shown
from paimon_ksy.global_index.sorted_keys import KeyForm, KeyTypeError
from paimon_ksy.io.corrupt import CorruptErrors
from paimon_ksy.io.file_format import FilePart, Subject, overlap
from paimon_ksy.io.source import Source
from paimon_ksy.messages.answers import Answer
from paimon_ksy.types.schema import Schema


@dataclass(frozen=True)
class BTreeKey(Answer):
    """A key, in the form of its type or as hex digits, and its number of rows."""

    key: Any
    rows: int


@dataclass(frozen=True)
class BTreeReport(KeysContent):
    """A BTree index.

    Attributes:
        distinct: The number of keys.
        rows: The number of rows, with nulls.
        blocks: The number of blocks.
        compression: How the blocks are compressed.
        bloom_filter: The bytes of the Bloom filter.
        misread_by: Which other readers misread the file, and how.
        keys: The most frequent keys.
    """

    version: int
    distinct: int
    rows: int
    nulls: int
    blocks: int
    compression: str
    bloom_filter: int
    first_key: Any
    last_key: Any
    misread_by: str
    keys: tuple[BTreeKey, ...]


def inspect(subject: Subject, top: int | None) -> BTreeReport:
    """Return what the index contains, with its `top` keys. Raises CorruptFileError."""
    with CorruptErrors(subject.source):
        form = None if subject.schema is None else KeyForm.of(subject.schema.fields)
        file, order = BTreeFile(subject.source, form, ANY_ROWS), Order()
        num_keys = num_rows = 0
        codecs, ends = Counter[str](), list[bytes]()
        best: list[tuple[int, bytes]] = []
        for records in file.records():
            stored = records.stored_keys()
            counts, _, bitmaps = records.lists()
            for i, bitmap in bitmaps:
                counts[i] = len(bitmap)
            num_keys, num_rows = num_keys + len(stored), num_rows + int(counts.sum())
            codecs.update(BlockCompression(block.compression).name for block in records.blocks)
            if len(stored):
                ends = [ends[0] if ends else stored[0], stored[len(stored) - 1]]
                with suppress(KeyTypeError):  # they are shown as bytes
                    if form is not None:
                        order.add(form.decoded(stored)[0])
            if not order.is_kept:
                raise FormatError(UNORDERED, records.blocks[0].pos)
            most = np.argsort(-counts, kind="stable")[:top].tolist()
            best += [(int(counts[i]), stored[i]) for i in most]
            best = sorted(best, key=lambda counted: -counted[0])[:top]
        footer, nulls = file.footer, len(file.null_rows())
        keys = shown([key for _, key in best], form)
        first, last = shown(ends, form) or (None, None)
        return BTreeReport(
            version=footer.version,
            distinct=num_keys,
            rows=num_rows + nulls,
            nulls=nulls,
            blocks=file.directory.num_records,
            compression=", ".join(sorted(codecs)),
            bloom_filter=footer.len_bloom_filter,
            first_key=first,
            last_key=last,
            misread_by=misread_by(
                footer.version, is_composite=form is not None and form.is_composite
            ),
            keys=tuple(BTreeKey(key, rows) for key, (rows, _) in zip(keys, best, strict=True)),
        )


def check_schema(subject: Subject) -> None:
    """Raise SchemaError if keys are not of the types in the schema."""
    form = None if subject.schema is None else KeyForm.of(subject.schema.fields)

    def stored_keys() -> Iterator[tuple[int, BytesColumn]]:
        file = BTreeFile(subject.source, form, ANY_ROWS)
        for records in islice(file.records(), 1):
            yield records.blocks[0].pos, records.stored_keys()
        last = [file.last_key(number) for number in range(file.directory.num_records)]
        yield file.directory.pos, BytesColumn.of(last)

    check_types(subject, form, stored_keys)


def parts(source: Source, schema: Schema | None, start: int, end: int) -> Iterator[FilePart]:
    """Yield the file, and the blocks in the range to which a compressed directory refers."""
    yield FilePart(0, source.size, type_named("btree_index"), {})
    try:
        file = BTreeFile(source, None, ANY_ROWS)
        if file.directory.compression == BlockCompression.none:
            return
        version = {"version": int(file.footer.version)}
        for number, (first, last) in enumerate(file.extents.tolist()):
            if overlap(first, last, (start, end)):
                kind = type_named("btree_block")
                yield FilePart(first, last - first, kind, version, f"blocks[{number}].")
    except (FormatError, PaimonKsyError):
        return  # of what is malformed, no more is known
