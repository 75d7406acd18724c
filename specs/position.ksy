meta:
  id: position
  title: Position in a file, remembered while parsing
  license: Apache-2.0
  ks-version: '0.11'
doc: |
  A field without bytes that remembers its own position. Offsets in Paimon's
  formats count from places such as "the end of the dictionary".
params:
  - id: at
    type: s8
    doc: Offset of this field in the stream.
-webide-representation: 'byte {at:dec}'
