meta:
  id: row_file
  title: Row file of a Paimon table
  application: Apache Paimon
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - varint
  endian: le
doc: |
  Rows in compressed blocks, and an index with which readers read single rows.
  It is a data file, or a copy of one (`DATAFILE.row`) that is read when few
  rows are needed. It has no checksums.

  Compared with files of pypaimon 2.1.0 and pypaimon-rust 0.4.0.
doc-ref: https://github.com/apache/paimon/blob/5dacde516bf6e29b583aff8b32bab321bfc6e64f/docs/docs/concepts/spec/rowformat.md
instances:
  footer:
    pos: _io.size - 32
    type: row_footer
    doc: The last bytes of the file.
  index:
    pos: footer.ofs_index
    size: footer.len_index
    type: row_block_index
    doc: The blocks.
types:
  row_footer:
    -kit-view: true
    seq:
      - id: num_rows
        -orig-id: totalRowCount
        type: s8
        valid:
          min: 0
        doc: Number of rows in the file.
      - id: num_blocks
        -orig-id: blockCount
        type: s4
        valid:
          min: 0
        doc: Number of blocks.
      - id: ofs_index
        -orig-id: indexOffset
        type: s8
        valid:
          min: 0
        doc: Start of the index, which is the end of the last block.
      - id: len_index
        -orig-id: indexLength
        type: s4
        valid:
          min: 0
        doc: Size of the index in bytes.
      - id: version
        type: u1
        valid: 1
      - id: reserved
        size: 3
        doc: Three zeros. Readers ignore them.
      - id: magic
        contents: SWOR
        doc: The letters ROWS, in reverse.
    instances:
      len_footer:
        value: 32
        doc: Size of the footer in bytes.
    -webide-representation: '{num_rows:dec} rows'
  row_block_index:
    doc: Three lists of equal length.
    seq:
      - id: len_sizes
        type: varint
        doc: Size of `sizes` in bytes.
      - id: sizes
        size: len_sizes.value
        type: row_block_sizes
        doc: The compressed size of each block, and so the blocks.
      - id: len_sizes_decoded
        type: varint
        doc: Size of `sizes_decoded` in bytes.
      - id: sizes_decoded
        size: len_sizes_decoded.value
        type: zigzag_numbers
        doc: The size of each block in bytes when it is decompressed.
      - id: len_first_rows
        type: varint
        doc: Size of `first_rows` in bytes.
      - id: first_rows
        size: len_first_rows.value
        type: zigzag_numbers
        doc: The number of rows before each block.
  zigzag_numbers:
    seq:
      - id: differences
        type: varint
        repeat: eos
        doc: |
          The difference of each integer to the one before, with its sign in the
          lowest bit. The first is that to 0.
  row_block_sizes:
    seq:
      - id: blocks
        type: >-
          row_block_place(
            _index == 0 ? (0).as<s8> : blocks[_index - 1].len_block,
            _index == 0 ? (0).as<s8> : blocks[_index - 1].ofs_next)
        repeat: eos
        doc: The blocks.
  row_block_place:
    doc: A block by its size.
    params:
      - id: len_before
        type: s8
        doc: The size of the block before, or 0 in the first block.
      - id: ofs_block
        type: s8
        doc: Start of the block in the file.
    seq:
      - id: difference
        type: varint
        doc: The size minus that of the block before, with its sign in the lowest bit.
        -kit-examples: [2, 1, 0, 8, 40]
    instances:
      len_block:
        value: (len_before + difference.zigzag).as<s8>
        doc: Size of the block in bytes.
      ofs_next:
        value: '(len_block < 0 ? ofs_block : (ofs_block + len_block).as<s8>).as<s8>'
        doc: End of the block in the file.
      compressed:
        io: _root._io
        pos: ofs_block
        size: len_block
        type: compressed_row_block
        if: len_block > 0
        doc: The block.
    -webide-representation: '{len_block:dec} bytes'
  compressed_row_block:
    seq:
      - id: frame
        size-eos: true
        doc: A frame of Zstandard. Decompressed, it is a `row_block`.
  row_block:
    doc: |
      A decompressed block.

      A row has a bit for each column, least significant first, which is 1 if
      the value is null, in as few bytes as possible. Then follow its values:
      strings, bytes and DECIMALs of more than 18 digits after their length as a
      `varint`, and others as little-endian numbers.
    instances:
      tail:
        pos: _io.size - 4
        type: row_block_tail
        doc: The last bytes of the block.
      offsets:
        pos: _io.size - 4 - 4 * tail.num_rows.as<s8>
        type: row_offsets(tail.num_rows)
        doc: Where each row starts.
  row_block_tail:
    -kit-view: true
    seq:
      - id: num_rows
        type: s4
        valid:
          min: 0
        doc: Number of rows in the block.
    instances:
      len_tail:
        value: 4
        doc: Size of the number in bytes.
  row_offsets:
    -kit-view: true
    params:
      - id: num_rows
        type: s4
        doc: Number of rows in the block.
    seq:
      - id: ofs_rows
        type: s4
        repeat: expr
        repeat-expr: num_rows
        doc: The start of each row in the block. The first row is at its start.
    instances:
      len_offset:
        value: 4
        doc: Size of the start of a row in bytes.
