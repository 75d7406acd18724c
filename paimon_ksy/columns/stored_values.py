"""Keys: the stored values of an index, in a form that sorts like the index."""

from __future__ import annotations

from operator import lt
from typing import TYPE_CHECKING, Any, TypeAlias

from ksykit.runtime.late import np

from paimon_ksy.types.data_type import INTEGER_BITS, DataType, from_unscaled, from_utf8

if TYPE_CHECKING:
    from numpy.typing import NDArray

Keys: TypeAlias = "NDArray[Any] | list[Any]"
"""Keys of an index: numbers in the form of `sortable` as an array, or a list of a few; strings as a
list of bytes."""

_FLOATS = {"FLOAT": "f4", "DOUBLE": "f8"}

NEGATIVE_ZERO = -1
"""The key of -0.0; that of 0.0 is 0."""


def sortable(values: NDArray[Any]) -> NDArray[Any]:
    """Map values to integers in the same order; integers stay unchanged.

    Floats have the order of Java's `Float.compare`: -0.0 comes before 0.0, and all NaNs become the
    one of Java's `floatToIntBits`, which is above Infinity.
    """
    if values.dtype.kind != "f":
        return values
    bits: NDArray[Any] = values.view(np.dtype(f"i{values.dtype.itemsize}"))
    nan = np.isnan(values)
    if nan.any():
        bits = np.where(nan, np.array(np.nan, values.dtype).view(bits.dtype), bits)
    return _flipped(bits)


def floats_of(keys: NDArray[Any]) -> NDArray[Any]:
    """Return the floats for which `sortable` returns these keys."""
    return _flipped(keys).view(np.dtype(f"f{keys.dtype.itemsize}"))


def _flipped(bits: NDArray[Any]) -> NDArray[Any]:
    """Reverse the order of negative numbers, whose magnitude grows downwards."""
    info = np.iinfo(bits.dtype)
    flipped: NDArray[Any] = bits ^ ((bits >> (info.bits - 1)) & info.max)
    return flipped


def stored_values(column: Any, data_type: DataType) -> Any:
    """Return a column of a view as values: a list, or for floats, an array."""
    kind = _FLOATS.get(data_type.root)
    if kind is not None:
        return np.asarray(column, kind)
    return list(column) if isinstance(column, tuple | list) else column.tolist()


def keys_of(column: Any, data_type: DataType) -> Keys:
    """Return a column of a view as keys: an array if the column is an array, else a list."""
    if not isinstance(column, tuple | list):
        return sortable(column)
    if data_type.root in _FLOATS:
        keys: Keys = sortable(stored_values(column, data_type)).tolist()
        return keys
    return column if isinstance(column, list) else list(column)


def are_ascending(keys: Keys) -> bool:
    """Return whether each key is greater than its predecessor."""
    if isinstance(keys, list):
        return all(map(lt, keys, keys[1:]))
    return int(np.count_nonzero(keys[1:] > keys[:-1])) >= len(keys) - 1


def holds_values(data_type: DataType) -> bool:
    """Return whether keys of the type equal its values: not truncated, padded or merged."""
    if data_type.is_timestamp:
        return not data_type.is_cut
    return data_type.root in (*INTEGER_BITS, "DATE", "TIME", "DECIMAL", "VARCHAR")


def value_of(stored: Any, data_type: DataType) -> Any:
    """Return the internal value of a stored value; for `holds_values` types, it is also the key."""
    if data_type.is_string:
        return from_utf8(bytes(stored))
    if data_type.root == "BOOLEAN":
        return bool(stored)
    if data_type.root in _FLOATS:
        return float(stored)
    if data_type.root == "DECIMAL":
        return from_unscaled(int(stored), data_type.scale or 0)
    return int(stored) * (data_type.stored_nanos if data_type.is_timestamp else 1)
