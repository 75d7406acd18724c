"""Roaring bitmaps of 32 and 64 bits, alone or many at once, and bit slices."""
