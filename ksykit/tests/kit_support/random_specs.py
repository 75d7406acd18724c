"""Random specs: each operator in each place, each repeat and each terminator in each container.

What is drawn comes from the tables of the generator. Each spec has what its number asks for, so
that a few hundred have all of it, and other fields around that.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Any

from ksykit.generator.expression import OPERATORS, PREFIXES
from ksykit.generator.spec import NUMBERS, PROCESSES, REPEATS

LOGIC = ("or", "and")
COMPARISONS = ("<", ">", "<=", ">=", "==", "!=")
ARITHMETIC = ("|", "^", "&", "<<", ">>", "+", "-", "*", "/", "%")
FORMS_OF_EXPRESSIONS = ("? :", "[]", ".", "as", "sizeof", "substring", "to_s", "::")
"""What expressions have besides operators."""
SYMBOLS = (*LOGIC, *COMPARISONS, *ARITHMETIC, *PREFIXES, *FORMS_OF_EXPRESSIONS)
assert {*OPERATORS} - {"//."} == {*LOGIC, *COMPARISONS, *ARITHMETIC}

TERMINATORS: tuple[dict[str, Any], ...] = (
    {"terminator": 3},
    {"terminator": 3, "include": True},
    {"terminator": 3, "consume": False},
    {"terminator": 3, "size": 5},
    {"terminator": 3, "include": True, "size": 5},
    {"size": 5, "pad-right": 2},
    {"size": 5, "pad-right": 2, "terminator": 3},
    {"type": "strz"},
    {"type": "strz", "encoding": "UTF-16LE"},
)
FORMS = (
    *((f"repeat {kind}", {}) for kind in REPEATS),
    *(("delimited", one) for one in TERMINATORS),
)
Names = dict[str, list[str]]


@dataclass
class Scope:
    """A type that is drawn, with the expressions that it may use, by their kinds."""

    names: Names
    raw: dict[str, Any] = field(default_factory=lambda: {"seq": [], "instances": {}, "params": []})
    has_end: bool = False

    def yaml(self) -> dict[str, Any]:
        return {key: value for key, value in self.raw.items() if value or key == "seq"}


class RandomSpec:
    """The spec of a number: `yaml` is its content."""

    def __init__(self, seed: int, number: int) -> None:
        self.rng = random.Random(f"{seed} {number}")
        self.name, self.count = f"r{number}", 0
        self.types: dict[str, Any] = {}
        self.symbol = self.asked = ""  # of the next expression in the place that is asked for
        root = self.root = Scope({"int": [], "bool": [], "float": [], "str": [], "bytes": []})
        for kind in ("u1", "u1", "s2"):
            root.names["int"].append(self.add(root, {"type": kind}))
        pairs = [*product(SYMBOLS, PLACES)]
        container, (form, options) = [*product(CONTAINERS, FORMS)][
            number % (len(CONTAINERS) * len(FORMS))
        ]
        self.used = {(form, container)}
        for at in (2 * number, 2 * number + 1):
            self.asked_for(root, *pairs[at % len(pairs)])
        CONTAINERS[container](self, root, lambda scope: self.form(scope, form, options))
        if not root.has_end:
            others = [*CONTAINERS.values()]
            for _ in range(self.rng.randrange(2)):
                self.rng.choice(others)(self, root, self.fields)

    def yaml(self) -> dict[str, Any]:
        """Return the spec, as a file has it."""
        pick = self.rng.choice
        meta = {
            "id": self.name,
            "title": self.name,
            "endian": pick(("le", "be")),
            "bit-endian": pick(("le", "be")),
        }
        enums = {"kind": {0: "none", 1: "one", 2: "two", 3: "three"}}
        types = {name: scope.yaml() for name, scope in self.types.items()}
        meta["encoding"] = pick(("ASCII", "UTF-8", "ISO-8859-1"))
        return {"meta": meta, **self.root.yaml(), "types": types, "enums": enums}

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    # -- Expressions

    def asked_for(self, scope: Scope, symbol: str, place: str) -> None:
        """Draw a field with an operator in a place."""
        self.symbol, self.asked = symbol, place
        PLACES[place](self, scope)
        assert not self.symbol
        self.used.add((symbol, place))

    def at(self, scope: Scope, place: str, kind: str, small: int = 0) -> str:
        """Return an expression for a place; if `small`, mostly one that is less."""
        asked, is_asked = self.symbol, self.asked == place and self.symbol
        if not is_asked and self.chance(0.4) and kind == "int":
            return str(self.rng.randrange(small or 9))
        if is_asked:
            self.symbol = ""
        text = self.expression(scope, kind, asked if is_asked else self.rng.choice(SYMBOLS), 2)
        is_bare = is_asked and self.chance(0.5)
        return text if not small or is_bare else f"({text}) % {small}"

    def expression(self, scope: Scope, kind: str, symbol: str, depth: int) -> str:
        """Return an expression of a kind with this operator in it."""
        own, text = self.of_symbol(scope, symbol, depth)
        if own == kind:
            return text
        if own != "bool":
            text = f"{text} > {self.leaf(scope, own)}"
        if kind == "bool":
            return text
        if kind == "int" and self.chance(0.5):
            return f"({text}).to_i"
        return f"({text} ? {self.leaf(scope, kind)} : {self.leaf(scope, kind)})"

    def of_symbol(self, scope: Scope, symbol: str, depth: int) -> tuple[str, str]:
        """Return the kind of an expression, and an expression with this operator."""
        number = partial(self.integer, scope, depth - 1)
        condition = partial(self.condition, scope, depth - 1)
        pick, texts = self.rng.choice, scope.names["str"] or ["'abc'"]
        match symbol:
            case "or" | "and":
                return "bool", f"{condition()} {symbol} {condition()}"
            case "not":
                return "bool", f"not ({condition()})"
            case "==" | "!=" if self.chance(0.3) and scope.names.get("enum"):
                return "bool", f"{pick(scope.names['enum'])} {symbol} kind::{pick(('one', 'two'))}"
            case symbol if symbol in COMPARISONS:
                if scope.names["str"] and self.chance(0.3):
                    return "bool", f"{self.string(scope)} {symbol} {self.string(scope)}"
                return "bool", f"{number()} {symbol} {number()}"
            case "<<" | ">>":
                return "int", f"{number()} {symbol} {pick(('1', '3', f'({number()} & 3)'))}"
            case "/" | "%":
                if symbol == "/" and scope.names["float"] and self.chance(0.3):
                    return "float", f"{pick(scope.names['float'])} / 2"
                return "int", f"{number()} {symbol} {pick(('3', '5', self.leaf(scope, 'int')))}"
            case "+" if scope.names["str"] and self.chance(0.3):
                return "str", f"{self.string(scope)} + {self.string(scope)}"
            case symbol if symbol in ARITHMETIC:
                return "int", f"{number()} {symbol} {number()}"
            case symbol if symbol in PREFIXES:
                return "int", f"{symbol}{self.leaf(scope, 'int')}"
            case "? :":
                return "int", f"({condition()} ? {number()} : {number()})"
            case "[]":
                of_bytes = [f"{one}[0]" for one in scope.names["bytes"]]
                return "int", pick(("[4, 1, 2][1]", f"[300, {number()}][1]", *of_bytes))
            case ".":
                ends = "length", "first", "last", "size"
                of_bytes = [f"{one}.{pick(ends)}" for one in scope.names["bytes"]]
                of_text = [f"{one}.length" for one in scope.names["str"]]
                return "int", pick([*of_bytes, *of_text, "_io.size"])
            case "as":
                return "int", f"{pick(scope.names['int'])}.as<u1>"
            case "sizeof":
                return "int", pick(("sizeof<u2>", "bitsizeof<b5>", "sizeof<s8>"))
            case "substring":
                return "str", f"{pick(texts)}.substring(0, {pick((1, 2))})"
            case "to_s":
                return "str", f"({number()}).to_s"
            case "::":
                return "int", "kind::two.to_i"
        raise NotImplementedError(symbol)

    def leaf(self, scope: Scope, kind: str) -> str:
        names = scope.names.get(kind)
        if names and self.chance(0.7):
            return self.rng.choice(names)
        literals = {
            "int": ("0", "1", "3", "7", "0x10", "0b11"), "bool": ("true", "false"),
            "float": ("1.5",), "str": ('"a"', "'bc'"),
        }  # fmt: skip
        return self.rng.choice(literals[kind])

    def integer(self, scope: Scope, depth: int) -> str:
        if depth > 0 and self.chance(0.5):
            text = self.expression(scope, "int", self.rng.choice(SYMBOLS), depth)
            return f"({text})" if self.chance(0.4) else text
        return self.leaf(scope, "int")

    def condition(self, scope: Scope, depth: int) -> str:
        if depth > 0 or self.chance(0.5):
            return self.expression(scope, "bool", self.rng.choice(COMPARISONS), depth)
        return self.leaf(scope, "bool")

    def string(self, scope: Scope) -> str:
        return self.leaf(scope, "str")

    # -- Fields

    def add(self, scope: Scope, raw: dict[str, Any], kind: str = "n") -> str:
        """Add a field to a type, and return its name."""
        name, self.count = f"{kind}{self.count}", self.count + 1
        scope.raw["seq"].append({"id": name, **raw})
        return name

    def fields(self, scope: Scope) -> None:
        """Draw some fields of a type."""
        draws: list[Any] = [
            *PLACES.values(),
            self.bits,
            self.real,
            self.contents,
            self.delimited,
            self.of_enum,
        ]
        for draw in self.rng.sample(draws, self.rng.randrange(1, 4)):
            draw(scope) if hasattr(draw, "__self__") else draw(self, scope)

    def form(self, scope: Scope, form: str, options: dict[str, Any]) -> None:
        """Draw a repeat or a terminator among other fields."""
        if self.chance(0.7):
            self.fields(scope)
        kind = form.removeprefix("repeat ")
        if kind == "eos":
            scope.has_end = True
            if self.chance(0.3):
                self.rest(scope)
            else:
                self.add(scope, {"type": self.element(scope), "repeat": kind}, "all")
        elif kind == "expr":
            self.repeat_expr(scope)
        elif kind == "until":
            self.repeat_until(scope)
        else:
            self.delimited(scope, options)
        if not scope.has_end and self.chance(0.5):
            self.number(scope)

    def number(self, scope: Scope, **more: Any) -> None:
        kind = self.kind()
        name = self.add(scope, {"type": kind, **more})
        if "if" not in more and kind[0] != "f":
            scope.names["int"].append(name)

    def kind(self) -> str:
        kind = self.rng.choice([one for one in NUMBERS if one[0] != "f"])
        return kind if kind[1] == "1" or self.chance(0.6) else kind + self.rng.choice(("le", "be"))

    def real(self, scope: Scope) -> None:
        scope.names["float"].append(
            self.add(scope, {"type": self.rng.choice(("f4", "f8le", "f4be"))})
        )

    def of_enum(self, scope: Scope) -> None:
        valid = {"valid": {"in-enum": True}} if self.chance(0.4) else {}
        name = self.add(scope, {"type": self.rng.choice(("u1", "u2")), "enum": "kind", **valid})
        scope.names.setdefault("enum", []).append(name)

    def bits(self, scope: Scope) -> None:
        """Bits that fill bytes, or are followed by a number."""
        sizes = [self.rng.choice((1, 2, 7, 12, 33)) for _ in range(self.rng.randrange(1, 4))]
        if self.chance(0.7) and sum(sizes) % 8:
            sizes.append(-sum(sizes) % 8)
        for size in sizes:
            name = self.add(scope, {"type": f"b{size}"}, "bits")
            scope.names["bool" if size == 1 else "int"].append(name)
        if sum(sizes) % 8:
            self.number(scope)

    def contents(self, scope: Scope) -> None:
        contents, doc = self.rng.choice(([1, 2], "A", [0x41, "B"])), 'Ends with """ and a \\.'
        self.add(scope, {"contents": contents, "doc": doc}, "magic")

    def delimited(self, scope: Scope, options: dict[str, Any] | None = None) -> None:
        """Bytes or text, of a size or up to a terminator."""
        raw = dict(self.rng.choice(TERMINATORS) if options is None else options)
        if "type" not in raw and self.chance(0.5):
            raw["type"] = "str"
        is_text = "type" in raw
        if "size" in raw and self.chance(0.3):
            raw["size"] = self.at(scope, "", "int", 6)
        if self.chance(0.2):
            raw |= {"repeat": "expr", "repeat-expr": 2}
        name = self.add(scope, raw, "text" if is_text else "data")
        if "repeat" not in raw:
            scope.names["str" if is_text else "bytes"].append(name)

    def rest(self, scope: Scope) -> None:
        self.add(scope, {"size-eos": True} | ({"type": "str"} if self.chance(0.3) else {}), "rest")

    def element(self, scope: Scope) -> str:
        """Return the type of the elements of a repeat: a number or an object."""
        if self.chance(0.5):
            return self.kind()
        inner = self.inner(scope)
        self.number(inner)
        self.rng.choice((self.number, self.real, self.delimited, self.value))(inner)
        return self.typed(inner)

    def inner(self, scope: Scope, *, has_params: bool = False) -> Scope:
        """Return a type in a type, whose names it may ask for."""
        names = scope.names["int"]
        outer = [f"_parent.{name}" for name in names if "." not in name]
        ints = [
            f"_root.{self.root.raw['seq'][0]['id']}",
            *self.rng.sample(outer, min(len(outer), 2)),
        ]
        return Scope({"int": ints, "bool": [], "float": [], "str": [], "bytes": []})

    def typed(self, scope: Scope) -> str:
        """Return the name of a type, which gets one."""
        name = f"{self.name}_t{len(self.types)}"
        self.types[name] = scope
        return name

    # -- Places of expressions

    def size(self, scope: Scope) -> None:
        name = self.add(scope, {"size": self.at(scope, "size", "int", 6)}, "data")
        scope.names["bytes"].append(name)

    def pos(self, scope: Scope) -> None:
        raw: dict[str, Any] = {"pos": self.at(scope, "pos", "int", 9), "type": self.kind()}
        if self.chance(0.3):
            raw |= {"repeat": "expr", "repeat-expr": 2}
        scope.raw["instances"][f"at{self.count}"] = raw
        self.count += 1

    def repeat_expr(self, scope: Scope) -> None:
        raw = {"repeat": "expr", "repeat-expr": self.at(scope, "repeat-expr", "int", 4)}
        self.add(scope, {"type": self.element(scope), **raw}, "list")

    def repeat_until(self, scope: Scope) -> None:
        names = {**scope.names, "int": [*scope.names["int"], "_", "_", "_index"]}
        until = self.at(Scope(names), "repeat-until", "bool")
        raw = {"repeat": "until", "repeat-until": f"({until}) or _io.eof or _index == 3"}
        self.add(scope, {"type": self.kind(), **raw}, "list")

    def condition_of(self, scope: Scope) -> None:
        condition = {"if": self.at(scope, "if", "bool")}
        draw = self.rng.choice((self.number, self.object))
        draw(scope, **condition)

    def object(self, scope: Scope, **more: Any) -> None:
        inner = self.inner(scope)
        self.fields(inner)
        self.add(scope, {"type": self.typed(inner), **more}, "obj")

    def value(self, scope: Scope) -> None:
        kind = self.rng.choice(("int", "bool", "str"))
        name = f"v{self.count}"
        scope.raw["instances"][name] = {"value": self.at(scope, "value", kind)}
        self.count += 1

    def valid(self, scope: Scope) -> None:
        own = Scope({**scope.names, "int": [*scope.names["int"], "_"]})
        text = partial(self.at, scope, "valid", "int", 5)
        way = self.rng.choice(("eq", "min", "max", "any-of", "expr"))
        valid: Any = (
            {way: [text(), "1", "2"] if way == "any-of" else text()}
            if way != "expr"
            else {"expr": self.at(own, "valid", "bool")}
        )
        self.number(scope, valid=valid)

    def switch(self, scope: Scope) -> None:
        inner = self.inner(scope)
        self.number(inner)
        cases: dict[Any, str] = {0: self.kind(), 1: self.typed(inner), 2: "u1"}
        if self.chance(0.5):
            cases["_"] = "s2"
        on = self.at(scope, "switch-on", "int", 4)
        raw = {"type": {"switch-on": on, "cases": cases}} | (
            {"size": 5} if self.chance(0.2) else {}
        )
        self.add(scope, raw, "one")

    def process(self, scope: Scope) -> None:
        name = (
            self.rng.choice(sorted(PROCESSES))
            if not self.symbol
            else self.rng.choice(("xor", "rol"))
        )
        arguments = ""
        if PROCESSES[name]:
            arguments = f"({self.at(scope, 'process', 'int', 7)})"
        raw = {"size": self.rng.randrange(4), "process": f"{name}{arguments}"}
        scope.names["bytes"].append(self.add(scope, raw, "coded"))

    def arguments(self, scope: Scope) -> None:
        inner = self.inner(scope)
        kind = self.rng.choice(("int", "bool"))
        inner.raw["params"].append({"id": "p", "type": "u4" if kind == "int" else "bool"})
        inner.names[kind].append("p")
        call = self.at(scope, "arguments", kind)
        self.rng.choice((self.size, self.condition_of))(inner)
        # Kaitai computes an argument that nothing asks for, and may fail.
        self.add(inner, {"type": "u1", "if": "p == p"}, "n")
        self.add(scope, {"type": f"{self.typed(inner)}({call})"}, "obj")

    # -- Containers

    def in_type(self, scope: Scope, fill: Any) -> str:
        inner = self.inner(scope)
        fill(inner)
        return self.typed(inner)

    def in_seq(self, scope: Scope, fill: Any) -> None:
        fill(scope)

    def in_object(self, scope: Scope, fill: Any) -> None:
        inner = self.inner(scope)
        fill(inner)
        scope.has_end = inner.has_end
        self.add(scope, {"type": self.typed(inner)}, "obj")

    def in_window(self, scope: Scope, fill: Any) -> None:
        size = self.rng.choice((8, 12, self.at(scope, "", "int", 12)))
        self.add(scope, {"size": size, "type": self.in_type(scope, fill)}, "box")

    def in_nested_window(self, scope: Scope, fill: Any) -> None:
        self.in_window(scope, lambda inner: self.in_window(inner, fill))

    def in_instance(self, scope: Scope, fill: Any) -> None:
        raw: dict[str, Any] = {
            "pos": self.at(scope, "", "int", 20),
            "type": self.in_type(scope, fill),
        }
        raw |= {"size": 9} if self.chance(0.3) else {}
        scope.raw["instances"][f"there{self.count}"] = raw

    def from_the_end(self, scope: Scope, fill: Any) -> None:
        raw = {"pos": f"_io.size - {self.rng.randrange(4, 12)}", "type": self.in_type(scope, fill)}
        scope.raw["instances"][f"footer{self.count}"] = raw

    def in_repeat(self, scope: Scope, fill: Any) -> None:
        inner = self.inner(scope)
        fill(inner)
        raw = {"type": self.typed(inner), "repeat": "expr", "repeat-expr": 2}
        self.add(scope, raw | ({"size": 8} if inner.has_end else {}), "rows")

    def in_case(self, scope: Scope, fill: Any) -> None:
        cases = {0: self.in_type(scope, fill), 1: "u2"}
        raw: dict[str, Any] = {"type": {"switch-on": scope.names["int"][0], "cases": cases}}
        self.add(scope, raw | {"size": 9}, "one")

    def in_process(self, scope: Scope, fill: Any) -> None:
        process = self.rng.choice(("xor(3)", "rol(3)"))
        raw = {"size": 9, "process": process, "type": self.in_type(scope, fill)}
        self.add(scope, raw, "box")

    def in_terminated(self, scope: Scope, fill: Any) -> None:
        self.add(scope, {"terminator": 66, "type": self.in_type(scope, fill)}, "box")

    def in_rest(self, scope: Scope, fill: Any) -> None:
        self.add(scope, {"size-eos": True, "type": self.in_type(scope, fill)}, "box")
        scope.has_end = True

    def in_other_stream(self, scope: Scope, fill: Any) -> None:
        """An instance in a stream around the one of its object."""

        def place(inner: Scope) -> None:
            self.number(inner)
            self.in_instance(inner, fill)
            inner.raw["instances"][f"there{self.count}"]["io"] = "_root._io"

        self.in_window(scope, place)


PLACES = {
    "size": RandomSpec.size, "pos": RandomSpec.pos, "repeat-expr": RandomSpec.repeat_expr,
    "repeat-until": RandomSpec.repeat_until, "if": RandomSpec.condition_of,
    "value": RandomSpec.value, "valid": RandomSpec.valid, "switch-on": RandomSpec.switch,
    "process": RandomSpec.process, "arguments": RandomSpec.arguments,
}  # fmt: skip
CONTAINERS = {
    "seq": RandomSpec.in_seq, "object": RandomSpec.in_object, "window": RandomSpec.in_window,
    "nested window": RandomSpec.in_nested_window, "instance": RandomSpec.in_instance,
    "from the end": RandomSpec.from_the_end, "repeat": RandomSpec.in_repeat,
    "case": RandomSpec.in_case, "process": RandomSpec.in_process,
    "terminated": RandomSpec.in_terminated, "rest": RandomSpec.in_rest,
    "other stream": RandomSpec.in_other_stream,
}  # fmt: skip
