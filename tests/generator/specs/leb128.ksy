meta:
  id: leb128
  title: Unsigned LEB128
  license: Apache-2.0
  ks-version: '0.11'
doc: An integer in groups of seven bits, the lowest first.
seq:
  - id: groups
    type: 'leb128_group(_index, _index == 0 ? 0 : groups[_index - 1].total)'
    repeat: until
    repeat-until: not _.has_next
instances:
  value:
    value: groups[groups.size - 1].total
types:
  leb128_group:
    params:
      - id: index
        type: u1
      - id: before
        type: u8
    seq:
      - id: has_next
        type: b1
        -kit-value: (_parent.value >> 7 * index + 7) != 0
      - id: low
        type: b7
        -kit-value: _parent.value >> 7 * index & 127
    instances:
      total:
        value: before | low << 7 * index
