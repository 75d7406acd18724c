"""Encoders are accepted if they are right. Each planted bug is found."""

import re
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
from ksykit import testing as kit_testing

from paimon_ksy import generated
from paimon_ksy.errors import OptionError, UnsupportedError
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.testing import assert_encodes
from paimon_ksy.types.parse import parse_type
from tests import ROOT

Encoder = Callable[[pa.Array], bytes]
PAGE = (ROOT / "docs" / "howto" / "test-a-reader.md").read_text(encoding="utf-8")
[WRITER] = re.findall(r"^```python\n([^`]*^def encode\(.*?)^assert_encodes\(", PAGE, re.M | re.S)

BUGS = {
    "wrong offset": ("start, data = len(bitmaps), ", "start, data = len(bitmaps) + 1, "),
    "missing null bitmap": ("rows.pop(None, None)", "rows.pop(None, None) and None"),
    "unsorted dictionary": ("sorted(rows)", "list(rows)"),
    "wrong count": ("len(column), len(keys)", "len(column), len(keys) + 1"),
    "wrong byte order of a key": (
        'struct.pack(">iii", key, *place(rows[key]))',
        'struct.pack("<i", key) + struct.pack(">ii", *place(rows[key]))',
    ),
    "dropped row": ("    rows[value].add(row)", "    rows[value].add(row) if row != 3 else None"),
}


def encoder(source: str) -> Encoder:
    scope: dict[str, Any] = {}
    exec(source, scope)
    return scope["encode"]  # type: ignore[no-any-return]


FILE_INDEX = """
def text(value):
    return struct.pack(">H", len(value)) + value

def encode(file):
    def head(places):
        data = struct.pack(">i", len(file.head.columns))
        for column in file.head.columns:
            data += text(column.name.value) + struct.pack(">i", len(column.indexes))
            for entry in column.indexes:
                start, length = next(places)
                data += text(entry.index_type.value) + struct.pack(">ii", start, length)
        if file.head.len_redundant is not None:
            rest = file.head.redundant or b""
            data += struct.pack(">i", len(rest)) + rest
        return data

    bodies = [entry.body for column in file.head.columns for entry in column.indexes]
    at = 16 + len(head(iter([(0, 0)] * len(bodies))))
    start = struct.pack(">Qii", 1493475289347502, 1, at)
    places = []
    for body in bodies:
        places.append((-1, 0) if body is None else (at, len(body)))
        at += len(body or b"")
    return start + head(iter(places)) + b"".join(body or b"" for body in bodies)
"""
FILE_BUGS = {
    "a magic number": ("1493475289347502", "1493475289347503"),
    "a version": ("502, 1, at", "502, 2, at"),
    "the length of the head": ("502, 1, at", "502, 1, at + 1"),
    "a byte order": ('">i", len(column.indexes)', '"<i", len(column.indexes)'),
    "a count": ("len(file.head.columns))", "len(file.head.columns) + 1)"),
    "an offset": ("(at, len(body))", "(at + 1, len(body))"),
    "a length": ("(at, len(body))", "(at, len(body) - 1)"),
    "an empty index": ("(-1, 0)", "(at, 0)"),
    "a text": ('">H", len(value)) + value', '">H", len(value)) + value[::-1]'),
    "lost bytes": ("len(rest)) + rest", "len(rest))"),
    "the order of bodies": ("for body in bodies)", "for body in bodies[::-1])"),
    "an offset that stays": ('        at += len(body or b"")', "        at += 1"),
}


@pytest.mark.parametrize("bug", ["", *FILE_BUGS])
def test_the_spec_of_a_file_index_alone_finds_planted_bugs(bug: str) -> None:
    right, wrong = FILE_BUGS.get(bug, ("", ""))
    assert not bug or FILE_INDEX.count(right) == 1
    encode = encoder(f"import struct\n{FILE_INDEX.replace(right, wrong) if bug else FILE_INDEX}")
    if not bug:
        return kit_testing.assert_encodes(encode, "file_index", package=generated)
    with pytest.raises(AssertionError):
        kit_testing.assert_encodes(encode, "file_index", package=generated)


def ours(kind: str, column_type: str, options: dict[str, str]) -> Encoder:
    builder = INDEX_TYPES[kind].new_builder(parse_type(column_type), options)
    return lambda column: b"".join(map(bytes, builder.build(column)))


@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_is_found(bug: str) -> None:
    """In the encoder of the page, which test_readme.py runs as it is."""
    right, wrong = BUGS[bug]
    assert WRITER.count(right) == 1
    with pytest.raises(AssertionError):
        assert_encodes(encoder(WRITER.replace(right, wrong)), index="bitmap", column_type="INT")


@pytest.mark.parametrize(
    ("kind", "column_type", "options"),
    [
        ("bitmap", "STRING", {"version": "1"}),
        ("bitmap", "TIMESTAMP(9)", {"index-block-size": "120b"}),
        ("range-bitmap", "DOUBLE", {"chunk-size": "9b"}),
        ("bsi", "BIGINT", {}),
        ("bloom-filter", "CHAR(5)", {}),
    ],
)
def test_our_own_encoders_pass(kind: str, column_type: str, options: dict[str, str]) -> None:
    assert_encodes(
        ours(kind, column_type, options),
        index=kind,
        column_type=column_type,
        options=options,
        java=True,
        max_examples=25,
    )


def test_sound_bytes_may_differ_from_java_s() -> None:
    encode = encoder(WRITER)
    assert_encodes(encode, index="bitmap", column_type="INT", max_examples=10)
    with pytest.raises(AssertionError, match="Java writes other bytes from byte") as error:
        assert_encodes(encode, index="bitmap", column_type="INT", java=True)
    assert "rows: [" in error.value.__notes__[0]


def test_what_an_index_cannot_have_is_refused() -> None:
    with pytest.raises(OptionError, match="no index type 'bitmaps'"):
        assert_encodes(bytes, index="bitmaps", column_type="INT")
    with pytest.raises(UnsupportedError, match="cannot be built on type"):
        assert_encodes(bytes, index="bsi", column_type="STRING")
