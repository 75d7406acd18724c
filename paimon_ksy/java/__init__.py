"""Java's behaviour that formats depend on: hash codes, the order of HashMap, modified UTF-8."""

MAX_INT = 2**31 - 1
"""Java's `Integer.MAX_VALUE`."""
