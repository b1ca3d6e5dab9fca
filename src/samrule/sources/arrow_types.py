"""The Arrow types that rows are handed over in: one per kind of value, whatever the engine's."""

from typing import Any

import pyarrow as pa

from samrule.errors import InputError

# Of Arrow's widest decimals.
_MOST_DIGITS = 76


def plain_type(type_: Any) -> Any:
    """Return the type that rows are handed over in: one for all the types an engine may use."""
    types = pa.types
    if types.is_dictionary(type_):
        return plain_type(type_.value_type)
    if types.is_large_string(type_) or type_ == pa.string_view():
        return pa.string()
    if types.is_float16(type_):
        return pa.float32()
    if types.is_date64(type_):
        return pa.date32()
    if types.is_decimal32(type_) or types.is_decimal64(type_):
        return pa.decimal128(type_.precision, type_.scale)
    return type_


def plain_batch(batch: Any, schema: Any) -> Any:
    """Return the batch under the schema's names and types."""
    if batch.schema.equals(schema):
        return batch
    columns = [
        column if column.type == field.type else _cast(column, field)
        for column, field in zip(batch.columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def plain_table(table: Any, schema: Any) -> Any:
    """Return the table under the schema's names and types."""
    return pa.Table.from_batches(
        [plain_batch(batch, schema) for batch in table.to_batches()], schema
    )


def _cast(column: Any, field: Any) -> Any:
    try:
        return column.cast(field.type)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InputError(
            f"column {field.name!r} cannot be read as {field.type}: {error}",
            hint="are the files of one kind? convert the column in all of them.",
        ) from None


def without_views(rows: Any) -> Any:
    """Return a table or batch without views of text and bytes: Arrow can take no rows of those."""
    for place, field in enumerate(rows.schema):
        plain = {pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}.get(field.type)
        if plain is not None:
            rows = rows.set_column(place, field.with_type(plain), rows.column(place).cast(plain))
    return rows


def python_values(values: Any, column: str) -> list[Any]:
    """Return an Arrow array's values as Python's own; raise for dates that Python cannot hold."""
    try:
        return values.to_pylist()  # type: ignore[no-any-return]
    except (OverflowError, ValueError):
        raise InputError(
            f"column {column!r} holds days outside the years 1 to 9999, which classes and levels "
            "cannot be.",
            hint="turn them into text or numbers first, or leave the column out.",
        ) from None


def check_types(name: str, schema: Any) -> None:
    """Raise for types that only damaged files have, and for time zones unknown on this machine."""
    _check_scales(name, schema)
    _check_zones(name, schema)


def _check_scales(name: str, schema: Any) -> None:
    """Raise for decimals with more digits after the point than any decimal has: damage."""
    for field in schema:
        if pa.types.is_decimal(field.type) and abs(field.type.scale) > _MOST_DIGITS:
            raise InputError(
                f"{name} has decimals with {field.type.scale:,} digits after the point in column "
                f"{field.name!r}; expected at most {_MOST_DIGITS}.",
                hint="is the file damaged? write or copy it again.",
            )


def _check_zones(name: str, schema: Any) -> None:
    """Raise for a time zone unknown on this machine: its moments cannot be shown."""
    for field in schema:
        if not pa.types.is_timestamp(field.type):
            continue
        zone = "of no text"
        try:
            if field.type.tz is not None:
                zone = repr(field.type.tz)
                pa.scalar(0, field.type).as_py()
        except (pa.ArrowException, ValueError, KeyError, OSError):
            raise InputError(
                f"{name} has the time zone {zone} in column {field.name!r}, which is unknown here.",
                hint="convert it to UTC, leave it out with exclude, or install the package tzdata.",
            ) from None
