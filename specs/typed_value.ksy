meta:
  id: typed_value
  title: Value of a column, as stored in an index
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  A value in the dictionary of a bitmap index. The column's type determines its
  layout. The file does not store the type, so it is a parameter, which comes
  from the table's schema. Only the field of that type is present.
doc-ref: https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/fileindex/bitmap/BitmapFileIndexMeta.java
params:
  - id: column_type
    type: u1
    doc: The column's type, a value of the enum `stored_type`.
seq:
  - id: bool8
    type: u1
    valid:
      any-of: [0, 1]
    if: named_type == stored_type::boolean
    doc: A BOOLEAN.
  - id: int8
    type: s1
    if: named_type == stored_type::tinyint
    doc: A TINYINT.
  - id: int16
    type: s2
    if: named_type == stored_type::smallint
    doc: A SMALLINT.
  - id: int32
    type: s4
    if: >-
      named_type == stored_type::integer or named_type == stored_type::date
      or named_type == stored_type::time
    doc: An INT, a DATE in days since 1970-01-01, or a TIME in milliseconds.
  - id: int64
    type: s8
    if: >-
      named_type == stored_type::bigint or named_type ==
      stored_type::timestamp_millis or named_type ==
      stored_type::timestamp_micros
    doc: |
      A BIGINT, or the time since 1970-01-01T00:00:00 of a TIMESTAMP with or
      without local time zone. The time is in milliseconds up to precision 3,
      and in microseconds above it, so that precisions 7 to 9 are cut.
  - id: float32
    type: f4
    if: named_type == stored_type::float
    doc: A FLOAT.
  - id: float64
    type: f8
    if: named_type == stored_type::double
    doc: A DOUBLE.
  - id: len_text
    -orig-id: length
    type: s4
    valid:
      min: 0
    if: named_type == stored_type::string
    doc: Length of the string in bytes (not characters).
  - id: text
    size: len_text
    -kit-encoding: utf-8
    if: named_type == stored_type::string
    doc: |
      A CHAR, VARCHAR or STRING in UTF-8. The field contains the bytes, because
      a table may contain malformed text.
instances:
  named_type:
    value: column_type
    enum: stored_type
enums:
  stored_type:
    1: {id: boolean, doc: BOOLEAN}
    2: {id: tinyint, doc: TINYINT}
    3: {id: smallint, doc: SMALLINT}
    4: {id: integer, doc: INT}
    5: {id: bigint, doc: BIGINT}
    6: {id: float, doc: FLOAT}
    7: {id: double, doc: DOUBLE}
    8: {id: string, doc: "CHAR(n), VARCHAR(n) and STRING"}
    9: {id: date, doc: DATE}
    10: {id: time, doc: TIME(p)}
    11: {id: timestamp_millis, doc: "TIMESTAMP(p), with or without local time zone, p from 0 to 3"}
    12: {id: timestamp_micros, doc: "TIMESTAMP(p), with or without local time zone, p from 4 to 9"}
-webide-representation: '{bool8:dec}{int8:dec}{int16:dec}{int32:dec}{int64:dec}{float32:dec}{float64:dec}{text:str}'
