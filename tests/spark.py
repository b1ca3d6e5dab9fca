"""One Spark for all tests: in this process, on two cores, and unable to collect much."""

import functools
import os
import socket
import sys
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from tests.needs import need

# No job may send more to the driver: a draw that collected its table would fail.
MAX_RESULT = 1 << 20


@functools.cache
def session() -> Any:
    """The classic session; it also serves Spark Connect."""
    need("java")
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.maxResultSize": str(MAX_RESULT),
        "spark.sql.session.timeZone": "UTC",
        # Short jobs: compile quickly, not well.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.connect.grpc.binding.port": str(_free_port()),
    }
    builder = SparkSession.builder.master("local[2]").appName("samrule tests")
    for key, value in settings.items():
        builder = builder.config(key, value)
    started = builder.getOrCreate()
    started.sparkContext.setLogLevel("OFF")
    return started


@functools.cache
def connect_session() -> Any:
    """A client of the same Spark."""
    port = session().conf.get("spark.connect.grpc.binding.port")
    from pyspark.sql.connect.session import SparkSession

    return SparkSession.builder.remote(f"sc://127.0.0.1:{port}").create()


def spark_frame(spark: Any, parts: Sequence[pa.Table]) -> Any:
    """A DataFrame of these rows in this order, in at least as many partitions."""
    frames = [spark.createDataFrame(part, schema=spark_schema(part.schema)) for part in parts]
    return functools.reduce(lambda one, other: one.union(other), frames)


def spark_schema(schema: pa.Schema) -> Any:
    """Spark's own types; moments without a zone stay without one."""
    from pyspark.sql.pandas.types import from_arrow_type
    from pyspark.sql.types import StructField, StructType

    return StructType(
        [
            StructField(field.name, from_arrow_type(field.type, prefer_timestamp_ntz=True))
            for field in schema
        ]
    )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
