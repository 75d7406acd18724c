meta:
  id: varint
  title: Integer of as few bytes as hold it
  license: Apache-2.0
  ks-version: '0.11'
doc: |
  An unsigned integer of up to 64 bits, seven bits a byte, the lowest ones
  first. The upper bit of a byte is 1 if more bytes follow. Protocol Buffers and
  Thrift's compact protocol have such integers. In languages whose integers here
  have 32 bits, the value is right below 2^31.
doc-ref: https://protobuf.dev/programming-guides/encoding/#varints
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
    type: varint_end
    if: b0 >= 128 and b1 >= 128 and b2 >= 128 and b3 >= 128
instances:
  value:
    value: |
      (b0 & 127)
      + (b0 < 128 ? 0 : (b1 & 127) * 128
      + (b1 < 128 ? 0 : (b2 & 127) * 16384
      + (b2 < 128 ? 0 : (b3 & 127) * 2097152
      + (b3 < 128 ? 0 : more.value * 268435456))))
  zigzag:
    value: '(b0 & 1) == 0 ? value / 2 : -(value / 2) - 1'
    doc: A signed integer, whose sign is in the lowest bit.
-webide-representation: '{value:dec}'
types:
  varint_end:
    doc: The bytes from the fifth on.
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
          + (b6 < 128 ? 0 : (b7 & 127) * 2097152
          + (b7 < 128 ? 0 : (b8 & 127) * 268435456
          + (b8 < 128 ? 0 : b9 * 34359738368)))))
