"""Roaring bitmaps of 32 and 64 bits, one by one and many at once, and slices of bits."""
