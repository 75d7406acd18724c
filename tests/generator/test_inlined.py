"""How overlays change specs for the Web IDE."""

from pathlib import Path
from typing import Any

import pytest
from ksykit.generator.load import load_specs
from ksykit.generator.spec import SpecError
from ruamel.yaml import YAML

from tools.ksy.inlined import inlined_types

SPEC = """\
meta:
  id: pair
  title: Two numbers
  license: Apache-2.0
  ks-version: '0.11'
  endian: le
-kit-view: true
doc: |
  Two numbers.
  Of one byte each.
seq:
  - id: first
    type: u1
    -kit-value: '1'
  - id: second
    type: u1
    repeat: expr
    repeat-expr: 3
instances:
  sum:
    value: first + 1
types:
  inner:
    seq:
      - id: a
        type: u1
"""


def inlined(folder: Path, **overlays: str) -> dict[str, Any]:
    """The types that are made, by name: (parameters, imports, parsed text)."""
    specs = folder / "specs"
    specs.mkdir()
    (specs / "pair.ksy").write_text(SPEC)
    for name, text in overlays.items():
        (folder / f"{name}.yaml").write_text(text)
    made = inlined_types(load_specs(specs), folder)
    load = YAML(typ="safe").load
    return {
        name: (one["params"], one["imports"], load("\n".join([*one["lines"], ""]))[name])
        for name, one in made.items()
    }


def test_a_spec_without_overlay(tmp_path: Path) -> None:
    params, imports, made = inlined(tmp_path)["pair"]
    assert (params, imports) == ([], [])
    assert made["meta"] == {"endian": "le"}
    assert "-kit-view" not in made and made["seq"][0] == {"id": "first", "type": "u1"}
    assert made["doc"] == "Two numbers.\nOf one byte each.\n"


def test_an_overlay_changes_single_keys(tmp_path: Path) -> None:
    overlay = """\
meta:
  imports: [other]
params:
  - id: kind
    type: u1
seq:
  - id: start
    type: other(_io.pos)
  - id: second
    type: null
    repeat: null
    repeat-expr: null
    size: 3
instances:
  sum:
    doc: One more.
  text:
    value: first.to_s
types:
  inner:
    -webide-representation: '{a:dec}'
-webide-representation: '{text}'
"""
    found = inlined(
        tmp_path, pair=overlay, other="meta:\n  id: other\nparams:\n- id: at\n  type: s8"
    )
    params, imports, made = found["pair"]
    assert (params, imports) == (["kind"], ["other"])
    assert made["seq"] == [
        {"id": "first", "type": "u1"},
        {"id": "start", "type": "other(_io.pos)"},
        {"id": "second", "size": 3},
    ]
    assert made["instances"]["sum"] == {"value": "first + 1", "doc": "One more."}
    assert made["types"]["inner"]["seq"] == [{"id": "a", "type": "u1"}]
    assert list(made)[-1] == "-webide-representation"
    assert found["other"][0] == ["at"]


def test_an_overlay_of_another_spec_is_left_out(tmp_path: Path) -> None:
    assert list(inlined(tmp_path, unknown="doc: x")) == ["pair"]


@pytest.mark.parametrize(
    ("overlay", "says"),
    [
        ("seq:\n  - id: more\n    type: u1\n", "/seq/more: has no place"),
        ("sqe: []\n", "/sqe: is not supported"),
        ("types:\n  inner:\n    instance: {}\n", "/types/inner/instance: is not supported"),
    ],
)
def test_what_is_refused(overlay: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=says):
        inlined(tmp_path, pair=overlay)
