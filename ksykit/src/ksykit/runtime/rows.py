"""What the rows of generated classes consist of, as checkers of types see it.

A row `field: One[int] = Number(..)` is a field that is an int when it is read, and may be left out
of a new object. The classes here are for such checkers alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from . import kinds, types

_T = TypeVar("_T")


class _Row(Protocol):
    """A kind of row: expressions are literals, names or functions."""

    def __call__(self, *first: _Expression, **options: _Expression) -> Any: ...


_kinds: Any = kinds
_types: Any = types
_Expression = Callable[[Any], Any] | Callable[[Any, Any], Any] | object
Bits: _Row = _kinds.Bits
Bytes: _Row = _kinds.Bytes
Number: _Row = _kinds.Number
Object: _Row = _kinds.Object
Param: _Row = _types.Param
Repeat: _Row = _kinds.Repeat
Switch: _Row = _kinds.Switch
Value: _Row = _types.Value


class One(Generic[_T]):
    """A number, bytes or text."""

    if TYPE_CHECKING:

        def __get__(self, obj: object, cls: type | None = None) -> _T: ...
        def __set__(self, obj: object, value: _T | None) -> None: ...


class Maybe(Generic[_T]):
    """The same with a condition: None if it does not exist."""

    if TYPE_CHECKING:

        def __get__(self, obj: object, cls: type | None = None) -> _T | None: ...
        def __set__(self, obj: object, value: _T | None) -> None: ...


class Nested(Generic[_T]):
    """An object, which may be given as its bytes."""

    if TYPE_CHECKING:

        def __get__(self, obj: object, cls: type | None = None) -> _T: ...
        def __set__(self, obj: object, value: _T | bytes | None) -> None: ...


class MaybeNested(Generic[_T]):
    """The same with a condition: None if it does not exist."""

    if TYPE_CHECKING:

        def __get__(self, obj: object, cls: type | None = None) -> _T | None: ...
        def __set__(self, obj: object, value: _T | bytes | None) -> None: ...


class Many(Generic[_T]):
    """A repeat, whose elements may be given as their bytes, or in an array."""

    if TYPE_CHECKING:

        def __get__(self, obj: object, cls: type | None = None) -> list[_T]: ...
        def __set__(self, obj: object, value: Iterable[_T | bytes] | None) -> None: ...


class MaybeMany(Generic[_T]):
    """The same with a condition: None if it does not exist."""

    if TYPE_CHECKING:

        def __get__(self, obj: object, cls: type | None = None) -> list[_T] | None: ...
        def __set__(self, obj: object, value: Iterable[_T | bytes] | None) -> None: ...
