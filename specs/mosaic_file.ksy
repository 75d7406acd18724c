meta:
  id: mosaic_file
  title: Footer of a Mosaic data file
  application: Apache Paimon
  file-extension: mosaic
  license: Apache-2.0
  ks-version: '0.11'
  endian: be
doc: |
  The last bytes of a data file in the format Mosaic. Its columns are not
  described.

  Compared with files that pypaimon-rust 0.4.0 wrote.
doc-ref: https://crates.io/crates/paimon-mosaic-core/0.2.0
instances:
  footer:
    pos: _io.size - 32
    type: mosaic_footer
    doc: The places of the metadata.
types:
  mosaic_footer:
    seq:
      - id: ofs_index
        -orig-id: index_offset
        type: u8
        doc: Start of the index of the row groups.
      - id: ofs_schema
        -orig-id: schema_block_offset
        type: u8
        doc: Start of the schema.
      - id: num_buckets
        type: u4
        doc: The number of groups of columns.
      - id: num_row_groups
        type: u4
        doc: The number of row groups.
      - id: compression
        type: u1
        enum: mosaic_compression
        doc: How the metadata and the columns are compressed.
      - id: version
        type: u1
        doc: 1; later footers may differ.
      - id: reserved
        contents: [0, 0]
        doc: Zeros.
      - id: magic
        contents: MOSA
        doc: The number 1297044289.
enums:
  mosaic_compression:
    0: {id: none, doc: Nothing is compressed.}
    1: {id: zstd, doc: ZSTD}
