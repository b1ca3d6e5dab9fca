"""Rows of the table, as strategies get them: drawn at random, or all of them."""

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from samrule.learning.task import Task
from samrule.sources.draw import Draw
from samrule.sources.weights import checked_weights

# Training rows drawn in the first pass over the table, in the hope that they suffice.
FIRST_ROWS = 20_000


class RowSupply:
    """Independent rows of a table, drawn in few passes over it and handed out once each.

    Guarantee
    ---------
    All rows handed out are independent, each uniform over the table (or in proportion to its
    weight), however many are asked for and whatever was done with earlier ones
    (docs/theory/README.md, "Conditions under which the promise is honest").
    """

    def __init__(self, task: Task, check: Callable[[Draw], None]) -> None:
        self._task = task
        self._check = check
        self._rest: Draw | None = None

    @property
    def ahead(self) -> int:
        """How many rows to draw ahead: of a small table no more than half would be new."""
        return min(FIRST_ROWS, self._task.source.n_rows // 2)

    def take(self, n_rows: int, *, ahead: int = 0) -> Draw:
        """Return rows; if they must be drawn first, `ahead` more come from the same pass."""
        available = 0 if self._rest is None else len(self._rest)
        if available < n_rows:
            drawn = self._task.source.draw(n_rows - available + ahead, random_state=self._task.rng)
            self._check(drawn)
            self._task.rows_used["drawn"] += len(drawn)
            self._rest = drawn if self._rest is None else joined(self._rest, drawn)
        assert self._rest is not None
        taken, self._rest = self._rest.split(n_rows, len(self._rest) - n_rows)
        return taken

    @property
    def waiting(self) -> Draw | None:
        """Rows that were drawn and will be handed out next; None if there are none."""
        return self._rest if self._rest is not None and len(self._rest) else None


def joined(first: Draw, second: Draw) -> Draw:
    """Return the rows of two draws from one table as one draw."""
    return replace(
        first,
        table=pa.concat_tables([first.table, second.table]),
        rows=np.concatenate([first.rows, second.rows]),
    )


def without_repeats(rows: Draw | None, n_rows: int, supply: RowSupply) -> Draw:
    """Add rows that are not among those given, until there are `n_rows` different ones.

    Independent rows in the order of their first appearance are a uniform subset of the table, in
    uniform order. `n_rows` is below the number of the table's rows.
    """
    if rows is None:
        rows = replace(supply.take(1, ahead=supply.ahead), replace=False)
    while (missing := n_rows - len(rows)) > 0:
        n = rows.n_source_rows
        # As many draws as it takes in the mean: those that bring a known row are in vain.
        draws = math.ceil(n * math.log((n - len(rows)) / (n - n_rows)))
        more = supply.take(missing, ahead=max(supply.ahead, draws - missing))
        new, places = np.unique(more.rows, return_index=True)
        places = np.sort(places[~np.isin(new, rows.rows)])
        rows = joined(rows, replace(more, table=more.table.take(places), rows=more.rows[places]))
    return rows


def whole_table(task: Task, columns: Iterable[str] | None = None) -> Any:
    """Return all rows that have weight, as a pyarrow Table: features, target, weights."""
    source = task.source
    task.count_scans(1)
    wanted = source.features if columns is None else columns
    roles = [name for name in (source.target, source.weights) if name is not None]
    names = list(dict.fromkeys([*wanted, *roles]))
    schema = pa.schema([source.schema.field(name) for name in names])
    table = pa.Table.from_batches(source.scan(names), schema)
    if source.weights is None:
        return table
    present = row_weights(table, source.weights) > 0
    return table if present.all() else table.filter(pa.array(present))


def row_weights(table: Any, column: str) -> NDArray[np.float64]:
    """Return a table's column of weights as doubles."""
    return checked_weights(table[column].combine_chunks(), column)
