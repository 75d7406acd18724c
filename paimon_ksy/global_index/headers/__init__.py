"""Global indexes of which only the header is read: those of vectors, and full-text indexes."""
