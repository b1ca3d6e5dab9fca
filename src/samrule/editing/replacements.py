"""What else could stand in a rule's place, and what the list would lose then."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from samrule.editing.workbench import Workbench
from samrule.objective import Objective
from samrule.rules import Rule, RuleList

# Pairs of conditions are tried up to so many of them; beyond, single conditions alone.
MOST_PAIRS = 100_000
# Conditions at a time, so that memory stays small.
_BLOCK = 256


@dataclass(frozen=True, slots=True)
class Replacement:
    """A rule to put in another's place.

    Parameters
    ----------
    rule
        The rule, with what it would predict.
    loss
        The loss of the list with it.
    price
        How much that is above the loss now; below 0 if the list gets better.
    """

    rule: Rule
    loss: float
    price: float


def best_replacements(
    workbench: Workbench,
    rules: Sequence[Rule],
    place: int,
    *,
    default: Hashable | None,
    limit: int,
) -> list[tuple[RuleList, float]]:
    """Return the best lists with another rule at this place, and their losses; best first.

    All candidates are priced at once, by the rows of each class that they take from the groups that
    later rules decide, in single precision; the best are then counted exactly.
    """
    candidates = _candidates(workbench)
    rough = _rough_costs(workbench, rules, default, place, candidates)
    order = np.argsort(rough, kind="stable")[: limit + 1]
    found = []
    for one in order[np.isfinite(rough[order])].tolist():
        conditions = tuple(workbench.packed.conditions[term] for term in candidates[one])
        if conditions == rules[place].conditions:
            continue
        changed = [*rules[:place], Rule(conditions, None), *rules[place + 1 :]]
        found.append(workbench.judged(changed, default))
    return sorted(found, key=lambda one: one[1])[:limit]


def _candidates(workbench: Workbench) -> list[tuple[int, ...]]:
    n_conditions = len(workbench.packed.conditions)
    single: list[tuple[int, ...]] = [(one,) for one in range(n_conditions)]
    max_terms = workbench.task.settings.max_terms
    if max_terms == 1 or n_conditions * (n_conditions - 1) // 2 > MOST_PAIRS:
        return single
    return single + list(combinations(range(n_conditions), 2))


def _rough_costs(
    workbench: Workbench,
    rules: Sequence[Rule],
    default: Hashable | None,
    place: int,
    candidates: Sequence[tuple[int, ...]],
) -> NDArray[np.float64]:
    """Return what the rows from this place on cost with each candidate there."""
    later = [*rules[:place], *rules[place + 1 :]]
    decided = workbench.deciders(later)
    open_rows = decided >= place
    groups = np.where(open_rows, decided - place, -1)
    n_groups, n_classes = len(later) - place + 1, len(workbench.task.classes)
    weights, objective = workbench.weights, workbench.task.objective
    row_weight = np.ones(len(groups)) if weights is None else weights
    # A column for each later group and class: the weight of its rows.
    shares = np.zeros((len(groups), n_groups * n_classes), dtype=np.float32)
    at = np.flatnonzero(open_rows)
    shares[at, groups[at] * n_classes + workbench.labels[at]] = row_weight[at]
    whole = shares.sum(axis=0, dtype=np.float64).reshape(n_groups, n_classes)
    fixed = [rule.prediction for rule in later[place:]] + [default]
    places = [None if one is None else workbench.task.classes.index(one) for one in fixed]
    found = np.empty(len(candidates))
    for start in range(0, len(candidates), _BLOCK):
        block = candidates[start : start + _BLOCK]
        masks = np.stack([workbench.conjunction(terms) for terms in block]).astype(np.float32)
        taken = (masks @ shares).astype(np.float64).reshape(len(block), n_groups, n_classes)
        total = _group_costs(objective, taken.sum(axis=1), None)
        for group, fixed_place in enumerate(places):
            left = whole[group] - taken[:, group]
            total = total + _group_costs(objective, left, fixed_place)
        # A rule that decides nothing is none.
        total[taken.sum(axis=(1, 2)) == 0] = np.inf
        found[start : start + len(block)] = total
    return found


def _group_costs(
    objective: Objective, of_class: NDArray[np.float64], place: int | None
) -> NDArray[np.float64]:
    """Return what groups of rows cost, given their weight by class: a group per row.

    With a place, if the class there is predicted.
    """
    matrix = np.ones((of_class.shape[1],) * 2) - np.eye(of_class.shape[1])
    if objective.costs is not None:
        matrix = np.array(objective.costs)
    prices = of_class @ matrix
    linear = prices.min(axis=1) if place is None else prices[:, place]
    weight = of_class.sum(axis=1)
    squares = np.divide((of_class**2).sum(axis=1), weight, out=weight.copy(), where=weight > 0)
    share = objective.brier_share
    return np.asarray((1 - share) * linear + share * (weight - squares) / 2)
