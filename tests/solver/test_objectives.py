"""Other losses than errors, through the public `solve`, against the oracle on many small tables."""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from fractions import Fraction
from multiprocessing import get_context
from os import cpu_count
from typing import Any

import numpy as np
import pytest

from samrule import Solution, Status, _core, solve
from samrule.objective import Objective
from tests.reference.brute_force import Candidate
from tests.reference.random_tables import (
    SmallTable,
    best_lists_of,
    random_objective,
    small_table,
)
from tests.reference.test_brute_force import cost_row_by_row, decided_weights
from tests.solver.solving import solution_of

# The search prices rows to 2^-28, and groups to as much.
FINE = 1e-7


def tables(batch: int, n_tables: int) -> Iterator[SmallTable]:
    rng = np.random.default_rng([5, batch])
    for _ in range(n_tables):
        table = small_table(rng)
        yield replace(table, objective=random_objective(rng, table.n_classes))


def asked(table: SmallTable) -> dict[str, Any]:
    """The objective as people pass it."""
    share, costs = Fraction(table.objective.brier_share), table.objective.costs
    found: dict[str, Any] = {"objective": {"error": float(1 - share), "brier": float(share)}}
    if costs is not None:
        found["costs"] = [[float(Fraction(one)) for one in row] for row in costs]
    return found


def scale_of(table: SmallTable) -> Fraction:
    """What costs are divided by: the largest."""
    costs = table.objective.costs
    return Fraction(1) if costs is None else max(Fraction(one) for row in costs for one in row)


def scaled(table: SmallTable) -> SmallTable:
    """The table with costs that have 1 as their largest."""
    scale, objective = scale_of(table), table.objective
    if objective.costs is None or scale == 0:
        return table
    costs = tuple(tuple(str(Fraction(one) / scale) for one in row) for row in objective.costs)
    return replace(table, objective=replace(objective, costs=costs))


def solved(table: SmallTable) -> Solution:
    return solve(
        table.rows,
        table.codes,
        weights=table.weights,
        max_rules=table.max_rules,
        max_terms=table.max_terms,
        regularization=float(table.alpha),
        min_support=float(table.min_support),
        threads=1,
        **asked(table),
    )


def rules_of(solution: Solution) -> list[Candidate]:
    return [
        tuple(int(condition.column[1:]) for condition in rule.conditions)
        for rule in solution.rule_list.rules
    ]


def differences(
    table: SmallTable, solution: Solution, expected: list[tuple[Fraction, list[Candidate]]]
) -> list[str]:
    """What of the solution is not as the oracle says of the table, whose largest cost is 1."""
    least = float(expected[-1][0] / table.total)
    rules = rules_of(solution)
    groups = decided_weights(table, rules)
    rows = sum((cost_row_by_row(table, one) for one in groups), Fraction(0))
    loss = float((rows + len(rules) * table.rule_cost) / table.total)
    path = tuple(float(cost / table.total) for cost, _ in expected)
    claims = {
        "status": solution.status is Status.OPTIMAL,
        "loss": solution.loss == pytest.approx(loss, rel=1e-12, abs=1e-15),
        "optimum": solution.loss <= least + FINE,
        "lower bound": solution.lower_bound <= least * (1 + 1e-15) + 1e-15,
        "gap": solution.gap <= FINE,
        "path": solution.path == pytest.approx(path, rel=0, abs=FINE),
        "support": all(sum(one) >= table.min_weight for one in groups[:-1]),
    }
    return [
        f"{claim}: {solution}, expected {expected} for {table}"
        for claim, holds in claims.items()
        if not holds
    ]


def check_batch(batch: int) -> list[str]:
    return [
        difference
        for table in tables(batch, 500)
        if scale_of(table) > 0
        for one in [scaled(table)]
        for difference in differences(one, solved(table), best_lists_of(one))
    ]


def check_batches(batches: range) -> list[str]:
    # Processes are started afresh: the native module may have threads in this one.
    with ProcessPoolExecutor(cpu_count(), mp_context=get_context("spawn")) as pool:
        return [difference for found in pool.map(check_batch, batches) for difference in found]


def test_best_list_on_500_small_tables() -> None:
    assert check_batch(0) == []


@pytest.mark.slow
def test_best_list_on_50_000_small_tables() -> None:
    assert check_batches(range(1000, 1100)) == []


def objective_of(table: SmallTable) -> Objective:
    costs = table.objective.costs
    return Objective(
        float(Fraction(table.objective.brier_share)),
        None if costs is None else tuple(tuple(float(Fraction(c)) for c in row) for row in costs),
    )


@pytest.mark.slow
def test_optimum_does_not_depend_on_any_one_bound() -> None:
    every = list(_core.bound_names())
    for table in map(scaled, tables(2000, 500)):
        if scale_of(table) > 0:
            expected, objective = best_lists_of(table), objective_of(table)
            for off in [*([one] for one in every), every]:
                found = solution_of(table, objective=objective, disabled_bounds=off)
                assert differences(table, found, expected) == [], off


def test_real_weights_are_rounded_the_safe_way() -> None:
    rng = np.random.default_rng(6)
    for table in tables(3, 60):
        weights = rng.random(len(table.codes))
        whole = solve(table.rows, table.codes, weights=weights, threads=1, objective="brier")
        counted = sum(
            sum(one.weighted_counts) * (1 - sum(p * p for p in shares(one.weighted_counts))) / 2
            for one in whole.rule_list
        )
        price = 1e-4 * whole.rule_list.n_rules
        assert whole.loss == pytest.approx(counted / weights.sum() + price, rel=1e-9)
        assert whole.lower_bound <= whole.loss
        assert whole.gap < 1e-3


def shares(counts: tuple[float, ...]) -> list[float]:
    total = sum(counts)
    return [one / total if total else 0.0 for one in counts]


def test_a_cost_matrix_moves_the_classes_that_rules_predict() -> None:
    column = np.array([[1]] * 10 + [[0]] * 10)
    labels = ["bad"] * 3 + ["good"] * 7 + ["good"] * 10
    plain = solve(column, labels)
    careful = solve(column, labels, costs={("bad", "good"): 10})
    assert plain.rule_list.n_rules == 0
    assert str(careful.rule_list) == "if x0 then bad\nelse good"
    assert careful.loss == pytest.approx(0.1 * 7 / 20 + 1e-4)


def test_a_relative_price_is_one_of_the_same_loss() -> None:
    rng = np.random.default_rng(7)
    rows, labels = rng.integers(0, 2, (300, 4)), rng.random(300) < 0.2
    base = labels.mean() * (1 - labels.mean())
    relative = solve(rows, labels, objective="brier", regularization="0.01 relative")
    absolute = solve(rows, labels, objective="brier", regularization=float(0.01 * base))
    assert relative.rule_list == absolute.rule_list
    assert relative.loss == pytest.approx(absolute.loss)
