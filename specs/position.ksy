meta:
  id: position
  title: A position in the file, remembered while parsing
  license: Apache-2.0
  ks-version: '0.11'
doc: |
  A field without bytes that keeps its own position. Paimon's formats count
  offsets from a point that follows from the fields before it, such as "the end
  of the dictionary". Instances are placed relative to a field of this type.
params:
  - id: at
    type: s8
    doc: Offset of this field in the stream.
-webide-representation: 'byte {at:dec}'
