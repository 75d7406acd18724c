meta:
  id: protobuf
  title: Message of Protocol Buffers
  license: Apache-2.0
  ks-version: '0.11'
  endian: le
doc: |
  The encoded fields of a message, by their numbers. Only the schema of the
  message defines their meaning and types. The footers of ORC files are such
  messages.
doc-ref: https://protobuf.dev/programming-guides/encoding/
seq:
  - id: fields
    type: protobuf_field
    repeat: eos
types:
  protobuf_field:
    seq:
      - id: tag
        type: protobuf_varint
      - id: varint
        type: protobuf_varint
        if: wire_type == 0
      - id: fixed_64
        type: u8
        if: wire_type == 1
      - id: len_body
        type: protobuf_varint
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
        value: tag.value >> 3
        doc: The number of the field in the message.
      wire_type:
        value: tag.b0 & 7
        doc: Types other than these are not in use.
    -webide-representation: '{number:dec}'
  protobuf_varint:
    doc: |
      An integer, seven bits a byte, the lowest ones first. The value covers the
      first eight bytes. In languages whose integers here have 32 bits, it is
      right below 2^31.
    seq:
      - id: b0
        type: u1
      - id: b1
        type: u1
        if: b0 >= 128
      - id: b2
        type: u1
        if: b0 >= 128 and b1 >= 128
      - id: b3
        type: u1
        if: b0 >= 128 and b1 >= 128 and b2 >= 128
      - id: more
        type: protobuf_varint_end
        if: b0 >= 128 and b1 >= 128 and b2 >= 128 and b3 >= 128
    instances:
      value:
        value: |
          (b0 & 127)
          + (b0 < 128 ? 0 : (b1 & 127) * 128
          + (b1 < 128 ? 0 : (b2 & 127) * 16384
          + (b2 < 128 ? 0 : (b3 & 127) * 2097152
          + (b3 < 128 ? 0 : more.value * 268435456))))
    -webide-representation: '{value:dec}'
  protobuf_varint_end:
    doc: The bytes of an integer from the fifth on.
    seq:
      - id: b4
        type: u1
      - id: b5
        type: u1
        if: b4 >= 128
      - id: b6
        type: u1
        if: b4 >= 128 and b5 >= 128
      - id: b7
        type: u1
        if: b4 >= 128 and b5 >= 128 and b6 >= 128
      - id: b8
        type: u1
        if: b4 >= 128 and b5 >= 128 and b6 >= 128 and b7 >= 128
      - id: b9
        type: u1
        if: b4 >= 128 and b5 >= 128 and b6 >= 128 and b7 >= 128 and b8 >= 128
        valid:
          max: 1
    instances:
      value:
        value: |
          (b4 & 127)
          + (b4 < 128 ? 0 : (b5 & 127) * 128
          + (b5 < 128 ? 0 : (b6 & 127) * 16384
          + (b6 < 128 ? 0 : (b7 & 127) * 2097152)))
