"""`Draw`: rows drawn at random, and how they were drawn."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samrule.errors import ParameterError


@dataclass(frozen=True, slots=True)
class Draw:
    """Rows drawn at random, and how.

    Parameters
    ----------
    table
        The rows as a pyarrow Table, in the order they were drawn: features, then the target.
    rows
        Their row numbers in the source, one per row.
    n_source_rows
        Rows of the source.
    random_state
        What they were drawn with.
    replace
        Whether a row could be drawn more than once.
    weights
        The column that said how likely a row is; None if all were equally likely.

    Notes
    -----
    The order is random too: any part chosen by position is itself a draw, independent of the
    others if drawn with replacement (`split`).
    """

    table: Any
    rows: NDArray[np.int64]
    n_source_rows: int
    random_state: Any
    replace: bool
    weights: str | None = None

    def __len__(self) -> int:
        return len(self.rows)

    def split(self, *sizes: int) -> tuple["Draw", ...]:
        """Return draws of these sizes, one after the other: pilot, training, validation rows."""
        if min(sizes, default=0) < 0 or sum(sizes) > len(self):
            raise ParameterError(
                f"split asks for {sizes} rows; the draw has {len(self):,}.",
                hint="draw as many rows as all parts need together.",
            )
        ends = np.cumsum([0, *sizes])
        return tuple(self._part(int(a), int(b)) for a, b in pairwise(ends))

    def _part(self, start: int, end: int) -> "Draw":
        return Draw(
            table=self.table.slice(start, end - start),
            rows=self.rows[start:end],
            n_source_rows=self.n_source_rows,
            random_state=self.random_state,
            replace=self.replace,
            weights=self.weights,
        )

    def __str__(self) -> str:
        how = "with" if self.replace else "without"
        chance = f"in proportion to {self.weights}" if self.weights else "uniformly"
        return (
            f"{len(self):,} of {self.n_source_rows:,} rows, drawn {chance}, "
            f"{how} replacement, random_state={self.random_state}"
        )
