"""Check a bitmap or multivalue index: its checksums, places, counts, keys and rows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from ksykit.runtime.arrays import BytesColumn
from ksykit.runtime.errors import FormatError

from paimon_ksy.columns.stored_values import Keys
from paimon_ksy.errors import counted
from paimon_ksy.global_index import check as shared
from paimon_ksy.global_index.bitmap.parts import BitmapParts
from paimon_ksy.global_index.bitmap.reader import MULTIVALUE, BitmapFile, form_of
from paimon_ksy.global_index.blocks import check_places
from paimon_ksy.global_index.check import FileCheck, Order
from paimon_ksy.global_index.index_type import Postings
from paimon_ksy.global_index.sorted_keys import to_binary
from paimon_ksy.io.file_format import Subject


def _postings(subject: Subject) -> Iterator[Postings]:
    schema = subject.schema
    this = FileCheck(subject, None if schema is None else form_of(schema.fields))
    file = BitmapFile(subject.source, this.form, this.num_rows)
    parts, by_bytes, ends = file.parts, Order(), list[tuple[Any, bytes]]()
    extents, num_keys, texts = [], 0, set[bytes]()
    for block in parts.blocks():
        stored = block.keys
        num_keys += len(stored)
        by_bytes.add(to_binary(stored))
        keys, columns = this.keys(stored)
        if keys is None:
            texts.update(stored)
        else:
            ends += _ends(keys, stored)
        extents.append(block.extents)
        for numbers, counts, rows in file.read_many(block.extents):
            if not counts.all():
                raise FormatError("a value has no rows", block.ofs)
            yield this.rows(tuple(one.take(pa.array(numbers)) for one in columns), counts, rows)
    check_places([*_places(parts)], subject.source.size, extents)
    at, pos = parts.footer.ofs_null_rows, parts.footer.ofs_directory
    if num_keys != parts.footer.num_values:
        message = f"the footer counts {counted(parts.footer.num_values, 'value')}"
        raise FormatError(f"{message}, but {num_keys:,} are stored", pos)
    if this.form is None:
        if not by_bytes.is_kept and len(texts) < num_keys:
            raise FormatError("the dictionary contains a value twice", pos)
    elif not (this.order.is_kept or by_bytes.is_kept):
        raise FormatError("values ascend neither by value nor by their bytes", pos)
    else:
        this.manifest_keys(pos, [min(ends)[1], max(ends)[1]] if ends else ())
    is_multivalue = subject.index_type is None and file.is_multivalue
    if is_multivalue or subject.index_type == MULTIVALUE:
        if file.null_rows() or file.other_rows():
            raise FormatError("a multivalue index has null rows, or others", at)
        return
    yield from _rest(this, file, at)


def _rest(this: FileCheck, file: BitmapFile, at: int) -> Iterator[Postings]:
    """Check that each row is null, has a value or is one of the others; yield the nulls."""
    nulls, others, every = file.null_rows(), file.other_rows(), this.distinct(at)
    for what, wrong in (
        ("a value, and do not count as not null", every - others),
        ("no value, and count as not null", others - every),
        ("a value or count as not null, and are null", nulls & (every | others)),
    ):
        if wrong:
            message = f"{counted(len(wrong), 'row')} have {what}; the first is row {wrong.min()}"
            raise FormatError(message, at)
    this.manifest(len(nulls) + len(others), bool(nulls), at)
    yield from this.nulls(nulls)


postings = partial(shared.checked, _postings)
check = partial(shared.findings, "bitmap", _postings)


def _ends(keys: Keys | pa.Array, stored: BytesColumn) -> Iterator[tuple[Any, bytes]]:
    """Yield the least and the greatest key, both as compared and as stored."""
    if isinstance(keys, pa.Array):
        yield from ((each, each) for each in (stored[0], stored[-1]))
    else:
        yield from ((keys[at], stored[at]) for at in (int(np.argmin(keys)), int(np.argmax(keys))))


def _places(parts: BitmapParts) -> Iterator[tuple[int, int]]:
    """Yield where the bitmaps of rows, the directory, the footer and each block start and end."""
    footer, size = parts.footer, parts.source.size
    yield from (parts.extent_of_nulls, parts.extent_of_others)
    yield size - footer.len_footer, size
    listed = (footer.ofs_directory, footer.len_directory), *parts.directory.places
    yield from ((ofs, ofs + length + footer.len_trailer) for ofs, length in listed)
