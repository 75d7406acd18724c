"""Convert a whole file to JSON, and the JSON back to the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ksykit.runtime import objects

from paimon_ksy.errors import PaimonKsyError, UnsupportedError, first_line, none_of
from paimon_ksy.generated.structs import type_named
from paimon_ksy.inspection.registry import FORMATS, kind_in
from paimon_ksy.io.corrupt import CorruptErrors
from paimon_ksy.io.file_format import FilePart
from paimon_ksy.io.file_kind import UNKNOWN, FileKind, known_kind
from paimon_ksy.io.source import Source
from paimon_ksy.types.schema import Schema

MAX_SIZE = 2**31
"""The size limit of a file, whose offsets are signed 32-bit integers."""

_SHOWN = 500
"""The most characters of an error, which may quote the input."""

# Errors for a document that does not describe a file.
_UNWRITABLE = (
    *(ValueError, KeyError, TypeError, AttributeError, IndexError),
    *(ArithmeticError, RecursionError),
)


def dump_file(
    source: Source,
    schema: Schema | None = None,
    *,
    kind: FileKind = UNKNOWN,
    on_step: Callable[[str], None] = lambda step: None,
) -> dict[str, Any]:
    """Return everything in a file as JSON, which `assemble` turns back into the same bytes.

    Args:
        source: The file.
        schema: The types of the columns. With a schema, indexes are JSON down to single values;
            without one, their bodies are bytes.
        kind: The kind of the file, if it does not follow from the bytes.
        on_step: Called with the name of each step.

    Raises:
        CorruptFileError: The head of the file is malformed.
        UnsupportedError: The file is of another kind, or of an unknown one.
    """
    on_step(f"reading {source.size:,} bytes")
    data = source.read(0, source.size)
    parts = file_parts(source, schema, kind)
    if not parts:
        names = ", ".join(each.kind.name for each in FORMATS.values() if each.is_read)
        message = f"is {known_kind(source, kind).title}: only these kinds can be dumped: {names}"
        raise UnsupportedError(message, path=source.name)
    head, *indexes = parts
    # Fields cannot represent every malformed index, which then stays bytes.
    whole = _document(parts, data, on_step)
    if whole is None:
        sound = [part for part in indexes if _document([head, part], data, on_step)]
        whole = _document([head, *sound], data, on_step)
    if whole is None:
        whole = _document([head], data, on_step)
    if whole is None:
        with CorruptErrors(source):
            head.parsed(source)
        raise AssertionError(f"the JSON of {source.name} does not reproduce its bytes")
    return whole


def file_parts(source: Source, schema: Schema | None, kind: FileKind = UNKNOWN) -> list[FilePart]:
    """Return the parts of a file, the head first; none if its format is unknown."""
    file_format = FORMATS.get(kind_in(source) if kind is UNKNOWN else kind)
    if file_format is None or not file_format.is_read:
        return []
    return file_format.parts_in(source, schema, 0, source.size)


def assemble(document: Any) -> bytes:
    """Return the file that a JSON document of `dump_file` describes, edited or not.

    Fields that are missing or null are computed. Unknown keys are errors, even with null.

    Raises:
        PaimonKsyError: The document cannot be written. The message names the field.
    """
    parts = document.get("parts") if isinstance(document, Mapping) else None
    if not isinstance(parts, list) or not all(isinstance(part, Mapping) for part in parts):
        raise PaimonKsyError('not the JSON of a dump: it has no "parts"; make one with `dump`')
    gaps = _gaps(document)
    _check_keys("the document", document, "parts", "gaps")
    for number, gap in enumerate(gaps):
        _check_keys(f"gaps[{number}]", gap, "at", "hex")
        _check_number(f"gaps[{number}].at", gap.get("at"))
    for number, part in enumerate(parts):
        _check_number(f"parts[{number}].at", part.get("at"))
        _check_part(f"parts[{number}]", part)
    try:
        return objects.parts_from_json(document, type_named)
    except _UNWRITABLE as error:
        message = f"the JSON cannot be written as a file: {first_line(error):.{_SHOWN}}"
        raise PaimonKsyError(message) from error


def _check_part(where: str, part: Mapping[str, Any]) -> None:
    """Raise if a part has unknown fields, or parameters that its type does not have."""
    special = [key for key in part if key.startswith("$")]
    _check_keys(where, special, "$type", "$params")
    params = part.get("$params") or {}
    if not isinstance(params, Mapping):
        raise PaimonKsyError(f"{where}.$params must be an object, not {params!r:.40}")
    try:
        expected = type_named(str(part.get("$type"))).params
    except _UNWRITABLE as error:
        raise PaimonKsyError(f"{where}.$type: {error}") from None
    _check_keys(f"{where}.$params", params, *expected)
    for name, value in params.items():
        _check_number(f"{where}.$params.{name}", value)


def _check_keys(where: str, there: Iterable[str], *expected: str) -> None:
    for key in there:
        if key not in expected:
            raise PaimonKsyError(
                f"{where} has no key {key!r:.60}{none_of(key, 'it has', expected)}"
            )


def _check_number(where: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < MAX_SIZE:
        raise PaimonKsyError(
            f"{where} must be a whole number from 0 to {MAX_SIZE - 1}, not {value!r:.40}"
        )


def _gaps(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    gaps = document.get("gaps") or []
    if isinstance(gaps, list) and all(
        isinstance(gap, Mapping) and isinstance(gap.get("hex"), str) for gap in gaps
    ):
        return gaps
    raise PaimonKsyError('"gaps" must be a list of objects with "at" and "hex"')


def _document(
    parts: list[FilePart], data: bytes, on_step: Callable[[str], None]
) -> dict[str, Any] | None:
    """Return the JSON of these parts and other bytes; None if it does not reproduce the bytes."""
    on_step(f"parsing {len(data):,} bytes")
    typed = [(part.start, part.type, part.params) for part in parts]
    try:
        document = objects.file_to_json(typed, data)
        on_step("checking that the JSON reproduces the bytes")
        return document if assemble(document) == data else None
    except (objects.FormatError, PaimonKsyError):
        return None
