"""The partitions of manifest entries: each distinct one is decoded once."""

from __future__ import annotations

import math
from hashlib import blake2b
from threading import Lock
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from paimon_ksy.rows.binary_row import read_row
from paimon_ksy.table.model.files import internal_row
from paimon_ksy.types.arrays import to_numpy
from paimon_ksy.types.schema import Schema


class Partitions:
    """The partitions of a table by number. Threads may share an instance.

    Attributes:
        values: By number, internal values in the order of the partition keys. NaN is always the
            same object, so keys that contain it are equal.
        rows: By number, the bytes of the row.
    """

    def __init__(self, schema: Schema) -> None:
        """Start without partitions."""
        self._types = [field.type for field in schema]
        self._numbers: dict[bytes, int] = {}
        self._by_text: dict[str, int] = {}
        self._lock = Lock()
        self.values: list[tuple[Any, ...]] = []
        self.rows: list[bytes] = []
        self._hashes = np.zeros(1, np.uint64)  # by number, with spare room

    def numbers(self, rows: pa.Array) -> NDArray[np.int64]:
        """Return the number of each row's partition.

        Rows of equal values have the same number, even if writers pad them differently.

        Raises:
            CorruptFileError: The fields of a row differ from the partition columns.
        """
        encoded = rows.dictionary_encode()
        distinct = encoded.dictionary.to_pylist()
        known = list(map(self._numbers.get, distinct))
        if None in known:
            known = list(map(self.number, distinct))
        of_rows: NDArray[np.int64] = np.array(known, np.int64)[to_numpy(encoded.indices)]
        return of_rows

    def hashes(self, numbers: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return 64 bits for each number, equal in all processes for the same partition."""
        return self._hashes[numbers]

    def number(self, row: bytes) -> int:
        """Return the number of a row's partition.

        Raises:
            CorruptFileError: The fields of the row differ from the partition columns.
        """
        number = self._numbers.get(row)
        if number is None:
            values = read_row(row, self._types)
            text = repr(values)  # which distinguishes -0.0 from 0.0, and CHAR with padding
            with self._lock:
                number = self._by_text.setdefault(text, len(self.values))
                if number == len(self.values):
                    if number == len(self._hashes):
                        self._hashes = np.concatenate([self._hashes, np.zeros_like(self._hashes)])
                    data = text.encode(errors="surrogatepass")
                    self._hashes[number] = int(blake2b(data, digest_size=8).hexdigest(), 16)
                    internal = internal_row(row, self._types)
                    self.values.append(tuple(v if v == v else math.nan for v in internal))
                    self.rows.append(row)
                self._numbers[row] = number
        return number
