"""Where the rows of a DataFrame stand, and whether they still do.

Rows are numbered as they stand, partition after partition. Spark promises neither the partitions
nor the order of rows to be the same in the next job, so every job that looks for rows by number
also tells, by a hash over all rows, whether they stand as they stood when they were counted.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samrule.errors import InputError
from samrule.sources.spark.session import engine_errors, expression, module_of_spark

# monotonically_increasing_id() is the partition's number and, in the lower bits, the row's there.
_PLACE_BITS = 33
PART_SQL = f"shiftright(place, {_PLACE_BITS})"


@dataclass(frozen=True)
class Layout:
    """Rows per partition, and a hash over all rows and their places."""

    counts: NDArray[np.int64]
    fingerprint: int

    @property
    def n_rows(self) -> int:
        """Rows in all partitions."""
        return int(self.counts.sum())

    @property
    def shifts(self) -> NDArray[np.int64]:
        """What to add to the places in each partition to get the numbers of rows."""
        parts = np.arange(len(self.counts), dtype=np.int64)
        return np.cumsum(self.counts) - self.counts - (parts << _PLACE_BITS)

    def places(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return where the rows with these numbers stand."""
        parts = np.searchsorted(np.cumsum(self.counts), rows, side="right")
        return rows - self.shifts[parts]


class RowsMovedError(InputError):
    """The rows of a DataFrame stand elsewhere than when they were counted."""


class NumberedFrame:
    """A DataFrame whose rows are numbered and watched.

    Parameters
    ----------
    name
        What errors call it.
    frame
        The DataFrame.
    hashed
        Columns that are hashed together with the places of rows.
    """

    def __init__(self, name: str, frame: Any, hashed: Sequence[str]) -> None:
        self.name = name
        self.frame = frame
        self._hashed = tuple(hashed)
        self._layout: Layout | None = None

    @property
    def layout(self) -> Layout:
        """Where the rows stand, counted on first use."""
        if self._layout is None:
            with engine_errors(self.name, self.frame):
                hashes = self._numbered(()).selectExpr(
                    f"{PART_SQL} AS part", f"{self._hash_sql()} AS h"
                )
                sums = {"n": "count(1)", "h": "bit_xor(h)"}
                found = aggregated(hashes, ["part"], sums).toArrow()
            parts = found["part"].to_numpy()
            counts = np.zeros(max(parts, default=-1) + 1, dtype=np.int64)
            counts[parts] = found["n"].to_numpy()
            self._layout = Layout(counts, int(np.bitwise_xor.reduce(found["h"].to_numpy())))
        return self._layout

    def collected(self, columns: Sequence[str], made_of: Callable[[Any], Any]) -> Any:
        """Collect what is made of columns and places, if the rows stand as they were counted."""
        layout = self.layout
        with engine_errors(self.name, self.frame):
            observation = module_of_spark(self.frame, "observation").Observation()
            fingerprint = expression(self.frame, f"bit_xor({self._hash_sql()})").alias(
                "fingerprint"
            )
            frame = self._numbered(columns).observe(observation, fingerprint)
            found = made_of(frame).toArrow()
            observed = observation.get["fingerprint"]
        if observed != layout.fingerprint:
            raise RowsMovedError(
                f"{self.name} does not keep its rows: they stood elsewhere, or were others, when "
                "Spark made them again.",
                hint="draw from frame.cache(), frame.localCheckpoint() or a table written from it.",
            )
        return found

    def count_again(self, hashed: Sequence[str]) -> None:
        """Count the rows again and hash these columns; raise if there are more or fewer rows.

        With fewer columns to move, Spark joins otherwise and cuts shuffled rows otherwise. A
        column that is hashed cannot be left out of the plan.
        """
        n_rows = self.layout.n_rows
        self._hashed, self._layout = tuple(hashed), None
        if self.layout.n_rows != n_rows:
            raise InputError(
                f"{self.name} has {self.layout.n_rows:,} rows, and had {n_rows:,} before.",
                hint="cache it, or open it again when nobody writes to what it reads.",
            )

    def _numbered(self, columns: Sequence[str]) -> Any:
        names = dict.fromkeys([*columns, *self._hashed])
        return self.frame.selectExpr(*names, "monotonically_increasing_id() AS place")

    def _hash_sql(self) -> str:
        return f"xxhash64({', '.join(['place', *self._hashed])})"


def aggregated(frame: Any, by: Sequence[str], sums: Mapping[str, str]) -> Any:
    """Return sums (SQL, by the name of their column) over groups of rows."""
    return frame.groupBy(*by).agg(
        *(expression(frame, sql).alias(name) for name, sql in sums.items())
    )
