"""The folder for the gallery of Kaitai Struct stands alone: it compiles, and reads its samples."""

import importlib
from pathlib import Path

import pytest

from paimon_ksy.generator.compiler import LANGUAGES, CompilerMissing, compile_specs
from paimon_ksy.generator.load import load_specs
from tests import ROOT
from tests.conftest import skip_or_fail
from tests.support.file_indexes import values_of
from tools.ksy.gallery import SPECS, samples, write_gallery
from tools.ksy.lint import lint


def test_the_folder_compiles_and_reads_its_samples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_gallery(ROOT / "specs", tmp_path)
    folder = tmp_path / "serialization"
    specs = load_specs(folder)
    assert [*specs] == [*SPECS]
    assert lint(folder, specs) == []
    raw = {name: spec.raw for name, spec in specs.items()}
    try:
        compiled = compile_specs(raw, LANGUAGES)
    except CompilerMissing as error:
        skip_or_fail("network", f"network: {error}")
    assert not [
        answer for found in compiled.values() for answer in found.values() if "error" in answer
    ]
    for answer in compiled["python"].values():
        for name, text in answer["files"].items():
            (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    narrow = importlib.import_module("roaring_bitmap_32").RoaringBitmap32
    wide = importlib.import_module("roaring_bitmap_64").RoaringBitmap64
    for name, values, data in samples():
        assert (tmp_path / "samples" / name).read_bytes() == data
        if name.endswith("32"):
            assert values_of(narrow.from_bytes(data)) == values
        else:
            keyed = wide.from_bytes(data).bitmaps
            found = [low + (each.key << 32) for each in keyed for low in values_of(each.bitmap)]
            assert found == values


def test_only_the_layout_is_sent(tmp_path: Path) -> None:
    write_gallery(ROOT / "specs", tmp_path)
    for name in SPECS:
        text = (tmp_path / "serialization" / f"{name}.ksy").read_text(encoding="utf-8")
        keys = {line.strip().partition(":")[0] for line in text.splitlines()}
        assert not any(key.startswith("-pk-") for key in keys)
        assert "position(" not in text and "- position" not in text
        assert len(text) > 800
