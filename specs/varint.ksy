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
-kit-leb128: true
doc: |
  An unsigned integer of up to 64 bits, in as few bytes as possible. Each byte
  contains seven bits, the lowest bits first. The upper bit of a byte is 1 if
  more bytes follow. Protocol Buffers and Thrift's compact protocol use such
  integers. Each sum and product is cast, because some languages otherwise
  compute it in 32 bits.
doc-ref: https://protobuf.dev/programming-guides/encoding/#varints
seq:
  - id: groups
    type: >-
      varint_group(
        groups.size == 0 ? (0).as<s8>
        : (groups.size == 1 ? (64).as<s8> : (groups[groups.size - 1].scale * 128).as<s8>).as<s8>,
        groups.size == 0 ? (0).as<s8> : groups[groups.size - 1].half)
    repeat: until
    repeat-until: _.group < 128
    doc: Seven bits each.
instances:
  half:
    value: groups[groups.size - 1].half
    doc: The integer without its lowest bit.
  value:
    value: ((half.as<u8> * 2).as<u8> + (groups[0].group & 1).as<u8>).as<u8>
    doc: The integer itself.
  zigzag:
    value: '((groups[0].group & 1) == 0 ? half : ((-half).as<s8> - 1).as<s8>).as<s8>'
    doc: The value as a signed integer whose sign is in the lowest bit.
types:
  varint_group:
    params:
      - id: scale
        type: s8
        doc: The value of the lowest bit of the group in `half`, or 0 in the first group.
      - id: half_before
        type: s8
        doc: The `half` of the groups before.
    seq:
      - id: group
        type: u1
        valid:
          max: 'scale < (0x4000000000000000).as<s8> ? 255 : 1'
        doc: Seven bits, and the bit that states whether another group follows.
        -kit-value: >-
          (_parent.value / 2 >= (scale == 0 ? 64 : scale * 128) ? 128 : 0)
          + (scale == 0 ? _parent.value : _parent.value / 2 / scale) % 128
    instances:
      half:
        value: >-
          (half_before + (scale == 0 ? ((group & 127) / 2).as<s8>
          : ((group & 127).as<s8> * scale).as<s8>).as<s8>).as<s8>
        doc: The integer up to this group, without its lowest bit.
-webide-representation: '{value:dec}'
