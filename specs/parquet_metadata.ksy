meta:
  id: parquet_metadata
  title: Metadata of a Parquet file, as a file of its own
  application: Apache Parquet
  license: Apache-2.0
  ks-version: '0.11'
  endian: le
doc: |
  The frame of a Parquet file's metadata. It is a Parquet file without its data,
  like Parquet's `_metadata` files. Arrow reads it instead of the end of a data
  file.

  The footer is the struct `FileMetaData` of parquet.thrift, in Thrift's compact
  protocol. Libraries read and write it.
doc-ref: https://github.com/apache/parquet-format/blob/c01e00313ea7f5eb60f5329b445d9bb0d5902175/README.md
seq:
  - id: magic
    type: u4
    valid: 0x31524150
    doc: The letters PAR1.
  - id: footer
    size: _io.size - 12
  - id: len_footer
    type: u4
    -value: length(footer)
  - id: magic_end
    type: u4
    valid: 0x31524150
types:
  parquet_metadata_start:
    doc: |
      The field before the footer. Like `parquet_metadata_end`, it is another
      view for code that needs no object.
    seq:
      - id: magic
        type: u4
        valid: 0x31524150
  parquet_metadata_end:
    -view: true
    seq:
      - id: len_footer
        type: u4
      - id: magic
        type: u4
        valid: 0x31524150
