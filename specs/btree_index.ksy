meta:
  id: btree_index
  title: BTree global index of a Paimon table
  application: Apache Paimon
  file-extension: index
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - compressed_block
    - roaring_bitmap_64
    - varint
  endian: le
doc: |
  The keys of a column in ascending order, each with the ids of its rows. The
  keys are in blocks, and the directory lists the last key of each block. Row
  ids count from the start of the row range, which the index manifest lists.

  The file consists of the blocks, the null rows, the Bloom filter, the
  directory and the footer. A look-up reads the footer, the directory and one
  block.

  Compared with files of both versions that Paimon's Java library and
  pypaimon-rust 0.4.0 wrote, also with LZ4, ZSTD and composite keys, and with
  files of version 1 of pypaimon 2.1.0. Our writer writes them again byte for
  byte, also the frames of ZSTD of Java; pypaimon-rust writes other frames,
  which state the length of the content. Bloom filters were compared with those
  of pypaimon and pypaimon-rust only.
doc-ref: https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/globalindex/btree/BTreeIndexWriter.java
instances:
  footer:
    pos: _io.size - 52
    type: btree_footer
    doc: The places of all other parts.
  null_rows:
    pos: footer.ofs_null_rows
    size: footer.len_null_rows + 4
    type: btree_null_rows
    if: footer.len_null_rows != 0
    doc: The rows whose value is null.
  bloom_filter:
    pos: footer.ofs_bloom_filter
    size: footer.len_bloom_filter
    if: footer.len_bloom_filter != 0
    doc: |
      The bits of the filter, without a head or a checksum. Bit i is bit i % 8
      of byte i / 8, the lowest bit first.
  directory:
    pos: footer.ofs_directory
    size: footer.len_directory + 5
    type: btree_directory(footer.version)
    doc: The place and the last key of each block.
types:
  btree_footer:
    -kit-view: true
    -kit-places: true
    seq:
      - id: ofs_bloom_filter
        -orig-id: bloomFilterOffset
        type: u8
        doc: Start of the Bloom filter, or 0 if there is none.
      - id: len_bloom_filter
        -orig-id: bloomFilterSize
        type: u4
        doc: Length of the Bloom filter in bytes, or 0 if there is none.
      - id: num_bloom_filter
        -orig-id: expectedEntries
        type: u8
        doc: |
          The number of keys for which the filter was made. With the number of
          bits, it determines how many bits each key sets.
      - id: ofs_directory
        -orig-id: indexBlockOffset
        type: u8
        doc: Start of the directory.
      - id: len_directory
        -orig-id: indexBlockSize
        type: u4
        doc: Length of the directory in bytes, without the five bytes after its records.
      - id: ofs_null_rows
        -orig-id: nullBitmapOffset
        type: u8
        doc: Start of the null rows, or 0 if there are none.
      - id: len_null_rows
        -orig-id: nullBitmapSize
        type: u4
        doc: Length of the bitmap of the null rows in bytes, without its checksum.
      - id: version
        type: s4
        valid:
          any-of: [1, 2]
        doc: 1, or 2 if row ids are in smaller forms.
      - id: magic
        contents: ITBP
        doc: The number 1346524233.
  btree_null_rows:
    -kit-tail: crc32
    seq:
      - id: rows
        size: _io.size - 4
        type: roaring_bitmap_64
        doc: The row ids.
      - id: crc32
        type: u4
        doc: zlib's CRC-32 of `rows`.
        -kit-value: crc32(rows)
  btree_directory:
    doc: A `compressed_block`, whose content is shown if it is not compressed.
    params:
      - id: version
        type: s4
        doc: That of the footer.
    instances:
      compression:
        pos: _io.size - 5
        type: u1
        enum: compressed_block::block_compression
        doc: How the block is compressed.
      content:
        pos: 0
        size: _io.size - 5
        type:
          switch-on: compression
          cases:
            compressed_block::block_compression::none: directory_records(version)
            compressed_block::block_compression::zstd: compressed_block::zstd_payload
            compressed_block::block_compression::lz4: compressed_block::lz_payload
            compressed_block::block_compression::lzo: compressed_block::lz_payload
        doc: A record for each block.
      crc32:
        pos: _io.size - 4
        type: u4
        doc: zlib's CRC-32 of the bytes before.
        -kit-value: crc32(content, compression)
  directory_records:
    params:
      - id: version
        type: s4
        doc: That of the footer.
    instances:
      tail:
        pos: _io.size - 5
        type: block_tail
        doc: The number of records, or their size.
      of_one_size:
        pos: 0
        size: _io.size - 5
        type: directory_of_one_size(version)
        if: tail.kind == block_kind::one_size
        doc: A block each, by its last key.
      of_several_sizes:
        pos: 0
        type: directory_of_several_sizes(tail.num, version)
        if: tail.kind == block_kind::several_sizes
        doc: A block each, by its last key.
  directory_of_one_size:
    params:
      - id: version
        type: s4
        doc: That of the footer.
    seq:
      - id: records
        -orig-id: entries
        type: directory_record(version)
        repeat: eos
        doc: The records, each of the size that the tail states.
  directory_of_several_sizes:
    params:
      - id: num_records
        type: u4
        doc: The number of records.
      - id: version
        type: s4
        doc: That of the footer.
    seq:
      - id: records
        -orig-id: entries
        type: directory_record(version)
        repeat: expr
        repeat-expr: num_records
        doc: The records.
      - id: offsets
        type: record_offsets(num_records)
        doc: Where each record starts.
  directory_record:
    -kit-view: true
    -kit-columns: true
    -kit-head: key
    params:
      - id: version
        type: s4
        doc: That of the footer.
    seq:
      - id: len_key
        -orig-id: keyLength
        type: varint
        doc: Length of the key in bytes.
      - id: key
        size: len_key.value
        doc: The last key of the block, a `sorted_key` or `composite_key`.
      - id: len_handle
        -orig-id: valueLength
        type: varint
        doc: Length of the handle in bytes.
      - id: handle
        size: len_handle.value
        type: block_handle(version)
        doc: Where the block is.
  block_handle:
    -kit-columns: true
    params:
      - id: version
        type: s4
        doc: That of the footer.
    seq:
      - id: ofs_block
        -orig-id: offset
        type: varint
        doc: Start of the block.
      - id: len_block
        -orig-id: size
        type: varint
        doc: Length of the block in bytes, without the five bytes after its records.
    instances:
      keys:
        io: _root._io
        pos: ofs_block.value
        size: len_block.value + 5
        type: btree_block(version)
        doc: The block itself.
  btree_block:
    doc: A `compressed_block`, whose content is shown if it is not compressed.
    params:
      - id: version
        type: s4
        doc: That of the footer.
    instances:
      compression:
        pos: _io.size - 5
        type: u1
        enum: compressed_block::block_compression
        doc: How the block is compressed.
      content:
        pos: 0
        size: _io.size - 5
        type:
          switch-on: compression
          cases:
            compressed_block::block_compression::none: btree_records(version)
            compressed_block::block_compression::zstd: compressed_block::zstd_payload
            compressed_block::block_compression::lz4: compressed_block::lz_payload
            compressed_block::block_compression::lzo: compressed_block::lz_payload
        doc: A record for each key.
      crc32:
        pos: _io.size - 4
        type: u4
        doc: zlib's CRC-32 of the bytes before.
        -kit-value: crc32(content, compression)
  btree_records:
    params:
      - id: version
        type: s4
        doc: That of the footer.
    instances:
      tail:
        pos: _io.size - 5
        type: block_tail
        doc: The number of records, or their size.
      of_one_size:
        pos: 0
        size: _io.size - 5
        type: btree_records_of_one_size(version)
        if: tail.kind == block_kind::one_size
        doc: A key each, in ascending order.
      of_several_sizes:
        pos: 0
        type: btree_records_of_several_sizes(tail.num, version)
        if: tail.kind == block_kind::several_sizes
        doc: A key each, in ascending order.
  btree_records_of_one_size:
    params:
      - id: version
        type: s4
        doc: That of the footer.
    seq:
      - id: records
        -orig-id: entries
        type: btree_record(version)
        repeat: eos
        doc: The records, each of the size that the tail states.
  btree_records_of_several_sizes:
    params:
      - id: num_records
        type: u4
        doc: The number of records.
      - id: version
        type: s4
        doc: That of the footer.
    seq:
      - id: records
        -orig-id: entries
        type: btree_record(version)
        repeat: expr
        repeat-expr: num_records
        doc: The records.
      - id: offsets
        type: record_offsets(num_records)
        doc: Where each record starts.
  btree_record:
    -kit-columns: true
    -kit-head: key
    params:
      - id: version
        type: s4
        doc: That of the footer.
    seq:
      - id: len_key
        -orig-id: keyLength
        type: varint
        doc: Length of the key in bytes.
      - id: key
        size: len_key.value
        doc: A distinct value, a `sorted_key` or `composite_key`.
      - id: len_posting
        -orig-id: valueLength
        type: varint
        doc: Length of the posting in bytes.
      - id: posting
        size: len_posting.value
        type:
          switch-on: version
          cases:
            1: posting_v1
            2: posting_v2
        doc: The rows of the value.
  posting_v1:
    -kit-columns: true
    seq:
      - id: num_rows
        -orig-id: size
        type: varint
        doc: The number of rows.
      - id: rows
        -orig-id: rowIds
        type: varint
        repeat: expr
        repeat-expr: num_rows.value
        doc: The row ids in ascending order.
  posting_v2:
    -kit-columns: true
    seq:
      - id: form
        type: u1
        enum: posting_form
        valid:
          any-of: [posting_form::single, posting_form::deltas, posting_form::bitmap]
        doc: How the rows are stored. A bitmap is used only if it is the smallest form.
      - id: rows
        type:
          switch-on: form
          cases:
            posting_form::single: single_row
            posting_form::deltas: row_deltas
            posting_form::bitmap: roaring_bitmap_64
        doc: The rows of the value.
  single_row:
    -kit-columns: true
    seq:
      - id: row
        -orig-id: rowId
        type: varint
        doc: The only row id.
  row_deltas:
    -kit-columns: true
    seq:
      - id: num_rows
        -orig-id: size
        type: varint
        doc: The number of rows, at least two.
      - id: first_row
        -orig-id: firstRowId
        type: varint
        doc: The least row id.
      - id: deltas
        type: varint
        repeat: expr
        repeat-expr: num_rows.value - 1
        doc: The differences from one row id to the next, at least 1 each.
  record_offsets:
    -kit-view: true
    params:
      - id: num_offsets
        type: u4
        doc: The number of offsets.
    seq:
      - id: offsets
        -orig-id: positions
        type: u4
        repeat: expr
        repeat-expr: num_offsets
        doc: Where each record starts in the block.
  block_tail:
    -kit-view: true
    -kit-places: true
    doc: The end of a block. If all records have the same size, it has no offsets.
    seq:
      - id: num
        -orig-id: size
        type: u4
        doc: The number of records; if they have the same size, this size.
      - id: kind
        -orig-id: alignedType
        type: u1
        enum: block_kind
        valid:
          any-of: [block_kind::one_size, block_kind::several_sizes]
        doc: Whether all records have the same size.
enums:
  block_kind:
    0: {id: one_size, doc: All records have the same size.}
    1: {id: several_sizes, doc: "The records have several sizes, or there are none."}
  posting_form:
    0: {id: single, doc: One row.}
    1: {id: deltas, doc: The differences between row ids.}
    2: {id: bitmap, doc: A Roaring bitmap.}
