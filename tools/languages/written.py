"""Python that the Kaitai compiler makes with `-w`, which also writes: a second opinion on bytes."""

from __future__ import annotations

import importlib
import io
import re
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from kaitaistruct import KaitaiStream

from paimon_ksy.runtime.objects import FormatError, to_bytes
from paimon_ksy.runtime.stream import KaitaiStream as Stream
from tools.languages.readers import Generated
from tools.languages.specs import raw_specs
from tools.languages.trees import Case, parser

EXCEPTIONS: dict[str, str] = {
    "bad/length_zero": "the length of a body is 0: no field has its bytes",
    "bad/trailing_garbage": "no field has the bytes after the last body",
    "bad/unknown_index_type_empty": "no field has the bytes of an index without a body",
}
"""Files that are read and not written with the same bytes, and why."""


class PythonWriter(Generated):
    """Modules of Python as a package, whose objects read and write."""

    key, title, sources = "python_write", "Python with -w", ()

    def _text(self, text: str) -> str:
        return re.sub(
            rf"^import (?=(?:{'|'.join(raw_specs())})$)", "from . import ", text, flags=re.M
        )

    def parsed(self, case: Case) -> Any:
        """Return a case as an object that writes itself, with all its instances."""
        made = parser(_package(self.folder()), case.type)
        parsed = made(*case.arguments, KaitaiStream(io.BytesIO(case.data)))
        parsed._read()
        parsed._fetch_instances()
        return parsed

    def written(self, case: Case) -> bytes | None:
        """Return what is written after reading a case, None if it cannot be read."""
        try:
            parsed = self.parsed(case)
        except Exception:  # what parsers raise on malformed bytes is any error
            return None
        return write(parsed, len(case.data))


def write(parsed: Any, size: int) -> bytes:
    """Return what an object of `-w` writes into so many bytes."""
    with KaitaiStream(io.BytesIO(bytes(size))) as stream:
        parsed._write(stream)
        return bytes(stream.to_byte_array())


def write_differences(writer: PythonWriter, cases: Sequence[Case]) -> tuple[int, list[str]]:
    """Compare the bytes of `-w`, those of our writers and those that were read.

    Returns:
        How many cases are written alike, and a line for each difference that is not among
        `EXCEPTIONS`, and for each exception that is not needed.
    """
    same, differences = 0, []
    for case in cases:
        theirs = writer.written(case)
        if theirs is None:
            continue
        ours = _ours(case)
        if case.name in EXCEPTIONS:
            if theirs == case.data or ours == case.data:
                differences.append(f"{case.name} is written alike: drop it from EXCEPTIONS")
        elif not theirs == ours == case.data:
            differences.append(f"{case.name} ({case.type}): {_which(theirs, ours, case.data)}")
        else:
            same += 1
    return same, differences


def _ours(case: Case) -> bytes | None:
    try:
        parsed = parser("paimon_ksy.generated.parsers", case.type)(
            *case.arguments, Stream(io.BytesIO(case.data))
        )
        return to_bytes(parsed)
    except FormatError:
        return None


def _which(theirs: bytes, ours: bytes | None, data: bytes) -> str:
    names = {"-w": theirs == data, "our writer": ours == data}
    return " and ".join(name for name, same in names.items() if not same) + " write other bytes"


@cache
def _package(folder: Path) -> str:
    sys.path.insert(0, str(folder.parent))
    importlib.import_module(folder.name)
    return folder.name
