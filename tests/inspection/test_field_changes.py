"""Which fields of two files belong together, and which bytes of them a change has."""

from typing import Any

from paimon_ksy.inspection.byte_map import HexField
from paimon_ksy.inspection.field_changes import MAX_BYTES, FieldChange, Stretch, field_changes

PATHS = ("count", "items[0].key.text", "items[0].size", "items[1].key.text", "items[1].size")


def stretch(data: bytes, paths: tuple[str | None, ...] | None = None) -> Stretch:
    """One-byte fields with these paths; all others belong to no field."""
    named = paths or PATHS[: len(data)]
    fields = [HexField(at, at + 1, path, data[at]) for at, path in enumerate(named)]
    if len(named) < len(data):
        fields.append(HexField(len(named), len(data), None))
    return Stretch(data, 0, fields)


def summary(changes: list[FieldChange]) -> list[tuple[str, Any, Any]]:
    return [
        (each.change, each.old and each.old.value, each.new and each.new.value) for each in changes
    ]


def test_equal_stretches_have_no_changes() -> None:
    assert not list(field_changes(stretch(b"\1ab"), stretch(b"\1ab")))
    nothing = Stretch(b"", 0, [])
    assert not list(field_changes(nothing, nothing))


def test_elements_of_lists_of_one_length_are_matched_by_number() -> None:
    found = list(field_changes(stretch(b"\1abcd"), stretch(b"\1cbad")))
    assert summary(found) == [("changed", 97, 99), ("changed", 99, 97)]


def test_elements_of_longer_lists_are_matched_by_what_names_them() -> None:
    paths = (*PATHS, "items[2].key.text", "items[2].size")
    found = list(field_changes(stretch(b"\1abcd"), stretch(b"\1xyabcd", paths)))
    assert summary(found) == [("added", None, ord("x")), ("added", None, ord("y"))]
    found = list(field_changes(stretch(b"\1xyabcd", paths), stretch(b"\1abcd")))
    assert summary(found) == [("removed", ord("x"), None), ("removed", ord("y"), None)]


def test_a_list_without_any_name_in_common_is_matched_by_number() -> None:
    found = list(field_changes(stretch(b"\1abcd"), stretch(b"\1xy", PATHS[:3])))
    assert [each.change for each in found] == ["changed", "changed", "removed", "removed"]


def test_numbers_in_lists_are_matched_by_value_if_most_are_there() -> None:
    one = stretch(b"\1\2\3", ("values[0]", "values[1]", "values[2]"))
    other = stretch(b"\1\3", ("values[0]", "values[1]"))
    assert summary(list(field_changes(one, other))) == [("removed", 2, None)]


def test_bytes_that_cannot_be_read_have_the_fields_of_the_other_file() -> None:
    broken = Stretch(b"\1axcd", 0, [HexField(0, 5, None)])
    [change] = field_changes(stretch(b"\1abcd"), broken)
    assert change.new is not None
    assert (change.new.path, change.new.data) == ("items[0].size", b"x")
    [change] = field_changes(broken, stretch(b"\1abcd"))
    assert change.old is not None
    assert change.old.path == "items[0].size"
    both = Stretch(b"\1abcd", 0, [HexField(0, 5, None)])
    [change] = field_changes(broken, both)
    assert change.old is not None
    assert (change.old.path, change.old.data) == (None, b"\1axcd")


def test_a_long_field_is_shown_from_the_line_in_which_it_differs() -> None:
    data = bytes(100)
    other = data[:70] + b"\1" + bytes(1000)
    sides = [Stretch(each, 0, [HexField(0, len(each), "body")]) for each in (data, other)]
    [change] = field_changes(*sides)
    assert change.old is not None
    assert change.new is not None
    assert (change.old.at, change.old.data) == (64, bytes(36))
    assert (change.new.at, change.new.end, len(change.new.data)) == (64, 1071, MAX_BYTES)
    longer = Stretch(bytes(101), 0, [HexField(0, 101, "body")])
    [change] = field_changes(sides[0], longer)
    assert change.new is not None
    assert change.new.at == 96


def test_a_column_may_be_named_like_a_path() -> None:
    one, other = (stretch(data, ("a.b[1]: x", "a: b: x")) for data in (b"\1\2", b"\1\3"))
    assert summary(list(field_changes(one, other))) == [("changed", 2, 3)]
