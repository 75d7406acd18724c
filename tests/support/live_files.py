"""Random entries of manifests, and which files are live after them: the rule for each reader."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

Change = tuple[int, str, int, int]
"""Kind, name, level and bucket."""

CHANGES = st.tuples(st.integers(0, 1), st.sampled_from("ab"), st.integers(0, 1), st.integers(0, 1))


def given_changes(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test with the argument `changes`: the entries of each manifest of a snapshot."""
    examples: list[Any] = [
        [[(0, "a", 0, 0)], [(1, "a", 0, 0), (0, "a", 0, 0)]],  # which came back
        [[(0, "a", 0, 0)], [(0, "a", 0, 1)]],  # files of one name in two buckets
        [[(0, "a", 0, 0)], [(1, "a", 1, 0)]],
        [[(0, "a", 0, 0), (0, "a", 1, 0)]],
        [[(1, "a", 0, 0)], [(0, "a", 0, 0)]],  # out of order, as merged manifests may be
    ]
    run = given(changes=st.lists(st.lists(CHANGES, max_size=4), max_size=4))(test)
    for one in examples:
        run = example(changes=one)(run)
    return run


def check_live(
    changes: Sequence[Sequence[Change]],
    live: Iterable[tuple[str, int, int]],
    wrong: Sequence[tuple[str, str]],
) -> None:
    """Check which files (name, level, bucket) are live after entries, and what is reported."""
    net: Counter[tuple[str, int, int]] = Counter()
    for kind, *identity in (change for part in changes for change in part):
        net[tuple(identity)] += -1 if kind else 1  # type: ignore[index]
    assert Counter(live) == +net
    left = {name for (name, _, _), number in net.items() if number < 0}
    places: Counter[tuple[str, int]] = Counter()
    for (name, _, bucket), number in (+net).items():
        places[name, bucket] += number
    double = {name for (name, _), number in places.items() if number > 1}
    for name in "ab":
        said = [text for _, text in wrong if f"data file {name}," in text]
        assert any("it deletes" in text for text in said) == (name in left)
        assert any("read twice" in text for text in said) == (name in double)
