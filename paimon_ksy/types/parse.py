"""Parse column types in the notations of SQL and of Paimon's JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import Any, NamedTuple, NoReturn

from paimon_ksy.errors import SchemaError, none_of
from paimon_ksy.types.data_type import GEOSPATIAL, MAX_LENGTH, PLAIN, DataType, Field

MAX_DEPTH = 100
"""The most levels of nested types. Java has no limit, but Python's stack does."""

_SAME_AS = {"INTEGER": "INT", "NUMERIC": "DECIMAL", "DEC": "DECIMAL"}
_DEFAULT_PRECISION = {"TIME": 0, "TIMESTAMP": 6, "TIMESTAMP_LTZ": 6}
_ROOTS = (
    *("BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL", "CHAR"),
    *("VARCHAR", "STRING", "BINARY", "VARBINARY", "BYTES", "DATE", "TIME", "TIMESTAMP"),
    *("TIMESTAMP_LTZ", "VARIANT", "BLOB", "GEOMETRY", "GEOGRAPHY", "ARRAY", "MULTISET", "MAP"),
    *("VECTOR", "ROW"),
)
_ELSEWHERE = {
    **dict.fromkeys(("TEXT", "STR", "UTF8", "LARGE_STRING", "NVARCHAR", "CLOB"), "STRING"),
    **dict.fromkeys(("LONG", "INT64", "UINT32"), "BIGINT"),
    **dict.fromkeys(("INT32", "INT4", "UINT16", "MEDIUMINT"), "INT"),
    **dict.fromkeys(("SHORT", "INT16", "INT2"), "SMALLINT"),
    **dict.fromkeys(("BYTE",), "TINYINT"),
    **dict.fromkeys(("BOOL", "BIT"), "BOOLEAN"),
    **dict.fromkeys(("FLOAT32", "REAL", "FLOAT4"), "FLOAT"),
    **dict.fromkeys(("FLOAT64", "FLOAT8"), "DOUBLE"),
    **dict.fromkeys(("BYTEA", "LARGE_BINARY"), "BYTES"),
    **dict.fromkeys(("DATETIME", "TIMESTAMP_NTZ"), "TIMESTAMP"),
    **dict.fromkeys(("TIMESTAMPTZ", "TIMESTAMP_TZ"), "TIMESTAMP_LTZ"),
    **dict.fromkeys(("LIST", "SET"), "ARRAY"),
    **dict.fromkeys(("STRUCT", "RECORD"), "ROW"),
    "DATE32": "DATE",
    "TIME32": "TIME",
    "JSON": "VARIANT",
}
"""Types of other systems, and those of Paimon with the same values."""
_CRS = "OGC:CRS84"
_ALGORITHMS = ("spherical", "vincenty", "thomas", "andoyer", "karney")
_NEEDS_QUOTES = re.compile(r"[0-9]|.*[\s<>(),.'`]", re.DOTALL)


class UnknownTypeError(SchemaError):
    """A text is not a type of this version."""


def parse_type(text: str) -> DataType:
    """Parse a text such as `TIMESTAMP(6) WITH LOCAL TIME ZONE NOT NULL`.

    Raises:
        SchemaError: The text is not a type.
    """
    parser = _Parser(text)
    parsed = parser.type()
    parser.expect_end()
    return parsed


def parse_fields(text: str) -> tuple[Field, ...]:
    """Parse columns such as ``id BIGINT NOT NULL, `a b` STRING COMMENT 'note'``.

    Raises:
        SchemaError: The text is not a list of columns.
    """
    parser = _Parser(text)
    fields = parser.fields(end=None)
    parser.expect_end()
    return fields


class _Token(NamedTuple):
    kind: str
    text: str
    position: int


_TOKEN = re.compile(
    r"""\s*(?:
        `(?P<name>(?:[^`]|``)*)`
      | '(?P<string>(?:[^']|'')*)'
      | (?P<number>[0-9]+)(?=[\s<>(),.]|$)
      | (?P<mark>[<>(),])
      | (?P<word>[^\s<>(),.`']+)
    )""",
    re.VERBOSE,
)


def _tokenize(text: str) -> list[_Token]:
    tokens = []
    position = 0
    end = len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None:
            rest = text[position:].strip()
            raise SchemaError(
                f"cannot read {rest[:20]!r} at character {position} of {text!r}: "
                "put names with other characters than letters, digits and _ in `backticks`"
            )
        kind = match.lastgroup or ""
        word = match[kind]
        if kind == "name":
            word = word.replace("``", "`")
        elif kind == "string":
            word = word.replace("''", "'")
        tokens.append(_Token(kind, word, match.start(kind)))
        position = match.end()
    return tokens


class _Parser:
    """Recursive descent over the tokens of one type or schema text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _tokenize(text)
        self.next = 0
        self.depth = 0

    def fail(self, message: str, kind: type[SchemaError] = SchemaError) -> NoReturn:
        at = self.tokens[self.next].position if self.next < len(self.tokens) else len(self.text)
        text = self.text
        if len(text) > 400:
            text = f"...{text[max(at - 100, 0) : at + 100]}..."
        raise kind(f"{message} at character {at} of {text!r}")

    def accept(self, *words: str) -> bool:
        """Consume these keywords or marks if they come next; return whether they did."""
        tokens = self.tokens[self.next : self.next + len(words)]
        texts = [token.text.upper() for token in tokens if token.kind in ("word", "mark")]
        if texts != list(words):
            return False
        self.next += len(words)
        return True

    def expect(self, word: str) -> None:
        if not self.accept(word):
            self.fail(f"{word!r} expected")

    def take(self, *kinds: str) -> str | None:
        """Consume the next token if it is of one of these kinds, and return its text."""
        if self.next < len(self.tokens) and self.tokens[self.next].kind in kinds:
            self.next += 1
            return self.tokens[self.next - 1].text
        return None

    def expect_end(self) -> None:
        if self.next < len(self.tokens):
            self.fail(f"{self.tokens[self.next].text!r} not expected")

    def integer(self, least: int, most: int, what: str) -> int:
        text = self.take("number")
        if text is None:
            self.fail(f"{what} expected")
        if len(text) > 20 or not least <= int(text) <= most:
            self.next -= 1
            self.fail(f"{what} must be from {least} to {most}")
        return int(text)

    def fields(self, end: str | None) -> tuple[Field, ...]:
        fields: list[Field] = []
        while not (end and self.accept(end)):
            if fields:
                self.expect(",")
            name = self.take("name", "word", "number")
            if name is None:
                self.fail("column name expected")
            parsed = self.type()
            self.accept("COMMENT")
            fields.append(Field(name, parsed, self.take("string")))
            if end is None and self.next == len(self.tokens):
                break
        return tuple(fields)

    def type(self) -> DataType:
        parsed = self.nullability(self.root_type())
        for root in ("ARRAY", "MULTISET"):
            if self.accept(root):
                return self.nullability(nested(root, parsed))
        return parsed

    def nullability(self, parsed: DataType) -> DataType:
        if self.accept("NOT", "NULL"):
            return parsed.with_nullable(False)
        self.accept("NULL")
        return parsed

    def root_type(self) -> DataType:
        word = self.take("word")
        if word is None:
            self.fail("type expected")
        root = _SAME_AS.get(word.upper(), word.upper())
        if root in PLAIN:
            if root == "DOUBLE":
                self.accept("PRECISION")
            return DataType(root)
        for roots, rule in _RULES:
            if root in roots:
                return rule(self, root)
        self.next -= 1
        hint = none_of(word, "the types are", _ROOTS)
        if root in _ELSEWHERE:
            hint = f" (did you mean {_ELSEWHERE[root]!r}?)"
        self.fail(f"unknown type {word!r}{hint}", UnknownTypeError)

    def sized(self, root: str) -> DataType:
        length = 1  # Paimon's default, even for VARCHAR
        if self.accept("("):
            length = self.integer(1, MAX_LENGTH, "length")
            self.expect(")")
        return DataType(root, length=length)

    def unbounded(self, root: str) -> DataType:
        return DataType("VARCHAR" if root == "STRING" else "VARBINARY", length=MAX_LENGTH)

    def geospatial(self, root: str) -> DataType:
        crs, algorithm = _CRS, _ALGORITHMS[0]
        kinds = "string", "name", "word"
        if self.accept("("):
            crs = self.take(*kinds) or self.fail("coordinate reference system expected")
            if root == "GEOGRAPHY" and self.accept(","):
                algorithm = (self.take(*kinds) or "").lower()
                if algorithm not in _ALGORITHMS:
                    self.fail(f"one of {', '.join(_ALGORITHMS)} expected")
            self.expect(")")
        if _NEEDS_QUOTES.match(crs):
            crs = "'" + crs.replace("'", "''") + "'"
        parameters = crs if root == "GEOMETRY" else f"{crs}, {algorithm}"
        return DataType(root, text=f"{root}({parameters})")

    def decimal(self, root: str) -> DataType:
        precision, scale = 10, 0
        if self.accept("("):
            precision = self.integer(1, 38, "precision")
            if self.accept(","):
                scale = self.integer(0, precision, "scale")
            self.expect(")")
        return DataType(root, precision=precision, scale=scale)

    def time(self, root: str) -> DataType:
        precision = _DEFAULT_PRECISION[root]
        if self.accept("("):
            precision = self.integer(0, 9, "precision")
            self.expect(")")
        if root != "TIMESTAMP_LTZ" and not self.accept("WITHOUT", "TIME", "ZONE"):  # noqa: SIM102
            if root == "TIMESTAMP" and self.accept("WITH", "LOCAL", "TIME", "ZONE"):
                root = "TIMESTAMP_LTZ"
        return DataType(root, precision=precision)

    def nested(self, root: str) -> DataType:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail(f"types nested more than {MAX_DEPTH} deep")
        parsed = self.nested_at_this_depth(root)
        self.depth -= 1
        return parsed

    def nested_at_this_depth(self, root: str) -> DataType:
        self.expect("<")
        if root == "ROW":
            return DataType("ROW", fields=self.fields(end=">"))
        parts = [self.type()]
        length = None
        if root == "MAP":
            self.expect(",")
            parts.append(self.type())
        elif root == "VECTOR":
            self.expect(",")
            length = self.integer(1, MAX_LENGTH, "length")
        self.expect(">")
        return nested(root, *parts, length=length)


_RULES: tuple[tuple[Collection[str], Callable[[_Parser, str], DataType]], ...] = (
    (("CHAR", "VARCHAR", "BINARY", "VARBINARY"), _Parser.sized),
    (("STRING", "BYTES"), _Parser.unbounded),
    (("DECIMAL",), _Parser.decimal),
    (_DEFAULT_PRECISION, _Parser.time),
    (("ARRAY", "MULTISET", "MAP", "VECTOR", "ROW"), _Parser.nested),
    (GEOSPATIAL, _Parser.geospatial),
)
"""The rules for types with parameters, by their roots."""


def nested(root: str, *parts: DataType, length: int | None = None) -> DataType:
    """Return an ARRAY, MULTISET, VECTOR (of this length) or MAP type with these parts."""
    names = ("key", "value") if root == "MAP" else ("element",)
    fields = tuple(Field(name, part) for name, part in zip(names, parts, strict=True))
    return DataType(root, length=length, fields=fields)


def type_from_json(node: object, depth: int = 0) -> DataType:
    """Return the type in a Paimon schema file: a string, or an object for nested types.

    A type that a later version may have added is not an error: it has a `text`, and its values
    cannot be read. `depth` counts the types around it. Raises SchemaError.
    """
    if isinstance(node, str):
        try:
            return parse_type(node)
        except UnknownTypeError:
            return _unknown(node)
    depth += 1
    if depth > MAX_DEPTH:
        raise SchemaError(f"types are nested more than {MAX_DEPTH} deep")
    if not isinstance(node, dict) or not isinstance(node.get("type"), str):
        raise SchemaError(f'a type must be a text or an object with a "type", not {node!r:.80}')
    text: str = node["type"]
    parts = _PARTS.get(text.partition(" ")[0])
    if parts is None:
        return _unknown(text)
    try:
        return parts(node, depth).with_nullable("NOT NULL" not in text)
    except KeyError as error:
        raise SchemaError(f"the type {text!r} lacks {error}") from None


def _vector(node: dict[str, Any], depth: int) -> DataType:
    length = node["length"]
    if not isinstance(length, int) or not 1 <= length <= MAX_LENGTH:
        raise SchemaError(f"the length of a VECTOR is from 1 to {MAX_LENGTH}: {length!r:.80}")
    return nested("VECTOR", type_from_json(node["element"], depth), length=length)


_PARTS: dict[str, Callable[[dict[str, Any], int], DataType]] = {
    "ROW": lambda node, depth: DataType("ROW", fields=fields_from_json(node["fields"], depth)),
    "MAP": lambda node, depth: nested(
        "MAP", *(type_from_json(node[part], depth) for part in ("key", "value"))
    ),
    "ARRAY": lambda node, depth: nested("ARRAY", type_from_json(node["element"], depth)),
    "MULTISET": lambda node, depth: nested("MULTISET", type_from_json(node["element"], depth)),
    "VECTOR": _vector,
}
"""The types of nested types in a schema file, by their roots."""


def _unknown(text: str) -> DataType:
    plain = text.removesuffix(" NOT NULL")
    return DataType(plain.split(maxsplit=1)[0], plain == text, text=plain)


def fields_from_json(nodes: Iterable[Any], depth: int = 0) -> tuple[Field, ...]:
    """Return the fields of a schema file or of a ROW in it. Raises SchemaError."""
    if not isinstance(nodes, list):
        raise SchemaError(f"fields are a list: {nodes!r:.80}")
    fields = []
    for node in nodes:
        if (
            not isinstance(node, dict)
            or "type" not in node
            or not isinstance(node.get("name"), str)
        ):
            raise SchemaError(f'a field needs "name", a text, and "type": {node!r:.80}')
        parsed = type_from_json(node["type"], depth)
        fields.append(Field(node["name"], parsed, node.get("description"), node.get("id")))
    return tuple(fields)


STORED_FORMS = tuple(
    map(parse_type, ("STRING", "INT", "BIGINT", "DOUBLE", "SMALLINT", "TINYINT", "FLOAT"))
)
"""One type for each stored form of keys; BOOLEANs are stored like TINYINTs."""
