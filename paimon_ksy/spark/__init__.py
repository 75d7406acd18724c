"""The Spark data source `paimon-ksy`."""

from paimon_ksy.spark.data_source import PaimonDataSource, read, read_stream, register

__all__ = ["PaimonDataSource", "read", "read_stream", "register"]
