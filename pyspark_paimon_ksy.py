"""Spark imports modules called `pyspark_*` and registers their DefaultSource."""

from paimon_ksy.spark import PaimonDataSource as DefaultSource

__all__ = ["DefaultSource"]
