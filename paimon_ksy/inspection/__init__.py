"""What a file contains, field by field, and what contradicts itself in it."""
