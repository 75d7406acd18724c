"""Kaitai expressions: text -> syntax tree -> Python text.

The language is described in https://doc.kaitai.io/user_guide.html#_expression_language; here is the
part of it that the specs use. Anything else is an `ExpressionError`.
"""

from __future__ import annotations

import operator as python
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from keyword import iskeyword
from math import inf
from typing import Any

Constant = int | bool


MOST_DEPTH = 100
"""Of operators and value instances in each other; a sum has as many as it has terms."""
MOST_PARTS = 10_000
"""Of an expression with its value instances replaced by what they stand for."""
TOO_DEEP = f"operators or value instances are more than {MOST_DEPTH} deep in each other"


class ExpressionError(ValueError):
    """An expression that is malformed or uses what the generator does not know."""


class Node:
    """A part of an expression."""


@dataclass(frozen=True)
class Literal(Node):
    """A number, a boolean, a text or bytes."""

    value: int | bool | float | str | bytes


@dataclass(frozen=True)
class Name(Node):
    """A name that stands free."""

    name: str


@dataclass(frozen=True)
class EnumValue(Node):
    """`a::b::member`; `enum` is `a::b`. Checks add the number."""

    enum: str
    member: str
    number: int | None = None


@dataclass(frozen=True)
class Dot(Node):
    """`target.name`."""

    target: Node
    name: str


@dataclass(frozen=True)
class Index(Node):
    """`target[index]`."""

    target: Node
    index: Node


@dataclass(frozen=True)
class Cast(Node):
    """`target.as<type>`, which states the type of a value."""

    target: Node
    type: str


@dataclass(frozen=True)
class SizeOf(Node):
    """`sizeof<type>`, or `bitsizeof<type>`; checks replace it by the number."""

    type: str
    unit: int


@dataclass(frozen=True)
class Listed(Node):
    """`[a, b]` that is not constant bytes: an array, or bytes if a cast says so."""

    items: tuple[Node, ...]


@dataclass(frozen=True)
class Method(Node):
    """What a function of Python, such as `len`, gives for a value.

    Of bytes, `str` gives the text in an encoding; of text, `int` the number in a base.
    """

    name: str
    target: Node
    argument: str | int = ""


@dataclass(frozen=True)
class Slice(Node):
    """The characters of a text from a place on, up to another one."""

    target: Node
    start: Node
    end: Node


@dataclass(frozen=True)
class Call(Node):
    """`position(x)` and the like in `-kit-value`; `name` is the function."""

    name: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True)
class Unary(Node):
    """An operator before its operand."""

    operator: str
    operand: Node


@dataclass(frozen=True)
class Binary(Node):
    """An operator between two operands; `//.` divides floats."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True)
class Ternary(Node):
    """`condition ? then : otherwise`."""

    condition: Node
    then: Node
    otherwise: Node


_TOKEN = re.compile(
    r"\s*(?:(?P<number>0x[0-9a-fA-F_]+|0b[01_]+|0o[0-7_]+"
    r"|\d+\.(?:\d+|(?!\s*[a-zA-Z_]))(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d[\d_]*)"
    r"|(?P<string>'[^']*'|\"(?:[^\"\\]|\\.)*\")"
    r"|(?P<name>[a-zA-Z_]\w*(?:::[a-zA-Z_]\w*)*)"
    r"|(?P<symbol><<|>>|<=|>=|==|!=|[-+*/%<>&|^~?:.,()\[\]]))"
)
_ESCAPE = re.compile(r"""\\(?:(["'\\abefnrtv])|([0-7]+)|u([0-9a-fA-F]{4})|)""")
_ESCAPED = dict(zip("abefnrtv", "\a\b\x1b\f\n\r\t\v", strict=True))
# Loosest first, as in the compiler's grammar (that of Python). `not` is the third.
_LEVELS: tuple[tuple[str, ...], ...] = (
    ("or",), ("and",), (), ("<", ">", "<=", ">=", "==", "!="), ("|",), ("^",), ("&",),
    ("<<", ">>"), ("+", "-"), ("*", "/", "%", "//."),
)  # fmt: skip
OPERATORS = {symbol: i for i, level in enumerate(_LEVELS, 1) for symbol in level}
_NOT, _COMPARISON, _UNARY, _ATOM = 3, 4, 11, 12
_UNITS = {"sizeof": 8, "bitsizeof": 1}
PREFIXES = {"not": _NOT, "-": _UNARY, "~": _UNARY, "+": _UNARY}


def _tokens(text: str) -> list[str]:
    tokens, position = [], 0
    text = text.rstrip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ExpressionError(
                f"cannot read {text[position:].strip()!r} in {text!r}; write it with the operators,"
                " integers, names and enum values of the reference"
            )
        tokens.append(match.group(match.lastgroup or 0))
        position = match.end()
    return tokens


def _number(token: str) -> int | float:
    """Return the value of a number of at most 64 bits, or of a float that is finite."""
    try:
        value = float(token) if re.match(r"\d+[.eE]", token) else int(token, 0)
    except ValueError:  # such as 08, or very many digits
        value = inf
    if not value < 1 << 64:
        raise ExpressionError(f"{token[:20]!r} is not a number of at most 64 bits")
    return value


def _text(token: str) -> str:
    """Return what is between quotes; between double ones, a backslash escapes."""

    def escape(match: re.Match[str]) -> str:
        one, octal, code = match.groups()
        if one is None and not octal and not code:
            raise ExpressionError(f"{match.string} has a backslash that escapes nothing")
        digits, base = (octal, 8) if octal else (code, 16)
        return _ESCAPED.get(one, one) if one else chr(int(digits, base) & 0xFFFF)

    return _ESCAPE.sub(escape, token[1:-1]) if token[0] == '"' else token[1:-1]


class _Parser:
    def __init__(self, text: str) -> None:
        self.text, self.tokens = text, [*_tokens(text), ""][::-1]
        self.depth = 0

    def next(self) -> str:
        return self.tokens.pop() if len(self.tokens) > 1 else ""

    def expect(self, *symbols: str) -> None:
        if self.accept(*symbols) is None:
            raise ExpressionError(f"{symbols[0]!r} is missing in {self.text!r}")

    def accept(self, *symbols: str) -> str | None:
        return self.next() if self.tokens[-1] in symbols else None

    def unexpected(self, token: str) -> ExpressionError:
        return ExpressionError(f"{token or 'the end'!r} is not expected in {self.text!r}")

    def expression(self, least: int = 0) -> Node:
        """Return what has operators that bind as tight as this, or tighter."""
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise ExpressionError(TOO_DEEP)
        node = self.operation(least)
        self.depth -= 1
        return node

    def operation(self, least: int) -> Node:
        """Return the same as `expression`."""
        prefix = self.tokens[-1]
        if prefix in PREFIXES and least <= PREFIXES[prefix]:
            operand = self.expression(PREFIXES[self.next()])
            node = operand if prefix == "+" else Unary(prefix, operand)
            if prefix == "-" and isinstance(operand, Literal) and type(operand.value) is int:
                node = Literal(-operand.value)  # a constant, as which views have it
        else:
            node = self.postfix()
        while (level := OPERATORS.get(self.tokens[-1], -1)) >= least:
            node = Binary(self.next(), node, self.expression(level + 1))
        if least or not self.accept("?"):
            return node
        then = self.expression()
        self.expect(":")
        return Ternary(node, then, self.expression())

    def listed(self, end: str) -> Iterator[Node]:
        """Yield expressions between commas, up to a bracket."""
        yield self.expression()
        while self.accept(",") and self.tokens[-1] != end:
            yield self.expression()
        self.expect(end)

    def postfix(self) -> Node:
        node = self.atom()
        while symbol := self.accept(".", "[", "("):
            if symbol == "[":
                node = Index(node, self.expression())
                self.expect("]")
            elif symbol == "(":
                node = self.called(node, tuple(self.listed(")")))
            else:
                name = self.next()
                if not re.fullmatch(r"[a-z_]\w*", name):
                    raise self.unexpected(name)
                node = Cast(node, self.type()) if name == "as" else Dot(node, python_name(name))
        return node

    def called(self, node: Node, arguments: tuple[Node, ...]) -> Node:
        """Return a call of a function or of a method."""
        match node, arguments:
            case Name(name), _:
                return Call(name, arguments)
            case Dot(target, "to_s"), (Literal(str(encoding)),):
                return Method("str", target, encoding)
            case Dot(target, "to_i"), (Literal(int(base)),) if base in range(2, 37):
                return Method("int", target, base)
            case Dot(target, "substring"), (start, end):
                return Slice(target, start, end)
        raise ExpressionError(f"{self.text!r}: methods are to_s, to_i and substring")

    def type(self) -> str:
        """Return the name of a type in brackets."""
        self.expect("<")
        name = self.next()
        if not re.fullmatch(r"[a-z]\w*(::\w+)*", name):
            raise ExpressionError(f"{self.text!r}: a type is written by its name")
        if self.accept("["):
            self.expect("]")
            name += "[]"
        self.expect(">")
        return name

    def array(self) -> Node:
        """Return what is up to a bracket: bytes, if all are constants below 256."""
        items = () if self.accept("]") else tuple(self.listed("]"))
        octets = [node.value for node in items if isinstance(node, Literal)]
        if len(octets) == len(items) and all(type(x) is int and 0 <= x < 256 for x in octets):
            return Literal(bytes(octets))  # type: ignore[arg-type]
        return Listed(items)

    def atom(self) -> Node:
        token = self.next()
        if token == "(":
            node = self.expression()
            self.expect(")")
            return node
        if token == "[":
            return self.array()
        if token[:1].isdigit():
            return Literal(_number(token))
        if token[:1] in ("'", '"') and token:
            return Literal(_text(token))
        if token in _UNITS and self.tokens[-1] == "<":
            return SizeOf(self.type(), _UNITS[token])
        if token in ("true", "false"):
            return Literal(token == "true")
        if "::" in token:
            enum, _, member = token.rpartition("::")
            return EnumValue(enum, python_name(member))
        if re.match(r"[a-zA-Z_]", token) and token not in ("and", "or", "not"):
            return Name(python_name(token))
        raise self.unexpected(token)


def python_name(name: str) -> str:
    """Return a name of a spec as it is in Python, whose keywords get a `_`."""
    return f"{name}_" if iskeyword(name) else name


def parse(text: str) -> Node:
    """Return the syntax tree of `text`; `ExpressionError` if it is not understood."""
    parser = _Parser(text)
    node = parser.expression()
    if token := parser.next():
        raise parser.unexpected(token)
    sizes(node, {}, {})
    return node


def sizes(
    node: Node, values: Mapping[str, Node], known: dict[str, tuple[int, int]], open: int = 0
) -> tuple[int, int]:
    """Return how many parts an expression has, and how deep, with value instances replaced.

    Args:
        node: The expression.
        values: The value instances that it may name.
        known: Gets those that were measured.
        open: How many value instances are being measured.

    Raises:
        ExpressionError: They are too many, or too deep.
    """
    most, count, todo = 1, 0, [(node, 1)]
    while todo:
        part, depth = todo.pop()
        more, below = 1, 0
        if isinstance(part, Name) and part.name in values:
            if part.name not in known and open < MOST_DEPTH:
                known[part.name] = 0, 0
                known[part.name] = sizes(values[part.name], values, known, open + 1)
            more, below = known.get(part.name, (1, MOST_DEPTH))
            if not more:
                raise ExpressionError(f"{part.name} depends on itself")
        count, most = count + more, max(most, depth + below)
        if most > MOST_DEPTH:
            raise ExpressionError(TOO_DEEP)
        if count > MOST_PARTS:
            raise ExpressionError(f"more than {MOST_PARTS:,} operations, with value instances")
        todo += [(child, depth + 1) for child in children(part)]
    return count, most


def children(node: Node) -> list[Node]:
    """Return the nodes right below this one."""
    parts = [
        each
        for value in vars(node).values()
        for each in (value if isinstance(value, tuple) else (value,))
    ]
    return [part for part in parts if isinstance(part, Node)]


def walk(node: Node) -> Iterator[Node]:
    """Yield the node and all below it."""
    yield node
    for child in children(node):
        yield from walk(child)


def names(node: Node) -> set[str]:
    """All names that stand free in the expression (not after a dot)."""
    return {n.name for n in walk(node) if isinstance(n, Name)}


def uses(node: Node, attribute: str) -> bool:
    """Whether `_io.ATTRIBUTE` occurs."""
    return any(n == Dot(Name("_io"), attribute) for n in walk(node))


def inlined(node: Node, values: Mapping[str, Node]) -> Node:
    """Return the expression with value instances replaced by what they stand for."""
    if isinstance(node, Name) and node.name in values:
        return inlined(values[node.name], values)
    if not isinstance(node, Unary | Binary | Ternary):
        return node
    parts = {key: part for key, part in vars(node).items() if isinstance(part, Node)}
    changed: dict[str, Any] = {key: inlined(part, values) for key, part in parts.items()}
    return replace(node, **changed)


@dataclass(frozen=True)
class Printer:
    """How to write a tree as Python.

    `name` writes a free name, `call` a function call. With `vector` the text works on numpy arrays
    as on single values. `special` may write what has a dot, an index, a method or one operand in
    its own way.
    """

    name: Callable[[str], str]
    call: Callable[[Call], str] | None = None
    vector: bool = False
    special: Callable[[Node], str | None] = lambda node: None

    def print(self, node: Node) -> str:
        """Return an expression as Python."""
        return self._print(node)[0]

    def term(self, node: Node) -> str:
        """Return the text for what is added to something."""
        return self._wrap(node, OPERATORS["+"])

    def operand(self, node: Node) -> str:
        """Return the text for one side of a comparison."""
        return self._wrap(node, _COMPARISON + 1)

    def _wrap(self, node: Node, least: int) -> str:
        text, precedence = self._print(node)
        return text if precedence >= least else f"({text})"

    def _print(self, node: Node) -> tuple[str, int]:
        if isinstance(node, Dot | Index | Listed | Method | Unary) and (text := self.special(node)):
            return text, _ATOM
        match node:
            case Literal(value):
                return repr(value), _ATOM
            case Name(name):
                return self.name(name), _ATOM
            case EnumValue(_, _, number):
                return str(number), _ATOM
            case Dot(target, name):
                return f"{self._wrap(target, _ATOM)}.{name}", _ATOM
            case Index(target, index):
                return f"{self._wrap(target, _ATOM)}[{self.print(index)}]", _ATOM
            case Slice(target, start, end):
                place = f"{self.print(start)}:{self.print(end)}"
                return f"{self._wrap(target, _ATOM)}[{place}]", _ATOM
            case Method("reversed", target):
                return f"{self._wrap(target, _ATOM)}[::-1]", _ATOM
            case Method(name, target, argument):
                more = f", {argument!r}" if argument else ""
                return f"{name}({self.print(target)}{more})", _ATOM
            case Listed(items):
                return f"[{', '.join(map(self.print, items))}]", _ATOM
            case Call():
                if self.call is None:
                    raise ExpressionError(f"{node.name}() is for -kit-value")
                return self.call(node), _ATOM
            case Unary("not", Binary("==", left, right)):
                return self._print(Binary("!=", left, right))
            case Unary("not", operand) if self.vector:
                return f"np.logical_not({self.print(operand)})", _ATOM
            case Unary("not", operand):
                return f"not {self._wrap(operand, _NOT)}", _NOT
            case Unary(operator, operand):
                return f"{operator}{self._wrap(operand, _UNARY)}", _UNARY
            case Binary(("and" | "or") as word, left, right) if self.vector:
                return f"np.logical_{word}({self.print(left)}, {self.print(right)})", _ATOM
            case Binary(operator, left, right):
                level = OPERATORS[operator]
                # Comparisons chain in Python and do not in Kaitai.
                low = level + 1 if level == _COMPARISON else level
                symbol = {"/": "//", "//.": "/"}.get(operator, operator)
                return f"{self._wrap(left, low)} {symbol} {self._wrap(right, level + 1)}", level
            case Ternary(condition, then, otherwise):
                parts = [self.print(n) for n in (condition, then, otherwise)]
                if self.vector:
                    return f"choose({', '.join(parts)})", _ATOM
                return f"{self._wrap(then, 1)} if {parts[0]} else {self._wrap(otherwise, 0)}", 0
        raise ExpressionError(f"{node} is not supported")


_OPERATIONS: Mapping[str, Callable[..., Constant]] = {
    "not": python.not_, "-u": python.neg, "~": python.invert,
    "<": python.lt, ">": python.gt, "<=": python.le, ">=": python.ge, "==": python.eq,
    "!=": python.ne, "|": python.or_, "^": python.xor, "&": python.and_, "<<": python.lshift,
    ">>": python.rshift, "+": python.add, "-": python.sub, "*": python.mul,
    "/": python.floordiv, "%": python.mod,
}  # fmt: skip


_MOST_BITS = 256
"""Of numbers that are computed from constants."""


def evaluate(
    node: Node, known: Callable[[str], Constant | None] = lambda name: None
) -> Constant | None:
    """Return what an expression is if some names are known; None if they do not suffice."""
    match node:
        case Literal(int() as number):
            return number
        case Name(name):
            return known(name)
        case EnumValue(_, _, value):
            return value
    parts = [evaluate(child, known) for child in children(node)]
    match node, parts:
        case Ternary(), [condition, then, otherwise]:
            return None if condition is None else then if condition else otherwise
        case Binary("and" | "or" as word, _, _), [a, b]:
            decides = word == "or"  # one side may
            if any(part is not None and bool(part) == decides for part in parts):
                return decides
            return None if a is None or b is None else not decides
        case ((Unary(operator, _) | Binary(operator, _, _)), [a, *rest]) if None not in parts:
            if operator == "<<" and (rest[0] or 0) > _MOST_BITS:
                return None
            try:
                key = "-u" if (operator, rest) == ("-", []) else operator
                value = _OPERATIONS[key](a, *rest)
                return value if value.bit_length() <= _MOST_BITS else None
            except (ArithmeticError, LookupError, ValueError):
                return None
    return None
