"""Report on the content of a bit-slice index."""

from __future__ import annotations

from paimon_ksy.file_index.bsi.reader import BsiPart, BsiReader, is_taken
from paimon_ksy.file_index.bsi.report import BsiPartReport, BsiReport
from paimon_ksy.file_index.report import shown, slice_reports
from paimon_ksy.io.source import Source
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.parse import parse_type

_BIGINT = parse_type("BIGINT")


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
