# Generated from global_index_source.ksy by `ksykit generate`. Do not edit.
"""Objects of global_index_source: Source of a global index of a Paimon table."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ksykit.runtime.json_values import S4BE, S8BE, U4BE
from ksykit.runtime.rows import Many, MaybeNested, Nested, Number, Object, One, Repeat
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Measure

if TYPE_CHECKING:
    from .java_utf8 import JavaUtf8


class GlobalIndexSource(Struct, of="global_index_source"):
    """The field `_SOURCE_META` of an index manifest states from what a global index was built.

    Attributes:
        kind: The version of the list of data files, or a magic number.
        primary_key: The data files.
        data_evolution: The snapshot.
    """

    kind: One[int] = Number(
        U4BE, any_of=(1, 1145391448),
        value=lambda s: 1145391448 if s._is_set("data_evolution") else 1,
        enum="global_index_source.SourceKind", decides=True,
    )  # fmt: skip
    primary_key: MaybeNested[SourceFileList] = Object(
        "source_file_list", when=lambda s: s.kind == 1,
    )  # fmt: skip
    data_evolution: MaybeNested[SourceSnapshot] = Object(
        "source_snapshot", when=lambda s: s.kind == 1145391448,
    )  # fmt: skip


class SourceFileList(Struct, of="source_file_list"):
    """A `source_file_list`.

    Attributes:
        level: The level of all data files.
        num_files: Number of data files.
        files: The data files, in the order in which the index counts their rows.
    """

    level: One[int] = Number(S4BE, least=1)
    num_files: One[int] = Number(S4BE, least=1, small=True)
    files: Many[SourceFile] = Repeat(Object("source_file"), count="num_files")
    _derived: ClassVar = {"num_files": Measure("count", "files")}


class SourceFile(Struct, of="source_file"):
    """A `source_file`.

    Attributes:
        name: The name of the data file.
        num_rows: Number of rows in the data file.
    """

    name: Nested[JavaUtf8] = Object("java_utf8")
    num_rows: One[int] = Number(S8BE, least=0)


class SourceSnapshot(Struct, of="source_snapshot"):
    """A `source_snapshot`.

    Attributes:
        snapshot_id: The snapshot of the table from which the index was built.
    """

    version: One[int] = Number(S4BE, equal=1)
    snapshot_id: One[int] = Number(S8BE)


make_global_index_source = GlobalIndexSource
make_source_file_list = SourceFileList
make_source_file = SourceFile
make_source_snapshot = SourceSnapshot
