"""The kinds of fields: how each is read, written and shown as JSON."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from kaitaistruct import KaitaiStruct

from . import json_values as values
from .errors import FormatError
from .fields import Argument, Field, argument
from .integers import encode_integer
from .json_objects import Encoded, from_json, object_to_json, set_fields
from .json_values import BitKind, Kind
from .streams import Canvas, Reading, Source, Stage, Target, Unresolved, known, no_collection
from .types import WRONG, Expression, Type, function, type_of

if TYPE_CHECKING:
    from .solving import Node

INTEGER = frozenset((int,))
MOST_EMPTY = 1 << 16
"""Elements of a repeat, at most, if they have no bytes."""


class Number(Field):
    """A number."""

    is_single = True

    def __init__(self, kind: Kind, **options: Any) -> None:
        super().__init__(**options)
        self.kind = kind

    def take(self, io: Source) -> Any:
        """Return the number at the position of a stream."""
        (value,) = self.kind.packer.unpack_from(io.data, io.take(self.kind.size))
        return value

    def start(self, io: Source) -> int:
        """Return the position of its first byte."""
        return io.pos

    def read(self, node: Node, io: Source) -> None:
        start = self.start(io)
        value = self.take(io)
        if self.enum:
            value = self.members.get(value, value)
        if self.is_element:
            node.__dict__[self.name].append(value)
        else:
            node.__dict__[self.name] = value  # what is valid may depend on it by an instance
        if self.valid is not None and not self.valid(node, value):
            raise self.invalid(value, io.base + start)
        if self.kind.is_float:
            io.compare(start, self.kind.pack(value))
        if io.reading.leaves is not None:
            io.leaf(self.path(node), start, value)

    def write(self, node: Node) -> None:
        value = node._given.get(self.name)
        self.write_to(node, node._io, value if type(value) is int else None)

    def write_to(self, node: Node, io: Target, value: Any) -> None:
        start, canvas = io.pos, io.canvas
        if value is None:
            value = known(node._value, self.name)
        if isinstance(value, Unresolved):
            canvas.wait(self.fill_later, node, canvas, self.leave(io), self.path(node))
        else:
            self.keep(node, value)
            if self.valid is not None and known(self.valid, node, value) is not True:
                canvas.when_known(self.problem_of_value, node, value, self.path(node))
            self.put_number(node, io, value)
        if self.measured:
            node._extent(self.name, start, io.pos)

    def fill_later(self, node: Node, canvas: Canvas, place: Any, path: str) -> str | None:
        """Write a number that was left out; return why that is not possible."""
        value = known(node._value, self.name)
        if not isinstance(value, Unresolved):
            canvas.when_known(self.problem_of_value, node, value, path)
            self.fill(canvas, place, value, path)
            return None
        if canvas.stage < Stage.WHOLE:
            raise value
        return f"{path} cannot be computed: set it ({value})"

    def put_number(self, node: Node, io: Target, value: Any) -> None:
        """Write a number, which is one leaf."""
        try:
            data = self.kind.pack(value)
        except (struct.error, OverflowError):
            data = self.packed(value, self.path(node))
        io.write(data)

    def leave(self, io: Target) -> Any:
        """Leave the number out, and return where it belongs."""
        place = io.base + io.pos
        io.skip(self.kind.size)
        return place

    def fill(self, canvas: Canvas, place: Any, value: Any, path: str) -> None:
        """Write a number that was left out."""
        canvas.put(place, self.packed(value, path))

    def packed(self, value: Any, path: str) -> bytes:
        try:
            return self.kind.pack(value)
        except (struct.error, OverflowError) as error:
            raise FormatError(f"{path}: {value!r} as {self.kind.name}: {error}") from None

    def to_json(self, value: Any) -> Any:
        return values.number_to_json(value, self.kind)

    def from_json(self, doc: Any) -> Any:
        return values.number_from_json(doc, self.kind)


class Bits(Number):
    """A number of so many bits; one bit is a truth value."""

    kind: BitKind

    def __init__(self, bits: int, order: str, **options: Any) -> None:
        super().__init__(BitKind(bits, order), **options)

    def start(self, io: Source) -> int:
        return io.pos - (io.bits_left > 0)

    def take(self, io: Source) -> Any:
        value = io.take_bits(self.kind.bits, self.kind.order)
        return bool(value) if self.kind.bits == 1 else value

    def put_number(self, node: Node, io: Target, value: Any) -> None:
        number = self._checked(value, self.path(node))
        io.write_bits(number, self.kind.bits, self.kind.order)

    def leave(self, io: Target) -> Any:
        return io.write_bits(0, self.kind.bits, self.kind.order)

    def fill(self, canvas: Canvas, place: Any, value: Any, path: str) -> None:
        canvas.set_bits(place, self._checked(value, path), self.kind.bits, self.kind.order)

    def _checked(self, value: Any, path: str) -> int:
        number = int(value)
        if not 0 <= number < 1 << self.kind.bits:
            raise FormatError(f"{path}: {number} does not fit in {self.kind.bits} bits")
        return number

    def packed(self, value: Any, path: str) -> bytes:
        raise FormatError(f"{path} is of bits, which are not packed alone")

    def to_json(self, value: Any) -> Any:
        return bool(value) if self.kind.bits == 1 else int(value)

    def from_json(self, doc: Any) -> Any:
        if type(doc) is not (bool if self.kind.bits == 1 else int):
            raise FormatError(f"{doc!r} is not a number of {self.kind.bits} bits")
        return doc


class Bytes(Field):
    """Bytes or text: `contents`, of a size, up to a byte, or all to the end of the stream."""

    is_single = True

    def __init__(
        self,
        *,
        encoding: str | None = None,
        charset: str | None = None,
        contents: bytes | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.encoding, self.charset, self.contents = encoding, charset, contents
        if contents is not None:
            self.unset, self.role = function(lambda s: contents), "constant"

    def read(self, node: Node, io: Source) -> None:
        start = io.pos
        value = raw = self.take_bytes(node, io)
        if self.contents is not None and raw != self.contents:
            raise self.invalid(raw, io.base + start)
        coding, size = self.coding, None if self.size is None else len(raw)
        if coding is not None or self.charset is not None:
            content = raw if coding is None else coding.decoded(raw, node, io.base + start)
            value = self.text(content, io.base + start)
            written: bytes | None = raw
            if coding is not None and coding.process:
                self.keep_raw(node, raw)
                if io.reading.is_compared:
                    written = coding.again(raw, content, node, size)
            else:
                written = self.packed(value, self.name)
                if coding is not None:
                    written = coding.delimited(written, size, self.name)
                if len(written) != len(raw):
                    self.keep_raw(node, raw)
            if written is not None and len(written) == len(raw):
                io.compare(start, written)
        self.keep(node, value)
        if self.valid is not None and not self.valid(node, value):
            raise self.invalid(value, io.base + start)
        if io.reading.leaves is not None:
            io.leaf(self.path(node), start, raw)

    def problem_of_value(self, node: Node, value: Any, path: str) -> str | None:
        if isinstance(value, Encoded) or (self.contents is None and self.valid is None):
            return None
        data = self.packed(value, path)
        if self.contents is not None and data != self.contents:
            return f"{path} is {data!r:.60}, not {self.contents!r:.60}"
        return super().problem_of_value(node, self.text(data, 0), path)

    @property
    def takes_rest(self) -> bool:
        return self.contents is None and super().takes_rest

    def take_bytes(self, node: Node, io: Source) -> bytes:
        if self.contents is None:
            return super().take_bytes(node, io)
        start = io.take(len(self.contents))
        return bytes(io.data[start : io.pos])

    def text(self, data: bytes, offset: int) -> Any:
        """Return the text of bytes, if they are text. Raises FormatError."""
        if self.charset is None:
            return data
        try:
            return data.decode(self.charset)
        except ValueError as error:
            raise FormatError(f"{self.name} is not {self.charset}: {error}", offset) from None

    def write_to(self, node: Node, io: Target, value: Any) -> None:
        start, path = io.pos, node._path_of(self.name)
        value = node._value(self.name) if value is None else value
        io.canvas.when_known(self.problem_of_value, node, value, path)
        data = self.packed(value, path)
        if isinstance(value, Encoded) and self.coding is not None:
            io.write(data)
            value = self.text(self.coding.decoded(data, node), 0)  # for expressions
        else:
            io.write(self.encoded(node, data))
        self.keep(node, value)
        self.check_end(node, io)
        self.finish(node, io, start)

    def packed(self, value: Any, path: str) -> bytes:
        if isinstance(value, int) and self.encoding is not None:
            return encode_integer(value, self.encoding)
        if isinstance(value, str):
            try:
                return value.encode(self.charset or "ascii")
            except ValueError as error:
                raise FormatError(f"{path}: {error}") from None
        return bytes(value)

    def to_json(self, value: Any) -> Any:
        if isinstance(value, Encoded):
            return {"encoded": value.hex()}
        if isinstance(value, str):
            return value
        return values.bytes_to_json(self.packed(value, self.name), self.encoding)

    def from_json(self, doc: Any) -> Any:
        return doc if self.charset is not None else values.encode(doc, self.encoding)


class Object(Field):
    """An object of a type; with `size`, in a window on the stream."""

    is_object = True

    def __init__(self, type: str, *, window: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.type = type
        self.window = window or self.size is not None or self.coding is not None

    def takes_bytes(self) -> bool:
        return self.window or bool(self.target.fields)

    def read(self, node: Node, io: Source) -> None:
        type_, inner = self.target, self._inner(node, io) if self.window else io
        child = type_.node(inner, node, self, node._loop if self.is_element else 0)
        self.keep(node, child)
        type_.read_into(child)
        if inner is not io:
            inner.cover()

    def _inner(self, node: Node, io: Source) -> Source:
        """Return the stream of its own that the object is in: a window, or decoded bytes."""
        if self.coding is None:
            size = max(io.size - io.pos, 0) if self.size is None else int(self.size(node))
            return io.window(size)
        start, raw = io.pos, self.take_bytes(node, io)
        self.keep_raw(node, raw)
        content = self.coding.decoded(raw, node, io.base + start)
        if io.reading.is_compared:
            size_of = None if self.size is None else len(raw)
            written = self.coding.again(raw, content, node, size_of)
            if written is not None:
                io.compare(start, written)
        if io.reading.leaves is not None:
            io.leaf(self.path(node), start, raw)
        reading = Reading(content, outer=io.reading)
        return Source(reading, reading.data, 0)

    def write(self, node: Node) -> None:
        type_ = self.target
        if type_.given and node._raw(self.name) is None:
            self.write_to(node, node._io, self._computed(node))
        elif type_.fields:
            self.write_to(node, node._io, node._value(self.name))
        elif self.window:
            self.write_to(node, node._io, node._raw(self.name) or {})
        else:
            if self.looked:  # for its parameters, such as a position
                index = node._loop if self.is_element else 0
                self.keep(node, type_.node(node._io, node, self, index))
            self.finish(node, node._io, node._io.pos)

    def write_to(self, node: Node, io: Target, value: Any) -> None:
        """Write an object, its JSON or its bytes to a stream."""
        assert self.type is not None
        start = io.pos
        if isinstance(value, bytes):
            io.write(value)
            if self.is_element:
                self.keep(node, None)
        elif self.coding is not None:
            io.write(self._coded(node, value))
            self.check_end(node, io)
        elif self.window:
            limit = self.known_size(node)
            if self.size is None and io._size is not None:
                limit = io._size - start
            outer = io if self.size is None else None
            inner = Target(io.canvas, io.base + start, limit, outer)
            self._write_child(node, inner, value)
            inner.settle()
            size = None if self.size is None else known(self.size, node)
            length = inner.end if size is None or isinstance(size, Unresolved) else int(size)
            if size is None:
                length = max(length, inner._after_gaps())  # with bytes of no field
            elif isinstance(size, Unresolved) and size.name == "_io.size":
                # All up to what follows, also bytes of no field.
                end, extra = inner.base + length, io.canvas.extra
                length += sum(len(gap) for at, gap in extra if at == end)
            if length < inner.high:
                raise FormatError(
                    f"{node._path_of(self.name)} takes {inner.high} bytes, its size is {length}"
                )
            inner.close(length, is_new=isinstance(value, dict) or value._io is None)
            io.skip(length)
            if self.size is None:
                io.canvas.when_known(self._problem_of_rest, node, io, inner, io.pos)
        else:
            self._write_child(node, io, value)
        if self.measured or self.size is not None:
            self.finish(node, io, start)

    def _problem_of_rest(self, node: Node, io: Target, inner: Target, end: int) -> str | None:
        """Return the problem of what follows a window to the end of its stream.

        Fields may follow from its size, and those after it in `seq` are never read.
        """
        if io.canvas.stage < Stage.WHOLE:
            raise Unresolved(node, self.name, "is not followed by anything yet")
        is_after = io.pos > end and not io.canvas.parts
        return self.problem_of_last(node, io, end) if inner.is_asked or is_after else None

    def _computed(self, node: Node) -> Any:
        """Return a new object whose value measures another field."""
        for name in self.target.given:
            if (measured := node._measure(f"{self.name}.{name}")) is not None:
                measure, owner = measured
                if measure.function == "length":
                    owner._write_apart(measure.first)
                return self.target.cls(**{name: measure(owner)})
        raise FormatError(f"{self.path(node)} is not set; set it")

    def _coded(self, node: Node, value: Any) -> bytes:
        """Return an object as its bytes are encoded; those that were read, if they are the same."""
        assert self.coding is not None
        canvas = Canvas()
        canvas.is_new = isinstance(value, dict) or value._io is None
        self._write_child(node, canvas.root, value)
        canvas.finish()
        data, uncovered = canvas.join(whole=False)
        is_read = not isinstance(value, dict) and value._io is not None
        content = bytes(value._io.data) if is_read and value._io.reading.outer else None
        if content is not None and len(content) >= len(data):
            uncovered.append((len(data), len(content)))
            whole = bytearray(data.ljust(len(content), b"\0"))
            for start, end in uncovered:
                whole[start:end] = content[start:end]
            data = bytes(whole)
        elif uncovered:
            raise FormatError(f"{self.path(node)}: no field covers some of its bytes")
        return self.encoded(node, data)

    def _write_child(self, node: Node, io: Target, value: Any) -> None:
        type_ = self.target
        child = type_.node(io, node, self, node._loop if self.is_element else 0)
        set_fields(child, value)
        if self.looked:
            self.keep(node, child)
        planned = io.canvas.planned
        type_.write(child)
        if type_.looked and not self.looked and io.canvas.planned == planned:
            child._forget()

    def to_json(self, value: Any) -> Any:
        assert self.type is not None
        if isinstance(value, bytes):
            return {"hex": value.hex()}
        type_ = self.target
        return object_to_json(value, type_) if type_.fields or self.is_element else None

    def from_json(self, doc: Any) -> Any:
        if not isinstance(doc, dict):
            raise FormatError(f"{doc!r:.60} is not an object")
        return doc

    def packed(self, value: Any, path: str) -> bytes:
        return bytes(value)


class Repeat(Field):
    """A repeat of a field; plain numbers are read and written at once.

    Args:
        element: The field, once.
        until: Whether an element is the last one.
        runs: In JSON, objects that differ in this first field alone, which counts up, are one.
    """

    is_repeated = True

    def __init__(
        self,
        element: Field,
        *,
        until: Argument | None = None,
        runs: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.role = element.role
        self.element, self.type, self.runs = element, element.type, runs
        self.until = None if until is None else argument(until)
        self.looked, self.parts = element.looked, (element,)
        for one in (element, *element.parts):
            one.is_element, one.looked = True, self.looked or until is not None
        is_plain = type(element) is Number and until is None
        self.kind: Kind | None = element.kind if is_plain else None  # type: ignore[attr-defined]

    @cached_property
    def is_computed(self) -> bool:
        """Whether all of an element follows from the object that the repeat is in."""
        is_object = self.type is not None and self.until is not None
        return is_object and all(field.unset for field in self.target.seq)

    # -- Reading

    def read(self, node: Node, io: Source) -> None:
        count = None if self.count is None else int(self.count(node))
        if io.reading.as_rows is not None:
            rows = io.reading.as_rows(self, node, io, count)
            if rows is not None:
                self.keep(node, rows)
                return
        if self.kind is not None:
            self.read_numbers(node, io, self.kind, count)
            return
        elements = node.__dict__.setdefault(self.name, [])
        if self.element.is_switch and self.element.case(node) is None:
            if count is None and not io.eof:
                raise FormatError(f"{self.name} has no case, and repeats it", io.base + io.pos)
            return
        i, is_last = 0, False
        while not is_last and (
            (self.until is not None or not io.eof) if count is None else i < count
        ):
            start, bits = io.pos, io.bits_left
            self.read_element(node, io, i)
            i += 1
            if self.until is not None:
                is_last = self.until(node, elements[-1])
            if io.pos == start and io.bits_left == bits and i > MOST_EMPTY:
                raise FormatError(f"{self.name} repeats nothing without end", io.base + io.pos)

    def read_element(self, node: Node, io: Source, i: int) -> None:
        """Read an element, whose path is that of an error in it."""
        node._loop = i
        try:
            self.element.read(node, io)
        except FormatError as error:
            error.path = error.path or self.element.path(node)
            raise

    def read_numbers(self, node: Node, io: Source, kind: Kind, count: int | None) -> None:
        """Read all numbers at once."""
        size = kind.size
        count = max((io.size - io.pos + size - 1) // size if count is None else count, 0)
        start = io.take(count * size)  # no numbers may be anywhere, also beyond the end
        numbers = list(struct.unpack_from(kind.several(count), io.data, start)) if count else []
        if (valid := self.element.valid) is not None:
            for i, value in enumerate(numbers):
                if not valid(node, value):
                    raise self.element.invalid(value, io.base + start + i * size)
        node.__dict__[self.name] = numbers
        if self.element.enum:
            members = self.element.members
            node.__dict__[self.name] = [members.get(number, number) for number in numbers]
        if kind.is_float:
            io.compare(start, struct.pack(kind.several(count), *numbers))
        if io.reading.leaves is not None:
            path = node._path_of(self.name)
            for i, number in enumerate(numbers):
                at = start + i * size
                io.leaf(f"{path}[{i}]", at, number, at + size)

    # -- Writing

    def write(self, node: Node) -> None:
        is_unset = self.is_computed and node._raw(self.name) is None
        self.write_to(node, node._io, None if is_unset else node._value(self.name))

    def write_to(self, node: Node, io: Target, value: Any) -> None:
        start = io.pos
        if isinstance(value, bytes):
            io.write(value)
        elif hasattr(value, "offsets"):  # a BytesColumn of records
            io.write(value.join())
        elif self.kind is not None:
            self.write_numbers(node, io, value, self.kind)
        elif not value and self.element.is_switch and self.element.case(node) is None:
            node.__dict__[self.name], value = [], b""  # whatever its count
        else:
            self.write_elements(node, io, value)
        if self.count is None and self.until is None:
            if io.bits_left:
                raise FormatError(f"{node._path_of(self.name)} ends within a byte, and its stream")
            io.canvas.when_known(self.problem_of_last, node, io, io.pos)
        self.finish(node, io, start, b"" if value is None else value)

    def _problem_of_numbers(self, node: Node, value: Any, kind: Kind) -> str | None:
        """Return the problem of the first number that readers would reject."""
        from .records import Field as Column  # numpy takes 0.1 s to import

        one = self.element
        limits = [None if each is None else each(node) for each in (one.equal, one.least, one.most)]
        names = dict(zip(("equal", "least", "most"), limits, strict=True))
        any_of = [each(node) for each in one.any_of] or None
        column = Column(self.name, "", kind.packer.format, any_of=any_of, **names)
        at = column.first_wrong(value)
        if at is None and (test := one.test) is not None:
            at = next((i for i, number in enumerate(value) if not test(node, number)), None)
        if at is None:
            return None
        return f"{node._path_of(self.name)}[{at}] is {value[at]}, which is not valid"

    def write_numbers(self, node: Node, io: Target, value: Any, kind: Kind) -> None:
        """Write all numbers at once."""
        if self.element.valid is not None and len(value):
            io.canvas.when_known(self._problem_of_numbers, node, value, kind)
        if hasattr(value, "astype"):
            from .arrays import fit  # numpy takes 0.1 s to import

            data = fit(value, kind.dtype, node._path_of(self.name)).astype(kind.dtype).tobytes()
        else:
            try:
                data = struct.pack(kind.several(len(value)), *value)
            except (struct.error, OverflowError) as error:
                raise FormatError(f"{node._path_of(self.name)}: {error}") from None
        io.write(data)

    def write_elements(self, node: Node, io: Target, value: Any) -> None:
        """Write each element; if there is no value, computed ones up to the last."""
        elements: list[Any] = []
        element = self.element
        node.__dict__[self.name] = elements
        if self.until is None:
            for node._loop, one in enumerate(value):
                element.write_to(node, io, one)
            return
        if value is None:
            for node._loop in range(MOST_EMPTY):
                element.write_to(node, io, {})
                if self.until(node, elements[-1]):
                    return
        for node._loop, one in enumerate(value or ()):
            element.write_to(node, io, one)
            is_final = node._loop + 1 == len(value)
            io.canvas.when_known(self._problem_of_until, node, node._loop, io.pos, is_final)
        if not value:
            raise FormatError(f"{node._path_of(self.name)} has no element that ends it")

    def _problem_of_until(self, node: Node, i: int, end: int, is_final: bool) -> str | None:
        """Return the problem of an element that ends a repeat too early, or does not end it."""
        assert self.until is not None
        io = node._io
        (place, io.pos), (index, node._loop) = (io.pos, end), (node._loop, i)
        try:
            is_last = self.until(node, node.__dict__[self.name][i])
            is_last = is_last or (is_final and self._ends_stream(node))
            if bool(is_last) is is_final:
                return None
            why = "ends the repeat, but is not the last" if is_last else "does not end the repeat"
            return f"{self.element.path(node)} {why}"
        finally:
            io.pos, node._loop = place, index

    def _ends_stream(self, node: Node) -> bool:
        """Return whether the last element ends the repeat if it ends the stream; check that."""
        assert self.until is not None
        io = node._io
        io.eof = True
        try:
            is_last = bool(self.until(node, node.__dict__[self.name][-1]))
        finally:
            io.eof = False
        if is_last:
            io.canvas.when_known(self.problem_of_last, node, io, io.pos)
        return is_last

    # -- JSON

    def to_json(self, value: Any) -> Any:
        numbers = value.tolist() if hasattr(value, "tolist") else value
        if self.kind is not None and not (self.kind.is_float or self.element.enum):
            return [*map(int, numbers)]
        return [self.element.to_json(x) for x in numbers]

    def shown(self, value: Any, obj: Any, index: int | None = None) -> Any:
        if self.kind is not None:
            return self.to_json(value)
        docs: list[Any] = []
        for i, one in enumerate(value):
            doc = self.element.shown(one, obj, i)
            if self.runs is None:
                docs.append(doc)
            else:
                values.add_to_runs(docs, doc, self.runs)
        return docs

    def from_json(self, doc: Any) -> Any:
        """Objects stay JSON; a run becomes the bytes of its elements, for there may be millions."""
        if not isinstance(doc, list):
            raise FormatError(f"{doc!r:.60} is not a list")
        if self.kind is not None and not self.kind.is_float and INTEGER.issuperset(map(type, doc)):
            return doc
        element = self.element
        if self.runs is None:
            return [from_json(element, one) for one in doc]
        elements: list[Any] = []
        for first, many in values.runs([element.from_json(one) for one in doc], self.runs):
            if many == 1:
                elements.append(from_json(element, first))
                continue
            type_ = self.target
            kind = type_.fields[self.runs].kind  # type: ignore[attr-defined]
            try:
                data, _ = write_parts(Canvas(), [(0, type_, first, {})]).join()
                elements += values.run_of(data, kind, many)
            except struct.error:
                raise FormatError(f"{many:,} times {self.runs} does not fit") from None
        return elements


class Switch(Field):
    """One of several fields.

    Args:
        on: What decides.
        cases: The field for each value, and for all others, None.
    """

    is_switch = True

    def __init__(self, on: Expression, cases: Mapping[Any, Field], **options: Any) -> None:
        super().__init__(**options)
        self.on, self.cases, self.parts = function(on), cases, tuple(cases.values())
        for case in self.parts:
            case.looked = self.looked

    def case(self, node: Node) -> Field | None:
        """Return the field that there is. Raises Unresolved if that is not known yet."""
        case: Field | None = self.cases.get(self.on(node), self.cases.get(None))
        return case

    def read(self, node: Node, io: Source) -> None:
        case = self.case(node)
        if case is not None:
            case.read(node, io)

    def write(self, node: Node) -> None:
        self.write_to(node, node._io, node._raw(self.name))

    def write_to(self, node: Node, io: Target, value: Any) -> None:
        case, path = self.case(node), node._path_of(self.name)
        if case is None or value is None:
            if value is not None:
                raise FormatError(self.not_there(node))
            if case is not None and case.takes_bytes():
                raise FormatError(f"{path} is not set; set it")
            return
        if isinstance(value, dict) and value.get("$type", case.type) != case.type:
            raise FormatError(f"{path} is {value['$type']}, not {case.type or 'a value'}")
        start = io.pos
        case.write_to(node, io, value)
        if self.measured:
            node._extent(self.name, start, io.pos)

    def shown(self, value: Any, obj: Any, index: int | None = None) -> Any:
        if obj.__dict__.get("_raw_" + self.name) is None:
            return self.to_json(value)
        obj._loop = index
        case = self.case(obj)
        doc = self.to_json(value) if case is None else case.shown(value, obj, index)
        is_object = isinstance(value, KaitaiStruct) and "encoded" not in doc
        return {"$type": type_of(value).name} | doc if is_object else doc

    def to_json(self, value: Any) -> Any:
        if isinstance(value, KaitaiStruct):
            type_ = type_of(value)
            return {"$type": type_.name} | object_to_json(value, type_)
        if isinstance(value, float):
            number = values.number_to_json(value, values.F8BE)
            return {"number": number} if isinstance(number, str) else number
        if isinstance(value, bytes):
            return {"encoded" if isinstance(value, Encoded) else "hex": value.hex()}
        return value if isinstance(value, bool | str) else int(value)

    def from_json(self, doc: Any) -> Any:
        return float(doc["number"]) if isinstance(doc, dict) and "number" in doc else doc


@no_collection()
def write_parts(
    canvas: Canvas, parts: Iterable[tuple[int, Type, Any, Mapping[str, Any]]]
) -> Canvas:
    """Write objects, or their JSON: each position, type, value and parameters.

    Raises:
        FormatError: One cannot be written.
    """
    try:
        for part in parts:
            _write_part(canvas, *part)
        canvas.finish()
    except Unresolved as missing:
        remedy = "; set it" if missing.message.startswith(("is not set", "follows")) else ""
        raise FormatError(f"{missing}{remedy}") from None
    except WRONG as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(str(error)) from error
    return canvas


def _write_part(
    canvas: Canvas, at: int, type_: Type, value: Any, params: Mapping[str, Any]
) -> None:
    """Write an object, or its JSON, to a position of the file, with all that it places."""
    root = canvas.root
    canvas.is_new &= isinstance(value, dict) or value._io is None
    root.move(at)
    root.high = max(root.high, at)
    node = type_.node(root)
    set_fields(node, value)
    for name in type_.params:
        parameter = params.get(name) if isinstance(value, dict) else getattr(value, name, None)
        if parameter is not None:
            node.__dict__[name] = parameter
    try:
        type_.write(node)
    except RecursionError:
        raise FormatError(f"{type_.name}: objects are nested too deeply") from None
    except WRONG as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"{type_.name}: {str(error) or repr(error)}") from error
