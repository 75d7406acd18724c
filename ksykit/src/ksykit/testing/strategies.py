"""Hypothesis strategies of valid objects of a type, and of their bytes."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from hypothesis import reject
from hypothesis import strategies as st
from ksykit.runtime.errors import FormatError
from ksykit.runtime.objects import to_bytes
from ksykit.runtime.streams import Unresolved
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Type, type_named, type_of

from .drawing import draw_object


def objects(
    type_name: str | type[Struct] | Type,
    using: dict[str, st.SearchStrategy[Any]] | None = None,
    *,
    package: ModuleType | None = None,
    **params: Any,
) -> st.SearchStrategy[Any]:
    """Return a strategy of Kaitai objects of a type, which `to_bytes` can write.

    Args:
        type_name: The name in the spec, such as `roaring_bitmap_32`, or the type itself, such as
            `ROARING_BITMAP_32_TYPE`.
        using: Strategies of objects or bytes of nested types, by the name of the type.
        package: What `ksykit generate` wrote; a type by name needs it.
        params: Parameters of the type; omitted ones are drawn, too.

    Raises:
        FormatError: The type does not exist, or its objects cannot be drawn.
        TypeError: The package is missing.
    """
    if isinstance(type_name, Type):
        type_ = type_name
    elif isinstance(type_name, type):
        type_ = type_of(type_name)
    elif package is None:
        raise TypeError("a type by name needs the argument `package`")
    else:
        type_ = type_named(package.__name__, type_name)

    @st.composite
    def drawn(draw: st.DrawFn) -> Any:
        try:
            obj = draw_object(draw, type_, params, using or {})
        except (Unresolved, RecursionError) as error:
            raise FormatError(f"{type_.name} cannot be drawn: {error}") from error
        except (ArithmeticError, LookupError, ValueError, AttributeError) as error:
            if isinstance(error, FormatError):
                raise
            return reject()  # an expression has no value
        if type_.name == type_.spec:  # others may need objects around them
            try:
                to_bytes(obj)
            except FormatError:
                reject()
        return obj

    return drawn()


def encoded(
    type_name: str | type[Struct] | Type,
    using: dict[str, st.SearchStrategy[Any]] | None = None,
    *,
    package: ModuleType | None = None,
    **params: Any,
) -> st.SearchStrategy[bytes]:
    """Return a strategy of the bytes of objects of a type, with the arguments of `objects`."""
    return objects(type_name, using, package=package, **params).map(to_bytes)
