"""An encoder of any format is accepted if it is right. Each planted bug is found."""

import importlib
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
from ksykit.generator.generate import render_all, write_files
from ksykit.generator.load import load_specs
from ksykit.testing import assert_encodes

SPEC = """
meta: {id: sensors, endian: le, encoding: utf-8}
seq:
  - {id: magic, contents: SENS}
  - {id: version, type: u2, valid: 1}
  - {id: flags, type: u1}
  - {id: note, type: strz, if: flags & 1 == 1}
instances:
  footer: {pos: _io.size - 12, type: footer}
  table: {pos: footer.ofs_table, type: table(footer.num_readings)}
  crc32: {pos: _io.size - 4, type: u4, -kit-value: 'crc32(table)'}
types:
  footer:
    seq:
      - {id: ofs_table, type: u4}
      - {id: num_readings, type: u4}
  table:
    params: [{id: num_readings, type: u4}]
    seq: [{id: readings, type: reading, repeat: expr, repeat-expr: num_readings}]
  reading:
    seq:
      - {id: sensor, type: u2, valid: {max: 999}}
      - {id: time, type: s8}
      - {id: celsius, type: f4}
      - {id: len_raw, type: u1}
      - {id: raw, size: len_raw}
"""
ENCODER = """
def encode(file):
    head = b"SENS" + struct.pack("<HB", 1, file.flags)
    head += b"" if file.note is None else file.note.encode() + b"\\0"
    table = b""
    for reading in file.table.readings:
        table += struct.pack("<Hqf", reading.sensor, reading.time, reading.celsius)
        table += bytes([len(reading.raw)]) + reading.raw
    footer = struct.pack("<II", len(head), len(file.table.readings))
    return head + table + footer + struct.pack("<I", zlib.crc32(table))
"""
BUGS = {
    "a constant": ("SENS", "SENT"),
    "a version": ("1, file", "2, file"),
    "a condition": ('b"" if file.note is None', 'b"\\0" if file.note is None'),
    "a text": ("file.note.encode()", "file.note.encode().upper()"),
    "a byte order": ('"<Hqf"', '">Hqf"'),
    "a wrong field": ("reading.time, reading", "reading.time & -2, reading"),
    "a length": ("[len(reading.raw)]", "[len(reading.raw) & 3]"),
    "an offset": ('"<II", len(head)', '"<II", 1 + len(head)'),
    "a count": ("len(file.table.readings))", "len(file.table.readings) + 1)"),
    "a checksum": ("zlib.crc32(table)", "zlib.crc32(head)"),
    "an order": ("in file.table.readings:", "in file.table.readings[::-1]:"),
    "a lost element": ("in file.table.readings:", "in file.table.readings[:2]:"),
    "more bytes": ("head + table + footer", 'head + table + b"?" + footer'),
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    (tmp_path / "sensors.ksy").write_text(SPEC)
    write_files(render_all(load_specs(tmp_path)), tmp_path / "made_of_sensors")
    monkeypatch.syspath_prepend(str(tmp_path))
    return importlib.import_module("made_of_sensors")


def encoder(source: str) -> Any:
    scope: dict[str, Any] = {"struct": struct, "zlib": zlib}
    exec(source, scope)
    return scope["encode"]


def test_a_sound_encoder_passes(package: Any) -> None:
    assert_encodes(encoder(ENCODER), "sensors", package=package, max_examples=30)
    before = 'return head + b"...." + table'
    moved = ENCODER.replace('"<II", len(head)', '"<II", 4 + len(head)')
    moved = moved.replace("return head + table", before)
    assert_encodes(encoder(moved), "sensors", package=package, padding=True, max_examples=30)
    with pytest.raises(AssertionError, match="4 bytes belong to no field"):
        assert_encodes(encoder(moved), "sensors", package=package)


@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_is_found(bug: str, package: Any) -> None:
    right, wrong = BUGS[bug]
    assert ENCODER.count(right) == 1
    with pytest.raises(AssertionError):
        planted = encoder(ENCODER.replace(right, wrong))
        assert_encodes(planted, "sensors", package=package, max_examples=300)
