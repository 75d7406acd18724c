"""The Roaring specs as a folder to send to https://github.com/kaitai-io/kaitai_struct_formats.

A spec for the gallery has the layout and nothing else: no fields without bytes, no other views of
the same bytes, and no keys that only our generator understands.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyroaring import BitMap, BitMap64
from ruamel.yaml import YAML

SPECS = ("roaring_bitmap_32", "roaring_bitmap_64")
_KEPT = ("-orig-id", "-webide-representation")
_NO_BYTES = "position"
"""The type of fields that only remember their position."""

_NOTE = """\
# Roaring bitmaps

`serialization` has two specs: Roaring bitmaps of 32-bit and of 64-bit integers, in the portable
format that the libraries in C, Java and Go exchange. Apache Iceberg and Apache Paimon store sets of
deleted rows in it.

To test the specs, open a file in `samples`, which CRoaring wrote. Its name is the kind of
container. `BitMap.serialize` and `BitMap64.serialize` of the Python package pyroaring write more.
Both kinds of header are there: bitmaps with runs and without.
"""


def gallery_spec(text: str) -> str:
    """Return a spec as the gallery has it, with the same style of YAML."""
    yaml = YAML()
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.width = 1000
    spec = yaml.load(text)
    imports = [name for name in spec["meta"].get("imports", ()) if name != _NO_BYTES]
    if imports:
        spec["meta"]["imports"] = imports
    else:
        spec["meta"].pop("imports", None)
    types, reached = spec.get("types", {}), [spec]
    for body in reached:  # which grows
        for attribute in (*body.get("seq", ()), *body.get("instances", {}).values()):
            child = types.get(_type(attribute))
            if child is not None and not any(child is other for other in reached):
                reached.append(child)
    for name in [name for name in types if not any(types[name] is body for body in reached)]:
        del types[name]
    _clean(spec)
    out = io.StringIO()
    yaml.dump(spec, out)
    return out.getvalue()


def _clean(value: Any) -> None:
    if isinstance(value, dict):
        for key in [key for key in value if str(key)[:1] == "-" and key not in _KEPT]:
            del value[key]
        for child in value.values():
            _clean(child)
    elif isinstance(value, list):
        value[:] = [v for v in value if not (isinstance(v, dict) and _type(v) == _NO_BYTES)]
        for child in value:
            _clean(child)


def _type(attribute: Any) -> str:
    return str(attribute.get("type", "")).partition("(")[0].strip()


def samples() -> Iterator[tuple[str, list[int], bytes]]:
    """Yield file names, the integers in the files, and their bytes."""
    sets = {
        "empty": range(0),
        "array": range(0, 5000, 7),
        "bitset": range(0, 65536, 2),
        "several": [*range(0, 400_000, 50)],
    }
    for name, values in sets.items():
        yield f"{name}.roaring32", list(values), BitMap(values).serialize()
        wide = [value + (key << 32) for key in (0, 1) for value in values]
        yield f"{name}.roaring64", wide, BitMap64(wide).serialize()
    runs = BitMap([*range(10, 5000), *range(70_000, 140_000)])
    runs.run_optimize()
    yield "runs.roaring32", list(runs), runs.serialize()


def write_gallery(specs: Path, out: Path) -> list[Path]:
    """Write the folder; return the paths of its files."""
    contents = {"README.md": _NOTE.encode()}
    for name in SPECS:
        text = (specs / f"{name}.ksy").read_text(encoding="utf-8")
        contents[f"serialization/{name}.ksy"] = gallery_spec(text).encode()
    contents |= {f"samples/{name}": data for name, _, data in samples()}
    for name, data in contents.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(data)
    return [out / name for name in contents]
