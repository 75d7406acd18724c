"""Hypothesis strategies of valid objects of a type, and of their bytes."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from hypothesis import strategies as st

from paimon_ksy import generated
from paimon_ksy.runtime.drawing import draw_object
from paimon_ksy.runtime.fields import Type, type_named
from paimon_ksy.runtime.objects import to_bytes


def objects(
    type_name: str | Type,
    using: dict[str, st.SearchStrategy[Any]] | None = None,
    *,
    package: ModuleType = generated,
    **params: Any,
) -> st.SearchStrategy[Any]:
    """Return a strategy of Kaitai objects of a type, which `to_bytes` can write.

    Args:
        type_name: The name in the spec, such as `roaring_bitmap_32`, or the type itself, such as
            `ROARING_BITMAP_32_TYPE`.
        using: Strategies of objects or bytes of nested types, by the name of the type.
        package: What `paimon-ksy generate` wrote; by default that of the formats of Paimon.
        params: Parameters of the type; omitted ones are drawn, too.

    Raises:
        FormatError: The type does not exist.
    """
    name = package.__name__
    type_ = type_name if isinstance(type_name, Type) else type_named(name, type_name)

    @st.composite
    def drawn(draw: st.DrawFn) -> Any:
        return draw_object(draw, type_, params, using or {})

    return drawn()


def encoded(
    type_name: str | Type,
    using: dict[str, st.SearchStrategy[Any]] | None = None,
    *,
    package: ModuleType = generated,
    **params: Any,
) -> st.SearchStrategy[bytes]:
    """Return a strategy of the bytes of objects of a type, with the arguments of `objects`."""
    return objects(type_name, using, package=package, **params).map(to_bytes)
