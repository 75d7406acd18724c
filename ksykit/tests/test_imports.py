"""Specs that import others, fields without names, and sizes of types."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from ksykit.generator.generate import write_files
from ksykit.generator.load import load_specs
from ksykit.generator.spec import SpecError
from ksykit.runtime.objects import from_json, gaps, to_bytes, to_json

from kit_support.agreement import check_readers
from kit_support.compiled import generated, need_compiler, with_judge

NUMBER = "meta: {{id: {id}, endian: le}}\nseq: [{{id: n, type: u2}}]\n"


def spec(folder: Path, id: str, imports: str = "", seq: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{id}.ksy"
    path.write_text(f"meta: {{id: {id}, endian: le, imports: [{imports}]}}\nseq: [{seq}]\n")
    return path


def test_specs_of_other_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need_compiler()
    specs = tmp_path / "specs"
    (specs / "common").mkdir(parents=True)
    (specs / "common" / "one.ksy").write_text(NUMBER.format(id="one"))
    spec(specs / "image", "two", "/common/one", "{id: x, type: one}")
    seq = "{id: x, type: one}, {id: y, type: two}"
    path = spec(specs / "image" / "more", "three", "/common/one, ../two", seq)
    loaded = load_specs(path, import_path=[specs])
    assert [*loaded] == ["one", "three", "two"]
    write_files(with_judge(loaded, []), tmp_path / "made_of_imports")
    monkeypatch.syspath_prepend(str(tmp_path))
    parser = importlib.import_module("made_of_imports.parsers.three").Three
    parsed = parser.from_bytes(b"\1\0\2\0")
    assert (parsed.x.n, parsed.y.x.n) == (1, 2)


@pytest.mark.parametrize(
    "place", ["/secret", "../secret", "../specs/../secret", "x/../../secret", "secret" * 60]
)
def test_no_spec_outside_of_the_folders_is_read(place: str, tmp_path: Path) -> None:
    (tmp_path / "secret.ksy").write_text(NUMBER.format(id="secret"))
    path = spec(tmp_path / "specs", "a", place)
    (tmp_path / "specs" / "x").mkdir()
    for import_path in ([], [tmp_path / "specs"]):
        with pytest.raises(SpecError, match=r"a.ksy:\d.*imports: .*secret does not exist"):
            load_specs(path, import_path=import_path)
    (tmp_path / "specs" / "link.ksy").symlink_to(tmp_path / "secret.ksy")
    with pytest.raises(SpecError, match="link does not exist"):
        load_specs(spec(tmp_path / "specs", "a", "link"))


def test_two_specs_of_one_name_are_refused(tmp_path: Path) -> None:
    for folder in ("x", "y"):
        spec(tmp_path / folder, "one")
    path = spec(tmp_path, "a", "x/one, y/one")
    with pytest.raises(SpecError, match="has that name, too; rename one"):
        load_specs(path)


SIZES = """
meta: {id: sizes, endian: le}
seq:
  - {id: head, type: head}
  - {type: u1}
  - {id: rest, size: head.len_all - head._sizeof - sizeof<u1>}
  - {contents: END}
instances:
  all: {value: 'sizeof<head> * 1000 + sizeof<u4> * 100 + bitsizeof<b3> * 10 + head.magic._sizeof'}
  of_number: {value: head.len_all._sizeof}
types:
  head:
    seq:
      - {id: magic, contents: HEAD}
      - {id: bits, type: b3}
      - {id: len_all, type: u2}
      - {id: pairs, type: pair, repeat: expr, repeat-expr: 2}
      - {id: name, size: 3}
  pair: {seq: [{id: a, type: u1}, {id: b, type: s2be}]}
"""


def test_sizes_of_types_and_fields_without_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generated({"sizes": SIZES}, tmp_path, "made_of_sizes", monkeypatch)
    structs = importlib.import_module("made_of_sizes.structs")
    make = importlib.import_module("made_of_sizes.structs.sizes")
    kind = structs.type_named("sizes")
    pairs = [make.make_pair(a=1, b=-2), make.make_pair(a=3, b=4)]
    head = make.make_head(bits=5, pairs=pairs, name=b"abc")
    data = to_bytes(make.make_sizes(head=head, _unnamed1=9, rest=b"rest"))
    assert data == b"HEAD\xa0\x15\0\1\xff\xfe\3\0\4abc\x09restEND"
    parsed = kind.cls.from_bytes(data)
    assert (parsed.all, parsed.of_number, parsed._unnamed1) == (16434, 2, 9)
    assert check_readers(kind, data, {})
    assert to_bytes(parsed, gaps(parsed, data)) == data
    assert to_json(parsed)["_unnamed1"] == 9
    assert to_bytes(from_json(kind, to_json(parsed))) == data
