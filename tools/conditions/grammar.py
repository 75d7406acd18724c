"""A grammar of conditions: every function, operator and cast that conditions accept.

`Grammar` deals the entries of the tables in rounds, so that each is drawn before any is again.
Spark decides the types of what is drawn, and only values that it accepts become parts of others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random
from typing import Any

from paimon_ksy.predicates.casts import CASTS, kind_of
from paimon_ksy.predicates.functions import EXTRACTED, FUNCTIONS, Parameter
from paimon_ksy.types.arrow import to_arrow
from tools.conditions.rows import MOMENTS, SCHEMA, WORDS


@dataclass(frozen=True)
class Node:
    """A part of a condition: a template with its parts, or a text without parts.

    Attributes:
        text: The template, with `{}` for each part.
        kind: The kind of its type, of `casts.KINDS`; "boolean" for conditions.
        parts: The parts.
        entry: The entry of the tables that it was drawn for; None for columns and literals.
    """

    text: str
    kind: str
    parts: tuple[Node, ...] = ()
    entry: str | None = None

    @cached_property
    def sql(self) -> str:
        """The text in SQL."""
        return self.text.format(*(part.sql for part in self.parts)) if self.parts else self.text

    def walk(self) -> Iterator[Node]:
        """Yield this node and all below it."""
        yield self
        for part in self.parts:
            yield from part.walk()

    def simpler(self) -> Iterator[Node]:
        """Yield smaller nodes of the same kind."""
        yield from (node for node in [*self.walk()][1:] if node.kind == self.kind)
        for place, part in enumerate(self.parts):
            for other in part.simpler():
                yield replace(self, parts=(*self.parts[:place], other, *self.parts[place + 1 :]))
            if part.parts:
                for name in COLUMNS.get(part.kind, ())[:2]:
                    other = Node(name, part.kind)
                    yield replace(
                        self, parts=(*self.parts[:place], other, *self.parts[place + 1 :])
                    )


NUMBERS = ("int", "bigint", "decimal", "floating")
TIMES = ("date", "timestamp", "ltz")
SCALARS = (*NUMBERS, *TIMES, "text", "boolean", "binary")
COLUMNS: dict[str, list[str]] = {}
for _field in SCHEMA:
    if not _field.name.startswith("of_") and _field.name != "id":
        COLUMNS.setdefault(kind_of(to_arrow(_field.type)), []).append(_field.name)

TYPES: dict[str, tuple[str, ...]] = {
    "boolean": ("BOOLEAN",),
    "int": ("TINYINT", "SMALLINT", "INT"),
    "bigint": ("BIGINT",),
    "decimal": ("DECIMAL(5, 1)", "DECIMAL(10, 2)", "DECIMAL(38, 10)", "DECIMAL(20, 0)", "DECIMAL"),
    "floating": ("DOUBLE", "FLOAT"),
    "text": ("STRING",),
    "binary": ("BINARY",),
    "date": ("DATE",),
    "timestamp": ("TIMESTAMP_NTZ",),
    "ltz": ("TIMESTAMP", "TIMESTAMP_LTZ"),
}
"""The types to which casts to each kind are drawn; of others, NULL alone has a cast in CASTS."""

_OF_TEXT = {"int": "of_int", "bigint": "of_int", "decimal": "of_number", "floating": "of_number"}
_OF_TEXT |= {"boolean": "of_bool", "date": "of_date", "timestamp": "of_time", "ltz": "of_time"}

_SPARK_KINDS = (
    (r"tinyint|smallint|int", "int"),
    (r"bigint", "bigint"),
    (r"decimal.*", "decimal"),
    (r"float|double", "floating"),
    (r"string.*|char.*|varchar.*", "text"),
    (r"timestamp_ntz", "timestamp"),
    (r"timestamp", "ltz"),
    (r"boolean|binary|date", ""),
    (r"void", "null"),
    (r"array.*", "array"),
    (r"map.*", "map"),
    (r"struct.*", "row"),
)


def kind_in_spark(name: str) -> str:
    """Return the kind of a type that Spark names, such as `decimal(10,2)`."""
    for pattern, kind in _SPARK_KINDS:
        if re.fullmatch(pattern, name):
            return kind or name
    return "other"


UNITS = (
    *("year", "YYYY", "yy", "quarter", "month", "MON", "mm", "week", "day", "dd", "hour"),
    *("minute", "second", "Q", "xyz"),
)
FORMATS = ("yyyy-MM-dd", "yyyy-MM", "dd.MM.yyyy HH:mm:ss", "HH:mm", "yyyyMMdd", "ss", "YYYY", "M")
REGEXES = (
    *("^a", "[0-9]+", "b$", "a.b", "(?i)A", "^$", r"\\d", "x|y", "[^a-z]", r"\\141", "{", "ß"),
    *("^.{1,2}$", r"\\s", "(a", "[[:alpha:]]", r"\\.", ".*", r"\\w+", "a{2}", "(?P<n>a)"),
)
PATTERNS = (
    *("%", "", "_", "a%", "%b", "%2%", "a_b", r"a\\_b", r"a\\%b", "%a%b%", "__", "Ä%", "_ß%"),
    *("😀%", "_😀_", "abc", "A%", "%\\n%", "a!_b", "x", " %", "% ", r"A\\\\b"),
)
_LITERALS: dict[str, tuple[Any, ...]] = {
    "unit": UNITS,
    "places": (0, 1, 2, 3, 5),
    "start": (1, 2, 0, -1, -2, -5, 3, 100),
    "length": (0, 1, 2, 3, 100, -1),
    "months": (0, 1, -1, 12, 13, -25),
    "days": (0, 1, -1, 30, 366),
    "part": ("", "a", "b", "A", "ß", "😀", "it''s", "2", " "),
    "old": ("a", "b", "", "ab", "Ä"),
    "new": ("", "x", "ß", "aa"),
    "pattern": REGEXES,
    "key": (0, 1, 2),
}


def text(value: str) -> str:
    """Return a text in quotes; backslashes in it are escapes already."""
    return f"'{value}'"


def quoted(random: Random, value: str) -> str:
    """Return the literal of a text, with one of the escapes that Spark knows."""
    value = value.replace("\\", "\\\\")
    value = value.replace("'", random.choice(("''", "\\'")))
    value = value.replace("\n", "\\n").replace("\t", "\\t")
    if random.random() < 0.1:
        value = "".join(
            f"\\u{ord(c):04x}" if not c.isascii() and ord(c) < 2**16 else c for c in value
        )
    return f"'{value}'"


Judge = Callable[[Sequence[str]], Sequence["str | None"]]
"""Returns the name of the type that Spark gives each expression; None if it refuses one."""


class Deck:
    """Deals entries in rounds: each once, in an order of its own, before any is dealt again."""

    def __init__(self, random: Random, entries: dict[str, list[Any]]) -> None:
        self._random, self._entries = random, entries
        self._left: list[str] = []
        self._forms: dict[str, list[Any]] = {}

    def deal(self) -> tuple[str, Any]:
        """Return the name of an entry, and one of its forms."""
        if not self._left:
            self._left = [*self._entries]
            self._random.shuffle(self._left)
        name = self._left.pop()
        if not self._forms.get(name):
            self._forms[name] = [*self._entries[name]]
            self._random.shuffle(self._forms[name])
        return name, self._forms[name].pop()


class Grammar:
    """Draws values and conditions.

    Attributes:
        values: The values by kind, which become parts of others.
        waiting: Values that are not yet in a test.
        seen: Literals of values that expressions have on the rows, by their text.
    """

    def __init__(self, random: Random) -> None:
        self.random = random
        self.values: dict[str, list[Node]] = {}
        self.waiting: list[Node] = []
        self.seen: dict[str, list[str]] = {}
        self._values = Deck(random, value_entries())
        self._tests = Deck(random, {name: [name] for name in TESTS})

    def start(self) -> None:
        """Forget the values of other rows, but for those that are not yet in a test."""
        self.values, self.seen = {}, {}

    # Parts ----------------------------------------------------------------------------------------

    def pick(self, kind: str) -> Node:
        """Draw a value of a kind: a column, a value drawn before, a literal or NULL."""
        if kind not in COLUMNS:
            return self.literal(kind)
        dice = self.random.random()
        if dice < 0.03:
            return Node("NULL", "null")
        if dice < 0.3 and self.values.get(kind):
            return self.random.choice(self.values[kind])
        if dice < 0.4 and kind in LITERALS:
            return self.literal(kind)
        return self.column(kind)

    def column(self, kind: str) -> Node:
        """Draw a column of a kind."""
        if kind == "boolean" and self.random.random() < 0.3:
            return Node("({} > {})", "boolean", (Node("i", "int"), Node("j", "int")))
        if kind == "int" and self.random.random() < 0.15:
            return Node(self.random.choice(("mp['k']", "r.a", "li[0]")), "int")
        if kind == "text" and self.random.random() < 0.1:
            return Node(self.random.choice(("r.b", "ls[0]", "ls[1]")), "text")
        return Node(self.random.choice(COLUMNS[kind]), kind)

    def literal(self, kind: str) -> Node:
        """Draw a literal of a kind."""
        return Node(LITERALS[kind](self.random), kind)

    def condition(self) -> Node:
        """Draw a small condition, as a part of a value."""
        return self.test_of(self.random.choice(("=", "<", "IS NULL", "flag", "LIKE")))

    # Values ---------------------------------------------------------------------------------------

    def value(self) -> Node:
        """Draw the next value of the tables."""
        name, form = self._values.deal()
        node: Node = form(self)
        return replace(node, entry=name)

    def keep(self, nodes: Iterable[Node], types: Iterable[str | None]) -> Iterator[Node]:
        """Yield those that Spark accepts, with their kinds, and let them be parts of others."""
        for node, name in zip(nodes, types, strict=True):
            if name is not None:
                known = replace(node, kind=kind_in_spark(name))
                self.values.setdefault(known.kind, []).append(known)
                yield known

    def call(self, name: str, place: int, kind: str) -> Node:
        """Draw a call of a function, with an argument of a kind at a place."""
        parameters = list(FUNCTIONS[name].parameters)
        least, most = FUNCTIONS[name].bounds()
        count = self.random.randint(max(least, place + 1), most or max(least, place + 1, 3))
        parameters += parameters[-1:] * (count - len(parameters))
        parts = []
        for at, parameter in enumerate(parameters[:count]):
            of = kind if at == place else self._kind_beside(parameter, kind)
            parts.append(self._argument(name, parameter, of))
        return Node(f"{name}({', '.join(['{}'] * count)})", "any", tuple(parts))

    def _kind_beside(self, parameter: Parameter, kind: str) -> str:
        if "any" in parameter.kinds:
            return self.random.choice(NUMBERS) if kind in NUMBERS else kind
        return self.random.choice(parameter.kinds)

    def _argument(self, name: str, parameter: Parameter, kind: str) -> Node:
        if not parameter.literal:
            key = name == "element_at" and parameter.name == "key"
            if key:
                return self.random.choice((Node("1", "int"), Node("'k'", "text"), Node("2", "int")))
            is_text = kind == "text" and parameter.kinds[0] in ("date", "timestamp")
            return Node("of_date", "text") if is_text else self.pick(kind)
        choices = FORMATS if name == "date_format" else _LITERALS[parameter.name]
        choice = self.random.choice(parameter.words or choices)
        return Node(text(choice) if isinstance(choice, str) else str(choice), kind)

    def cast(self, source: str, target: str) -> Node:
        """Draw a cast."""
        value = Node("NULL", "null") if source == "null" else self.pick(source)
        if source == "text" and target in _OF_TEXT and self.random.random() < 0.9:
            value = Node(_OF_TEXT[target], "text")
        form = self.random.choice(("CAST({{}} AS {})", "CAST({{}} AS {})", "({{}})::{}"))
        return Node(form.format(self.random.choice(TYPES[target])), target, (value,))

    def form(self, template: str, *kinds: str) -> Node:
        """Draw an operator with values of these kinds; "?" is a condition."""
        parts = (self.condition() if kind == "?" else self.pick(kind) for kind in kinds)
        return Node(template, "any", tuple(parts))

    # Conditions -----------------------------------------------------------------------------------

    def test(self) -> Node:
        """Draw the next test of the forms, of a value that waits for one."""
        name, _ = self._tests.deal()
        # Spark evaluates what stands before AND NULL, and has its errors, though it never matters.
        return self.test_of(name, Node("b", "boolean") if name == "NULL" else self.waiting.pop(0))

    def test_of(self, name: str, subject: Node | None = None) -> Node:
        """Draw a test of a form."""
        template, kinds = TESTS[name]
        if subject is None:
            subject = self.pick(self.random.choice(kinds))
        elif subject.kind not in kinds and subject.kind != "null":
            subject = Node(
                self.random.choice(_WRAPPED[kinds]),
                "boolean" if kinds == SCALARS else kinds[0],
                (subject,),
            )
        others = [self._other(name, subject) for _ in range(template.count("{}") - 1)]
        return Node(template, "boolean", (subject, *others), entry=name)

    def _other(self, name: str, subject: Node) -> Node:
        if "RLIKE" in name or name == "REGEXP":
            return Node(text(self.random.choice(REGEXES)), "text")
        if "LIKE" in name:
            return Node(text(self.random.choice(PATTERNS)), "text")
        near = subject.kind
        if self.waiting and "LIKE" not in name and self.random.random() < 0.7:
            place = next((p for p, n in enumerate(self.waiting) if _alike(n.kind, near)), None)
            if place is not None:
                return self.waiting.pop(place)
        dice = self.random.random()
        if dice < 0.35 and subject.sql in self.seen and self.seen[subject.sql]:
            return Node(self.random.choice(self.seen[subject.sql]), near)
        if dice < 0.6 and near in LITERALS:
            return self.literal(near)
        for group in (NUMBERS, TIMES):
            if near in group:
                near = self.random.choice((near, *group))
        return self.pick(near) if near in COLUMNS else self.pick("int")

    def plain(self) -> Node:
        """Draw tests of columns by literals, which readers take from engines, and join them."""
        tests = []
        for _ in range(self.random.randint(1, 3)):
            kind = self.random.choice(SCALARS)
            name = self.random.choice([name for name in PLAIN if kind in TESTS[name][1]])
            template, kinds = TESTS[name]
            near = next((group for group in (NUMBERS, TIMES) if kind in group), (kind,))
            others = (
                Node(text(self.random.choice(PATTERNS)), "text")
                if kinds == _TEXTS
                else self.literal(self.random.choice((kind, kind, *near)))
                for _ in range(template.count("{}") - 1)
            )
            column = Node(self.random.choice(COLUMNS[kind]), kind)
            tests.append(Node(template, "boolean", (column, *others), entry=name))
        return self.joined(tests)

    def joined(self, tests: Sequence[Node]) -> Node:
        """Join tests by AND, OR and NOT."""
        if len(tests) == 1:
            negated = self.random.random() < 0.3
            return Node("NOT {}", "boolean", (tests[0],), "NOT") if negated else tests[0]
        middle = self.random.randint(1, len(tests) - 1)
        both = self.joined(tests[:middle]), self.joined(tests[middle:])
        words = self.random.choice(("{} AND {}", "{} OR {}", "({}) AND ({})", "({}) OR ({})"))
        words = self.random.choice((words, words, words, f"NOT ({words})", f"({words}) IS NULL"))
        return Node(words, "boolean", both, "AND" if "AND" in words else "OR")


def _alike(left: str, right: str) -> bool:
    return left == right or any(left in group and right in group for group in (NUMBERS, TIMES))


def _number_literal(random: Random) -> str:
    return str(random.choice((0, 1, 2, -1, 3, 7, 12, 100, 127, -128, 2**31 - 1)))


LITERALS: dict[str, Callable[[Random], str]] = {
    "int": _number_literal,
    "bigint": lambda random: random.choice(
        ("0L", "1L", "-3L", "3000000000", "9007199254740993", "9223372036854775807L", "7L")
    ),
    "decimal": lambda random: random.choice(
        ("0.0", "1.25", "1.5", "9.99", "-1.50", "99.99", "0.05BD", "100BD", "99999999.995", "2.50")
    ),
    "floating": lambda random: random.choice(
        (
            *(
                "0D",
                "1.5D",
                "-0.0D",
                "double('NaN')",
                "1e0",
                "2.5e-1",
                "double('Infinity')",
                "0.1D",
            ),
            *("float('0.1')", "9007199254740992D", "CAST(1.5 AS FLOAT)", "1e300"),
        )
    ),
    "text": lambda random: quoted(random, random.choice(WORDS)),
    "boolean": lambda random: random.choice(("true", "false")),
    "binary": lambda random: random.choice(("X''", "X'61'", "X'00FF'", "X'616263'")),
    "date": lambda random: f"DATE '{random.choice(MOMENTS)[:10]}'",
    "timestamp": lambda random: f"TIMESTAMP_NTZ '{_moment(random)}'",
    "ltz": lambda random: random.choice(
        (
            *(f"TIMESTAMP '{_moment(random)}'", f"TIMESTAMP '{_moment(random)}Z'"),
            *(f"TIMESTAMP_LTZ '{_moment(random)}'", f"TIMESTAMP '{_moment(random)}+05:30'"),
        )
    ),
}


def _moment(random: Random) -> str:
    return random.choice([moment for moment in MOMENTS if not moment.endswith(" 0:0")])


def value_entries() -> dict[str, list[Callable[[Grammar], Node]]]:
    """Return the forms of each entry of the tables that is a value."""
    entries: dict[str, list[Callable[[Grammar], Node]]] = {}
    for name, function in FUNCTIONS.items():
        entries[name] = [
            lambda g, name=name, place=place, kind=kind: g.call(name, place, kind)  # type: ignore[misc]
            for place, parameter in enumerate(function.parameters)
            for kind in (SCALARS if "any" in parameter.kinds else parameter.kinds)
        ]
    for source, target in CASTS:
        if target not in TYPES:
            continue
        entries[f"CAST {source} AS {target}"] = [
            lambda g, source=source, target=target: g.cast(source, target)  # type: ignore[misc]
        ]
    for field in EXTRACTED:
        entries[f"EXTRACT {field}"] = [_form(f"extract({field} FROM {{}})", kind) for kind in TIMES]
    for name, forms in OPERATORS.items():
        entries[name] = [_form(*form) for form in forms]
    return entries


def _form(template: str, *kinds: str) -> Callable[[Grammar], Node]:
    return lambda grammar: grammar.form(template, *kinds)


_PAIRS = [(left, right) for left in NUMBERS for right in NUMBERS]
_INTERVALS = (
    *("INTERVAL 1 YEAR", "INTERVAL 2 QUARTERS", "INTERVAL -1 MONTH", "INTERVAL 13 MONTHS"),
    *("INTERVAL 1 WEEK", "INTERVAL '30' DAY", "INTERVAL 25 HOURS", "INTERVAL 90 MINUTES"),
    *("INTERVAL 1 SECOND", "INTERVAL 1 DAY"),
)
OPERATORS: dict[str, list[tuple[str, ...]]] = {
    **{op: [(f"({{}} {op} {{}})", *pair) for pair in _PAIRS] for op in ("+", "-", "*", "/", "%")},
    "div": [("({} div {})", *pair) for pair in _PAIRS if "floating" not in pair],
    "precedence": [
        ("{} + {} * {}", "int", "int", "int"),
        ("{} - {} - {}", "int", "int", "decimal"),
        ("-{} + {}", "int", "decimal"),
        ("{} * -{}", "floating", "int"),
        ("{} / {} * {}", "int", "int", "int"),
        ("{} % {} + {}", "int", "int", "int"),
    ],
    "negative": [("(-{})", kind) for kind in NUMBERS],
    "days": [("({} + {})", "date", "int"), ("({} - {})", "date", "int")],
    "interval": [
        (f"({{}} {sign} {interval})", kind)
        for interval in _INTERVALS
        for sign in "+-"
        for kind in TIMES
    ],
    "interval first": [(f"({interval} + {{}})", kind) for interval in _INTERVALS for kind in TIMES],
    "||": [("({} || {})", kind, "text") for kind in ("text", "int", "date", "boolean")],
    "CASE": [("CASE WHEN {} THEN {} ELSE {} END", "?", kind, kind) for kind in SCALARS],
    "CASE without ELSE": [
        ("CASE WHEN {} THEN {} WHEN {} THEN {} END", "?", kind, "?", kind) for kind in SCALARS
    ],
    "CASE of a value": [
        ("CASE {} WHEN {} THEN {} WHEN {} THEN {} ELSE {} END", kind, kind, "int", kind, "int", "l")
        for kind in SCALARS
        if kind not in ("binary",)
    ],
    "CASE of mixed numbers": [("CASE WHEN {} THEN {} ELSE {} END", "?", *pair) for pair in _PAIRS],
    "condition as value": [("({})", "?")],
    "TRIM": [
        (f"trim({side} {{}} FROM {{}})", "letter", "text")
        for side in ("BOTH", "LEADING", "TRAILING", "")
    ],
    "SUBSTRING FROM": [
        ("substring({} FROM 2)", "text"),
        ("substring({} FROM 2 FOR 1)", "text"),
        ("substr({} FROM -2)", "text"),
    ],
    "POSITION IN": [("position({} IN {})", "letter", "text")],
    "key": [("mp[{}]", "key"), ("{}['k']", "map"), ("element_at({}, 'x')", "map")],
    "place": [("{}[0]", "array"), ("{}[1]", "array")],
    "field": [("{}.a", "row"), ("{}.b", "row"), ("{}.A", "row"), ("({}).a", "row")],
    "now": [
        (f"({{}} < {now})", kind)
        for now, kind in (
            *(("current_date", "date"), ("current_date()", "date"), ("now()", "ltz")),
            *(("current_timestamp", "ltz"), ("current_timestamp()", "timestamp")),
            *(("curdate()", "date"), ("current_date - INTERVAL 30 DAYS", "date")),
        )
    ],
}
"""The operators and other forms of values: templates, and the kinds of their parts."""
LITERALS["letter"] = lambda random: random.choice(("'a'", "' '", "'x'", "'ab'", "'ß'"))
LITERALS["key"] = lambda random: random.choice(("'k'", "'x'", "''", "'none'"))
LITERALS["l"] = lambda random: "NULL"

_TEXTS = ("text", "text", "text", "int", "date")
_LIKES = ("LIKE", "NOT LIKE", "ILIKE", "NOT ILIKE")
_BOOLEAN, _TEXT = ("boolean",), ("text",)
_CHAINS = (
    *("{} = {} IS NULL", "{} <=> {} IS TRUE", "NOT {} = {} IS NULL"),
    "{} OR NOT {} BETWEEN {} AND {}",
)
"""Tests without parentheses, for which the precedence of operators decides."""
_WRAPPED: dict[tuple[str, ...], tuple[str, ...]] = {
    _BOOLEAN: ("({} IS NULL)", "({} IS NOT NULL)"),
    _TEXT: ("CASE WHEN {} IS NULL THEN 'a' ELSE 'ab' END",),
    _TEXTS: ("CASE WHEN {} IS NULL THEN 'a' ELSE 'ab' END",),
    SCALARS: ("({} IS NULL)",),
}
"""How a value of another kind becomes one that a test takes."""
TESTS: dict[str, tuple[str, tuple[str, ...]]] = {
    **{
        op: (f"{{}} {op} {{}}", SCALARS)
        for op in ("=", "==", "<>", "!=", "<", "<=", ">", ">=", "<=>")
    },
    "IS DISTINCT FROM": ("{} IS DISTINCT FROM {}", SCALARS),
    "IS NOT DISTINCT FROM": ("{} IS NOT DISTINCT FROM {}", SCALARS),
    "BETWEEN": ("{} BETWEEN {} AND {}", SCALARS),
    "NOT BETWEEN": ("{} NOT BETWEEN {} AND {}", SCALARS),
    "IN": ("{} IN ({}, {}, {})", SCALARS),
    "IN of one": ("{} IN ({})", SCALARS),
    "IN with NULL": ("{} IN ({}, NULL)", SCALARS),
    "NOT IN": ("{} NOT IN ({}, {})", SCALARS),
    "NOT IN of one": ("{} NOT IN ({})", SCALARS),
    "NOT IN with NULL": ("{} NOT IN ({}, NULL)", SCALARS),
    "IS NULL": ("{} IS NULL", SCALARS),
    "IS NOT NULL": ("{} IS NOT NULL", SCALARS),
    **{
        f"IS {word}": (f"{{}} IS {word}", ("boolean",))
        for word in ("TRUE", "FALSE", "NOT TRUE", "NOT FALSE")
    },
    "flag": ("{}", ("boolean",)),
    **{word: (f"{{}} {word} {{}}", _TEXTS) for word in (*_LIKES, "RLIKE", "NOT RLIKE", "REGEXP")},
    **{f"{word} ESCAPE": (f"{{}} {word} {{}} ESCAPE '!'", ("text",)) for word in _LIKES[:3]},
    **{
        f"{word} {many} of {count}": (
            f"{{}} {word} {many} ({', '.join(['{}'] * count)})",
            ("text",),
        )
        for word in _LIKES
        for many in ("ANY", "SOME", "ALL")
        for count in (1, 3)
    },
    "constant": ("{} AND 1 = 1", ("boolean",)),
    "never": ("{} OR 2 < 1", ("boolean",)),
    "NULL": ("{} AND NULL", ("boolean",)),
    "NULL IS NULL": ("{} AND NULL IS NULL", ("boolean",)),
    "(AND) IS NULL": ("({} AND {}) IS NULL", ("boolean",)),
    "(OR) = value": ("({} OR {}) = {}", ("boolean",)),
    "NOT value IN": ("NOT {} IN ({}, {})", SCALARS),
    "NOT value LIKE": ("NOT {} LIKE {}", ("text",)),
    "NOT NOT": ("NOT NOT {}", ("boolean",)),
    "!": ("! {}", ("boolean",)),
    **{f"chain {number}": (form, _BOOLEAN) for number, form in enumerate(_CHAINS)},
    "chain of text": ("{} || 'b' = {}", _TEXT),
    "LIKE of joined": ("{} LIKE 'a' || '%'", _TEXT),
}
"""The forms of tests, and the kinds of values that they test."""
PLAIN = (
    *("=", "<>", "<", "<=", ">", ">=", "<=>", "BETWEEN", "IN", "IN of one", "NOT IN", "IS NULL"),
    *("IS NOT NULL", "flag", "LIKE", "NOT value IN", "IN with NULL", "NOT BETWEEN"),
)
"""Tests that engines pass to readers."""


def shown_in_spark(text: str, name: str) -> str:
    """Return the expression that prints the values of one of this type; null for nested ones."""
    kind = kind_in_spark(name)
    if kind not in SCALARS:
        return "CAST(NULL AS STRING)"
    return f"hex({text})" if kind == "binary" else f"CAST({text} AS STRING)"


def literal(value: str, name: str, random: Random) -> str:
    """Return the literal of a value that `shown_in_spark` prints, of a type that Spark names."""
    kind = kind_in_spark(name)
    if kind == "text":
        return quoted(random, value)
    if kind == "floating":
        is_short = name == "double" and not value[-1].isalpha()
        return f"{value}D" if is_short else f"{name}('{value}')"
    return _LITERAL_FORMS[kind].format(value)


_LITERAL_FORMS = {"int": "{}", "boolean": "{}", "bigint": "{}L", "decimal": "{}BD"}
_LITERAL_FORMS |= {"binary": "X'{}'", "date": "DATE '{}'", "timestamp": "TIMESTAMP_NTZ '{}'"}
_LITERAL_FORMS |= {"ltz": "TIMESTAMP '{}'"}
