"""The bloom-filter index."""
