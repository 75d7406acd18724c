meta:
  id: chunked_dictionary
  title: Chunked dictionary of a range bitmap
  application: Apache Paimon
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - position
    - typed_value
  endian: be
-kit-view: true
doc: |
  The distinct values of a column in ascending order. The position of a value,
  counted from 0, is its code. Values are stored in chunks, and the head of a
  chunk contains its first value. A search reads the heads, and then the values
  of one chunk.

  Strings are ordered by their unsigned bytes, and floating-point numbers as by
  `Float.compare` (-0.0 before 0.0, NaN last).
doc-ref: https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/fileindex/rangebitmap/dictionary/chunked/ChunkedDictionary.java
params:
  - id: column_type
    type: u1
    doc: The column's type, a value of the enum `typed_value::stored_type`.
seq:
  - id: len_head
    -orig-id: headerLength
    type: s4
    valid:
      min: 13
    doc: Length of the rest of the head in bytes.
    -kit-value: 13
  - id: head_start
    type: position(_io.pos)
  - id: version
    type: u1
    valid: 1
  - id: num_chunks
    -orig-id: size
    type: s4
    valid:
      min: 0
      max: 0x1fffffff
    doc: Four times as many still fit into `len_offsets`.
  - id: len_offsets
    -orig-id: offsetsLength
    type: s4
    valid: num_chunks * 4
    doc: Length of the offsets of all chunks in bytes.
    -kit-value: num_chunks * 4
  - id: len_chunks
    -orig-id: chunksLength
    type: s4
    valid:
      min: 0
    doc: Length of the heads of all chunks in bytes.
    -kit-value: length(heads) - len_offsets
instances:
  offsets_start:
    -orig-id: bodyOffset
    value: (head_start.at + len_head.as<s8>).as<s8>
  chunks_start:
    value: (offsets_start + len_offsets.as<s8>).as<s8>
  keys_start:
    value: (chunks_start + len_chunks.as<s8>).as<s8>
  heads:
    pos: offsets_start
    type: dictionary_chunks(num_chunks, column_type)
    doc: The heads of all chunks.
types:
  dictionary_chunks:
    -kit-view: true
    params:
      - id: num_chunks
        type: s4
      - id: column_type
        type: u1
    seq:
      - id: ofs_chunks
        -orig-id: offsets
        type: s4
        repeat: expr
        repeat-expr: num_chunks
        doc: Start of the head of each chunk, counted from the first one.
      - id: fixed_chunks
        type: fixed_chunk(column_type)
        repeat: expr
        repeat-expr: num_chunks
        if: named_type != key_type::string
      - id: text_chunks
        type: text_chunk(column_type)
        repeat: expr
        repeat-expr: num_chunks
        if: named_type == key_type::string
      - id: chunks_end
        type: position(_io.pos)
    instances:
      named_type:
        value: column_type
        enum: key_type
  fixed_chunk:
    doc: |
      The head of a chunk of values of a fixed size. `chunk-size`, 16 kB by
      default, limits the bytes of the keys after the first one. For BOOLEAN,
      TINYINT and SMALLINT, the limit is 0, so each value is a chunk.
    params:
      - id: column_type
        type: u1
    seq:
      - id: version
        type: u1
        valid: 1
      - id: key
        type: typed_value(column_type)
        doc: The first value of the chunk, not repeated in its keys.
      - id: code
        type: s4
        valid:
          min: 0
        doc: The code of the first value. The other values have the next codes.
      - id: ofs_keys
        -orig-id: offset
        type: s4
        valid:
          min: 0
        doc: Start of the keys, counted from the end of all heads.
      - id: num_keys
        -orig-id: size
        type: s4
        valid:
          min: 0
        doc: Number of values in the chunk after the first.
      - id: len_keys
        -orig-id: keysLength
        type: s4
        valid:
          min: 0
        doc: Length of the keys in bytes.
        -kit-value: length(keys)
      - id: len_key
        -orig-id: fixedLength
        type: s4
        valid:
          min: 1
        doc: Length of a key in bytes.
        -kit-value: length(key)
    instances:
      keys:
        pos: _parent.as<dictionary_chunks>.chunks_end.at + ofs_keys.as<s8>
        type: dictionary_keys(num_keys, column_type)
        doc: The values after the first.
    -webide-representation: 'from {key}, code {code:dec}'
  text_chunk:
    doc: |
      The head of a chunk of strings. `chunk-size` limits both the bytes of the
      keys after the first one, and the bytes of their offsets.
    params:
      - id: column_type
        type: u1
    seq:
      - id: version
        type: u1
        valid: 1
      - id: key
        type: typed_value(column_type)
        doc: The first value of the chunk, not repeated in its keys.
      - id: code
        type: s4
        valid:
          min: 0
        doc: The code of the first value. The other values have the next codes.
      - id: ofs_keys
        -orig-id: offset
        type: s4
        valid:
          min: 0
        doc: Start of the keys, counted from the end of all heads.
      - id: num_keys
        -orig-id: size
        type: s4
        valid:
          min: 0
        doc: Number of values in the chunk after the first.
      - id: len_offsets
        -orig-id: offsetsLength
        type: s4
        valid:
          min: 0
        doc: Length of the offsets before the keys in bytes.
        -kit-value: num_keys * 4
      - id: len_keys
        -orig-id: keysLength
        type: s4
        valid:
          min: 0
        doc: Length of the keys in bytes.
        -kit-value: 'has_keys ? length(keys) - len_offsets : 0'
    instances:
      keys:
        pos: _parent.as<dictionary_chunks>.chunks_end.at + ofs_keys.as<s8>
        type: dictionary_keys(num_keys, column_type)
        doc: The values after the first.
    -webide-representation: 'from {key}, code {code:dec}'
  dictionary_keys:
    -kit-view: true
    -kit-places: true
    params:
      - id: num_keys
        type: s4
      - id: column_type
        type: u1
    seq:
      - id: ofs_keys
        -orig-id: offsets
        type: s4
        repeat: expr
        repeat-expr: num_keys
        if: named_type == key_type::string
        doc: Start of each key, counted from the first.
      - id: keys
        type: dictionary_key(column_type)
        repeat: expr
        repeat-expr: num_keys
        doc: The values in ascending order.
    instances:
      named_type:
        value: column_type
        enum: key_type
  dictionary_key:
    params:
      - id: column_type
        type: u1
    seq:
      - id: key
        type: typed_value(column_type)
        doc: A distinct value of the column.
    -webide-representation: '{key}'
enums:
  key_type:
    8: {id: string, doc: "As in `typed_value`, whose other types all have a fixed size."}
