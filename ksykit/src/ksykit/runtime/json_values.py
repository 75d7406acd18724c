"""Single values as JSON, without loss: numbers, bytes, and runs of elements that count up."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Any

from .errors import FormatError
from .integers import decode_integer, encode_integer, is_integer

REPEAT = "$repeat"
"""The key for how many elements a JSON object stands for, each of which counts one more."""
MOST_REPEATED = 1 << 28


class Kind:
    """A kind of number: its name in the specs, and how it is packed."""

    __slots__ = ("code", "is_float", "name", "order", "pack", "packer", "size")

    def __init__(self, name: str, packer: str) -> None:
        self.name, self.packer = name, struct.Struct(packer)
        self.pack, self.size, self.is_float = self.packer.pack, self.packer.size, name[0] == "f"
        self.order, self.code = packer[:-1], packer[-1]

    @property
    def limits(self) -> tuple[int, int]:
        """The least and the greatest number."""
        most = (1 << 8 * self.size) - 1
        return (0, most) if self.name[0] == "u" else (-(most >> 1) - 1, most >> 1)

    def several(self, count: int) -> str:
        """Return the format of so many, for the struct module."""
        return f"{self.order}{count}{self.code}"

    def unpack(self, data: bytes) -> Any:
        """Return the number of these bytes."""
        return self.packer.unpack(data)[0]

    def wrapped(self, number: int) -> bytes:
        """Return the bytes of an integer of any size; bits that do not fit are dropped."""
        bits = 8 * self.size
        low = number % (1 << bits)
        is_negative = self.name[0] == "s" and low >> (bits - 1)
        return self.pack(low - (1 << bits) if is_negative else low)

    @property
    def dtype(self) -> str:
        """Numpy's type string, in the file's byte order."""
        letter = "i" if self.name[0] == "s" else self.name[0]
        return f"{self.order}{letter}{self.size}"


class BitKind(Kind):
    """A kind of number of so many bits, the most significant of which comes first if '>'."""

    __slots__ = ("bits",)

    def __init__(self, bits: int, order: str) -> None:
        self.name, self.bits, self.order, self.is_float = f"b{bits}", bits, order, False
        self.size = (bits + 7) // 8

    @property
    def limits(self) -> tuple[int, int]:
        """The least and the greatest number."""
        return 0, (1 << self.bits) - 1

    @property
    def dtype(self) -> str:
        """Numpy's type of the shortest number that has so many bits."""
        return f"u{next(size for size in (1, 2, 4, 8) if self.bits <= 8 * size)}"


U1, S1 = Kind("u1", "B"), Kind("s1", "b")
U2LE, U2BE = Kind("u2", "<H"), Kind("u2", ">H")
S2LE, S2BE = Kind("s2", "<h"), Kind("s2", ">h")
U4LE, U4BE = Kind("u4", "<I"), Kind("u4", ">I")
S4LE, S4BE = Kind("s4", "<i"), Kind("s4", ">i")
U8LE, U8BE = Kind("u8", "<Q"), Kind("u8", ">Q")
S8LE, S8BE = Kind("s8", "<q"), Kind("s8", ">q")
F4LE, F4BE = Kind("f4", "<f"), Kind("f4", ">f")
F8LE, F8BE = Kind("f8", "<d"), Kind("f8", ">d")


def number_to_json(value: Any, kind: Kind) -> Any:
    """Return a number as JSON."""
    if not kind.is_float:
        return int(value)
    value = float(value)
    if math.isnan(value):
        packed = kind.pack(value)
        return "NaN" if packed == kind.pack(math.nan) else {"bits": packed.hex()}
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return "-0.0" if value == 0 and math.copysign(1, value) < 0 else value


def number_from_json(doc: Any, kind: Kind) -> Any:
    """Return the number of a JSON value. Raises FormatError or ValueError."""
    if not kind.is_float:
        if type(doc) is not int:
            raise FormatError(f"{doc!r} is not an integer")
        return doc
    if isinstance(doc, dict):
        return kind.unpack(bytes.fromhex(doc["bits"]))
    return float(doc)


def bytes_to_json(value: bytes, encoding: str | None) -> Any:
    """Bytes as text, if there is text that encodes to just these bytes, else as hex."""
    text = _decode(value, encoding)
    return {"hex": value.hex()} if text is None else text


def _decode(value: bytes, encoding: str | None) -> str | None:
    """Text that encodes to just these bytes; None if there is none."""
    if encoding is None:
        return None
    try:
        if is_integer(encoding):
            text = str(decode_integer(value, encoding))
            return text if encode(text, encoding) == value else None
        if encoding == "utf-8":
            return value.decode()
        text = from_modified_utf8(value)
        text.encode()  # half of a pair is no text
        return text if encode(text, encoding) == value else None
    except ValueError:  # no such text, no byte of an integer, or one of too many digits
        return None


def encode(text: str, encoding: str | None) -> bytes:
    """Return the bytes of a text. Raises FormatError."""
    if encoding == "utf-8":
        return text.encode()
    if encoding is None:
        raise FormatError(f"{text!r} is not bytes; write {{'hex': '..'}}")
    if is_integer(encoding):
        try:
            return encode_integer(int(text), encoding)
        except ValueError:
            raise FormatError(f"{text[:40]!r} is not an integer, or too long") from None
    return to_modified_utf8(text)


def from_modified_utf8(data: bytes) -> str:
    """Return the text of Java's modified UTF-8. Raises UnicodeDecodeError."""
    text = data.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def to_modified_utf8(text: str) -> bytes:
    """Return Java's modified UTF-8: NUL is `C0 80`, and each surrogate of a pair three bytes."""
    units = text.encode("utf-16-le", "surrogatepass")
    halves = "".join(map(chr, struct.unpack(f"<{len(units) // 2}H", units)))
    return halves.encode("utf-8", "surrogatepass").replace(b"\0", b"\xc0\x80")


# --- Runs: elements that differ in their first number alone, which counts up ---


def add_to_runs(docs: list[Any], doc: Any, counter: str) -> None:
    """Append the JSON of an element, or count it if it continues the run of the last one.

    Elements of a run differ in `counter`. It is stored as the first one, with `"$repeat"`.
    """
    last = docs[-1] if docs else {}
    many = last.get(REPEAT, 1)
    are_counted = counter in last and counter in doc
    if are_counted and last | {counter: last[counter] + many, REPEAT: 0} == doc | {REPEAT: 0}:
        docs[-1] = {REPEAT: many + 1} | {key: last[key] for key in last if key != REPEAT}
    else:
        docs.append(doc)


def runs(docs: Sequence[Any], counter: str) -> list[tuple[Any, int]]:
    """Return the first element of each run, and how many there are. Raises FormatError."""
    counted = []
    for doc in docs:
        many = doc.get(REPEAT)
        if many is None:
            many = 1
        elif type(many) is not int or many < 1 or type(doc.get(counter)) is not int:
            message = f'"{REPEAT}" needs a count, and "{counter}" of the first element'
            raise FormatError(message)
        counted.append(
            ({k: v for k, v in doc.items() if k != REPEAT} if REPEAT in doc else doc, many)
        )
    if sum(many for _, many in counted) > MOST_REPEATED:
        raise FormatError(f'"{REPEAT}" counts more than {MOST_REPEATED:,} elements')
    return counted


def run_of(first: bytes, kind: Kind, many: int) -> list[bytes]:
    """Return the elements of a run, from the first one. Raises struct.error."""
    (start,), rest = kind.packer.unpack_from(first), first[kind.size :]
    return [kind.pack(start + i) + rest for i in range(many)]
