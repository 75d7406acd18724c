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
    """Byte strings, one after another in `data`; the i-th is `data[offsets[i]:offsets[i + 1]]`.

    `around` counts bytes of other fields before and after each of those that were read, which
    `data` and `offsets` leave out at their first use.
    """

    __slots__ = ("_around", "_data", "_offsets")

    def __init__(
        self, data: Buffer, offsets: Int64Array | list[int], around: tuple[int, int] = (0, 0)
    ) -> None:
        self._data, self._offsets, self._around = data, offsets, around

    @classmethod
    def of(cls, values: BytesColumn | Sequence[bytes]) -> BytesColumn:
        """Return a column of these."""
        if type(values) is BytesColumn:
            return values
        listed = list(values)
        ends = accumulate(map(len, listed), initial=0)
        return cls(b"".join(listed), np.fromiter(ends, np.int64, len(listed) + 1))

    def _compact(self) -> None:
        """Leave out what is around the strings."""
        before, after = self._around
        ends = np.asarray(self._offsets)
        if before or after:
            first = ends[0]
            ends = ends - first
            is_text = np.ones(ends[-1], np.bool_)
            for i in range(before):
                is_text[ends[:-1] + i] = False
            for i in range(after):
                is_text[ends[1:] - 1 - i] = False
            self._data = np.frombuffer(self._data, np.uint8, ends[-1], first)[is_text].tobytes()
            ends -= np.arange(len(ends)) * (before + after)
        self._offsets, self._around = ends, (0, 0)

    @property
    def data(self) -> bytes:
        self._compact()
        return bytes(self._data)

    @property
    def offsets(self) -> Int64Array:
        """Where each string starts, and where the last one ends: int64 of shape (len + 1,)."""
        self._compact()
        return np.asarray(self._offsets)

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> BytesColumn: ...
    def __getitem__(self, index: int | slice) -> bytes | BytesColumn:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step != 1:
                raise ValueError("slices of byte columns have step 1")
            places = self._offsets[start : max(stop, start) + 1]
            return BytesColumn(self._data, places, self._around)
        i, (before, after) = range(len(self))[index], self._around
        return bytes(self._data[self._offsets[i] + before : self._offsets[i + 1] - after])

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.tolist())

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
        before, after = self._around
        places = self._offsets if isinstance(self._offsets, list) else self._offsets.tolist()
        data = bytes(self._data[places[0] : places[-1]])
        before, after = before - places[0], after + places[0]
        return [data[a + before : b - after] for a, b in pairwise(places)]


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
