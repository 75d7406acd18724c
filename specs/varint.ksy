meta:
  id: varint
  title: Variable-length integer
  xref:
    justsolve: Variable-length_quantity
    wikidata: Q6457577
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.11'
doc: |
  An unsigned integer of up to 64 bits, in as few bytes as possible. Each byte
  contains seven bits, the lowest bits first. The upper bit of a byte is 1 if
  more bytes follow. Protocol Buffers and Thrift's compact protocol use such
  integers. Each sum and product is cast, because some languages otherwise
  compute it in 32 bits.
doc-ref: https://protobuf.dev/programming-guides/encoding/#varints
seq:
  - id: b0
    type: u1
    doc: The lowest seven bits.
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
    doc: The other bytes.
instances:
  half:
    value: >-
      (((b0 & 127) / 2).as<s8>
      + (b0 < 128 ? (0).as<s8> : (((b1 & 127).as<s8> * 64).as<s8>
      + (b1 < 128 ? (0).as<s8> : (((b2 & 127).as<s8> * (8192).as<s8>).as<s8>
      + (b2 < 128 ? (0).as<s8> : (((b3 & 127).as<s8> * (1048576).as<s8>).as<s8>
      + (b3 < 128 ? (0).as<s8> : (more.value * (134217728).as<s8>).as<s8>
      )).as<s8>)).as<s8>)).as<s8>)).as<s8>
    doc: The integer without its lowest bit.
  value:
    value: ((half.as<u8> * 2).as<u8> + (b0 & 1).as<u8>).as<u8>
    doc: The integer itself.
    -pk-inverse:
      b0: 'value < 128 ? value : value % 128 + 128'
      b1: 'value < 16384 ? value / 128 : value / 128 % 128 + 128'
      b2: 'value < 2097152 ? value / 16384 : value / 16384 % 128 + 128'
      b3: value / 2097152
  zigzag:
    value: '((b0 & 1) == 0 ? half : ((-half).as<s8> - 1).as<s8>).as<s8>'
    doc: The value as a signed integer whose sign is in the lowest bit.
-webide-representation: '{value:dec}'
types:
  varint_end:
    doc: The bytes from the fifth on.
    seq:
      - id: b4
        type: u1
        doc: Seven bits, as in the first byte.
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
        valid:
          max: 1
        if: b4 >= 128 and b5 >= 128 and b6 >= 128 and b7 >= 128 and b8 >= 128
    instances:
      value:
        value: >-
          ((b4 & 127).as<s8>
          + (b4 < 128 ? (0).as<s8> : (((b5 & 127).as<s8> * (128).as<s8>).as<s8>
          + (b5 < 128 ? (0).as<s8> : (((b6 & 127).as<s8> * (16384).as<s8>).as<s8>
          + (b6 < 128 ? (0).as<s8> : (((b7 & 127).as<s8> * (2097152).as<s8>).as<s8>
          + (b7 < 128 ? (0).as<s8> : (((b8 & 127).as<s8> * (268435456).as<s8>).as<s8>
          + (b8 < 128 ? (0).as<s8> : (b9.as<s8> * (34359738368).as<s8>).as<s8>
          )).as<s8>)).as<s8>)).as<s8>)).as<s8>)).as<s8>
        doc: The bits of these bytes.
