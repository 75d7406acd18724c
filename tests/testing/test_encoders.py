"""Encoders are accepted if they are right. Each planted bug is found."""

import re
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

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
