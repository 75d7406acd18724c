# Generated from binary_row.ksy by `ksykit generate`. Do not edit.
"""Views of binary_row: Binary row of Paimon."""

from itertools import accumulate
from typing import Any, NamedTuple

from ksykit.runtime.integers import decode_integer
from ksykit.runtime.records import Buffer, Field, Numbers, RecordLayout, cut

_SERIALIZED_ROW_NUM_FIELDS = Numbers(
    ">i", Field("num_fields", "binary_row/types/serialized_row/seq/0", ">i", least=0)
)
BINARY_ROW_NULL_WORDS = RecordLayout(Field("null_words", "binary_row/seq/0", "<Q"))
BINARY_ROW_FIELD = RecordLayout(
    Field("lower", "binary_row/types/binary_row_field/seq/0", "<I"),
    Field("upper", "binary_row/types/binary_row_field/seq/1", "<I"),
)
SHORT_STRING = RecordLayout(
    Field("value", "binary_row/types/short_string/seq/0", ">7s"),
    Field("mark", "binary_row/types/short_string/seq/1", "<B", least=128, most=135),
)


class BinaryRowPlaces(NamedTuple):
    """Where the fields of a `binary_row` start."""

    null_words: Any
    fields: Any
    values: Any


def places_binary_row(num_fields: Any) -> BinaryRowPlaces:
    """Return where the fields of a `binary_row` start, for ints or arrays of int64."""
    return BinaryRowPlaces(*accumulate([(num_fields + 71) // 64 * 8, num_fields * 8], initial=0))


class BinaryRow:
    """Paimon's form of a row in memory."""

    __slots__ = ("end", "fields_lower", "fields_upper", "null_words", "num_fields", "values")
    num_kind_bits = 8
    """Bits in the first null word before the bit of the first field."""
    len_field = 8
    """Size of a field in bytes. Longer values are padded to a multiple of it."""
    len_unscaled_value = 16
    """Size in bytes of a padded DECIMAL of more than 18 digits."""

    def __init__(
        self, d: Buffer, start: int, p: int, num_fields: int, arrays: bool = False
    ) -> None:
        self.num_fields = num_fields
        (p, self.null_words) = BINARY_ROW_NULL_WORDS.read(d, start, p, self.num_null_words, arrays)
        (
            p, self.fields_lower, self.fields_upper,
        ) = BINARY_ROW_FIELD.read(d, start, p, self.num_fields, arrays)  # fmt: skip
        self.values: Any = None
        if p < len(d):
            q = p + len(d) - p
            if not 0 <= p <= q <= len(d):
                raise cut(d, start, p, q - p)
            self.values = d[p:q]
            p = q
        self.end = start + p

    @property
    def num_null_words(self) -> Any:
        return (self.num_fields + 71) // 64

    def fields_is_short(self, i: Any) -> Any:
        """True for a string in the word itself, such as a `short_string`."""
        return self.fields_upper[i] >= 2147483648

    def fields_ofs_value(self, i: Any) -> Any:
        """Start of the value, counted from the start of the row."""
        return self.fields_upper[i]

    def fields_len_value(self, i: Any) -> Any:
        """Length of the value in bytes, or the nanoseconds of a TIMESTAMP."""
        return self.fields_lower[i]


class SerializedRow:
    """A row in a manifest: `SerializationUtils.serializeBinaryRow`."""

    __slots__ = ("end", "num_fields", "row")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 4:
            raise _SERIALIZED_ROW_NUM_FIELDS.broken(d, start, p, self)
        (self.num_fields,) = _SERIALIZED_ROW_NUM_FIELDS.unpack_from(d, p)
        if self.num_fields < 0:
            raise _SERIALIZED_ROW_NUM_FIELDS.broken(d, start, p, self)
        p += 4
        self.row = BinaryRow(d, start, p, self.num_fields)
        p = self.row.end - start
        self.end = start + p


class SerializedRowPlaces(NamedTuple):
    """Where the fields of a `serialized_row` start."""

    num_fields: Any
    row: Any


def places_serialized_row() -> SerializedRowPlaces:
    """Return where the fields of a `serialized_row` start, for ints or arrays of int64."""
    return SerializedRowPlaces(*accumulate([4], initial=0))


class ShortStrings:
    """The fields, if all are strings in the word itself."""

    __slots__ = ("end", "fields_mark", "fields_value")

    def __init__(self, d: Buffer, start: int, p: int, arrays: bool = False) -> None:
        (
            p, self.fields_value, self.fields_mark,
        ) = SHORT_STRING.read(d, start, p, -((p - len(d)) // 8), arrays)  # fmt: skip
        self.end = start + p

    def fields_len_value(self, i: Any) -> Any:
        """Return `len_value` of record i."""
        return self.fields_mark[i] & 127


class UnscaledValue:
    """The unscaled value of a DECIMAL of more than 18 digits: two's complement in as few
    bytes as possible."""

    __slots__ = ("end", "value")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        q = p + len(d) - p
        if not 0 <= p <= q <= len(d):
            raise cut(d, start, p, q - p)
        self.value = decode_integer(d[p:q], "integer-be", start + p)
        p = q
        self.end = start + p
