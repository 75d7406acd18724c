"""Convert columns of Arrow data to texts and to JSON, by Arrow where it writes what Python does."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from paimon_ksy.types.arrays import filled, to_arrow_scalar
from paimon_ksy.types.data_type import TICK_NANOS
from paimon_ksy.types.literals import date_text, time_text

_DAY = 86_400 * 10**9
_DAYS = -719_162, 2_932_897
"""The first day whose year has four digits and no sign, and the day after the last one."""
_LEAST_PLAIN = 1e-4
"""The least number that Python writes without an exponent."""
_NOT_ASCII = r"[^ !#-\[\]-~]"
_TO_ESCAPE = r'["\\\x00-\x1f]'
_TEXT = pa.large_string()


def text_array(values: Iterable[str | None]) -> pa.Array:
    """Return texts as an array."""
    return pa.array(values, _TEXT)


_FEW = 10_000
"""From so many texts on, `to_numpy` returns them in a tenth of the time of `to_pylist`, which takes
a microsecond for each; but it loads pandas, in 300 ms."""


def text_list(column: pa.Array) -> list[str | None]:
    """Return the texts of a column."""
    found = texts(column)
    if len(found) < _FEW:
        few: list[str | None] = found.to_pylist()
        return few
    listed: list[str | None] = found.to_numpy(zero_copy_only=False).tolist()
    return listed


def joined(*parts: pa.Array | str, null: str | None = None) -> pa.Array:
    """Return the texts of each row as one; a `str` is in all rows, and `null` replaces nulls."""
    every = [
        to_arrow_scalar(part, _TEXT) if isinstance(part, str) else part for part in (*parts, "")
    ]
    nulls = "emit_null" if null is None else "replace"
    return pc.binary_join_element_wise(*every, null_handling=nulls, null_replacement=null or "")


def json_texts(column: pa.Array, *, ascii_only: bool = True) -> pa.Array:
    """Return the JSON of each value; nulls stay null.

    Times and timestamps are ISO 8601 strings, those with a time zone in UTC with a Z. Decimals are
    strings, binary is hexadecimal. NaN and the infinities, which JSON lacks, are strings. A MAP is
    an object, with its keys as strings.
    """
    kind = column.type
    if pa.types.is_dictionary(kind):
        return json_texts(column.dictionary, ascii_only=ascii_only).take(column.indices)
    if pa.types.is_nested(kind):
        nested = partial(json_texts, ascii_only=ascii_only)
        found = _objects(column, nested) if pa.types.is_struct(kind) else _lists(column, nested)
        return pc.if_else(column.is_valid(), found, None)
    found = texts(column)
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind) or pa.types.is_null(kind):
        return found
    quoted = _quoted(found, ascii_only=ascii_only) if is_text(kind) else joined('"', found, '"')
    return pc.if_else(pc.is_finite(column), found, quoted) if _is_float(kind) else quoted


_Nested = Callable[[pa.Array], pa.Array]


def _quoted(found: pa.Array, *, ascii_only: bool) -> pa.Array:
    odd = pc.match_substring_regex(found, _NOT_ASCII if ascii_only else _TO_ESCAPE)
    escaped = encode_basestring_ascii if ascii_only else encode_basestring
    return joined('"', _mended(found, odd, found, lambda text: escaped(text)[1:-1]), '"')


def _objects(column: pa.Array, nested: _Nested) -> pa.Array:
    parts, before = list[Any](), "{"
    for field, values in zip(column.type, column.flatten(), strict=True):
        [name] = nested(pa.array([field.name])).to_pylist()
        parts += [f"{before}{name}: ", nested(values)]
        before = ", "
    return joined(*parts, "}", null="null") if parts else text_array(["{}"] * len(column))


def _lists(column: pa.Array, nested: _Nested) -> pa.Array:
    kind = column.type
    if pa.types.is_fixed_size_list(kind):
        column = column.cast(pa.list_(kind.value_field))
    first, last = column.offsets[0].as_py(), column.offsets[-1].as_py()
    if is_map := pa.types.is_map(kind):
        names, values = nested(column.keys[first:last]), column.items[first:last]
        names = pc.if_else(pc.starts_with(names, '"'), names, nested(names))
        items = joined(names, ": ", nested(values), null="null")
    else:
        items = filled(nested(column.values[first:last]), "null")
    offsets = pc.subtract(column.offsets, first).cast(pa.int64())
    listed = pa.LargeListArray.from_arrays(offsets, items)
    begin, end = "{}" if is_map else "[]"
    return joined(begin, pc.binary_join(listed, to_arrow_scalar(", ", _TEXT)), end)


def texts(column: pa.Array) -> pa.Array:
    """Return the text of each value, as `json_texts` does, but without quotes; nulls stay null."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return texts(column.dictionary).take(column.indices)
    if pa.types.is_nested(kind):
        return json_texts(column, ascii_only=False)
    for is_kind, convert in _TEXTS.items():
        if is_kind(kind):
            return convert(column)
    return column.cast(_TEXT)


def is_text(kind: pa.DataType) -> bool:
    """Return whether the values of a column are strings."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _is_float(kind: pa.DataType) -> bool:
    return bool(pa.types.is_floating(kind))


def _mended(
    found: pa.Array, odd: pa.Array, column: pa.Array, convert: Callable[[Any], str]
) -> pa.Array:
    """Return texts in which those of odd values are converted one by one."""
    odd = filled(odd, False)
    if not pc.any(odd).as_py():
        return found
    return pc.replace_with_mask(
        found, odd, text_array(map(convert, column.filter(odd).to_pylist()))
    )


def _strings(column: pa.Array) -> pa.Array:
    try:
        column.validate(full=True)
    except pa.ArrowInvalid:  # no UTF-8
        values = column.cast(pa.large_binary()).to_pylist()
        return text_array(None if v is None else v.decode("utf-8", "replace") for v in values)
    return column.cast(_TEXT)


def _binary(column: pa.Array) -> pa.Array:
    return text_array(None if value is None else value.hex() for value in column.to_pylist())


def _decimals(column: pa.Array) -> pa.Array:
    found = column.cast(_TEXT)
    return _mended(found, pc.match_substring(found, "E"), column, lambda value: f"{value:f}")


def _floats(column: pa.Array) -> pa.Array:
    is_single = pa.types.is_float32(column.type)
    found, size = column.cast(_TEXT), pc.abs(column)
    is_small = pc.and_(pc.less(size, _LEAST_PLAIN), pc.greater(size, 0))
    odd = pc.or_(is_small, pc.match_substring_regex(found, "[en]"))  # an exponent, inf or nan
    found = pc.if_else(pc.match_substring(found, "."), found, joined(found, ".0"))
    return _mended(found, odd, column, partial(_number, is_single=is_single))


def _number(value: float, *, is_single: bool) -> str:
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return str(float(str(np.float32(value))) if is_single else value)


def _moments(column: pa.Array) -> pa.Array:
    """Return dates, times and timestamps in ISO 8601, without the last zeros of a fraction."""
    kind, is_time = column.type, pa.types.is_time(column.type)
    is_date = pa.types.is_date(kind)
    ticks = column.view(pa.int32() if kind.bit_width == 32 else pa.int64())
    nanos = _DAY if is_date else TICK_NANOS[kind.unit]
    days = (0, 1) if is_time else _DAYS
    first, last = (day * (_DAY // nanos) for day in days)
    bounds = max(first, -(2**63)), min(last, 2**63) - 1
    least, greatest = (to_arrow_scalar(bound, pa.int64()) for bound in bounds)
    odd = pc.or_(pc.less(ticks, least), pc.greater(ticks, greatest))

    def text(tick: int) -> str:
        day, rest = divmod(tick * nanos, _DAY)
        clock = "" if is_date else time_text(rest)
        return clock if is_time else f"{date_text(day)}T{clock}".rstrip("T")

    if is_date or is_time:
        found = column.cast(_TEXT)
    else:
        plain = ticks.view(pa.timestamp(kind.unit)).cast(_TEXT)
        found = pc.binary_replace_slice(plain, 10, 11, "T")
    if nanos < 10**9:
        found = pc.ascii_rtrim(pc.ascii_rtrim(found, "0"), ".")
    found = _mended(found, odd, ticks, text)
    return joined(found, "Z") if getattr(kind, "tz", None) else found


_TEXTS: dict[Callable[[pa.DataType], bool], Callable[[pa.Array], pa.Array]] = {
    is_text: _strings,
    pa.types.is_binary: _binary,
    pa.types.is_large_binary: _binary,
    pa.types.is_fixed_size_binary: _binary,
    pa.types.is_decimal: _decimals,
    _is_float: _floats,
    pa.types.is_temporal: _moments,
}
