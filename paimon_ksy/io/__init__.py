"""Read and write bytes: files, URLs, Arrow file systems, streams."""
