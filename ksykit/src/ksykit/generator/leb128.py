"""Whether a type is the LEB128 that it claims to be: views decode it at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from .expression import Dot, Index, Literal, Method, Name, Node, evaluate
from .spec import Attribute, Bits, Primitive, Type, UserType
from .world import World

_NUMBERS = (0, 1, 127, 128, 255, 300, 16_383, 16_384, 2**31 + 77, 2**35 - 1, 2**49 + 9, 2**63 - 1)


@dataclass(frozen=True)
class _Object:
    """What a type has: fields and arguments, and its value instances."""

    type: Type
    known: dict[str, Any]


def check_leb128(world: World) -> None:
    """Refuse `-kit-leb128` on other types. Raises SpecError."""
    for type_ in world.types.values():
        if type_.leb128:
            for number in _NUMBERS:
                data = _encoded(number)
                if (found := _decoded(world, type_, data)) != number:
                    message = f"is on a type that is not LEB128: of {data.hex(' ')} it has {found}"
                    path = f"{type_.path}/-kit-leb128"
                    raise world.fail(type_, path, message, "leave it out, or change its fields")


def _encoded(number: int) -> bytes:
    data = bytearray()
    while number > 127:
        data.append(number & 127 | 128)
        number >>= 7
    return bytes([*data, number])


def _decoded(world: World, type_: Type, data: bytes) -> Any:
    """Return the value of a type for bytes; None if it does not read just these."""
    if [a.repeat for a in type_.seq] != ["until"] or type_.params:
        return None
    [field] = type_.seq
    one, elements = _Object(type_, {}), list[Any]()
    one.known[field.id] = elements
    try:
        for i, byte in enumerate(data):
            one.known["_index"] = i
            elements.append(_element(world, field, byte, one))
            one.known["_"] = elements[-1]
            assert field.until is not None
            if bool(_solved(field.until, one)) != (i == len(data) - 1):
                return None
        return _solved(Name("value"), one)
    except (LookupError, TypeError, ValueError, RecursionError, StopIteration):
        return None


def _element(world: World, a: Attribute, byte: int, around: _Object) -> Any:
    """Return a byte, or an object of one. Raises ValueError for all else."""
    if a.condition is None and not a.is_window and not a.process:
        if isinstance(a.type, Primitive) and a.type.name == "u1":
            return byte
        if isinstance(a.type, UserType):
            inner = world.types[a.type.name]
            pairs = zip(inner.params, a.type.arguments, strict=True)
            one = _Object(inner, {p.id: _solved(node, around) for p, node in pairs})
            left = 8
            for part in inner.seq:
                size = part.type.size if isinstance(part.type, Bits) else 8
                left -= size
                is_first = isinstance(part.type, Bits) and part.type.order == ">"
                bits = byte >> (left if is_first else 8 - left - size) & (1 << size) - 1
                is_bits = isinstance(part.type, Bits) and not part.repeat and not part.condition
                one.known[part.id] = bits if is_bits else _element(world, part, byte, one)
            if not left:
                return one
    raise ValueError(a.id)


def _solved(node: Node, one: _Object) -> Any:
    """Return what an expression is in an object."""
    match node:
        case Name(name) if name in one.known:
            return one.known[name]
        case Name(name):
            return _solved(next(v.value for v in one.type.values if v.id == name), one)
        case Dot(target, name):
            return _solved(Name(name), _solved(target, one))
        case Index(target, index):
            return _solved(target, one)[_solved(index, one)]
        case Method("len", target):
            return len(_solved(target, one))
        case Method("int", target):
            return int(_solved(target, one))
    parts = {name: part for name, part in vars(node).items() if isinstance(part, Node)}
    if hasattr(node, "condition"):
        return _solved(parts["then" if _solved(parts["condition"], one) else "otherwise"], one)
    literals: Any = {name: Literal(_solved(part, one)) for name, part in parts.items()}
    return evaluate(replace(node, **literals))  # type: ignore[type-var]
