"""A DataFrame's Spark session: classic or Connect, stopped or not, and what it says when it fails.

Nothing here imports pyspark before there is a DataFrame of it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from samrule.errors import InputError, Parameter, SamruleError, Words
from samrule.sources.paths import without_credentials


def is_spark_frame(data: Any) -> bool:
    """Recognize Spark's DataFrames, classic and Connect, without importing pyspark."""
    return any(
        kind.__name__ == "DataFrame" and kind.__module__.startswith("pyspark.sql.")
        for kind in type(data).__mro__
    )


def module_of_spark(frame: Any, module: str) -> Any:
    """Return a module of pyspark.sql that fits a DataFrame.

    Classic and Connect may live in one process, and their objects do not mix.
    """
    return import_module(f"pyspark.sql{'.connect' if _is_connect(frame) else ''}.{module}")


def expression(frame: Any, sql: str) -> Any:
    """Return SQL as a column that fits a DataFrame."""
    return module_of_spark(frame, "functions").expr(sql)


@contextmanager
def engine_errors(name: str, frame: Any) -> Iterator[None]:
    """Turn what Spark says into one of our errors: its first line, without Java's traces."""
    if _is_stopped(frame):
        raise InputError(
            f"{name} belongs to a Spark session that was stopped.",
            hint="start a session, make the DataFrame there, and open that.",
        )
    try:
        yield
    except SamruleError:
        raise
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in {"pyspark", "py4j", "grpc", "pyarrow"}:
            raise
        said = without_credentials(str(error)).strip().partition("\n")[0]
        raise InputError(
            f"{name} could not be read: {said}",
            hint=Words(
                "check that frame.count() runs; leave columns out with ", Parameter("exclude"), "."
            ),
        ) from None


def _is_connect(frame: Any) -> bool:
    return type(frame).__module__.startswith("pyspark.sql.connect")


def _is_stopped(frame: Any) -> bool:
    session = frame.sparkSession
    if _is_connect(frame):
        return bool(session.is_stopped)
    context = session.sparkContext._jsc
    return context is None or bool(context.sc().isStopped())
