"""Each type of the specs, with objects that are drawn as the specs describe them, and broken ones.

A new spec gets these tests by being described.
"""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.generated.writers import MODULE_OF, type_named
from paimon_ksy.runtime.fields import type_of
from paimon_ksy.runtime.objects import from_json, gaps, to_bytes, to_json
from paimon_ksy.testing import mutated, objects
from tests.support.agreement import check_json, check_views, parse, view_of
from tests.support.strategies import examples


def check_contains(found: Any, drawn: Any) -> None:
    """That all that was drawn is there; writers computed the rest."""
    if isinstance(drawn, dict) and isinstance(found, dict) and drawn.keys() != {"hex"}:
        for name, value in drawn.items():
            check_contains(found[name], value)
    elif isinstance(drawn, list):
        assert len(found) == len(drawn)
        for one, other in zip(found, drawn, strict=True):
            check_contains(one, other)
    elif not isinstance(found, dict):  # else an instance that was drawn as bytes
        assert found == drawn


@pytest.mark.parametrize("name", MODULE_OF)
@examples(20)
@given(st.data())
def test_objects_come_back(name: str, data: st.DataObject) -> None:
    """Object to bytes to object to JSON to the same bytes; all readers see the same."""
    drawn = data.draw(objects(name))
    type_, written = type_of(drawn), to_bytes(drawn)
    params = {param: getattr(drawn, param) for param in type_.params}
    parsed = parse(type_, written, params)
    document = to_json(parsed)
    check_contains(document, to_json(drawn))
    assert to_bytes(from_json(type_named(name), document), gaps(parsed, written)) == written
    assert check_json(type_, written, params)
    assert view_of(type_) is None or check_views(type_, written, params)


@pytest.mark.parametrize("name", MODULE_OF)
@examples(30)
@given(st.data())
def test_mutations_are_refused_or_read_by_all_readers(name: str, data: st.DataObject) -> None:
    broken = data.draw(mutated(name))
    check_json(type_named(name), broken.data, broken.params)
    if view_of(type_named(name)) is not None:
        check_views(type_named(name), broken.data, broken.params)
