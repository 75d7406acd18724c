"""What Arrow leaves to us of ORC files: footers, CHAR, timestamps."""
