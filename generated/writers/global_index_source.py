# Generated from specs/global_index_source.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of global_index_source.

Source of a global index of a Paimon table.
"""

from __future__ import annotations

from ksykit.runtime.fields import Measure, Number, Object, Repeat, Type
from ksykit.runtime.json_values import S4BE, S8BE, U4BE

from ..parsers.global_index_source import GlobalIndexSource

GLOBAL_INDEX_SOURCE_TYPE = Type(
    GlobalIndexSource,
    "global_index_source",
    Number(
        "kind",
        U4BE,
        any_of=(1, 1145391448),
        value=lambda s: 1145391448 if s._is_set("data_evolution") else 1,
        decides=True,
    ),
    Object("primary_key", "source_file_list", when=lambda s: s.kind == 1),
    Object("data_evolution", "source_snapshot", when=lambda s: s.kind == 1145391448),
)

make_global_index_source = GLOBAL_INDEX_SOURCE_TYPE.make


SOURCE_FILE_LIST_TYPE = Type(
    GlobalIndexSource.SourceFileList,
    "source_file_list",
    Number("level", S4BE, least=1),
    Number("num_files", S4BE, least=1, small=True),
    Repeat(Object("files", "source_file"), count="num_files"),
    computed={
        "num_files": Measure("count", "files"),
    },
)

make_source_file_list = SOURCE_FILE_LIST_TYPE.make


SOURCE_FILE_TYPE = Type(
    GlobalIndexSource.SourceFile,
    "source_file",
    Object("name", "java_utf8"),
    Number("num_rows", S8BE, least=0),
)

make_source_file = SOURCE_FILE_TYPE.make


SOURCE_SNAPSHOT_TYPE = Type(
    GlobalIndexSource.SourceSnapshot,
    "source_snapshot",
    Number("version", S4BE, equal=1),
    Number("snapshot_id", S8BE),
)

make_source_snapshot = SOURCE_SNAPSHOT_TYPE.make
