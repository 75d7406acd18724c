"""What entries are matched by, and which DELETE takes which ADD back."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from paimon_ksy.table.manifests.entries import read_entries
from paimon_ksy.table.manifests.live import Deleted, Keys, again, keys_of
from tests.support.manifests import ENTRIES, avro, entry, without


def keys(entries: Sequence[Any], partitions: Sequence[int] | None = None, **options: Any) -> Keys:
    [batch] = read_entries(avro(options.get("schema", ENTRIES), entries), "m")
    return keys_of(batch, np.array(partitions or [0] * len(entries), np.int64))


OTHERS = {
    "name": entry(_FILE_NAME="b"),
    "bucket": entry(bucket=1),
    "path": entry(_EXTERNAL_PATH="/b"),
    "level": entry(_LEVEL=1),
    "extra files": entry(_EXTRA_FILES=["b"]),
    "embedded index": entry(_EMBEDDED_FILE_INDEX=b"b"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_each_part_of_an_identity_counts(name: str) -> None:
    found = keys([entry(), entry(1), OTHERS[name]])
    first, same, other = map(tuple, found.identities.tolist())
    assert first == same != other
    assert found.adds.tolist() == [True, False, True]
    is_other_place = name in ("name", "bucket", "path")
    assert (found.places[0] != found.places[2]) == is_other_place


def test_partitions_count() -> None:
    found = keys([entry(), entry(), entry()], [1, 2, 1])
    assert found.identities[0].tolist() == found.identities[2].tolist()
    assert found.identities[0].tolist() != found.identities[1].tolist()
    assert found.places[0] == found.places[2] != found.places[1]


def test_identities_are_the_same_in_each_batch() -> None:
    many = [entry(_FILE_NAME=f"f{n}", _EXTRA_FILES=["x"] * (n % 3)) for n in range(50)]
    together = keys(many)
    apart = [keys([each]) for each in many]
    assert together.identities.tolist() == [each.identities[0].tolist() for each in apart]
    assert together.places.tolist() == [each.places[0] for each in apart]


def test_an_empty_list_and_none_are_the_same() -> None:
    """Older versions, and ORC, may have null."""
    plain = keys([entry()])
    lacking = keys([entry()], schema=without(ENTRIES, ["_EXTRA_FILES"]))
    assert plain.identities.tolist() == lacking.identities.tolist()


def test_a_delete_takes_one_add() -> None:
    a, b = entry(_FILE_NAME="a"), entry(_FILE_NAME="b")
    deleted = Deleted()
    deleted.add(keys([entry(1, _FILE_NAME="a"), entry(1, _FILE_NAME="a"), b]))
    assert deleted.live(keys([a, b, a, a])).tolist() == [False, True, False, True]
    assert deleted.left == {}
    assert deleted.live(keys([a])).tolist() == [True]


def test_deletes_that_are_left() -> None:
    gone = entry(1, _FILE_NAME="a")
    found = keys([gone, entry(_FILE_NAME="b"), gone, entry(1, _FILE_NAME="c")])
    deleted = Deleted()
    deleted.add(found)
    assert deleted.live(keys([entry(_FILE_NAME="b"), entry(_FILE_NAME="c")])).tolist() == [
        *(True, False)
    ]
    assert deleted.take(found).tolist() == [True, False, False, False]
    assert deleted.take(found).tolist() == [False] * 4


def test_again() -> None:
    assert again(np.array([3, 1, 3, 2**64 - 1, 1, 3, 5], np.uint64)) == {1, 3}
    assert again(np.empty(0, np.uint64)) == frozenset()
