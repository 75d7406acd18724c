"""Random specs of the supported subset: what is generated from them agrees with Kaitai's parser.

The specs are drawn from seeds, and compiled in one call. For each, random objects are written
with their counts, lengths and offsets left out, and then read again by all readers. The columns of
views are written once more. Damaged bytes are refused by all readers, or read alike.
"""

from __future__ import annotations

import importlib
import io
import random
import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaitaistruct import KaitaiStream, KaitaiStructError
from ksykit.generator.generate import write_files
from ksykit.generator.load import load_specs
from ksykit.generator.spec import SpecError
from ksykit.generator.views import view_modules
from ksykit.generator.world import World
from ksykit.runtime.errors import FormatError
from ksykit.runtime.objects import to_bytes
from ksykit.runtime.types import type_named
from ksykit.testing.drawing import draw_object
from ruamel.yaml import YAML

from kit_support.agreement import check_come_back, check_readers, check_same
from kit_support.compiled import need_compiler, with_judge
from kit_support.examples import examples, share

SEEDS = share(range(80))
READ_SEEDS = share(range(100, 160))
"""Of specs that views read, and writers only in part."""
PACKAGE = "random_formats"
NUMBERS = ("u1", "s1", "u2", "s2", "u4", "s4", "u8", "s8", "f4", "f8")
REFUSED = (
    KaitaiStructError, EOFError, ValueError, IndexError, TypeError, AttributeError, OverflowError,
    zlib.error,
)  # fmt: skip
KINDS = {1: ("number", "s2"), 2: ("real", "f4"), 3: ("word", "u8")}


@dataclass
class Layout:
    """A type that is drawn."""

    name: str
    seq: list[dict[str, Any]] = field(default_factory=list)
    instances: dict[str, Any] = field(default_factory=dict)
    params: list[dict[str, Any]] = field(default_factory=list)
    enums: dict[str, Any] = field(default_factory=dict)
    view: bool = False

    def yaml(self) -> dict[str, Any]:
        parts = {
            "-kit-view": self.view, "params": self.params, "seq": self.seq,
            "instances": self.instances, "enums": self.enums,
        }  # fmt: skip
        return {key: value for key, value in parts.items() if value}


class Drawn:
    """A spec that is drawn from a seed."""

    def __init__(self, seed: int) -> None:
        self.rng, self.name = random.Random(seed), f"f{seed}"
        self.types: list[Layout] = []
        self.arrays: list[tuple[str, str]] = []  # fields of the root that repeat records
        self.load: Callable[[str], ModuleType]
        self.root = Layout(self.name, view=True)
        if seed in READ_SEEDS:
            self.root.seq.append({"id": "n", "type": "u1"})
            for _ in range(self.rng.randrange(2, 6)):
                self.rng.choice(
                    (self.number, self.bits, self.varint, self.words, self.choice, self.until_zero,
                     self.pairs, self.packed, self.around, self.boxes)
                )(self.root)  # fmt: skip
            self.rng.choice((self.footer, self.rest_of_words, self.nothing))(self.root)
            return
        for _ in range(self.rng.randrange(2, 7)):
            self.rng.choice(
                (self.number, self.text, self.numbers, self.records, self.optional, self.window,
                 self.placed, self.by_param, self.by_enum, self.magic, self.nested, self.marker,
                 self.until, self.room, self.line, self.one_of, self.encoded)
            )(self.root)  # fmt: skip
        if not any("pos" in raw for raw in self.root.instances.values()):
            last = (self.nothing, self.rest, self.last_records, self.from_the_end)
            self.rng.choice(last)(self.root)

    def parsed(self, data: bytes) -> Any:
        parser = getattr(self.load(f"parsers.{self.name}"), self.name.capitalize())
        return parser(KaitaiStream(io.BytesIO(data)))

    def view(self, data: bytes) -> Any:
        return getattr(self.load(f"views.{self.name}"), self.name.capitalize())(data, 0, 0)

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
        return name if name[1] == "1" or name[2:] else name + self.rng.choice(("", "le", "be"))

    def count(self, layout: Layout, word: str) -> str:
        """A number that is computed: a count or a length."""
        name = self.id(layout, word)
        kind = self.kind(("u1", "s1", "u2", "s2", "s4", "s4le", "u8", "u8"))
        layout.seq.append({"id": name, "type": kind} | self.rng.choice(({}, {"valid": {"min": 0}})))
        if self.rng.random() < 0.3:
            layout.instances[f"of_{name}"] = {"value": f"{name} + 1"}
        return name

    def linear(self, name: str) -> str:
        """A count or a length, which may be less than the number that is stored."""
        return self.rng.choice((name, name, f"{name} - 3", f"({name} - 2) / 2"))

    def number(self, layout: Layout) -> None:
        kind, name = self.kind(), self.id(layout, "n")
        bits, code = 8 * int(kind[1]), kind[0]
        raw: dict[str, Any] = {"id": name, "type": kind}
        choice = self.rng.randrange(6)
        if code != "f" and choice == 0:
            raw["valid"] = {"min": -5 if code == "s" else 1, "max": 90}
        elif code != "f" and choice == 1:
            raw["valid"] = 7
        elif code != "f" and choice == 2:
            raw["valid"] = {"any-of": [4, 5]}
        elif code != "f" and choice == 3:
            raw["-kit-value"] = 3
        elif code != "f" and (known := self.integer(layout)):
            raw["valid"] = {"min": f"{known} - {known} - 0"}
        elif code == "f" and choice < 2:
            raw["valid"] = {"min": -1000} if choice else {"max": 1000}
        layout.seq.append(raw)
        if code != "f" and bits < 64 and self.rng.random() < 0.3:
            value = self.rng.choice((f"-1 - {name}", f"{name} > 5 ? {name} : 2", f"{name} / 3 + 1"))
            layout.instances[f"of_{name}"] = {"value": value}

    def integer(self, layout: Layout) -> str | None:
        """An integer that is always there, for an expression."""
        there = [raw for raw in layout.seq if str(raw.get("type"))[0] in "us" and "if" not in raw]
        single = [raw["id"] for raw in there if raw["type"][1] in "124" and "repeat" not in raw]
        return self.rng.choice(single) if single else None

    def text(self, layout: Layout) -> None:
        """A text behind its length, with other numbers between them now and then."""
        size = self.count(layout, "len")
        for _ in range(self.rng.choice((0, 0, 1, 2))):
            self.number(layout)
        name = self.id(layout, "text")
        layout.seq.append({"id": name, "size": self.linear(size)})

    def numbers(self, layout: Layout) -> None:
        count, name, kind = self.count(layout, "num"), self.id(layout, "list"), self.kind()
        repeat = {"repeat": "expr", "repeat-expr": self.linear(count)}
        layout.seq.append({"id": name, "type": kind, **repeat})
        if self.rng.random() < 0.3:
            layout.seq[-1]["valid"] = {"min": 0}

    def record(self) -> Layout:
        """A type of records, which is flat or not."""
        record = self.new_type()
        for _ in range(self.rng.randrange(1, 4)):
            self.number(record)
        self.rng.choice((self.text, self.string, self.nothing, self.nested))(record)
        self.rng.choice((self.number, self.nothing, self.optional))(record)
        return record

    def records(self, layout: Layout) -> None:
        record = self.record()
        count, name = self.count(layout, "num"), self.id(layout, "rows")
        layout.seq.append({"id": name, "type": record.name, "repeat": "expr", "repeat-expr": count})
        self.arrays.append((name, record.name))

    def last_records(self, layout: Layout) -> None:
        """Records of one size up to the end."""
        record, name = self.new_type(), self.id(layout, "tail")
        for draw in (self.number, self.rng.choice((self.nothing, self.string))):
            draw(record)
        layout.seq.append({"id": name, "type": record.name, "repeat": "eos"})
        self.arrays.append((name, record.name))

    def rest(self, layout: Layout) -> None:
        name = self.id(layout, "rest")
        layout.seq.append({"id": name, "size-eos": True})
        if self.rng.random() < 0.5:
            layout.seq[-1]["if"] = "not _io.eof"

    def nothing(self, layout: Layout) -> None:
        pass

    def string(self, layout: Layout) -> None:
        """Bytes of one size."""
        size, name = self.rng.choice((1, 3, 8)), self.id(layout, "chars")
        layout.seq.append({"id": name, "size": size})

    def magic(self, layout: Layout) -> None:
        layout.seq.append({"id": self.id(layout, "magic"), "contents": [1, self.rng.randrange(9)]})

    def nested(self, layout: Layout) -> None:
        """An object: of a single value, or of more."""
        inner, name = self.new_type(), self.id(layout, "inner")
        self.rng.choice((self.number, self.text, self.string))(inner)
        if self.rng.random() < 0.3:
            self.number(inner)
        layout.seq.append({"id": name, "type": inner.name})

    def marker(self, layout: Layout) -> None:
        """A position, and an object that is counted by it."""
        spot, inner, name = self.new_type(), self.new_type(), self.id(layout, "spot")
        spot.params.append({"id": "at", "type": "s8"})
        layout.seq.append({"id": name, "type": f"{spot.name}(_io.pos)"})
        self.place(layout, inner, lambda offset: f"{name}.at + {offset}")

    def by_enum(self, layout: Layout) -> None:
        """Records whose key is of one of several types, by a number before them."""
        key, record, kind = self.new_type(), self.new_type(), self.id(layout, "kind")
        for one in (key, record):
            one.params.append({"id": "kind", "type": "u1"})
        enum = f"{key.name}_kinds"
        key.enums[enum] = {number: name for number, (name, _) in KINDS.items()}
        key.instances["of_kind"] = {"value": "kind", "enum": enum}
        for name, code in KINDS.values():
            key.seq.append({"id": name, "type": code, "if": f"of_kind == {enum}::{name}"})
        record.seq.append({"id": "key", "type": f"{key.name}(kind)"})
        self.number(record)
        layout.seq.append({"id": kind, "type": "u1", "valid": {"any-of": list(KINDS)}})
        count, name = self.count(layout, "num"), self.id(layout, "keyed")
        call = f"{record.name}({kind})"
        layout.seq.append({"id": name, "type": call, "repeat": "expr", "repeat-expr": count})

    def until(self, layout: Layout) -> None:
        """Objects up to one that says so; each gets the number of the one before it."""
        one, name = self.new_type(), self.id(layout, "list")
        one.params.append({"id": "previous", "type": "u1"})
        one.seq += [
            {"id": "step", "type": "u1", "valid": {"max": 9}},
            {"id": "more", "type": "u2", "if": "number >= 8"},
        ]
        one.instances["number"] = {"value": "previous + step"}
        by_index = f"_index == 0 ? 0 : {name}[_index - 1].number"
        before = self.rng.choice((by_index, f"{name}.size == 0 ? 0 : {name}.last.number"))
        layout.seq.append(
            {
                "id": name, "type": f"{one.name}({before})", "repeat": "until",
                "repeat-until": "_.step == 0",
            }
        )  # fmt: skip

    def optional(self, layout: Layout) -> None:
        """Fields that are there on one condition."""
        flag = self.id(layout, "has")
        layout.seq.append({"id": flag, "type": "u1", "valid": {"max": 1}})
        before = len(layout.seq)
        for _ in range(self.rng.randrange(1, 3)):
            self.rng.choice((self.number, self.number, self.string, self.numbers))(layout)
        for raw in layout.seq[before:]:
            raw["if"] = f"{flag} == 1"
            raw.pop("-kit-value", None)
            if value := layout.instances.get(f"of_{raw['id']}"):
                value["if"] = raw["if"]

    def window(self, layout: Layout) -> None:
        inner, size = self.new_type(), self.count(layout, "len")
        self.number(inner)
        rest = self.id(inner, "rest")
        if self.rng.random() < 0.5:
            inner.seq.append({"id": rest, "type": "u2", "repeat": "eos"})
        else:
            inner.seq.append({"id": rest, "size-eos": True})
        name = self.id(layout, "box")
        layout.seq.append({"id": name, "type": inner.name, "size": size})

    def room(self, layout: Layout) -> None:
        """An object in more bytes than it has."""
        inner, name = self.new_type(), self.id(layout, "room")
        self.number(inner)
        layout.seq.append({"id": name, "type": inner.name, "size": self.rng.choice((8, 11))})

    def line(self, layout: Layout) -> None:
        """Text up to a terminator, or of one size."""
        name, encoding = self.id(layout, "line"), self.rng.choice(("UTF-8", "ASCII"))
        wide = {"type": "strz"} | ({"terminator": 10} if encoding == "ASCII" else {})
        padded = {"type": "str", "size": 6, "pad-right": 0x20, "encoding": "ASCII"}
        raw = self.rng.choice((wide, padded))
        layout.seq.append({"id": name, "encoding": encoding} | raw)

    def one_of(self, layout: Layout) -> None:
        """One of several types, by a number before it."""
        kind, inner, name = self.id(layout, "kind"), self.new_type(), self.id(layout, "one")
        self.number(inner)
        cases = {1: "u2", 2: inner.name, 3: "s8"}
        layout.seq.append({"id": kind, "type": "u1", "valid": {"any-of": list(cases)}})
        layout.seq.append({"id": name, "type": {"switch-on": kind, "cases": cases}})

    def encoded(self, layout: Layout) -> None:
        """Bytes that are stored in another form."""
        size, name = self.count(layout, "len"), self.id(layout, "coded")
        process = self.rng.choice(("zlib", "xor(9)", "rol(3)"))
        layout.seq.append({"id": name, "size": size, "process": process})

    def placed(self, layout: Layout) -> None:
        self.place(layout, self.new_type(), lambda offset: offset)

    def place(self, layout: Layout, inner: Layout, at: Callable[[str], str]) -> None:
        offset, inner.view = self.id(layout, "ofs"), True
        layout.seq.append({"id": offset, "type": self.kind(("u2", "s4", "u8"))})
        self.number(inner)
        self.text(inner)
        name = self.id(layout, "there")
        layout.instances[name] = {"pos": at(offset), "type": inner.name}

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

    def from_the_end(self, layout: Layout) -> None:
        """A footer with the position of another object, and its length."""
        footer, inner = self.new_type(), self.new_type()
        footer.view = inner.view = True
        footer.seq += [{"id": "ofs", "type": "u2"}, {"id": "len", "type": "u1"}]
        self.magic(footer)
        self.numbers(inner)
        self.text(inner)
        layout.instances["footer"] = {"pos": "_io.size - 5", "type": footer.name}
        there = {"pos": "footer.ofs", "size": "footer.len", "type": inner.name}
        layout.instances["table"] = there

    # -- Fields that are only read

    def bits(self, layout: Layout) -> None:
        """Bits that fill bytes, or are followed by a number."""
        order = self.rng.choice(("", "be", "le"))
        sizes = [self.rng.choice((1, 2, 7, 12, 33)) for _ in range(self.rng.randrange(1, 5))]
        is_filled = self.rng.random() < 0.7
        for size in [*sizes, *([-sum(sizes) % 8] if is_filled and sum(sizes) % 8 else [])]:
            layout.seq.append({"id": self.id(layout, "bits"), "type": f"b{size}{order}"})
        if not is_filled:
            layout.seq.append({"id": self.id(layout, "after"), "type": "u1"})

    def varint(self, layout: Layout) -> None:
        """Groups of seven bits."""
        whole, group = self.new_type(), self.new_type()
        order = self.rng.choice(("", "le"))
        group.seq += [{"id": "more", "type": f"b1{order}"}, {"id": "value", "type": f"b7{order}"}]
        repeat = {"repeat": "until", "repeat-until": "not _.more"}
        whole.seq.append({"id": "groups", "type": group.name, **repeat})
        whole.instances["value"] = {
            "value": "groups.last.value + (groups.size > 1 ? groups.first.value : 0)"
        }
        layout.seq.append({"id": self.id(layout, "varint"), "type": whole.name})

    def words(self, layout: Layout) -> None:
        """Text, or bytes, of a size or up to a terminator."""
        raw: dict[str, Any] = {"id": self.id(layout, "word")}
        if self.rng.random() < 0.7:
            raw |= {"type": "str", "encoding": self.rng.choice(("UTF-8", "ASCII", "IBM437"))}
            layout.instances[f"of_{raw['id']}"] = {"value": f"{raw['id']}.length + n"}
        for key in ("include", "consume", "eos-error"):
            raw |= {key: self.rng.random() < 0.5} if self.rng.random() < 0.3 else {}
        if self.rng.random() < 0.5:
            raw |= {"size": self.rng.choice((3, "n"))}
            raw |= {"pad-right": self.rng.choice((0, 65))} if self.rng.random() < 0.5 else {}
            raw |= {"terminator": self.rng.choice((0, 65))} if self.rng.random() < 0.5 else {}
        else:
            raw |= {"terminator": self.rng.choice((0, 65, 3))}
        if self.rng.random() < 0.3:
            raw |= {"repeat": "expr", "repeat-expr": 2}
            layout.instances.pop(f"of_{raw['id']}", None)
        layout.seq.append(raw)

    def rest_of_words(self, layout: Layout) -> None:
        raw = {"type": "strz", "encoding": "ISO-8859-1", "repeat": "eos", "eos-error": False}
        layout.seq.append({"id": self.id(layout, "words"), **raw})

    def choice(self, layout: Layout) -> None:
        """One of several types."""
        inner, name, number = self.new_type(), self.id(layout, "one"), self.kind(("u2", "s4", "f4"))
        self.rng.choice((self.words, self.bits, self.number))(inner)
        inner.seq.insert(0, {"id": "n", "type": "u1"})
        cases: dict[Any, str] = {0: number, 1: inner.name, 2: "u1"}
        if self.rng.random() < 0.5:
            cases["_"] = inner.name
        raw: dict[str, Any] = {"id": name, "type": {"switch-on": "n", "cases": cases}}
        if self.rng.random() < 0.3:
            raw["size"] = self.rng.choice((4, 9))
        if "_" in cases and self.rng.random() < 0.4:
            raw |= {"repeat": "expr", "repeat-expr": 2}
        layout.seq.append(raw)

    def until_zero(self, layout: Layout) -> None:
        kind = self.kind(("u1", "u2", "s4"))
        until = self.rng.choice(("_ == 0", "_ > 3 or _index == 2", "_io.eof"))
        raw = {"type": kind, "repeat": "until", "repeat-until": until}
        layout.seq.append({"id": self.id(layout, "list"), **raw})

    def pairs(self, layout: Layout) -> None:
        raw = {"size": self.rng.choice((2, "n")), "repeat": "expr", "repeat-expr": 3}
        layout.seq.append({"id": self.id(layout, "pairs"), **raw})
        name = layout.seq[-1]["id"]
        layout.instances[f"of_{name}"] = {"value": f"{name}[1].size + {name}.last.length"}

    def packed(self, layout: Layout) -> None:
        """Encoded bytes, or objects in them."""
        process = self.rng.choice(("xor(n)", "xor([1, 2])", "rol(3)", "ror(1)", "zlib", "xor(5)"))
        raw = {
            "id": self.id(layout, "packed"),
            "size": self.rng.choice((5, "n")),
            "process": process,
        }
        if self.rng.random() < 0.5:
            inner = self.new_type()
            self.number(inner)
            raw["type"] = inner.name
        layout.seq.append(raw)

    def around(self, layout: Layout) -> None:
        """An object that asks for fields of those around it."""
        outer, inner = self.new_type(), self.new_type()
        outer.seq.append({"id": "size", "type": "u1", "valid": {"max": 4}})
        outer.seq.append({"id": "inner", "type": inner.name})
        of = self.rng.choice(("_parent.size", "_root.n", "_parent._parent.n", "_root.n % 3"))
        inner.seq.append({"id": "data", "size": of})
        inner.instances["sum"] = {"value": "_root.n + _parent.size + data.size"}
        layout.seq.append({"id": self.id(layout, "around"), "type": outer.name})

    def boxes(self, layout: Layout) -> None:
        """Objects of a size each, with or without fields."""
        inner = self.new_type()
        if self.rng.random() < 0.6:
            inner.seq.append({"id": "rest", "type": "u2", "repeat": "eos"})
        raw = {"type": inner.name, "size": self.rng.choice(("n", 4))}
        if self.rng.random() < 0.5:
            raw |= {"repeat": "expr", "repeat-expr": "n / 2"}
        layout.seq.append({"id": self.id(layout, "boxes"), **raw})

    def footer(self, layout: Layout) -> None:
        """An object at the end of the file."""
        inner = self.new_type()
        inner.view = True
        inner.seq.append({"id": "magic", "type": "u4"})
        layout.instances["footer"] = {"pos": "_io.size - 4", "type": inner.name}


def constants(layout: Layout) -> dict[str, int]:
    """The fields that are the same in all objects, unless they are set."""
    values = {raw["id"]: raw.get("-kit-value", raw.get("valid")) for raw in layout.seq}
    return {name: value for name, value in values.items() if type(value) is int}


@pytest.fixture(scope="module")
def formats(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[int, Drawn]]:
    """The drawn specs, with what is generated from them."""
    need_compiler()
    folder = tmp_path_factory.mktemp("random")
    specs = folder / "specs"
    specs.mkdir()
    drawn = {seed: Drawn(seed) for seed in (*SEEDS, *READ_SEEDS)}
    for one in drawn.values():
        with (specs / f"{one.name}.ksy").open("w") as file:
            YAML().dump(one.yaml(), file)
        one.load = lambda module: importlib.import_module(f"{PACKAGE}.{module}")
    missing: list[str] = []
    write_files(with_judge(load_specs(specs), missing), folder / PACKAGE)
    readable = tuple(f"specs/f{seed}.ksy:" for seed in READ_SEEDS)
    wrong = [x for x in missing if not (x.startswith(readable) and ": structs: " in x)]
    assert all("left out: it asks for len_" in line for line in wrong), wrong
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield drawn
    for name in [name for name in sys.modules if name.split(".")[0] == PACKAGE]:
        del sys.modules[name]


@pytest.mark.parametrize("seed", SEEDS)
@examples(32)
@given(st.data())
def test_objects_come_back(seed: int, formats: dict[int, Drawn], data: st.DataObject) -> None:
    """And damaged bytes are refused by all readers, or read alike."""
    one = formats[seed]
    type_ = type_named(PACKAGE, one.name)
    drawn = data.draw(st.composite(lambda draw: draw_object(draw, type_, {}, {}))())
    written = check_come_back(drawn)
    view, parsed = one.view(written), one.parsed(written)
    check_places(one, view, parsed, written)
    for name, record in one.arrays:
        check_columns(one, view, type_.read(written), name, record)
    whole, size = int.from_bytes(written), 8 * len(written)
    flips = data.draw(st.lists(st.integers(0, size - 1), max_size=10)) if written else []
    damaged = [(whole ^ 1 << flip).to_bytes(len(written)) for flip in flips]
    at = data.draw(st.integers(0, len(written)))
    ones = data.draw(st.sampled_from((1, 4, 8)))  # -1, NaN, numbers of more than 63 bits
    damaged += [written[:at] + b"\xff" * ones + written[at + ones :], written[:at]]
    for file in damaged:
        check_readers(type_, file, {})


def check_places(one: Drawn, view: Any, parsed: Any, data: bytes) -> None:
    """Where an instance is, its view sees what the parser does."""
    for name in one.root.instances:
        if (find := getattr(view, f"place_{name}", None)) is not None:
            start, size = find(*(getattr(parsed, other) for other in signature(find).parameters))
            other = getattr(parsed, name)
            cls = getattr(one.load(f"views.{one.name}"), type(other).__name__)
            check_same(cls(data[: len(data) if size is None else start + size], 0, start), other)


def check_columns(one: Drawn, view: Any, parsed: Any, name: str, record: str) -> None:
    """Columns are written as the objects are; not all records are flat."""
    if hasattr(view, name):
        return
    layout = getattr(one.load(f"views.{one.name}"), record.upper())
    expected = list(map(to_bytes, getattr(parsed, name)))
    slots = [field.column for field in layout.fields]
    columns = {c: getattr(view, f"{name}_{c}") for c in slots if hasattr(view, f"{name}_{c}")}
    strings = {f.column for f in layout.numbers if f.code[-1] == "s"}
    for string in strings & columns.keys():
        columns[string] = np.array([list(x) for x in columns[string]], np.uint8)
    if expected:
        assert list(layout.pack(**columns)) == expected
    same = constants(next(layout for layout in one.types if layout.name == record))
    if expected and not columns.keys() <= same.keys():  # else there is nothing to count
        rest = {c: x for c, x in columns.items() if c not in same or set(x) != {same[c]}}
        assert list(layout.pack(**rest)) == expected


@pytest.mark.parametrize("seed", READ_SEEDS)
@examples(150)
@given(
    st.lists(st.sampled_from((0, 1, 2, 3, 4, 65, 66)) | st.integers(0, 255), max_size=40),
    st.sampled_from((b"", zlib.compress(b"abcdefgh"), bytes(60))),
)
def test_views_read_any_bytes_as_the_parser_does(
    formats: dict[int, Drawn], seed: int, numbers: list[int], end: bytes
) -> None:
    one, data = formats[seed], bytes(numbers) + end
    try:
        parsed = one.parsed(data)
    except REFUSED:
        with pytest.raises(FormatError):
            one.view(data)
        return
    check_same(one.view(data), parsed)


UNREADABLE: dict[str, tuple[str, str, str]] = {
    "bits that fill no bytes": (
        "seq: [{id: a, type: b3}]",
        "/seq/0",
        "its bits do not fill bytes",
    ),
    "a repeat of bits": (
        "seq: [{id: a, type: b4, repeat: expr, repeat-expr: 2}]",
        "/seq/0",
        "it is a repeat of bits",
    ),
    "elements that may not be there": (
        "seq: [{id: a, type: {switch-on: 1, cases: {1: u1}}, repeat: expr, repeat-expr: 2}]",
        "/seq/0",
        "it is a repeat of a switch without a case for all else",
    ),
    "a field of an instance": (
        "seq: [{id: b, size: a.size}]\ninstances: {a: {pos: 0, type: t}}\n"
        "types: {t: {seq: [{id: size, type: u1}, {id: more, type: u1}]}}",
        "/seq/0",
        "a is not a view",
    ),
    "a field of a nested object that is one value": (
        "seq: [{id: a, type: t}, {id: b, size: a.size}]\n"
        "types: {t: {seq: [{id: size, type: u1}, {id: text, size: size}]}}",
        "/seq/1",
        "a is not a view",
    ),
    "a field of the object around it": (
        "seq: [{id: size, type: u1}, {id: a, type: t}]\n"
        "types: {t: {seq: [{id: b, size: _parent.size}, {id: c, type: u1}]}}\n"
        "instances: {again: {pos: 0, type: t}}",
        "/types/t/seq/0",
        "it asks for an object around it that may be of several types",
    ),
    "what is valid in a repeat": (
        "seq: [{id: n, type: u1}, {id: a, type: u1, repeat: eos, valid: {min: n}}]",
        "/seq/1",
        "what is valid in a repeat depends on other fields",
    ),
    "a column like a field": (
        "seq: [{id: a_b, type: u1}, {id: a, type: t, repeat: eos}]\n"
        "types: {t: {seq: [{id: b, type: u1}]}}",
        "",
        "a view has a_b twice",
    ),
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_what_a_view_cannot_read_is_refused_by_name(case: str, tmp_path: Path) -> None:
    body, path, reason = UNREADABLE[case]
    head = "meta: {id: far, endian: be}\n-kit-view: true\n"
    (tmp_path / "far.ksy").write_text(head + body)
    world = World(load_specs(tmp_path))
    with pytest.raises(SpecError) as error:
        view_modules(world)
    assert (error.value.path, error.value.file) == (path, f"{tmp_path.name}/far.ksy")
    assert error.value.message.removeprefix("cannot be read by a view: ") == reason
    assert error.value.remedy
