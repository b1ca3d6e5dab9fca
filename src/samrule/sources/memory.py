"""Tables in memory: numpy, scipy sparse, any dataframe, anything that speaks Arrow."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from samrule.errors import InputError, InputTypeError
from samrule.sources.arrow_types import plain_batch, plain_table
from samrule.sources.base import BATCH_ROWS, Source
from samrule.sources.cleaned import cleaned
from samrule.sources.options import TableOptions
from samrule.sources.roles import Roles, unused_name
from samrule.sources.to_arrow import arrow_table, column_beside, column_names


def memory_source(data: Any, options: TableOptions) -> Source:
    """Open a table in memory; target and weights may be arrays beside it."""
    name = f"the {type(data).__name__}"
    # Dense arrays become Arrow tables if rows are to be left out.
    as_matrix = is_sparse(data) or options.required is None
    matrix = by_rows(data) if as_matrix else None
    if matrix is not None:
        columns = column_names(matrix.shape[1])
        options, beside = _with_columns_beside(options, matrix.shape[0], columns)
        roles = options.roles(name, [*columns, *beside])
        return cleaned(MatrixSource(name, matrix, pa.table(beside), roles), options)
    table = arrow_table(data)
    if table is None:
        raise InputTypeError(
            f"{name} is no table we know how to read.",
            hint="pass a numpy array, a dataframe, a path to CSV or Parquet, or a DuckDB relation.",
        )
    options, beside = _with_columns_beside(options, table.num_rows, table.column_names)
    for column, values in beside.items():
        table = table.append_column(column, values)
    roles = options.roles(name, table.column_names)
    return cleaned(MemorySource(name, table, roles), options)


def read_if_small(source: Source, most_rows: int) -> Source:
    """Return a copy in memory of a table with at most `most_rows` rows; others as they are.

    A small table is cheaper to keep than to read again.
    """
    if isinstance(source, MemorySource | MatrixSource):
        return source
    table = source.whole_table(most_rows)
    if table is None:
        return source
    copy = MemorySource(source.name, table, source.roles)
    copy.notes = source.notes
    return copy


def _with_columns_beside(
    options: TableOptions, n_rows: int, columns: Sequence[str]
) -> tuple[TableOptions, dict[str, Any]]:
    """Give names that no column has to a target or weights that came as arrays."""
    beside: dict[str, Any] = {}
    for role in ("target", "weights"):
        values = getattr(options, role)
        if values is not None and not isinstance(values, str):
            name = unused_name(role, [*columns, *beside])
            beside[name] = column_beside(values, role, n_rows)
            named = {role: name}
            options = replace(options, **named)  # type: ignore[arg-type]
    return options, beside


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
        found = self._table.select(list(columns)).take(pa.array(rows))
        return plain_table(found, self._schema_of(columns))


class MatrixSource(Source):
    """A matrix stored by rows, sparse or not; only rows that are asked for become columns.

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
        batch = pa.RecordBatch.from_arrays(arrays, names=list(columns))
        return plain_batch(batch, self._schema_of(columns))


def _rows_of(table: Any, rows: Any) -> Any:
    if isinstance(rows, slice):
        return table.slice(rows.start, rows.stop - rows.start)
    return table.take(pa.array(rows))


def by_rows(data: Any) -> Any | None:
    """Return a matrix stored by rows; None for other data, and matrices stored by columns."""
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
