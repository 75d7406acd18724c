meta:
  id: binary_row
  title: Binary row of Paimon
  application: Apache Paimon
  license: Apache-2.0
  ks-version: '0.11'
  endian: le
-kit-places: true
doc: |
  Paimon's form of a row in memory. Paimon hashes keys in this form, and
  manifests store partitions, keys and statistics in it. A row consists of
  words of null bits, an eight-byte word for each field, and the values that
  are too long for a word. It does not store the types of its fields.

  The word of a field contains one of these:

  * a BOOLEAN, integer, DATE, TIME, FLOAT or DOUBLE in the first bytes; the
    other bytes are zero
  * the unscaled value of a DECIMAL of up to 18 digits
  * a TIMESTAMP up to precision 3, in milliseconds
  * a string of up to 7 bytes, with its length plus 128 in the last byte

  Values of longer strings, DECIMALs and TIMESTAMPs are stored after the
  fields. The upper half of the word is the offset of the value in the row. The
  lower half is the length of the value in bytes or, for a TIMESTAMP, the
  nanoseconds within its millisecond.

  A value is padded with zeros to a multiple of eight bytes, and a DECIMAL to
  16 bytes. A DECIMAL is stored as Java's BigInteger.toByteArray of its
  unscaled value, and a TIMESTAMP as its milliseconds.

  The word of a null is zero. A null DECIMAL of more than 18 digits, or a null
  TIMESTAMP above precision 3, still has the offset and the space of a value.
doc-ref: https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/data/BinaryRow.java
params:
  - id: num_fields
    type: s4
seq:
  - id: null_words
    type: u8
    repeat: expr
    repeat-expr: num_null_words
    doc: |
      The lowest eight bits of the first word are the kind of row (0 is an
      insert). The following bits, least significant first, belong to the
      fields. A bit is 1 if its field is null.
  - id: fields
    type: binary_row_field
    repeat: expr
    repeat-expr: num_fields
    doc: The word of each field.
  - id: values
    size-eos: true
    if: not _io.eof
    doc: Values that do not fit into a word.
instances:
  num_null_words:
    value: (num_fields + 71) / 64
  num_kind_bits:
    -orig-id: HEADER_SIZE_IN_BITS
    value: 8
    doc: Bits in the first null word before the bit of the first field.
  len_field:
    value: 8
    doc: Size of a field in bytes. Longer values are padded to a multiple of it.
  len_unscaled_value:
    value: 16
    doc: Size in bytes of a padded DECIMAL of more than 18 digits.
types:
  serialized_row:
    -kit-view: true
    -kit-places: true
    doc: "A row in a manifest: `SerializationUtils.serializeBinaryRow`."
    seq:
      - id: num_fields
        -orig-id: arity
        type: s4be
        valid:
          min: 0
        doc: Number of fields in the row.
      - id: row
        type: binary_row(num_fields)
  binary_row_field:
    seq:
      - id: lower
        type: u4
        doc: The first half of a short value, or the length of a long one.
      - id: upper
        type: u4
        doc: The second half of a short value, or the offset of a long one.
    instances:
      is_short:
        value: upper.as<s8> >= (0x80000000).as<s8>
        doc: True for a string in the word itself, such as a `short_string`.
      ofs_value:
        value: upper
        if: not is_short
        doc: Start of the value, counted from the start of the row.
      len_value:
        value: lower
        if: not is_short
        doc: Length of the value in bytes, or the nanoseconds of a TIMESTAMP.
    -webide-representation: '{upper:hex} {lower:hex}'
  short_strings:
    -kit-view: true
    doc: The fields, if all are strings in the word itself.
    seq:
      - id: fields
        type: short_string
        repeat: eos
  short_string:
    seq:
      - id: value
        size: 7
        doc: The string, padded with zeros.
      - id: mark
        type: u1
        valid:
          min: 0x80
          max: 0x87
        doc: The length plus 128.
    instances:
      len_value:
        value: mark & 127
        -kit-inverse:
          mark: len_value | 128
    -webide-representation: '{value:str}'
  unscaled_value:
    -kit-view: true
    doc: |
      The unscaled value of a DECIMAL of more than 18 digits: two's complement
      in as few bytes as possible.
    doc-ref: https://docs.oracle.com/en/java/javase/17/docs/api/java.base/java/math/BigInteger.html#toByteArray()
    seq:
      - id: value
        size-eos: true
        -kit-encoding: integer-be
