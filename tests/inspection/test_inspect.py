"""Damaged and crafted indexes are inspected, or refused."""

import io
from contextlib import suppress

import numpy as np
import pytest
from ksykit.runtime.objects import to_bytes

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.file_index.builder import assemble
from paimon_ksy.generated.structs.bitmap_index import make_bitmap_index
from paimon_ksy.generated.structs.bitmap_index_v2 import (
    make_bitmap_block_ref_v2,
    make_bitmap_block_v2,
    make_bitmap_directory_v2,
    make_bitmap_index_v2,
)
from paimon_ksy.generated.structs.typed_value import make_typed_value
from paimon_ksy.generated.views.bitmap_index_v2 import BITMAP_ENTRY_V2
from paimon_ksy.inspection import byte_map as hex_fields
from paimon_ksy.inspection.inspect import inspect_file
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.source import open_source
from paimon_ksy.types.schema import Schema
from tests.golden import golden_index


@pytest.mark.parametrize("name", ["t_bitmap_v1_varchar_20", "t_bitmap_v2_varchar_20"])
def test_flipped_bits_are_told_or_refused(name: str) -> None:
    data, schema = golden_index(name).data, Schema.parse("c STRING")
    for bit in range(0, len(data) * 8, 5):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        with open_source(bytes(damaged)) as source:
            with suppress(CorruptFileError):
                inspect_file(Subject(source, schema))
            fields = hex_fields.hex_fields(source, schema, 0, len(data))
            assert sum(field.end - field.start for field in fields) == len(data)


class CountingFile(io.BytesIO):
    """A file in memory that counts the bytes that are read."""

    num_read = 0

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        self.num_read += len(data)
        return data


def test_a_bitmap_that_thousands_of_values_claim_is_not_read_for_each() -> None:
    from pyroaring import BitMap

    num_rows, count = 2**31 - 1, 20_000
    bitmap = BitMap(range(0, 2**31, 1 << 16)).serialize()
    entries = BITMAP_ENTRY_V2[4].pack(key=np.arange(count), ofs_bitmap=0, len_bitmap=len(bitmap))
    block = make_bitmap_block_v2(entries=entries)
    key = make_typed_value(int32=0)
    directory = make_bitmap_directory_v2(blocks=[make_bitmap_block_ref_v2(key=key, body=block)])
    meta = make_bitmap_index_v2(
        num_rows=num_rows, num_values=count, has_null=0, directory=directory
    )
    body = to_bytes(make_bitmap_index(column_type=4, version=2, v2=meta)) + bitmap
    data = assemble([("a", [("bitmap", [body])])])
    file = CountingFile(data)
    with open_source(file) as source:
        for top in (10, None):
            inspect_file(Subject(source, Schema.parse("a INT")), top=top)
        for start in (0, len(data) // 2, len(data) - 4096):
            hex_fields.hex_fields(source, Schema.parse("a INT"), start, 4096)
    assert file.num_read < count * len(bitmap) / 50
