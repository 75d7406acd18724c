meta:
  id: btree_index_v1
  title: BTree global index of a Paimon table, version 1
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - leb128
  endian: le
doc: |
  Blocks of sorted keys with the ids of their rows, and the directory of these
  blocks. The footer stands at the end of the file.
-pk-view: true
instances:
  footer:
    pos: _io.size - 52
    type: btree_footer
  null_rows:
    pos: footer.ofs_null_rows
    size: footer.len_null_rows + 4
    type: btree_null_rows(footer.len_null_rows)
    if: footer.len_null_rows != 0
  bloom_filter:
    pos: footer.ofs_bloom_filter
    size: footer.len_bloom_filter
    if: footer.len_bloom_filter != 0
  directory:
    pos: footer.ofs_directory
    type: directory_block(footer.len_directory)
types:
  btree_footer:
    seq:
      - id: ofs_bloom_filter
        type: u8
      - id: len_bloom_filter
        type: u4
      - id: num_bloom_filter
        type: u8
        doc: The number of keys that the filter was made for.
      - id: ofs_directory
        type: u8
      - id: len_directory
        type: u4
      - id: ofs_null_rows
        type: u8
      - id: len_null_rows
        type: u4
      - id: version
        type: u4
        valid: 1
      - id: magic
        contents: ITBP
  btree_null_rows:
    params:
      - id: len_rows
        type: u4
    seq:
      - id: rows
        size: len_rows
      - id: crc
        type: u4
        -pk-value: crc32(rows)
  directory_block:
    params:
      - id: len_block
        type: u4
    seq:
      - id: block
        size: len_block
        type: directory_records
      - id: compression
        type: u1
        valid: 0
      - id: crc
        type: u4
        -pk-value: crc32(block, compression)
  directory_records:
    seq:
      - id: records
        type: directory_record
        repeat: expr
        repeat-expr: 'tail.kind == 1 ? tail.num : (_io.size - 5) / tail.num'
      - id: offsets
        type: u4
        repeat: expr
        repeat-expr: 'tail.kind == 1 ? tail.num : 0'
    instances:
      tail:
        pos: _io.size - 5
        type: block_tail
  directory_record:
    doc: A block of data by its last key.
    seq:
      - id: len_key
        type: leb128
      - id: key
        size: len_key.value
      - id: len_handle
        type: leb128
      - id: handle
        size: len_handle.value
        type: block_handle
  block_handle:
    seq:
      - id: ofs_data
        type: leb128
      - id: len_data
        type: leb128
    instances:
      data:
        io: _root._io
        pos: ofs_data.value
        type: data_block(len_data.value)
  data_block:
    params:
      - id: len_block
        type: u8
    seq:
      - id: block
        size: len_block
        type: data_records
      - id: compression
        type: u1
        valid: 0
      - id: crc
        type: u4
        -pk-value: crc32(block, compression)
  data_records:
    seq:
      - id: records
        type: data_record
        repeat: expr
        repeat-expr: 'tail.kind == 1 ? tail.num : (_io.size - 5) / tail.num'
      - id: offsets
        type: u4
        repeat: expr
        repeat-expr: 'tail.kind == 1 ? tail.num : 0'
    instances:
      tail:
        pos: _io.size - 5
        type: block_tail
  data_record:
    seq:
      - id: len_key
        type: leb128
      - id: key
        size: len_key.value
      - id: len_rows
        type: leb128
      - id: rows
        size: len_rows.value
        type: posting
  posting:
    seq:
      - id: num_rows
        type: leb128
      - id: rows
        type: leb128
        repeat: expr
        repeat-expr: num_rows.value
  block_tail:
    doc: |
      The number of records, whose offsets stand before it; or, if all records
      have the same size, that.
    seq:
      - id: num
        type: u4
      - id: kind
        type: u1
        valid:
          max: 1
