"""Strategies draw objects that can be written, within bounds, or say that they cannot."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis.errors import FailedHealthCheck, Unsatisfiable
from ksykit.runtime.errors import FormatError
from ksykit.runtime.types import Type
from ksykit.testing import objects
from ksykit.testing.drawing import MOST_BYTES

from kit_support.agreement import check_come_back
from kit_support.compiled import generated

FORMS = {
    "values": """
seq:
  - {id: word, size: 2, valid: {min: '[0x40, 0x40]', max: '[0x60, 0x60]'}}
  - {id: inner, terminator: 0x2e, type: all}
types:
  all: {seq: [{id: all, size-eos: true}]}
""",
    "many": """
seq:
  - {id: num, type: u4}
  - {id: rows, type: row, repeat: expr, repeat-expr: num}
types:
  row:
    seq:
      - {id: len, type: u4}
      - {id: parts, type: part(len), repeat: expr, repeat-expr: len}
  part:
    params: [{id: len, type: u4}]
    seq: [{id: data, size: 1000 * len}]
""",
    "empty": """
seq:
  - {id: kind, type: u1}
  - {id: several, type: nothing, repeat: expr, repeat-expr: 2}
  - {id: all, type: {switch-on: kind, cases: {0: u2, 1: nothing}}, repeat: eos}
types: {nothing: {}}
""",
    "never": "seq: [{id: a, type: u1, valid: {min: 3, max: 2}}]\n",
    "unread": """
seq: [{id: a, type: u1, if: later > 0}]
instances: {later: {pos: 5, type: u1, valid: 3}}
""",
}


TOLD = r"cannot be drawn: later is not|filtering out a lot|Unable to satisfy"


def type_of(name: str, folder: Path, patch: pytest.MonkeyPatch) -> Type:
    text = f"meta: {{id: {name}, endian: le, encoding: ascii}}\n{FORMS[name]}"
    generated({name: text}, folder, f"made_of_{name}", patch)
    kind: Type = importlib.import_module(f"made_of_{name}.structs").type_named(name)
    return kind


@pytest.mark.parametrize("name", ["values", "many", "empty"])
def test_what_is_drawn_can_be_written(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind, sizes = type_of(name, tmp_path, monkeypatch), []

    @given(objects(kind))
    def come_back(obj: object) -> None:
        sizes.append(len(check_come_back(obj)))

    come_back()
    assert max(sizes) <= 2 * MOST_BYTES


@pytest.mark.parametrize("name", ["never", "unread"])
def test_what_cannot_be_drawn_is_told(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = type_of(name, tmp_path, monkeypatch)

    @settings(max_examples=5, database=None)
    @given(objects(kind))
    def drawn(obj: object) -> None:
        pass

    with pytest.raises((FailedHealthCheck, FormatError, Unsatisfiable), match=TOLD):
        drawn()
