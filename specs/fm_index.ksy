meta:
  id: fm_index
  title: FM index of a Paimon table
  application: Apache Paimon
  file-extension: index
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - compressed_block
  endian: be
doc: |
  The container of a global index of the type `fm` (`fmindex` in early versions
  of Java), which answers which texts contain a text.

  The file consists of partitions, each for a range of rows, the directory that
  lists them, and the footer. A partition consists of blocks of its wavelet
  matrix, which are bytes here, a directory that lists these blocks, and a
  footer.

  A checksum is zlib's CRC-32 of some bytes and the number of the compression
  as one more byte, which is 0 for footers and the list of partitions.

  Compared with files that pypaimon-rust 0.4.0 wrote (without compression, with
  LZ4 and with ZSTD), and with one of Paimon's Java library.
doc-ref: https://github.com/apache/paimon-rust/blob/main/crates/paimon/src/fm_index/format.rs
instances:
  footer:
    pos: _io.size - 64
    type: fm_footer
    doc: The place of the directory, and the rows of the file.
  directory:
    pos: footer.directory.ofs_block
    size: footer.directory.len_block
    type:
      switch-on: footer.directory.compression
      cases:
        compressed_block::block_compression::none: fm_directory
    doc: The partitions, also if they are compressed.
types:
  fm_footer:
    -kit-view: true
    -kit-places: true
    doc: The last bytes of a file.
    seq:
      - id: directory
        type: block_place
        doc: The directory, which is directly before this footer.
      - id: first_row
        -orig-id: firstRowId
        type: u8
        doc: The first row of the file.
      - id: num_rows
        -orig-id: rowCount
        type: u8
        doc: The number of rows of the file.
      - id: num_partitions
        -orig-id: partitionCount
        type: u4
        doc: The number of partitions.
      - id: flags
        -orig-id: featureFlags
        type: u4
        valid: 7
        doc: The features that all files have.
      - id: reserved
        contents: [0, 0, 0, 0]
        doc: Zeros, for later features.
      - id: version
        type: u4
        valid: 1
        doc: The only version there is.
      - id: magic
        contents: FMIX
        doc: The number 1179470168.
      - id: crc32
        type: u4
        doc: The checksum of the bytes before it.
        -kit-value: crc32(directory, first_row, num_rows, num_partitions, flags, reserved, version, magic, 0)
  fm_directory:
    -kit-view: true
    -kit-places: true
    doc: |
      The partitions of a file. `_INDEX_META` in the index manifest has the same
      bytes, without compression.
    seq:
      - id: magic
        contents: FMME
        doc: The number 1179471173.
      - id: version
        type: u4
        valid: 1
        doc: The only version there is.
      - id: first_row
        -orig-id: firstRowId
        type: u8
        doc: The first row of the file.
      - id: num_rows
        -orig-id: rowCount
        type: u8
        doc: The number of rows of the file.
      - id: num_partitions
        -orig-id: partitionCount
        type: u4
        doc: The number of partitions.
        -kit-value: count(partitions)
      - id: partitions
        type: fm_partition
        repeat: expr
        repeat-expr: num_partitions
        doc: The partitions in the order of their bytes and rows.
      - id: crc32
        type: u4
        doc: The checksum of the bytes before it.
        -kit-value: crc32(magic, version, first_row, num_rows, num_partitions, partitions, 0)
  fm_partition:
    seq:
      - id: ofs_start
        -orig-id: startOffset
        type: u8
        doc: Its first byte, where the one before it ends.
      - id: ofs_end
        -orig-id: endOffset
        type: u8
        doc: The byte after its last.
      - id: first_row
        -orig-id: firstRowId
        type: u8
        doc: Its first row.
      - id: num_rows
        -orig-id: rowCount
        type: u4
        doc: The number of rows.
    instances:
      footer:
        io: _root._io
        pos: ofs_end - 64
        type: fm_partition_footer
        doc: Its last bytes.
  fm_partition_footer:
    -kit-view: true
    -kit-places: true
    doc: The last bytes of a partition.
    seq:
      - id: directory
        type: block_place
        doc: The directory of the partition, which is directly before this footer.
      - id: first_row
        -orig-id: firstRowId
        type: u8
        doc: The first row.
      - id: num_rows
        -orig-id: rowCount
        type: u4
        doc: The number of rows.
      - id: len_text
        -orig-id: textLength
        type: u4
        doc: The number of bytes of all texts, with the separators after them.
      - id: sample_rate
        -orig-id: sampleRate
        type: u4
        doc: The distance of suffixes whose place is stored, a power of two.
      - id: flags
        -orig-id: featureFlags
        type: u4
        valid: 7
        doc: The features that all files have.
      - id: reserved
        contents: [0, 0, 0, 0]
        doc: Zeros, for later features.
      - id: version
        type: u4
        valid: 1
        doc: The only version there is.
      - id: magic
        contents: FMIP
        doc: The number 1179470160.
      - id: crc32
        type: u4
        doc: The checksum of the bytes before it.
        -kit-value: crc32(directory, first_row, num_rows, len_text, sample_rate, flags, reserved, version, magic, 0)
    instances:
      content:
        pos: directory.ofs_block
        size: directory.len_block
        type:
          switch-on: directory.compression
          cases:
            compressed_block::block_compression::none: fm_partition_directory
        doc: The directory itself.
  fm_partition_directory:
    -kit-view: true
    doc: The content of a partition, and the places of its blocks.
    seq:
      - id: num_rows
        -orig-id: rowCount
        type: u4
        doc: The number of rows.
      - id: len_text
        -orig-id: textLength
        type: u4
        doc: The number of bytes of all texts, with the separators after them.
      - id: sample_rate
        -orig-id: sampleRate
        type: u4
        doc: The distance of suffixes whose place is stored.
      - id: num_levels
        -orig-id: levelCount
        type: u4
        doc: The number of levels of the wavelet matrix, each for two bits of a symbol.
      - id: num_symbols
        -orig-id: alphabetSize
        type: u4
        valid:
          min: 2
          max: 258
        doc: The number of distinct bytes in the texts, and 2 for the ends of a row and of all rows.
      - id: num_words
        -orig-id: blockWords
        type: u4
        valid: 4096
        doc: The most words of eight bytes in a block.
      - id: symbols
        -orig-id: byteToSymbol
        type: s4
        repeat: expr
        repeat-expr: 256
        doc: The symbol of each byte, from 2 on in their order; -1 of bytes that no text has.
      - id: cumulative_counts
        -orig-id: cumulativeCounts
        type: u4
        repeat: expr
        repeat-expr: num_symbols + 1
        doc: How often the symbols before each symbol occur in the texts.
      - id: levels
        type: wavelet_level
        repeat: expr
        repeat-expr: num_levels
        doc: The levels of the wavelet matrix, that of the highest bits first.
      - id: sampled_rows
        -orig-id: sampledRows
        type: bit_vector
        doc: Which suffixes, in their order, have a stored place.
      - id: samples
        -orig-id: sampleValues
        type: int_vector
        doc: Their places in the texts.
      - id: null_rows
        -orig-id: nullRows
        type: bit_vector
        doc: Which rows are null.
      - id: row_ends
        -orig-id: rowBoundaries
        type: bit_vector
        doc: Which bytes of the texts are separators.
  wavelet_level:
    seq:
      - id: digit_starts
        -orig-id: digitStarts
        type: u4
        repeat: expr
        repeat-expr: 4
        doc: Where the symbols with each digit start on the next level.
      - id: len_digits
        -orig-id: valueLength
        type: u4
        doc: The number of digits, one for each symbol of the texts.
      - id: digit_counts
        -orig-id: totalCounts
        type: u4
        repeat: expr
        repeat-expr: 4
        doc: How often each digit occurs.
      - id: num_blocks
        type: u4
        doc: The number of blocks.
        -kit-value: count(blocks)
      - id: blocks
        type: digits_block
        repeat: expr
        repeat-expr: num_blocks
        doc: The blocks of digits.
  digits_block:
    seq:
      - id: first_digit
        -orig-id: firstValue
        type: u4
        doc: The number of its first digit.
      - id: num_digits
        -orig-id: valueCount
        type: u4
        doc: The number of digits.
      - id: counts_before
        -orig-id: prefixCounts
        type: digit_counts
        doc: How often each digit occurs before the block.
      - id: counts
        type: digit_counts
        doc: How often each digit occurs in the block.
      - id: place
        type: block_place
        doc: Where the block is.
    instances:
      data:
        io: _root._io
        pos: place.ofs_block
        size: place.len_block
        doc: The block itself.
  digit_counts:
    seq:
      - id: zeros
        type: u4
        doc: How often digit 0 occurs.
      - id: ones
        type: u4
        doc: How often digit 1 occurs.
      - id: twos
        type: u4
        doc: How often digit 2 occurs.
      - id: threes
        type: u4
        doc: How often digit 3 occurs.
  bit_vector:
    seq:
      - id: num_bits
        -orig-id: bitLength
        type: u4
        doc: The number of bits.
      - id: num_ones
        -orig-id: totalOnes
        type: u4
        doc: The number of bits that are set.
      - id: num_blocks
        type: u4
        doc: The number of blocks.
        -kit-value: count(blocks)
      - id: blocks
        type: bits_block
        repeat: expr
        repeat-expr: num_blocks
        doc: The blocks of bits.
  bits_block:
    seq:
      - id: first_bit
        -orig-id: firstBit
        type: u4
        doc: The number of its first bit.
      - id: num_bits
        -orig-id: bitCount
        type: u4
        doc: The number of bits.
      - id: ones_before
        -orig-id: prefixOnes
        type: u4
        doc: The number of bits that are set before the block.
      - id: num_ones
        -orig-id: onesCount
        type: u4
        doc: The number of bits that are set in the block.
      - id: place
        type: block_place
        doc: Where the block is.
    instances:
      data:
        io: _root._io
        pos: place.ofs_block
        size: place.len_block
        doc: The block itself.
  int_vector:
    seq:
      - id: num_values
        -orig-id: valueCount
        type: u4
        doc: The number of values.
      - id: num_blocks
        type: u4
        doc: The number of blocks.
        -kit-value: count(blocks)
      - id: blocks
        type: values_block
        repeat: expr
        repeat-expr: num_blocks
        doc: The blocks of values.
  values_block:
    seq:
      - id: first_value
        -orig-id: firstValue
        type: u4
        doc: The number of its first value.
      - id: num_values
        -orig-id: valueCount
        type: u4
        doc: The number of values.
      - id: place
        type: block_place
        doc: Where the block is.
    instances:
      data:
        io: _root._io
        pos: place.ofs_block
        size: place.len_block
        doc: The block itself.
  lz_block:
    -kit-view: true
    doc: A block that is compressed by LZ4 or LZO.
    seq:
      - id: len_data
        -orig-id: compressedLen
        type: s4le
        valid:
          min: 0
        doc: Length of `data` in bytes.
        -kit-value: length(data)
      - id: len_content
        -orig-id: originalLen
        type: s4le
        doc: Length of the content in bytes.
      - id: data
        size: len_data
        doc: A block of LZ4 or LZO1X without a frame.
  block_place:
    doc: The place of a block of a partition, or of a directory.
    seq:
      - id: ofs_block
        -orig-id: offset
        type: u8
        doc: Start of the block.
      - id: len_block
        -orig-id: storedLength
        type: u4
        doc: Length of the block in bytes.
      - id: len_content
        -orig-id: uncompressedLength
        type: u4
        doc: Length of its content in bytes, if it is not compressed.
      - id: compression
        -orig-id: compressionType
        type: u4
        enum: compressed_block::block_compression
        valid:
          any-of:
            - compressed_block::block_compression::none
            - compressed_block::block_compression::zstd
            - compressed_block::block_compression::lz4
            - compressed_block::block_compression::lzo
        doc: How it is compressed.
      - id: crc32
        type: u4
        doc: Its checksum.
