"""How many random examples tests draw, and which."""

import random
from collections.abc import Sequence
from typing import Any

from hypothesis import settings

seed = 0
"""What `pytest --seed` gives."""


def examples(count: int) -> settings:
    """Let Hypothesis draw the part of so many examples that `pytest --share` takes."""
    return settings(max_examples=max(1, count * settings().max_examples // 100))


def share(cases: Sequence[Any]) -> list[Any]:
    """Return the part of these cases that `pytest --share` and `--seed` take."""
    return random.Random(seed).sample(cases, examples(len(cases)).max_examples)
