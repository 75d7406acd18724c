meta:
  id: global_bitmap_index
  title: Bitmap global index of a Paimon table, version 1
  application: Apache Paimon
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - compressed_block
    - roaring_bitmap_64
    - varint
  endian: be
doc: |
  A file of a global index of the type `bitmap` or `multivalue`, since Paimon
  2.0: a bitmap of rows for each value, and a dictionary of the values in
  blocks. A look-up reads the footer, the directory, one block of the dictionary
  and one bitmap. Row ids count from the start of the row range in the index
  manifest. In Paimon 1.4, a file of the type `bitmap` is a `bitmap_index`
  instead.

  In an index of the type `multivalue`, over an ARRAY, the values are the
  elements, and a row may have several of them. Null elements leave nothing, and
  both bitmaps of null and other rows are empty.

  The values ascend: by Java and pypaimon-rust as a `sorted_key` does, by
  pypaimon by the bytes of their keys. These orders differ for all types but
  BOOLEAN, TINYINT from 0 on, and strings.

  Bitmaps have no checksum. In an index of the type `bitmap`, each row is null or
  has one value, so a changed bit contradicts another bitmap.

  Compared with files that pypaimon 2.1.0, pypaimon-rust 0.4.0 and Paimon's Java
  library wrote; compressed blocks and `multivalue` only with pypaimon-rust. Our
  writer writes them again byte for byte, except for the frames of ZSTD of
  pypaimon-rust, which state the length of the content. Its blocks of LZ4 were
  compared in one small file: it compresses them with lz4_flex, and we with the
  C library, so larger blocks may differ.
doc-ref: https://github.com/apache/paimon/blob/5dacde516bf6e29b583aff8b32bab321bfc6e64f/paimon-common/src/main/java/org/apache/paimon/globalindex/bitmap/BitmapGlobalIndexFormat.java
instances:
  footer:
    pos: _io.size - 48
    type: global_bitmap_footer
    doc: The last 48 bytes.
  null_rows:
    pos: footer.ofs_null_rows
    size: footer.len_null_rows
    type: roaring_bitmap_64
    doc: The rows that are null.
  non_null_rows:
    pos: footer.ofs_non_null_rows
    size: footer.len_non_null_rows
    type: roaring_bitmap_64
    doc: All other rows.
  directory:
    -orig-id: indexBlock
    pos: footer.ofs_directory
    size: footer.len_directory + 5
    type: global_bitmap_directory_block
    doc: Where the blocks of the dictionary are.
types:
  global_bitmap_footer:
    -kit-view: true
    seq:
      - id: ofs_null_rows
        -orig-id: nullRowsBlock.offset
        type: u8
        doc: Where the bitmap of null rows starts.
        -kit-value: 0
      - id: len_null_rows
        -orig-id: nullRowsBlock.length
        type: u4
        doc: Length of this bitmap in bytes.
      - id: ofs_non_null_rows
        -orig-id: nonNullRowsBlock.offset
        type: u8
        doc: Where the bitmap of all other rows starts.
        -kit-value: len_null_rows
      - id: len_non_null_rows
        -orig-id: nonNullRowsBlock.length
        type: u4
        doc: Length of this bitmap in bytes.
      - id: ofs_directory
        -orig-id: indexBlock.offset
        type: u8
        doc: Where the block of the directory starts.
      - id: len_directory
        -orig-id: indexBlock.length
        type: u4
        doc: Length of this block without its trailer.
      - id: num_values
        -orig-id: valueCount
        type: u4
        doc: The number of distinct values.
      - id: version
        type: u4
        valid: 1
      - id: magic
        contents: BGIX
        doc: Bitmap global index.
    instances:
      len_footer:
        value: 48
        doc: Length of the footer.
      len_trailer:
        value: 5
        doc: Length of the trailer of a block.
  global_bitmap_directory_block:
    doc: |
      A `compressed_block`, whose content is shown if it is not compressed.
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
            compressed_block::block_compression::none: global_bitmap_directory
            compressed_block::block_compression::zstd: compressed_block::zstd_payload
            compressed_block::block_compression::lz4: compressed_block::lz_payload
            compressed_block::block_compression::lzo: compressed_block::lz_payload
        doc: The directory.
      crc32:
        pos: _io.size - 4
        type: u4le
        doc: zlib's CRC-32 of the bytes before.
        -kit-value: crc32(content, compression)
  global_bitmap_directory:
    -kit-view: true
    seq:
      - id: num_blocks
        -orig-id: blockCount
        type: varint
      - id: blocks
        type: global_bitmap_block_ref
        repeat: expr
        repeat-expr: num_blocks.value
        doc: The blocks of the dictionary, in the order of their values.
        -kit-ascending: key
  global_bitmap_block_ref:
    seq:
      - id: len_key
        -orig-id: keyLength
        type: varint
      - id: key
        -orig-id: firstKey
        size: len_key.value
        doc: The first value of the block, a `sorted_key`.
      - id: ofs_body
        -orig-id: offset
        type: varint
        doc: Where the block starts.
      - id: len_body
        -orig-id: length
        type: varint
        doc: Length of the block without its trailer.
    instances:
      body:
        io: _root._io
        pos: ofs_body.value
        size: len_body.value + 5
        type: global_bitmap_dictionary_block
        doc: The block itself.
  global_bitmap_dictionary_block:
    doc: |
      A `compressed_block`, whose content is shown if it is not compressed.
      Writers add values until the content would exceed a size, 16 kB by
      default.
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
            compressed_block::block_compression::none: global_bitmap_dictionary
            compressed_block::block_compression::zstd: compressed_block::zstd_payload
            compressed_block::block_compression::lz4: compressed_block::lz_payload
            compressed_block::block_compression::lzo: compressed_block::lz_payload
        doc: A part of the dictionary.
      crc32:
        pos: _io.size - 4
        type: u4le
        doc: zlib's CRC-32 of the bytes before.
        -kit-value: crc32(content, compression)
  global_bitmap_dictionary:
    -kit-view: true
    seq:
      - id: num_values
        -orig-id: entryCount
        type: varint
      - id: values
        type: global_bitmap_value
        repeat: expr
        repeat-expr: num_values.value
        doc: An entry for each value of the block.
        -kit-ascending: key
  global_bitmap_value:
    seq:
      - id: len_key
        -orig-id: keyLength
        type: varint
      - id: key
        size: len_key.value
        doc: A distinct value, a `sorted_key`.
      - id: ofs_rows
        -orig-id: bitmapOffset
        type: varint
        doc: Where the bitmap starts.
      - id: len_rows
        -orig-id: bitmapLength
        type: varint
        doc: Length of the bitmap in bytes.
    instances:
      rows:
        io: _root._io
        pos: ofs_rows.value
        size: len_rows.value
        type: roaring_bitmap_64
        doc: The rows that contain the value.
