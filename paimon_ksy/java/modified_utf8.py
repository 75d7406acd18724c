"""Java's "modified UTF-8", as `java.io.DataOutput.writeUTF` writes names.

NUL is `C0 80`; a character outside the basic plane is its two surrogates, three bytes each.
https://docs.oracle.com/en/java/javase/17/docs/api/java.base/java/io/DataInput.html#modified-utf-8
"""

from __future__ import annotations

from ksykit.runtime.json_values import from_modified_utf8, to_modified_utf8

from paimon_ksy.errors import PaimonKsyError

MAX_BYTES = 65535


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
    return from_modified_utf8(data)


def encode(text: str) -> bytes:
    """Encode text in modified UTF-8.

    Raises:
        PaimonKsyError: It takes more than 65,535 bytes.
    """
    encoded = to_modified_utf8(text)
    if len(encoded) > MAX_BYTES:
        raise PaimonKsyError(
            f"the name {text[:20]!r}... takes {len(encoded)} bytes; "
            f"Java writes names of up to {MAX_BYTES}"
        )
    return encoded
