"""Entry points for the Web IDE: one .ksy for one file, without parameters."""

import re
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from paimon_ksy.types.schema import Schema
from tests import ROOT
from tests.golden import golden_index
from tools.entry_point import entry_point

EXAMPLES = ROOT / "examples"


@pytest.mark.parametrize("name", ["orders", "worked"])
def test_examples_are_up_to_date(name: str) -> None:
    folder = EXAMPLES / name
    schema = Schema.from_paimon_json((folder / "orders.schema.json").read_bytes())
    (path,) = folder.glob("*.ksy")
    assert path.read_text() == entry_point(folder / "orders.parquet.index", schema, path.stem)


def test_names_that_kaitai_cannot_spell(tmp_path: Path) -> None:
    case = golden_index("c_names_mutf8")
    index = tmp_path / "names.index"
    index.write_bytes(case.data)
    columns = ", ".join(f"`{column['name']}` INT" for column in case.columns)
    text = entry_point(index, Schema.parse(columns), "names")
    ids = list(YAML(typ="safe").load(text)["instances"])
    assert len(ids) == len(case.columns)
    assert {"a_bitmap", "a_bitmap_2", "a_b_c_d_bitmap", "column_bitmap"} <= set(ids)
    assert all(re.fullmatch("[a-z][a-z0-9_]*", spec_id) for spec_id in ids)


def test_wrong_type_is_named(tmp_path: Path) -> None:
    index = tmp_path / "c.index"
    index.write_bytes(golden_index("t_bitmap_v2_int").data)
    with pytest.raises(SystemExit, match=r"column 'c' cannot be DECIMAL\(10, 2\)"):
        entry_point(index, Schema.parse("c DECIMAL(10, 2)"), "c")
