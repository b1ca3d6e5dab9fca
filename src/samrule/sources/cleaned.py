"""Any source with some texts read as missing, or without the rows that have no class."""

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from samrule.rules.meaning import missing_mask
from samrule.sources.base import Source


class CleanedSource(Source):
    """Another source, cleaned batch by batch as it is read; DuckDB does the same by itself.

    Parameters
    ----------
    source
        The source.
    missing_values
        Texts that mean a value is missing, in columns of text.
    dropped
        The column whose missing values leave a row out.
    """

    def __init__(self, source: Source, missing_values: Sequence[str], dropped: str | None) -> None:
        super().__init__(source.name, source.schema, source.roles)
        self._source = source
        self._missing_values = pa.array(missing_values, pa.string())
        self._dropped = dropped

    def _count_rows(self) -> int:
        if self._dropped is None:
            return self._source.n_rows
        return sum(batch.num_rows for batch in self._batches([self._dropped]))

    def _batches(self, columns: Sequence[str]) -> Iterator[Any]:
        dropped = [] if self._dropped is None else [self._dropped]
        for batch in self._source.scan(dict.fromkeys([*columns, *dropped])):
            cleaned = pa.RecordBatch.from_arrays(
                [self._cleaned(column) for column in batch.columns], schema=batch.schema
            )
            for name in dropped:
                cleaned = cleaned.filter(pa.array(~missing_mask(cleaned[name])))
            yield cleaned.select(list(columns))

    def _cleaned(self, column: Any) -> Any:
        if not pa.types.is_string(column.type) or not len(self._missing_values):
            return column
        missing = pc.is_in(column, self._missing_values)
        return pc.if_else(missing, pa.scalar(None, column.type), column)
