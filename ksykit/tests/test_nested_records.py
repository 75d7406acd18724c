"""Objects in records have a column for each of their fields; all readers agree on them."""

from collections import Counter
from typing import Any

import pytest

from kit_support.compiled import need_compiler
from kit_support.judging import outcomes

LENGTH, BYTES = {"id": "len", "type": "u1"}, {"id": "body", "size": "len"}
PART = [{"id": "low", "type": "u1"}, {"id": "high", "type": "u2"}]
CHANGES: dict[str, dict[str, Any]] = {
    "numbers": {},
    "a field called as the column would be": {"row": [{"id": "inner_low", "type": "u1"}]},
    "bytes after their length": {"row": [LENGTH, BYTES]},
    "bytes whose length is in the object": {"row": [{"id": "body", "size": "inner.low"}]},
    "a size from a record's object": {"file": [{"id": "rest", "size": "rows[0].inner.low % 5"}]},
    "a value of a record": {"values": {"sum": {"value": "inner.low + a"}}},
    "a position in a record": {"values": {"there": {"pos": "inner.low % 7", "type": "u1"}}},
    "checks, constants and bytes": {
        "part": [
            {"id": "low", "type": "f4"},
            {"id": "mark", "contents": [1, 2]},
            {"id": "high", "type": "u1", "valid": {"max": 9}},
            {"id": "three", "size": 3},
        ]
    },
    "bytes of any size in the object": {"part": [*PART, LENGTH, BYTES]},
    "a field that may not be there": {
        "row": [{"id": "more", "type": "u1", "if": "inner.high > 3"}]
    },
}


@pytest.mark.parametrize("case", CHANGES)
def test_objects_in_records(case: str) -> None:
    need_compiler()
    change, name = CHANGES[case], f"nested{[*CHANGES].index(case)}"
    raw = {
        "meta": {"id": name, "title": name, "endian": "be"},
        "seq": [
            {"id": "rows", "type": "row", "repeat": "expr", "repeat-expr": "3"},
            *change.get("file", ()),
        ],
        "instances": {"v": {"value": "rows[1].a + rows[1].inner.low"}},
        "types": {
            "row": {
                "seq": [
                    {"id": "a", "type": "u1"},
                    {"id": "inner", "type": "part"},
                    *change.get("row", ()),
                ],
                "instances": change.get("values", {}),
            },
            "part": {"seq": change.get("part", PART)},
        },
    }
    counts = Counter[str]()
    assert dict(outcomes({name: raw}, 1, counts)) == {name: "agree"}
    assert counts["data that are read"] > 1
    assert counts["with a view"]
