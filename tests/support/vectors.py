"""Deletion vectors of the golden files."""

from typing import Any

import pytest

from paimon_ksy.table_index.deletion_vector import DeletionVector
from tests.golden.vectors import golden_vectors

GOLDEN = pytest.mark.parametrize("golden", golden_vectors(), ids=lambda g: g.name)


def written(vector: dict[str, Any]) -> DeletionVector:
    """What Java was asked to write."""
    made = DeletionVector.of(vector.get("positions", ()), vector["bits"])
    for start, stop in vector.get("ranges", ()):
        made = made.add(range(start, stop))
    for start, stop, step in vector.get("steps", ()):
        made = made.add(range(start, stop, step))
    return made
