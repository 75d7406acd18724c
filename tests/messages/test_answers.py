"""Answers as JSON: keys are attributes, with other names, optional, or of a part."""

from dataclasses import dataclass, field
from typing import Any

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.messages.answers import Answer, Value, in_answer, keyed, to_json
from paimon_ksy.types.parse import parse_type


@dataclass(frozen=True)
class Part(Answer):
    """A part with default keys."""

    first: Value
    seconds: float = 0.123456


@dataclass(frozen=True)
class Whole(Answer):
    """An answer with keys of all sorts."""

    size: Any = field(metadata=keyed("bytes"))
    note: str | None = field(default=None, metadata=keyed(optional=True))
    part: Part | None = field(default=None, metadata=keyed(beside=True))

    @property
    @in_answer()
    def half(self) -> str:
        """A property is a key, too."""
        return "half"


def test_keys() -> None:
    whole = Whole(4, None, Part(Value(5, "X'05'")))
    due = {"bytes": 4, "first": 5, "seconds": 0.1235, "half": "half"}
    assert whole.to_json() == due
    assert list(Whole(4, "x", whole.part).to_json()) == [
        *("bytes", "note", "first", "seconds", "half")
    ]


def test_values_are_plain() -> None:
    assert to_json((Value(1, "1"), {"a": [Value(None, "NULL")]}, "b")) == [1, {"a": [None]}, "b"]
    assert to_json([b"\1\xff", parse_type("decimal(3,1)")]) == ["01ff", "DECIMAL(3, 1)"]
    assert to_json(PaimonKsyError("is cut", path="a", remedy="look")) == "a: is cut; look"
    long = iter([1])
    assert to_json(long) is long
