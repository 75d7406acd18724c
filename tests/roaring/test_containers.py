import numpy as np
from pyroaring import BitMap

from paimon_ksy.inspection.inspect import inspect_file
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.source import open_source
from paimon_ksy.roaring.containers import containers, containers_text
from tests.reference.roaring_bitmap_32 import RoaringBitmap32


def test_kinds_are_those_of_the_bytes() -> None:
    rows = BitMap([1, 5, *range(1 << 16, (2 << 16) - 1), *range(2 << 16, 3 << 16, 3)])
    rows.run_optimize()
    data = rows.serialize()
    found = containers([BitMap.deserialize(data)])
    report = inspect_file(Subject(open_source(data))).content
    assert report is not None
    assert found == report.containers
    assert found == {"array": 1, "bitset": 1, "run": 1}
    assert len(RoaringBitmap32.from_bytes(data).containers) == 3


def test_offsets_count_from_the_start_of_the_bitmap() -> None:
    data = BitMap([1, 5, 1 << 16, 2 << 16]).serialize()
    found = RoaringBitmap32.from_bytes(data)
    assert found.bitmap_start.at == 0
    starts = [found.bitmap_start.at + offset for offset in found.header.ofs_containers]
    values = [
        np.frombuffer(data, np.uint16, len(c.values), at).tolist()
        for c, at in zip(found.containers, starts, strict=True)
    ]
    assert values == [c.values for c in found.containers] == [[1, 5], [0], [0]]
    assert found.bitmap_end.at == len(data)


def test_words() -> None:
    assert containers_text({"array": 2, "bitset": 0, "run": 1}) == "2 arrays, 1 run"
    assert containers_text(containers([])) == ""
