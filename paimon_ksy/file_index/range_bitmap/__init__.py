"""The range-bitmap index."""
