"""Compares conditions with Spark's answers: a grammar draws them, and rows with extreme values."""
