"""The bit-slice index."""
