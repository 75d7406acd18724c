"""Views of specs with each operator where a number is computed read what Kaitai's parser reads."""

from __future__ import annotations

import importlib
import io
import random
from pathlib import Path
from typing import Any

import pytest
from kaitaistruct import KaitaiStream
from ksykit.generator.expression import _LEVELS

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


def _plain(value: Any) -> Any:
    if isinstance(value, int | bytes | None):
        return value
    return [_plain(one if isinstance(one, bytes) else int(one)) for one in value]
