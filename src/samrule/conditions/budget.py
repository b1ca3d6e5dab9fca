"""A budget of conditions over all columns, spent where pilot rows say that they matter.

More conditions cost a larger sample and a longer search, and most are nearly the same as a
neighbour.
"""

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from samrule.conditions.boosted_trees import asked_by_trees
from samrule.conditions.pilot import Pilot
from samrule.conditions.pilot_lists import BRIER, ListsWanted, PilotLists
from samrule.conditions.stand_ins import stand_ins
from samrule.conditions.weighed_rows import WeighedRows, Words
from samrule.objective import ERROR
from samrule.rules import Condition, Operator

# A condition and its opposite.
_PAIR = 2
# What part of the budget conditions get that can stand in for one of a list.
_FOR_STAND_INS = 0.5

_Made = tuple[Condition, ...]


def within_budget(
    by_column: Sequence[_Made],
    pilot: Pilot,
    max_conditions: int,
    keep: Collection[str] = (),
    lists: PilotLists | None = None,
) -> list[_Made]:
    """Return the conditions that are worth most, column by column; some columns may have none.

    A condition and its opposite, ``>= t`` and ``< t``, go together. First come those of the best
    lists of the pilot rows, then those that can stand in for one of them, up to half of the budget,
    then those that small boosted trees ask for, in that order; without classes, or when there is no
    more to learn, those that divide the rows evenly and in other ways. Columns of `keep` have all
    of theirs, beside the budget.

    Parameters
    ----------
    by_column
        The conditions.
    pilot
        Rows to judge them by.
    max_conditions
        How many of the other columns there may be.
    keep
        Columns that have all of theirs.
    lists
        The pilot rows as bits, if they are there already, perhaps of more conditions than these.
    """
    judged = [some for some in by_column if some and some[0].column not in keep]
    groups = [group for some in judged for group in _groups(some)]
    kept: set[Condition] = set()
    if judged:
        lists = lists or PilotLists.of(by_column, pilot, ListsWanted())
        offered = {one for some in by_column for one in some}
        without = {one for one in lists.packed.conditions if one not in offered}
        kept = set(_chosen(groups, lists, without, max_conditions))
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
    groups: Sequence[_Made], lists: PilotLists, without: set[Condition], max_conditions: int
) -> Iterator[Condition]:
    """Yield so many conditions, whole groups, those that matter most."""
    group_of = {one: group for group in groups for one in group}
    n_left, left = max_conditions, dict.fromkeys(groups)
    for condition in _in_order(group_of, lists, without, max_conditions):
        group = group_of.get(condition, ())
        if group in left and len(group) <= n_left:
            n_left -= len(group)
            del left[group]
            yield from group
        if n_left < _PAIR:
            break
    # Where one more fits it would be long until it is asked for.
    yield from next((group for group in left if len(group) <= n_left), ())


def _in_order(
    group_of: dict[Condition, _Made],
    lists: PilotLists,
    without: set[Condition],
    max_conditions: int,
) -> Iterator[Condition]:
    """Yield a condition of every group, those that matter most first; some more than once.

    Lists may ask for conditions of kept columns, too, which are of no group.
    """
    packed = lists.packed
    # One of each group tells what the other does.
    firsts = [n for n, one in enumerate(packed.conditions) if group_of.get(one, ())[:1] == (one,)]
    bits, weighed = packed.bits[firsts], WeighedRows.of(lists.weights)
    seen: list[int] = []
    if lists.codes is not None:
        yield from _asked_by_lists(lists, without)
        n_groups = int(_FOR_STAND_INS * max_conditions / _PAIR)
        yield from _standing_in(lists, group_of, without, weighed, n_groups)
        columns = [lists.columns[n] for n in firsts]
        for place in asked_by_trees(bits, columns, lists.codes, weighed.weights):
            seen.append(place)
            yield packed.conditions[firsts[place]]
    for place in _spread(bits, weighed, seen):
        yield packed.conditions[firsts[place]]


def _asked_by_lists(lists: PilotLists, without: set[Condition]) -> Iterator[Condition]:
    """Yield the conditions of the best lists wanted, then those of a list good by another loss."""
    wanted = lists.wanted.objectives
    found = [lists.best(one, without) for one in wanted]
    if ERROR not in wanted:
        found.append(lists.best(ERROR, without))
    if BRIER not in wanted:
        found.append(lists.good(BRIER, without))
    for solution in found:
        for rule in solution.rule_list:
            yield from rule.conditions


def _standing_in(
    lists: PilotLists,
    group_of: dict[Condition, _Made],
    without: set[Condition],
    rows: WeighedRows,
    n_groups: int,
) -> Iterator[Condition]:
    """Yield conditions that can take the place of one in the best lists, the best of them first.

    A condition of so many groups, and none where rules are to be conjunctions.
    """
    assert lists.codes is not None
    objectives = lists.wanted.objectives if lists.wanted.max_terms == 1 else ()
    for objective in objectives:
        found = lists.best(objective, without).rule_list
        ranked = stand_ins(found, objective, lists.packed, lists.codes, rows)
        groups = dict.fromkeys(group_of[one] for one in ranked if one in group_of)
        yield from (group[0] for group in list(groups)[: n_groups // len(objectives)])


def _spread(bits: Words, rows: WeighedRows, seen: Sequence[int]) -> Iterator[int]:
    """Yield numbers of conditions that divide rows evenly, and each in another way.

    One after the other that is taken for which evenness x (1 - c) is greatest, where c is its
    greatest correlation with one taken or seen before, of whichever column.
    """
    total = rows.weights.sum()
    share = rows.weight(bits) / total
    evenness = share * (1 - share)
    alike = np.zeros(len(bits))
    is_left = np.ones(len(bits), dtype=np.bool_)

    def take(one: int) -> None:
        together = rows.shared(bits[one : one + 1], bits)[0] / total
        scale = np.sqrt(np.maximum(evenness * evenness[one], 1e-24))
        np.maximum(alike, np.abs(together - share * share[one]) / scale, out=alike)
        is_left[one] = False

    for one in seen:
        take(one)
    while is_left.any():
        worth = np.where(is_left, evenness * (1 - np.minimum(alike, 1.0)), -1.0)
        best = int(worth.argmax())
        yield best
        take(best)
