"""The rule list that a search found, with the rows that each of its rules decides."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from samrule import _core
from samrule.objective import (
    Objective,
)
from samrule.rules import Rule, RuleList
from samrule.solver.problem import PackedConditions, Problem


def built_rule_list(
    problem: Problem,
    objective: Objective,
    table: _core.Table,
    found: Sequence[Sequence[int]],
    allowed: Sequence[Sequence[bool]] = (),
) -> tuple[RuleList, Fraction]:
    """Return the list and what its rows cost, in units of the given weights.

    `allowed` tells for each rule which classes it may predict, if not all of them.
    """
    rounded = table.count(found)
    predictions = [
        objective.best_place(counts, classes) for counts, classes in zip_longest(rounded, allowed)
    ]
    in_units = _real_counts(problem, found) or rounded
    n_rows = _row_counts(problem, found) or rounded
    # Without weights, the weight of rows is their number, so weighted_counts stay empty.
    unit = None if problem.weights.counts is None else problem.weights.unit
    cost = sum(
        (
            objective.predicted_cost(counts, prediction)
            for counts, prediction in zip(in_units, predictions, strict=True)
        ),
        Fraction(0),
    )
    *rules, default = (
        Rule(
            conditions=tuple(map(problem.condition, columns)),
            prediction=problem.classes[prediction],
            class_counts=tuple(counted),
            weighted_counts=() if unit is None else tuple(count * unit for count in counts),
        )
        for columns, counted, counts, prediction in zip(
            [*found, ()], n_rows, in_units, predictions, strict=True
        )
    )
    return RuleList(tuple(rules), default, problem.classes), cost


def _real_counts(problem: Problem, found: Sequence[Sequence[int]]) -> Sequence[Sequence[float]]:
    """Weight of each class that each rule decides, the default last; empty if counts are exact."""
    reals, n_classes = problem.weights.reals, len(problem.classes)
    if reals is None:
        return []
    return [
        np.bincount(problem.codes[decided], reals[decided], n_classes).tolist()
        for decided in decided_rows(problem, found)
    ]


def _row_counts(problem: Problem, found: Sequence[Sequence[int]]) -> Sequence[Sequence[int]]:
    """Rows of each class that each rule decides; empty if every row counts once anyway."""
    if problem.weights.counts is None:
        return []
    return [
        np.bincount(problem.codes[decided], minlength=len(problem.classes)).tolist()
        for decided in decided_rows(problem, found)
    ]


def decided_rows(problem: Problem, found: Sequence[Sequence[int]]) -> Iterator[NDArray[np.bool_]]:
    """Yield for each rule, the default last, which rows it is the first to match."""
    uncovered = np.ones(len(problem.codes), dtype=np.bool_)
    for columns in [*found, ()]:
        decided = uncovered.copy()
        for column in columns:
            decided &= _column(problem.conditions, column)
        uncovered &= ~decided
        yield decided


def _column(conditions: NDArray[np.uint8] | PackedConditions, column: int) -> NDArray[np.bool_]:
    if isinstance(conditions, PackedConditions):
        return conditions.column(column)
    return np.asarray(conditions[:, column] == 1)
