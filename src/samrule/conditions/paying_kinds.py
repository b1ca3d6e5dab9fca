"""Sets and intervals, offered only where they pay: where the list asked for is better with them.

More conditions make more lists, and of more lists the best is better on the rows learned from,
whether or not it is on others. So the best lists of the pilot rows with and without a kind of
condition are compared, and it must make more of a difference than a few rows do by chance.
"""

from collections.abc import Collection, Sequence

import numpy as np

from samrule.conditions.pilot_lists import PilotLists
from samrule.objective import ERROR, Objective
from samrule.rules import Condition, Operator
from samrule.solver import Solution

SETS = frozenset({Operator.IN, Operator.NOT_IN, Operator.NOT_EQUAL})
INTERVALS = frozenset({Operator.WITHIN})

# What must be taken off the loss: so many standard errors of the difference between the lists with
# and without, or such a part of the loss. Little is asked of a kind beside others, much of the
# errors that all kinds save together. docs/cuts.md has what else was tried.
_LITTLE, _MUCH = (1.0, 0.005), (2.0, 0.02)


def not_paying(
    kinds: Sequence[frozenset[Operator]], lists: PilotLists, *, keep: Collection[str] = ()
) -> set[Condition]:
    """Return the conditions of those kinds that do not pay, by none of the losses looked at.

    Parameters
    ----------
    kinds
        Operators of the conditions in question, kind by kind. All are left out if they do not pay
        together; if they do, one after the other is if it does not pay beside those after it.
    lists
        The pilot rows. If they have one class only, nothing is left out; nor if the lists wanted
        are not those that are found on pilot rows.
    keep
        Columns whose conditions stay in any case.
    """
    left_out: set[Condition] = set()
    if lists.codes is None or not lists.wanted.are_searched:
        return left_out
    by_kind = [
        {one for one in lists.packed.conditions if one.op in kind and one.column not in keep}
        for kind in kinds
    ]
    objectives = _by_which_they_pay(set().union(*by_kind), lists)
    for of_kind in by_kind:
        if not any(_pays(of_kind, left_out, one, lists, _LITTLE) for one in objectives):
            left_out |= of_kind
    return left_out


def _by_which_they_pay(of_all_kinds: set[Condition], lists: PilotLists) -> list[Objective]:
    """Return the losses by which all kinds together pay.

    One kind may make up for most of another: together they show more surely what they are worth.
    """
    return [
        one
        for one in lists.wanted.objectives
        if _pays(of_all_kinds, set(), one, lists, _MUCH if one == ERROR else _LITTLE)
    ]


def _pays(
    conditions: set[Condition],
    left_out: set[Condition],
    objective: Objective,
    lists: PilotLists,
    needed: tuple[float, float],
) -> bool:
    """Tell whether the best list is enough better than the best without these."""
    rich = lists.best(objective, left_out)
    if not any(one in conditions for rule in rich.rule_list for one in rule.conditions):
        return False
    without = left_out | conditions
    # If a list that is found in a moment does as well, there is no need to search.
    return all(
        _is_enough_better(rich, found(objective, without), objective, lists, needed)
        for found in (lists.good, lists.best)
    )


def _is_enough_better(
    rich: Solution,
    plain: Solution,
    objective: Objective,
    lists: PilotLists,
    needed: tuple[float, float],
) -> bool:
    gain, (sure, part) = plain.loss - rich.loss, needed
    return gain > 0 and (
        gain >= part * plain.loss or gain >= sure * _standard_error(rich, plain, objective, lists)
    )


def _standard_error(
    rich: Solution, plain: Solution, objective: Objective, lists: PilotLists
) -> float:
    """Return by how much the difference between the losses of two lists varies by chance.

    Rows are compared one by one; one that was drawn several times is one that weighs more.
    """
    of_both = (lists.row_losses(one.rule_list, objective) for one in (plain, rich))
    difference = lists.weights * np.subtract(*of_both)
    weights = np.bincount(lists.numbers, lists.weights)
    total = weights.sum()
    more = np.bincount(lists.numbers, difference) - weights * (difference.sum() / total)
    return float(np.sqrt((more**2).sum()) / total)
