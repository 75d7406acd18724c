meta:
  id: range_bitmap_index
  title: Range bitmap of a Paimon file index
  application: Apache Paimon
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - position
    - typed_value
    - chunked_dictionary
    - bit_slice_index
  endian: be
-kit-view: true
-kit-head: num_values
doc: |
  The body of an index of type `range-bitmap`. A dictionary contains the
  distinct values in ascending order. The index stores, bit by bit, the
  position of each row's value in the dictionary. A range of values is a range
  of positions, so it takes a few set operations for each bit to find its rows.

  A DECIMAL is stored as its unscaled value, like a BIGINT.
doc-ref:
  - https://github.com/apache/paimon/blob/release-1.4.2/docs/content/concepts/spec/fileindex.md
  - https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/fileindex/rangebitmap/RangeBitmap.java
params:
  - id: column_type
    type: u1
    doc: |
      The column's type, a value of the enum `typed_value::stored_type`. If it
      is 0 (unknown), nothing after `num_values` can be read.
seq:
  - id: len_head
    -orig-id: headerLength
    type: s4
    valid:
      min: 13
    doc: Length of the rest of the head in bytes.
    -kit-value: position(head_end) - position(head_start)
  - id: head_start
    type: position(_io.pos)
  - id: version
    type: u1
    valid: 1
  - id: num_rows
    -orig-id: rid
    type: s4
    valid:
      min: 0
    doc: Number of rows in the data file, including null rows.
  - id: num_values
    -orig-id: cardinality
    type: s4
    valid:
      min: 0
    doc: Number of distinct values, without null.
  - id: min
    type: typed_value(column_type)
    if: num_values > 0
    doc: The least value.
  - id: max
    type: typed_value(column_type)
    if: num_values > 0
    doc: The greatest value.
  - id: len_dictionary
    -orig-id: dictionaryLength
    type: s4
    valid:
      min: 17
    if: column_type != 0
    -kit-value: position(slices) - position(dictionary)
  - id: head_end
    type: position(_io.pos)
instances:
  dictionary:
    pos: head_start.at + len_head.as<s8>
    type: chunked_dictionary(column_type)
  slices:
    -orig-id: bsi
    pos: (head_start.at + len_head.as<s8>).as<s8> + len_dictionary.as<s8>
    type: bit_slice_index
    doc: The position of each row's value in the dictionary.
