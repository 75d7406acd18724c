"""Compare what the readers of a language make of files with what Python's parser makes of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tools.languages.readers import Reader
from tools.languages.trees import Case, differences


@dataclass
class Outcome:
    """What a language made of the cases: how many are the same, and a line for each difference."""

    same: int = 0
    refused: int = 0
    differ: list[str] = field(default_factory=list)


def compare(reader: Reader, cases: Sequence[Case], ours: Sequence[object]) -> Outcome:
    """Compare the trees of a language's reader with Python's.

    Raises:
        LanguageMissing: The language is not on this machine.
        RuntimeError: Its readers do not compile, or their program fails.
    """
    outcome = Outcome()
    for case, one, other in zip(cases, ours, reader.trees(cases), strict=True):
        difference = next(_differences(one, other, reader), None)
        if difference is not None:
            outcome.differ.append(f"{case.name} ({case.type}): {difference}")
        elif one is None:
            outcome.refused += 1
        else:
            outcome.same += 1
    return outcome


def _differences(ours: object, theirs: object, reader: Reader) -> Iterator[str]:
    if ours is not None and theirs is not None:
        yield from differences(ours, theirs, reader.rules)
    elif ours is not theirs:
        yield f"Python {'refuses' if ours is None else 'reads'} it, {reader.title} does not"
