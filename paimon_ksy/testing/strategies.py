"""Hypothesis strategies of valid objects of a type, and of their bytes."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from paimon_ksy.generated.writers import type_named
from paimon_ksy.runtime.drawing import draw_object
from paimon_ksy.runtime.objects import to_bytes


def objects(
    type_name: str, using: dict[str, st.SearchStrategy[Any]] | None = None, **params: Any
) -> st.SearchStrategy[Any]:
    """Return a strategy of Kaitai objects of a type, which `to_bytes` can write.

    Args:
        type_name: The name in the spec, such as `roaring_bitmap_32`.
        using: Strategies of objects or bytes of nested types, by the name of the type.
        params: Parameters of the type; omitted ones are drawn, too.

    Raises:
        FormatError: The type does not exist.
    """
    type_ = type_named(type_name)

    @st.composite
    def drawn(draw: st.DrawFn) -> Any:
        return draw_object(draw, type_, params, using or {})

    return drawn()


def encoded(
    type_name: str, using: dict[str, st.SearchStrategy[Any]] | None = None, **params: Any
) -> st.SearchStrategy[bytes]:
    """Return a strategy of the bytes of objects of a type, with the arguments of `objects`."""
    return objects(type_name, using, **params).map(to_bytes)
