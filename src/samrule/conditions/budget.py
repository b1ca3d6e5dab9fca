"""A budget of conditions over all columns, spent where pilot rows say that they matter.

More conditions cost a larger sample and a longer search, and most are nearly the same as a
neighbour.
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import chain

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from samrule.conditions.boosted_trees import asked_by_trees
from samrule.conditions.packed import packed_conditions
from samrule.conditions.pilot import Pilot
from samrule.conditions.pilot_lists import asked_by_lists
from samrule.rules import Condition, Operator

# Rows that are looked at, at most; fewer of wide tables.
_MOST_ROWS, _FEW_ROWS = 10_000, 2_000
_MOST_VALUES = 400_000
# A condition and its opposite.
_PAIR = 2

_Made = tuple[Condition, ...]
_Floats = NDArray[np.float64]


def within_budget(
    by_column: Sequence[_Made], pilot: Pilot, max_conditions: int, keep: Collection[str] = ()
) -> list[_Made]:
    """Return the conditions that are worth most, column by column; some columns may have none.

    A condition and its opposite, ``>= t`` and ``< t``, go together. First come those of good lists
    of the pilot rows, then those that small boosted trees ask for, in that order; without classes,
    or when there is no more to learn, those that divide the rows evenly and in other ways. Columns
    of `keep` have all of theirs, beside the budget.
    """
    judged = [some for some in by_column if some and some[0].column not in keep]
    groups = [group for some in judged for group in _groups(some)]
    kept = set(_chosen(judged, groups, pilot, max_conditions)) if judged else set()
    return [tuple(one for one in some if one in kept or one.column in keep) for some in by_column]


def _groups(conditions: _Made) -> list[_Made]:
    """Return conditions with their opposites, if those are there."""
    is_one_of_two = sum(one.op == Operator.EQUAL for one in conditions) == _PAIR
    groups: dict[object, list[Condition]] = {}
    for one in conditions:
        kind = _KINDS.get(Operator(one.op), one.op)
        values = () if is_one_of_two and kind == Operator.EQUAL else one.values
        groups.setdefault((kind, values), []).append(one)
    return [tuple(group) for group in groups.values()]


_KINDS = {Operator.LESS: Operator.AT_LEAST, Operator.NOT_IN: Operator.IN,
          Operator.NOT_EQUAL: Operator.EQUAL}  # fmt: skip


def _chosen(
    by_column: Sequence[_Made], groups: Sequence[_Made], pilot: Pilot, max_conditions: int
) -> Iterator[Condition]:
    """Yield so many conditions, whole groups, those that matter most."""
    group_of = {one: group for group in groups for one in group}
    n_left, left = max_conditions, dict.fromkeys(groups)
    for condition in _in_order(by_column, group_of, pilot):
        group = group_of[condition]
        if group in left and len(group) <= n_left:
            n_left -= len(group)
            del left[group]
            yield from group
        if n_left < _PAIR:
            break
    # Where one more fits it would be long until it is asked for.
    yield from next((group for group in left if len(group) <= n_left), ())


def _in_order(
    by_column: Sequence[_Made], group_of: dict[Condition, _Made], pilot: Pilot
) -> Iterator[Condition]:
    """Yield a condition of every group, those that matter most first; some more than once."""
    most_rows = int(np.clip(_MOST_VALUES // len(by_column), _FEW_ROWS, _MOST_ROWS))
    rows = np.linspace(0, pilot.n_rows - 1, min(pilot.n_rows, most_rows)).astype(np.int64)
    weights = pilot.weights[rows]
    names = dict.fromkeys(some[0].column for some in by_column)
    table = pa.table({name: pilot.column(name).take(pa.array(rows)) for name in names})
    packed = packed_conditions(by_column, table)
    # One of each group tells what the other does.
    firsts = [[one for one in some if group_of[one][0] == one] for some in by_column]
    place_of = {one: place for place, one in enumerate(packed.conditions)}
    holds = [np.array([packed.column(place_of[one]) for one in some]) for some in firsts]
    asked = list(chain(*firsts))
    seen: list[int] = []
    if pilot.codes is not None and len(np.unique(pilot.codes[rows])) > 1:
        yield from asked_by_lists(packed, pilot.codes[rows], weights)
        for number in asked_by_trees(holds, pilot.codes[rows], weights):
            seen.append(number)
            yield asked[number]
    for number in _spread(np.concatenate(holds), weights / weights.sum(), seen):
        yield asked[number]


def _spread(holds: NDArray[np.bool_], weights: _Floats, seen: Sequence[int]) -> Iterator[int]:
    """Yield numbers of conditions that divide rows evenly, and each in another way.

    One after the other that is taken for which evenness x (1 - c) is greatest, where c is its
    greatest correlation with one taken or seen before, of whichever column.
    """
    share = holds @ weights
    evenness = share * (1 - share)
    standard = (holds - share[:, None]) / np.sqrt(np.maximum(evenness, 1e-12))[:, None]
    standard *= np.sqrt(weights)
    alike = np.abs(standard @ standard[list(seen)].T).max(axis=1, initial=0.0)
    is_left = ~np.isin(np.arange(len(holds)), seen)
    while is_left.any():
        worth = np.where(is_left, evenness * (1 - np.minimum(alike, 1.0)), -1.0)
        best = int(worth.argmax())
        yield best
        is_left[best] = False
        alike = np.maximum(alike, np.abs(standard @ standard[best]))
