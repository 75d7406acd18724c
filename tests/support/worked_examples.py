"""The tables of Paimon's file-index document (sections 4.2, 5.2, 6.1): schema, options, rows."""

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal

import pyarrow as pa

import paimon_ksy as pk

EVENTS_SCHEMA = pk.Schema.parse(
    "user_id INT, event_type STRING, event_time TIMESTAMP, region STRING"
)


EVENTS_OPTIONS = {
    "file-index.bitmap.columns": "event_type,region",
    "file-index.bitmap.event_type.index-block-size": "32kb",
    "file-index.in-manifest-threshold": "10kb",
}


EVENTS = [
    (1, "login", dt.datetime(2024, 1, 1, 10, 0), "US"),
    (2, "click", dt.datetime(2024, 1, 1, 10, 1), "EU"),
    (3, "login", dt.datetime(2024, 1, 1, 10, 2), "US"),
    (4, "purchase", dt.datetime(2024, 1, 1, 10, 3), "ASIA"),
    (5, "click", dt.datetime(2024, 1, 1, 10, 4), "US"),
    (6, "login", dt.datetime(2024, 1, 1, 10, 5), "EU"),
]


def table_of(schema: pk.Schema, rows: Sequence[tuple[object, ...]]) -> pa.Table:
    arrow = schema.to_arrow()
    return pa.Table.from_pylist([dict(zip(schema.names, row, strict=True)) for row in rows], arrow)


ORDERS_SCHEMA = pk.Schema.parse(
    "order_id BIGINT, user_id BIGINT, status STRING, region STRING, "
    "amount DECIMAL(10, 2), order_date DATE"
)


ORDERS_OPTIONS = {
    "bucket": "4",
    "file-index.bitmap.columns": "status,region",
    "file-index.bitmap.status.version": "2",
    "file-index.bitmap.status.index-block-size": "16kb",
    "file-index.in-manifest-threshold": "5kb",
}


ORDERS = [
    (1001, 1, "PENDING", "US", Decimal("100.00"), dt.date(2024, 1, 1)),
    (1002, 2, "COMPLETED", "EU", Decimal("200.00"), dt.date(2024, 1, 1)),
    (1003, 3, "PENDING", "ASIA", Decimal("150.00"), dt.date(2024, 1, 1)),
    (1004, 4, "CANCELLED", "US", Decimal("50.00"), dt.date(2024, 1, 2)),
    (1005, 5, "COMPLETED", "EU", Decimal("300.00"), dt.date(2024, 1, 2)),
    (1006, 6, "PENDING", "US", Decimal("120.00"), dt.date(2024, 1, 2)),
    (1007, 7, "COMPLETED", "ASIA", Decimal("250.00"), dt.date(2024, 1, 3)),
    (1008, 8, "CANCELLED", "EU", Decimal("80.00"), dt.date(2024, 1, 3)),
    (1009, 9, "PENDING", "ASIA", Decimal("180.00"), dt.date(2024, 1, 3)),
    (1010, 10, "COMPLETED", "US", Decimal("400.00"), dt.date(2024, 1, 4)),
]
