"""Intervals whose ends matter by themselves, not because of what another column says better.

Who pays more than 107 a month leaves less often, for those are customers of many years. Once a rule
has asked for the years, the upper end of `80 <= charges < 107` says nothing, and a list that uses
it learns noise. So an interval must pay among rows that agree in any other condition, too.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from samrule.conditions.cuts import SURE_INTERVAL, purity
from samrule.conditions.pilot import Pilot, chance_gain
from samrule.rules import Condition, Operator, Value
from samrule.rules.meaning import condition_mask, missing_mask

# Rows that are looked at, at most.
_MOST_ROWS = 10_000

# They divide the rows as another condition of the column does.
_OPPOSITES = {Operator.LESS, Operator.NOT_IN, Operator.NOT_EQUAL}


def without_explained_intervals(
    by_column: Sequence[tuple[Condition, ...]], pilot: Pilot
) -> list[tuple[Condition, ...]]:
    """Return the conditions but for intervals that a condition on another column explains.

    An interval stays if, whichever condition on another column is held fixed, it gains more than
    either of its ends alone by as much as it must on all rows (docs/cuts.md).
    """
    intervals = [one for some in by_column for one in some if one.op == Operator.WITHIN]
    if not intervals:
        return list(by_column)
    rows = np.linspace(0, pilot.n_rows - 1, min(pilot.n_rows, _MOST_ROWS)).astype(np.int64)
    answers = [(some[0].column, _answers(some, pilot, rows)) for some in by_column]
    explained: set[Condition] = set()
    for some in by_column:
        of_column = [one for one in some if one.op == Operator.WITHIN]
        if of_column:
            others = [holds for column, holds in answers if column != some[0].column]
            explained |= _explained(of_column, others, pilot, rows)
    return [tuple(one for one in some if one not in explained) for some in by_column]


def _answers(
    conditions: Sequence[Condition], pilot: Pilot, rows: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return where conditions hold, one after the other, that divide the rows in different ways."""
    column = pilot.column(conditions[0].column).take(pa.array(rows))
    asked = [one for one in conditions if one.op not in {Operator.WITHIN, *_OPPOSITES}]
    holds = [condition_mask(one, column) for one in asked]
    return np.array(holds, dtype=np.bool_).reshape(len(asked), len(rows))


def _explained(
    intervals: Sequence[Condition],
    others: Sequence[NDArray[np.bool_]],
    pilot: Pilot,
    rows: NDArray[np.int64],
) -> set[Condition]:
    """Return those of a column's intervals that some other condition explains."""
    ends = sorted({end for one in intervals for end in one.values})
    cells = _cells(intervals[0], ends, pilot, rows)
    total = cells.sum(axis=0)
    # A row that was drawn several times is one row that weighs more.
    _, number = np.unique(pilot.rows[rows], return_inverse=True)
    weights = np.asarray(np.bincount(number, pilot.weights[rows]), dtype=np.float64)
    sure = SURE_INTERVAL * chance_gain(total.sum(axis=0), weights)
    explained = set()
    for holds in others:
        holding = (holds @ cells.reshape(len(rows), -1)).reshape(-1, *total.shape)
        sums = np.cumsum(np.stack([holding, total - holding], axis=1), axis=2)
        for one in intervals:
            low, high = (sums[:, :, ends.index(end)] for end in one.values)
            gain = _gain_beyond_ends(low, high - low, sums[:, :, -1] - high)
            if (gain <= sure).any():
                explained.add(one)
    return explained


def _cells(
    interval: Condition, ends: Sequence[Value], pilot: Pilot, rows: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the weight of each row in its cell: between which ends it lies, and its class."""
    assert pilot.codes is not None
    column = pilot.column(interval.column).take(pa.array(rows))
    below = [replace(interval, op=Operator.LESS, value=end) for end in ends]
    place = np.sum([~condition_mask(one, column) for one in below], axis=0)
    cells = np.zeros((len(rows), len(ends) + 1, pilot.n_classes))
    cells[np.arange(len(rows)), place, pilot.codes[rows]] = pilot.weights[rows]
    cells[missing_mask(column)] = 0
    return cells


def _gain_beyond_ends(
    below: NDArray[np.float64], inside: NDArray[np.float64], above: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what intervals take off the Gini impurity of strata beyond either end alone.

    Weights per condition, stratum and class.
    """
    interval, low, high = (
        (purity(part) + purity(below + inside + above - part)).sum(axis=1)
        for part in (inside, below, above)
    )
    return np.asarray(interval - np.maximum(low, high))
