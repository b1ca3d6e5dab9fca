"""A random part of a table and the rest of it: rows to be tested on, and rows to learn from."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from samrule.errors import InputError, ParameterError
from samrule.random_streams import stream
from samrule.sources.base import BATCH_ROWS, Source


def held_out(source: Source, share: float, *, random_state: Any) -> tuple[Source, Source]:
    """Return the rest of a table, and a random share of its rows that the rest never shows.

    Each row is held out with probability `share`, independently of all others. A bit per row
    remembers which were, so that neither part is ever copied.

    Examples
    --------
    >>> from samrule.sources import open_table
    >>> rest, test = held_out(open_table(np.arange(100).reshape(-1, 1)), 0.2, random_state=0)
    >>> rest.n_rows, test.n_rows
    (83, 17)
    """
    if not 0 < share < 1:
        raise ParameterError(
            f"the share of rows to hold out is {share!r}; expected a number between 0 and 1.",
            hint="0.2 holds out one row in five.",
        )
    source = source.with_rows_kept()
    rng = stream("hold out", random_state)
    blocks = [
        np.packbits(rng.random(min(BATCH_ROWS, source.n_rows - start)) < share)
        for start in range(0, source.n_rows, BATCH_ROWS)
    ]
    bits = np.concatenate([np.empty(0, dtype=np.uint8), *blocks])
    rest = PartSource(source, f"{source.name} without the test rows", bits, held_out=False)
    test = PartSource(source, f"the test rows of {source.name}", bits, held_out=True)
    if not (rest.n_rows and test.n_rows):
        raise InputError(
            f"{source.name} has {source.n_rows:,} rows; a share of {share:g} of them holds out "
            f"{test.n_rows:,} and leaves {rest.n_rows:,}, and both parts need rows.",
            hint="take another share, or test on another table.",
        )
    return rest, test


class PartSource(Source):
    """The rows of a source that are held out, or those that are not, in their order."""

    def __init__(
        self, whole: Source, name: str, bits: NDArray[np.uint8], *, held_out: bool
    ) -> None:
        super().__init__(name, whole.schema, whole.roles)
        self._whole = whole
        self._bits = bits
        self._held_out = held_out
        blocks = range(0, whole.n_rows, BATCH_ROWS)
        self._counts = np.array(
            [np.count_nonzero(self._mask(start, BATCH_ROWS)) for start in blocks], dtype=np.int64
        )

    def _count_rows(self) -> int:
        return int(self._counts.sum())

    def _batches(self, columns: Sequence[str]) -> Iterator[Any]:
        start = 0
        for batch in self._whole._batches(columns):
            yield batch.filter(pa.array(self._mask(start, batch.num_rows)))
            start += batch.num_rows

    def _take(self, rows: NDArray[np.int64], columns: Sequence[str]) -> Any:
        return self._whole._take(self._rows_of_whole(rows), columns)

    def _rows_of_whole(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the numbers in the whole table of rows of this part (ascending)."""
        ends = np.cumsum(self._counts)
        found = [np.empty(0, dtype=np.int64)]
        for block in np.unique(np.searchsorted(ends, rows, side="right")):
            before = ends[block] - self._counts[block]
            low, high = np.searchsorted(rows, [before, ends[block]])
            places = np.flatnonzero(self._mask(int(block) * BATCH_ROWS, BATCH_ROWS))
            found.append(int(block) * BATCH_ROWS + places[rows[low:high] - before])
        return np.concatenate(found)

    def _mask(self, start: int, n_rows: int) -> NDArray[np.bool_]:
        """Tell for rows of the whole table, up to its end, whether they belong here."""
        end = min(start + n_rows, self._whole.n_rows)
        bits = np.unpackbits(self._bits[start // 8 : math.ceil(end / 8)])
        return np.equal(bits[start % 8 : start % 8 + end - start], self._held_out)
