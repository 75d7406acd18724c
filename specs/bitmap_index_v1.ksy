meta:
  id: bitmap_index_v1
  title: Bitmap index of a Paimon file index, version 1
  application: Apache Paimon
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - position
    - roaring_bitmap_32
    - typed_value
  endian: be
doc: |
  A bitmap index of version 1, without the version byte. It consists of a
  dictionary of all values, and the bitmaps.

  Java writes the dictionary and the bitmaps in the iteration order of its
  `HashMap`. A reader must not rely on any order.
doc-ref: https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/fileindex/bitmap/BitmapFileIndexMeta.java
params:
  - id: column_type
    type: u1
    doc: The column's type, a value of the enum `typed_value::stored_type`.
seq:
  - id: num_rows
    -orig-id: rowCount
    type: s4
    valid:
      min: 0
    doc: Number of rows in the data file, including null rows.
  - id: num_values
    -orig-id: nonNullBitmapNumber
    type: s4
    valid:
      min: 0
    doc: Number of distinct values, without null.
  - id: has_null
    -orig-id: hasNullValue
    type: u1
    valid:
      any-of: [0, 1]
    doc: 1 if the column has null rows.
    -kit-value: 'has_null_bitmap or has_null_row or has_ofs_null ? 1 : 0'
  - id: ofs_null
    -orig-id: nullValueOffset
    type: s4
    if: has_null == 1
    doc: Position of the bitmap of the null rows, as in a dictionary entry.
  - id: dictionary_start
    type: position(_io.pos)
instances:
  dictionary:
    pos: dictionary_start.at
    type: bitmap_dictionary_v1(num_values, column_type)
    doc: All values except null, and where their bitmaps are.
  is_null_single:
    value: has_null == 1 and ofs_null < 0
  null_row:
    value: -1 - ofs_null
    if: is_null_single
    doc: The only null row.
    -kit-inverse:
      ofs_null: -1 - null_row
  null_bitmap:
    pos: dictionary.bitmaps_start.at + ofs_null.as<s8>
    type: roaring_bitmap_32
    if: has_null == 1 and ofs_null >= 0
    doc: The null rows, unless there is only one.
types:
  bitmap_dictionary_v1:
    -kit-view: true
    params:
      - id: num_values
        type: s4
      - id: column_type
        type: u1
    seq:
      - id: entries
        -orig-id: bitmapOffsets
        type: bitmap_entry_v1(column_type)
        repeat: expr
        repeat-expr: num_values
        doc: An entry for each distinct value.
        -kit-ascending: key
      - id: bitmaps_start
        -orig-id: bodyStart
        type: position(_io.pos)
        doc: Offsets of bitmaps count from here.
  bitmap_entry_v1:
    params:
      - id: column_type
        type: u1
    seq:
      - id: key
        -orig-id: value
        type: typed_value(column_type)
        doc: A distinct value of the column.
      - id: ofs_bitmap
        -orig-id: offset
        type: s4
        doc: |
          Start of the bitmap, counted from the end of the dictionary. If it is
          negative, the value occurs only in the row `-1 - ofs_bitmap`.
    instances:
      is_single:
        value: ofs_bitmap < 0
      row:
        value: -1 - ofs_bitmap
        if: is_single
        doc: The only row that contains the value.
        -kit-inverse:
          ofs_bitmap: -1 - row
      bitmap:
        pos: _parent.as<bitmap_dictionary_v1>.bitmaps_start.at + ofs_bitmap.as<s8>
        type: roaring_bitmap_32
        if: not is_single
        doc: The rows that contain the value.
    -webide-representation: '{key}'
