"""Repeats of a file as Arrow tables: each field of their elements is a column."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from .runtime.fields import Field
from .runtime.flat import Rows
from .runtime.kinds import Bits, Bytes, Number, Object, Repeat, Switch
from .runtime.late import Late, np
from .runtime.types import Type, type_of

if TYPE_CHECKING:
    import pyarrow as pa
else:
    pa = Late("pyarrow")

MOST = 10_000
"""Objects that a type has, at most: types that nest each other twice would have 2^n."""
Around = frozenset[Type]


class Place(NamedTuple):
    """Where a repeat is: the fields that lead to it, each with the type that it then has."""

    steps: tuple[tuple[str, Type], ...]
    repeat: Repeat

    def find(self, root: Any) -> tuple[Any, Any]:
        """Return the object that has the repeat, and the elements; None if it does not exist."""
        for name, type_ in self.steps:
            root = getattr(root, name)
            if root is None or not hasattr(root, "_type") or type_of(root) is not type_:
                return None, None
        return root, getattr(root, self.repeat.name)


def places(root: Type, *, is_deep: bool = False) -> dict[str, Place]:
    """Return the repeats of a type by their paths; if `is_deep`, also those in elements of others.

    Raises:
        ValueError: There are too many objects.
    """
    found: dict[str, Place] = {}
    todo: list[tuple[Type, str, tuple[tuple[str, Type], ...]]] = [(root, "", ())]
    for type_, path, steps in todo:  # which grows
        for field in fields(type_).values():
            if isinstance(field, Repeat):
                found[path + field.name] = Place(steps, field)
                if not is_deep:
                    continue
            for case in field.element.cases.values():
                around = {root, *(each for _, each in steps)}
                if case.type is not None and case.target not in around:
                    name = f"{field.name}.{case.type}" if case is not field.element else field.name
                    step = (*steps, (field.name, case.target))
                    todo.append((case.target, f"{path}{name}.", step))
        if len(todo) + len(found) > MOST:
            raise ValueError(f"{root.name} has more than {MOST:,} objects: choose an inner type")
    return found


@cache
def fields(type_: Type) -> dict[str, Field]:
    """Return the fields of a type, but for objects without fields, such as positions."""
    return {name: field for name, field in type_.fields.items() if _has_fields(field.element)}


def _has_fields(one: Field) -> bool:
    return not isinstance(one, Object) or bool(one.target.fields)


def chosen(repeat: Repeat, columns: Iterable[str] | None) -> dict[str, Field]:
    """Return the fields that are columns; `value` is what is no object. Raises ValueError."""
    element = repeat.element
    known = {"value": element}
    if isinstance(element, Object):
        known = fields(element.target)
        places(element.target, is_deep=True)
    names = [*known] if columns is None else [*columns]
    for name in names:
        if name not in known:
            raise ValueError(f"{repeat.name} has no column {name}; it has {', '.join(known)}")
    return {name: known[name] for name in names}


def table(repeat: Repeat, owner: Any, values: Any, columns: Mapping[str, Field]) -> pa.Table:
    """Return the elements of a repeat as a table. Raises FormatError."""
    values, element = [] if values is None else values, repeat.element
    is_object, arrays = isinstance(element, Object), {}
    around = frozenset([element.target] if isinstance(element, Object) else ())
    for name, one in columns.items():
        if isinstance(values, Rows):
            arrays[name] = _column(one, values, (name,) if is_object else ())
            continue
        cells = [] if is_object else _cells(one, values, owner, around)
        for value in values if is_object else ():
            cells.append(_cell(one, getattr(value, name), value, around))
        arrays[name] = pa.array(cells, _type(one, around))
    return pa.table(arrays)


def _column(one: Field, rows: Rows, path: tuple[str, ...]) -> pa.Array:
    """Return a field of flat records as an array."""
    if isinstance(one, Object):
        inner = fields(one.target)
        arrays = [_column(field, rows, (*path, name)) for name, field in inner.items()]
        return pa.StructArray.from_arrays(arrays, names=[*inner])
    column = rows.column(path, one)
    if one.enum:
        numbers, codes = np.unique(column, return_inverse=True)
        names = [_name(one.members.get(number, number)) for number in numbers.tolist()]
        strings = pa.array(names, pa.string())
        return pa.DictionaryArray.from_arrays(codes.astype(np.int32), strings)
    if hasattr(column, "offsets"):
        buffers = [None, pa.py_buffer(column.offsets), pa.py_buffer(column.data)]
        strings = pa.Array.from_buffers(pa.large_binary(), len(column), buffers)
        return strings.cast(pa.binary())
    return pa.array(column, _type(one, frozenset()))


def _cell(one: Field, value: Any, owner: Any, around: Around) -> Any:
    """Return the value of a field of an object for Arrow; `around` are the types it is in."""
    if value is None:
        return None
    if isinstance(one, Repeat):
        return _cells(one.element, value, owner, around)
    if isinstance(one, Switch):
        case = one.case(owner)
        named = next((name for name, cases in _cases(one).items() if case in cases), None)
        return {named: _cell(case, value, owner, around)} if named and case else {}
    if not isinstance(one, Object):
        return _name(value) if one.enum else value
    if one.target in around:
        return json.dumps(one.to_json(value))
    inner = around | {one.target}
    names = fields(one.target).items()
    return {name: _cell(each, getattr(value, name), value, inner) for name, each in names}


def _cells(element: Field, values: Any, owner: Any, around: Around) -> list[Any]:
    """Return the elements of a repeat of an object."""
    cells = []
    for i, value in enumerate(values):
        if owner is not None:
            owner._loop = i  # for the case of a switch
        cells.append(_cell(element, value, owner, around))
    return cells


def _type(one: Any, around: Around) -> pa.DataType:
    """Return Arrow's type of a field."""
    if isinstance(one, Repeat):
        return pa.list_(_type(one.element, around))
    if isinstance(one, Switch):
        return pa.struct([(name, _type(c[0], around)) for name, c in _cases(one).items()])
    if isinstance(one, Object) and one.target not in around:
        inner = around | {one.target}
        return pa.struct([(name, _type(f, inner)) for name, f in fields(one.target).items()])
    if isinstance(one, Bytes) and one.charset is None:
        return pa.binary()
    if isinstance(one, Object | Bytes):
        return pa.string()
    if one.enum:
        return pa.dictionary(pa.int32(), pa.string())
    if isinstance(one, Bits) and one.kind.bits == 1:
        return pa.bool_()
    return pa.from_numpy_dtype(np.dtype(one.kind.dtype).newbyteorder("="))


@cache
def _cases(one: Switch) -> dict[str, list[Field]]:
    """Return the cases of a switch by the names of their columns."""
    named: dict[str, list[Field]] = {}
    for case in filter(_has_fields, one.cases.values()):
        name = case.type or case.enum.rpartition(".")[2].lower()
        if isinstance(case, Number):
            name = name or case.kind.name
        elif isinstance(case, Bytes):
            name = "bytes" if case.charset is None else "text"
        named.setdefault(name, []).append(case)
    return named


def _name(value: Any) -> str:
    """Return the name of a member of an enum; of any other number, the number."""
    return value.name if hasattr(value, "name") else str(value)


def joined(parts: Iterable[pa.Table]) -> pa.Table:
    """Return tables one after the other."""
    return pa.concat_tables([*parts]).unify_dictionaries()


def with_file(table: pa.Table, file: str, *, is_text: bool = False) -> pa.Table:
    """Return a table with a first column of the file's name, in a dictionary unless `is_text`."""
    names = pa.repeat(text_of(file), len(table) if is_text else min(len(table), 1))
    if not is_text:
        codes = pa.array(np.zeros(len(table), np.int32))
        names = pa.DictionaryArray.from_arrays(codes, names)
    return table.add_column(0, "_file" if "file" in table.column_names else "file", names)


def text_of(file: str) -> str:
    """Return the name of a file, in which bytes that are not UTF-8 are escaped."""
    return file.encode(errors="backslashreplace").decode()
