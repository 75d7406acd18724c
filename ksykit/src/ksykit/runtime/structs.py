"""The objects of a spec's types, which are read, made, changed and written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, dataclass_transform

from .solving import Solving
from .streams import Reading, Unresolved
from .types import Type

if TYPE_CHECKING:
    from .fields import Field


@dataclass_transform(kw_only_default=True)
class Struct(Solving):
    """An object of a type of the specs.

    `Thing(field=..)` is a new one: what is left out or None is computed when it is written.
    `Thing.from_bytes(data)` reads one. Its instances are read at first use.
    """

    __slots__ = ()

    def __init_subclass__(cls, of: str, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls._type = Type(cls, of)

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
        self._given = None
        known = self.__dict__
        if _field is not None:
            for name, argument in _field.passed:
                try:
                    known[name] = argument(_parent, _index)
                except Unresolved:
                    continue  # computed when it is used
        elif _io is None:
            type_ = self._type
            names = {*type_.params, *type_.fields}
            if unknown := given.keys() - names - {*type_.given}:
                raise TypeError(f"{type_.name} has no field {min(unknown)}")
            for name, value in given.items():
                known[name if name in names else f"_m_{name}"] = value
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

    # -- Around it

    @property
    def _root(self) -> Struct:
        """The outermost object of the same spec."""
        parent = self._parent
        return self if parent is None or parent._type.spec != self._type.spec else parent._root

    @property
    def _is_new(self) -> bool:
        """Whether the object was not read from a file."""
        return self._obj is None or self._obj._io is None

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
                if io.reading is None or (field.at is None and io.reading.is_busy):
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

    def _forget(self) -> None:
        """Forget all values, so that no cycle of parents and children keeps an object alive."""
        values, is_read = [*self.__dict__.values()], self._given is None
        self.__dict__.clear()
        for value in values:
            for child in value if type(value) is list else (value,):
                if isinstance(child, Struct) and (child._given is None) == is_read:
                    child._forget()  # and not an object of the caller, which is written

    # -- Names

    def _path_of(self, name: str) -> str:
        path = self._path  # once: asking for it twice at each level takes 2^depth calls
        return f"{path}.{name}" if path else name

    @property
    def _path(self) -> str:
        if self._parent is None or self._name is None:
            return ""
        path: str = self._parent._path_of(self._name.name)
        return f"{path}[{self._index}]" if self._name.is_element else path

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
    """Return an object with other values, in which a writer computes anew what follows from them.

    Lengths, counts, offsets and checksums of the object are left out, unless they are in `changes`.

    Raises:
        TypeError: The type has no such field.
    """
    type_ = obj._type
    computed = {path for path in type_.computed if "." not in path}
    computed |= {name for name, field in type_.fields.items() if field.unset is not None}
    kept: Mapping[str, Any] = {
        name: getattr(obj, name)
        for name in (*type_.params, *type_.fields)
        if name not in computed and name not in changes
    }
    return type_.cls(**kept, **changes)
