"""Specs of an attacker: nothing in them runs, and each bound is an error of one line."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import ksykit
import pytest
from ksykit.generator.compiler import CompilerMissing, compile_specs
from ksykit.generator.expression import MOST_DEPTH, MOST_PARTS
from ksykit.generator.generate import for_compiler, write_files
from ksykit.generator.load import load_specs
from ksykit.generator.read import MOST_BYTES, MOST_NODES
from ksykit.generator.render import render_ours, render_parser
from ksykit.generator.spec import SpecError
from ksykit.generator.world import first_sentence
from ruamel.yaml import YAML

from kit_support.compiled import need_compiler, with_judge

RUN = "open('ran','w').close()"
INJECTIONS = [
    f'"""\n{RUN}\n"""',
    f'""" + [{RUN}] + """',
    f"'''\n{RUN}\n'''",
    f'"+str({RUN})+"',
    f"'+str({RUN})+'",
    f'\\"""\n{RUN}\n#',
    f'x"\n{RUN}\n',
    f'utf-8");{RUN}#',
    f"\n{RUN}\n",
    f"\r{RUN}\r",
    f"\n        {RUN}\n",
    'ends with "',
    'ends with ""',
    "ends with \\",
    'ends with \\"',
    f"{{{{ {RUN} }}}} {{% set x = 1 %}} {{# #}} {{0}} {{x!r}} %s",
    *(f"a{c}{RUN}{c}b" for c in "\u2028\u2029\x85\x0b\x0c\x1c\0\x1b\u202e\u2066\ufeff"),
    f"https://x {RUN}",
    f'https://x""" """{RUN}',
]

BASE: dict[str, Any] = {
    "meta": {"id": "a", "endian": "le", "encoding": "UTF-8"},
    "params": [{"id": "p", "type": "u1"}],
    "seq": [
        {"id": "f", "type": "u1", "enum": "e"},
        {"id": "s", "type": "str", "size": 3},
        {"id": "t", "type": "strz", "size": 9},
        {"id": "b", "size": 3},
        {"id": "n", "type": "u1", "repeat": "expr", "repeat-expr": "1"},
        {"id": "w", "type": {"switch-on": "f.to_i", "cases": {1: "k", "_": "k"}}},
    ],
    "instances": {"v": {"value": "1"}, "i": {"pos": 0, "type": "k"}},
    "types": {"k": {"seq": [{"id": "x", "type": "u1"}]}},
    "enums": {"e": {1: {"id": "one"}, 2: "two"}},
}
"""Has a place for each key."""

PLACES: dict[str, Any] = {
    "type": ([], ["types", "k"]),
    "meta": (["meta"], ["types", "k", "meta"]),
    "param": (["params", 0],),
    "attribute": (["seq", 0], ["seq", 1], ["seq", 2], ["seq", 3], ["seq", 4], ["instances", "i"]),
    "value": (["instances", "v"],),
    "switch": (["seq", 5, "type"],),
    "valid": (["seq", 0, "valid"],),
    "enum": (["enums", "e", 1],),
}
KEYS = {
    "type": "doc doc-ref enums instances meta params seq to-string types",
    "meta": "application bit-endian encoding endian file-extension id imports ks-debug"
    " ks-opaque-types ks-version ks-zero-copy-substream license tags title xref",
    "param": "doc doc-ref enum id type",
    "attribute": "consume contents doc doc-ref encoding enum eos-error id if include io pad-right"
    " parent pos process repeat repeat-expr repeat-until size size-eos terminator type valid",
    "value": "doc doc-ref enum if value",
    "switch": "cases switch-on",
    "valid": "any-of eq expr in-enum max min",
    "enum": "doc doc-ref id",
}
"""All keys that Kaitai's format has, by the place that may have them."""
FOREIGN = ["-orig-id", "-x", "-kit-value", "-kit-runs"]
PROSE = [
    *(
        "application",
        "doc",
        "doc-ref",
        "file-extension",
        "license",
        "tags",
        "title",
        "xref",
        "ks-version",
    ),
    *("-orig-id", "-x"),
]
"""Keys that may have any text: those of one injection are tried in one spec."""


@pytest.fixture(scope="module", autouse=True)
def compiler() -> None:
    need_compiler()


def put(raw: Any, path: list[Any], key: Any, value: Any) -> Any:
    """Return a copy of a spec with a key at a place."""
    raw = at = deepcopy(raw)
    for step in path:
        at = at.setdefault(step, {}) if isinstance(at, dict) else at[step]
    at[key] = value
    return raw


def test_the_table_has_all_keys_that_the_compiler_knows() -> None:
    asked = {
        f"{place}-{i}": put(BASE, path, "zz-unknown", 1)
        for place, paths in PLACES.items()
        for i, path in enumerate(paths)
        for repeat in ("", "x")
    }
    # What the compiler expects depends on the other keys of the place.
    for i, more in enumerate(({"size": 1}, {"repeat": "until"}, {"repeat": "expr"})):
        for type_ in ("str", "k", "u1"):
            field: Any = {"id": "z", "type": type_, "encoding": "UTF-8", "zz-unknown": 1}
            asked[f"attribute-{type_}-{i}"] = {**BASE, "seq": [field | more]}
    for name, key in (("eq", 1), ("any-of", [1]), ("expr", "true"), ("min", 1)):
        valid = {name: key, "zz-unknown": 1}
        asked[f"valid-{name}"] = {**BASE, "seq": [{"id": "z", "type": "u1", "valid": valid}]}
    answers = compile_specs(asked, ["python"])["python"]
    for name, answer in answers.items():
        place = name.partition("-")[0]
        listed = re.search(r"(?:expected|allowed): ([\w, -]+)", answer.get("error", ""))
        if listed is not None:
            assert set(listed[1].split(", ")) <= set(KEYS[place].split()), name
    assert sum("expected" in answer.get("error", "") for answer in answers.values()) > 10


def loaded(folder: Path, raw: Any) -> Any:
    """Return the specs of a folder with this one."""
    folder.mkdir(exist_ok=True)
    YAML(typ="safe", pure=True).dump(raw, folder / "a.ksy")
    return load_specs(folder)


def changes(text: str) -> Iterator[tuple[list[Any], Any, Any]]:
    """Yield where an injection goes: each key of each place, and names."""
    for place, paths in PLACES.items():
        for path in paths:
            for key in [*KEYS[place].split(), *FOREIGN]:
                for value in (text, [text]) if key in PROSE else (text, [text], f"'{text}'"):
                    yield path, key, value
    for path in (["types"], ["seq", 5, "type", "cases"], ["enums"], ["instances", "v", "-kit-x"]):
        yield path, text, {} if path[0] in ("types", "enums") else "k"
    yield ["instances"], text, {"value": 1}
    yield ["enums", "e"], 3, text
    yield ["seq", 5, "type", "cases"], f"'{text}'", "k"
    yield ["instances", "v"], "value", f"'{text}'.length"
    yield ["seq", 3], "valid", {"expr": f"'{text}' == '{text}'"}
    yield ["seq", 1], "valid", {"any-of": [f"'{text}'"]}


def hostile_specs(text: str, load: Callable[[Any], Any]) -> Iterator[Any]:
    """Yield the specs with an injection that load; the others are refused in one line."""
    prose = BASE
    for path, key, value in changes(text):
        is_prose = key in PROSE
        raw = put(prose if is_prose else BASE, path, key, value)
        try:
            load(raw)
        except SpecError as error:
            assert "\n" not in error.file
            continue
        if is_prose:
            prose = raw
        else:
            yield raw
    assert prose != BASE
    yield prose


@pytest.mark.parametrize("text", INJECTIONS)
def test_no_text_of_a_spec_runs(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Generated code never calls what the text would, and importing it runs nothing."""
    raws: dict[str, Any] = {}
    monkeypatch.setattr("ksykit.generator.load.read_yaml", lambda path, _: raws[path.stem])
    monkeypatch.setattr("ksykit.generator.render.tidy", lambda files: files)  # for speed
    (tmp_path / "a.ksy").touch()

    def load(raw: Any) -> Any:
        raws["a"] = raw
        return load_specs(tmp_path / "a.ksy")

    every = {f"a{number}": raw for number, raw in enumerate(hostile_specs(text, load))}
    raw_specs = {name: for_compiler(raw) for name, raw in every.items()}
    compiled = compile_specs(raw_specs, ["python"])["python"]
    assert "files" in compiled[name := f"a{len(every) - 1}"], compiled[name]
    generated = 0
    for name, raw in every.items():
        specs = load(raw)
        try:
            files = render_ours(specs, [])
        except SpecError:
            assert "error" in compiled[name]
            continue
        if "files" in compiled[name]:
            parser = render_parser(compiled[name]["files"]["a.py"], specs["a"], specs)
            files["parsers/a.py"] = parser
            generated += 1
        for path, code in files.items():
            calls = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]
            assert not [call for call in calls if ast.unparse(call.func) == "open"], path
        write_files(files, tmp_path / name)
    assert generated > 1
    script = (
        "import importlib, pathlib, sys\nsys.path.insert(0, sys.argv[1])\n"
        "for p in pathlib.Path(sys.argv[1]).glob('a*/*/a.py'):\n"
        "    importlib.import_module('.'.join(p.with_suffix('').parts[-3:]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(ksykit.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert not (tmp_path / "ran").exists()


def test_docs_are_the_texts_of_the_spec(tmp_path: Path) -> None:
    types: dict[str, Any] = {
        f"t{number}": {"doc": f"x{text}y.", "seq": [{"id": "f", "type": "u1", "doc": f"{text}z"}]}
        for number, text in enumerate(INJECTIONS)
    }
    seq = [{"id": name, "type": name} for name in types]
    code = with_judge(loaded(tmp_path, {"meta": BASE["meta"], "seq": seq, "types": types}), [])
    docs = {
        kind: {
            node.name.lower(): ast.get_docstring(node) or ""
            for node in ast.walk(ast.parse(code[f"{kind}/a.py"]))
            if isinstance(node, ast.ClassDef)
        }
        for kind in ("parsers", "structs", "views")
    }
    for name, known in types.items():
        doc, [field] = str(known["doc"]), known["seq"]
        first = first_sentence(doc)
        of_field = f"Attributes: f: {first_sentence(field['doc'])}"
        assert docs["parsers"][name].split() == doc.split()
        assert docs["views"][name].split() == first.split()
        assert docs["structs"][name].split() == [*first.split(), *of_field.split()]
    for kind in docs:
        assert all(c.isprintable() or c == "\n" for c in code[f"{kind}/a.py"])


LAUGHS = "".join(f"-{n}: &{n} [{', '.join([f'*{chr(ord(n) - 1)}'] * 10)}]\n" for n in "bcdefghij")
DEEP = 30_000
HEAD = "meta: {id: a}\n"
TOO_MUCH: dict[str, Any] = {
    "billion laughs": (f"{HEAD}-a: &a [x]\n{LAUGHS}-x: *j\n", f"more than {MOST_NODES:,}"),
    "an alias in itself": (f"{HEAD}-a: &a [*a]\n", "contains it"),
    "lists": (f"{HEAD}-a: {'[' * DEEP}", f"more than {MOST_DEPTH} deep"),
    "blocks": (f"{HEAD}-a:\n  {'- ' * DEEP}1", f"more than {MOST_DEPTH} deep"),
    "bytes": (f"{HEAD}-a: {'x' * MOST_BYTES}", f"more than {MOST_BYTES:,} bytes"),
    "digits": (f"{HEAD}-a: {'9' * 5_000}", "is not YAML"),
    "a date": (f"{HEAD}-a: 2020-01-01", "is a date"),
    "not UTF-8": (b"meta: {id: \xff}", "is not YAML"),
    "a surrogate": (f'{HEAD}-a: "\\uD800"', "is not Unicode"),
    **{
        name: (f"{HEAD}seq: [{{id: f, type: u1}}]\ninstances: {{v: {{value: '{text}'}}}}", why)
        for name, text, why in (
            ("a sum", " + ".join(["f"] * 3_000), f"more than {MOST_DEPTH} deep"),
            ("parentheses", "(" * 3_000 + "f" + ")" * 3_000, f"more than {MOST_DEPTH} deep"),
            ("signs", "- " * 3_000 + "f", f"more than {MOST_DEPTH} deep"),
            ("brackets", "f" + "[0" * 3_000 + "]" * 3_000, f"more than {MOST_DEPTH} deep"),
            ("dots", "f" + ".f" * 3_000, f"more than {MOST_DEPTH} deep"),
            ("conditions", "f == 1 ? 1 : " * 3_000 + "1", f"more than {MOST_DEPTH} deep"),
            ("a number", "9" * 5_000, "64 bits"),
            ("08", "08", "64 bits"),
        )
    },
    "instances that double": (
        f"{HEAD}instances:\n  v0: {{value: 1}}\n"
        + "".join(f"  v{n}: {{value: v{n - 1} + v{n - 1}}}\n" for n in range(1, 60)),
        f"more than {MOST_PARTS:,}",
    ),
    "a chain of instances": (
        f"{HEAD}instances:\n"
        + "".join(f"  v{n}: {{value: v{n + 1}}}\n" for n in range(2_000))
        + "  v2000: {value: 1}\n",
        f"more than {MOST_DEPTH} deep",
    ),
    "bits": (f"{HEAD}seq: [{{id: f, type: b{'9' * 5_000}}}]", "type 'b999"),
    **{
        name: (
            f"{HEAD}seq: [{{id: x, type: {start}}}]\ntypes:\n"
            + "".join(f"  t{n}: {body.replace('NEXT', f't{n + 1}')}\n" for n in range(300))
            + f"  t300: {last}\n",
            f"/types/t99/seq/{at}/type: types are more than {MOST_DEPTH} deep",
        )
        for name, start, body, last, at in (
            ("a chain of types", "t0", "{seq: [{id: x, type: NEXT}]}", "{}", 0),
            (
                "a chain of types with parameters",
                "t0(1)",
                "{params: [{id: p, type: u1}], seq: [{id: x, type: NEXT(p)}]}",
                "{params: [{id: p, type: u1}]}",
                0,
            ),
            (
                "a chain of cases",
                "t0",
                "{seq: [{id: k, type: u1},"
                " {id: x, type: {switch-on: k, cases: {1: NEXT, 2: NEXT}}}]}",
                "{}",
                1,
            ),
            (
                "a chain of types that end where they began",
                "t0",
                "{seq: [{id: k, type: u1}, {id: x, type: NEXT, if: k > 1}]}",
                "{seq: [{id: k, type: u1}, {id: x, type: t0, if: k > 1}]}",
                1,
            ),
        )
    },
    "types that double": (
        f"{HEAD}seq: [{{id: x, type: t0}}]\ntypes:\n"
        + "".join(
            f"  t{n}: {{seq: [{{id: x, type: t{n + 1}}}, {{id: y, type: t{n + 1}}}]}}\n"
            for n in range(60)
        )
        + "  t60: {seq: [{id: x, type: u1}]}\n",
        f"has more than {MOST_PARTS:,} fields",
    ),
}


@pytest.mark.parametrize("case", TOO_MUCH)
def test_bounds_are_errors(case: str, tmp_path: Path) -> None:
    text, why = TOO_MUCH[case]
    (tmp_path / "a.ksy").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(SpecError, match=re.escape(why)) as error:
        load_specs(tmp_path)
    assert "\n" not in str(error.value) and len(str(error.value)) < 2_000


@pytest.mark.parametrize("command", [None, "kaitai-struct-compiler"])
def test_the_compiler_has_to_end(
    command: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both the module in node and the command are stopped, with the spec's name."""
    if command is not None:
        monkeypatch.setattr("ksykit.generator.compiler.on_path", lambda _: "sleep")
        monkeypatch.setattr("ksykit.generator.compiler.tool", missing)
    monkeypatch.setattr("ksykit.generator.compiler.MOST_SECONDS", 0)
    with pytest.raises(SpecError, match=r"^a\.ksy: the Kaitai compiler did not end in 0 s"):
        with_judge(loaded(tmp_path, BASE), [])


def missing(name: str) -> list[str]:
    raise CompilerMissing(f"no {name}")


def test_large_constants_are_not_computed(tmp_path: Path) -> None:
    raw = {"meta": {"id": "a"}, "seq": [{"id": "f", "size": "1 << 9999999999"}]}
    assert with_judge(loaded(tmp_path, raw), [])


def test_the_name_of_a_folder_is_no_code(tmp_path: Path) -> None:
    files = with_judge(loaded(tmp_path / f"x\n{RUN}#", BASE), [])
    assert all(RUN not in line for text in files.values() for line in text.splitlines()[1:])


DOUBLING = {
    "fields": (
        "[]",
        "[{id: x, type: tNEXT}, {id: y, type: tNEXT}]",
    ),
    "parameters": (
        "[{id: p, type: u1}]",
        "[{id: x, type: tNEXT(p)}, {id: y, type: tNEXT(p + 1), if: p == 1}]",
    ),
    "windows": (
        "[]",
        "[{id: k, type: u1}, {id: x, size: 4, type: tNEXT}, {id: y, size: k, type: tNEXT}]",
    ),
    "cases": (
        "[]",
        "[{id: k, type: u1}, {id: x, type: {switch-on: k, cases: {1: tNEXT, 2: tNEXT}}}]",
    ),
    "repeats": (
        "[]",
        "[{id: x, type: tNEXT, repeat: expr, repeat-expr: 2}, {id: y, type: tNEXT}]",
    ),
}


@pytest.mark.parametrize("case", DOUBLING)
def test_types_that_double_are_walked_once(case: str, tmp_path: Path) -> None:
    """Without a memory, 50 types that each use the next twice have 2^50 paths.

    Of those, a type that always has all is refused.
    """
    params, seq = DOUBLING[case]
    start = "t0(1)" if params != "[]" else "t0"
    text = f"meta: {{id: a, endian: le}}\nseq: [{{id: f, type: {start}}}]\ntypes:\n"
    for n in range(50):
        text += f"  t{n}: {{params: {params}, seq: {seq.replace('NEXT', str(n + 1))}}}\n"
    text += f"  t50: {{params: {params}, seq: [{{id: x, type: u1}}]}}\n"
    (tmp_path / "a.ksy").write_text(text)
    if case == "cases":
        assert "T50" in render_ours(load_specs(tmp_path), [])["structs/a.py"]
    else:
        with pytest.raises(SpecError, match="with those of types in it"):
            load_specs(tmp_path)
