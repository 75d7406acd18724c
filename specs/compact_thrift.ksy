meta:
  id: compact_thrift
  title: Apache Thrift struct in the compact protocol
  application: Apache Thrift
  xref:
    mime: application/vnd.apache.thrift.compact
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - varint
  endian: le
-kit-view: true
doc: |
  The encoded fields of a struct, by their numbers, up to its end. Only the
  definition of the struct names the fields. The footers and page headers of
  Parquet files are such structs.

  An element of a collection takes at least one byte, so a wrong count cannot
  make a reader create more elements than bytes follow. This spec limits the
  nesting of structs and collections to a depth of 32; the protocol has no
  limit.
doc-ref: https://github.com/apache/thrift/blob/054a0fa0fc851f53ea49091edc5801292bcccdb5/doc/specs/thrift-compact-protocol.md
params:
  - id: depth
    type: u1
    doc: The number of structs and collections around this one.
seq:
  - id: fields
    type: 'thrift_field(fields.size == 0 ? (0).as<s8> : fields[fields.size - 1].number, depth)'
    repeat: until
    repeat-until: _.is_stop
    doc: The fields, and the byte that ends the struct.
types:
  thrift_field:
    params:
      - id: previous
        type: s8
        doc: The number of the previous field in the struct, or 0.
      - id: depth
        type: u1
    seq:
      - id: head
        type: thrift_field_head(previous, depth)
        doc: The number and the kind of the field.
      - id: value
        type: thrift_value(head.kind, false, depth)
        if: not head.is_stop
        doc: The value of the field. The end of a struct has none.
    instances:
      number:
        value: head.number
        doc: The number of the field in the struct.
      is_stop:
        value: head.is_stop
    -webide-representation: '{number:dec}'
  thrift_field_head:
    params:
      - id: previous
        type: s8
      - id: depth
        type: u1
    seq:
      - id: head
        -orig-id: type
        type: u1
        valid:
          max: 'depth < 32 and kind >= 1 and kind <= 13 ? 255 : 0'
        doc: |
          The upper four bits are the difference between this number and the
          previous one, or 0 if the number itself follows. The lower four bits
          are the kind of the value. A byte 0 ends the struct.
      - id: long_number
        type: varint
        if: head != 0 and head < 16
        doc: The number itself, if it is not stored as a difference.
    instances:
      is_stop:
        value: head == 0
      kind:
        value: (head & 15).as<u1>
        doc: A value of the enum `thrift_kind`.
        -kit-inverse:
          head: 'kind == 0 ? 0 : (number - previous) * 16 + kind'
      number:
        -orig-id: fieldId
        value: >-
          head != 0 and head < 16 ? long_number.zigzag
          : (previous + (head / 16).as<s8>).as<s8>
        doc: The number of the field in the struct.
        -kit-inverse:
          head: 'kind == 0 ? 0 : (number - previous) * 16 + kind'
  thrift_value:
    params:
      - id: kind
        type: u1
        doc: A value of the enum `thrift_kind`.
      - id: is_element
        type: bool
        doc: In a collection, a bool takes a byte; in a field, the kind is the value.
      - id: depth
        type: u1
    seq:
      - id: truth
        type: u1
        valid:
          max: 2
        if: is_element and (named_kind == thrift_kind::bool_true or named_kind == thrift_kind::bool_false)
        doc: 1 is true. For false, writers use 0 or 2.
      - id: int_8
        type: s1
        if: named_kind == thrift_kind::i8
        doc: A signed integer of one byte.
      - id: integer
        type: varint
        if: >-
          named_kind == thrift_kind::i16 or named_kind == thrift_kind::i32
          or named_kind == thrift_kind::i64
        doc: The number is its `zigzag`.
      - id: real
        type: f8
        if: named_kind == thrift_kind::double
        doc: A floating-point number.
      - id: len_body
        type: varint
        if: named_kind == thrift_kind::binary
      - id: body
        size: len_body.value
        if: named_kind == thrift_kind::binary
        doc: Bytes, or text in UTF-8.
      - id: collection
        type: thrift_collection(depth + 1)
        if: named_kind == thrift_kind::list or named_kind == thrift_kind::set
      - id: mapping
        type: thrift_mapping(depth + 1)
        if: named_kind == thrift_kind::map
        doc: The pairs of a map.
      - id: nested
        type: compact_thrift(depth + 1)
        if: named_kind == thrift_kind::struct
        doc: A struct inside this one.
      - id: uuid
        size: 16
        if: named_kind == thrift_kind::uuid
        doc: A UUID, most significant byte first.
    instances:
      named_kind:
        value: kind
        enum: thrift_kind
  thrift_collection:
    doc: A list or a set.
    params:
      - id: depth
        type: u1
    seq:
      - id: head
        -orig-id: size_and_type
        type: u1
        valid:
          max: 'depth < 32 and kind >= 1 and kind <= 13 ? 255 : 0'
        doc: |
          The upper four bits are the number of elements, or 15 if the number
          follows. The lower four bits are the kind of the elements.
      - id: long_count
        type: varint
        if: head >= 240
        doc: The number of elements, if it is 15 or more.
      - id: elements
        type: thrift_value(kind, true, depth)
        repeat: expr
        repeat-expr: num_elements
        doc: The elements, which are all of one kind.
    instances:
      kind:
        value: (head & 15).as<u1>
        doc: A value of the enum `thrift_kind`.
      num_elements:
        -orig-id: size
        value: 'head >= 240 ? long_count.value.as<s8> : (head / 16).as<s8>'
    -webide-representation: '{num_elements:dec} elements'
  thrift_mapping:
    params:
      - id: depth
        type: u1
    seq:
      - id: num_pairs
        -orig-id: size
        type: varint
      - id: kinds
        -orig-id: keyAndValueType
        type: u1
        valid:
          min: 0x11
          max: >-
            depth < 32 and key_kind >= 1 and key_kind <= 13
            and value_kind >= 1 and value_kind <= 13 ? 255 : 0
        if: num_pairs.value > 0
        doc: The kind of the keys in the upper four bits, that of the values in the lower.
      - id: pairs
        type: thrift_pair(key_kind, value_kind, depth)
        repeat: expr
        repeat-expr: num_pairs.value
        if: num_pairs.value > 0
        doc: Each key with its value.
    instances:
      key_kind:
        value: (kinds / 16).as<u1>
        if: num_pairs.value > 0
        doc: A value of the enum `thrift_kind`.
      value_kind:
        value: (kinds & 15).as<u1>
        if: num_pairs.value > 0
        doc: A value of the enum `thrift_kind`.
  thrift_pair:
    params:
      - id: key_kind
        type: u1
      - id: value_kind
        type: u1
      - id: depth
        type: u1
    seq:
      - id: key
        type: thrift_value(key_kind, true, depth)
        doc: A key of the map.
      - id: value
        type: thrift_value(value_kind, true, depth)
        doc: The value of that key.
    -webide-representation: '{key} {value}'
enums:
  thrift_kind:
    1: bool_true
    2: bool_false
    3: i8
    4: i16
    5: i32
    6: i64
    7: double
    8: binary
    9: list
    10: set
    11: map
    12: struct
    13: uuid
