"""The Spark data source `paimon-ksy`."""

from paimon_ksy.spark.data_source import PaimonDataSource, read, register

__all__ = ["PaimonDataSource", "read", "register"]
