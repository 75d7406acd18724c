# Generated from typed_value.ksy by `ksykit generate`. Do not edit.
"""Views of typed_value: Value of a column, as stored in an index."""

from enum import IntEnum

from ksykit.runtime.records import Field, RecordLayout

StoredType = IntEnum(
    "StoredType",
    {
        "boolean": 1,
        "tinyint": 2,
        "smallint": 3,
        "integer": 4,
        "bigint": 5,
        "float": 6,
        "double": 7,
        "string": 8,
        "date": 9,
        "time": 10,
        "timestamp_millis": 11,
        "timestamp_micros": 12,
    },
)
TYPED_VALUE = {
    1: RecordLayout(Field("bool8", "typed_value/seq/0", ">B", any_of=[0, 1])),
    2: RecordLayout(Field("int8", "typed_value/seq/1", ">b")),
    3: RecordLayout(Field("int16", "typed_value/seq/2", ">h")),
    **dict.fromkeys((4, 9, 10), RecordLayout(Field("int32", "typed_value/seq/3", ">i"))),
    **dict.fromkeys((5, 11, 12), RecordLayout(Field("int64", "typed_value/seq/4", ">q"))),
    6: RecordLayout(Field("float32", "typed_value/seq/5", ">f")),
    7: RecordLayout(Field("float64", "typed_value/seq/6", ">d")),
    8: RecordLayout(
        Field("len_text", "typed_value/seq/7", ">i", least=0), Field("text", "typed_value/seq/8")
    ),
}
