"""What entries are matched by, and which DELETE takes which ADD back."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from paimon_ksy.rows.binary_row import write_row
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.manifests.entries import read_entries
from paimon_ksy.table.manifests.live import Keys, keys_of, places_of
from paimon_ksy.table.manifests.partitions import Partitions
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema
from tests.support.manifests import ENTRIES, avro, entry, without


def keys(entries: Sequence[Any], partitions: Sequence[int] | None = None, **options: Any) -> Keys:
    [(batch, _)] = read_entries([(avro(options.get("schema", ENTRIES), entries), "m")])
    hashes = np.array(partitions or [0] * len(entries), np.uint64)
    found = keys_of(batch, hashes)
    assert found.places.tolist() == places_of(batch, hashes).tolist()
    return found


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
    is_other_place = name in ("name", "bucket", "path")
    assert (found.places[0] != found.places[2]) == is_other_place


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


def keys_in_process(days: Sequence[str]) -> list[tuple[int, ...]]:
    """Identity and place of a file in each of these partitions, which are new to this process."""
    partitions = Partitions(Schema.parse("day STRING"))
    rows = [write_row((day,), [parse_type("STRING")]) for day in days]
    records = [{**entry(), "_PARTITION": row} for row in rows]
    [(batch, _)] = read_entries([(avro(ENTRIES, records), "m")])
    numbers = partitions.numbers(batch.column("_PARTITION"))
    found = keys_of(batch, partitions.hashes(numbers))
    both = zip(found.identities.tolist(), found.places.tolist(), strict=True)
    return [(*identity, place) for identity, place in both]


def test_keys_are_the_same_in_each_process() -> None:
    """Where partitions have other numbers."""
    orders = ("d1", "d2", "d3"), ("d3", "d1", "d2")
    of_order = dict(local_engine(2, processes=True).map(keys_in_process, orders))
    first, second = (dict(zip(order, of_order[order], strict=True)) for order in orders)
    assert first == second == dict(zip(orders[0], keys_in_process(orders[0]), strict=True))
    assert len(set(first.values())) == 3
