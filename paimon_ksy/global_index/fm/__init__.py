"""The FM index, of which only the container is read."""
