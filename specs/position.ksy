meta:
  id: position
  title: Position in a file, remembered while parsing
  license: Apache-2.0
  ks-version: '0.11'
doc: |
  A field without bytes that remembers its own position. Paimon's formats count
  offsets from places that depend on previous fields, such as "the end of the
  dictionary". A field of this type marks such a place, and instances are
  positioned relative to it.
params:
  - id: at
    type: s8
    doc: Offset of this field in the stream.
-webide-representation: 'byte {at:dec}'
