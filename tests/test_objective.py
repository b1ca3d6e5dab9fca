"""What lists are to minimize: prices as the oracle has them, and what is no objective."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from samrule import learn, solve
from samrule.errors import ParameterError, ParameterTypeError
from samrule.objective import ERROR, Objective, checked_objective, objective_of
from tests.reference.random_tables import random_objective

MATRIX = np.array([[0, 10], [1, 0]])


@pytest.mark.parametrize("seed", range(100))
def test_groups_cost_what_the_oracle_says(seed: int) -> None:
    rng = np.random.default_rng([3, seed])
    n_classes = int(rng.integers(2, 5))
    asked = random_objective(rng, n_classes)
    costs = None if asked.costs is None else [[Fraction(one) for one in row] for row in asked.costs]
    objective = Objective(
        float(Fraction(asked.brier_share)),
        None if costs is None else tuple(tuple(map(float, row)) for row in costs),
    )
    of_class = rng.integers(0, 50, n_classes).tolist()
    assert objective.group_cost(of_class) == asked.price(of_class)
    best = objective.best_place(of_class)
    prices = [objective.predicted_cost(of_class, place) for place in range(n_classes)]
    assert min(prices) == prices[best] == objective.group_cost(of_class)
    # Where classes cost nothing, the most frequent is predicted.
    alike = of_class if objective.brier_share == 1 else [-price for price in prices]
    assert best == alike.index(max(alike))


@pytest.mark.parametrize("seed", range(50))
def test_rows_cost_together_what_their_group_does(seed: int) -> None:
    rng = np.random.default_rng([4, seed])
    of_class = rng.integers(1, 50, 3)
    objective = Objective(float(rng.random()), tuple(map(tuple, rng.random((3, 3)).tolist())))
    place = objective.best_place(of_class.tolist())
    losses = objective.row_losses((of_class / of_class.sum()).tolist(), place)
    assert of_class @ losses == pytest.approx(float(objective.group_cost(of_class.tolist())))
    assert min(losses) >= 0
    assert max(losses) <= 1


def test_empty_groups_and_tables_cost_nothing() -> None:
    assert Objective(brier_share=1).group_cost([0, 0]) == 0
    assert Objective(brier_share=1).loss_without_rules([0, 0]) == 0
    assert Objective(brier_share=1).loss_without_rules([3, 1]) == 0.1875


@pytest.mark.parametrize(
    ("given", "costs", "expected"),
    [
        ("error", None, ERROR),
        ("brier", None, Objective(1.0)),
        ({"brier": 1}, None, Objective(1.0)),
        (("error", "brier"), None, Objective(0.5)),
        (["brier", "error"], None, Objective(0.5)),
        ({"error": 0.9, "brier": 0.1}, None, Objective(0.1)),
        ("error", {("bad", "good"): 10}, Objective(0.0, ((0.0, 1.0), (0.1, 0.0)))),
        ("error", {("bad", "good"): 0.5}, Objective(0.0, ((0.0, 0.5), (1.0, 0.0)))),
        ("error", MATRIX, Objective(0.0, ((0.0, 1.0), (0.1, 0.0)))),
        ("error", [[0, 7], [7, 0]], ERROR),
        ({"error": 0.5, "brier": 0.5}, MATRIX, Objective(0.5, ((0.0, 1.0), (0.1, 0.0)))),
    ],
)
def test_what_is_asked_for_is_what_is_minimized(
    given: Any, costs: Any, expected: Objective
) -> None:
    assert objective_of(given, costs, ("bad", "good")) == expected
    assert objective_of(expected, None, ("bad", "good")) == expected


def test_classes_are_named_as_they_are_or_as_they_read() -> None:
    assert objective_of("error", {("1", "0"): 2}, (0, 1)).costs == ((0.0, 0.5), (1.0, 0.0))
    assert objective_of("error", {("False", "True"): 2}, (False, True)).costs is not None


@pytest.mark.parametrize(
    ("objective", "costs", "words"),
    [
        ("accuracy", None, "objective is 'accuracy'; expected 'error', 'brier'"),
        (None, None, "objective is None"),
        (("error", "error"), None, "objective is .*'error', 'error'"),
        (("brier", 3), None, "expected 'error', 'brier'"),
        ({"error": 0.5}, None, "shares of 'error' and 'brier' that add up to 1"),
        ({"error": 0.5, "log": 0.5}, None, "add up to 1"),
        ({"error": 1.5, "brier": -0.5}, None, "add up to 1"),
        ({"error": float("nan"), "brier": 1}, None, "add up to 1"),
        ("brier", {("bad", "good"): 2}, "does not depend on costs"),
        ("error", {("bad", "god"): 2}, "names 'god'; the classes are 'bad', 'good'"),
        ("error", {("bad", "good"): -1}, "is -1; expected a finite number of 0 or more"),
        ("error", {("bad", "good"): float("inf")}, "expected a finite number"),
        ("error", [[0, 0], [0, 0]], "are 0 everywhere"),
        ("error", [[0, 1]], "expected 2 rows of 2, one per class in order: bad, good"),
        ("error", [0, 1], "expected 2 rows of 2"),
    ],
)
def test_what_cannot_be_minimized_is_refused(objective: Any, costs: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words) as error:
        objective_of(objective, costs, ("bad", "good"))
    assert error.value.hint


@pytest.mark.parametrize("costs", ["bad:good=10", 3, {"bad": 10}, {("bad", "good"): "10"}])
def test_costs_of_another_kind_are_refused_before_anything_is_read(costs: Any) -> None:
    with pytest.raises(ParameterTypeError, match="costs"):
        checked_objective("error", costs)
    with pytest.raises(ParameterTypeError, match="costs"):
        learn("no such file", "y", costs=costs)
    with pytest.raises(ParameterTypeError, match="costs"):
        solve(None, None, costs=costs)


def test_losses_have_names() -> None:
    names = [
        one.loss_name
        for one in (ERROR, Objective(1.0), Objective(0.5), Objective(0.0, ((0, 1), (0.5, 0))))
    ]
    assert names == ["loss", "Brier loss", "mixed loss", "cost"]
