"""Errors of pypaimon as ours: what is damaged is named, not what needs it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.table.query.read import query
from tests.support.golden_tables import golden_table


@pytest.mark.parametrize("file", ["schema/schema-0", "schema/schema-2", "tag/tag-kept"])
def test_a_damaged_schema_or_tag_is_named(file: str, tmp_path: Path) -> None:
    """The one that is damaged, not what needs it; it is not for lack of a table there."""
    path = golden_table("evolution", tmp_path)
    damaged = Path(path, file)
    damaged.parent.mkdir(exist_ok=True)
    damaged.write_text("{")
    with pytest.raises(PaimonKsyError) as raised:
        query(path, tag="kept" if "tag" in file else None)
    assert re.match(f"{damaged}: cannot be read: .*Expecting property name", str(raised.value))
    assert "restore the file from a backup" in str(raised.value.remedy)
