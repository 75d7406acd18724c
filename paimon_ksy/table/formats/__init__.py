"""The formats of data files: a module for each that reads selected rows."""
