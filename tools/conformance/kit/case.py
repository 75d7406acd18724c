"""A case of the kit: what is in its case.json, and its other files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from conformance.run import Check, checks_of
from tools import jvm
from tools.jvm import LOCK, read_lock


class UnknownDifferenceError(Exception):
    """The library answers otherwise than expected, and no known deviation explains it."""


@dataclass(frozen=True)
class Case:
    """A case: its folder in the kit, what is in case.json, and other files by name."""

    path: str
    document: Mapping[str, Any]
    files: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """The folder of such cases."""
        return self.path.partition("/")[0]

    @property
    def file(self) -> bytes:
        """The only file."""
        [data] = self.files.values()
        return data

    def having(self, files: Mapping[str, bytes] | None = None, **keys: Any) -> Case:
        """Return the case with other keys in case.json, in their places, and other files."""
        return replace(self, document={**self.document, **keys}, files=files or self.files)

    def checks(self, kit: Path) -> Iterable[Check]:
        """Return what a runner is asked, with the files of the case as they are in a kit."""
        return checks_of(self.path, self.document, kit / self.path)

    def texts(self) -> dict[str, bytes]:
        """Return all files as they are written, by their names."""
        return {"case.json": to_text({**self.document, "made": provenance()}), **self.files}

    def write(self, kit: Path) -> int:
        """Replace the folder of the case in a kit; return how many bytes it has."""
        folder, texts = kit / self.path, self.texts()
        for path in folder.rglob("*"):
            if path.is_file() and path.relative_to(folder).as_posix() not in texts:
                path.unlink()
        for name, data in texts.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists() or path.read_bytes() != data:
                path.write_bytes(data)
        return sum(map(len, texts.values()))


def read_cases(kit: Path) -> Iterator[Case]:
    """Yield all cases of a kit."""
    for path in sorted(kit.glob("*/*/case.json")):
        files = {
            file.relative_to(path.parent).as_posix(): file.read_bytes()
            for file in sorted(path.parent.rglob("*"))
            if file.is_file() and file != path
        }
        name = path.parent.relative_to(kit).as_posix()
        yield Case(name, json.loads(path.read_text(encoding="utf-8")), files)


def provenance() -> dict[str, Any]:
    """Return what made the kit; its version changes with any change of a case or the protocol."""
    [library] = [
        jar.coordinate for jar in read_lock(LOCK.read_text()) if "bundle" in jar.coordinate
    ]
    return {"kit": 1, "generator": "tools.conformance.kit", "library": library, "seed": 1}


def to_text(document: Mapping[str, Any]) -> bytes:
    """JSON with a line for each key, and for each item of a list of lists or objects."""
    lines = []
    for key, value in document.items():
        if isinstance(value, list) and any(isinstance(i, list | tuple | dict) for i in value):
            items = ",\n  ".join(map(_compact, value))
            lines.append(f" {_compact(key)}: [\n  {items}\n ]")
        else:
            lines.append(f" {_compact(key)}: {_compact(value)}")
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def asked(java: jvm.Session, request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the library's answer to a request of a check, which may be an error."""
    try:
        return java.ask(request)
    except jvm.JavaError as error:
        return {"error": str(error)}
