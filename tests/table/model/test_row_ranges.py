"""Sets of row ids behave like sets."""

import numpy as np

from paimon_ksy.table.model.row_ranges import RowRanges


def ids_of(ranges: RowRanges) -> set[int]:
    return {i for s, e in zip(ranges.starts, ranges.ends, strict=True) for i in range(s, e)}


def test_sets_of_row_ids() -> None:
    chosen = np.random.default_rng(1)
    for _ in range(500):
        bounds = []
        for _ in range(2):
            starts = chosen.integers(0, 40, chosen.integers(0, 6))
            bounds.append((starts, starts + chosen.integers(-1, 8, len(starts))))
        one, other = (RowRanges.of(*each) for each in bounds)
        sets = [{i for s, e in zip(*each, strict=True) for i in range(s, e)} for each in bounds]
        assert ids_of(one) == sets[0]
        assert len(one) == len(sets[0])
        assert np.all(one.starts[1:] > one.ends[:-1])
        assert ids_of(one.common(other)) == sets[0] & sets[1]
        assert ids_of(one.minus(other)) == sets[0] - sets[1]
        inside = [
            len(sets[0] & {*range(s, e)}) for s, e in zip(other.starts, other.ends, strict=True)
        ]
        assert one.count_in(other.starts, other.ends).tolist() == inside
