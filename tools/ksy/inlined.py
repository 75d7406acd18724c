"""Each spec as a nested type, so that one .ksy without imports has all that a file needs.

Files in `webide/` change these types so that the Kaitai Web IDE shows values as text, and reads
what is long only when someone looks at it. Parsers, views and writers know nothing of them.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ksykit.generator.spec import Spec, SpecError
from ruamel.yaml import YAML
from ruamel.yaml.scalarstring import LiteralScalarString

OVERLAYS = Path(__file__).parent / "webide"
_PLACELESS = {"id", "-orig-id", "doc", "doc-ref"}
_ORDER = (
    "meta", "doc", "doc-ref", "params", "seq", "instances", "types", "enums",
    "-webide-representation",
)  # fmt: skip


def inlined_types(specs: Mapping[str, Spec], overlays: Path = OVERLAYS) -> dict[str, Any]:
    """Return the parameters, the imports and the lines of YAML of each spec, by name.

    Types that only overlays have are there, too. Raises SpecError.
    """
    raws = {name: spec.raw for name, spec in specs.items()}
    for path in sorted(overlays.glob("*.yaml")):
        overlay = YAML(typ="safe").load(path)
        place = f"{path.parent.name}/{path.name}"
        if path.stem not in raws and "id" not in overlay.get("meta", {}):
            continue  # the specs are others, of a test
        raws[path.stem] = _merged(raws.get(path.stem, {}), overlay, place, "")
    types = {}
    for name, raw in sorted(raws.items()):
        meta = raw["meta"]
        body = {key: raw[key] for key in _ORDER if key in raw}
        body["meta"] = {"endian": meta["endian"]} if "endian" in meta else None
        types[name] = {
            "params": [param["id"] for param in raw.get("params", ())],
            "imports": list(meta.get("imports", ())),
            "lines": _yaml({name: _without_ours(body)}).splitlines(),
        }
    return types


def _merged(raw: Mapping[str, Any], overlay: Mapping[str, Any], file: str, path: str) -> Any:
    """A type with an overlay's keys: ids and types one by one, all other keys in its place."""
    merged = dict(raw)
    for key, value in overlay.items():
        here = f"{path}/{key}"
        if key == "meta":
            before = raw.get("meta", {})
            imports = [*before.get("imports", ()), *value.get("imports", ())]
            merged[key] = {**before, **value, "imports": list(dict.fromkeys(imports))}
        elif key == "seq":
            merged[key] = _fields(raw.get("seq", ()), value, file, here)
        elif key == "params":
            merged[key] = [*raw.get("params", ()), *value]
        elif key == "instances":
            old = raw.get("instances", {})
            merged[key] = old | {id: _updated(old.get(id, {}), new) for id, new in value.items()}
        elif key == "types":
            old = raw.get("types", {})
            merged[key] = old | {
                name: _merged(old.get(name, {}), new, file, f"{here}/{name}")
                for name, new in value.items()
            }
        elif key in _ORDER:
            merged[key] = value
        else:
            raise SpecError(file, here, "is not supported", f"use the keys {', '.join(_ORDER)}")
    return merged


def _fields(
    old: list[dict[str, Any]], new: list[dict[str, Any]], file: str, path: str
) -> list[dict[str, Any]]:
    """Fields of the same id are updated; others go before the next one that is.

    A field of which the id, texts, and keys of this generator are left is removed.
    """
    if not old:
        return new
    changed = {field["id"] for field in new} & {field["id"] for field in old}
    added: dict[str, list[dict[str, Any]]] = {}
    waiting: list[dict[str, Any]] = []
    for field in new:
        if field["id"] in changed:
            added[field["id"]], waiting = waiting, []
        else:
            waiting.append(field)
    if waiting:
        remedy = "name the field of the spec that follows it"
        raise SpecError(file, f"{path}/{waiting[0]['id']}", "has no place", remedy)
    updates = {field["id"]: field for field in new}
    fields: list[dict[str, Any]] = []
    for field in old:
        fields += [*added.get(field["id"], ()), _updated(field, updates.get(field["id"], {}))]
    return [
        f for f in fields if not _PLACELESS.issuperset(k for k in f if not k.startswith("-kit-"))
    ]


def _updated(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """An attribute with other values of some keys; null removes one."""
    return {key: value for key, value in {**old, **new}.items() if value is not None}


def _without_ours(raw: Any) -> Any:
    """YAML without the keys of this generator, and with long texts as blocks."""
    if isinstance(raw, dict):
        return {
            key: _without_ours(value)
            for key, value in raw.items()
            if not str(key).startswith("-kit-") and value is not None
        }
    if isinstance(raw, list):
        return [_without_ours(value) for value in raw]
    return LiteralScalarString(raw) if isinstance(raw, str) and "\n" in raw else raw


def _yaml(document: Any) -> str:
    yaml = YAML()
    yaml.default_flow_style = False
    yaml.width = 10**6
    yaml.indent(mapping=2, sequence=4, offset=2)
    out = io.StringIO()
    yaml.dump(document, out)
    return out.getvalue()
