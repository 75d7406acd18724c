meta:
  id: file_index
  title: Apache Paimon file index
  application: Apache Paimon
  file-extension: index
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - java_utf8
    - position
  endian: be
-kit-view: true
doc: |
  The indexes of one data file. The head lists the indexes of each column and
  their positions. The bodies of the indexes follow, one after another. Paimon
  stores this file next to the data file as `<data file>.index`. If it is not
  larger than `file-index.in-manifest-threshold`, it is embedded in the
  manifest entry instead.

  The file contains the names of columns and index types, but not the column
  types. A reader needs the table's schema to interpret a body. The format has
  no checksum.

  The Java reader uses `len_head` only to find the end of the head. It ignores
  bytes after the listed columns, and bytes after the last body. If a column is
  listed twice, the indexes of both entries count. If an index type is listed
  twice for a column, only the last entry counts.
doc-ref:
  - https://github.com/apache/paimon/blob/release-1.4.2/docs/content/concepts/spec/fileindex.md
  - https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/fileindex/FileIndexFormat.java
seq:
  - id: magic
    contents: [0x00, 0x05, 0x4e, 0x4e, 0xd0, 0x1a, 0x35, 0xae]
    doc: 1493475289347502 as an int64, the same in each file index.
  - id: version
    type: s4
    valid: 1
  - id: len_head
    -orig-id: headLength
    type: s4
    valid:
      min: 20
    doc: Length in bytes from the start of the file to the end of the head.
    -kit-value: position(head_end)
  - id: head_start
    type: position(_io.pos)
  - id: head
    size: len_head.as<s8> - head_start.at
    type: file_index_head
    doc: The columns, their indexes, and where these are.
  - id: head_end
    type: position(_io.pos)
types:
  file_index_head:
    seq:
      - id: num_columns
        -orig-id: columnSize
        type: s4
        valid:
          min: 0
      - id: columns
        type: file_index_column
        repeat: expr
        repeat-expr: num_columns
      - id: len_redundant
        -orig-id: REDUNDANT_LENGTH
        type: s4
        valid:
          min: 0
        if: not _io.eof
        doc: |
          Reserved for later versions, and 0 in this one. The Java reader does
          not read this field, so a head may end before it.
      - id: redundant
        size: len_redundant
        if: not _io.eof
        doc: Reserved for later versions. Readers of this version skip it.
  file_index_column:
    doc: |
      A column of the table, or one key of a MAP column, which is named
      `column[key]`.
    seq:
      - id: name
        -orig-id: columnName
        type: java_utf8
        doc: The name of the column.
      - id: num_indexes
        -orig-id: indexSize
        type: s4
        valid:
          min: 0
      - id: indexes
        type: file_index_entry
        repeat: expr
        repeat-expr: num_indexes
        doc: The indexes of the column.
    -webide-representation: '{name}'
  file_index_entry:
    doc: One index of a column.
    seq:
      - id: index_type
        type: java_utf8
        doc: |
          `bitmap`, `bloom-filter`, `bsi`, `range-bitmap`, or a type that a
          plug-in adds.
      - id: ofs_body
        -orig-id: start
        type: s4
        valid:
          min: -1
        doc: |
          Start of the body, counted from the start of the file. -1 means
          EMPTY: no row was written to the index, and it has no body.
        -kit-value: 'has_body ? position(body) : -1'
      - id: len_body
        -orig-id: length
        type: s4
        doc: |
          Length of the body in bytes, or 0 if EMPTY. Only bloom filters need
          it. The end of other indexes follows from their content, and Java
          ignores this length for them.
        -kit-value: 'has_body ? length(body) : 0'
    instances:
      is_empty:
        value: ofs_body == -1
      body:
        io: _root._io
        pos: ofs_body
        size: len_body
        if: not is_empty
        doc: The index itself, in the layout of its index type.
    -webide-representation: '{index_type} at {ofs_body:dec}, {len_body:dec} bytes'
