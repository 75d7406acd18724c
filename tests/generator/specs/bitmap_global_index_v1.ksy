meta:
  id: bitmap_global_index_v1
  title: Bitmap global index of a Paimon table, version 1
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - leb128
  endian: be
doc: |
  A dictionary of keys in blocks, each with the bitmap of its rows. The footer
  is big-endian and stands at the end of the file.
instances:
  footer:
    pos: _io.size - 48
    type: bitmap_footer
  null_rows:
    pos: footer.ofs_null_rows
    size: footer.len_null_rows
  non_null_rows:
    pos: footer.ofs_non_null_rows
    size: footer.len_non_null_rows
  directory:
    pos: footer.ofs_directory
    type: bitmap_directory_block(footer.len_directory)
types:
  bitmap_footer:
    seq:
      - id: ofs_null_rows
        type: u8
        -pk-value: 0
      - id: len_null_rows
        type: u4
      - id: ofs_non_null_rows
        type: u8
        -pk-value: len_null_rows
      - id: len_non_null_rows
        type: u4
      - id: ofs_directory
        type: u8
      - id: len_directory
        type: u4
      - id: num_values
        type: u4
      - id: version
        type: u4
        valid: 1
      - id: magic
        contents: BGIX
  bitmap_directory_block:
    params:
      - id: len_block
        type: u4
    seq:
      - id: block
        size: len_block
        type: bitmap_directory
      - id: compression
        type: u1
        valid: 0
      - id: crc
        type: u4le
        -pk-value: crc32(block, compression)
  bitmap_directory:
    seq:
      - id: num_blocks
        type: leb128
      - id: blocks
        type: bitmap_directory_entry
        repeat: expr
        repeat-expr: num_blocks.value
  bitmap_directory_entry:
    seq:
      - id: len_key
        type: leb128
      - id: key
        size: len_key.value
      - id: ofs_data
        type: leb128
      - id: len_data
        type: leb128
    instances:
      data:
        io: _root._io
        pos: ofs_data.value
        type: dictionary_block(len_data.value)
  dictionary_block:
    params:
      - id: len_block
        type: u8
    seq:
      - id: block
        size: len_block
        type: bitmap_dictionary
      - id: compression
        type: u1
        valid: 0
      - id: crc
        type: u4le
        -pk-value: crc32(block, compression)
  bitmap_dictionary:
    seq:
      - id: num_values
        type: leb128
      - id: values
        type: dictionary_value
        repeat: expr
        repeat-expr: num_values.value
  dictionary_value:
    seq:
      - id: len_key
        type: leb128
      - id: key
        size: len_key.value
      - id: ofs_rows
        type: leb128
      - id: len_rows
        type: leb128
    instances:
      rows:
        io: _root._io
        pos: ofs_rows.value
        size: len_rows.value
