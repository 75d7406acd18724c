"""What expressions of a spec mean, and which are refused."""

from pathlib import Path

import pytest
from ksykit.generator.expression import Printer
from ksykit.generator.load import load_specs
from ksykit.generator.spec import Spec, SpecError

SPEC = """\
meta: {id: kinds, endian: be, imports: [other]}
seq:
  - {id: n, type: u1}
  - {id: x, type: f4}
  - {id: flag, type: b1}
  - {id: bits, type: b7}
  - {id: raw, size: n}
  - {id: word, type: strz, encoding: ASCII}
  - {id: color, type: u1, enum: color}
  - {id: row, type: row}
  - {id: rows, type: row, repeat: eos}
instances:
  there: {pos: 0, type: row}
  is_big: {value: n > 3}
  result: {value: '%s'}
types:
  row:
    seq:
      - {id: a, type: s2}
      - {id: size, type: u1}
enums:
  color: {1: red}
"""
OTHER = "meta: {id: other}\nseq: [{id: b, type: u1}]\nenums: {kind: {4: old}}\n"


def loaded(folder: Path, expression: str) -> Spec:
    (folder / "other.ksy").write_text(OTHER)
    (folder / "kinds.ksy").write_text(SPEC % expression.replace("'", "''"))
    return load_specs(folder)["kinds"]


@pytest.mark.parametrize(
    ("expression", "printed"),
    [
        ("n / 2 + rows.size", "n // 2 + len(rows)"),
        ("x / 2", "x / 2"),
        ("x * 1.5 > n", "x * 1.5 > n"),
        ("raw.length + raw.size + word.length", "len(raw) + len(raw) + len(word)"),
        ("rows.last.a + rows.first.size", "rows[-1].a + rows[0].size"),
        ("raw[0] + row.size", "raw[0] + row.size"),
        ("raw == [1, 0x02]", "raw == b'\\x01\\x02'"),
        ("raw == []", "raw == b''"),
        ("'a' + word == \"b'\"", "'a' + word == \"b'\""),
        ("color == color::red", "color == 1"),
        ("color.to_i + flag.to_i", "int(color) + int(flag)"),
        ("other::kind::old.to_i", "int(4)"),
        ("n.to_s + word", "str(n) + word"),
        ("flag and not is_big", "flag and not is_big"),
        ("flag ? n : x", "n if flag else x"),
        ("there.a.as<u1> & 3", "there.a & 3"),
        ("row._parent.n + _root.n + _io.size", "row._parent.n + _root.n + _io.size"),
        ("row._io.eof", "row._io.eof"),
    ],
)
def test_what_is_understood(expression: str, printed: str, tmp_path: Path) -> None:
    [_, value] = loaded(tmp_path, expression).types[0].values
    printer = Printer(name=str)
    assert printer.print(value.value) == printed


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("m", "no field m"),
        ("row.m", "no field m in row"),
        ("n.to_i", "an integer has no to_i"),
        ("raw.to_s", "bytes has no to_s"),
        ("n.reverse", "an integer has no reverse"),
        ("rows.a", "an array has no a"),
        ("_io.length", "a stream has no length"),
        ("_parent.n", "some object has no n"),
        ("flag + 1", "+ is not for a boolean and an integer"),
        ("word + 1", "+ is not for str and an integer"),
        ("x | 1", "| is not for a float and an integer"),
        ("x % 2", "% is not for a float and an integer"),
        ("color == 1", "== is not for the enum kinds::color and an integer"),
        ("color < color::red", "< is not for the enum kinds::color"),
        ("color::blue == color", "no enum value color::blue"),
        ("kind::old.to_i", "no enum value kind::old"),
        ("row == row", "== is not for an object of row"),
        ("n and flag", "and is not for an integer and a boolean"),
        ("not n", "an integer instead of a boolean"),
        ("-word", "- is not for str"),
        ("n ? 1 : 2", "an integer instead of a boolean"),
        ("flag ? n : word", "one of an integer or str"),
        ("n[0]", "an integer has no elements"),
        ("raw[word]", "str instead of an integer"),
        ("row.as<nothing>", "no type nothing"),
        ("_", "_ is for repeat-until"),
        ("result + 1", "result depends on itself"),
        ("sum(n)", "no function sum"),
    ],
)
def test_what_is_refused(expression: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError) as error:
        loaded(tmp_path, expression)
    assert message in error.value.message
    assert error.value.path == "/instances/result/value"


@pytest.mark.parametrize(
    ("key", "text", "kind"),
    [
        ("size", "x", "a float instead of an integer"),
        ("if", "n", "an integer instead of a boolean"),
        ("pos", "word", "str instead of an integer"),
        ("io", "n", "an integer instead of a stream"),
        ("valid", "n", "an integer instead of bytes"),
        ("process", "xor(word)", "str instead of an integer or bytes"),
    ],
)
def test_each_key_has_its_kind(key: str, text: str, kind: str, tmp_path: Path) -> None:
    keys = {"pos": "0", "size": "1", key: text}
    body = "".join(f", {name}: '{value}'" for name, value in keys.items())
    head = SPEC.partition("instances:")[0]
    (tmp_path / "other.ksy").write_text(OTHER)
    rest = SPEC.partition("types:\n")[2]
    spec = f"{head}instances:\n  there: {{{body[2:]}}}\ntypes:\n{rest}"
    (tmp_path / "kinds.ksy").write_text(spec)
    with pytest.raises(SpecError) as error:
        load_specs(tmp_path)
    assert (error.value.path, error.value.message) == (f"/instances/there/{key}", f"is {kind}")


@pytest.mark.parametrize(
    ("window", "is_refused"),
    [("terminator: 0", True), ("{terminator: 0, size: 9}", False), ("{size-eos: true}", False)],
)
def test_sizes_that_follow_from_themselves_are_refused(
    window: str, is_refused: bool, tmp_path: Path
) -> None:
    """Several lengths of `data` are right where only what is after it ends its window."""
    box = f"{{{window.strip('{}')}, id: box, type: box}}"
    (tmp_path / "open.ksy").write_text(
        f"meta: {{id: open, endian: be}}\nseq: [{box}]\ntypes:\n  box:\n"
        "    seq: [{id: inner, type: inner}]\n  inner:\n    seq: [{id: data, size: half}]\n"
        "    instances: {half: {value: _io.size / 2}}\n"
    )
    if not is_refused:
        load_specs(tmp_path)
        return
    with pytest.raises(SpecError, match="the size of a window that a terminator ends"):
        load_specs(tmp_path)
