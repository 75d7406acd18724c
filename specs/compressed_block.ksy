meta:
  id: compressed_block
  title: Block of a sorted file, possibly compressed
  application: Apache Paimon
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - varint
  endian: le
-kit-view: true
-kit-places: true
doc: |
  A block of an SST file, such as a BTree global index, or of the dictionary of
  a bitmap global index. The place that names the block states the length of
  its payload, without the trailer of five bytes.

  A writer compresses each block by itself, and keeps the compressed form only
  if it saves more than an eighth, so a file may contain blocks of both forms.

  Compared with files that Paimon's Java library, pypaimon 2.1.0 and
  pypaimon-rust 0.4.0 wrote: without compression, with LZ4 and with ZSTD. LZO
  follows Java's source.
doc-ref: https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/sst/BlockTrailer.java
params:
  - id: len_payload
    type: u8
    doc: Length of the payload in bytes.
seq:
  - id: payload
    size: len_payload
    doc: The content, or, if it is compressed, a `zstd_payload` or `lz_payload`.
  - id: compression
    -orig-id: compressionType
    type: u1
    enum: block_compression
    valid:
      any-of:
        - block_compression::none
        - block_compression::zstd
        - block_compression::lz4
        - block_compression::lzo
    doc: How the payload is compressed.
  - id: crc32
    -orig-id: crc32c
    type: u4
    doc: |
      zlib's CRC-32 of the payload and `compression`. In spite of Java's name
      for it, it is not CRC-32C.
    -kit-value: crc32(payload, compression)
types:
  zstd_payload:
    -kit-view: true
    doc: A payload that is compressed by ZSTD.
    seq:
      - id: len_content
        -orig-id: uncompressedLength
        type: varint
        doc: Length of the content in bytes.
      - id: data
        size-eos: true
        doc: One frame of ZSTD.
  lz_payload:
    -kit-view: true
    doc: A payload that is compressed by LZ4 or LZO.
    seq:
      - id: len_content
        -orig-id: uncompressedLength
        type: varint
        doc: Length of the content in bytes.
        -kit-examples: [0, 1, 300, 70000]
      - id: len_data
        -orig-id: compressedLen
        type: s4
        valid:
          min: 0
        doc: Length of `data` in bytes.
        -kit-value: length(data)
      - id: len_content_again
        -orig-id: originalLen
        type: s4
        doc: Length of the content in bytes, as in `len_content`.
        -kit-value: len_content.value
      - id: data
        size: len_data
        doc: A block of LZ4 or LZO1X without a frame.
enums:
  block_compression:
    0: {id: none, doc: The payload is the content itself.}
    1: {id: zstd, doc: ZSTD}
    2: {id: lz4, doc: LZ4}
    3: {id: lzo, doc: LZO1X}
