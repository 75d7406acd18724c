"""Random specs of the supported subset: what is generated from them agrees with Kaitai's parser.

The specs are drawn from fixed seeds, and compiled in one call. For each, random objects are written
with their counts, lengths and offsets left out, and then read again: by the parser, as JSON, and
their records as arrays. Damaged bytes are refused by all, or read alike.
"""

from __future__ import annotations

import importlib
import io
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from kaitaistruct import KaitaiStream, KaitaiStructError
from ruamel.yaml import YAML

from tests.conftest import skip_or_fail
from tools.ksy.__main__ import generate
from tools.ksy.compiler import CompilerMissing, compiler_path
from tools.ksy.load import SpecError, load_specs
from tools.ksy.world import World
from tools.ksy.writers import writer_modules

SEEDS = range(40)
PACKAGE = "random_formats"
NUMBERS = ("u1", "s1", "u2", "s2", "u4", "s4", "u8", "s8", "f4", "f8")
REFUSED = (KaitaiStructError, EOFError, ValueError, IndexError, TypeError, AttributeError)

Make = Callable[[random.Random], Any]


@dataclass
class Layout:
    """A type that is drawn: its YAML, and how a value is made of each field that has to be set."""

    name: str
    seq: list[dict[str, Any]] = field(default_factory=list)
    instances: dict[str, Any] = field(default_factory=dict)
    params: list[dict[str, Any]] = field(default_factory=list)
    makes: dict[str, Make] = field(default_factory=dict)

    def yaml(self) -> dict[str, Any]:
        parts = {"params": self.params, "seq": self.seq, "instances": self.instances}
        return {key: value for key, value in parts.items() if value}


class Drawn:
    """A spec that is drawn from a seed."""

    def __init__(self, seed: int) -> None:
        self.rng, self.name = random.Random(seed), f"f{seed}"
        self.types: list[Layout] = []
        self.arrays: list[tuple[str, str]] = []  # fields of the root that repeat flat records
        self.load: Callable[[str], ModuleType]
        self.root = Layout(self.name)
        for _ in range(self.rng.randrange(2, 6)):
            self.rng.choice(
                (self.number, self.text, self.numbers, self.records, self.optional, self.window,
                 self.placed, self.by_param)
            )(self.root)  # fmt: skip

    def yaml(self) -> dict[str, Any]:
        meta = {"id": self.name, "title": "Drawn", "license": "Apache-2.0", "ks-version": "0.11"}
        meta["endian"] = self.rng.choice(("le", "be"))
        types = {layout.name: layout.yaml() for layout in self.types}
        return {"meta": meta, **self.root.yaml(), **({"types": types} if types else {})}

    # -- Fields

    def id(self, layout: Layout, word: str) -> str:
        return f"{word}_{len(layout.seq)}{len(layout.instances)}"

    def new_type(self) -> Layout:
        self.types.append(Layout(f"{self.name}_t{len(self.types)}"))
        return self.types[-1]

    def kind(self, names: tuple[str, ...] = NUMBERS) -> str:
        name = self.rng.choice(names)
        return name if name[1] == "1" else name + self.rng.choice(("", "le", "be"))

    def count(self, layout: Layout, word: str) -> str:
        """A number that is computed: a count or a length."""
        name = self.id(layout, word)
        layout.seq.append({"id": name, "type": self.kind(("u1", "s1", "u2", "s2", "s4", "u8"))})
        return name

    def number(self, layout: Layout) -> None:
        kind, name = self.kind(), self.id(layout, "n")
        bits, code = 8 * int(kind[1]), kind[0]
        raw: dict[str, Any] = {"id": name, "type": kind}
        least, most = {"u": (0, 2**bits - 1), "s": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)}.get(
            code, (-1000, 1000)
        )
        choice = self.rng.randrange(5)
        if code != "f" and choice == 0:
            raw["valid"] = {"min": -5 if code == "s" else 1, "max": 90}
            least, most = 1, 90
        elif code != "f" and choice == 1:
            raw["valid"], least, most = 7, 7, 7
        elif code != "f" and choice == 2:
            raw["valid"], least, most = {"any-of": [4, 5]}, 4, 5
        elif code != "f" and choice == 3:
            raw["-value"], least, most = 3, 3, 3
        layout.seq.append(raw)
        make: Make = lambda rng: rng.choice((least, most, rng.randint(least, most)))  # noqa: E731
        layout.makes[name] = (lambda rng: float(make(rng))) if code == "f" else make

    def text(self, layout: Layout) -> None:
        """A text behind its length, with other numbers between them now and then."""
        size = self.count(layout, "len")
        for _ in range(self.rng.randrange(3)):
            self.number(layout)
        name = self.id(layout, "text")
        layout.seq.append({"id": name, "size": size})
        layout.makes[name] = lambda rng: rng.randbytes(rng.choice((0, 1, 5, 60)))

    def numbers(self, layout: Layout) -> None:
        count, name, kind = self.count(layout, "num"), self.id(layout, "list"), self.kind()
        layout.seq.append({"id": name, "type": kind, "repeat": "expr", "repeat-expr": count})
        top = 100 if kind[0] == "f" else 2 ** (8 * int(kind[1]) - 1) - 1
        layout.makes[name] = lambda rng: [
            rng.randrange(top) if kind[0] != "f" else rng.randrange(top) / 4
            for _ in range(rng.randrange(4))
        ]

    def records(self, layout: Layout) -> None:
        record = self.new_type()
        for _ in range(self.rng.randrange(1, 4)):
            self.number(record)
        if self.rng.random() < 0.5:
            self.text(record)
        if self.rng.random() < 0.5:
            self.number(record)
        count, name = self.count(layout, "num"), self.id(layout, "rows")
        layout.seq.append({"id": name, "type": record.name, "repeat": "expr", "repeat-expr": count})
        layout.makes[name] = lambda rng: [self.make(record, rng) for _ in range(rng.randrange(5))]
        self.arrays.append((name, record.name))

    def optional(self, layout: Layout) -> None:
        flag = self.id(layout, "has")
        layout.seq.append({"id": flag, "type": "u1", "valid": {"max": 1}})
        before = len(layout.seq)
        self.number(layout)
        [raw] = layout.seq[before:]
        raw["if"] = f"{flag} == 1"
        raw.pop("-value", None)
        make = layout.makes.pop(raw["id"])
        layout.makes[flag] = lambda rng: int(rng.random() < 0.5)
        layout.makes[f"{raw['id']} if {flag}"] = make

    def window(self, layout: Layout) -> None:
        inner, size = self.new_type(), self.count(layout, "len")
        self.number(inner)
        rest = self.id(inner, "rest")
        if self.rng.random() < 0.5:
            inner.seq.append({"id": rest, "type": "u2", "repeat": "eos"})
            inner.makes[rest] = lambda rng: [rng.randrange(9) for _ in range(rng.randrange(3))]
        else:
            inner.seq.append({"id": rest, "size-eos": True})
            inner.makes[rest] = lambda rng: rng.randbytes(rng.randrange(4))
        name = self.id(layout, "box")
        layout.seq.append({"id": name, "type": inner.name, "size": size})
        layout.makes[name] = lambda rng: self.make(inner, rng)

    def placed(self, layout: Layout) -> None:
        inner, offset = self.new_type(), self.id(layout, "ofs")
        layout.seq.append({"id": offset, "type": self.kind(("u2", "s4", "u8"))})
        self.number(inner)
        self.text(inner)
        name = self.id(layout, "there")
        layout.instances[name] = {"pos": offset, "type": inner.name}
        layout.makes[name] = lambda rng: self.make(inner, rng)

    def by_param(self, layout: Layout) -> None:
        inner, kind = self.new_type(), self.id(layout, "kind")
        inner.params.append({"id": "kind", "type": "u1"})
        inner.seq += [
            {"id": "wide", "type": "s8", "if": "kind == 1"},
            {"id": "small", "type": "u1", "if": "kind != 1"},
        ]
        layout.seq.append({"id": kind, "type": "u1", "valid": {"any-of": [1, 2]}})
        name = self.id(layout, "either")
        layout.seq.append({"id": name, "type": f"{inner.name}({kind})"})
        layout.makes[kind] = lambda rng: rng.choice((1, 2))
        layout.makes[name] = lambda rng: inner

    # -- Values

    def make(self, layout: Layout, rng: random.Random) -> Any:
        """An object of a type, with what is computed left out."""
        fields: dict[str, Any] = {}
        for key, make in layout.makes.items():
            name, _, flag = key.partition(" if ")
            if not flag or fields[flag]:
                fields[name] = make(rng)
        for name, value in list(fields.items()):
            if isinstance(value, Layout):  # what is in it is decided by the number before it
                kind = list(fields.values())[list(fields).index(name) - 1]
                inner = {"wide": -5} if kind == 1 else {"small": 9}
                fields[name] = self.of(value.name, inner)
        constant = constants(layout)
        drop = rng.random() < 0.5
        return self.of(
            layout.name, {k: v for k, v in fields.items() if not (drop and k in constant)}
        )

    def of(self, type_name: str, fields: dict[str, Any]) -> Any:
        return getattr(self.load(f"writers.{self.name}"), f"make_{type_name}")(**fields)


def constants(layout: Layout) -> set[str]:
    """The fields that are the same in all objects, unless they are set."""
    return {raw["id"] for raw in layout.seq if "-value" in raw or raw.get("valid") == 7}


@pytest.fixture(scope="module")
def formats(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Drawn]]:
    """The drawn specs, with what is generated from them."""
    try:
        compiler_path()
    except CompilerMissing as error:
        skip_or_fail("network", f"network: {error}")
    folder = tmp_path_factory.mktemp("random")
    specs = folder / "specs"
    specs.mkdir()
    drawn = [Drawn(seed) for seed in SEEDS]
    for one in drawn:
        with (specs / f"{one.name}.ksy").open("w") as file:
            YAML().dump(one.yaml(), file)
        one.load = lambda module: importlib.import_module(f"{PACKAGE}.{module}")
    generate(specs, folder / PACKAGE)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield drawn
    for name in [name for name in sys.modules if name.split(".")[0] == PACKAGE]:
        del sys.modules[name]


def parsed(one: Drawn, data: bytes) -> Any:
    module = one.load(f"parsers.{one.name}")
    return getattr(module, one.name.capitalize())(KaitaiStream(io.BytesIO(data)))


def without_messages(doc: Any) -> Any:
    if isinstance(doc, dict):
        return {k: k if k == "unreadable" else without_messages(v) for k, v in doc.items()}
    return [without_messages(x) for x in doc] if isinstance(doc, list) else doc


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_written_is_what_the_parser_reads(seed: int, formats: list[Drawn]) -> None:
    one, rng = formats[seed], random.Random(seed)
    runtime = one.load("runtime")
    for _ in range(8):
        made = one.make(one.root, rng)
        data = runtime.to_bytes(made)
        found = parsed(one, data)
        shown = runtime.to_json(found)
        holds(shown, runtime.to_json(made))
        assert runtime.to_bytes(found) == data
        assert runtime.to_bytes(runtime.from_json(one.name, shown)) == data
        assert runtime.parts_to_json([(0, found)], data)["parts"] == [{"at": 0} | shown]
        for name, record in one.arrays:
            check_array(one, found, name, record)


def holds(whole: Any, part: Any) -> None:
    """All that was set is there."""
    if isinstance(part, dict):
        for key, value in part.items():
            holds(whole[key], value)
    elif isinstance(part, list):
        assert len(whole) == len(part)
        for a, b in zip(whole, part, strict=True):
            holds(a, b)
    else:
        assert whole == part


def check_array(one: Drawn, found: Any, name: str, record: str) -> None:
    """A repeat of records is the same as an array; not all records are flat."""
    codec, runtime = one.load(f"codecs.{one.name}"), one.load("runtime")
    cls = getattr(codec, "".join(p.capitalize() for p in record.split("_")) + "Array", None)
    if cls is None:
        return
    rows = getattr(found, name)
    data = b"".join(map(runtime.to_bytes, rows))
    array, end = cls.read(data, 0, len(rows))
    assert end == len(data) and array.to_bytes() == data
    assert [runtime.to_json(x) for x in array] == [runtime.to_json(x) for x in rows]
    columns = {name: getattr(array, name) for name in signature(cls.from_columns).parameters}
    assert cls.from_columns(**columns).to_bytes() == data
    [layout] = (layout for layout in one.types if layout.name == record)
    if not layout.makes.keys() <= constants(layout):  # else there is nothing to count
        for constant in constants(layout):
            columns.pop(constant)
        assert cls.from_columns(**columns).to_bytes() == data


@pytest.mark.parametrize("seed", SEEDS)
def test_damaged_bytes_are_read_as_the_parser_reads_them(seed: int, formats: list[Drawn]) -> None:
    one, rng = formats[seed], random.Random(seed)
    runtime, fields = one.load("runtime"), one.load("fields")
    for _ in range(4):
        data = runtime.to_bytes(one.make(one.root, rng))
        for _ in range(12):
            damaged = bytearray(data[: rng.choice((len(data), rng.randrange(len(data) + 1)))])
            if damaged:
                damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
            part: tuple[int, Any, dict[str, Any]] = (0, fields.type_named(one.name), {})
            try:
                expected = runtime.to_json(parsed(one, bytes(damaged)))
            except REFUSED:
                with pytest.raises(runtime.FormatError):
                    runtime.file_to_json([part], bytes(damaged))
                continue
            doc = runtime.file_to_json([part], bytes(damaged))
            assert without_messages(doc["parts"]) == [{"at": 0} | without_messages(expected)]
            assert runtime.parts_from_json(doc) == damaged


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("process", "zlib"), ("terminator", 0), ("encoding", "utf-8"), ("pad-right", 0),
        ("repeat", "until"), ("consume", False), ("type", "strz"), ("type", "b3"),
    ],
)  # fmt: skip
def test_what_is_outside_the_subset_is_refused_by_name(
    key: str, value: Any, tmp_path: Path
) -> None:
    for seed in SEEDS:
        document = Drawn(seed).yaml()
        place = random.Random(seed).randrange(len(document["seq"]))
        document["seq"][place][key] = value
        folder = tmp_path / str(seed)
        folder.mkdir()
        with (folder / f"f{seed}.ksy").open("w") as file:
            YAML().dump(document, file)
        with pytest.raises(SpecError) as error:
            writer_modules(World(load_specs(folder)))
        assert error.value.path.startswith(f"/seq/{place}/")
        assert error.value.remedy
