"""Java's "modified UTF-8", as `java.io.DataOutput.writeUTF` writes names.

NUL is `C0 80`; a character outside the basic plane is its two surrogates, three bytes each.
https://docs.oracle.com/en/java/javase/17/docs/api/java.base/java/io/DataInput.html#modified-utf-8
"""

from __future__ import annotations

import re

from paimon_ksy.errors import PaimonKsyError

MAX_BYTES = 65535
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_SUPPLEMENTARY = re.compile("[\U00010000-\U0010ffff]")


def decode(data: bytes) -> str:
    """Decode modified UTF-8. Surrogates that stand alone are kept: a Java string may hold them.

    Raises:
        UnicodeDecodeError: The bytes are not modified UTF-8.
    """
    if data.isascii():
        return data.decode("ascii")
    for i, byte in enumerate(data):
        if byte >= 0xF0:  # what plain UTF-8 has for supplementary characters
            raise UnicodeDecodeError("modified utf-8", data, i, i + 1, "a sequence of four bytes")
    text = data.replace(b"\xc0\x80", b"\x00").decode("utf-8", "surrogatepass")
    return _PAIR.sub(lambda pair: _join(*pair.group()), text)


def encode(text: str) -> bytes:
    """Encode text in modified UTF-8.

    Raises:
        PaimonKsyError: It takes more than 65,535 bytes.
    """
    data = _SUPPLEMENTARY.sub(lambda match: _split(match.group()), text)
    encoded = data.encode("utf-8", "surrogatepass").replace(b"\x00", b"\xc0\x80")
    if len(encoded) > MAX_BYTES:
        raise PaimonKsyError(
            f"the name {text[:20]!r}... takes {len(encoded)} bytes; "
            f"Java writes names of up to {MAX_BYTES}"
        )
    return encoded


def _join(high: str, low: str) -> str:
    return chr(0x10000 + (ord(high) - 0xD800) * 0x400 + (ord(low) - 0xDC00))


def _split(character: str) -> str:
    above = ord(character) - 0x10000
    return chr(0xD800 + above // 0x400) + chr(0xDC00 + above % 0x400)
