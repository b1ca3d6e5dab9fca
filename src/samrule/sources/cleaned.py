"""Any source with some texts read as missing, or without the rows that have no class."""

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from samrule.rules.meaning import missing_mask
from samrule.sources.base import Source
from samrule.sources.options import TableOptions


def cleaned(source: Source, options: TableOptions) -> Source:
    """Return the source as the options ask for it: itself, if they ask for no cleaning."""
    if options.required is None and not options.missing_values:
        return source
    return CleanedSource(source, options.missing_values, options.required)


class CleanedSource(Source):
    """Another source, cleaned batch by batch as it is read; DuckDB does the same by itself.

    Parameters
    ----------
    source
        The source.
    missing_values
        Texts that mean a value is missing, in columns of text.
    required
        The column that every row must have a value in; None if rows may miss any.
    """

    def __init__(self, source: Source, missing_values: Sequence[str], required: str | None) -> None:
        super().__init__(source.name, source.schema, source.roles)
        self._source = source
        self._missing_values = pa.array(missing_values, pa.string())
        self._required = required

    def _count_rows(self) -> int:
        if self._required is None:
            return self._source.n_rows
        return sum(batch.num_rows for batch in self._batches([self._required]))

    def _batches(self, columns: Sequence[str]) -> Iterator[Any]:
        required = [] if self._required is None else [self._required]
        for batch in self._source.scan(dict.fromkeys([*columns, *required])):
            rows = pa.RecordBatch.from_arrays(
                [self._cleaned(column) for column in batch.columns], schema=batch.schema
            )
            for name in required:
                rows = rows.filter(pa.array(~missing_mask(rows[name])))
            yield rows.select(list(columns))

    def _cleaned(self, column: Any) -> Any:
        if not pa.types.is_string(column.type) or not len(self._missing_values):
            return column
        missing = pc.is_in(column, self._missing_values)
        return pc.if_else(missing, pa.scalar(None, column.type), column)
