"""The generator: what it loads, refuses and writes, and that the specs alone decide."""

import contextlib
import importlib
import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaitaistruct import KaitaiStructError
from ksykit.generator.compiler import compile_specs
from ksykit.generator.expression import (
    EnumValue,
    ExpressionError,
    Name,
    Printer,
    evaluate,
    parse,
)
from ksykit.generator.load import load_spec, load_specs
from ksykit.generator.render import render_ours, render_parser
from ksykit.generator.spec import SpecError
from ksykit.generator.structs import struct_modules
from ksykit.generator.views import view_modules
from ksykit.generator.world import World
from ksykit.runtime import errors, objects

from kit_support.compiled import need_compiler
from tests import ROOT
from tools.ksy.__main__ import check, generate, main
from tools.ksy.lint import lint

SPECS = ROOT / "specs"


@pytest.fixture
def compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kaitai's compiler, which is run once for equal specs."""
    use_compiler(monkeypatch)


def use_compiler(patch: pytest.MonkeyPatch) -> None:
    need_compiler()
    patch.setattr("ksykit.generator.generate.compile_specs", compiled_once)


def compiled_once(specs: Mapping[str, Any], languages: Iterable[str]) -> Any:
    return _compiled(json.dumps(specs), tuple(languages))


@cache
def _compiled(specs: str, languages: tuple[str, ...]) -> Any:
    return compile_specs(json.loads(specs), languages)


# --- Expressions ---

PRINTER = Printer(name=lambda n: f"x.{n}")


@pytest.mark.parametrize(
    ("kaitai", "python"),
    [
        ("-1 - row", "-1 - x.row"),
        ("a - (b - c)", "x.a - (x.b - x.c)"),
        ("(a + b) * 0x1F / 2", "(x.a + x.b) * 31 // 2"),
        ("a == 1 ? b + 1 : c", "x.b + 1 if x.a == 1 else x.c"),
        ("not a and b or c", "not x.a and x.b or x.c"),
        ("not (a and b)", "not (x.a and x.b)"),
        ("(a[_index / 8] >> (_index % 8)) & 1 == 1", "x.a[x._index // 8] >> x._index % 8 & 1 == 1"),
        ("(a < b) == (c < d)", "(x.a < x.b) == (x.c < x.d)"),
        ("~a & -b", "~x.a & -x.b"),
        ("true", "True"),
    ],
)  # fmt: skip
def test_expressions_become_python(kaitai: str, python: str) -> None:
    assert PRINTER.print(parse(kaitai)) == python


def test_vector_expressions_work_on_arrays() -> None:
    printer = Printer(name=lambda n: n, vector=True)
    text = printer.print(parse("not a and b > 2 ? 1 : 0"))
    assert text == "choose(np.logical_and(np.logical_not(a), b > 2), 1, 0)"


@pytest.mark.parametrize("text", ["a +", "(a", "a ? b", "a.b(1)", "a $ b", "a.", "", "a b"])
def test_expressions_that_are_not_understood(text: str) -> None:
    with pytest.raises(ExpressionError):
        parse(text)


NUMBERS = st.recursive(
    st.one_of(st.integers(0, 99).map(str), st.sampled_from("abc")),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "|", "&", "^"]), inner).map(
            lambda t: f"({t[0]} {t[1]} {t[2]})"
        ),
        st.tuples(inner, st.sampled_from(["<", "==", ">="]), inner, inner, inner).map(
            lambda t: f"({t[0]} {t[1]} {t[2]} ? {t[3]} : {t[4]})"
        ),
        inner.map(lambda s: f"-{s}"),
    ),
    max_leaves=8,
)


@given(NUMBERS, st.lists(st.integers(-50, 50), min_size=3, max_size=3))
def test_printed_python_evaluates_like_the_tree(text: str, values: list[int]) -> None:
    names = dict(zip("abc", values, strict=True))
    node = parse(text)
    assert parse(text.replace("(", "( ")) == node
    printed = Printer(name=lambda n: n).print(node)
    assert eval(printed, {}, names) == evaluate(node, names.get)


def test_partial_evaluation() -> None:
    node = parse("kind == 1 or unknown > 3")
    assert evaluate(node, {"kind": 1}.get) is True
    assert evaluate(node, {"kind": 2}.get) is None
    assert parse("e::f::x") == EnumValue("e::f", "x") and parse("_io") == Name("_io")


# --- What is refused, and how ---

HEAD = "meta:\n  id: broken\n  endian: be\n"
BROKEN: dict[str, tuple[str, str, str]] = {
    "switch": ("seq:\n- id: a\n  type:\n    switch-on: 1\n    cases: {}\n", "/seq/0/type", "cases"),
    "process": ("seq:\n- id: a\n  size: 3\n  process: gzip\n", "/seq/0/process", "zstd"),
    "text": ("seq:\n- id: a\n  type: strz\n", "/seq/0", "give encoding"),
    "charset": (
        "seq:\n- id: a\n  type: strz\n  encoding: klingon\n",
        "/seq/0/encoding",
        "that Python knows",
    ),
    "byte codec": ("seq:\n- id: a\n  type: strz\n  encoding: hex\n", "/seq/0/encoding", "Python"),
    "bits": ("seq:\n- id: a\n  type: b65\n", "/seq/0/type", "b1 to b64"),
    "bits of two orders": (
        "seq:\n- {id: a, type: b4be}\n- {id: b, type: b8be}\n- {id: c, type: b4le}\n",
        "/seq/2/type",
        "fill the byte before",
    ),
    "bits of two orders after a condition": (
        "seq:\n- {id: x, type: b8}\n- {id: a, type: b1, if: x > 0}\n- {id: b, type: b7le}\n",
        "/seq/2/type",
        "fill the byte before",
    ),
    "bits of two orders in an object": (
        "seq:\n- {id: a, type: t}\n- {id: b, type: t, repeat: expr, repeat-expr: 2}\n"
        "types:\n  t: {seq: [{id: c, type: b3}, {id: d, type: u}]}\n"
        "  u: {seq: [{id: e, type: b5le}]}\n",
        "/types/u/seq/0/type",
        "fill the byte before",
    ),
    "terminator": ("seq:\n- id: a\n  terminator: 256\n", "/seq/0/terminator", "below 256"),
    "until": (
        "seq:\n- id: a\n  type: u1\n  repeat: until\n  repeat-until: a == 0\n",
        "/seq/0/repeat-until",
        "use a field",
    ),
    "no end": ("seq:\n- id: a\n  type: u1\n  repeat: until\n", "/seq/0/repeat", "both"),
    "repeat": ("seq:\n- id: a\n  type: u1\n  repeat: ever\n", "/seq/0/repeat", "until"),
    "unknown key of ours": ("-kit-views: true\nseq:\n- id: a\n  type: u1\n", "/-kit-views", "use"),
    "unknown key": ("seq:\n- id: a\n  type: u1\n  sise: 3\n", "/seq/0/sise", "use the keys"),
    "expression": ("seq:\n- id: a\n  size: b.to_s(2)\n", "/seq/0/size", "simplify"),
    "no size": ("seq:\n- id: a\n", "/seq/0", "size-eos"),
    "no count": ("seq:\n- id: a\n  type: u1\n  repeat: expr\n", "/seq/0/repeat", "both"),
    "name": ("seq:\n- id: aB\n  type: u1\n", "/seq/0/id", "lower_snake_case"),
    "unknown field": ("seq:\n- id: a\n  size: len_a\n", "/seq/0/size", "use a field"),
    "unknown type": ("seq:\n- id: a\n  type: other\n", "/seq/0/type", "import"),
    "arguments": (
        "seq:\n- id: a\n  type: t(1, 2)\ntypes:\n  t:\n    params:\n    - id: p\n      type: u1\n",
        "/seq/0/type",
        "one argument for each",
    ),
    "parameter": ("params:\n- id: p\n  type: u1[]\n", "/params/0", "pass a number"),
    "inverse": (
        "seq:\n- id: a\n  type: u1\ninstances:\n"
        "  b:\n    value: a\n    -kit-inverse:\n      c: b\n",
        "/instances/b/-kit-inverse/c",
        "name one",
    ),
    "no pos": ("instances:\n  b:\n    type: u4\n", "/instances/b", "use positions of fields"),
    "function": ("seq:\n- id: a\n  type: u1\n  -kit-value: sum(a)\n", "/seq/0/-kit-value", "field"),
    "enum": ("seq:\n- id: a\n  type: u1\n  if: a == e::x\n", "/seq/0/if", "use a field"),
    "no enum": ("seq:\n- id: a\n  type: u1\n  enum: e\n", "/seq/0/enum", "define it"),
    "itself": ("seq:\n- id: a\n  type: broken\n", "/seq/0", "give `if`"),
    "itself at a place": (
        "instances:\n  a:\n    pos: 4\n    type: broken\n",
        "/instances/a",
        "`if`",
    ),
    "nothing up to the end": (
        "seq:\n- id: a\n  type: t\n  repeat: eos\ntypes:\n  t: {}\n",
        "/seq/0/repeat",
        "repeat-expr",
    ),
    "import": ("", "/meta/imports", "add nowhere.ksy"),
    "import of /common/a": ("", "/meta/imports", "add a.ksy, or give the folder"),
    "runs of numbers": (
        "seq:\n- id: a\n  type: u1\n  repeat: expr\n  repeat-expr: 2\n  -kit-runs: a\n",
        "/seq/0/-kit-runs",
        "leave it out",
    ),
    "runs by another field": (
        "seq:\n- id: a\n  type: t\n  repeat: expr\n  repeat-expr: 2\n  -kit-runs: c\n"
        "types:\n  t:\n    seq:\n    - id: b\n      type: u1\n    - id: c\n      type: u1\n",
        "/seq/0/-kit-runs",
        "name that",
    ),
    "runs to the end": (
        "seq:\n- id: a\n  type: t\n  repeat: eos\n  -kit-runs: b\n",
        "/seq/0/-kit-runs",
        "leave it out",
    ),
    "head": ("-kit-head: b\nseq:\n- id: a\n  type: u1\n", "/-kit-head", "name a field of seq"),
    "places": (
        "-kit-places: true\nseq:\n- id: a\n  size-eos: true\n",
        "/-kit-places",
        "leave it out",
    ),
    "places twice": (
        "-kit-places: true\nseq:\n- id: end\n  type: u1\n",
        "",
        "choose another name",
    ),
    "padding": ("seq:\n- id: a\n  size: 9\n  pad-right: 300\n", "/seq/0/pad-right", "a number"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_unsupported_constructs_name_file_path_and_remedy(case: str, tmp_path: Path) -> None:
    body, path, remedy = BROKEN[case]
    other = {"import": "nowhere", "import of /common/a": "/common/a"}.get(case)
    head = HEAD + (f"  imports: [{other}]\n" if other else "")
    folder = tmp_path / "specs"
    folder.mkdir()
    (folder / "broken.ksy").write_text(head + body)
    with pytest.raises(SpecError) as error:
        world = World(load_specs(folder))
        struct_modules(world)
        view_modules(world)
    assert error.value.file == "specs/broken.ksy"
    assert error.value.path == path
    assert remedy in error.value.remedy
    assert "\n" not in str(error.value)


def test_broken_yaml_and_missing_byte_order(tmp_path: Path) -> None:
    (tmp_path / "bad.ksy").write_text("meta: [\n")
    with pytest.raises(SpecError, match="is not YAML"):
        load_spec(tmp_path / "bad.ksy")
    (tmp_path / "bad.ksy").write_text("meta:\n  id: bad\nseq:\n- id: a\n  type: u2\n")
    with pytest.raises(SpecError, match=r"bad\.ksy:\d+:\d+: /seq/0/type: has no byte order"):
        load_spec(tmp_path / "bad.ksy")
    (tmp_path / "bad.ksy").write_text("meta:\n  id: good\n")
    with pytest.raises(SpecError, match="name the spec like its file"):
        load_spec(tmp_path / "bad.ksy")


def test_type_names_are_unique(tmp_path: Path) -> None:
    body = "types:\n  t:\n    seq:\n    - id: a\n      type: u1\n"
    for name in ("one", "two"):
        (tmp_path / f"{name}.ksy").write_text(f"meta:\n  id: {name}\n{body}")
    found = load_specs(tmp_path)
    assert [type_.name for spec in found.values() for type_ in spec.types] == [
        *("one", "one_t", "two", "two_t")
    ]
    (tmp_path / "t.ksy").write_text("meta:\n  id: t\n")
    with pytest.raises(SpecError, match="type t is in"):
        load_specs(tmp_path)


def test_the_command_says_an_error_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad.ksy").write_text(
        HEAD.replace("broken", "bad") + "seq:\n- id: a\n  type: str\n"
    )
    assert main(["generate", "--specs", str(tmp_path), "--out", str(tmp_path / "out")]) == 1
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "out").exists()


# --- What is written ---


def test_ours_is_byte_stable_and_up_to_date() -> None:
    files = render_ours(load_specs(SPECS), [])
    assert files == render_ours(load_specs(SPECS), [])
    for name, text in files.items():
        assert (ROOT / "generated" / name).read_text() == text, f"{name}: run `make generate`"


def test_check_sees_a_changed_a_missing_and_a_stray_file(compiler: None, tmp_path: Path) -> None:
    out, few, judge = tmp_path / "generated", tmp_path / "specs", tmp_path / "judge"
    few.mkdir()
    for name in ("position", "varint"):
        shutil.copy(SPECS / f"{name}.ksy", few)
    generate(few, out, judge)
    assert check(few, out, judge) == []
    (judge / "position.py").write_text("# by hand\n")
    (out / "checked.py").unlink()
    (out / "views" / "stray.py").write_text("")
    changed = [out / "checked.py", out / "views" / "stray.py", judge / "position.py"]
    assert check(few, out, judge) == changed
    generate(few, out, judge)
    assert check(few, out, judge) == []


def test_without_a_compiler_check_fails_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("ksykit.generator.npm.CACHE", tmp_path / "cache")
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9")
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "npm"))
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    assert main(["check"]) == 1
    error = capsys.readouterr().err
    assert "connect to the network once" in error and error.count("\n") == 1


def test_imports_of_parsers_are_relative_and_sorted() -> None:
    specs = load_specs(SPECS)
    before = (
        "# note\n# type: ignore\n\nimport kaitaistruct\n"
        "from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO\n"
    )
    texts = [
        render_parser(before + order + "\n\nclass X:\n    \n    pass\n", specs["file_index"], specs)
        for order in ("import position\nimport java_utf8", "import java_utf8\nimport position")
    ]
    assert texts[0] == texts[1]
    assert "from . import java_utf8\nfrom . import position\n" in texts[0]
    assert not any(line != line.rstrip() for line in texts[0].splitlines())


def test_the_specs_have_house_style() -> None:
    assert lint(SPECS, load_specs(SPECS)) == []


def test_style_findings_are_told(tmp_path: Path) -> None:
    (tmp_path / "bad.ksy").write_text(
        "seq:\n- id: len_a\n  type: s4be\n- id: a\n  type: u1\n  repeat: expr\n"
        "  repeat-expr: len_a\nmeta:\n  id: bad\n  endian: be\n  license: X\n"
    )
    found = "\n".join(lint(tmp_path, load_specs(tmp_path)))
    for finding in (
        "has no title",
        "num_x",
        "may be negative",
        "/doc",
    ):
        assert finding in found


def test_the_compiler_s_refusal_is_told(
    compiler: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = "enums:\n  e:\n    18446744073709551615: a\n"
    (tmp_path / "bad.ksy").write_text(f"meta:\n  id: bad\n{body}")
    assert main(["specs", "--specs", str(tmp_path)]) == 1
    output = capsys.readouterr().out
    assert "FAIL" in output and "bad.ksy: C++11:" in output
    assert main(["generate", "--specs", str(tmp_path), "--out", str(tmp_path / "out")]) == 1


# --- The spec is the source ---


@pytest.fixture(scope="module")
def regenerate(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[..., Callable[[str], ModuleType]]]:
    """Generates a spec and its imports with changes, once for equal ones; returns an importer."""
    parent = tmp_path_factory.mktemp("regenerated")
    packages: dict[str, str] = {}

    loaded = load_specs(SPECS)

    def run(root: str, changes: Mapping[str, tuple[str, str]] = {}) -> Callable[[str], ModuleType]:
        key = repr((root, changes))
        if key not in packages:
            package = f"regenerated_{len(packages)}"
            folder = parent / f"{package}_specs"
            folder.mkdir()
            names = [root]
            for name in names:  # which grows
                names.extend(n for n in loaded[name].imports if n not in names)
                text = (SPECS / f"{name}.ksy").read_text()
                old, new = changes.get(name, ("", ""))
                assert old in text
                (folder / f"{name}.ksy").write_text(text.replace(old, new) if old else text)
            with pytest.MonkeyPatch.context() as during:
                use_compiler(during)
                generate(folder, parent / package, parent / package / "parsers")
            importlib.invalidate_caches()  # the folder has been looked into
            packages[key] = package
        return lambda module: importlib.import_module(f"{packages[key]}.{module}")

    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(parent))
        yield run


def one_entry(load: Callable[[str], ModuleType]) -> bytes:
    """A V2 index with one value in row 5, written by a generated package."""
    v2 = load("structs.bitmap_index_v2")
    key = load("structs.typed_value").make_typed_value(int32=7)
    entry = v2.make_bitmap_entry_v2(key=key, row=5)
    block = v2.make_bitmap_block_v2(entries=[entry])
    ref = v2.make_bitmap_block_ref_v2(key=key, body=block)
    index = load("structs.bitmap_index").make_bitmap_index(
        column_type=4,
        version=2,
        v2=v2.make_bitmap_index_v2(
            num_rows=9, num_values=1, directory=v2.make_bitmap_directory_v2(blocks=[ref])
        ),
    )
    data: bytes = objects.to_bytes(index)
    return data


def read_entry(load: Callable[[str], ModuleType], data: bytes) -> tuple[int, int]:
    """(row, len_bitmap) of that entry; parser, view and JSON must agree."""
    parser = load("structs.bitmap_index").BitmapIndex
    views = load("views.bitmap_index_v2")
    [plain] = parser.from_bytes(data, column_type=4).v2.directory.blocks[0].body.entries
    v2 = load("views.bitmap_index").BitmapIndex(data, 0, 0, 4).v2
    directory = views.BitmapDirectoryV2(data, 0, v2.place_directory()[0], v2.num_blocks, 4)
    block = views.BitmapBlockV2(
        data, 0, directory.place_blocks_body(0)[0], directory.bitmaps_start, 4
    )
    assert block.entries_ofs_bitmap == (plain.ofs_bitmap,)
    assert block.entries_row(0) == plain.row and block.entries_len_bitmap[0] == plain.len_bitmap
    made = views.BITMAP_ENTRY_V2[4].pack(
        key=[plain.key.int32], ofs_bitmap=[plain.ofs_bitmap], len_bitmap=[plain.len_bitmap]
    )
    assert data[: block.end].endswith(made.data)
    found = objects.parts_to_json([(0, parser.from_bytes(data, column_type=4))], data)
    [block] = found["parts"][0]["v2"]["directory"]["blocks"]
    assert block["body"]["entries"][0]["len_bitmap"] == plain.len_bitmap
    assert objects.parts_from_json(found, load("structs").type_named) == data
    return plain.row, plain.len_bitmap


CHANGES: dict[str, tuple[str, str, Callable[[bytes], bytes]]] = {
    "byte order of an offset": (
        "- id: ofs_bitmap\n        -orig-id: offset\n        type: s4\n",
        "- id: ofs_bitmap\n        -orig-id: offset\n        type: s4le\n",
        lambda entry: entry[:4] + entry[7:3:-1] + entry[8:],
    ),
    "width of a length": (
        "- id: len_bitmap\n        -orig-id: length\n        type: s4\n",
        "- id: len_bitmap\n        -orig-id: length\n        type: s8\n",
        lambda entry: entry[:8] + b"\xff" * 8,
    ),
    "width of an offset": (
        "- id: ofs_bitmap\n        -orig-id: offset\n        type: s4\n",
        "- id: ofs_bitmap\n        -orig-id: offset\n        type: s2\n",
        lambda entry: entry[:4] + entry[6:],
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_reader_and_writer_follow_the_spec(
    change: str, regenerate: Callable[..., Callable[[str], ModuleType]]
) -> None:
    old, new, expected = CHANGES[change]
    before, after = (
        regenerate("bitmap_index"),
        regenerate("bitmap_index", {"bitmap_index_v2": (old, new)}),
    )
    plain, changed = one_entry(before), one_entry(after)
    assert read_entry(before, plain) == read_entry(after, changed) == (5, -1)
    assert changed[-len(expected(plain[-12:])) :] == expected(plain[-12:])
    with contextlib.suppress(KaitaiStructError, EOFError, ValueError):
        assert read_entry(after, plain) != (5, -1)


def test_the_byte_order_of_integers_follows_the_spec(
    regenerate: Callable[..., Callable[[str], ModuleType]],
) -> None:
    plain = regenerate("binary_row")
    after = regenerate(
        "binary_row", {"binary_row": ("-kit-encoding: integer-be", "-kit-encoding: integer-le")}
    )
    for load, data in (plain, b"\xfe\xff\x00"), (after, b"\x00\xff\xfe"):
        views, structs = load("views.binary_row"), load("structs.binary_row")
        type_ = load("structs").type_named("unscaled_value")
        assert structs.UnscaledValue.pack(value=-65792) == data
        assert views.UnscaledValue(data, 0, 0).value == -65792
        for value in (data, -65792):
            shown = objects.to_json(structs.make_unscaled_value(value=value))
            assert shown["value"] == "-65792"
        assert objects.to_bytes(objects.from_json(type_, shown)) == data
        longer = structs.make_unscaled_value(value=b"\0" * 3)
        assert objects.to_json(longer)["value"] == {"hex": "000000"}
        with pytest.raises(errors.FormatError, match="without bytes"):
            views.UnscaledValue(b"", 0, 0)
        with pytest.raises(errors.FormatError, match="'1x' is not an integer"):
            objects.to_bytes(objects.from_json(type_, {"value": "1x"}))
