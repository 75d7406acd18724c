meta:
  id: bitmap_index_v2
  title: Bitmap index of a Paimon file index, version 2
  application: Apache Paimon
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - position
    - roaring_bitmap_32
    - typed_value
  endian: be
doc: |
  A bitmap index of version 2, without the version byte. It consists of a
  directory of blocks, the blocks, and the bitmaps. Together, the blocks are
  the dictionary of all values in ascending order. A look-up reads the
  directory, one block and one bitmap.

  Strings are ordered by their unsigned bytes, and floating-point numbers as by
  `Float.compare` (-0.0 before 0.0, NaN last). The bitmaps are in the iteration
  order of Java's `HashMap`.
doc-ref: https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/fileindex/bitmap/BitmapFileIndexMetaV2.java
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
    doc: Position of the bitmap of the null rows, as in an entry of a block.
  - id: len_null
    -orig-id: nullBitmapLength
    type: s4
    if: has_null == 1
    doc: |
      Length of that bitmap in bytes. For a single null row, `ofs_null` contains
      the row itself, the file has no bitmap, and Java writes the length 18.
    -kit-value: 'has_null_bitmap ? length(null_bitmap) : 18'
  - id: num_blocks
    -orig-id: bitmapBlockNumber
    type: s4
    valid:
      min: 0
    doc: Number of blocks in the dictionary.
  - id: directory_start
    type: position(_io.pos)
instances:
  directory:
    pos: directory_start.at
    type: bitmap_directory_v2(num_blocks, column_type)
    doc: The first value and the position of each block.
  is_null_single:
    value: has_null == 1 and ofs_null < 0
  null_row:
    value: -1 - ofs_null
    if: is_null_single
    doc: The only null row.
    -kit-inverse:
      ofs_null: -1 - null_row
  null_bitmap:
    pos: directory.bitmaps_start + ofs_null.as<s8>
    size: len_null
    type: roaring_bitmap_32
    if: has_null == 1 and ofs_null >= 0
    doc: The null rows, unless there is only one.
types:
  bitmap_directory_v2:
    -kit-view: true
    params:
      - id: num_blocks
        type: s4
      - id: column_type
        type: u1
    seq:
      - id: blocks
        -orig-id: indexBlocks
        type: bitmap_block_ref_v2(column_type)
        repeat: expr
        repeat-expr: num_blocks
        doc: Where each block is, in ascending order of values.
        -kit-ascending: key
      - id: len_blocks
        -orig-id: bitmapBodyOffset
        type: s4
        valid:
          min: 0
        doc: Length of all blocks in bytes. The bitmaps follow them.
        -kit-value: length(blocks.body)
      - id: blocks_start
        -orig-id: indexBlockStart
        type: position(_io.pos)
    instances:
      bitmaps_start:
        -orig-id: bodyStart
        value: (blocks_start.at + len_blocks.as<s8>).as<s8>
        doc: Offsets of bitmaps count from here.
  bitmap_block_ref_v2:
    params:
      - id: column_type
        type: u1
    seq:
      - id: key
        type: typed_value(column_type)
        doc: The least value of the block.
      - id: ofs_block
        -orig-id: offset
        type: s4
        valid:
          min: 0
        doc: Start of the block, counted from the first block.
    instances:
      body:
        pos: _parent.as<bitmap_directory_v2>.blocks_start.at + ofs_block.as<s8>
        # The sum instead of `bitmaps_start`, which generated Rust cannot pass as an argument.
        type: >-
          bitmap_block_v2(
            _parent.as<bitmap_directory_v2>.blocks_start.at + _parent.as<bitmap_directory_v2>.len_blocks.as<s8>,
            column_type)
        doc: The block itself.
    -webide-representation: 'from {key}'
  bitmap_block_v2:
    -kit-view: true
    doc: |
      A part of the dictionary. Java adds entries to a block until it would
      exceed `index-block-size` bytes, 16 kB by default.
    params:
      - id: bitmaps_start
        type: s8
        doc: Offsets of bitmaps count from here.
      - id: column_type
        type: u1
    seq:
      - id: num_entries
        -orig-id: entryNum
        type: s4
        valid:
          min: 1
      - id: entries
        -orig-id: entryList
        type: bitmap_entry_v2(column_type)
        repeat: expr
        repeat-expr: num_entries
        doc: An entry for each value of the block.
        -kit-ascending: key
    -webide-representation: '{num_entries:dec} values'
  bitmap_entry_v2:
    params:
      - id: column_type
        type: u1
    seq:
      - id: key
        type: typed_value(column_type)
        doc: A distinct value of the column.
      - id: ofs_bitmap
        -orig-id: offset
        type: s4
        doc: |
          Start of the bitmap, counted from the end of the blocks. If it is
          negative, the value occurs only in the row `-1 - ofs_bitmap`.
      - id: len_bitmap
        -orig-id: length
        type: s4
        doc: Length of the bitmap in bytes, or -1 if the value occurs in only one row.
        -kit-value: 'has_bitmap ? length(bitmap) : -1'
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
        pos: _parent.as<bitmap_block_v2>.bitmaps_start + ofs_bitmap.as<s8>
        size: len_bitmap
        type: roaring_bitmap_32
        if: not is_single
        doc: The rows that contain the value.
    -webide-representation: '{key}'
