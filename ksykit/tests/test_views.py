"""Views of specs with each operator where a number is computed read what Kaitai's parser reads."""

from __future__ import annotations

import importlib
import io
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kaitaistruct import KaitaiStream
from ksykit.generator.expression import _LEVELS
from ksykit.runtime.arrays import BytesColumn
from ksykit.runtime.errors import EndError, FormatError
from ksykit.runtime.records import MANY

from kit_support.agreement import REFUSED, check_same
from kit_support.compiled import generated

FORMS = {
    "+": "n + m",
    "-": "n + 3 - m",
    "*": "n * m",
    "/": "n / (m + 1)",
    "%": "n % (m + 1)",
    "<<": "n << m",
    ">>": "n >> m",
    "&": "(n + 3) & ~3",
    "|": "n | m",
    "^": "n ^ m",
    "?": "n > m ? n : m",
    "==": "n == m ? 1 : 2",
    "!=": "n != m ? 1 : 2",
    "<": "n < m ? 1 : 2",
    "<=": "n <= m ? 1 : 2",
    ">": "n > m ? 1 : 2",
    ">=": "n >= m ? 1 : 2",
    "and": "n == 1 and m == 1 ? 1 : 2",
    "or": "n == 1 or m == 1 ? 1 : 2",
}
"""A number by each operator, from fields of 0 to 3."""
PLACES = {
    "size": "{id: x, size: 'FORM'}",
    "repeat-expr": "{id: x, type: u1, repeat: expr, repeat-expr: 'FORM'}",
    "bytes of a repeat": "{id: x, size: 'FORM', repeat: expr, repeat-expr: 2}",
    "if": "{id: x, type: u1, if: '(FORM) % 2 == 1'}",
}


def test_each_operator_has_a_form() -> None:
    symbols = {symbol for level in _LEVELS for symbol in level} - {"//."}
    assert FORMS.keys() == symbols | {"?"}


@pytest.mark.parametrize("place", PLACES)
def test_operators_in_each_place(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = f"operators_{place.replace(' ', '_').replace('-', '_')}"
    types = "".join(
        f"  t{at}: {{seq: [{{id: n, type: u1}}, {{id: m, type: u1}}, "
        f"{PLACES[place].replace('FORM', form)}, {{id: z, type: u1}}]}}\n"
        for at, form in enumerate(FORMS.values())
    )
    text = f"meta: {{id: o}}\nseq: [{{id: a, type: u1}}]\ntypes:\n{types}"
    generated({"o": text}, tmp_path, package, monkeypatch)
    views = importlib.import_module(f"{package}.views.o")
    parser = importlib.import_module(f"{package}.parsers.o").O
    draw = random.Random(1)
    for at, form in enumerate(FORMS.values()):
        for n, m in ((n, m) for n in range(4) for m in range(4)):
            data = bytes([n, m, *draw.randbytes(60)])
            parsed = getattr(parser, f"T{at}")(KaitaiStream(io.BytesIO(data)))
            view = getattr(views, f"T{at}")(data, 0, 0)
            assert _plain(view.x) == _plain(getattr(parsed, "x", None)), (form, n, m)
            assert view.z == parsed.z, (form, n, m)


GROUPS = " + ".join(
    f"(groups.size > {i} ? (groups[{i}].as<u8> & 127) << {7 * i} : 0)" for i in range(9)
)
RECORDS = {
    "text": "{id: a, type: u1}, {id: len, type: KIND}, {id: s, size: len}",
    "between": "{id: len, type: KIND, valid: {max: 90}}, {id: s, size: len}, {id: b, type: s1}",
    "texts": "{id: len, type: KIND}, {id: s, size: len}, {id: n, type: u1}, {id: t, size: n + 1}",
    "after_integer": "{id: a, type: f4}, {id: n, type: integer}, {id: s, size: n.value}",
    "integers": "{id: m, contents: A}, {id: a, type: integer}, {id: b, type: u8, valid: {max: 9}}",
    "short": "{id: n, type: integer}, {id: s, size: n.value}",
    "words": "{id: a, type: u1}, {id: s, type: strz, encoding: ASCII}",
    "integer": "",
}
REPEATS = {"few": "expr, repeat-expr: 3", "many": "expr, repeat-expr: 70", "all": "eos"}


@pytest.mark.parametrize("kind", ["u1", "s1", "u2", "s4le", "u8"])
def test_records_of_any_size_are_columns(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which refuse wrong bytes as the views of single records do."""
    package = f"records_{kind}"
    types = "".join(
        f"  {name}: {{seq: [{fields}]}}\n" for name, fields in RECORDS.items() if fields
    ).replace("KIND", kind)
    types += "".join(
        f"  {name}_{repeat}: {{seq: [{{id: x, type: {name}, repeat: {how}}}]}}\n"
        for name in RECORDS
        for repeat, how in REPEATS.items()
    )
    types += (
        "  integer:\n    -kit-leb128: true\n"
        "    seq: [{id: groups, type: u1, repeat: until, repeat-until: _ < 128}]\n"
        f"    instances: {{value: {{value: '{GROUPS}'}}}}\n"
    )
    head = "meta: {id: o, endian: be}\nseq: [{id: a, type: u1}]\ntypes:\n"
    generated({"o": head + types}, tmp_path, package, monkeypatch)
    views = importlib.import_module(f"{package}.views.o")
    parser = importlib.import_module(f"{package}.parsers.o").O
    draw = random.Random(1)
    for name in RECORDS:
        one = getattr(views, _camel(name))
        for repeat in REPEATS:
            many, parsed = getattr(views, _camel(f"{name}_{repeat}")), _camel(f"{name}_{repeat}")
            assert "x" not in many.__slots__ or name == "integer"
            for file in _files(name, kind, draw):
                for data in (file, memoryview(file)):
                    _check(many, getattr(parser, parsed), one, repeat, data)


def _files(name: str, kind: str, draw: random.Random) -> Iterator[bytes]:
    """Yield valid records, and then damaged ones."""
    order = "little" if kind.endswith("le") else "big"
    whole = b""
    for _ in range(72):
        size = draw.randrange(4)
        length = size.to_bytes(int(kind[1]), order)  # type: ignore[arg-type]
        text, long = draw.randbytes(size), draw.choice((b"\x00", b"\x80\x00", b"\xff\x7f"))
        whole += {
            "text": b"a" + length + text,
            "between": length + text + b"\xff",
            "texts": length + text + b"\x02abc",
            "after_integer": b"\x3f\x80\0\0" + bytes([size | 128, 0]) + text,
            "integers": b"A" + long + bytes(7) + b"\x09",
            "short": bytes([size]) + text,
            "words": b"aword\0",
            "integer": long,
        }[name]
    yield from (whole, b"", whole[:-1], whole[:40], b"\xff" * 9)
    for _ in range(20):
        at = draw.randrange(len(whole))
        yield whole[:at] + bytes([draw.choice((1, 40, 127, 128, 255))]) + whole[at + 1 :]


def _check(many: Any, parser: Any, one: Any, repeat: str, data: Any) -> None:
    try:
        expected, error = parser(KaitaiStream(io.BytesIO(data))), None
    except REFUSED as refused:
        error = refused
    for arrays in (False, True):
        if error is None:
            found = many(data, 7, 0, arrays=arrays)
            check_same(found, expected)
            for name in {*many.__slots__} - {"end"}:
                column = getattr(found, name)
                is_array = isinstance(column, np.ndarray | BytesColumn) or len(column) <= MANY
                assert is_array or not arrays or isinstance(column, list)
            continue
        with pytest.raises(FormatError) as wrong:
            many(data, 7, 0, arrays=arrays)
        single = _error_of_one(one, {"few": 3, "many": 70, "all": None}[repeat], data)
        has_layout = one.__name__ in ("Text", "Between", "Short")  # lengths are read first
        if not isinstance(wrong.value, EndError) and not has_layout:
            assert single is not None
            assert vars(wrong.value) == vars(single), (single, wrong.value)


def _error_of_one(one: Any, count: int | None, data: Any) -> FormatError | None:
    p = 0
    try:
        for _ in range(len(data) if count is None else count):
            p = one(data, 7, p).end - 7
    except FormatError as error:
        return error
    return None


def _camel(name: str) -> str:
    return name.title().replace("_", "")


def _plain(value: Any) -> Any:
    if isinstance(value, int | bytes | None):
        return value
    return [_plain(one if isinstance(one, bytes) else int(one)) for one in value]


@pytest.mark.parametrize("length", ["u2", "s4", "u4be"])
def test_records_have_a_string_and_bytes_of_one_size(
    length: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = f"""
    meta: {{id: mixed, endian: le}}
    -kit-view: true
    seq: [{{id: rows, type: row, repeat: expr, repeat-expr: {MANY + 5}}}]
    types:
      row:
        seq:
          - {{id: head, size: 3}}
          - {{id: n, type: u2}}
          - {{id: len, type: {length}}}
          - {{id: name, size: len}}
          - {{id: tail, size: 1}}
          - {{id: mark, contents: [9, 8]}}
    """
    generated({"mixed": spec}, tmp_path, "made_of_mixed", monkeypatch)
    parser = importlib.import_module("made_of_mixed.parsers.mixed").Mixed
    layout = importlib.import_module("made_of_mixed.views.mixed").ROW
    count = MANY + 5
    names = [b"x" * (i % 4) for i in range(count)]
    heads = np.frombuffer(random.Random(1).randbytes(3 * count), np.uint8).reshape(-1, 3)
    tails = np.full((count, 1), 7, np.uint8)
    data = layout.pack(head=heads, n=range(count), name=names, tail=tails).join()
    rows = parser.from_bytes(data).rows
    for few, arrays in ((count, False), (count, True), (3, False), (3, True), (0, True)):
        end, head, n, name, tail, mark = layout.read(data, 0, 0, few, arrays)
        assert {*map(bytes, mark)} <= {b"\t\b"} and len(mark) == few
        assert (end == len(data)) is (few == count)
        assert [*map(bytes, head)] == [row.head for row in rows[:few]]
        assert [*map(int, n)] == [row.n for row in rows[:few]]
        assert [*map(bytes, name)] == [row.name for row in rows[:few]]
        assert [*map(bytes, tail)] == [row.tail for row in rows[:few]]
    with pytest.raises(EndError, match=f"byte {len(data) - 1}: "):
        layout.read(data[:-1], 0, 0, count)
    for few in (3, count):
        at = len(layout.pack(head=heads[:2], n=0, name=names[:2], tail=tails[:2]).join()) - 1
        wrong = data[:at] + b"!" + data[at + 1 :]
        with pytest.raises(
            FormatError, match=f"byte {at - 1}: the field mark is b'.t!' instead of"
        ):
            layout.read(wrong, 0, 0, few)
