"""Open the files of a bitmap or multivalue index that have the same row range.

Bitmaps have no checksum. So a small file is checked as a whole before it answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from paimon_ksy.evaluation.evaluate import LeafOrRange
from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.global_index.bitmap.check import postings
from paimon_ksy.global_index.bitmap.reader import MULTIVALUE, BitmapFile, form_of, read_footer
from paimon_ksy.global_index.index_type import GlobalIndexFile, GlobalIndexReader
from paimon_ksy.global_index.sorted_index import SortedIndex
from paimon_ksy.global_index.sorted_keys import KeyForm, KeyTypeError
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.source import Source, open_source
from paimon_ksy.predicates.tree import ArraysOverlap, In
from paimon_ksy.types.data_type import DataType, Field
from paimon_ksy.types.schema import Schema

MOST_CHECKED = 1 << 18
"""Bytes of a file that is checked as a whole: for 200,000 rows of 500 values, that takes 10 ms."""


def open_bitmap_index(files: Sequence[GlobalIndexFile]) -> GlobalIndexReader | None:
    """Open the files of one row range; None if keys of the column's type are not indexed."""
    is_list = files[0].fields[0].type.root == "ARRAY"
    return None if is_list else _sorted_index(files)


def open_multivalue_index(files: Sequence[GlobalIndexFile]) -> GlobalIndexReader | None:
    """Open the files of one row range; None if elements of the column's type are not indexed."""
    [field] = files[0].fields[:1]
    if field.type.root != "ARRAY":
        return None
    elements = Field(field.name, field.type.fields[0].type)
    index = _sorted_index([replace(file, fields=(elements,)) for file in files])
    return None if index is None else MultivalueIndex(index, elements.type)


def _sorted_index(files: Sequence[GlobalIndexFile]) -> SortedIndex | None:
    form = form_of(files[0].fields)
    try:
        return None if form is None else SortedIndex(files, form, _open)
    except KeyTypeError:
        return None


def _open(source: Source, form: KeyForm, file: GlobalIndexFile) -> BitmapFile:
    of_elements = file.index_type == MULTIVALUE
    opened = BitmapFile(source, form, file.range_length, of_elements=of_elements)
    read_footer(opened.parts)
    if source.size > MOST_CHECKED or of_elements:
        return opened
    whole = open_source(bytes(source.read(0, source.size)))
    whole.name = source.name
    subject = Subject(
        whole,
        Schema(file.fields),
        num_rows=file.num_rows,
        index_type=file.index_type,
        row_range=(file.row_start, file.row_end),
        metadata=file.metadata,
    )
    for _ in postings(subject):
        pass
    return BitmapFile(whole, form, file.range_length)


class MultivalueIndex:
    """The files of a multivalue index, whose keys are elements of arrays.

    Null arrays, empty ones and null elements leave nothing in it. So it answers neither IS NULL nor
    NOT array_contains, as in Java's `MultiValueBitmapIndexReader`.
    """

    def __init__(self, index: SortedIndex, element: DataType) -> None:
        self.num_rows = index.num_rows
        self._index, self._element = index, element

    def answer(self, leaf: LeafOrRange) -> Selection | None:
        """Return the rows whose arrays have one of the values; None for other leaves.

        Raises:
            CorruptFileError: A file is corrupt.
        """
        if not isinstance(leaf, ArraysOverlap) or leaf.negated:
            return None
        return self._index.answer(In(leaf.column, leaf.values, False, self._element))
