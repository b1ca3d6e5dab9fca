"""Spark DataFrames as people have them: their names, types and missing values made ours."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import pyarrow as pa

from samrule.errors import InputError, InputTypeError, MissingExtraError, Parameter, Words
from samrule.export.sql import literal_sql, missing_sql
from samrule.sources.base import Source
from samrule.sources.options import TableOptions
from samrule.sources.spark.session import engine_errors
from samrule.sources.spark.source import SparkSource


def frame_source(frame: Any, options: TableOptions) -> Source:
    """Open a DataFrame of the user's own session."""
    renamed = _renamed(frame, options.missing_values)
    roles = options.roles(renamed.name, renamed.names)
    schema = _arrow_schema(renamed, roles.used)
    rows, engine_names = renamed.frame, renamed.engine_names
    if options.required is not None:
        type_ = schema.field(options.required).type
        missing = missing_sql(engine_names[options.required], type_, "spark")
        rows = rows.where(f"NOT ({missing})")
    return SparkSource(renamed.name, rows, schema, roles, engine_names)


@dataclass(frozen=True)
class RenamedFrame:
    """A DataFrame with its columns renamed c0, c1, ...: any names will do then, even a and A."""

    name: str
    frame: Any
    names: tuple[str, ...]

    @property
    def engine_names(self) -> dict[str, str]:
        """What each column is called in `frame`."""
        return {name: f"c{place}" for place, name in enumerate(self.names)}


def _renamed(frame: Any, missing_values: Sequence[str]) -> RenamedFrame:
    """Return a DataFrame with the given texts read as missing, after a look at its kind."""
    name = "the Spark DataFrame"
    if not hasattr(frame, "toArrow"):
        raise MissingExtraError(
            f"{name} is of pyspark {import_module('pyspark').__version__}; expected 4.0 or newer.",
            hint="run: pip install 'samrule[spark]'",
        )
    if frame.isStreaming:
        raise InputTypeError(
            f"{name} is a stream; expected a table that ends.",
            hint="write the stream to a table, and open that.",
        )
    with engine_errors(name, frame):
        names, fields = tuple(frame.columns), frame.schema.fields
        plain = frame.toDF(*(f"c{place}" for place in range(len(names))))
        columns = [
            _column_sql(f"c{place}", field, missing_values) for place, field in enumerate(fields)
        ]
        return RenamedFrame(name, plain.selectExpr(*columns), names)


def _column_sql(name: str, field: Any, missing_values: Sequence[str]) -> str:
    """Return the column; texts compare by their letters, whatever the column's collation."""
    value = name
    if getattr(field.dataType, "collation", "UTF8_BINARY") != "UTF8_BINARY":
        value = f"CAST({name} AS STRING)"
    if missing_values and field.dataType.typeName().startswith("string"):
        texts = ", ".join(literal_sql(one, "spark") for one in missing_values)
        value = f"CASE WHEN {value} IN ({texts}) THEN NULL ELSE {value} END"
    return f"{value} AS {name}"


def _arrow_schema(renamed: RenamedFrame, columns: Sequence[str]) -> Any:
    try:
        types = _arrow_types(renamed, columns)
    except InputError:
        _raise_for_column(renamed, columns)
        raise
    return pa.schema(
        [(name, _plain_type(type_)) for name, type_ in zip(columns, types, strict=True)]
    )


def _arrow_types(renamed: RenamedFrame, columns: Sequence[str]) -> list[Any]:
    with engine_errors(renamed.name, renamed.frame):
        frame = renamed.frame.select(*(renamed.engine_names[column] for column in columns))
        return list(frame.limit(0).toArrow().schema.types)


def _raise_for_column(renamed: RenamedFrame, columns: Sequence[str]) -> None:
    """Raise for the first column whose values cannot be handed over, if that is the trouble."""
    for column in columns:
        try:
            _arrow_types(renamed, [column])
        except InputError:
            kind = renamed.frame.schema[renamed.engine_names[column]].dataType.simpleString()
            raise InputTypeError(
                f"{renamed.name} has values of type {kind} in column {column!r}, "
                "which Spark cannot hand over.",
                hint=Words("leave the column out: ", Parameter("exclude", [column]), "."),
            ) from None


def _plain_type(type_: Any) -> Any:
    # Spark's times of day have microseconds, and travel as nanoseconds.
    return pa.time64("us") if pa.types.is_time(type_) else type_
