"""Test an encoder of a format: what it writes is read by the spec, and compared."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ksykit.runtime.objects import gaps, layout, to_bytes
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Type, type_of

from .strategies import objects


def assert_encodes(
    encode: Callable[[Any], bytes],
    type_name: str | type[Struct] | Type,
    using: dict[str, st.SearchStrategy[Any]] | None = None,
    *,
    package: ModuleType | None = None,
    padding: bool = False,
    max_examples: int = 100,
    **params: Any,
) -> None:
    """Check that an encoder writes what a spec describes, for objects that Hypothesis draws.

    The spec must read all that the encoder writes, with the values of the object, and right
    checksums. Offsets may be others than those of the object.

    Args:
        encode: The encoder. It gets an object with all fields, and returns the bytes.
        type_name: The type, as in `objects`, also the arguments `using`, `package` and `params`.
        using: Strategies of nested types.
        package: What `ksykit generate` wrote.
        padding: Whether the encoder may write bytes that belong to no field.
        max_examples: The number of objects that Hypothesis draws.
        params: Parameters of the type.

    Raises:
        AssertionError: The encoder writes something else. The message names the field, and
            Hypothesis prints the smallest object for which it fails.
    """
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

    @settings(
        max_examples=max_examples, database=None, deadline=None, suppress_health_check=slow,
        report_multiple_bugs=False,
    )  # fmt: skip
    @given(objects(type_name, using, package=package, **params))
    def check(drawn: Any) -> None:
        type_, written, own = type_of(drawn), to_bytes(drawn), _params(drawn)
        wanted = type_.read(written, 0, own)
        data = bytes(encode(type_.read(written, 0, own)))
        try:
            found = type_.read(data, 0, own)
            _compare(found, wanted, drawn, "")
            uncovered = gaps(found, data)
            if uncovered and not padding and not gaps(wanted, written):
                at, piece = uncovered[0]
                raise AssertionError(f"byte {at}: {len(piece)} bytes belong to no field")
            _check_sums(type_.read(data, 0, own), data, uncovered)
        except AssertionError:
            raise
        except Exception as error:  # any error is a fault of the encoder
            raise AssertionError(f"the spec refuses the bytes: {error}") from error

    check()


def _compare(found: Any, wanted: Any, drawn: Any, path: str) -> None:
    """Check that what was drawn is found, and exists where it should."""
    if isinstance(wanted, Struct):
        if type(found) is not type(wanted):
            raise AssertionError(f"{path} is a {type(found).__name__}")
        for name in type_of(wanted).fields:
            one, other = getattr(found, name), getattr(wanted, name)
            here = f"{path}.{name}" if path else name
            if (one is None) != (other is None):
                raise AssertionError(f"{here} {'is missing' if one is None else 'is there'}")
            mask = getattr(drawn, name) if isinstance(drawn, Struct) else other
            if mask is not None:
                _compare(one, other, mask, here)
    elif isinstance(wanted, str | bytes | int | float) or wanted is None:
        if found != wanted and not (found != found and wanted != wanted):
            raise AssertionError(f"{path} is {found!r:.60} instead of {wanted!r:.60}")
    elif len(found) != len(wanted):
        raise AssertionError(f"{path} has {len(found)} elements instead of {len(wanted)}")
    else:
        parts = drawn if isinstance(drawn, list | tuple) else wanted
        for i, (one, other, part) in enumerate(zip(found, wanted, parts, strict=True)):
            _compare(one, other, part, f"{path}[{i}]")


def _check_sums(found: Struct, data: bytes, uncovered: Any) -> None:
    """Check that a writer, which computes the checksums anew, gives the same bytes."""
    again = to_bytes(_without_sums(found), uncovered)
    for leaf in layout(found) if again != data else ():
        if data[leaf.start : leaf.end] != again[leaf.start : leaf.end]:
            raise AssertionError(f"byte {leaf.start}: {leaf.path} is not what a writer computes")
    if again != data:
        raise AssertionError(f"{len(data)} bytes, where a writer gives {len(again)}")


def _params(obj: Struct) -> dict[str, Any]:
    return {name: getattr(obj, name) for name in type_of(obj).params}


def _without_sums(value: Any) -> Any:
    """Return a copy of an object, or of objects, without checksums."""
    if isinstance(value, list):
        return [_without_sums(one) for one in value]
    if not isinstance(value, Struct):
        return value
    fields = type_of(value).fields.items()
    sums = {name for name, field in fields if field.role == "checksum"}
    values = {name: None if name in sums else getattr(value, name) for name, _ in fields}
    copies = {name: _without_sums(one) for name, one in values.items()}
    return type(value)(**_params(value), **copies)
