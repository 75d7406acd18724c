"""What generated readers, writers and strategies import; it knows no format."""
