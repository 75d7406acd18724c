"""Functions between bytes and JSON for each type of a spec, straight through its fields.

They leave out objects, and all that is computed when something is unset: what they do not
understand they leave to the runtime, by raising `Unusual`. Types that use more of Kaitai than they
know have none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from .expression import Attribute as Dot
from .expression import Binary, Index, Name, Node, Printer, Ternary, Unary, names, uses
from .load import Attribute, Primitive, Spec, Type, UserType, Value
from .world import World, inlined


@dataclass(frozen=True)
class DocumentType:
    """The four functions of a type; `place` and `put` are those of its instances, if it has any."""

    name: str
    params: tuple[str, ...]
    read: tuple[str, ...]
    place: tuple[str, ...]
    write: tuple[str, ...]
    put: tuple[str, ...]
    uses_parent: bool


@dataclass(frozen=True)
class DocumentModule:
    """What the template needs of one spec."""

    spec: str
    title: str
    imports: tuple[tuple[str, tuple[str, ...]], ...]
    structs: tuple[tuple[str, str], ...]
    numbers: tuple[str, ...]
    types: tuple[DocumentType, ...]


class _Unsupported(Exception):
    """A type needs what these functions do not know."""


@dataclass(frozen=True)
class _View:
    """How an object is reached: its JSON, its marks (params, positions, bytes), or locals."""

    type: Type
    doc: str
    marks: str
    local: bool = False


@dataclass
class _Shared:
    """What is found out over all types: names that others than the type itself look at."""

    exports: set[tuple[str, str]] = field(default_factory=set)
    unsupported: set[str] = field(default_factory=set)


class _Writer:
    """The functions of one type."""

    def __init__(self, world: World, type_: Type, shared: _Shared, parents: list[Type]) -> None:
        self.world, self.type, self.shared, self.parents = world, type_, shared, parents
        self.structs: dict[str, str] = {}
        self.numbers: set[str] = set()
        self.used: dict[str, set[str]] = {}
        self.packing = False

    # -- Expressions

    def own(self, *, local: bool) -> _View:
        return _View(self.type, "x", "k", local)

    def printer(self, view: _View, *, stream: bool = True) -> Printer:
        def name(text: str) -> str:
            return "i" if text == "_index" else self.value(view, text)

        def attribute(node: Dot) -> str | None:
            if node.target == Name("_io"):
                texts = {"pos": "p - b"}
                if not self.packing:
                    texts |= {"size": "e - b", "eof": "p == e"}
                if node.name not in texts or not stream:
                    raise _Unsupported(f"_io.{node.name}")
                return f"({texts[node.name]})"
            marker = self.marker(view, node)
            return marker or self.value(self.descend(view, node.target), node.name)

        return Printer(name=name, enum=self.world.enum(view.type), attribute=attribute)

    def text(self, node: Node, *, local: bool = True) -> str:
        plain = _plain(inlined(node, {v.id: v.value for v in self.type.values}))
        text = self.printer(self.own(local=local), stream=local).print(plain)
        return f"({text})" if isinstance(plain, Unary | Binary | Ternary) else text

    def marker(self, view: _View, node: Dot) -> str | None:
        """The text of `x.at` if x is a field that takes no bytes."""
        match node.target:
            case Name(name):
                owner = view
            case Dot(target, name):
                owner = self.descend(view, target)
            case _:
                return None
        found = next((a for a in owner.type.seq if a.id == name), None)
        if found is None or not self.is_marker(found):
            return None
        return self.mark(owner, name)

    def mark(self, view: _View, name: str) -> str:
        if view.local:
            return f"k_{name}"
        self.shared.exports.add((view.type.name, name))
        return f'{view.marks}["{name}"]'

    def value(self, view: _View, name: str) -> str:
        """A number or bytes of an object."""
        type_ = view.type
        if any(p.id == name for p in type_.params):
            if view.local:
                return f"a_{name}"
            self.shared.exports.add((type_.name, name))
            return f'{view.marks}["{name}"]'
        for v in type_.values:
            if v.id == name:
                return f"({self.printer(view, stream=view.local).print(v.value)})"
        a = next((a for a in type_.seq if a.id == name), None)
        if a is None or a.repeat or isinstance(a.type, UserType):
            raise _Unsupported(f"{type_.name}.{name}")
        if a.type is None:
            return self.mark(view, name)
        if a.type.is_float:
            raise _Unsupported("a float in an expression")
        return f"v_{name}" if view.local else f'{view.doc}["{name}"]'

    def descend(self, view: _View, node: Node) -> _View:
        """The object that a path leads to."""
        match node:
            case Name("_parent"):
                if view.type is not self.type or len(self.parents) != 1:
                    raise _Unsupported("_parent of more than one type")
                return _View(self.parents[0], "ux", "uk")
            case Name(name):
                return self.child_view(view, name)
            case Dot(target, name):
                return self.child_view(self.descend(view, target), name)
            case Index(target, index):
                if self.in_runs(view, target):
                    raise _Unsupported("an element of runs")
                many = self.descend(view, target)
                at = self.printer(view).print(index)
                return _View(many.type, f"{many.doc}[{at}]", "")
        raise _Unsupported("a path")

    def child_view(self, view: _View, name: str) -> _View:
        a = next((a for a in (*view.type.seq, *view.type.positioned) if a.id == name), None)
        if a is None or not isinstance(a.type, UserType):
            raise _Unsupported(f"{view.type.name}.{name}")
        child = self.world.types[a.type.name]
        if view.local:
            return _View(child, f"v_{name}", f"k_{name}")
        if a.position is not None and view.type is self.type:
            return _View(child, f'x["{name}"]', f"k_{name}")
        if a.position is None:
            self.shared.exports.add((view.type.name, name))
        return _View(child, f'{view.doc}["{name}"]', f'{view.marks}["{name}"]')

    def in_runs(self, view: _View, node: Node) -> bool:
        """Whether JSON keeps runs of the elements of this field as one object each."""
        owner, name = view, node.name if isinstance(node, Name | Dot) else ""
        if isinstance(node, Dot):
            owner = self.descend(view, node.target)
        return any(a.id == name and a.runs is not None for a in owner.type.seq)

    def is_marker(self, a: Attribute) -> bool:
        """Whether a field takes no bytes: an object with nothing but a parameter."""
        if not isinstance(a.type, UserType) or a.repeat:
            return False
        child = self.world.types[a.type.name]
        return not child.seq and not child.positioned and len(child.params) == 1

    def exported(self, name: str) -> bool:
        return (self.type.name, name) in self.shared.exports

    def exports(self, type_: Type) -> bool:
        return any(owner == type_.name for owner, _ in self.shared.exports)

    # -- Reading

    def function(self, child: Type, kind: str) -> str:
        if child.name in self.shared.unsupported:
            raise _Unsupported(child.name)
        name = f"{kind}_{child.name}"
        if child.spec != self.type.spec:
            self.used.setdefault(child.spec, set()).add(name)
        return name

    def struct(self, numbers: list[Primitive]) -> str:
        orders = {n.order for n in numbers if n.size > 1}
        codes = (orders.pop() if orders else ">") + "".join(n.code for n in numbers)
        name = "_" + "_".join(n.packer for n in numbers)
        self.structs[name] = codes
        return name

    def groups(self) -> Iterable[list[Attribute]]:
        """Fields of seq; numbers that always stand together are one group."""
        group: list[Attribute] = []
        for a in self.type.seq:
            plain = isinstance(a.type, Primitive) and not a.repeat and a.condition is None
            if plain and group:
                numbers = [x.type for x in (*group, a) if isinstance(x.type, Primitive)]
                orders = {number.order for number in numbers if number.size > 1}
                plain_group = all(x.condition is None for x in group)
                if len(orders) <= 1 and plain_group and isinstance(group[0].type, Primitive):
                    group.append(a)
                    continue
            if group:
                yield group
            group = [a]
            if not plain:
                yield group
                group = []
        if group:
            yield group

    def marks(self) -> list[str]:
        params = [p.id for p in self.type.params if self.exported(p.id)]
        if not self.exports(self.type):
            return ["k = None"]
        return ["k: Any = {" + ", ".join(f'"{p}": a_{p}' for p in params) + "}"]

    def keep(self, name: str, text: str) -> list[str]:
        return [f'k["{name}"] = {text}'] if self.exported(name) else []

    def read(self) -> list[str]:
        self.packing = False
        lines = ["d = c.data", "x: Any = {}", f"{self.marks()[0]}"]
        for group in self.groups():
            lines += self.guard(group[0], self.read_group(group), eof="p != e")
        lines += ["if p > e:", "    raise Unusual"]
        if self.type.positioned:
            lines.append(f"c.todo.append((place_{self.type.name}, x, k, e, b, ux, uk))")
        return [*lines, "return x, p, k"]

    def guard(self, a: Attribute, lines: list[str], *, eof: str) -> list[str]:
        if a.condition is None:
            return lines
        text = eof if uses(a.condition, "eof") else self.text(a.condition)
        return [f"if {text}:", *("    " + line for line in lines)]

    def read_group(self, group: list[Attribute]) -> list[str]:
        a = group[0]
        if isinstance(a.type, Primitive):
            return self.read_numbers(a, a.type) if a.repeat else self.read_fields(group)
        if a.type is None:
            return self.read_bytes(a)
        return self.read_object(a, a.type)

    def read_fields(self, group: list[Attribute]) -> list[str]:
        numbers = [a.type for a in group if isinstance(a.type, Primitive)]
        targets = ", ".join(f"v_{a.id}" for a in group) + ("," if len(group) == 1 else "")
        lines = [f"{targets} = {self.struct(numbers)}.unpack_from(d, p)"]
        at = 0
        for a, number in zip(group, numbers, strict=True):
            if number.is_float:
                self.numbers.add(number.packer)
                raw = f"d[p + {at} : p + {at + number.size}]"
                lines.append(f'x["{a.id}"] = float_to_json(v_{a.id}, {number.packer}, {raw})')
            else:
                lines += self.invalid(a)
                lines.append(f'x["{a.id}"] = v_{a.id}')
            at += number.size
        return [*lines, f"p += {at}"]

    def invalid(self, a: Attribute) -> list[str]:
        value, valid = f"v_{a.id}", a.valid
        wrong = []
        if valid.equal is not None:
            wrong.append(f"{value} != {self.text(valid.equal)}")
        if valid.least is not None:
            wrong.append(f"{value} < {self.text(valid.least)}")
        if valid.most is not None:
            wrong.append(f"{value} > {self.text(valid.most)}")
        if valid.any_of:
            wrong.append(f"{value} not in ({', '.join(self.text(n) for n in valid.any_of)},)")
        return [f"if {' or '.join(wrong)}:", "    raise Unusual"] if wrong else []

    def read_numbers(self, a: Attribute, number: Primitive) -> list[str]:
        if number.is_float:
            raise _Unsupported("floats")
        size = number.size
        count = f"(e - p) // {size}" if a.repeat_expr is None else self.text(a.repeat_expr)
        return [
            f"n = {count}",
            f'v_{a.id} = list(unpack_from(f"{number.order}{{n}}{number.code}", d, p))',
            f"p += {size} * n",
            f'x["{a.id}"] = v_{a.id}',
        ]

    def read_bytes(self, a: Attribute) -> list[str]:
        if a.contents is not None:
            size = str(len(a.contents))
        else:
            size = "e - p" if a.size is None else self.text(a.size)
        lines = [f"n = {size}", "if not 0 <= n <= e - p:", "    raise Unusual"]
        lines += [f"k_{a.id} = d[p : p + n]", "p += n"]
        if a.contents is not None:
            lines += [f"if k_{a.id} != {a.contents!r}:", "    raise Unusual"]
        lines.append(f'x["{a.id}"] = bytes_to_json(k_{a.id}, {a.encoding!r})')
        return lines + self.keep(a.id, f"k_{a.id}")

    def arguments(self, user: UserType, *, local: bool = True) -> str:
        return "".join(f", {self.text(node, local=local)}" for node in user.arguments)

    def read_object(self, a: Attribute, user: UserType) -> list[str]:
        child = self.world.types[user.name]
        if self.is_marker(a):
            return [f"k_{a.id} = {self.text(user.arguments[0])}", *self.keep(a.id, f"k_{a.id}")]
        call = self.function(child, "read")
        arguments = self.arguments(user)
        if a.repeat:
            if a.size is not None:
                raise _Unsupported("a window in a repeat")
            step = [
                f"item, p, _ = {call}(c, p, e, b, x, k{arguments})",
                f"v_{a.id}.append(item)",
            ]
            if a.runs is not None:
                assert a.repeat_expr is not None
                return self.read_runs(a, call, self.text(a.repeat_expr), a.runs)
            # Each item takes a byte at least, or a count in damaged bytes would take forever.
            if a.repeat_expr is None:
                loop = ["while p < e:", *("    " + line for line in step)]
            else:
                loop = [f"n = {self.text(a.repeat_expr)}", "if n > e - p:", "    raise Unusual"]
                indexed = any("_index" in names(node) for node in user.arguments)
                loop += [
                    f"for {'i' if indexed else '_'} in range(n):",
                    *("    " + line for line in step),
                ]
            return [f"v_{a.id}: Any = []", f'x["{a.id}"] = v_{a.id}', *loop]
        lines = []
        if a.size is None:
            lines = [f"v_{a.id}, p, k_{a.id} = {call}(c, p, e, b, x, k{arguments})"]
        else:  # a window, which has to be filled
            lines = [f"q = p + {self.text(a.size)}", "if q > e:", "    raise Unusual"]
            lines += [f"v_{a.id}, p, k_{a.id} = {call}(c, p, q, p, x, k{arguments})"]
            lines += ["if p != q:", "    raise Unusual"]
        return [*lines, f'x["{a.id}"] = v_{a.id}', *self.keep(a.id, f"k_{a.id}")]

    def read_runs(self, a: Attribute, call: str, count: str, counter: str) -> list[str]:
        return [
            f"v_{a.id}: Any = []",
            f'x["{a.id}"] = v_{a.id}',
            f"n = {count}",
            "if n > e - p:",
            "    raise Unusual",
            "while n > 0:",
            "    q = p",
            f"    item, p, _ = {call}(c, p, e, b, x, k)",
            f'    add_to_runs(v_{a.id}, item, "{counter}")',
            "    n -= 1",
            f"    more = alike(d, q, p, n, {self.counter(a)}) - 1  # the last is read",
            "    if more > 0:",
            f'        add_to_runs(v_{a.id}, item, "{counter}", more)',
            "        p, n = p + more * (p - q), n - more",
        ]

    def counter(self, a: Attribute) -> str:
        assert isinstance(a.type, UserType)
        number = self.world.types[a.type.name].seq[0].type
        assert isinstance(number, Primitive)
        return self.struct([number])

    def is_root_stream(self, a: Attribute) -> bool:
        if a.stream is None:
            return False
        if a.stream != Dot(Name("_root"), "_io"):
            raise _Unsupported("another stream")
        return True

    def start(self, a: Attribute) -> str:
        assert a.position is not None
        if a.repeat or isinstance(a.type, Primitive):
            raise _Unsupported("a repeat at a position")
        position = self.text(a.position, local=False)
        return position if self.is_root_stream(a) else f"b + {position}"

    def condition(self, a: Attribute, lines: list[str]) -> list[str]:
        if a.condition is None:
            return lines
        text = self.text(a.condition, local=False)
        return [f"if {text}:", *("    " + line for line in lines)]

    def place(self) -> list[str]:
        self.packing = False
        lines = ["del uk"] if not self.uses_parent() else []
        for a in self.type.positioned:
            end = "len(c.data)" if self.is_root_stream(a) else "e"
            base = "0" if self.is_root_stream(a) else "b"
            found = [f"q = {self.start(a)}"]
            if a.type is None:
                if a.size is None:
                    raise _Unsupported("bytes without a size")
                found += [
                    "if q not in c.parts:",
                    f"    n = {self.text(a.size, local=False)}",
                    f"    if not (n >= 0 and 0 <= q <= {end} - n):",
                    "        raise Unusual",
                    f'    x["{a.id}"] = bytes_to_json(c.data[q : q + n], {a.encoding!r})',
                    "    c.cover.append((q, q + n))",
                ]
                lines += self.condition(a, found)
                continue
            assert isinstance(a.type, UserType)
            call = self.function(self.world.types[a.type.name], "read")
            if a.size is not None:
                found += [f"z = q + {self.text(a.size, local=False)}"]
                found += [f"if not 0 <= q <= z <= {end}:", "    raise Unusual"]
                end, base = "z", "q"
            else:
                found += [f"if not 0 <= q <= {end}:", "    raise Unusual"]
            arguments = self.arguments(a.type, local=False)
            found += [f"y, p, k_{a.id} = {call}(c, q, {end}, {base}, x, k{arguments})"]
            found += [f'x["{a.id}"] = y', "c.cover.append((q, p))"]
            lines += self.condition(a, found)
        return lines

    # -- Writing

    def write(self) -> list[str]:
        self.packing = True
        lines = [self.marks()[0], "n = 0"]
        fixed = 0
        for group in self.groups():
            found = self.write_group(group)
            there = 0 if self.is_marker(group[0]) else len(group)
            if group[0].condition is None:
                fixed += there
            else:
                found = [*found, f"n += {there}"]
                found = self.guard(group[0], found, eof=f'"{group[0].id}" in x')
            lines += found
        placed = "".join(f' + ("{a.id}" in x)' for a in self.type.positioned)
        lines += [f"if len(x) != n + {fixed}{placed}:", "    raise Unusual"]
        if self.type.positioned:
            lines.append(f"c.todo.append((put_{self.type.name}, x, k, b, ux, uk))")
        return [*lines, "return p, k"]

    def write_group(self, group: list[Attribute]) -> list[str]:
        a = group[0]
        if isinstance(a.type, Primitive):
            return self.write_numbers(a, a.type) if a.repeat else self.write_fields(group)
        if a.type is None:
            return self.write_bytes(a)
        return self.write_object(a, a.type)

    def write_fields(self, group: list[Attribute]) -> list[str]:
        lines, whole = [], []
        size = 0
        numbers = [a.type for a in group if isinstance(a.type, Primitive)]
        for a, number in zip(group, numbers, strict=True):
            text = f'x["{a.id}"]'
            if number.is_float:
                self.numbers.add(number.packer)
                text = f"number_from_json({text}, {number.packer})"
            else:
                whole.append(f"v_{a.id}")
            lines.append(f"v_{a.id} = {text}")
            size += number.size
        values = ", ".join(f"v_{a.id}" for a in group)
        if whole:  # struct takes true for 1
            test = " or ".join(f"type({v}) is not int" for v in whole)
            lines += [f"if {test}:", "    raise Unusual"]
        return [*lines, f"o.append({self.struct(numbers)}.pack({values}))", f"p += {size}"]

    def write_numbers(self, a: Attribute, number: Primitive) -> list[str]:
        if number.is_float:
            raise _Unsupported("floats")
        lines = [f'v_{a.id} = x["{a.id}"]', f"n_{a.id} = count_of(v_{a.id}, int)"]
        lines += self.count(a, "int")[1:]
        codes = f'f"{number.order}{{n_{a.id}}}{number.code}"'
        return [*lines, f"o.append(pack({codes}, *v_{a.id}))", f"p += {number.size} * n_{a.id}"]

    def count(self, a: Attribute, kind: str) -> list[str]:
        counted = f"count_of(v_{a.id}, {kind})"
        if a.repeat_expr is None:
            return [counted]
        wrong = f"n_{a.id} != {self.text(a.repeat_expr)}"
        return [f"n_{a.id} = {counted}", f"if {wrong}:", "    raise Unusual"]

    def write_bytes(self, a: Attribute) -> list[str]:
        lines = [f'k_{a.id} = bytes_from_json(x["{a.id}"], {a.encoding!r})']
        if a.size is not None:
            lines += [f"if len(k_{a.id}) != {self.text(a.size)}:", "    raise Unusual"]
        lines += [f"o.append(k_{a.id})", f"p += len(k_{a.id})"]
        return lines + self.keep(a.id, f"k_{a.id}")

    def write_object(self, a: Attribute, user: UserType) -> list[str]:
        child = self.world.types[user.name]
        if self.is_marker(a):
            return [f"k_{a.id} = {self.text(user.arguments[0])}", *self.keep(a.id, f"k_{a.id}")]
        call = self.function(child, "write")
        arguments = self.arguments(user)
        lines = [f'v_{a.id} = x["{a.id}"]']
        if a.repeat:
            if a.size is not None:
                raise _Unsupported("a window in a repeat")
            indexed = any("_index" in names(node) for node in user.arguments)
            loop = f"for i, item in enumerate(v_{a.id}):" if indexed else f"for item in v_{a.id}:"
            if a.runs is not None:
                assert a.repeat_expr is not None
                return [
                    *(*lines, f'v_{a.id} = runs(v_{a.id}, "{a.runs}")'),
                    f"if sum(many for _, many in v_{a.id}) != {self.text(a.repeat_expr)}:",
                    "    raise Unusual",
                    f"for item, many in v_{a.id}:",
                    "    r: Any = []",
                    f"    q, _ = {call}(c, r, p, b, item, x, k)",
                    f'    o.append(run_of(b"".join(r), {self.counter(a)}, many))',
                    "    p += (q - p) * many",
                ]
            lines += self.count(a, "dict")
            return [*lines, loop, f"    p, _ = {call}(c, o, p, b, item, x, k{arguments})"]
        if a.size is None:
            lines += [f"p, k_{a.id} = {call}(c, o, p, b, v_{a.id}, x, k{arguments})"]
        else:
            lines += [f"q = p + {self.text(a.size)}"]
            lines += [f"p, k_{a.id} = {call}(c, o, p, p, v_{a.id}, x, k{arguments})"]
            lines += ["if p != q:", "    raise Unusual"]
        return lines + self.keep(a.id, f"k_{a.id}")

    def put(self) -> list[str]:
        self.packing = True
        lines: list[str] = ["del uk"] if not self.uses_parent() else []
        for a in self.type.positioned:
            found = []
            if a.condition is not None:
                wrong = self.text(Unary("not", a.condition), local=False)
                found += [f"if {wrong}:", "    raise Unusual"]
            found += [f"q = {self.start(a)}"]
            if a.type is None:
                assert a.size is not None
                found += [
                    "if q not in c.parts:",
                    f'    found = bytes_from_json(x["{a.id}"], {a.encoding!r})',
                    f"    if len(found) != {self.text(a.size, local=False)}:",
                    "        raise Unusual",
                    "    c.put(q, [found])",
                ]
            else:
                assert isinstance(a.type, UserType)
                call = self.function(self.world.types[a.type.name], "write")
                base = "0" if self.is_root_stream(a) else "b" if a.size is None else "q"
                arguments = self.arguments(a.type, local=False)
                found += ["o: list[bytes] = []" if a is self.type.positioned[0] else "o = []"]
                end = "_" if a.size is None else "p"
                found += [
                    f'{end}, k_{a.id} = {call}(c, o, q, {base}, x["{a.id}"], x, k{arguments})'
                ]
                if a.size is not None:
                    size = self.text(a.size, local=False)
                    found += [f"if p - q > {size}:", "    raise Unusual"]
                found += ["c.put(q, o)"]
            lines += [f'if "{a.id}" in x:', *("    " + line for line in found)]
        return lines

    def uses_parent(self) -> bool:
        values: dict[str, Value] = {v.id: v for v in self.type.values}
        todo: list[Node | None] = []
        for a in (*self.type.seq, *self.type.positioned):
            todo += [a.condition, a.size, a.position, a.repeat_expr]
            todo += a.type.arguments if isinstance(a.type, UserType) else ()
        seen = set().union(*(names(node) for node in todo if node is not None))
        for name in list(seen):
            if name in values:
                seen |= names(values[name].value)
        return "_parent" in seen

    def all(self) -> DocumentType:
        """Raises _Unsupported."""
        return DocumentType(
            name=self.type.name,
            params=tuple(p.id for p in self.type.params),
            read=_tidy(self.read()),
            place=_tidy(self.place()) if self.type.positioned else (),
            write=_tidy(self.write()),
            put=_tidy(self.put()) if self.type.positioned else (),
            uses_parent=self.uses_parent(),
        )


def _plain(node: Node) -> Node:
    """`a != b` for `not a == b`."""
    match node:
        case Unary("not", Binary("==", left, right)):
            return Binary("!=", _plain(left), _plain(right))
        case Unary("not", Unary("not", operand)):
            return _plain(operand)
        case Unary(operator, operand):
            return Unary(operator, _plain(operand))
        case Binary(operator, left, right):
            return Binary(operator, _plain(left), _plain(right))
        case Ternary(a, b, c):
            return Ternary(_plain(a), _plain(b), _plain(c))
    return node


_LOCAL = re.compile(r"\bk_\w+|\bd\b")


def _tidy(lines: list[str]) -> tuple[str, ...]:
    """The statements without names that nothing uses."""
    uses_of = Counter(name for line in lines for name in set(_LOCAL.findall(line)))
    found = []
    for line in lines:
        plain = line.lstrip()
        target = plain.partition(" = ")[0]
        if _LOCAL.fullmatch(target) and uses_of[target] == 1:
            continue
        first, _, last = target.rpartition(", ")
        if first and _LOCAL.fullmatch(last) and uses_of[last] == 1:
            line = line.replace(f"{last} = ", "_ = ", 1).replace("_, _ = ", "", 1)
        found.append(line)
    return tuple(found)


def _parents(world: World) -> Callable[[Type], list[Type]]:
    found: dict[str, dict[str, Type]] = {}
    for spec in world.specs.values():
        for type_ in spec.types:
            for a in (*type_.seq, *type_.positioned):
                if isinstance(a.type, UserType):
                    found.setdefault(a.type.name, {})[type_.name] = type_
    return lambda type_: list(found.get(type_.name, {}).values())


def document_modules(world: World) -> list[DocumentModule]:
    """What the template of documents needs, for each spec with a type that has the functions."""
    shared, parents = _Shared(), _parents(world)
    types = [t for spec in world.specs.values() for t in spec.types]
    writers: dict[str, _Writer] = {}
    texts: dict[str, DocumentType] = {}
    before = None
    # Until no more names turn out to be looked at by others, and no more types to be left out.
    while before != (len(shared.exports), len(shared.unsupported)):
        before = len(shared.exports), len(shared.unsupported)
        for type_ in types:
            if type_.name in shared.unsupported:
                continue
            writer = writers[type_.name] = _Writer(world, type_, shared, parents(type_))
            try:
                texts[type_.name] = writer.all()
            except _Unsupported:
                shared.unsupported.add(type_.name)
    modules = [_module(spec, writers, texts, shared) for spec in world.specs.values()]
    return [module for module in modules if module.types]


def _module(
    spec: Spec, writers: dict[str, _Writer], texts: dict[str, DocumentType], shared: _Shared
) -> DocumentModule:
    known = [t.name for t in spec.types if t.name not in shared.unsupported and t.seq]
    used: dict[str, set[str]] = {}
    structs: dict[str, str] = {}
    numbers: set[str] = set()
    for name in known:
        structs |= writers[name].structs
        numbers |= writers[name].numbers
        for other, functions in writers[name].used.items():
            used.setdefault(other, set()).update(functions)
    return DocumentModule(
        spec=spec.name,
        title=spec.title,
        imports=tuple((name, tuple(sorted(found))) for name, found in sorted(used.items())),
        structs=tuple(sorted(structs.items())),
        numbers=tuple(sorted(numbers)),
        types=tuple(texts[name] for name in known),
    )
