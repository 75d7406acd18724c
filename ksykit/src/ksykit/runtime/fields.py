"""What all kinds of fields have in common: where a field is, what is valid, how it is written."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Self

from .codings import Coding
from .errors import FormatError
from .json_objects import is_unreadable
from .streams import Ahead, Source, Stage, Target, Unresolved, known
from .types import WRONG, Expression, Function, Measure, Type, function, type_named

if TYPE_CHECKING:
    from .solving import Node

Argument = int | str | Callable[["Node", Any], Any]


def _optional(expression: Expression | None) -> Function | None:
    return None if expression is None else function(expression)


def argument(expression: Argument) -> Callable[[Node, Any], Any]:
    """Return an argument of a type as a function of an object and an index."""
    if callable(expression):
        return expression
    of_object = function(expression)
    return lambda s, i: of_object(s)


def _element(value: Any, index: int | None) -> Any:
    """Return a value, or one of its elements."""
    return value if value is None or index is None else value.get(index)


class Field(ABC):
    """A field of `seq`, or an instance at a position.

    Args:
        when: whether it exists (`if`).
        to_end: `when` asks for the end of the stream: it is written if it has a value.
        equal, least, most, any_of, test: what is valid.
        value: computes it if it is unset.
        inverse: computes it from value instances that are set, by their names.
        looked: expressions look into it.
        measured: expressions use its position, its length or its CRC.
        at: its position in the stream. None: it follows the field before.
        from_end: its position is counted from the end of the stream.
        stream: the stream that it is in (`io`), if it is another than that of its object.
        size, count: its bytes, its elements.
        args: what is passed to the parameters of its type.
        coding: how its bytes are delimited and encoded.
        first: it is written before its object, whose size depends on its offset.
        role: the purpose of the number, if that is not known from `equal` or a measure.
        after: the least value of the field `ascending` in the next element.
        enum: the enum of the number, as `spec.Enum`.
        hints: values of the attributes that drawing uses.
    """

    type: str | None = None
    package: str  # the generated package that has the type
    name: str
    """The name in the spec."""
    is_repeated = False
    is_switch = False
    is_single = False  # a number or bytes
    is_object = False
    is_element = False  # of a `Repeat`
    parts: tuple[Field, ...] = ()
    """The element of a repeat, or the cases of a switch."""
    offset: Measure | None = None
    """The number that its position follows from: if that is unset, it goes to the end."""

    # What drawing uses

    examples: tuple[int, ...] = ()
    """Numbers to draw now and then."""
    likely: tuple[int, ...] = ()
    """Numbers to draw mostly, by which types are chosen."""
    small = False
    """A size depends on the number."""
    inner: tuple[str, ...] = ()
    """Numbers of the object that a size depends on, as paths in it."""
    max_size: int | None = None
    """Bytes to draw at most."""
    ascending: str | None = None
    """The field by which the elements of a repeat ascend; "" for numbers."""
    decides = False
    """What else there is depends on the field, although a writer computes it."""
    needs_parent = False
    """The instance exists in an object of the outermost type only."""

    def __init__(
        self,
        *,
        when: Expression | None = None,
        to_end: bool = False,
        equal: Expression | None = None,
        least: Expression | None = None,
        most: Expression | None = None,
        any_of: tuple[Expression, ...] = (),
        test: Argument | None = None,
        value: Expression | None = None,
        inverse: Mapping[str, Function] | None = None,
        looked: bool = False,
        measured: bool = False,
        at: Expression | None = None,
        from_end: bool = False,
        stream: Expression | None = None,
        size: Expression | None = None,
        count: Expression | None = None,
        args: Mapping[str, Argument] | None = None,
        coding: Coding | None = None,
        first: bool = False,
        role: str = "",
        after: Expression | None = None,
        enum: str = "",
        **hints: Any,
    ) -> None:
        self.when, self.to_end, self.enum = _optional(when), to_end, enum
        self.element: Field = self  # that of each element of a repeat
        self.equal, self.least, self.most = map(_optional, (equal, least, most))
        self.any_of = tuple(map(function, any_of))
        self.test = None if test is None else argument(test)
        self.valid = self._valid()
        self.unset = _optional(value) if self.equal is None or self.is_repeated else self.equal
        self.inverse = inverse or {}
        self.looked, self.measured = looked, measured
        self.at, self.stream, self.is_overlay = _optional(at), _optional(stream), type(at) is int
        self.from_end, self.first = from_end, first
        self.size, self.count = _optional(size), _optional(count)
        self.size_path = size if isinstance(size, str) else None
        self.args = {name: argument(one) for name, one in (args or {}).items()}
        self.passed = tuple(self.args.items())
        self.coding, self.after = coding, _optional(after)
        self.role = "constant" if isinstance(equal, int) else role
        for name, hint in hints.items():
            assert hasattr(Field, name), name
            setattr(self, name, hint)

    def _valid(self) -> Callable[[Node, Any], bool] | None:
        """Return whether a value is valid, as a function; None if any value is."""
        equal, least, most, any_of = self.equal, self.least, self.most, self.any_of
        checks: list[Callable[[Node, Any], bool]] = []
        if equal is not None:
            checks.append(lambda s, v: v == equal(s))
        if least is not None:
            checks.append(lambda s, v: v >= least(s))
        if most is not None:
            checks.append(lambda s, v: v <= most(s))
        if any_of:
            checks.append(lambda s, v: any(v == one(s) for one in any_of))
        if self.test is not None:
            checks.append(self.test)
        if len(checks) < 2:
            return checks[0] if checks else None
        return lambda s, v: all(check(s, v) for check in checks)

    def named(self, name: str, package: str) -> Self:
        """Give the field, and those in it, the name and the generated package; return it."""
        self.name, self.package = name, package
        for part in self.parts:
            part.named(name, package)
        return self

    @cached_property
    def members(self) -> Mapping[int, Any]:
        """The members of the enum, by their numbers."""
        module, _, name = self.enum.partition(".")
        enum: Any = getattr(import_module(f"{self.package}.views.{module}"), name)
        return {member.value: member for member in enum}

    @cached_property
    def target(self) -> Type:
        """The type of an object, or of the objects of a repeat."""
        assert self.type is not None
        return type_named(self.package, self.type)

    @cached_property
    def cases(self) -> Mapping[Any, Field]:
        """The fields that it may be: others than itself of a `Switch`."""
        return {None: self}

    def case(self, node: Node) -> Field | None:
        """Return the field that there is. Raises Unresolved if that is not known yet."""
        return self

    def takes_bytes(self) -> bool:
        """Return whether it is more than a name for a position."""
        return True

    def keep(self, node: Node, value: Any) -> None:
        """Give an object the value of its field, or the next element of it."""
        if self.is_element:
            node.__dict__[self.name].append(value)
        else:
            node.__dict__[self.name] = value

    # -- What the kinds of fields do

    @abstractmethod
    def read(self, node: Node, io: Source) -> None:
        """Read the field at the position of a stream, into an object."""

    def write(self, node: Node) -> None:
        """Write the field at the position of the node's stream."""
        self.write_to(node, node._io, node._value(self.name))

    @abstractmethod
    def write_to(self, node: Node, io: Target, value: Any) -> None:
        """Write a value at the position of a stream."""

    def path(self, node: Node) -> str:
        """Return the path of the field of an object, or of the element that is written."""
        path = node._path_of(self.name)
        return f"{path}[{node._loop}]" if self.is_element else path

    def packed(self, value: Any, path: str) -> bytes:
        """Return the bytes of a single value. Raises FormatError, with the field's path."""
        raise FormatError(f"{path} is not a number or bytes: write the object with to_bytes")

    @abstractmethod
    def to_json(self, value: Any) -> Any:
        """Return the JSON of a value in a Kaitai object; None if there is nothing to show."""

    def shown(self, value: Any, obj: Any, index: int | None = None) -> Any:
        """Return the JSON of a value of an object; of one element of a repeat, its index."""
        coding = self.coding
        raw = None if coding is None else _element(obj.__dict__.get("_raw_" + self.name), index)
        if coding is None or raw is None:
            return self.to_json(value)
        data = bytes(value._io.data) if self.type is not None else self.packed(value, self.name)
        if index is not None:
            obj._loop = index
        size = None if self.size is None else len(raw)
        is_kept = coding.again(raw, data, obj, size) is not None
        doc = self.to_json(value) if is_kept else None
        if doc is None or (self.type is not None and value._io.reading.gaps()):
            return {"encoded": raw.hex()}
        return doc

    @abstractmethod
    def from_json(self, doc: Any) -> Any:
        """Return the value of JSON; objects stay JSON."""

    # -- Reading

    def take_bytes(self, node: Node, io: Source) -> bytes:
        """Return the bytes that the field takes, as they are in the file."""
        coding = self.coding
        if self.size is not None:
            size = int(self.size(node))
        elif self.takes_rest or coding is None:
            size = max(io.size - io.pos, 0)
        elif (end := io.find(coding.ending)) < 0:
            raise FormatError(f"{self.name} has no end", io.base + io.size)
        else:
            size = end - io.pos + len(coding.ending) * coding.consume
        start = io.take(size)
        return bytes(io.data[start : io.pos])

    def invalid(self, value: Any, offset: int) -> FormatError:
        """Return the error over a value that is not valid."""
        return FormatError(f"{self.name} is {value!r:.60}, which is not valid", offset)

    def problem_of_value(self, node: Node, value: Any, path: str) -> str | None:
        """Return the problem of a value that readers would reject."""
        is_wrong = self.valid is not None and not self.valid(node, value)
        return f"{path} is {value!r:.60}, which is not valid" if is_wrong else None

    def keep_raw(self, node: Node, raw: bytes) -> None:
        """Keep the bytes of a field that a writer may encode otherwise."""
        name = "_raw_" + self.name
        if self.is_element:
            node.__dict__.setdefault(name, {})[node._loop] = raw
        else:
            node.__dict__[name] = raw

    def read_placed(self, node: Node) -> Any:
        """Return an instance, which is read at its position; None if there is none.

        Raises:
            FormatError: It cannot be read.
        """
        unreadable = node.__dict__.get("_unreadable", {})
        if self.name in unreadable:
            raise unreadable[self.name]
        reading = node._io.reading
        state = reading.state()
        reading.work.append(None)
        try:
            if self.when is not None and not self.when(node):
                return None
            io: Source = node._io if self.stream is None else self.stream(node)
            assert self.at is not None
            start = int(self.at(node))
            if self.type is None and start in reading.parts and io.base == 0:
                return None  # another part describes these bytes
            if start < 0:
                raise FormatError(f"position {start} is negative")
            with io.moved_to(start):
                self.read(node, io)
                if self.from_end and io.base + io.size == len(reading.data):
                    reading.tail = min(reading.tail, io.base + start)
                    reading.tail_end = max(reading.tail_end, io.base + io.pos)
                else:
                    reading.high = max(reading.high, io.base + io.pos)
        except WRONG as error:
            node.__dict__.pop(self.name, None)
            node.__dict__.pop("_raw_" + self.name, None)
            reading.undo(state)
            found = FormatError(str(error))
            if isinstance(error, FormatError) and not isinstance(error, Unresolved):
                found = error
            found.path = found.path or self.path(node)
            node.__dict__.setdefault("_unreadable", {})[self.name] = found
            raise found from None
        finally:
            reading.work.pop()
        return node.__dict__.get(self.name)

    # -- Writing

    def known_size(self, node: Node) -> int | None:
        """Return the size, if it does not follow from what the field has."""
        size = None if self.size is None else known(self.size, node)
        return None if size is None or isinstance(size, Unresolved) else int(size)

    def encoded(self, node: Node, data: bytes) -> bytes:
        """Return bytes as they are in the file: as they were read, if these stand for the same."""
        if self.coding is None:
            return data
        index = node._loop if self.is_element else None
        raw = None if node._obj is None else _element(node._given.get("_raw_" + self.name), index)
        if raw is not None and self.coding.is_of(raw, data, node):
            return bytes(raw)
        made = self.coding.encoded(data, node)
        return self.coding.delimited(made, self.known_size(node), self.path(node))

    def is_there(self, node: Node) -> bool:
        """Return whether a field with a condition is written: if that is not known, if it is set.

        Raises FormatError if it is set, but its condition does not hold.
        """
        is_set = node._given.get(self.name) is not None
        if self.to_end:
            there = not isinstance(known(node._value, self.name), Unresolved)
        elif isinstance(there := known(self.when, node), Unresolved):  # type: ignore[arg-type]
            node._io.canvas.when_known(self.problem_of_condition, node, is_set)
            return is_set
        if is_set and not there:
            raise FormatError(self.not_there(node))
        return bool(there)

    def not_there(self, node: Node) -> str:
        """Return the problem of a field that is set, but should not be there."""
        return f"{node._path_of(self.name)} is set, but its condition does not hold"

    def place(self, node: Node) -> None:
        """Plan an instance at a position, which is written when that is known."""
        canvas = node._io.canvas
        if canvas.ahead:
            canvas.written[id(node._given)] = node  # what is ahead of it asks for it
            if (id(node._given), self.name) in canvas.ahead:
                canvas.planned += 1
                return
        canvas.when_known(self._plan, node)

    def _plan(self, node: Node) -> str | None:
        """Plan an instance in its stream, if it is written, as soon as that stream is."""
        canvas = node._io.canvas
        target = node._io if self.stream is None else known(self.stream, node)
        if isinstance(target, Ahead) and self.stream is not None:
            target = Unresolved(node, self.name, "is in an object that is not written yet")
        if isinstance(target, Unresolved):
            if canvas.stage <= Stage.PLACED:
                raise target
            return f"{node._path_of(self.name)} cannot be placed: {target}"
        assert self.at is not None
        if self.type is None and canvas.parts:
            position = known(self.at, node)
            if not isinstance(position, Unresolved) and target.base + position in canvas.parts:
                return None  # another part describes these bytes
        if not node._is_set(self.name) and not self._is_computed_there(node):
            return None
        if self.when is not None:
            canvas.when_known(self.problem_of_condition, node, True)
        canvas.planned += 1
        target.pending.append((self, node))
        if target.is_closed or canvas.stage != Stage.OPEN:
            canvas.reopened.append(target)
        return None

    def placing(self, node: Node) -> list[Node]:
        """Return the objects in a field that place others before themselves; they are ahead."""
        case = self.case(node)
        if case is None or case.type is None or not case.target.places_first:
            return []
        value = node._raw(self.name)
        many = value if isinstance(value, list) and self.at is None else [value]
        given = [(i, one) for i, one in enumerate(many) if not isinstance(one, bytes | list | None)]
        return [node._ahead(case.element, one, i) for i, one in given]

    def _is_computed_there(self, node: Node) -> bool:
        """Return whether a number or bytes at a position are written although they are unset."""
        if not self.is_single or not node._is_new:
            return False
        is_measured = node._measure(self.name) is not None
        if self.is_overlay and self.role != "constant" and not is_measured:
            return False
        if is_unreadable(node._given.get(self.name)):
            return False
        is_there = True if self.when is None else known(self.when, node)
        if isinstance(is_there, Unresolved) or not is_there:
            return False
        return self.unset is not None or is_measured

    def problem_of_condition(self, node: Node, is_there: bool) -> str | None:
        """Return the problem of a field that exists, or not, against its condition."""
        assert self.when is not None
        if bool(self.when(node)) == is_there:
            return None
        path = node._path_of(self.name)
        return self.not_there(node) if is_there else f"{path} is not set, but its condition holds"

    def position(self, node: Node, target: Target) -> int:
        """Return where an instance is written. Raises Unresolved if that is not known yet."""
        position: int | Unresolved = known(self.stated_position, node)
        if isinstance(position, Unresolved):
            if self.offset is None:
                raise position
            self.offset.undone(node, 0)
            node._io.canvas.when_known(self.problem_of_position, node, position := target.high)
        return position

    def problem_of_position(self, node: Node, start: int) -> str | None:
        """Return the problem of where an instance is, against the position that fields state."""
        if (wanted := self.stated_position(node)) == start:
            return None
        return f"{node._path_of(self.name)} is at {start}, its position is {wanted}"

    def stated_position(self, node: Node) -> int:
        """Return the position that fields state. Raises Unresolved if they are not set."""
        assert self.at is not None
        position = int(self.at(node))
        if position < 0:
            raise FormatError(f"{node._path_of(self.name)}: position {position} is negative")
        return position

    def check_end(self, node: Node, io: Target) -> None:
        """Check what follows bytes: nothing, or the terminator that the next field has, too."""
        if self.size is not None:
            return
        if self.takes_rest:
            io.canvas.when_known(self.problem_of_last, node, io, io.pos)
        elif self.coding is not None and not self.coding.consume:
            io.canvas.when_known(self._problem_of_end, node, io, io.pos, self.coding.ending)

    @property
    def takes_rest(self) -> bool:
        """Whether bytes without a size are all up to the end of the stream."""
        return self.coding is None or self.coding.terminator is None or self.coding.to_end

    def problem_of_last(self, node: Node, io: Target, end: int) -> str | None:
        """Return the problem of what is in the stream behind that which ends with it."""
        path = node._path_of(self.name)
        return None if end >= io.last else f"{path} ends with its stream, but more follows"

    def _problem_of_end(self, node: Node, io: Target, end: int, byte: bytes) -> str | None:
        if io.canvas.stage < Stage.WHOLE:
            raise Unresolved(node, self.name, "is not followed by anything yet")
        at, canvas = io.base + end, io.canvas
        path = node._path_of(self.name)
        is_inside = end < io.last or (io is canvas.root and canvas.is_covered(at))
        if is_inside and canvas.read(at, at + len(byte)) == byte:
            return None
        return f"{path} ends before {byte!r}, which does not follow"

    def finish(self, node: Node, io: Target, start: int, value: Any = b"") -> None:
        """Keep where the field is, and compare it with its size; a repeat with its count."""
        end = io.pos
        if self.measured:
            node._extent(self.name, start, end)
        if self.size is not None:
            io.canvas.when_known(self._problem, node, io, start, self.size, end - start)
        if self.count is not None and not isinstance(value, bytes):
            io.canvas.when_known(self._problem, node, io, start, self.count, len(value))

    def _problem(
        self, node: Node, io: Target, start: int, expression: Any, actual: int
    ) -> str | None:
        """Return the problem of a size or count, which may look at the position of the field."""
        saved = io.pos
        if io is node._io:
            io.pos = start
        try:
            expected = int(expression(node))
        finally:
            io.pos = saved
        is_count = expression is self.count
        if expected == actual or (is_count and expected < 0 and not actual):
            return None
        what = (
            f"has {actual} elements, its count" if is_count else f"takes {actual} bytes, its size"
        )
        number = self._number_of(node, "count" if is_count else "length")
        remedy = f"; leave {number} unset" if number else ""
        return f"{node._path_of(self.name)} {what} is {expected}{remedy}"

    def _number_of(self, node: Node, function: str) -> str:
        """Return the number that follows from the field, which may be in an object around it."""
        path, owner = self.name, node
        while True:
            for number, one in owner._type.measures:
                if (one.function, one.path) == (function, path):
                    return owner._path_of(number)
            if owner._parent is None or owner._name is None:
                return ""
            path, owner = f"{owner._name.name}.{path}", owner._parent
