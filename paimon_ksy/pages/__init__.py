"""HTML pages in one file, and fragments for notebooks, independent of their content."""
