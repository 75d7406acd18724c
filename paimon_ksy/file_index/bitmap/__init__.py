"""The bitmap index, versions 1 and 2."""
