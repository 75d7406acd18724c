meta:
  id: blob_file
  title: Blob file of a Paimon table
  application: Apache Paimon
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - varint
  endian: le
doc: |
  The values of one BLOB column: an entry for each value, and an index of the
  entries' lengths. A null has no entry, and neither has a placeholder, for
  which the value in an older file is valid.

  Compared with files of pypaimon 2.1.0, and with the files in `testdata/blob`
  of the Rust crate paimon 0.4.0. No other known reader checks the checksums.
doc-ref: https://github.com/apache/paimon/blob/5dacde516bf6e29b583aff8b32bab321bfc6e64f/docs/docs/concepts/spec/fileformat.md
instances:
  footer:
    pos: _io.size - 5
    type: blob_footer
    doc: The last bytes of the file.
  index:
    pos: _io.size - 5 - footer.len_index.as<s8>
    size: footer.len_index
    type: blob_index
    doc: The length of each entry.
types:
  blob_footer:
    -kit-view: true
    seq:
      - id: len_index
        -orig-id: indexLength
        type: s4
        valid:
          min: 0
        doc: Size of the index in bytes.
      - id: version
        type: u1
        valid: 1
    instances:
      len_footer:
        value: 5
        doc: Size of the footer in bytes.
    -webide-representation: '{len_index:dec} bytes'
  blob_index:
    seq:
      - id: rows
        type: >-
          blob_row(
            _index == 0 ? (0).as<s8> : rows[_index - 1].len_entry,
            _index == 0 ? (0).as<s8> : rows[_index - 1].ofs_next)
        repeat: eos
        doc: A length for each row of the file.
  blob_row:
    doc: The value in a row, by the length of its entry.
    params:
      - id: len_before
        type: s8
        doc: The length in the row before, or 0 in the first row.
      - id: ofs_entry
        type: s8
        doc: The end of the last entry before this row.
    seq:
      - id: difference
        type: varint
        doc: The length minus that in the row before, with the sign in the lowest bit.
        -kit-examples: [0, 1, 3, 32, 34, 90]
    instances:
      len_entry:
        value: (len_before + difference.zigzag).as<s8>
        doc: The length of the entry in bytes, or a negative number (`blob_entry`).
      ofs_next:
        value: '(len_entry < 0 ? ofs_entry : (ofs_entry + len_entry).as<s8>).as<s8>'
        doc: The end of the entry in the file.
      entry:
        io: _root._io
        pos: ofs_entry
        type: blob_entry(len_entry - 16)
        if: len_entry >= 16
        doc: The value, unless it is null or a placeholder.
    -webide-representation: '{len_entry:dec} bytes'
  blob_entry:
    -kit-view: true
    -kit-head: magic
    -kit-tail: len_entry
    -kit-places: true
    params:
      - id: len_data
        type: s8
        doc: Size of the value in bytes.
    seq:
      - id: magic
        contents: [0xcf, 0x11, 0x4e, 0x58]
        doc: The number 1481511375.
      - id: data
        size: len_data
        doc: The value; of an array or a map, a `blob_collection`.
      - id: len_entry
        type: s8
        doc: The length of the entry in bytes, as in the index.
        -kit-value: length(data) + 16
      - id: crc32
        type: u4
        -kit-value: crc32(magic, data, len_entry)
        doc: zlib's CRC-32 of everything before it.
    instances:
      null_length:
        value: -1
        doc: The length in the index of a null.
      placeholder_length:
        value: -2
        doc: The length in the index of a placeholder.
    -webide-representation: '{len_entry:dec} bytes'
  blob_collection:
    -kit-head: num_values
    doc: |
      A value of an array or a map, whose elements are BLOBs.

      The content of an array is its elements, their lengths as in `blob_index`,
      and the size of these lengths. The content of a map is its keys, its
      values, the lengths of both, and the sizes of both lengths.
    seq:
      - id: kind
        type: u4
        enum: collection_kind
        valid:
          any-of: [collection_kind::array, collection_kind::map]
        doc: The magic number.
      - id: version
        type: u1
        valid: 1
      - id: num_values
        type: s4
        valid:
          min: 0
        doc: Number of elements of the array, or of entries of the map.
      - id: content
        size-eos: true
        doc: The elements, and their lengths.
    -webide-representation: '{kind}'
enums:
  collection_kind:
    0x41424342: {id: array, doc: "The letters ABCB, in reverse."}
    0x4d424342: {id: map, doc: "The letters MBCB, in reverse."}
