"""Columns that are written: byte strings, and numbers that fit their type."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, TypeAlias, overload

from .errors import FormatError
from .late import np

if TYPE_CHECKING:
    import numpy.typing as npt

Int64Array: TypeAlias = "npt.NDArray[np.int64]"
Buffer = bytes | bytearray | memoryview


class BytesColumn(Sequence[bytes]):
    """Byte strings, one after another in `data`; the i-th is `data[offsets[i]:offsets[i + 1]]`."""

    __slots__ = ("_data", "_offsets", "_values")

    _data: bytes | None
    _offsets: Int64Array | None
    _values: Sequence[bytes] | None

    def __init__(self, data: bytes, offsets: Int64Array) -> None:
        self._data, self._offsets, self._values = data, offsets, None

    @classmethod
    def of(cls, values: BytesColumn | Sequence[bytes]) -> BytesColumn:
        """Return a column of these; they are joined at the first use."""
        if type(values) is BytesColumn:
            return values
        self = cls.__new__(cls)
        self._data, self._offsets, self._values = None, None, values
        if not isinstance(values, Between):
            self._values = list(values)
        return self

    @property
    def data(self) -> bytes:
        if self._data is None:
            assert self._values is not None
            self._data = b"".join(self._values)
        return self._data

    @property
    def offsets(self) -> Int64Array:
        """Where each string starts, and where the last one ends: int64 of shape (len + 1,)."""
        if self._offsets is None:
            assert self._values is not None
            ends = accumulate(map(len, self._values), initial=0)
            self._offsets = np.fromiter(ends, np.int64, len(self._values) + 1)
        return self._offsets

    def __len__(self) -> int:
        return len(self.offsets) - 1 if self._values is None else len(self._values)

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> BytesColumn: ...
    def __getitem__(self, index: int | slice) -> bytes | BytesColumn:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step != 1:
                raise ValueError("slices of byte columns have step 1")
            return BytesColumn(self.data, self.offsets[start : max(stop, start) + 1])
        if self._values is not None:
            return self._values[index]
        n = len(self)
        if not -n <= index < n:
            raise IndexError(index)
        index %= n
        return self.data[self.offsets[index] : self.offsets[index + 1]]

    def __iter__(self) -> Iterator[bytes]:
        if self._values is not None:
            return iter(self._values)
        data, offsets = self.data, self.offsets.tolist()
        return (data[a:b] for a, b in pairwise(offsets))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BytesColumn) and self.tolist() == other.tolist()

    __hash__ = None  # type: ignore[assignment]

    @property
    def lengths(self) -> Int64Array:
        return np.diff(self.offsets)

    def join(self) -> bytes:
        """Return all strings without what may stand before the first and after the last."""
        data, start, stop = self.data, int(self.offsets[0]), int(self.offsets[-1])
        return data if stop - start == len(data) else data[start:stop]

    def tolist(self) -> list[bytes]:
        return list(self)


class Between(Sequence[bytes]):
    """Byte strings between places of `d`, without `head` and `tail` bytes; made when used."""

    __slots__ = ("_d", "_head", "_places", "_tail")

    def __init__(self, d: Buffer, places: Sequence[int], head: int, tail: int) -> None:
        self._d, self._places, self._head, self._tail = d, places, head, tail

    def __len__(self) -> int:
        return len(self._places) - 1

    def __getitem__(self, index: Any) -> Any:
        i = range(len(self))[index]
        return bytes(self._d[self._places[i] + self._head : self._places[i + 1] - self._tail])

    def __iter__(self) -> Iterator[bytes]:
        first, last = self._places[0], self._places[-1]
        d, head, tail = bytes(self._d[first:last]), self._head - first, self._tail + first
        return (d[a + head : b - tail] for a, b in pairwise(self._places))


def fit(values: Any, dtype: npt.DTypeLike, name: str) -> npt.NDArray[Any]:
    """Return `values` as an array that `dtype` holds. Raises FormatError if one does not fit."""
    array, dtype = np.asarray(values), np.dtype(dtype)
    native = dtype.newbyteorder("=")
    if array.dtype == native or np.can_cast(array.dtype, native, "safe"):
        return array
    if array.dtype.kind in "fO" and native.kind == "u" and isinstance(values, list | tuple):
        with suppress(OverflowError, TypeError):  # numpy takes 0 and 2**64 - 1 for floats
            return np.array([operator.index(value) for value in values], native)
    if array.dtype.kind in "iu" and native.kind == "f":
        with np.errstate(invalid="ignore"):
            fitted = array.astype(native)
            if (fitted.astype(array.dtype) == array).all():
                return fitted
        raise FormatError(f"{name}: a number does not fit into {native}", None)
    if array.dtype.kind not in "iufb" or (array.dtype.kind == "f") != (dtype.kind == "f"):
        if array.size == 0:
            return array.astype(native)
        raise FormatError(f"{name}: {array.dtype} is not {native}", None)
    if dtype.kind in "iu" and array.size:
        limits = np.iinfo(native)
        if int(array.min()) < limits.min or int(array.max()) > limits.max:
            raise FormatError(f"{name}: a number does not fit into {native}", None)
    with np.errstate(over="ignore"):
        fitted = array.astype(native)
    if dtype.kind == "f" and (np.isinf(fitted) & ~np.isinf(array)).any():
        raise FormatError(f"{name}: a number does not fit into {native}", None)
    return fitted
