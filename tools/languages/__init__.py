"""The readers that the Kaitai compiler makes of specs/ in other languages, against Python's."""
