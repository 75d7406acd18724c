"""Kaitai expressions: text -> syntax tree -> Python text.

The language is described in https://doc.kaitai.io/user_guide.html#_expression_language; here is the
part of it that the specs use. Anything else is an `ExpressionError`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields

Constant = int | bool


class ExpressionError(ValueError):
    """An expression that is malformed or uses what the generator does not know."""


@dataclass(frozen=True)
class Literal:
    """A number, a boolean, a text or bytes."""

    value: int | bool | float | str | bytes


@dataclass(frozen=True)
class Name:
    """A name that stands free."""

    name: str


@dataclass(frozen=True)
class EnumValue:
    """`a::b::member`; `enum` is `a::b`."""

    enum: str
    member: str


@dataclass(frozen=True)
class Attribute:
    """`target.name`."""

    target: Node
    name: str


@dataclass(frozen=True)
class Index:
    """`target[index]`."""

    target: Node
    index: Node


@dataclass(frozen=True)
class Cast:
    """`target.as<type>`, which states the type of a value."""

    target: Node
    type: str


@dataclass(frozen=True)
class Method:
    """What a function of Python, such as `len`, gives for a value."""

    name: str
    target: Node


@dataclass(frozen=True)
class Call:
    """`position(x)` and the like in `-pk-value`; `name` is the function."""

    name: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True)
class Unary:
    """An operator before its operand."""

    operator: str
    operand: Node


@dataclass(frozen=True)
class Binary:
    """An operator between two operands; `//.` divides floats."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True)
class Ternary:
    """`condition ? then : otherwise`."""

    condition: Node
    then: Node
    otherwise: Node


Node = (
    Literal | Name | EnumValue | Attribute | Index | Cast | Method | Call | Unary | Binary | Ternary
)

_TOKEN = re.compile(
    r"\s*(?:(?P<number>0x[0-9a-fA-F_]+|0b[01_]+|0o[0-7_]+|\d+\.\d+(?:[eE][+-]?\d+)?|\d[\d_]*)"
    r"|(?P<string>'[^']*'|\"[^\"\\]*\")"
    r"|(?P<name>[a-zA-Z_]\w*(?:::[a-zA-Z_]\w*)*)"
    r"|(?P<symbol><<|>>|<=|>=|==|!=|[-+*/%<>&|^~?:.,()\[\]]))"
)
# Loosest first, as in the compiler's grammar (that of Python).
_LEVELS: tuple[tuple[str, ...], ...] = (
    ("<", ">", "<=", ">=", "==", "!="),
    ("|",),
    ("^",),
    ("&",),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)


def _tokens(text: str) -> list[str]:
    found, position = [], 0
    text = text.rstrip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ExpressionError(
                f"cannot read {text[position:].strip()!r} in {text!r}; write it with the operators,"
                " integers, names and enum values of docs/project/generator.md"
            )
        found.append(match.group(match.lastgroup or 0))
        position = match.end()
    return found


class _Parser:
    def __init__(self, text: str) -> None:
        self.text, self.tokens, self.at = text, _tokens(text), 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def next(self) -> str:
        token = self.peek()
        self.at += 1
        return token

    def expect(self, symbol: str) -> None:
        if self.next() != symbol:
            raise ExpressionError(f"{symbol!r} is missing in {self.text!r}")

    def accept(self, *symbols: str) -> str | None:
        return self.next() if self.peek() in symbols else None

    def ternary(self) -> Node:
        condition = self.disjunction()
        if not self.accept("?"):
            return condition
        then = self.ternary()
        self.expect(":")
        return Ternary(condition, then, self.ternary())

    def disjunction(self) -> Node:
        node = self.conjunction()
        while self.accept("or"):
            node = Binary("or", node, self.conjunction())
        return node

    def conjunction(self) -> Node:
        node = self.negation()
        while self.accept("and"):
            node = Binary("and", node, self.negation())
        return node

    def negation(self) -> Node:
        return Unary("not", self.negation()) if self.accept("not") else self.binary(0)

    def binary(self, level: int) -> Node:
        if level == len(_LEVELS):
            return self.unary()
        node = self.binary(level + 1)
        while operator := self.accept(*_LEVELS[level]):
            node = Binary(operator, node, self.binary(level + 1))
        return node

    def unary(self) -> Node:
        if operator := self.accept("-", "~", "+"):
            operand = self.unary()
            return operand if operator == "+" else Unary(operator, operand)
        return self.postfix()

    def postfix(self) -> Node:
        node = self.atom()
        while symbol := self.accept(".", "[", "("):
            if symbol == "[":
                node = Index(node, self.ternary())
                self.expect("]")
            elif symbol == "(":
                if not isinstance(node, Name):
                    raise ExpressionError(f"{self.text!r}: methods cannot be called")
                arguments = [self.ternary()]
                while self.accept(","):
                    arguments.append(self.ternary())
                node = Call(node.name, tuple(arguments))
                self.expect(")")
            else:
                name = self.next()
                if not re.fullmatch(r"[a-z_]\w*", name):
                    raise ExpressionError(f"{name or 'the end'!r} is not expected in {self.text!r}")
                node = Cast(node, self.type()) if name == "as" else Attribute(node, name)
        return node

    def type(self) -> str:
        """Return the name of a type in brackets."""
        self.expect("<")
        name = self.next()
        if not re.fullmatch(r"[a-z]\w*(::\w+)*", name):
            raise ExpressionError(f"{self.text!r}: cast to a type by its name")
        self.expect(">")
        return name

    def octets(self) -> Node:
        """Bytes: the numbers up to a bracket."""
        values = []
        while not self.accept("]"):
            token = self.next()
            number = int(token, 0) if token[:1].isdigit() and "." not in token else 256
            if number > 255:
                raise ExpressionError(f"{self.text!r}: an array is of bytes")
            values.append(number)
            if self.peek() != "]":
                self.expect(",")
        return Literal(bytes(values))

    def atom(self) -> Node:
        token = self.next()
        if token == "(":
            node = self.ternary()
            self.expect(")")
            return node
        if token == "[":
            return self.octets()
        if token[:1].isdigit() and "." in token:
            return Literal(float(token))
        if token[:1].isdigit():
            return Literal(int(token, 0))
        if token[:1] in ("'", '"') and token:
            return Literal(token[1:-1])
        if token in ("true", "false"):
            return Literal(token == "true")
        if "::" in token:
            enum, _, member = token.rpartition("::")
            return EnumValue(enum, member)
        if re.match(r"[a-zA-Z_]", token) and token not in ("and", "or", "not"):
            return Name(token)
        raise ExpressionError(f"{token or 'the end'!r} is not expected in {self.text!r}")


def parse(text: str) -> Node:
    """Return the syntax tree of `text`; `ExpressionError` if it is not understood."""
    parser = _Parser(text)
    node = parser.ternary()
    if parser.peek():
        raise ExpressionError(f"{parser.peek()!r} is not expected in {text!r}")
    return node


def walk(node: Node) -> Iterator[Node]:
    """Yield the node and all below it."""
    yield node
    for field in fields(node):
        child = getattr(node, field.name)
        for one in child if isinstance(child, tuple) else (child,):
            if not isinstance(one, int | str | float | bytes):
                yield from walk(one)


def names(node: Node) -> set[str]:
    """All names that stand free in the expression (not after a dot)."""
    return {n.name for n in walk(node) if isinstance(n, Name)}


def uses(node: Node, attribute: str) -> bool:
    """Whether `_io.ATTRIBUTE` occurs."""
    return any(n == Attribute(Name("_io"), attribute) for n in walk(node))


_PRECEDENCE = {
    "or": 1,
    "and": 2,
    "not": 3,
    **{symbol: 4 + i for i, level in enumerate(_LEVELS) for symbol in level},
    "//.": 3 + len(_LEVELS),
}
_UNARY, _ATOM = 11, 12

_WORDS = {
    "or": "np.logical_or",
    "and": "np.logical_and",
}


@dataclass(frozen=True)
class Printer:
    """How to write a tree as Python.

    `name` writes a free name, `enum` the number of an enum member, `call` a function call.
    With `vector` the text works on numpy arrays as on single values. `special` may write what has
    a dot, an index, a method or one operand in its own way.
    """

    name: Callable[[str], str]
    enum: Callable[[EnumValue], int]
    call: Callable[[Call], str] | None = None
    vector: bool = False
    special: Callable[[Node], str | None] = lambda node: None

    def print(self, node: Node) -> str:
        """Return an expression as Python."""
        return self._print(node)[0]

    def operand(self, node: Node) -> str:
        """Return the text for one side of a comparison."""
        return self._wrap(node, _PRECEDENCE["<"] + 1)

    def _wrap(self, node: Node, least: int) -> str:
        text, precedence = self._print(node)
        return text if precedence >= least else f"({text})"

    def _print(self, node: Node) -> tuple[str, int]:
        if isinstance(node, Attribute | Index | Method | Unary) and (text := self.special(node)):
            return text, _ATOM
        match node:
            case Literal(value):
                return repr(value), _ATOM
            case Name(name):
                return self.name(name), _ATOM
            case EnumValue():
                return str(self.enum(node)), _ATOM
            case Attribute(target, name):
                return f"{self._wrap(target, _ATOM)}.{name}", _ATOM
            case Index(target, index):
                return f"{self._wrap(target, _ATOM)}[{self.print(index)}]", _ATOM
            case Cast(target, _):
                return self._print(target)
            case Method(name, target):
                return f"{name}({self.print(target)})", _ATOM
            case Call():
                if self.call is None:
                    raise ExpressionError(f"{node.name}() is for -pk-value")
                return self.call(node), _ATOM
            case Unary("not", Binary("==", left, right)):
                return self._print(Binary("!=", left, right))
            case Unary("not", operand) if self.vector:
                return f"np.logical_not({self.print(operand)})", _ATOM
            case Unary("not", operand):
                return f"not {self._wrap(operand, 3)}", 3
            case Unary(operator, operand):
                return f"{operator}{self._wrap(operand, _UNARY)}", _UNARY
            case Binary(("and" | "or") as operator, left, right) if self.vector:
                return f"{_WORDS[operator]}({self.print(left)}, {self.print(right)})", _ATOM
            case Binary(operator, left, right):
                level = _PRECEDENCE[operator]
                # Comparisons chain in Python and do not in Kaitai.
                low = level + 1 if level == 4 else level
                symbol = {"/": "//", "//.": "/"}.get(operator, operator)
                return f"{self._wrap(left, low)} {symbol} {self._wrap(right, level + 1)}", level
            case Ternary(condition, then, otherwise):
                parts = [self.print(n) for n in (condition, then, otherwise)]
                if self.vector:
                    return f"choose({', '.join(parts)})", _ATOM
                return f"{self._wrap(then, 1)} if {parts[0]} else {self._wrap(otherwise, 0)}", 0


_OPERATIONS: Mapping[str, Callable[[int, int], int]] = {
    "or": lambda a, b: a or b,
    "and": lambda a, b: a and b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "&": lambda a, b: a & b,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a // b,
    "%": lambda a, b: a % b,
}


def evaluate(
    node: Node, known: Callable[[str], Constant | None], enum: Callable[[EnumValue], int]
) -> Constant | None:
    """Return what an expression is if some names are known; None if they do not suffice."""

    def value(n: Node) -> Constant | None:
        match n:
            case Literal(v):
                return v if isinstance(v, int) else None
            case Name(name):
                return known(name)
            case EnumValue():
                return enum(n)
            case Unary(operator, operand):
                a = value(operand)
                if a is None:
                    return None
                return not a if operator == "not" else -a if operator == "-" else ~int(a)
            case Binary(operator, left, right):
                a, b = value(left), value(right)
                # One side may decide `and` and `or`.
                if operator in ("and", "or") and (a is None or b is None):
                    decides = operator == "or"
                    one = a if a is not None else b
                    return decides if one is not None and bool(one) == decides else None
                if a is None or b is None or operator not in _OPERATIONS:
                    return None
                return None if operator in ("/", "%") and not b else _OPERATIONS[operator](a, b)
            case Ternary(condition, then, otherwise):
                c = value(condition)
                return None if c is None else value(then if c else otherwise)
            case _:
                return None

    return value(node)
