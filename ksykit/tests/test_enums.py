"""Enums: names that Python has for other things, and enums of one name in several types."""

import importlib
import re
from enum import IntEnum
from pathlib import Path
from typing import Any

import pytest
from ksykit.generator.generate import render_all, write_files
from ksykit.generator.load import load_specs
from ksykit.generator.spec import SpecError
from ksykit.runtime.objects import from_json, layout, to_bytes, to_json

SPEC = """
meta: {id: enums, endian: le}
seq:
  - {id: kind, type: u1, enum: kind}
  - {id: one, type: inner}
  - {id: all, type: u2, enum: kind, repeat: expr, repeat-expr: one.is_second.to_i * 3}
  - {id: text, terminator: 0%s}
enums: {kind: %s}
types:
  inner:
    seq:
      - {id: kind, type: u1, enum: kind}
      - {id: outer, type: u1, enum: 'enums::kind'}
    instances: {is_second: {value: 'kind == kind::second'}}
    enums: {kind: {0: first, 1: second}}
"""
NAMES = sorted({n for n in (*dir(IntEnum), *dir(type)) if re.fullmatch("[a-z][a-z_]*", n)})


def made(text: str, folder: Path, patch: pytest.MonkeyPatch) -> Any:
    """Return the module of the structs of a spec of enums."""
    (folder / "enums.ksy").write_text(text)
    package = f"made_of_{folder.name}"
    write_files(render_all(load_specs(folder), []), folder / package)
    patch.syspath_prepend(str(folder))
    return importlib.import_module(f"{package}.structs.enums")


def test_members_have_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Enum refuses `mro`; other names hide what its members and integers have."""
    module = made(SPEC % ("", dict(enumerate(NAMES))), tmp_path, monkeypatch)
    for number, name in enumerate(NAMES):
        one = module.make_inner(kind=1, outer=number)
        data = to_bytes(module.make_enums(kind=number, one=one, all=[number, 999, 0], text=b""))
        assert data == bytes([number, 1, number, number, 0, 999 & 255, 999 >> 8, 0, 0, 0])
        found = module.Enums.from_bytes(data)
        assert to_bytes(from_json(module.Enums, to_json(found))) == data == to_bytes(found)
        member = type(found.kind)[{"mro": "mro_"}.get(name, name)]
        assert [member, found.one.outer, *found.all] == [number, number, number, 999, 0]
        assert found.one.kind.name == "second" and len(layout(found)) == 7


def test_an_enum_is_known_when_its_type_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = made(SPEC % (", eos-error: false", {3: "outermost"}), tmp_path, monkeypatch)
    assert not hasattr(module, "Enums")
    found = module.Inner.from_bytes(b"\0\3")
    assert (found.kind.name, found.outer.name) == ("first", "outermost")


@pytest.mark.parametrize(
    ("enums", "message"),
    [("kind: {1: a, 2: a}", "a is there twice"), ("a_b: {}, a__b: {}", "is AB in Python twice")],
)
def test_names_that_are_there_twice_are_refused(enums: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "enums.ksy").write_text(f"meta: {{id: enums}}\nenums: {{{enums}}}\n")
    with pytest.raises(SpecError, match=message):
        render_all(load_specs(tmp_path))
