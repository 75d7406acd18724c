"""Where bytes come from: files, URLs, Arrow file systems, streams."""
