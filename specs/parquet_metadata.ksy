meta:
  id: parquet_metadata
  title: Metadata of a Parquet file, as a separate file
  application: Apache Parquet
  xref:
    loc: fdd000575
    mime: application/vnd.apache.parquet
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - compact_thrift
  endian: le
-kit-tail: len_footer
doc: |
  The frame of a Parquet file's metadata. This is a Parquet file without data,
  like Parquet's `_metadata` files. Arrow reads it instead of the end of a data
  file.

  The footer is the struct `FileMetaData` of parquet.thrift, in Thrift's
  compact protocol. In data files, each page starts with the struct
  `PageHeader`. The enums list the numbers of the fields that readers use.
doc-ref:
  - https://github.com/apache/parquet-format/blob/c01e00313ea7f5eb60f5329b445d9bb0d5902175/README.md
  - https://github.com/apache/parquet-format/blob/010f49b89eab98b498986709be5fedaaf2ea916f/src/main/thrift/parquet.thrift
seq:
  - id: magic
    type: u4
    valid: 0x31524150
    doc: The letters PAR1.
  - id: footer
    size: _io.size - 12
    type: compact_thrift(0)
    doc: The struct `FileMetaData`.
  - id: len_footer
    type: u4
    -kit-value: length(footer)
  - id: magic_end
    type: u4
    valid: 0x31524150
    doc: The letters PAR1.
types:
  parquet_timestamps:
    -kit-view: true
    doc: Values of the physical type INT96, each a timestamp.
    seq:
      - id: values
        type: parquet_timestamp
        repeat: eos
        doc: One timestamp for each value.
    instances:
      first_day:
        value: 2440588
        doc: The Julian day that begins at noon on 1970-01-01.
  parquet_timestamp:
    seq:
      - id: nanos
        type: s8
        doc: Nanoseconds since midnight. Java writes negative ones before 1970.
      - id: day
        type: s4
        doc: The Julian day that begins at noon.
    -webide-representation: 'day {day:dec}, {nanos:dec} ns'
enums:
  parquet_file_field:
    1: version
    2: schema
  parquet_schema_field:
    1: {id: physical_type, -orig-id: type}
    2: {id: len_type, -orig-id: type_length}
    4: name
    6: converted_type
    7: scale
    8: precision
    10: logical_type
  parquet_type:
    3: int96
    7: fixed_len_byte_array
  parquet_logical_type:
    1: string
    2: map
    3: list
    4: {id: enumeration, -orig-id: ENUM}
    5: decimal
    6: date
    7: time
    8: timestamp
    10: integer
    11: {id: null_type, -orig-id: UNKNOWN}
    12: json
    13: bson
    14: uuid
    15: float16
  parquet_page_field:
    5: data_page_header
    8: data_page_header_v2
  parquet_data_page_field:
    2: encoding
  parquet_data_page_v2_field:
    4: {id: encoding_v2, -orig-id: encoding}
  parquet_encoding:
    0: plain
    2: plain_dictionary
    3: rle
    4: bit_packed
    5: delta_binary_packed
    6: delta_length_byte_array
    7: delta_byte_array
    8: rle_dictionary
    9: byte_stream_split
