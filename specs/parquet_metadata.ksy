meta:
  id: parquet_metadata
  title: Metadata of a Parquet file, as a file of its own
  application: Apache Parquet
  license: Apache-2.0
  ks-version: '0.11'
  endian: le
doc: |
  What frames the metadata of a Parquet file: such a file without its data, as
  Parquet's `_metadata` files are. Arrow reads it in place of the end of a data
  file.

  The footer is a struct in Thrift's compact protocol, `FileMetaData` of
  parquet.thrift; it is read and written by libraries.
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
      The field before the footer. It is another view, as is
      `parquet_metadata_end`, for code that needs no object.
    seq:
      - id: magic
        type: u4
        valid: 0x31524150
  parquet_metadata_end:
    -flat: true
    seq:
      - id: len_footer
        type: u4
      - id: magic
        type: u4
        valid: 0x31524150
