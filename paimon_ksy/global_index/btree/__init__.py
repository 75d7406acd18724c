"""BTree indexes: keys in blocks, each with the ids of its rows."""
