"""Print how long readers of four formats take: ksykit, numpy by hand, and other libraries.

    python ksykit/tools/bench.py [--rounds N] [--only NAME]

Each figure is CPU time in milliseconds, the best of N rounds, all in one process. A reader whose
library or compiler is missing is left out by name. Each reader yields one column, which is
compared with what was written. `view, bytes` also makes a bytes object of each string, as others
do; Kaitai's parser and the other libraries also collect the values of one field in a list.
"""

from __future__ import annotations

import argparse
import importlib
import struct
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from ksykit.generator.generate import render_kaitai
from ksykit.generator.load import load_specs
from ksykit.in_memory import install
from ksykit.io import open_source, read_view
from ksykit.opening import Opened, loaded
from ksykit.runtime.varints import pack_integers

HEAD = """
seq:
  - {id: num, type: u4}
  - {id: items, type: item, repeat: expr, repeat-expr: num}
types:
"""
_MORE = "\n".join(
    f"          + (groups.size > {i} ? (groups[{i}] & 127) << {7 * i} : 0)" for i in range(1, 9)
)
VARINT = f"""
  item:
    -kit-leb128: true
    seq:
      - {{id: groups, type: u1, repeat: until, repeat-until: _ < 128}}
    instances:
      value:
        value: >-
          (groups[0] & 127)
{_MORE}
"""


@dataclass
class Format:
    """A file, how others describe it, and the values of one column of it."""

    name: str
    types: str
    data: bytes
    column: str
    values: Sequence[Any]
    by_hand: Callable[[bytes], Any]
    construct: Callable[[Any], Any]
    cstruct: str
    is_bare: bool = False  # items are numbers for readers that know varints


def _flat(count: int) -> Format:
    kind = np.dtype([("time", "<u4"), ("sensor", "<u2"), ("value", "<f4"), ("state", "u1")])
    items = np.zeros(count, kind)
    items["time"], items["value"] = np.arange(count), np.arange(count) / 8
    return Format(
        "flat records",
        "  item:\n    seq: [{id: time, type: u4}, {id: sensor, type: u2}, {id: value, type: f4},"
        " {id: state, type: u1}]",
        struct.pack("<I", count) + items.tobytes(),
        "value",
        items["value"].tolist(),
        lambda d: [np.frombuffer(d, kind, offset=4)[name].copy() for name in kind.names or ()][2],
        lambda c: c.Struct(
            "time" / c.Int32ul, "sensor" / c.Int16ul, "value" / c.Float32l, "state" / c.Int8ul
        ),
        "struct item { uint32 time; uint16 sensor; float value; uint8 state; };",
    )


def _nested(count: int) -> Format:
    kind = np.dtype([("id", "<u2"), ("at", [("x", "<f4"), ("y", "<f4")]), ("to", "<u4", 2)])
    items = np.zeros(count, kind)
    items["at"]["y"] = np.arange(count) / 8
    return Format(
        "nested records of one size",
        "  item:\n    seq: [{id: id, type: u2}, {id: at, type: point}, {id: to, type: range}]\n"
        "  point:\n    seq: [{id: x, type: f4}, {id: y, type: f4}]\n"
        "  range:\n    seq: [{id: first, type: u4}, {id: last, type: u4}]",
        struct.pack("<I", count) + items.tobytes(),
        "at.y",
        items["at"]["y"].tolist(),
        lambda d: _copied(np.frombuffer(d, kind, offset=4)),
        lambda c: c.Struct(
            "id" / c.Int16ul,
            "at" / c.Struct("x" / c.Float32l, "y" / c.Float32l),
            "to" / c.Struct("first" / c.Int32ul, "last" / c.Int32ul),
        ),
        "struct point { float x; float y; }; struct range { uint32 first; uint32 last; };"
        " struct item { uint16 id; point at; range to; };",
    )


def _copied(items: Any) -> Any:
    at, to = items["at"], items["to"]
    return [items["id"].copy(), at["x"].copy(), at["y"].copy(), to[:, 0].copy(), to[:, 1].copy()][2]


def _varints(count: int) -> Format:
    values = np.arange(count) * 37 % (1 << 21)
    return Format(
        "varints",
        VARINT,
        struct.pack("<I", count) + pack_integers(values).join(),
        "value",
        values.tolist(),
        _varints_by_hand,
        lambda c: c.VarInt,
        "",
        is_bare=True,
    )


def _varints_by_hand(d: bytes) -> Any:
    octets = np.frombuffer(d, np.uint8, offset=4)
    ends = np.flatnonzero(octets < 128)
    starts = np.append(0, ends[:-1] + 1)
    shifts = 7 * (np.arange(len(octets)) - np.repeat(starts, ends - starts + 1))
    return np.add.reduceat((octets & 127).astype(np.int64) << shifts, starts)


def _strings(count: int) -> Format:
    texts = [b"name %d" % i for i in range(count)]
    data = b"".join(struct.pack("<H", len(text)) + text for text in texts)
    return Format(
        "(length, string)",
        "  item:\n    seq: [{id: len_text, type: u2}, {id: text, size: len_text}]",
        struct.pack("<I", count) + data,
        "text",
        texts,
        _strings_by_hand,
        lambda c: c.Prefixed(c.Int16ul, c.GreedyBytes),
        "struct item { uint16 len_text; char text[len_text]; };",
    )


def _strings_by_hand(d: bytes) -> Any:
    texts, p = [], 4
    for _ in range(int.from_bytes(d[:4], "little")):
        q = p + 2 + (d[p] | d[p + 1] << 8)
        texts.append(d[p + 2 : q])
        p = q
    return texts


READERS = "Arrow", "view", "view, bytes", "numpy", "construct", "dissect", "Kaitai"
FORMATS = [(_flat, 300_000), (_varints, 50_000), (_strings, 150_000), (_nested, 300_000)]


def readers(one: Format, folder: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the names of readers, and functions that read a file and return its column."""
    spec = folder / "bench.ksy"
    spec.write_text(f"meta: {{id: bench, endian: le}}{HEAD}{one.types}\n")
    root = loaded(spec)
    view = importlib.import_module(f"{root.package}.views.bench").Bench
    source, is_nested = open_source(one.data), "." in one.column
    slot = "items" if one.is_bare else f"items_{one.column}"

    def of_view() -> Any:
        return getattr(read_view(source, view, 0, arrays=True), slot)

    if not one.is_bare:
        yield "Arrow", lambda: Opened(one.data, root).table("items").flatten()[one.column]
    if not is_nested:
        yield "view", of_view
    if isinstance(one.values[0], bytes):
        yield "view, bytes", lambda: of_view().tolist()
    yield "numpy", lambda: one.by_hand(one.data)
    yield from others(one)
    parser = importlib.import_module(f"{install(render_kaitai(load_specs(spec)))}.bench").Bench
    yield "Kaitai", lambda: [_value(item, one.column) for item in parser.from_bytes(one.data).items]


def others(one: Format) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the readers of other libraries, if they are installed."""
    path = "" if one.is_bare else one.column
    try:
        import construct as c
    except ModuleNotFoundError:
        print("left out: construct is not installed", file=sys.stderr)
    else:
        items = c.Array(c.this.num, one.construct(c))
        whole = c.Struct("num" / c.Int32ul, "items" / items).compile()
        inner = "" if isinstance(one.values[0], bytes) else path
        yield "construct", lambda: [_value(x, inner) for x in whole.parse(one.data)["items"]]
    try:
        from dissect.cstruct import cstruct
    except ModuleNotFoundError:
        print("left out: dissect.cstruct is not installed", file=sys.stderr)
    else:
        made = cstruct(endian="<")
        item = "uleb128" if one.is_bare else "item"
        text = f"{one.cstruct} struct bench {{ uint32 num; {item} items[num]; }};"
        made.load(text, compiled=True)
        yield "dissect", lambda: [_value(x, path) for x in made.bench(one.data)["items"]]


def _value(item: Any, path: str) -> Any:
    for name in path.split(".") if path else ():
        item = getattr(item, name)
    return item


def measured(read: Callable[[], Any], rounds: int) -> float:
    """Return the least CPU time in milliseconds."""
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        read()
        best = min(best, time.process_time() - start)
    return best * 1000


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table as Markdown."""
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="formats whose names have this")
    asked = parser.parse_args(arguments)
    print("|", " | ".join(["CPU in ms", *READERS]), "|")
    print("|---|" + "---:|" * len(READERS))
    with tempfile.TemporaryDirectory() as folder:
        for make, count in FORMATS:
            one = make(count)
            if asked.only not in one.name:
                continue
            found: dict[str, float] = {}
            for reader, read in readers(one, Path(folder)):
                if [*map(_plain, read())] != [*one.values]:
                    raise SystemExit(f"{reader} reads {one.name} wrongly")
                found[reader] = measured(read, asked.rounds)
            cells = [f"{found[name]:,.1f}" if name in found else "" for name in READERS]
            print("|", " | ".join([f"{count:,} {one.name}", *cells]), "|", flush=True)
    return 0


def _plain(value: Any) -> Any:
    if hasattr(value, "as_py"):
        return value.as_py()
    return value.item() if hasattr(value, "item") else value


if __name__ == "__main__":
    sys.exit(main())
