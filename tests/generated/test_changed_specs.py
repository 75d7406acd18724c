"""Small changes of a spec need the spec alone: what is generated anew fits the code by hand."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from kit_support.compiled import need_compiler
from tests import ROOT
from tools.dist import copy_tracked

SCRIPT = """
import importlib, pathlib
root = pathlib.Path("paimon_ksy")
for path in sorted(root.rglob("*.py")):
    if path.name != "__main__.py" and "generated" not in path.parts:
        name = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
        importlib.import_module(name)
"""
SPEC, ENTRY = "bitmap_index_v2", "bitmap_entry_v2"
Change = Callable[[dict[str, Any]], None]


def put(owner: str, field: dict[str, Any], at: int, **types: Any) -> Change:
    """Return a change that adds a field to a type, and types to the spec."""

    def change(raw: dict[str, Any]) -> None:
        seq = (raw["types"][owner] if owner else raw)["seq"]
        seq.insert(at if at >= 0 else len(seq), {"id": "added", **field})
        raw.setdefault("types", {}).update(types)

    return change


def widen(owner: str, name: str, kind: str) -> Change:
    """Return a change of a number's type."""

    def change(raw: dict[str, Any]) -> None:
        seq = (raw["types"][owner] if owner else raw)["seq"]
        [field] = [field for field in seq if field["id"] == name]
        field["type"] = kind

    return change


ONE = {"seq": [{"id": "only", "type": "u2"}]}
PART = {"seq": [{"id": "low", "type": "u1"}, {"id": "high", "type": "u2"}]}
CHANGES: dict[str, tuple[str, Change]] = {
    "contents in a record": (SPEC, put(ENTRY, {"contents": [7, 7]}, 0)),
    "a type of one field in a record": (SPEC, put(ENTRY, {"type": "part"}, 1, part=ONE)),
    "a type of fields in a record": (SPEC, put(ENTRY, {"type": "part"}, 1, part=PART)),
    "a constant in a record": (SPEC, put(ENTRY, {"type": "u1", "valid": 3}, -1)),
    "bytes in a record": (SPEC, put(ENTRY, {"size": 3}, -1)),
    "a wider offset": (SPEC, widen(ENTRY, "ofs_bitmap", "s8")),
    "a constant in a vector": ("deletion_vectors", put("deletion_vector", {"contents": [1]}, 1)),
    "a wider count": ("bloom_filter_index", widen("", "num_hashes", "s8")),
    "a number in a head": ("range_bitmap_index", put("", {"type": "u2"}, -1)),
    "a type in a head": ("bsi_index", put("bsi_head", {"type": "part"}, -1, part=PART)),
    "a constant in a file": ("file_index", put("", {"type": "u1", "valid": 9}, 3)),
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("changed") / "project"
    copy_tracked(folder)
    (folder / ".cache").symlink_to(ROOT / ".cache")
    return folder


@pytest.mark.parametrize("case", CHANGES)
def test_the_spec_alone_is_changed(case: str, project: Path) -> None:
    need_compiler()
    name, change = CHANGES[case]
    path, yaml = project / "specs" / f"{name}.ksy", YAML()
    before = path.read_text(encoding="utf-8")
    raw = yaml.load(before)
    change(raw)
    with path.open("w", encoding="utf-8") as file:
        yaml.dump(raw, file)
    try:
        for command in (["-m", "tools.ksy", "generate"], ["-c", SCRIPT]):
            done = subprocess.run(
                [sys.executable, *command],
                cwd=project,
                env={**os.environ, "PYTHONPATH": f"{project}{os.pathsep}{project / 'ksykit/src'}"},
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr[-2000:]
    finally:
        path.write_text(before, encoding="utf-8")
