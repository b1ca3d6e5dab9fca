"""The optimum, the list, the path and the bound, against the oracle on many small tables."""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from os import cpu_count

import numpy as np
import pytest

from samrule import _core
from samrule.solver.solve import Solution, Status
from tests.reference.brute_force import Candidate
from tests.reference.random_tables import SmallTable, best_lists_of, small_table
from tests.solver.solving import solution_of

BATCH = 1000


def rules_of(solution: Solution) -> list[Candidate]:
    """Column numbers of each rule, read from the default names x0, x1, ..."""
    return [
        tuple(int(condition.column[1:]) for condition in rule.conditions)
        for rule in solution.rule_list.rules
    ]


def differences(table: SmallTable, solution: Solution) -> list[str]:
    """What of the solution is not as the oracle says; said in full, to be read in a log."""
    expected = best_lists_of(table)
    cost, rules = expected[-1]
    errors = int(cost - len(rules) * table.rule_cost)
    loss = errors / table.total + float(table.alpha) * len(rules)
    path = tuple(float(cost / table.total) for cost, _ in expected)
    claims = {
        "status": (solution.status, Status.OPTIMAL),
        "rules": (rules_of(solution), rules),
        "loss": (solution.loss, loss),
        "lower bound": (solution.lower_bound, loss),
        "path": (
            solution.path,
            pytest.approx(path, rel=0, abs=1e-6 * table.max_rules / table.total),
        ),
    }
    return [
        f"{claim} is {found}, expected {wanted} for {table}"
        for claim, (found, wanted) in claims.items()
        if found != wanted
    ]


def tables(batch: int, n_tables: int) -> Iterator[tuple[int, SmallTable]]:
    rng = np.random.default_rng([2, batch])
    for number in range(n_tables):
        yield number, small_table(rng)


def check_batch(batch: int) -> list[str]:
    return [
        f"table {number} of batch {batch}: {difference}"
        for number, table in tables(batch, BATCH)
        for difference in differences(table, solution_of(table))
    ]


def check_batches(batches: range) -> list[str]:
    # Processes are started afresh: the native module may have threads in this one.
    with ProcessPoolExecutor(cpu_count(), mp_context=get_context("spawn")) as pool:
        return [difference for found in pool.map(check_batch, batches) for difference in found]


def test_best_list_on_5_000_small_tables() -> None:
    assert check_batches(range(5)) == []


@pytest.mark.slow
def test_best_list_on_200_000_small_tables() -> None:
    assert check_batches(range(1000, 1200)) == []


@pytest.mark.parametrize("bound", _core.bound_names())
def test_optimum_does_not_depend_on_any_one_bound(bound: str) -> None:
    for _, table in tables(2000, 500):
        assert differences(table, solution_of(table, disabled_bounds=[bound])) == []


def test_optimum_does_not_depend_on_the_bounds_at_all() -> None:
    for _, table in tables(2001, 500):
        assert differences(table, solution_of(table, disabled_bounds=_core.bound_names())) == []


@pytest.mark.parametrize("kernels", _core.kernel_names())
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_kernels_and_threads_agree_to_the_bit(kernels: str, threads: int) -> None:
    for number, table in tables(2002, 500):
        reference = solution_of(table, kernels="scalar", threads=1)
        solution = solution_of(table, kernels=kernels, threads=threads)
        assert solution.rule_list == reference.rule_list, (number, table)
        assert solution.loss == reference.loss
        assert solution.lower_bound == reference.lower_bound
        assert solution.path == reference.path


def check_tolerance(table: SmallTable, tolerance: float, **knobs: object) -> Solution:
    """Solve with a tolerance: the bound holds, and the list is within it."""
    cost, _ = best_lists_of(table)[-1]
    least = float(cost / table.total)
    solution = solution_of(table, tolerance=tolerance, **knobs)
    rounding = 1e-12 + 1e-6 * table.max_rules / table.total
    assert solution.lower_bound <= least + 1e-12, table
    assert solution.loss >= least - 1e-12, table
    assert solution.lower_bound >= (1 - tolerance) * solution.loss - rounding, table
    if solution.status is Status.OPTIMAL:
        assert differences(table, solution) == []
    else:
        assert solution.status is Status.WITHIN_TOLERANCE
        assert solution.gap > 0
        assert len(solution.path) == max(table.max_rules, 1)
    return solution


@pytest.mark.parametrize("tolerance", [0.001, 0.05, 0.2, 0.5, 1.0])
def test_bound_holds_and_loss_is_within_the_tolerance(tolerance: float) -> None:
    statuses = {check_tolerance(table, tolerance).status for _, table in tables(2003, 200)}
    assert statuses == {Status.OPTIMAL, Status.WITHIN_TOLERANCE}


@pytest.mark.parametrize("kernels", _core.kernel_names())
@pytest.mark.parametrize("threads", [2, 5])
def test_tolerance_gives_one_list_to_the_bit(kernels: str, threads: int) -> None:
    for _, table in tables(2004, 150):
        reference = check_tolerance(table, 0.1, kernels="scalar", threads=1)
        solution = check_tolerance(table, 0.1, kernels=kernels, threads=threads)
        assert solution.rule_list == reference.rule_list, table
        assert solution.lower_bound == reference.lower_bound
        assert solution.status == reference.status
