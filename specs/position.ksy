meta:
  id: position
  title: A position in the file, remembered while parsing
  license: Apache-2.0
  ks-version: '0.11'
doc: |
  Takes no bytes. Paimon's formats count offsets from a point that only the
  fields before it tell ("the end of the dictionary", "the first index
  block"); a field of this type keeps that point, so that instances can be
  placed relative to it.
params:
  - id: at
    type: s8
    doc: Offset in the stream of the place where this field stands.
-webide-representation: 'byte {at:dec}'
