meta:
  id: protobuf
  title: Protocol Buffers message
  xref:
    justsolve: Protobuf
    wikidata: Q1645574
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - varint
  endian: le
doc: |
  The encoded fields of a message, by their numbers. Only the schema of the
  message defines the meaning and the types of the fields. The footers of ORC
  files are such messages.
doc-ref: https://protobuf.dev/programming-guides/encoding/
seq:
  - id: fields
    type: protobuf_field
    repeat: eos
    doc: The fields, which may be in any order.
types:
  protobuf_field:
    -kit-view: true
    seq:
      - id: tag
        type: varint
        doc: The number of the field, and its wire type.
      - id: varint
        type: varint
        if: wire_type == 0
      - id: fixed_64
        -orig-id: i64
        type: u8
        if: wire_type == 1
        doc: A number of eight bytes.
      - id: len_body
        -orig-id: size
        type: varint
        if: wire_type == 2
      - id: body
        size: len_body.value
        if: wire_type == 2
        doc: A message, text, bytes or several numbers.
      - id: fixed_32
        -orig-id: i32
        type: u4
        if: wire_type == 5
        doc: A number of four bytes.
    instances:
      number:
        -orig-id: field
        value: (tag.value / (8).as<u8>).as<u8>
        doc: The number of the field in the message.
      wire_type:
        value: tag.groups[0].group & 7
        doc: Other types are not in use.
    -webide-representation: '{number:dec}'
