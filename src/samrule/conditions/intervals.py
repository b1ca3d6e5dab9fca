"""Intervals whose ends matter by themselves, not because of what another column says better.

Who pays more than 107 a month leaves less often, for those are customers of many years. Once a rule
has asked for the years, the upper end of `80 <= charges < 107` says nothing, and a list that uses
it learns noise. So an interval must pay among rows that agree in any other condition, too.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from samrule.conditions.cuts import SURE_INTERVAL, purity
from samrule.conditions.packed import packed_conditions
from samrule.conditions.pilot import Pilot, chance_gain
from samrule.conditions.weighed_rows import WeighedRows, Words, as_bits
from samrule.rules import Condition, Operator
from samrule.rules.meaning import missing_mask
from samrule.solver.problem import PackedConditions

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
    seen = _Seen.of(by_column, pilot)
    explained: set[Condition] = set()
    for some in by_column:
        of_column = [one for one in some if one.op == Operator.WITHIN]
        if of_column:
            explained |= _explained(of_column, seen)
    return [tuple(one for one in some if one not in explained) for some in by_column]


@dataclass(frozen=True, slots=True)
class _Seen:
    """Pilot rows as sets of bits.

    Parameters
    ----------
    table, number
        The rows, and a number that repeats if a row was drawn more than once.
    weighed
        What they weigh.
    of_class
        The rows of each class.
    packed
        Where conditions hold that divide the rows in different ways.
    """

    table: Any
    number: NDArray[np.int64]
    weighed: WeighedRows
    of_class: Words
    packed: PackedConditions

    @classmethod
    def of(cls, by_column: Sequence[tuple[Condition, ...]], pilot: Pilot) -> "_Seen":
        assert pilot.codes is not None
        rows = np.linspace(0, pilot.n_rows - 1, min(pilot.n_rows, _MOST_ROWS)).astype(np.int64)
        names = dict.fromkeys(some[0].column for some in by_column)
        table = pa.table({name: pilot.column(name).take(pa.array(rows)) for name in names})
        asked = [
            tuple(one for one in some if one.op not in {Operator.WITHIN, *_OPPOSITES})
            for some in by_column
        ]
        return cls(
            table=table,
            number=np.unique(pilot.rows[rows], return_inverse=True)[1],
            weighed=WeighedRows.of(pilot.weights[rows]),
            of_class=as_bits(pilot.codes[rows] == np.arange(pilot.n_classes)[:, None]),
            packed=packed_conditions([some for some in asked if some], table),
        )


def _explained(intervals: Sequence[Condition], seen: _Seen) -> set[Condition]:
    """Return those of a column's intervals that some condition on another column explains."""
    name, weighed = intervals[0].column, seen.weighed
    ends = sorted({end for one in intervals for end in one.values})
    # Rows below each end, then all that have a value: of each class.
    below = [replace(intervals[0], op=Operator.LESS, value=end) for end in ends]
    has_value = as_bits(~missing_mask(seen.table[name])[None])
    parts = np.vstack([packed_conditions([tuple(below)], seen.table).bits, has_value])
    parts = (parts[:, None] & seen.of_class).reshape(-1, parts.shape[1])
    shape = len(ends) + 1, len(seen.of_class)
    total = weighed.weight(parts).reshape(shape)
    # A row that was drawn several times is one row that weighs more.
    weights = np.bincount(seen.number, weighed.weights).astype(np.float64)
    sure = SURE_INTERVAL * chance_gain(total[-1], weights)
    is_other = [one.column != name for one in seen.packed.conditions]
    holding = weighed.shared(seen.packed.bits[is_other], parts).reshape(-1, *shape)
    sums = np.stack([holding, total - holding], axis=1).astype(np.float64)
    explained = set()
    for one in intervals:
        low, high = (sums[:, :, ends.index(end)] for end in one.values)
        gain = _gain_beyond_ends(low, high - low, sums[:, :, -1] - high)
        if (gain <= sure).any():
            explained.add(one)
    return explained


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
