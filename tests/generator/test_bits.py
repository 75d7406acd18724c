"""Bits to the end of a window: the writer reads and writes what Kaitai's parser reads."""

from __future__ import annotations

import importlib
import random
from pathlib import Path

import pytest

from paimon_ksy.generator.compiler import CompilerMissing
from paimon_ksy.generator.generate import render_all, write_files
from paimon_ksy.generator.load import load_specs
from paimon_ksy.runtime.objects import from_json, to_bytes, to_json
from tests.conftest import skip_or_fail

WIDTHS = [1, 2, 4, 8, 12]


def test_bits_to_the_end_of_a_window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    specs = tmp_path / "specs"
    specs.mkdir()
    for end in ("be", "le"):
        seq = "".join(f"  - {{id: w{width}, size: 4, type: {end}{width}}}\n" for width in WIDTHS)
        types = "".join(
            f"  {end}{width}: {{seq: [{{id: tag, type: u1}}, "
            f"{{id: bits, type: b{width}, repeat: eos}}]}}\n"
            for width in WIDTHS
        )
        head = f"meta: {{id: bits_{end}, endian: {end}, bit-endian: {end}}}\n"
        (specs / f"bits_{end}.ksy").write_text(f"{head}seq:\n{seq}types:\n{types}")
    try:
        write_files(render_all(load_specs(specs), []), tmp_path / "made_of_bits")
    except CompilerMissing as error:
        skip_or_fail("network", f"network: {error}")
    monkeypatch.syspath_prepend(str(tmp_path))
    for end in ("be", "le"):
        parser = getattr(
            importlib.import_module(f"made_of_bits.parsers.bits_{end}"), f"Bits{end.title()}"
        )
        writers = importlib.import_module("made_of_bits.writers")
        kind = writers.type_named(f"bits_{end}")
        data = random.Random(1).randbytes(4 * len(WIDTHS))
        parsed = parser.from_bytes(data)
        for width in WIDTHS:
            assert len(getattr(parsed, f"w{width}").bits) == 24 // width
        assert to_bytes(parsed) == data
        assert to_bytes(from_json(kind, to_json(parsed))) == data
