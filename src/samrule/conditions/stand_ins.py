"""Conditions that can take the place of one in a list and leave it nearly as good.

On other rows another condition of them may be the best: a neighbouring cut, or a column that says
nearly the same.
"""

import numpy as np
from numpy.typing import NDArray

from samrule.conditions.cuts import purity
from samrule.conditions.weighed_rows import WeighedRows, Words, as_bits
from samrule.objective import ERROR, Objective
from samrule.rules import Condition, RuleList
from samrule.solver.problem import PackedConditions

# How much greater the loss may be.
_NEARLY = 0.05


def stand_ins(
    found: RuleList,
    objective: Objective,
    packed: PackedConditions,
    codes: NDArray[np.int64],
    weighed: WeighedRows,
) -> list[Condition]:
    """Return the conditions with which, each in its best place, the list loses next to nothing.

    Those with which it is best come first.

    Parameters
    ----------
    found
        A list of rules with one condition each.
    objective
        Errors, or the Brier score.
    packed
        Where conditions hold.
    codes, weighed
        Class and weight of each row.
    """
    place = {one: number for number, one in enumerate(packed.conditions)}
    rules = [packed.bits[place[one]] for rule in found for one in rule.conditions]
    of_class = as_bits(codes == np.arange(codes.max() + 1)[:, None])
    left, before, costs = np.bitwise_or.reduce(of_class), 0.0, []
    for number, rule in enumerate(rules):
        # The rows that come to this rule, as the rules after it divide them.
        parts = _parts(left, rules[number + 1 :])
        costs.append(before + _costs_if_replaced(parts, packed.bits, of_class, weighed, objective))
        before += float(_cost(weighed.weight(left & rule & of_class), objective))
        left = left & ~rule
    if not rules:
        return []
    least = np.min(costs, axis=0)
    order = np.argsort(least, kind="stable")
    return [packed.conditions[n] for n in order if least[n] <= (1 + _NEARLY) * least.min()]


def _parts(left: Words, rules: list[Words]) -> list[Words]:
    """Return the rows that each rule decides, and at last those that none does."""
    parts = []
    for rule in rules:
        parts.append(left & rule)
        left = left & ~rule
    return [*parts, left]


def _costs_if_replaced(
    parts: list[Words],
    bits: Words,
    of_class: Words,
    weighed: WeighedRows,
    objective: Objective,
) -> NDArray[np.float64]:
    """Return what these rows cost if each condition in turn takes some of them first."""
    n_classes = len(of_class)
    split = np.concatenate([part & of_class for part in parts])
    taken = weighed.shared(bits, split).reshape(len(bits), len(parts), n_classes)
    total = weighed.weight(split).reshape(len(parts), n_classes)
    costs = _cost(taken.sum(axis=1), objective) + _cost(total - taken, objective).sum(axis=1)
    return np.asarray(costs)


def _cost(weights: NDArray[np.int64], objective: Objective) -> NDArray[np.float64]:
    """Return what groups of rows cost, given their weight per class along the last axis."""
    total = weights.sum(axis=-1)
    if objective == ERROR:
        return np.asarray(total - weights.max(axis=-1), dtype=np.float64)
    return np.asarray((total - purity(weights.astype(np.float64))) / 2)
