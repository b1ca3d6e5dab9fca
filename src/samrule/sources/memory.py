"""Tables in memory: numpy, scipy sparse, any dataframe, anything that speaks Arrow."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from samrule.errors import InputError, InputTypeError
from samrule.sources.base import BATCH_ROWS, Roles, Source, check_names, plain_batch, without_views

_CONVERSION_ERRORS = (
    pa.ArrowInvalid,
    pa.ArrowTypeError,
    pa.ArrowNotImplementedError,
    UnicodeError,
    OverflowError,
)


class MemorySource(Source):
    """A pyarrow Table."""

    def __init__(self, name: str, table: Any, roles: Roles) -> None:
        super().__init__(name, table.schema, roles)
        self._table = table

    def _count_rows(self) -> int:
        return int(self._table.num_rows)

    def _batches(self, columns: Sequence[str]) -> Iterator[Any]:
        yield from self._table.select(list(columns)).to_batches(max_chunksize=BATCH_ROWS)

    def _take(self, rows: NDArray[np.int64], columns: Sequence[str]) -> Any:
        schema = pa.schema([self.schema.field(name) for name in columns])
        found = self._table.select(list(columns)).take(pa.array(rows))
        return pa.Table.from_batches(
            [plain_batch(batch, schema) for batch in found.to_batches()], schema
        )


class MatrixSource(Source):
    """A matrix stored by rows, sparse or not: columns of only the rows somebody looks at.

    To make all columns of a large array would cost more than learning from it.

    Further columns (target, weights) may be given as an Arrow table beside it.
    """

    def __init__(self, name: str, matrix: Any, beside: Any, roles: Roles) -> None:
        fields = [
            (column, pa.from_numpy_dtype(matrix.dtype)) for column in column_names(matrix.shape[1])
        ]
        super().__init__(name, pa.schema([*fields, *beside.schema]), roles)
        self._matrix = matrix
        self._beside = beside
        self._place = {column: place for place, (column, _) in enumerate(fields)}

    def _count_rows(self) -> int:
        return int(self._matrix.shape[0])

    def _batches(self, columns: Sequence[str]) -> Iterator[Any]:
        for start in range(0, self.n_rows, BATCH_ROWS):
            yield self._batch(slice(start, start + BATCH_ROWS), columns)

    def _take(self, rows: NDArray[np.int64], columns: Sequence[str]) -> Any:
        return pa.Table.from_batches([self._batch(rows, columns)])

    def _batch(self, rows: Any, columns: Sequence[str]) -> Any:
        inside = [self._place[name] for name in columns if name in self._place]
        block = self._matrix[rows][:, inside]
        dense = block.toarray(order="F") if is_sparse(block) else np.asfortranarray(block)
        numbers = iter(dense.T)
        taken = _rows_of(self._beside, rows)
        arrays = [
            pa.array(next(numbers)) if name in self._place else taken[name].combine_chunks()
            for name in columns
        ]
        fields = [self.schema.field(name) for name in columns]
        return plain_batch(
            pa.RecordBatch.from_arrays(arrays, names=list(columns)), pa.schema(fields)
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
    """Return a table of somebody else's making, after a look at its offsets, lengths and texts."""
    try:
        table.validate(full=True)
    except pa.ArrowInvalid as error:
        raise InputError(
            f"the table is damaged: {error}", hint="check with table.validate(full=True)."
        ) from None
    return without_views(table)


def by_rows(data: Any) -> Any | None:
    """Return a matrix that is stored by rows; None if it is none, or its columns lie together."""
    if is_sparse(data):
        return csr_matrix(data)
    plain = isinstance(data, np.ndarray) and not hasattr(data, "mask") and data.ndim == 2
    if not plain or data.dtype.kind not in "biuf" or data.flags.f_contiguous:
        return None
    # Arrow knows no other numbers.
    return data if data.dtype.isnative and data.dtype.itemsize <= 8 else None


def is_sparse(data: Any) -> bool:
    """Recognize scipy's sparse matrices and arrays without importing scipy."""
    return hasattr(data, "tocsr") and hasattr(data, "nnz")


def csr_matrix(data: Any) -> Any:
    """Return the matrix by rows, entries that are there twice added up."""
    matrix = data.tocsr(copy=True)
    matrix.sum_duplicates()
    if len(matrix.shape) != 2:
        raise InputError(
            f"the sparse array has shape {matrix.shape}; expected rows x columns.",
            hint="use array.reshape(-1, 1) for a single column.",
        )
    return matrix


def _rows_of(table: Any, rows: Any) -> Any:
    if isinstance(rows, slice):
        return table.slice(rows.start, rows.stop - rows.start)
    return table.take(pa.array(rows))


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
