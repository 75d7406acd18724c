"""Types that pypaimon does not know, in its schemas."""

import json
import pickle

import pytest
from pypaimon.schema.data_types import DataTypeParser

from paimon_ksy.table.store.kept_type import KeptType
from paimon_ksy.table.store.metadata_checks import check_documents


@pytest.mark.parametrize(
    ("node", "read_as"),
    [
        ("GEOMETRY('a b') NOT NULL", "BYTES"),
        ("INTERVAL YEAR(2) TO MONTH", "INTERVAL YEAR(2) TO MONTH"),
        ({"type": "SET", "element": "INT"}, "SET"),
    ],
)
def test_a_schema_that_pypaimon_writes_has_the_same_type(node: object, read_as: str) -> None:
    check_documents()
    found = pickle.loads(pickle.dumps(DataTypeParser.parse_data_type(node)))
    assert isinstance(found, KeptType)
    assert json.dumps(found.to_dict()) == json.dumps(node)
    assert (found.type, found.nullable) == (read_as, "NOT NULL" not in str(node))
