"""How expressions of a spec look in the code of views."""

from __future__ import annotations

from dataclasses import dataclass

from .expression import Dot, Index, Listed, Method, Name, Node, Printer, Unary
from .records import Records, is_marker
from .spec import Attribute, Primitive, Switch, Type, UserType

_MORE = "it asks for more than the fields of its own type"


class Unsupported(Exception):
    """Why a view has no field or member."""


@dataclass(frozen=True)
class Scope:
    """The fields of a view, which is `owner` in the code; or of record `i` in a repeat of `parent`.

    In the loop over an `element`, one of them is `item`, with the number `i`. A member has
    `instances` as arguments, and no stream at hand.
    """

    records: Records
    type: Type
    owner: str = "self"
    repeat: str | None = None
    parent: Type | None = None
    element: Attribute | None = None
    instances: tuple[str, ...] = ()
    is_member: bool = False
    here: str = "p"  # the place in the bytes

    @property
    def printer(self) -> Printer:
        """How expressions become Python."""
        return Printer(self.name, vector=self.repeat is not None, special=self.special)

    def print(self, node: Node) -> str:
        """Return an expression as Python. Raises Unsupported."""
        return self.printer.print(node)

    def name(self, text: str) -> str:
        """Return what a name that stands free is in Python."""
        if self.element is not None and text == "_index":
            return "i"
        if self.element is not None and text == "_" and not self.element.users:
            return "item"
        return self.value(text)

    def value(self, text: str) -> str:
        """Return a number, bytes or a text of the type."""
        kind = self.type
        for v in kind.values:
            if v.id == text:
                member = Scope(self.records, kind, repeat=self.repeat, is_member=True)
                body = member.print(v.value)  # if it can
                return f"{self.owner}.{text}" if self.repeat is None else f"({body})"
        field = next((a for a in kind.seq if a.id == text), None)
        is_number = field is not None and isinstance(field.type, Primitive)
        if self.repeat is not None and is_number and text in self.records.columns(kind):
            return f"self.{self.repeat}_{text}[i]"
        is_one = field is not None and not isinstance(field.type, UserType | Switch)
        if self.repeat is None and (is_one or text in (p.id for p in kind.params)):
            return f"{self.owner}.{text}"
        raise Unsupported(f"it asks for {text}, which is not a number")

    def special(self, node: Node) -> str | None:
        """Return what looks into the stream, into objects, or into a repeat."""
        match node:
            case Unary("not", Dot(Name("_io"), "eof")) if not self.is_member:
                return f"({self.here} < len(d))"
            case Method("min" | "max" | "bytes"):
                raise Unsupported(f"it asks for the {node.name} of an array")
            case Listed() if self.repeat is not None:
                raise Unsupported("it lists an array for each record")
            case Dot(Name("_io"), text):
                return self.stream(text)
            case Dot(Name() | Dot() as inner, "at") if at := self.marker(inner):
                return at
            case Dot(Index(repeated, index), text) if column := self.column(repeated, text):
                return column.format(self.print(index))
            case Dot(Dot(Index(repeated, index), name), text) if column := self.column(
                repeated, name, text
            ):
                return column.format(self.print(index))
            case Dot(Name(name), "value") if self.repeat is not None and self.is_varint(name):
                return f"self.{self.repeat}_{name}[i]"
            case Dot(Name(name), text) if self.repeat is not None and (
                number := self.number(self.type, name, text)
            ):
                return f"self.{self.repeat}_{number[0]}[i]"
            case Dot(target, text):
                return self.place(target).value(text)
            case Method("len", Name() | Dot() as target) | Index(Name() | Dot() as target):
                view, text = self.whole(target)
                a = next((x for x in view.type.seq if x.id == text and x.repeat), None)
                if a is not None and isinstance(node, Method):
                    return f"len({view.owner}.{self.records.slots(a)[0]})"
                if a and isinstance(a.type, Primitive) and isinstance(node, Index):
                    plain = "float" if a.type.is_float else "int"
                    return f"{plain}({view.owner}.{text}[{self.print(node.index)}])"
        return None

    def number(self, child: Type, *path: str) -> tuple[str, Primitive] | None:
        """Return the column of a record's number, or of one in an object of it, and its type."""
        owner = child
        for name in path[:-1]:
            users = [a.users[0].name for a in owner.seq if a.id == name and len(a.users) == 1]
            owner = self.records.world.types[users[0]] if users else owner
        kind = next((a.type for a in owner.seq if a.id == path[-1]), None)
        column = "_".join(path)
        if isinstance(kind, Primitive) and column in self.records.columns(child):
            return column, kind
        return None

    def is_varint(self, name: str) -> bool:
        """Whether a field is the column of a record's varint."""
        is_column = name in self.records.columns(self.type)
        return is_column and any(a.id == name and self.records.is_varint(a) for a in self.type.seq)

    def stream(self, text: str) -> str:
        """Return what an expression asks of the stream."""
        if not self.is_member:
            here = self.here
            return {"pos": f"(start + {here})", "eof": f"({here} == len(d))", "size": "io_size"}[
                text
            ]
        if text == "size" and self.repeat is None:
            return "self.io_size"
        raise Unsupported("it asks for a place in the stream")

    # -- Objects

    def at(self, owner: str, type_: Type) -> Scope:
        """Return the scope of another view."""
        return Scope(self.records, type_, owner)

    def place(self, node: Node) -> Scope:
        """Return the view that an expression stands for."""
        element = self.element
        match node:
            case Name("_") if element is not None and len(element.users) == 1:
                return self.at("item", self.records.world.types[element.users[0].name])
            case Name("_parent") if self.parent is not None:
                return self.at(self.owner, self.parent)
            case Name("_parent" | "_root" as text) if self.repeat is None:
                return self.around(text)
            case Dot(inner, "_parent"):
                return self.place(inner).around("_parent")
            case Name(text) if text in self.instances:
                return self.at(text, self.instance(text))
            case Index(repeated, index):
                view, text = self.whole(repeated)
                child = view.nested(text, is_repeated=True)
                return self.at(f"{view.owner}.{text}[{self.print(index)}]", child)
        view, text = self.whole(node)
        return self.at(f"{view.owner}.{text}", view.nested(text, is_repeated=False))

    def whole(self, node: Node) -> tuple[Scope, str]:
        """Return the view that has a field, and the name of the field."""
        match node:
            case Name(text) if self.repeat is None:
                return self, text
            case Dot(target, text):
                return self.place(target), text
        raise Unsupported(_MORE)

    def marker(self, node: Node) -> str | None:
        """Return the position that an expression stands for; None if it is another object."""
        view, text = self.whole(node)
        is_one = any(a.id == text and is_marker(a, self.records.world) for a in view.type.seq)
        return f"{view.owner}.{text}" if is_one else None

    def nested(self, name: str, *, is_repeated: bool) -> Type:
        """Return the type of a field that is a view, or a repeat of views."""
        for a in self.type.seq:
            if a.id != name or not isinstance(a.type, UserType) or bool(a.repeat) != is_repeated:
                continue
            child = self.records.world.types[a.type.name]
            is_single = not a.repeat and self.records.is_single(child)
            is_column = self.records.is_record(a) or is_single
            if not is_column and not is_marker(a, self.records.world):
                return child
        raise Unsupported(f"{name} is not a view")

    def around(self, name: str) -> Scope:
        """Return the view around this one, or the outermost one."""
        world, type_ = self.records.world, self.type
        if name == "_root":
            root = world.specs[type_.spec].types[0]
            if root.name in world.parents:
                raise Unsupported(
                    "it asks for the outermost object, which may have others of its type"
                )
            return self.at(self.owner if type_ is root else f"{self.owner}.root", root)
        parents = world.parents.get(type_.name, set())
        parent = world.types[next(iter(parents))] if len(parents) == 1 else None
        if parent and not any(type_.name in (u.name for u in a.users) for a in parent.positioned):
            return self.at(f"{self.owner}.parent", parent)
        raise Unsupported("it asks for an object around it that may be of several types")

    def column(self, repeated: Node, *path: str) -> str | None:
        """Return the format of a record's field or value; None if the repeat is not in columns."""
        view, repeat = self.whole(repeated)
        for a in view.type.seq:
            if a.id != repeat or not self.records.is_record(a):
                continue
            child = self.records.world.types[a.users[0].name]
            if number := self.number(child, *path):
                plain = "float" if number[1].is_float else "int"
                return f"{plain}({view.owner}.{repeat}_{number[0]}[{{}}])"
            if any((v.id,) == path for v in child.values):
                return f"{view.owner}.{repeat}_{path[0]}({{}})"
            raise Unsupported(f"it asks for {'.'.join((repeat, *path))}, which is not a number")
        return None

    def instance(self, name: str) -> Type:
        """Return the type of an instance at a position."""
        for a in self.type.positioned:
            child = self.records.world.types.get(a.users[0].name) if len(a.users) == 1 else None
            if a.id == name and child is not None and not a.repeat:
                return child
        raise Unsupported(f"it asks for a field of {name}")


class RowScope(Scope):
    """The fields of a record as variables of the loop that reads it."""

    def name(self, text: str) -> str:
        """Return a number."""
        return f"item_{text}"

    def special(self, node: Node) -> str | None:
        """Return the value of a varint."""
        return self.print(node.target) if isinstance(node, Dot) else None
