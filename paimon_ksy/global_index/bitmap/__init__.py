"""The bitmap global index, version 1, and the multivalue index, which has its layout."""
