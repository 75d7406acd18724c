from paimon_ksy.inspection.entry_point import inlined_types
from tests import ROOT


def test_types_are_the_specs_with_all_that_they_need() -> None:
    types = inlined_types()
    assert types.keys() >= {path.stem for path in (ROOT / "specs").glob("*.ksy")}
    for name, one in types.items():
        assert one.text.startswith(f"{name}:\n") and one.text.endswith("\n")
        assert types.keys() >= set(one.imports)
