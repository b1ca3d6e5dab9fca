"""What people hold in memory (numpy, any dataframe, anything that speaks Arrow) as Arrow tables."""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from samrule.errors import InputError, InputTypeError
from samrule.sources.arrow_types import without_views
from samrule.sources.roles import check_names

_CONVERSION_ERRORS = (
    pa.ArrowInvalid,
    pa.ArrowTypeError,
    pa.ArrowNotImplementedError,
    UnicodeError,
    OverflowError,
)


def arrow_table(data: Any) -> Any | None:
    """Return what is held in memory as a pyarrow Table; None if we do not know the kind."""
    if isinstance(data, pa.Table):
        return _undamaged(data)
    if isinstance(data, np.ndarray):
        return _from_numpy(data)
    if _is_pandas(data):
        return _from_pandas(data)
    table = _from_dataframe(data)
    if table is None and hasattr(data, "__arrow_c_stream__"):
        return _undamaged(pa.table(data))
    return table


def _undamaged(table: Any) -> Any:
    """Return a table that another program made, after checking its offsets, lengths and texts."""
    try:
        table.validate(full=True)
    except pa.ArrowInvalid as error:
        raise InputError(
            f"the table is damaged: {error}", hint="check with table.validate(full=True)."
        ) from None
    return without_views(table)


def column_beside(values: Any, name: str, n_rows: int) -> Any:
    """Return an array given beside the table (target or weights) as an Arrow array."""
    # numpy would make text of [1, "1"], numbers of [1, True], and cut "\0" short.
    as_they_are = isinstance(values, list | tuple) or hasattr(values, "__arrow_c_array__")
    try:
        array = pa.array(values if as_they_are else np.asarray(values))
    except (*_CONVERSION_ERRORS, ValueError) as error:
        raise InputTypeError(
            f"{name} ({type(values).__name__}) cannot be read as a column: {error}",
            hint=f"pass a column name, or {name} as a one-dimensional array of one type.",
        ) from None
    if len(array) != n_rows:
        raise InputError(
            f"{name} has {len(array):,} entries; expected {n_rows:,}, one per row of the table.",
            hint="filter both the same way, and keep them in the same order.",
        )
    return array


def column_names(n_columns: int) -> list[str]:
    """Return the names of columns that have none."""
    return [f"x{place}" for place in range(n_columns)]


def _from_numpy(data: NDArray[Any]) -> Any:
    if data.dtype.names:
        return _converted({name: data[name] for name in data.dtype.names})
    if data.ndim != 2:
        raise InputError(
            f"the array has shape {data.shape}; expected two dimensions, rows x columns.",
            hint="use array.reshape(-1, 1) for a single column.",
        )
    return _converted(dict(zip(column_names(data.shape[1]), data.T, strict=True)))


def _converted(columns: dict[str, Any]) -> Any:
    arrays = {}
    for name, values in columns.items():
        try:
            arrays[name] = pa.array(
                _native(_without_masked(values)), from_pandas=values.dtype.kind == "O"
            )
        except _CONVERSION_ERRORS as error:
            _raise_mixed(name, error)
    return pa.table(arrays)


def _without_masked(values: Any) -> Any:
    mask = getattr(values, "mask", None)
    return values if mask is None else np.where(mask, None, values.astype(object))


def _native(values: Any) -> Any:
    """Return the values in this machine's order of bytes, which is the only one Arrow takes."""
    return values if values.dtype.isnative else values.astype(values.dtype.newbyteorder("="))


def _is_pandas(data: Any) -> bool:
    return type(data).__module__.partition(".")[0] == "pandas" and hasattr(data, "columns")


def _from_pandas(frame: Any) -> Any:
    names = [str(name) for name in frame.columns]
    check_names("the DataFrame", names)
    arrays = []
    for place, name in enumerate(names):
        try:
            arrays.append(pa.array(frame.iloc[:, place], from_pandas=True))
        except _CONVERSION_ERRORS as error:
            _raise_mixed(name, error)
    return pa.table(arrays, names=names)


def _raise_mixed(name: str, error: Exception) -> None:
    if isinstance(error, UnicodeError):
        raise InputTypeError(
            f"column {name!r} holds text with half a character (a lone surrogate): {error}.",
            hint="read the table with its own encoding, not with errors='surrogateescape'.",
        ) from None
    raise InputTypeError(
        f"column {name!r} mixes kinds of values: {error}",
        hint="convert it to one kind: numbers, text, dates or True and False.",
    ) from None


def _from_dataframe(data: Any) -> Any | None:
    import narwhals

    frame = narwhals.from_native(data, pass_through=True)
    if isinstance(frame, narwhals.LazyFrame):
        frame = frame.collect(backend="pyarrow")
    if not isinstance(frame, narwhals.DataFrame):
        return None
    try:
        return frame.to_arrow()
    except pa.ArrowException as error:
        raise InputTypeError(
            f"the {type(data).__name__} has a column that Arrow cannot hold: {error}; its types "
            f"are {', '.join(dict.fromkeys(str(one) for one in frame.schema.values()))}.",
            hint="cast it first, a polars Int128 for example to pl.Int64 or pl.Decimal(38, 0).",
        ) from None
