"""Timestamps that Java's ORC writer changed, in indexes that have them as they were written."""

from __future__ import annotations

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.messages.findings import NOTE, Finding
from paimon_ksy.types.data_type import DataType


class ShiftedError(PaimonKsyError):
    """A sound index has timestamps as written, and the ORC file has those that Java made of them.

    See `data_files.orc.shifted`. `column` is the indexed column.
    """

    code = "shifted"
    remedy = "nothing needs repair: queries for such times test the rows of the file, like a scan"

    def __init__(self, column: str) -> None:
        super().__init__(
            "Java's ORC writer shifted some timestamps before 1970: the index contains the "
            "original values, readers of the file get the shifted ones",
            column=column,
        )

    def finding(self, path: str, which: str = "") -> Finding:
        """Return the note on the index at `path`; `which` names it if there are several."""
        message = which + self.message
        return Finding(NOTE, "timestamps", path, self.column, None, message, self.remedy or "")


def ticks_per_second(data_type: DataType) -> int:
    """Return how many units of the stored timestamps a second has."""
    return 10**9 // data_type.stored_nanos
