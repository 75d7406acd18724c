meta:
  id: bit_slice_index
  title: Bit-slice index of a range bitmap
  application: Apache Paimon
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - position
    - roaring_bitmap_32
  endian: be
-kit-view: true
doc: |
  A bit-slice index stores a number for each row that is not null. In a range
  bitmap, the number is the position of the row's value in a dictionary. Each
  bit of these numbers has a slice: the set of rows whose number has that bit
  set.
doc-ref: https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/fileindex/rangebitmap/BitSliceIndexBitmap.java
seq:
  - id: len_head
    -orig-id: headerLength
    type: s4
    valid:
      min: 10
    doc: Length of the rest of the head in bytes.
    -kit-value: position(head_end) - position(head_start)
  - id: head_start
    type: position(_io.pos)
  - id: version
    type: u1
    valid: 1
  - id: num_slices
    -orig-id: slices.length
    type: u1
    valid:
      max: 64
    doc: |
      The number of bits in the greatest number, at least 1. An index without
      numbers has 64 empty slices. In Paimon's document, this field has 4
      bytes.
  - id: len_rows
    -orig-id: ebmLength
    type: s4
    valid:
      min: 0
    -kit-value: length(rows)
  - id: len_slices
    -orig-id: indexesLength
    type: s4
    valid: num_slices.as<s4> * 8
    doc: Length of `slices` in bytes.
    -kit-value: length(slices)
  - id: slices
    -orig-id: indexes
    type: bit_slice
    repeat: expr
    repeat-expr: num_slices
    doc: The slices of bit 0, bit 1, and so on.
  - id: head_end
    type: position(_io.pos)
instances:
  rows_start:
    -orig-id: bodyOffset
    value: (head_start.at + len_head.as<s8>).as<s8>
  rows:
    -orig-id: ebm
    pos: rows_start
    size: len_rows
    type: roaring_bitmap_32
    doc: Rows that are not null.
types:
  bit_slice:
    seq:
      - id: ofs_bitmap
        -orig-id: offset
        type: s4
        valid:
          min: 0
        doc: Start of the bitmap, counted from the end of `rows`.
      - id: len_bitmap
        -orig-id: length
        type: s4
        valid:
          min: 0
        -kit-value: length(bitmap)
    instances:
      bitmap:
        pos: >-
          (_parent.as<bit_slice_index>.rows_start
          + _parent.as<bit_slice_index>.len_rows.as<s8>).as<s8> + ofs_bitmap.as<s8>
        size: len_bitmap
        type: roaring_bitmap_32
        doc: Rows whose number has the bit set.
    -webide-representation: '{len_bitmap:dec} bytes at {ofs_bitmap:dec}'
