"""What the template of views puts in place: for each type the lines that read it.

A view has the fields of a type, read at once from bytes at hand, without Kaitai objects. Numbers
that stand together are one read; repeats of records and of numbers are columns.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count

from .expression import (
    Binary,
    Dot,
    Index,
    Literal,
    Method,
    Name,
    Node,
    Printer,
    Ternary,
    inlined,
    names,
    uses,
    walk,
)
from .records import FieldPlan, Form, Records, is_marker, number_field
from .scope import RowScope, Scope, Unsupported
from .spec import Attribute, Bits, Primitive, Switch, Type, UserType, located
from .world import World, camel, escaped, first_sentence, packed, wrapped


@dataclass
class ViewModule:
    """The views of a spec as lines, the constants that they need, and imports."""

    spec: str
    title: str
    constants: dict[str, str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    imports: dict[str, set[str]] = field(default_factory=dict)
    late: dict[str, set[str]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)


def view_modules(world: World) -> list[ViewModule]:
    """Return the views of types with `-kit-view`, of what they nest, `-kit-places`, `-kit-columns`.

    Those with `-kit-head` or `-kit-tail` have views of their first or last fields.
    Without any `-kit-view` in all specs, all types have views. Raises SpecError.
    """
    views = _Views(world)
    has_default = all(type_.view is None for type_ in world.types.values())
    for spec in world.specs.values():
        for type_ in spec.types:
            if type_.view or has_default:
                views.plan(type_)
            for part in _parts(world, type_):
                views.plan(part)
            if type_.places:
                views.module(type_).lines += views.field_places(type_)
            if type_.columns:
                views.module(type_).lines += views.columns_of(type_)
    return list(views.modules.values())


def _parts(world: World, type_: Type) -> Iterator[Type]:
    """Yield the first fields of a type as a type, and the last ones."""
    ids = [a.id for a in type_.seq]
    for end, id in (("head", type_.head), ("tail", type_.tail)):
        if id is None:
            continue
        at, name = ids.index(id), f"{type_.name}_{end}"
        if name in world.types:
            message = f"a type has the name {name} of the view"
            raise world.fail(type_, f"{type_.path}/-kit-{end}", message, "rename that type")
        seq = type_.seq[: at + 1] if end == "head" else type_.seq[at:]
        yield replace(type_, name=name, seq=seq, positioned=())


class _Views:
    def __init__(self, world: World) -> None:
        self.world = world
        self.records = Records(world)
        self.modules: dict[str, ViewModule] = {}
        self.planned: set[str] = set()

    def module(self, type_: Type) -> ViewModule:
        title = self.world.specs[type_.spec].title
        return self.modules.setdefault(type_.spec, ViewModule(type_.spec, title))

    def uses(self, type_: Type, other: Type, name: str) -> str:
        """Return the name of what belongs to another type, which is imported if need be."""
        if other.spec != type_.spec:
            module = self.module(type_)
            is_late = type_.spec in self.world.imported(other.spec)
            imports = module.late if is_late else module.imports
            imports.setdefault(other.spec, set()).add(name)
        return name

    def plan(self, type_: Type) -> None:
        """Add the view of a type, once."""
        if type_.name in self.planned:
            return
        self.planned.add(type_.name)
        for param in type_.params:
            if param.python not in ("int", "float", "bool"):
                message = f"a view takes no {param.type} as parameter"
                raise self.world.fail(type_, param.path, message, "pass a number")
        params = [p.id for p in type_.params]
        has_size = self.has_size(type_)
        options = [name for name in ("parent", "root") if self.asks(type_, f"_{name}")]
        members = [*self.members(type_)]
        constants = [(v, v.value.value) for v in type_.values if isinstance(v.value, Literal)]
        slots = [*params, "end", *options]
        lines = [f"self.{name} = {name}" for name in options]
        if has_size:
            lines += ["if io_size is None:", "    io_size = start + len(d)"]
        if any("self.io_size" in line for _, member in members for line in member):
            slots.append("io_size")
            lines.append("self.io_size = io_size")
        lines += [f"self.{name} = {argument_name(name)}" for name in params]
        for group in _groups(type_):
            try:
                lines += self.read(type_, group)
            except Unsupported as error:
                message = f"cannot be read by a view: {error}"
                raise self.world.fail(
                    type_, group[0].path, message, "leave out -kit-view"
                ) from None
            slots += [slot for a in group for slot in self.records.slots(a)]
        names = [*slots, *(name for name, _ in members), *(v.id for v, _ in constants)]
        self.check_names(type_, names)
        has_columns = any(self.records.form(a) for a in type_.seq)
        arguments = ["self", "d: Buffer", "start: int", "p: int"]
        arguments += [f"{argument_name(name)}: int" for name in params]
        arguments += ["arrays: bool = False"] * has_columns
        arguments += [f"{name}: Any = None" for name in options]
        arguments += ["io_size: int | None = None"] * has_size
        is_guarded = any(self.is_risky(a, type_) for a in type_.seq) or any(
            user.name == type_.name for t in self.below(type_) for a in t.seq for user in a.users
        )
        body = [
            *_docstring(first_sentence(type_.doc) or f"A `{type_.name}`."),
            *_slots(slots),
            *(x for v, value in constants for x in (f"{v.id} = {value!r}", *_docstring(v.doc))),
            *(["@guarded"] if is_guarded else []),
            f"def __init__({', '.join(arguments)}) -> None:",
            *_indented([*lines, "self.end = start + p"]),
            *(line for _, member in members for line in member),
        ]
        self.module(type_).lines += [f"class {view_name(type_)}:", *_indented(body)]

    def check_names(self, type_: Type, names: Sequence[str]) -> None:
        """Refuse names that a view needs for two things."""
        for name in sorted({name for name in names if names.count(name) > 1}):
            raise self.world.fail(
                type_, type_.path, f"a view has {name} twice", "choose another name"
            )

    # -- What a type asks for

    def below(self, type_: Type, *, windows: bool = True) -> list[Type]:
        """Return a type, and all types that fields of `seq` have in it."""
        reached = {type_.name: type_}
        todo = [type_]
        for each in todo:  # which grows
            cases = [case for a in each.seq for case in a.cases if windows or not case.is_window]
            for user in (user for case in cases for user in case.users):
                if user.name not in reached:
                    reached[user.name] = self.world.types[user.name]
                    todo.append(reached[user.name])
        return todo

    def has_size(self, type_: Type) -> bool:
        """Whether a type asks for the size of its stream."""
        below = self.below(type_, windows=False)
        return any(uses(node, "size") for each in below for node in each.nodes)

    def asks(self, type_: Type, name: str) -> bool:
        """Whether a type, or one in it, asks for `_parent` or `_root`."""
        if name == "_root":
            inner = [t for t in self.below(type_) if t.spec == type_.spec]
            is_root = len(type_.scope) == 1
            return not is_root and any(name in names(node) for t in inner for node in t.nodes)
        children = [self.world.types[user.name] for a in type_.seq for user in a.users]
        twice = Dot(Name("_parent"), "_parent")  # what is around the parent
        return any(name in names(node) for node in type_.nodes) or any(
            twice in walk(node) for child in children for node in child.nodes
        )

    def passed(self, type_: Type, child: Type) -> list[str]:
        """Return what a view passes on to one in it."""
        arguments = ["parent=self"] if self.asks(child, "_parent") else []
        if self.asks(child, "_root") and child.spec == type_.spec:
            arguments.append("root=self.root" if self.asks(type_, "_root") else "root=self")
        return arguments

    @staticmethod
    def is_risky(a: Attribute, type_: Type) -> bool:
        """Whether the expressions of a field may fail, such as a division by a field."""
        others = {x.id for x in type_.seq if x.condition not in (None, a.condition)}
        for node in (part for each in a.nodes for part in walk(each)):
            match node:
                case Index() | Method("int" | "str") | Name("_parent" | "_root"):
                    return True
                case Name(name) if name in others:
                    return True
                case Binary("/" | "%" | "//." | "<<" | ">>", _, right):
                    if not isinstance(right, Literal) or not right.value:
                        return True
        return False

    # -- Reads

    def read(self, type_: Type, group: list[Attribute]) -> list[str]:
        """Return the lines that read fields which stand together."""
        a, scope = group[0], Scope(self.records, type_)
        slots = [slot for one in group for slot in self.records.slots(one)]
        target = ", ".join(f"self.{slot}" for slot in slots)
        if isinstance(a.type, Bits) and not a.repeat:
            lines = self.bits(scope, group)
        elif (form := self.records.form(a)) is not None:
            call = self.repeated(scope, a, form)
            lines = packed("(", ["p", *target.split(", ")], f") = {call}")
        elif a.repeat:
            lines = self.loop(type_, a, target)
        elif isinstance(a.type, Primitive):
            lines = self.numbers(scope, group, target.split(", "))
        else:
            lines = self.one(scope, a, target)
        if a.condition is None:
            return lines
        unset = [f"self.{slot}: Any = None" for slot in slots]
        return [*unset, f"if {scope.print(a.condition)}:", *_indented(lines)]

    def loop(self, type_: Type, a: Attribute, target: str) -> list[str]:
        """Return the reads of a repeat that is not in columns."""
        plain, scope = replace(a, repeat=None), Scope(self.records, type_, element=a)
        if isinstance(a.type, Bits):
            raise Unsupported("it is a repeat of bits")
        if isinstance(a.type, Switch) and all(value is not None for value, _ in a.type.cases):
            raise Unsupported("it is a repeat of a switch without a case for all else")
        if len({isinstance(x.type, UserType) for x in a.cases if x.is_window}) == 2:
            raise Unsupported("it is a repeat of bytes and objects, which the parser mixes up")
        index = "i" if any("_index" in names(node) for node in a.nodes) else "_"
        inner: list[str] = []
        if a.repeat_expr is not None:
            head = f"for {index} in range({scope.print(a.repeat_expr)}):"
        elif a.until is None and index == "_":
            head = "while p < len(d):"
        else:
            head = f"for {index} in count():"
            inner = ["if p >= len(d):", "    break"] if a.until is None else []
        inner += [*self.one(scope, plain, "item"), f"{target}.append(item)"]
        loops = [one for one in type_.seq if one.repeat and not self.records.form(one)]
        first = ["item: Any"] if len(loops) > 1 and a is loops[0] else []
        first += ["first = p"]
        inner += [
            f"if len({target}) > MANY_EMPTY + p - first:",
            '    raise wrong("too many elements without bytes", start + p)',
        ]
        if a.until is not None:
            inner += [f"if {scope.print(a.until)}:", "    break"]
        annotation = ": list[Any]" if a.condition is None else ""
        return [f"{target}{annotation} = []", *first, head, *_indented(inner)]

    def one(self, scope: Scope, a: Attribute, target: str) -> list[str]:
        """Return the read of a field without a repeat."""
        type_ = scope.type
        if isinstance(a.type, Primitive):
            return self.numbers(scope, [a], [target])
        if isinstance(a.type, Switch):
            return self.choice(scope, a, a.type, target)
        if isinstance(a.type, Bits):
            raise Unsupported("it is a case of bits")
        if isinstance(a.type, UserType) and not a.is_window:
            return self.object(scope, a, a.type, target)
        size = "len(d) - p" if a.size_eos else None
        if a.size is not None:
            size = scope.printer.term(a.size)
        value, ending = "d[p:q]", a.terminator
        if ending is not None and ending.unit > 1:
            raise Unsupported("its terminator has several bytes")
        if a.contents is not None:
            size = str(len(a.contents))
        if size is not None:
            lines = [f"q = p + {size}"]
        elif ending is not None:
            flags = f"{ending.byte}, {ending.include}, {ending.consume}, {ending.eos_error}"
            lines, value = [f"r, q = ends(d, start, p, {flags})"], "d[p:r]"
        if a.pad_right is not None or (ending is not None and size is not None):
            last = f", {ending.byte}, {ending.include}" if ending else ""
            value = f"trimmed({value}, {a.pad_right}{last})"
        after = replace(scope, here="q")
        if a.process is not None:
            arguments = "".join(f", {after.print(node)}" for node in a.process.arguments)
            most = "" if a.max_size is None else f", most={a.max_size}"
            value = f'decode("{a.process.name}", {value}, start + p{arguments}{most})'
        if isinstance(a.type, UserType):
            child = self.world.types[a.type.name]
            self.plan(child)
            cls = self.uses(type_, child, view_name(child))
            own = [after.print(node) for node in a.type.arguments]
            passed = "".join(f", {x}" for x in (*own, *self.passed(type_, child)))
            if value == "d[p:q]":
                return [*lines, f"{target} = window({cls}, d, start, p, q - p{passed})", "p = q"]
            value = f"window({cls}, {value}, start + p, 0, None{passed})"
        elif a.charset is not None:
            value = f"text({value}, {a.charset!r}, start + p)"
        elif a.encoding is not None and a.encoding.startswith("integer"):
            value = f'decode_integer({value}, "{a.encoding}", start + p)'
        if size is not None:
            lines += ["if not 0 <= p <= q <= len(d):", "    raise cut(d, start, p, q - p)"]
        return [*lines, f"{target} = {value}", *self.checks(scope, a, target), "p = q"]

    def object(self, scope: Scope, a: Attribute, user: UserType, target: str) -> list[str]:
        """Return the read of an object that has no stream of its own."""
        type_, child = scope.type, self.world.types[user.name]
        own = [scope.print(node) for node in user.arguments]
        in_loop = scope.element is not None
        if is_marker(a, self.world) and not in_loop:
            return [f"{target} = {own[0]}"]
        passed = [*own, *self.passed(type_, child)]
        if isinstance(scope, RowScope) and child.leb128:
            self.plan(child)
            cls = self.uses(type_, child, view_name(child))
            return [
                f"if 0 <= p < len(d) and ({target} := d[p]) < 128:",
                "    p += 1",
                "else:",
                f"    {target}, p = varint({cls}, d, start, p)",
            ]
        if not in_loop and self.records.is_single(child):
            return [f"{target}, p = {self.layout_of(type_, child, passed)}.one(d, start, p)"]
        self.plan(child)
        cls = self.uses(type_, child, view_name(child))
        passed += ["io_size=io_size"] if self.has_size(child) else []
        arguments = ", ".join(["d", "start", "p", *passed])
        return [f"{target} = {cls}({arguments})", f"p = {target}.end - start"]

    def choice(self, scope: Scope, a: Attribute, switch: Switch, target: str) -> list[str]:
        """Return the reads of a field that has one of several types."""
        on, lines, word = scope.printer.operand(switch.on), list[str](), "if"
        for value, case in switch.cases:
            if value is not None:
                lines.append(f"{word} {on} == {scope.printer.operand(value)}:")
            else:
                lines.append("else:" if lines else "if True:")
            lines += _indented(self.one(scope, case, target))
            word = "elif"
        if switch.cases[-1][0] is not None:
            lines += ["else:", f"    {target} = None"]
        return lines

    def bits(self, scope: Scope, group: list[Attribute]) -> list[str]:
        """Return the read of bits; what is left of the last byte is skipped."""
        kinds = [a.type for a in group if isinstance(a.type, Bits)]
        seq, total = scope.type.seq, sum(kind.size for kind in kinds)
        place = seq.index(group[-1]) + 1
        after = seq[place] if place < len(seq) else None
        if total % 8 and (
            after is None
            or after.condition is not None
            or after.repeat
            or after.users
            or isinstance(after.type, Bits | Switch)
        ):
            raise Unsupported("its bits do not fill bytes")
        size, at, order = -(-total // 8), 0, kinds[0].order
        word = "little" if order == "<" else "big"
        lines = [
            f"q = p + {size}",
            "if not 0 <= p <= q <= len(d):",
            "    raise cut(d, start, p, q - p)",
            f'bits = int.from_bytes(d[p:q], "{word}")',
        ]
        for a, kind in zip(group, kinds, strict=True):
            shift = at if order == "<" else 8 * size - at - kind.size
            number = f"{f'bits >> {shift}' if shift else 'bits'} & {(1 << kind.size) - 1}"
            is_flag = kind.size == 1 and a.enum is None
            lines.append(f"self.{a.id} = {number}{' == 1' if is_flag else ''}")
            at += kind.size
        checks = [line for a in group for line in self.checks(scope, a, f"self.{a.id}")]
        return [*lines, *checks, "p = q"]

    def numbers(self, scope: Scope, group: list[Attribute], targets: list[str]) -> list[str]:
        """Return the read of numbers one after another."""
        type_, numbers = scope.type, [a.type for a in group if isinstance(a.type, Primitive)]
        order = next((n.order for n in numbers if n.size > 1), ">")
        codes = order + "".join(n.code for n in numbers)
        fields = [self.field(type_, a).text for a in group]
        constants = self.module(type_).constants
        first = f"_{type_.name}_{group[0].id}".upper()
        others = (f"{first}_{number}" for number in count(2))
        name = next(name for name in chain([first], others) if name not in constants)
        constants[name] = f'Numbers("{codes}", {", ".join(fields)})'
        size = sum(n.size for n in numbers)
        view = "None" if isinstance(scope, RowScope) else "self"
        broken = f"    raise {name}.broken(d, start, p, {view})"
        pairs = zip(group, targets, strict=True)
        wrong = [text for a, one in pairs for text in self.wrong(scope, a, one)]
        lines = [f"if not 0 <= p <= len(d) - {size}:", broken]
        comma = "," if len(targets) == 1 else ""
        lines += packed("(", targets, f"{comma}) = {name}.unpack_from(d, p)")
        lines += [f"if {' or '.join(wrong)}:", broken] if wrong else []
        return [*lines, f"p += {size}"]

    def field(self, type_: Type, a: Attribute) -> FieldPlan:
        """Return the plan of a number; what is valid may depend on fields before it."""
        if a.valid.test is not None:
            raise Unsupported("its value is tested")
        if any("_io" in names(node) for node in a.valid.nodes):
            raise Unsupported("what is valid depends on the stream")
        return number_field(type_, a, Scope(self.records, type_, owner="x").printer)

    def wrong(self, scope: Scope, a: Attribute, target: str) -> Iterator[str]:
        """Yield the conditions under which a value is not valid."""
        printer, valid = Scope(self.records, scope.type).printer, a.valid
        is_float = isinstance(a.type, Primitive) and a.type.is_float
        limits = ("!=", valid.equal), ("<", valid.least), (">", valid.most)
        for sign, node in limits:
            if node is None:
                continue
            if is_float and sign != "!=":  # a NaN is neither less nor more
                yield f"not {target} {'>' if sign == '<' else '<'}= {printer.operand(node)}"
            else:
                yield f"{target} {sign} {printer.operand(node)}"
        if valid.any_of:
            options = ", ".join(map(printer.print, valid.any_of))
            yield f"{target} not in ({options}{',' * (len(valid.any_of) == 1)})"

    def checks(self, scope: Scope, a: Attribute, target: str) -> Iterator[str]:
        """Yield the lines that refuse bytes, text or bits which are not valid."""
        if a.valid.test is not None:
            raise Unsupported("its value is tested")
        if a.type is None and (a.valid.least or a.valid.most) and a.charset is None:
            raise Unsupported("bytes have bounds")
        conditions = []
        if a.contents is not None:
            conditions.append((f"{target} != {a.contents!r}", f"not {a.contents!r}"))
        conditions += [(wrong, "not valid") for wrong in self.wrong(scope, a, target)]
        path = f"{scope.type.spec}{a.path}"
        for condition, what in conditions:
            yield f"if {condition}:"
            message = f"the field {a.id} is {what}"
            yield f'    raise wrong({message!r}, start + p, "{path}", {target})'

    # -- Columns

    def repeated(self, scope: Scope, a: Attribute, form: Form) -> str:
        """Return the call that reads the columns of a repeat."""
        type_, users = scope.type, a.users
        child = self.world.types[users[0].name] if users else type_
        if form.kind == "numbers":
            if any(names(node) for node in a.valid.nodes):
                raise Unsupported("what is valid in a repeat depends on other fields")
            layout = _layout([self.field(type_, a)])
            read = f"{self.layout(type_, f'{type_.name}_{a.id}', layout)}.read("
        elif form.kind == "varints":
            self.plan(child)
            read = f"varint_column({self.uses(type_, child, view_name(child))}, "
        elif form.kind == "rows":
            read = f"{self.rows(type_, child)}("
        else:
            arguments = [scope.print(node) for node in users[0].arguments]
            read = f"{self.layout_of(type_, child, arguments)}.read("
        if a.repeat_expr is not None:
            count = scope.print(a.repeat_expr)
        else:  # one more if some bytes are left
            count = "None" if form.size is None else f"-((p - len(d)) // {form.size})"
        return f"{read}d, start, p, {count}, arrays)"

    def rows(self, type_: Type, child: Type) -> str:
        """Return the name of the function that reads records in a loop; add it once."""
        name, kinds = f"read_{child.name}", self.records.rows(child) or {}
        head = f"def {name}(d: Buffer, start: int, p: int, count: int | None, arrays: bool) -> Any:"
        if head not in (lines := self.module(child).lines):
            scope, inner = RowScope(self.records, child), list[str]()
            for group in _groups(child):
                targets = [f"item_{a.id}" for a in group]
                is_one = not isinstance(group[0].type, Primitive)
                one = self.one(scope, group[0], targets[0]) if is_one else []
                inner += one or self.numbers(scope, group, targets)
            inner.append(f"items += ({', '.join(f'item_{name}' for name in kinds)},)")
            body = [
                f'"""Return where `{child.name}`s end, `count` or all, and their columns."""',
                "items: list[Any] = []",
                "for _ in range(len(d) if count is None else count):",
                *_indented(["if count is None and p >= len(d):", "    break", *inner]),
                f'return p, *columns_of(items, "{"".join(kinds.values())}", arrays)',
            ]
            lines += [head, *_indented(body)]
        return self.uses(type_, child, name)

    def layout_of(self, type_: Type, child: Type, arguments: Sequence[str]) -> str:
        """Return the expression of the layout of a type's records."""
        if (varints := self.records.varints(child)) is not None:
            text = ", ".join(f'("{name}", {is_bytes})' for name, is_bytes in varints.items())
            name = self.layout(child, child.name, f"VarintLayout({text})")
            return self.uses(type_, child, name)
        shapes = self.records.shapes(child)
        assert shapes is not None
        alike: dict[str, list[int | None]] = {}
        for key, columns in shapes.by_key.items():
            fields = [field for column in columns.values() for field in column]
            alike.setdefault(_layout(fields), []).append(key)
        variants = [
            f"**dict.fromkeys({tuple(keys)}, {text})" if len(keys) > 1 else f"{keys[0]}: {text}"
            for text, keys in alike.items()
        ]
        [text, *_] = alike if shapes.decides is None else ["{" + ", ".join(variants) + "}"]
        name = self.uses(type_, child, self.layout(child, child.name, text))
        if shapes.decides is None:
            return name
        at = [p.id for p in child.params].index(shapes.decides)
        return f"layout_for({name}, {arguments[at]})"

    def layout(self, type_: Type, name: str, text: str) -> str:
        """Add a layout to the constants; return its name."""
        name = f"{name}_layout".upper() if name.upper() == camel(type_.name) else name.upper()
        self.module(type_).constants[name] = text
        return name

    # -- Members

    def members(self, type_: Type) -> Iterator[tuple[str, list[str]]]:
        """Yield value instances that are not constant, and where other instances are.

        Also those of the records that a type repeats, by the number of the record.
        """
        yield from self.members_in(Scope(self.records, type_, is_member=True), "", ())
        for a in type_.seq:
            if self.records.is_record(a):
                child = self.world.types[a.users[0].name]
                scope = Scope(self.records, child, repeat=a.id, parent=type_, is_member=True)
                yield from self.members_in(scope, f"{a.id}_", ("i",))

    def members_in(
        self, scope: Scope, prefix: str, arguments: tuple[str, ...]
    ) -> Iterator[tuple[str, list[str]]]:
        whose = " of record i" if prefix else ""
        for v in scope.type.values:
            body, name = self.text(scope, v.path, v.value), f"{prefix}{v.id}"
            if body is not None and prefix:
                doc = v.doc or f"Return `{v.id}`{whose}."
                yield name, _method(name, arguments, doc, body)
            elif body is not None and not isinstance(v.value, Literal):
                yield name, ["@property", *_method(name, (), v.doc, body)]
        for a in scope.type.positioned:
            assert a.position is not None
            used = () if prefix else names(a.position)
            instances = tuple(p.id for p in scope.type.positioned if p.id in used)
            here, name = replace(scope, instances=instances), f"place_{prefix}{a.id}"
            position = self.text(here, a.path, a.position)
            size = "None" if a.size is None else self.text(here, a.path, a.size)
            if position is not None and size is not None:
                doc = f"Return where the `{a.id}`{whose} is: (position, size or None)."
                yield name, _method(name, arguments or instances, doc, f"{position}, {size}")

    def text(self, scope: Scope, path: str, node: Node) -> str | None:
        """Return the expression; None if it looks at more than a view has."""
        try:
            return scope.print(node)
        except Unsupported as error:
            place = f"{located(self.world.specs[scope.type.spec].file, path)}: views: {path}"
            line = f"{place}: left out: {error}"
            missing = self.module(scope.type).missing
            missing += [] if line in missing else [line]
            return None

    # -- Places of fields

    def field_places(self, type_: Type) -> list[str]:
        """Return where fields start, up to the first whose size the fields before do not give."""
        known = [p.id for p in type_.params]
        known += [a.id for a in type_.seq if isinstance(a.type, Primitive) and not a.repeat]
        values = {v.id: v.value for v in type_.values}
        fields, sizes = [a.id for a in type_.seq] + ["end"], []
        for a in type_.seq:
            size = self.size(a)
            if size is None or not names(node := inlined(size, values)) <= set(known):
                break
            sizes.append(node)
        if not sizes:
            path = f"{type_.path}/-kit-places"
            raise self.world.fail(type_, path, "no size is known", "leave it out")
        self.check_names(type_, fields)
        printer = Printer(name=lambda name: name, vector=True)
        used = set().union(*map(names, sizes))
        cls, fields = f"{view_name(type_)}Places", fields[: len(sizes) + 1]
        arguments = ", ".join(f"{name}: Any" for name in known if name in used)
        whole = ", and where it ends" if fields[-1] == "end" else ""
        doc = f"Return where the fields of a `{type_.name}` start, for ints or arrays of int64."
        return [
            f"class {cls}(NamedTuple):",
            f'    """Where the fields of a `{type_.name}` start{whole}."""',
            *(f"    {name}: Any" for name in fields),
            f"def places_{type_.name}({arguments}) -> {cls}:",
            *_indented(_docstring(doc)),
            f"    return {cls}(*accumulate([{', '.join(map(printer.print, sizes))}], initial=0))",
        ]

    # -- Many objects

    def columns_of(self, type_: Type) -> list[str]:
        """Return the class of the first fields of many objects, up to one that is not a column."""
        scope, params = Scope(self.records, type_), [p.id for p in type_.params]
        slots, lines = [*params, "end"], list[str]()
        columns: dict[Attribute, str] = {}
        for a in type_.seq:
            column = self.column(scope, a)
            condition = inlined(a.condition or Literal(True), {v.id: v.value for v in type_.values})
            if column is None or not names(condition) <= set(params):
                break
            slots.append(a.id)
            columns[a] = column
            is_number = column.startswith("numbers")
            read = [f"self.{a.id}, p = {column}"]
            if not is_number:
                read = [f"self.{a.id} = {column}", f"p = self.{a.id}.end"]
            if a.condition is not None:
                lines += [f"self.{a.id}: Any = None", f"if {scope.print(condition)}:"]
                read = _indented(read)
            lines += read
        if len(slots) == len(params) + 1:
            path = f"{type_.path}/-kit-columns"
            raise self.world.fail(type_, path, "no field is a column", "leave it out")
        self.check_names(type_, slots)
        arguments = ["self", "d: Any", "start: int", "p: Any"]
        arguments += [f"{argument_name(name)}: int" for name in params]
        body = [
            f'"""Several `{type_.name}`s at places `p` of an array `d`: columns."""',
            *_slots(slots),
            f"def __init__({', '.join(arguments)}) -> None:",
            *_indented([f"self.{name} = {argument_name(name)}" for name in params]),
            *_indented([*lines, "self.end = p"]),
            *_pack_method(columns),
        ]
        return [f"class {view_name(type_)}Columns:", *_indented(body)]

    def column(self, scope: Scope, a: Attribute) -> str | None:
        """Return the read of a field of many objects; None if it is not a column."""
        type_, user = scope.type, a.type
        child = self.world.types[user.name] if isinstance(user, UserType) else None
        is_bare = a.size is None and not a.size_eos and a.process is None
        if any({"_io", "_parent", "_root", "_index"} & names(node) for node in a.nodes):
            return None
        try:
            if child is not None and child.leb128 and is_bare and a.repeat in (None, "expr"):
                if a.repeat_expr is None:
                    return "integers(d, start, p)"
                return f"integer_lists(d, start, p, {scope.print(a.repeat_expr)})"
            if a.repeat:
                return None
            if a.size is not None:
                return f"spans(d, start, p, {scope.print(a.size)})"
            if isinstance(user, Primitive):
                layout = self.layout(type_, f"{type_.name}_{a.id}", _layout([self.field(type_, a)]))
            elif child is not None and is_bare and self.records.is_single(child):
                assert isinstance(user, UserType)
                layout = self.layout_of(type_, child, [scope.print(x) for x in user.arguments])
            else:
                return None
        except Unsupported:
            return None
        return f"numbers(d, start, p, {layout})"

    def size(self, a: Attribute) -> Node | None:
        """Return the bytes of a field as an expression; None if there is none."""
        size = a.size
        if isinstance(a.type, Primitive):
            size = Literal(a.type.size)
        elif a.contents is not None:
            size = Literal(len(a.contents))
        elif a.users and size is None:
            fixed = self.records.fixed_size(self.world.types[a.users[0].name])
            size = None if fixed is None else Literal(fixed)
        if a.repeat and size is not None:
            size = None if a.repeat_expr is None else Binary("*", a.repeat_expr, size)
        if a.condition is not None and size is not None:
            size = Ternary(a.condition, size, Literal(0))
        return size


_GLOBALS = (
    "IntEnum",
    "accumulate", "count", "Any", "NamedTuple", "FormatError", "decode_integer", "np",
    "Buffer", "Field", "Numbers", "RecordLayout", "VarintLayout", "choose", "cut", "layout_for",
    "window", "text", "undecided", "ends", "trimmed", "decode", "guarded", "wrong", "integers",
    "integer_lists", "varint_column", "columns_of", "varint", "numbers", "spans",
    "pack_integers", "interleaved", "BytesColumn",
)  # fmt: skip
"""Names in the code of views."""


def enum_name(world: World, type_: Type, enum: str) -> str:
    """Return the name of the class of an enum, with that of its type if others have one, too."""
    types = (world.whole or world).types
    is_shared = sum(t.spec == type_.spec and enum in t.enums for t in types.values()) > 1
    name = f"{type_.name}_{enum}" if is_shared else enum
    is_taken = camel(name) in _GLOBALS or hasattr(builtins, camel(name))
    return f"{camel(name)}Enum" if is_taken or name in types else camel(name)


def argument_name(name: str) -> str:
    """Return the name of the argument for a parameter."""
    taken = {"self", "d", "start", "p", "arrays", "parent", "root", "io_size", *_GLOBALS}
    return f"{name}_" if name in taken or hasattr(builtins, name) else name


def view_name(type_: Type) -> str:
    """Return the name of the view of a type."""
    name = camel(type_.name)
    return f"{name}View" if name in _GLOBALS or hasattr(builtins, name) else name


def _layout(fields: Iterable[FieldPlan]) -> str:
    return f"RecordLayout({', '.join(field.text for field in fields)})"


def _pack_method(columns: Mapping[Attribute, str]) -> list[str]:
    """Return the method that returns the bytes of columns, if all of them always exist."""
    arguments, pieces = list[str](), list[str]()
    counted: dict[str, tuple[str, str]] = {}
    for a in columns:
        match a.size or a.repeat_expr:
            case Dot(Name(name), "value"):
                counted[name] = a.id, ""
            case Binary("-", Dot(Name(name), "value"), Literal(int(less))):
                counted[name] = a.id, f" + {less}"
    for a, column in columns.items():
        kind, _, rest = column.partition("(")
        if a.condition is not None or (kind == "spans" and a.size is None):
            return []
        if kind == "integers" and a.id in counted:
            other, more = counted[a.id]
            pieces.append(f"pack_integers({other}.lengths{more})")
            continue
        arguments.append(a.id)
        text = {"integers": f"pack_integers({a.id})", "integer_lists": f"{a.id}.pack()"}
        layout = rest.rpartition(", ")[2]
        pieces.append(
            text.get(kind, a.id) if kind != "numbers" else f"{layout[:-1]}.pack({a.id}={a.id})"
        )
    of = [a.id for a, column in columns.items() if column.startswith("spans")]
    body = [
        '"""Return the bytes of these fields of several objects."""',
        *(f"{name} = BytesColumn.of({name})" for name in of),
        f"return interleaved({', '.join(pieces)})",
    ]
    head = f"def pack({', '.join(f'{name}: Any' for name in arguments)}) -> BytesColumn:"
    return ["@staticmethod", head, *_indented(body)]


def _slots(names: Iterable[str]) -> list[str]:
    slots = [f'"{name}"' for name in sorted(names)]
    return packed("__slots__ = (", slots, ")" if len(slots) > 1 else ",)")


def _docstring(doc: str) -> list[str]:
    text = escaped("\n".join(wrapped(doc, 86)))
    return f'"""{text}"""'.split("\n") if text else []


def _method(name: str, arguments: Iterable[str], doc: str, body: str) -> list[str]:
    head = f"def {name}({', '.join(['self', *(f'{a}: Any' for a in arguments)])}) -> Any:"
    return [head, *_indented([*_docstring(doc), f"return {body}"])]


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _groups(type_: Type) -> list[list[Attribute]]:
    """Return the fields that are read together: numbers of one byte order and condition."""
    groups: list[list[Attribute]] = []
    for a in type_.seq:
        if not groups or not _are_together(groups[-1], a):
            groups.append([])
        groups[-1].append(a)
    return groups


def _are_together(group: list[Attribute], a: Attribute) -> bool:
    """Whether one read gets a number with those before it."""
    both = (*group, a)
    bits = [x.type for x in both if isinstance(x.type, Bits) and not x.repeat]
    if bits:
        is_plain = all(x.condition is None for x in both) and len(bits) == len(both)
        return is_plain and len({bit.order for bit in bits}) == 1
    numbers = [x.type for x in both if isinstance(x.type, Primitive) and not x.repeat]
    orders = {number.order for number in numbers if number.size > 1}
    condition = a.condition
    alike = condition == group[0].condition and len(numbers) == len(both)
    return alike and len(orders) < 2 and (condition is None or "_io" not in names(condition))
