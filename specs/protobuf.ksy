meta:
  id: protobuf
  title: Protocol Buffers message
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
types:
  protobuf_field:
    -pk-view: true
    seq:
      - id: tag
        type: varint
      - id: varint
        type: varint
        if: wire_type == 0
      - id: fixed_64
        type: u8
        if: wire_type == 1
      - id: len_body
        type: varint
        if: wire_type == 2
      - id: body
        size: len_body.value
        if: wire_type == 2
        doc: A message, text, bytes or several numbers.
      - id: fixed_32
        type: u4
        if: wire_type == 5
    instances:
      number:
        value: (tag.value / (8).as<u8>).as<u8>
        doc: The number of the field in the message.
      wire_type:
        value: tag.b0 & 7
        doc: Other types are not in use.
    -webide-representation: '{number:dec}'
