meta:
  id: bsi_index
  title: Bit-slice index (bsi) of a Paimon file index
  application: Apache Paimon
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - position
    - roaring_bitmap_32
  endian: be
doc: |
  The body of an index of type `bsi`. It stores the numbers of a column bit by
  bit. Each bit has a slice: the set of rows whose number has that bit set. A
  comparison therefore takes a few set operations for each bit.

  Numbers are integers, the days of a DATE, the milliseconds of a TIME, and the
  unscaled value of a DECIMAL. A TIMESTAMP is in milliseconds up to precision
  3, and in microseconds above it, so that precisions 7 to 9 are cut.

  A separate part contains the absolute values of negative numbers. A row in
  neither part is null.

  The length of a part is not stored: it ends where its content does.
doc-ref:
  - https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/fileindex/bsi/BitSliceIndexBitmapFileIndex.java
  - https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/utils/BitSliceIndexRoaringBitmap.java
seq:
  - id: head
    type: bsi_head
    doc: The version, and the number of rows.
  - id: positive
    type: bsi_part
    doc: Numbers from zero up.
  - id: negative
    type: bsi_part
    doc: Absolute values of the negative numbers.
types:
  bsi_head:
    -kit-view: true
    seq:
      - id: version
        type: u1
        valid: 1
      - id: num_rows
        -orig-id: rowNumber
        type: s4
        valid:
          min: 0
        doc: Number of rows in the data file, including null rows.
  bsi_part:
    doc: The numbers of one sign.
    seq:
      - id: head
        type: bsi_part_head
        doc: Whether the part has rows, and the range of its numbers.
      - id: rows
        -orig-id: ebm
        type: roaring_bitmap_32
        if: head.has_rows == 1
        doc: Rows whose number has this sign.
      - id: slices
        type: bsi_slices
        if: head.has_rows == 1
        doc: The bits of the numbers.
  bsi_part_head:
    -kit-view: true
    seq:
      - id: has_rows
        -orig-id: [hasPositive, hasNegative]
        type: u1
        valid:
          any-of: [0, 1]
        doc: 1 if any number has this sign. Otherwise, the part ends here.
      - id: version
        type: u1
        valid: 1
        if: has_rows == 1
      - id: min
        type: s8
        valid:
          min: 0
        if: has_rows == 1
        doc: The slices store each number minus `min`. Java always writes 0.
      - id: max
        type: s8
        valid:
          min: min
        if: has_rows == 1
        doc: The greatest number of this sign.
      - id: rows_start
        type: position(_io.pos)
    -webide-representation: '{min:dec} .. {max:dec}'
  bsi_slices:
    -kit-head: bitmaps_start
    seq:
      - id: num_bitmaps
        -orig-id: slices.length
        type: s4
        valid:
          min: 0
          max: 63
        doc: The number of bits in `max - min`.
      - id: bitmaps_start
        type: position(_io.pos)
      - id: bitmaps
        -orig-id: slices
        type: roaring_bitmap_32
        repeat: expr
        repeat-expr: num_bitmaps
        doc: The slices of bit 0, bit 1, and so on.
