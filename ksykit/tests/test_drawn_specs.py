"""Random specs are refused by name, or all readers agree on data of them."""

from __future__ import annotations

import random
from copy import deepcopy
from dataclasses import fields
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from ksykit.generator import expression
from ksykit.generator.load import load_specs
from ksykit.generator.render import render_ours
from ksykit.generator.spec import (
    NUMBERS,
    PROCESSES,
    REPEATS,
    Attribute,
    SpecError,
    Terminator,
    Valid,
)
from ruamel.yaml import YAML

from kit_support.compiled import need_compiler
from kit_support.examples import examples
from kit_support.judging import Report, judge, places
from kit_support.random_specs import CONTAINERS, FORMS, PLACES, SYMBOLS, RandomSpec

SEED = 1
COUNT = 400
"""By which all of the tables is drawn."""
OWN = {"encoding", "value", "runs", "ascending", "examples", "max_size"}
"""Of keys that only the generator has."""


def test_readers_agree() -> None:
    """Of 200 specs in all runs, and of all by `make random-specs`."""
    need_compiler()
    report = Report()
    judge(SEED, range(2 * examples(100).max_examples), report)
    assert not report.wrong, "\n".join(report.wrong)
    total = sum(report.counts[name] for name in ("agree", "refused", "left out", "unjudged"))
    assert report.counts["agree"] > 0.9 * total
    assert report.counts["data that are read"] > total
    assert report.counts["files written from nothing"] > total


@pytest.fixture(scope="module")
def drawn() -> list[RandomSpec]:
    return [RandomSpec(SEED, number) for number in range(COUNT)]


def test_each_operator_is_in_each_place(drawn: list[RandomSpec]) -> None:
    """And each repeat and terminator in each container; new ones of the tables have to be drawn."""
    used = set().union(*(spec.used for spec in drawn))
    assert used >= {*product(SYMBOLS, PLACES)}
    assert used >= {*product((form for form, _ in FORMS), CONTAINERS)}
    assert {*SYMBOLS} >= {*expression.OPERATORS, *expression.PREFIXES} - {"//."}
    assert {form for form, _ in FORMS} >= {f"repeat {kind}" for kind in REPEATS}


def test_each_option_of_fields_is_drawn(
    drawn: list[RandomSpec], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """And each kind of number, of encoded bytes and of expressions."""
    folder, yaml = tmp_path_factory.mktemp("drawn"), YAML()
    for spec in drawn[:200]:
        yaml.dump(spec.yaml(), folder / f"{spec.name}.ksy")
    types = [t for spec in load_specs(folder).values() for t in spec.types]
    found: set[Any] = {type(part) for t in types for n in t.nodes for part in expression.walk(n)}
    for one in (case for t in types for a in (*t.seq, *t.positioned) for case in (a, *a.cases)):
        for part in (one, one.valid, one.terminator):
            for field in fields(part) if part is not None else ():
                if getattr(part, field.name) not in (field.default, None):
                    found.add((type(part), field.name))
        found |= {getattr(one.type, "name", None), one.process and one.process.name}
    every = {(cls, f.name) for cls in (Attribute, Valid, Terminator) for f in fields(cls)}
    replaced = {expression.Cast, expression.SizeOf, expression.Call, (Valid, "in_enum")}
    wanted = {*NUMBERS, *PROCESSES, *expression.Node.__subclasses__(), *every}
    assert wanted - {(Attribute, name) for name in OWN} - replaced <= found  # Call: -kit-value


VALUES: tuple[Any, ...] = ([], {}, 3, None, [1], {"a": 1}, "x", True, -1, 1.5, [[]], {"id": 3}, "")


def test_malformed_specs_are_refused_by_name(
    drawn: list[RandomSpec], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any part of a spec may be any other value: that is accepted, or an error in one line."""
    raws: dict[str, Any] = {}
    monkeypatch.setattr("ksykit.generator.load.read_yaml", lambda path, _: raws[path.stem])
    draw, refused = random.Random(SEED), 0
    for spec in drawn[: examples(400).max_examples]:
        whole = spec.yaml()
        (tmp_path / f"{spec.name}.ksy").touch()
        for *path, key in draw.sample(places(whole), 5):
            owner = raws[spec.name] = deepcopy(whole)
            for step in path:
                owner = owner[step]
            owner[key] = draw.choice(VALUES)
            try:
                render_ours(load_specs(tmp_path / f"{spec.name}.ksy"), [], is_tidy=False)
            except SpecError as error:
                refused += 1
                assert "\n" not in str(error) and "bug" not in str(error)
    assert refused > len(VALUES)


LEB128 = {
    "a wider element": "[{id: x, type: u2, repeat: until, repeat-until: _ < 128}]",
    "another end": "[{id: x, type: u1, repeat: until, repeat-until: _ < 64}]",
    "no repeat": "[{id: x, type: u4}]",
    "one group": "[{id: x, type: u1, repeat: until, repeat-until: _ < 128}]",
}


@pytest.mark.parametrize("case", LEB128)
def test_a_type_that_is_not_leb128_is_refused(case: str, tmp_path: Path) -> None:
    value = "x" if case == "no repeat" else "x[0] & 127"
    text = f"meta: {{id: a, endian: le}}\n-kit-leb128: true\nseq: {LEB128[case]}\n"
    (tmp_path / "a.ksy").write_text(f"{text}instances: {{value: {{value: '{value}'}}}}")
    with pytest.raises(SpecError, match=r"a\.ksy.*leb128: is on a type that is not LEB128"):
        load_specs(tmp_path)
