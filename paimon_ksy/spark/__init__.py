"""Paimon tables in Spark: the object `PaimonTable`, and the data source `paimon_ksy`."""

from typing import TYPE_CHECKING

from paimon_ksy.spark.data_source import PaimonDataSource, register

if TYPE_CHECKING:
    from paimon_ksy.spark.table import PaimonTable

__all__ = ["PaimonDataSource", "PaimonTable", "register"]


def __getattr__(name: str) -> object:
    if name != "PaimonTable":  # which workers of the data source need not import
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from paimon_ksy.spark.table import PaimonTable

    return PaimonTable
