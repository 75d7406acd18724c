"""Keys: what an index stores of values, in a form that orders as the index does."""

from __future__ import annotations

from operator import lt
from typing import TYPE_CHECKING, Any, TypeAlias

from paimon_ksy.generated.late import np
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
    """Return integers in the order of the values; integers are returned as they are.

    The order of floats is that of Java's `Float.compare`: -0.0 comes before 0.0, and all NaNs are
    the one above Infinity that Java's `floatToIntBits` returns.
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
    """Return the bits with the order of negative ones reversed: their magnitude grows downwards."""
    info = np.iinfo(bits.dtype)
    flipped: NDArray[Any] = bits ^ ((bits >> (info.bits - 1)) & info.max)
    return flipped


def stored_values(column: Any, data_type: DataType) -> Any:
    """Return a column of a view as values: a list, or an array of floats of their width."""
    kind = _FLOATS.get(data_type.root)
    if kind is not None:
        return np.asarray(column, kind)
    return list(column) if isinstance(column, tuple | list) else column.tolist()


def keys_of(column: Any, data_type: DataType) -> Keys:
    """Return a column of a view as keys: an array of an array, else a list."""
    if not isinstance(column, tuple | list):
        return sortable(column)
    if data_type.root in _FLOATS:
        keys: Keys = sortable(stored_values(column, data_type)).tolist()
        return keys
    return column if isinstance(column, list) else list(column)


def are_ascending(keys: Keys) -> bool:
    """Return whether each key is greater than the one before it."""
    if isinstance(keys, list):
        return all(map(lt, keys, keys[1:]))
    return int(np.count_nonzero(keys[1:] > keys[:-1])) >= len(keys) - 1


def holds_values(data_type: DataType) -> bool:
    """Return whether keys of the type are its values, with nothing cut, padded or made alike."""
    if data_type.is_timestamp:
        return not data_type.is_cut
    return data_type.root in (*INTEGER_BITS, "DATE", "TIME", "DECIMAL", "VARCHAR")


def value_of(stored: Any, data_type: DataType) -> Any:
    """Return the internal value of a stored value, which is also a key of `holds_values` types."""
    if data_type.is_string:
        return from_utf8(bytes(stored))
    if data_type.root == "BOOLEAN":
        return bool(stored)
    if data_type.root in _FLOATS:
        return float(stored)
    if data_type.root == "DECIMAL":
        return from_unscaled(int(stored), data_type.scale or 0)
    return int(stored) * (data_type.stored_nanos if data_type.is_timestamp else 1)
