"""The tree and the lines have the same bytes, whatever is in a file."""

from collections.abc import Iterator

import pytest

from paimon_ksy.inspection.byte_tree import (
    MOST_BYTES,
    MOST_FIELDS,
    Branch,
    ByteTree,
    Span,
    byte_tree,
)
from paimon_ksy.io.file_kind import BUCKET_INDEX, FILE_INDEX, VECTORS, FileKind
from paimon_ksy.io.source import open_source
from paimon_ksy.types.schema import Schema
from tests.golden import golden_index
from tests.golden.vectors import golden_hashes, golden_vectors
from tests.support.examples import ORDERS, TYPES, WORKED


def leaves(branches: tuple[Branch, ...] | list[Branch]) -> Iterator[Branch]:
    for branch in branches:
        if branch.number is not None:
            yield branch
        yield from leaves(branch.branches)


def shown(tree: ByteTree) -> dict[int, int]:
    """The bytes of the lines, by position."""
    found: dict[int, int] = {}
    for line in tree.lines:
        at = line.at + line.indent
        for piece in line.pieces:
            for byte in bytes.fromhex(piece.hex):
                assert at not in found
                found[at] = byte
                at += 1
    return found


def check(tree: ByteTree, data: bytes) -> None:
    """Each byte that is shown is the file's, and each field has its own."""
    lines = shown(tree)
    assert all(data[at] == byte for at, byte in lines.items())
    assert len(lines) == tree.shown
    by_number: dict[int, list[int]] = {}
    for line in tree.lines:
        at = line.at + line.indent
        for piece in line.pieces:
            size = len(bytes.fromhex(piece.hex))
            assert len(piece.text) == size
            if piece.number is not None:
                by_number.setdefault(piece.number, []).extend(range(at, at + size))
            at += size
    fields = {leaf.number: [*range(leaf.start, leaf.end)] for leaf in leaves(tree.branches)}
    assert fields == by_number
    left = sum(line.skipped for line in tree.lines) + tree.left_after
    assert left == tree.size - tree.shown


@pytest.mark.parametrize("wrong", [(), (0, 40, 393), (-1, 10**9)])
def test_a_small_file_is_shown_whole(wrong: tuple[int, ...]) -> None:
    data = WORKED.read_bytes()
    spans = [Span("region bitmap", 80, 226, "region: "), Span("status", 226, 394, "status: ")]
    tree = byte_tree(open_source(data), FILE_INDEX, Schema.parse(TYPES), spans, wrong)
    check(tree, data)
    assert tree.shown == len(data)
    assert [b.label for b in tree.branches[-2:]] == ["region bitmap", "status"]
    marked = {
        at for leaf in leaves(tree.branches) if leaf.wrong for at in range(leaf.start, leaf.end)
    }
    assert marked >= {at for at in wrong if 0 <= at < len(data)}
    assert bool(marked) == any(0 <= at < len(data) for at in wrong)


def test_a_large_file_is_sampled() -> None:
    data = ORDERS.read_bytes()
    place = 120_000
    spans = [Span("region", 111_779, 140_371, "region: ")]
    tree = byte_tree(open_source(data), FILE_INDEX, Schema.parse(TYPES), spans, [place])
    check(tree, data)
    lines = shown(tree)
    assert {0, place, 111_779, len(data) - 1} <= lines.keys()
    assert len(lines) <= 2 * MOST_BYTES


@pytest.mark.parametrize("case", golden_vectors(), ids=lambda case: case.name)
def test_vectors(case: object) -> None:
    data = case.data  # type: ignore[attr-defined]
    check(byte_tree(open_source(data), VECTORS, None, [], []), data)


@pytest.mark.parametrize("left", [b"", b"\x01", b"\x01\x02\x03"])
@pytest.mark.parametrize("count", [0, 1, 3, 9000])
def test_bucket_index(count: int, left: bytes) -> None:
    data = golden_hashes()["few"][0][:4] * count + left
    tree = byte_tree(open_source(data), BUCKET_INDEX, None, [], [])
    check(tree, data)
    if left:
        assert tree.branches[-1].label == "trailing"
    if count:
        assert tree.branches[0].label == "hashes[0]"


def test_hostile_files_stay_bounded() -> None:
    kind: FileKind = FILE_INDEX
    data = golden_index("types_bitmap_v2").data
    for bit in range(0, min(len(data), 400) * 8, 37):
        broken = bytearray(data)
        broken[bit // 8] ^= 1 << bit % 8
        tree = byte_tree(open_source(bytes(broken)), kind, None, [], [bit // 8])
        check(tree, bytes(broken))
        assert sum(1 for _ in leaves(tree.branches)) <= MOST_FIELDS
