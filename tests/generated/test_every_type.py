"""Each type of the specs, with objects that are drawn as the specs describe them, and broken ones.

A new spec gets these tests by being described.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ksykit.testing.drawing import draw_object

from kit_support.agreement import check_come_back, check_readers
from kit_support.examples import examples
from paimon_ksy.generated.structs import MODULE_OF, type_named
from paimon_ksy.testing import mutated


@pytest.mark.parametrize("name", MODULE_OF)
@examples(20)
@given(st.data())
def test_objects_come_back(name: str, data: st.DataObject) -> None:
    """Object to bytes to object to JSON to the same bytes; all readers see the same."""
    check_come_back(draw_object(data.draw, type_named(name), {}, {}))


@pytest.mark.parametrize("name", MODULE_OF)
@examples(30)
@given(st.data())
def test_mutations_are_refused_or_read_by_all_readers(name: str, data: st.DataObject) -> None:
    broken = data.draw(mutated(name))
    check_readers(type_named(name), broken.data, broken.params)
