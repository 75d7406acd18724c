meta:
  id: sorted_key
  title: Key of a sorted global index
  application: Apache Paimon
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - varint
  endian: le
-kit-view: true
doc: |
  A value of a column in a BTree or bitmap global index. Its type determines
  the layout. Neither the index nor its metadata stores the type, so it is a
  parameter, which comes from the table's schema.

  Keys ascend by their values, not by their bytes. Floating-point numbers
  ascend as by `Float.compare` (-0.0 before 0.0, NaN last), texts by their
  unsigned bytes, and timestamps by milliseconds, then nanoseconds.

  Compared with Paimon's Java library and pypaimon-rust 0.4.0 for INT, BIGINT,
  STRING, DATE and composite keys, and with pypaimon 2.1.0 for all types but
  composite keys.
doc-ref: https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/globalindex/btree/KeySerializer.java
params:
  - id: key_type
    type: u1
    doc: The type of the key, a value of the enum `key_type`.
seq:
  - id: fixed
    type: fixed_key(key_type)
    if: named_type != key_type::text and named_type != key_type::decimal
    doc: A key of a fixed size, or the part of a key that has one.
  - id: nanos
    -orig-id: nanoOfMillisecond
    type: varint
    if: named_type == key_type::timestamp_nanos
    doc: Nanoseconds in the millisecond.
  - id: unscaled
    size-eos: true
    -kit-encoding: integer-be
    if: named_type == key_type::decimal
    doc: |
      The unscaled value of a DECIMAL with more than 18 digits, big-endian in
      two's complement, in as few bytes as possible.
  - id: text
    size-eos: true
    -kit-encoding: utf-8
    if: named_type == key_type::text
    doc: |
      A CHAR, VARCHAR or STRING in UTF-8. CHARs are not padded. The field
      contains the bytes, because a table may contain malformed text.
instances:
  named_type:
    value: key_type
    enum: key_type
types:
  fixed_key:
    params:
      - id: key_type
        type: u1
    seq:
      - id: bool8
        type: u1
        valid:
          any-of: [0, 1]
        if: named_type == key_type::boolean
        doc: A BOOLEAN.
      - id: int8
        type: s1
        if: named_type == key_type::tinyint
        doc: A TINYINT.
      - id: int16
        type: s2
        if: named_type == key_type::smallint
        doc: A SMALLINT.
      - id: int32
        type: s4
        if: named_type == key_type::integer
        doc: An INT, a DATE in days since 1970-01-01, or a TIME in milliseconds.
      - id: int64
        type: s8
        if: >-
          named_type == key_type::bigint or named_type == key_type::timestamp_millis
          or named_type == key_type::timestamp_nanos
        doc: |
          A BIGINT, the unscaled value of a DECIMAL, or the milliseconds since
          1970-01-01T00:00:00 of a TIMESTAMP with or without local time zone.
      - id: float32
        type: f4
        if: named_type == key_type::float
        doc: A FLOAT. Each NaN is the one of Java's `floatToIntBits`.
      - id: float64
        type: f8
        if: named_type == key_type::double
        doc: A DOUBLE. Each NaN is the one of Java's `doubleToLongBits`.
    instances:
      named_type:
        value: key_type
        enum: key_type
  composite_key:
    -kit-view: true
    -kit-columns: true
    doc: |
      The key of an index over several columns: a row of their values. Keys
      ascend by the first column, then by the second one, and so on; null comes
      before all values. A row that contains nothing but nulls is a key, too.
    params:
      - id: num_columns
        type: u4
    seq:
      - id: row_kind
        type: u1
        valid: 0
        doc: The kind of the row, which is always that of an insertion.
      - id: null_bits
        size: (num_columns + 7) / 8
        doc: A bit for each column, the lowest one first; 1 means null.
      - id: components
        size-eos: true
        doc: |
          The values that are not null, each a `key_component` of its column's
          type.
  key_component:
    -kit-view: true
    -kit-columns: true
    doc: A value in a composite key.
    params:
      - id: key_type
        type: u1
    seq:
      - id: fixed
        type: fixed_key(key_type)
        if: named_type != key_type::text and named_type != key_type::decimal and named_type != key_type::binary
        doc: A value of a fixed size, or the part of a value that has one.
      - id: nanos
        type: varint
        if: named_type == key_type::timestamp_nanos
        doc: Nanoseconds in the millisecond.
      - id: len_data
        -orig-id: length
        type: varint
        if: named_type == key_type::text or named_type == key_type::decimal or named_type == key_type::binary
        doc: Length of the value in bytes.
      - id: data
        size: len_data.value
        if: named_type == key_type::text or named_type == key_type::decimal or named_type == key_type::binary
        doc: A text, the unscaled value of a DECIMAL, or bytes.
    instances:
      named_type:
        value: key_type
        enum: key_type
enums:
  key_type:
    1: {id: boolean, doc: BOOLEAN}
    2: {id: tinyint, doc: TINYINT}
    3: {id: smallint, doc: SMALLINT}
    4: {id: integer, doc: "INT, DATE, TIME(p)"}
    5: {id: bigint, doc: "BIGINT, and DECIMAL(p, s) with p up to 18"}
    6: {id: float, doc: FLOAT}
    7: {id: double, doc: DOUBLE}
    8: {id: text, doc: "CHAR(n), VARCHAR(n) and STRING"}
    9: {id: decimal, doc: "DECIMAL(p, s) with p above 18"}
    10: {id: timestamp_millis, doc: "TIMESTAMP(p), with or without local time zone, p from 0 to 3"}
    11: {id: timestamp_nanos, doc: "TIMESTAMP(p), with or without local time zone, p from 4 to 9"}
    12: {id: binary, doc: "BINARY(n), VARBINARY(n) and BYTES, only in composite keys"}
