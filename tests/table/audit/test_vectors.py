"""Where the deletion vectors of very many data files are."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.table.audit.vectors import VectorPlaces, digests_of
from paimon_ksy.table.model.files import VectorPlace

KEYS = st.tuples(
    st.tuples(st.one_of(st.none(), st.floats(), st.text())), st.integers(0, 3), st.text(max_size=3)
)
PLACES = st.builds(
    VectorPlace,
    st.sampled_from(["a", "b"]),
    st.integers(0, 2**62),
    st.integers(0, 2**31),
    st.one_of(st.none(), st.integers(0, 2**62)),
)


@given(st.lists(st.tuples(KEYS, PLACES)), st.lists(KEYS))
def test_each_file_has_its_last_vector(vectors: list[Any], others: list[Any]) -> None:
    places = VectorPlaces(iter(vectors))
    wanted = {repr(key): place for key, place in vectors}
    assert len(places) == len(wanted)
    keys = [*(key for key, _ in vectors), *others]
    for key, number in zip(keys, places.find(digests_of(keys)).tolist(), strict=True):
        found = None if number < 0 else places.place(number)
        assert found == wanted.get(repr(key))
    names = [repr(key) for key, _ in vectors]
    doubles = {name for name in names if names.count(name) > 1}
    found_twice = {
        repr(key) for key, _ in vectors if digests_of([key])[0] in places.doubles.tolist()
    }
    assert found_twice == doubles
