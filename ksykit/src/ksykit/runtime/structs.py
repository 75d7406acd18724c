"""The objects of a spec's types, which are read, made, changed and written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, dataclass_transform

from .solving import Node
from .streams import Reading, Unresolved, known
from .types import Type

if TYPE_CHECKING:
    from .fields import Field


@dataclass_transform(kw_only_default=True)
class Struct(Node):
    """An object of a type of the specs.

    `Thing(field=..)` is a new one: what is left out or None is computed when it is written.
    `Thing.from_bytes(data)` reads one. Its instances are read at first use.
    """

    __slots__ = ()

    def __init_subclass__(cls, of: str, sized: bool = False, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls._type = Type(cls, of, is_sized=sized)

    def __init__(
        self,
        _io: Any = None,
        _parent: Any = None,
        _field: Field | None = None,
        _index: int = 0,
        /,
        **given: Any,
    ) -> None:
        self._io, self._parent, self._name, self._index = _io, _parent, _field, _index
        self._given: Any = None
        values = self.__dict__
        if _field is not None:
            for name, argument in _field.passed:
                value = known(argument, _parent, _index)
                if not isinstance(value, Unresolved):  # else it is computed when it is used
                    values[name] = value
        elif _io is None:
            type_ = self._type
            names = {*type_.params, *type_.fields}
            if unknown := given.keys() - names - {*type_.given}:
                raise TypeError(f"{type_.name} has no field {min(unknown)}")
            for name, value in given.items():
                values[name if name in names else f"_m_{name}"] = value
                for child in value if isinstance(value, list) else (value,):
                    if isinstance(child, Struct):
                        child._parent = self

    # -- Reading

    @classmethod
    def from_bytes(cls, data: bytes, **params: Any) -> Self:
        """Return the object that begins with the first byte. Raises FormatError."""
        found: Self = cls._type.read(Reading(data), 0, params)
        return found

    @classmethod
    def from_file(cls, path: Any, **params: Any) -> Self:
        """Return the object of a file. Raises FormatError or OSError."""
        return cls.from_bytes(Path(path).read_bytes(), **params)

    # -- Bytes of single fields

    @classmethod
    def pack(cls, **given: Any) -> bytes:
        """Return the bytes of an object of single numbers and bytes: faster than `to_bytes`.

        Constants may be left out. Raises FormatError.
        """
        return cls._type.pack(**given)

    @classmethod
    def pack_field(cls, name: str, value: Any = None) -> bytes:
        """Return the bytes of one field, a number or bytes; by default, of a constant one.

        Raises FormatError.
        """
        return cls._type.constants[name] if value is None else cls._type.pack_field(name, value)

    if not TYPE_CHECKING:  # a checker knows the fields of each class

        def __getattr__(self, name: str) -> Any:
            type_ = self._type
            if name[0] == "_" and name not in type_.fields:
                raise AttributeError(name)
            io = self._io
            if io is None and self._given is None:  # a new object, which leaves it out
                if name in type_.fields or name in type_.params:
                    return None
                raise AttributeError(f"{type_.name} has no field {name}")
            if name in type_.params:
                if self._name is None or self._parent is None:
                    raise Unresolved(self, name, "is not set")
                value = self._name.args[name](self._parent, self._index)
            elif name in type_.fields:
                field = type_.fields[name]
                if io.is_read:
                    if io.reading is None or (field.at is None and io.reading.work):
                        raise Unresolved(self, name, "is not read")
                    value = None if field.at is None else field.read_placed(self)
                elif field.type is not None or field.is_switch:
                    return self._unwritten(field)
                else:
                    value = self._value(name)
            else:
                raise AttributeError(f"{type_.name} has no field {name}")
            self.__dict__[name] = value
            return value

    def __repr__(self) -> str:
        known = self.__dict__.items()
        shown = (f"{name}={_short(one)}" for name, one in known if name[0] != "_")
        return f"{type(self).__name__}({', '.join(shown)})"


def _short(value: Any) -> str:
    if isinstance(value, Struct):
        return f"{type(value).__name__}(..)"
    if isinstance(value, list) and len(value) > 3:
        return f"[{_short(value[0])}, .. {len(value):,} elements]"
    if isinstance(value, list):
        return f"[{', '.join(map(_short, value))}]"
    text = repr(value)
    return text if len(text) < 60 else f"{text[:56]}.."


def replace(obj: Struct, **changes: Any) -> Any:
    """Return an object with other values, of which a writer computes anew what follows from them.

    Counts, lengths, offsets and checksums are unset, unless they are in `changes`.

    Raises:
        TypeError: The type has no such field.
        FormatError: An instance cannot be read.
    """
    type_ = obj._type
    values = _values(obj) | changes
    for path in {*type_.computed} - changes.keys():
        _unset(values, path)
    for name, field in type_.fields.items():
        if field.unset is not None and name not in changes:
            values[name] = None
    return type_.cls(**values)


def _values(obj: Struct) -> dict[str, Any]:
    type_ = obj._type
    return {name: getattr(obj, name) for name in (*type_.params, *type_.fields)}


def _unset(values: dict[str, Any], path: str) -> None:
    """Unset a number that may be in an object, of which this makes a copy."""
    first, _, rest = path.partition(".")
    if not rest:
        values[first] = None
    elif isinstance(child := values[first], Struct):
        inner = _values(child)
        _unset(inner, rest) if rest.partition(".")[0] in inner else inner.clear()
        values[first] = type(child)(**inner) if inner else None
