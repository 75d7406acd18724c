"""Report on the content of a bit-slice index."""

from __future__ import annotations

from dataclasses import dataclass, field

from paimon_ksy.file_index.bsi.reader import BsiPart, BsiReader, is_taken
from paimon_ksy.file_index.report import SliceReport, shown, slice_reports
from paimon_ksy.io.source import Source
from paimon_ksy.messages.answers import HIDDEN, Answer, Value, in_answer, keyed
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.parse import parse_type

_BIGINT = parse_type("BIGINT")


@dataclass(frozen=True)
class BsiPartReport(Answer):
    """The absolute values of one sign in a BSI; `min` and `max` are the stored ones."""

    rows: int
    min: int
    max: int
    slices: tuple[SliceReport, ...]


@dataclass(frozen=True)
class BsiReport(Answer):
    """A BSI. The least value is stored only if it is negative, the greatest only if it is not.

    If not `typed`, they are plain numbers: the column's type is unknown, or a BSI does not support
    it. A part is None if it has no rows.
    """

    version: int
    rows: int
    nulls: int
    typed: bool = field(metadata=HIDDEN)
    least: Value | None = field(metadata=keyed("min"))
    greatest: Value | None = field(metadata=keyed("max"))
    positive: BsiPartReport | None
    negative: BsiPartReport | None

    @property
    @in_answer()
    def has_nulls(self) -> bool:
        """Whether a row is null."""
        return self.nulls > 0


def inspect(
    source: Source, pos: int, length: int, column: str, data_type: DataType | None, top: int | None
) -> BsiReport:
    """Report on the BSI whose body starts at byte `pos`.

    The type determines only how the least and the greatest value are shown. All slices are read and
    checked, if they are not too large or `top` is None.

    Raises:
        CorruptFileError: The index contradicts itself.
        FormatError: The bytes are malformed.
    """
    typed = data_type is not None and is_taken(data_type)
    known = data_type if data_type is not None and typed else _BIGINT
    reader = BsiReader(source, pos, column, known)
    positive, negative = (_part(part, top) for part in (reader.positive, reader.negative))
    return BsiReport(
        version=reader.head.version,
        rows=reader.num_rows,
        nulls=reader.num_rows - len(reader.not_null()),
        typed=typed,
        least=None if negative is None else shown(-negative.max, known),
        greatest=None if positive is None else shown(positive.max, known),
        positive=positive,
        negative=negative,
    )


def _part(part: BsiPart, top: int | None) -> BsiPartReport | None:
    if not part.head.has_rows:
        return None
    slices = slice_reports(part.slice_extents, part.slice_rows, top)
    return BsiPartReport(len(part.rows), part.head.min, part.head.max, slices)
