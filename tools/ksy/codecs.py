"""What the template of codecs puts in place: repeated records as arrays, and packed types."""

from __future__ import annotations

from dataclasses import dataclass

from .expression import (
    Binary,
    EnumValue,
    Literal,
    Name,
    Printer,
    Ternary,
    Unary,
    names,
    walk,
)
from .load import Attribute, Primitive, Spec, Type, UserType, Value
from .records import Records, Variant, numbers_together
from .world import World, camel, docstring, inlined, wrong_values


@dataclass(frozen=True)
class Nested:
    """A column of a record that is an object of its own: its class, and what is passed to it."""

    column: str
    index: int
    cls: str
    params: tuple[tuple[str, str], ...]
    same_spec: bool


@dataclass(frozen=True)
class ArrayText:
    """What the template needs of a RecordArray class."""

    name: str
    type: str
    cls: str
    doc: str
    params: tuple[str, ...]
    variant: str
    layouts: tuple[tuple[str, str], ...]
    columns: tuple[str, ...]
    defaults: tuple[tuple[str, str], ...]  # columns that are computed if they are left out
    plain: tuple[tuple[str, str], ...]  # with what is its value, of a record's values
    nested: tuple[Nested, ...]
    own_text: str | None
    values: tuple[tuple[str, str, str], ...]
    single: bool


@dataclass(frozen=True)
class FunctionText:
    """A function of one expression."""

    name: str
    arguments: tuple[str, ...]
    body: str
    doc: str


@dataclass(frozen=True)
class PackText:
    """How a type of numbers, and of flat repeats after them, is written at once."""

    name: str
    given: tuple[tuple[str, str], ...]  # numbers that have to be given, and Python's type
    repeats: tuple[tuple[str, str], ...]  # with dtype
    packer: str
    numbers: tuple[tuple[str, str], ...]  # what is packed of each


@dataclass(frozen=True)
class CodecModule:
    """What the template needs of one spec."""

    spec: str
    title: str
    imports: tuple[tuple[str, str], ...]
    structs: tuple[tuple[str, str], ...]
    dtypes: tuple[tuple[str, str], ...]
    arrays: tuple[ArrayText, ...]
    sizes: tuple[FunctionText, ...]
    functions: tuple[FunctionText, ...]
    packs: tuple[PackText, ...]

    @property
    def has_content(self) -> bool:
        """Whether there is anything to write."""
        return any((self.arrays, self.dtypes, self.sizes, self.functions, self.packs))


class Codec:
    """Decisions about one spec's arrays."""

    def __init__(self, world: World, spec: Spec) -> None:
        self.world, self.spec = world, spec
        self.records = Records(world)
        self.structs: dict[str, str] = {}
        self.dtypes: dict[str, str] = {}

    # -- Records as arrays

    def layout(self, variant: Variant) -> str:
        """The `Layout` of a record: numpy's fields, where its byte string is, and what is valid."""
        fields = []
        before = 0
        text = variant.text
        seen_text = False
        inner = {}
        checks = []
        for c in variant.columns:
            name = c.raw_name
            fields.append(f'("{name}", "{c.dtype}")')
            if not seen_text:
                before += c.size
            seen_text |= c.is_text
            if c.nested:
                inner[c.name] = c.inner
            if not c.is_text:
                found = wrong_values(c.valid, "a", self.world, self.spec.types[0])
                checks += [f'("{name}", lambda a: {wrong})' for wrong in found]
        parts = [f"[{', '.join(fields)}]"]
        if inner:
            parts.append(f"inner={inner!r}")
        if text is not None:
            parts.append(f'text="{text.name}", length="{text.raw_name}", before={before}')
        if checks:
            parts.append(f"checks=({', '.join(checks)},)")
        return f"Layout({', '.join(parts)})"

    def array(self, type_: Type) -> ArrayText:
        """The RecordArray class of a flat record."""
        found = self.records.variants(type_)
        assert found is not None
        deciding, variants = found
        first = variants[0]
        nested = []
        for index, c in enumerate(first.columns):
            if c.nested is None:
                continue
            a = next(x for x in type_.seq if x.id == c.name)
            child = self.world.types[c.nested]
            assert isinstance(a.type, UserType)
            printer = self.printer(type_)
            nested.append(
                Nested(
                    c.name,
                    index,
                    self.world.class_path(child),
                    tuple(
                        (p.id, printer.print(node))
                        for p, node in zip(child.params, a.type.arguments, strict=True)
                    ),
                    child.spec == type_.spec,
                )
            )
        own_text = next((c.name for c in first.columns if c.is_text and not c.nested), None)
        plain = tuple(
            (c.raw_name, f"values[{i}]" if c.count is None else f"bytes(values[{i}])")
            for i, c in enumerate(first.columns)
            if c.nested is None
        )
        columns = tuple(c.name for c in first.columns)
        known = {*columns, *(n for n, _ in plain), *(p.id for p in type_.params)}
        values = []
        for v in type_.values:
            plain_value = inlined(v.value, {x.id: x.value for x in type_.values})
            own = names(plain_value) <= known and all(
                isinstance(n, Name | Literal | Unary | Binary | Ternary | EnumValue)
                for n in walk(plain_value)
            )
            if own:
                printer = self.printer(type_, vector=True)
                values.append((v.id, printer.print(v.value), docstring(v.doc, 8)))
        return ArrayText(
            name=camel(type_.name) + "Array",
            type=type_.name,
            cls=self.world.class_path(type_),
            doc=docstring(type_.doc, 4),
            params=tuple(p.id for p in type_.params),
            variant=deciding or "None",
            layouts=tuple((str(v.key), self.layout(v)) for v in variants),
            columns=columns,
            defaults=self.defaults(type_, first),
            plain=plain,
            nested=tuple(nested),
            own_text=own_text,
            values=tuple(values),
            single=len(variants) == 1,
        )

    def defaults(self, type_: Type, variant: Variant) -> tuple[tuple[str, str], ...]:
        """The columns of numbers that are constant, or computed from other columns of numbers."""
        numbers = {c.name for c in variant.columns if not c.is_text and c.nested is None}
        rules = {a.id: a.valid.equal or a.value for a in type_.seq if a.id in numbers}
        given = {name for name, node in rules.items() if node is None}
        plain = (Name, Literal, Unary, Binary, Ternary, EnumValue)
        printer = Printer(
            name=lambda name: f'wide(np.asarray(columns["{name}"]))',
            enum=self.world.enum(type_),
            vector=True,
        )
        return tuple(
            (name, printer.print(node))
            for name, node in rules.items()
            if node is not None
            and names(node) <= given
            and all(isinstance(n, plain) for n in walk(node))
        )

    def printer(self, type_: Type, *, vector: bool = False) -> Printer:
        """Return how expressions on the records of an array are written."""
        numbers = {a.id for a in type_.seq if isinstance(a.type, Primitive) and not a.repeat}

        def name(text: str) -> str:
            return f"wide(self.{text})" if vector and text in numbers else f"self.{text}"

        return Printer(name=name, enum=self.world.enum(type_), vector=vector)

    def struct(self, numbers: list[Primitive]) -> str:
        """The name of the `struct.Struct` of these numbers, which is made if need be."""
        orders = {n.order for n in numbers if n.size > 1}
        order = orders.pop() if len(orders) == 1 else ">"
        codes = order + "".join(n.code for n in numbers)
        name = "_" + "_".join(n.packer for n in numbers)
        self.structs[name] = codes
        return name

    def dtype(self, type_: Type, a: Attribute) -> str:
        """The name of the numpy dtype of a repeat of numbers, which is made if need be."""
        assert isinstance(a.type, Primitive)
        name = f"{type_.name}_{a.id}".upper()
        self.dtypes[name] = f'"{a.type.dtype}"'
        return name

    # -- Sizes

    def sizeof(self, type_: Type) -> FunctionText | None:
        """The size of a type as an expression of its parameters and numbers, if it is one."""
        terms = []
        own = {a.id for a in type_.seq if isinstance(a.type, Primitive) and not a.repeat}
        params = [p.id for p in type_.params]
        used: set[str] = set()

        def name(text: str) -> str:
            if text not in own and text not in params:
                raise KeyError(text)
            used.add(text)
            return f"wide({text})"

        printer = Printer(name=name, enum=self.world.enum(type_), vector=True)
        try:
            for a in type_.seq:
                count = printer._wrap(a.repeat_expr, 10) if a.repeat_expr is not None else None
                if a.repeat == "eos" or a.size_eos:
                    return None
                if isinstance(a.type, Primitive):
                    term = f"{count} * {a.type.size}" if count else str(a.type.size)
                elif a.type is None:
                    term = (
                        str(len(a.contents))
                        if a.contents is not None
                        else printer.print(a.size or Literal(0))
                    )
                else:
                    size = self.records.fixed_size(self.world.types[a.type.name])
                    if size is None:
                        return None
                    term = f"{count} * {size}" if count else str(size)
                if a.condition is not None:
                    term = f"choose({printer.print(a.condition)}, {term}, 0)"
                terms.append(term)
        except KeyError:
            return None
        if not used:
            return None
        order = [*params, *(a.id for a in type_.seq)]
        return FunctionText(
            f"sizeof_{type_.name}",
            tuple(sorted(used, key=order.index)),
            " + ".join(terms),
            f"Bytes of a `{type_.name}`; integers or arrays of them.",
        )

    # -- The module

    def module(self) -> CodecModule:
        """All that is generated of the spec. Raises SpecError."""
        types = self.spec.types
        repeated = {
            a.type.name
            for spec in self.world.specs.values()
            for t in spec.types
            for a in t.seq
            if isinstance(a.type, UserType) and self.records.is_record(a, t)
        }
        arrays = tuple(self.array(t) for t in types if t.name in repeated)
        for t in types:
            for a in t.seq:
                if isinstance(a.type, Primitive) and a.repeat:
                    self.dtype(t, a)
        inverses = [f for t in types for v in t.values for f in self.inverse(t, v)]
        integers = [f for t in types for f in _integers(t)]
        sizes = [f for t in types if (f := self.sizeof(t)) is not None]
        packs = [p for t in types if (p := self.pack(t)) is not None]
        used = [a.cls for a in arrays] + [n.cls for a in arrays for n in a.nested]
        classes = {t.split(".")[0] for t in used}
        by_class = {camel(name): name for name in self.world.specs}
        return CodecModule(
            spec=self.spec.name,
            title=self.spec.title,
            imports=tuple(sorted((by_class[c], c) for c in classes)),
            structs=tuple(sorted(self.structs.items())),
            dtypes=tuple(self.dtypes.items()),
            arrays=arrays,
            sizes=tuple(sizes),
            functions=tuple(dict.fromkeys((*inverses, *integers))),
            packs=tuple(packs),
        )

    def pack(self, type_: Type) -> PackText | None:
        """How to write a type of numbers, and flat repeats after them, that no other type uses."""
        every = [t for spec in self.world.specs.values() for t in spec.types]
        used = {
            a.type.name
            for t in every
            for a in (*t.seq, *t.positioned)
            if isinstance(a.type, UserType)
        }
        head = numbers_together(list(type_.seq))
        numbers = [a.type for a in head if isinstance(a.type, Primitive)]
        repeats = type_.seq[len(head) :]
        alone = type_.name not in used and type_.name != self.spec.name
        if not alone or not numbers or not all(self.is_packed(type_, a) for a in repeats):
            return None
        known = {
            a.repeat_expr.name: f"len({a.id})"
            for a in reversed(repeats)
            if isinstance(a.repeat_expr, Name)
        } | {a.id: repr(a.valid.equal.value) for a in head if isinstance(a.valid.equal, Literal)}
        return PackText(
            type_.name,
            tuple(
                (a.id, "float" if number.is_float else "int")
                for a, number in zip(head, numbers, strict=True)
                if a.id not in known
            ),
            tuple((a.id, self.packed_dtype(type_, a)) for a in repeats),
            self.struct(numbers),
            tuple((a.id, known.get(a.id, a.id)) for a in head),
        )

    def is_packed(self, type_: Type, a: Attribute) -> bool:
        """Whether it is as many numbers, or records of one size, as a field of the type tells."""
        if not isinstance(a.repeat_expr, Name) or a.condition is not None:
            return False
        return isinstance(a.type, Primitive) or (
            self.records.is_record(a, type_)
            and isinstance(a.type, UserType)
            and self.records.fixed_size(self.world.types[a.type.name]) is not None
        )

    def packed_dtype(self, type_: Type, a: Attribute) -> str:
        """The same, also of a repeat of records of one size."""
        if isinstance(a.type, Primitive):
            return self.dtype(type_, a)
        assert isinstance(a.type, UserType)
        found = self.records.variants(self.world.types[a.type.name])
        assert found is not None
        name = f"{type_.name}_{a.id}".upper()
        columns = ", ".join(f'("{c.name}", "{c.dtype}")' for c in found[1][0].columns)
        self.dtypes[name] = f"[{columns}]"
        return name

    def inverse(self, type_: Type, v: Value) -> list[FunctionText]:
        """The functions of a value instance's `-inverse`."""
        found = []
        for target, node in v.inverse.items():
            if not names(node) <= {v.id}:
                raise self.world.fail(
                    type_, f"{v.path}/-inverse/{target}", f"uses more than {v.id}", "use only that"
                )
            printer = Printer(name=lambda n: f"wide({n})", enum=self.world.enum(type_), vector=True)
            found.append(
                FunctionText(
                    f"{target}_of_{v.id}",
                    (v.id,),
                    printer.print(node),
                    f"The `{target}` that stands for a `{v.id}`; an integer or an array of them.",
                )
            )
        return found


def _integers(type_: Type) -> list[FunctionText]:
    """Of a type that is nothing but an integer of any width: from its bytes, and back."""
    match type_.seq:
        case (Attribute(size_eos=True, encoding="integer-be" | "integer-le" as encoding),):
            return [
                FunctionText(
                    f"encode_{type_.name}",
                    ("number",),
                    f'encode_integer(number, "{encoding}")',
                    f"The bytes of one `{type_.name}`, at least one.",
                ),
                FunctionText(
                    f"decode_{type_.name}",
                    ("data",),
                    f'decode_integer(data, "{encoding}")',
                    f"The integer of one `{type_.name}`. Raises FormatError if it has no bytes.",
                ),
            ]
    return []


def codec_module(world: World, spec: Spec) -> CodecModule:
    """What the codec template of a spec needs. Raises SpecError."""
    return Codec(world, spec).module()
