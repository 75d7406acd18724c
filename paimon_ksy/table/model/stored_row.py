"""A row of a manifest that decodes each value on first use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.rows.binary_row import CAN_BE_STORED, read_field, read_row
from paimon_ksy.types.data_type import DataType


class StoredRow(Sequence[Any]):
    """The values of a binary row, in internal form. It equals other sequences of these values.

    It decodes lazily because a query needs only one or two columns of a file's statistics.
    """

    __slots__ = ("_data", "_known", "_types")

    def __init__(self, data: bytes, types: Sequence[DataType | None]) -> None:
        """Wrap a row.

        Args:
            data: A row in the form that `write_row` returns.
            types: The types of its fields. The value is None if the type is None, or one that rows
                cannot store.
        """
        self._data, self._types = data, types
        self._known: dict[int, Any] = {}

    def __len__(self) -> int:
        return len(self._types)

    @overload
    def __getitem__(self, at: int) -> Any: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Any, ...]: ...
    def __getitem__(self, at: int | slice) -> Any:
        """Return a value, or a slice of values; None for bytes that are not a value."""
        if isinstance(at, slice):
            return tuple(self[number] for number in range(*at.indices(len(self))))
        if not -len(self) <= at < len(self):
            raise IndexError(at)
        at %= len(self)
        if at not in self._known:
            try:
                self._known[at] = self._read(at)
            except CorruptFileError:
                self._known[at] = None
        return self._known[at]

    def _read(self, at: int) -> Any:
        kind = self._types[at]
        if kind is None or kind.root not in CAN_BE_STORED:
            return None
        return _internal(read_field(self._data, len(self._types), at, kind), kind)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return StoredRow, (self._data, self._types)


def internal_row(data: bytes, types: Sequence[DataType | None]) -> tuple[Any, ...]:
    """Return the values of a manifest's row as columns have them: a CHAR has no padding.

    Args:
        data: A row in the form that `write_row` returns.
        types: The types of its fields; None for a field to skip.

    Raises:
        CorruptFileError: The bytes are not a row of these types.
    """
    wanted = [kind if kind is not None and kind.root in CAN_BE_STORED else None for kind in types]
    values = read_row(data, wanted)
    return tuple(_internal(value, kind) for value, kind in zip(values, wanted, strict=True))


def _internal(value: Any, data_type: DataType | None) -> Any:
    """Return a value in the form of `types.literals`: no padding of CHAR, and no negative zero."""
    if value is None or data_type is None:
        return None
    if data_type.root == "CHAR":
        return value.rstrip(" ")
    return value + 0.0 if data_type.root in ("FLOAT", "DOUBLE") else value
