"""What a search at a rounded price proves about lists at the exact price."""

import math
import time
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from samrule import Status, solve
from samrule.solver.limits import Limits
from samrule.solver.problem import checked_problem
from samrule.solver.rule_price import UNITS_PER_ROW, RulePrice, rounded_down
from samrule.solver.solution import Progress
from samrule.solver.solve import _solve_problem
from samrule.theory import certify
from tests.reference.brute_force import best_lists

prices = st.fractions(min_value=0, max_value=3, max_denominator=10**14)
# Errors and rules of all lists there are.
lists = st.lists(st.tuples(st.integers(0, 2**29), st.integers(0, 9)), min_size=1, max_size=6)


@given(prices, st.sampled_from([1, 7, 1000, 2**30 - 1, 12.5]))
def test_searched_price_is_a_whole_number_of_units_a_hair_above(
    regularization: Fraction, total: float
) -> None:
    price = RulePrice.of(regularization, total)
    assert Fraction(float(price.searched)) == price.searched
    assert (price.searched * UNITS_PER_ROW).denominator == 1
    # A rule above all rows together is never worth it, whatever its exact price.
    capped = min(price.exact, Fraction(math.ceil(total) + 1))
    assert capped <= price.searched < capped * (1 + Fraction(1, 2**52)) + Fraction(1, 2**28)


@given(prices, lists)
def test_least_cost_is_at_most_that_of_every_list(
    exact: Fraction, found: list[tuple[int, int]]
) -> None:
    price = RulePrice.of(exact / 1000, 1000)
    searched = min(errors + n * price.searched for errors, n in found)
    least = price.least_cost(float(searched), max_rules=9)
    costs = [errors + n * exact for errors, n in found]
    assert least <= min(costs)
    assert min(costs) - least <= 9 * Fraction(1, UNITS_PER_ROW) + searched * Fraction(1, 2**49)


@given(st.fractions(min_value=-1, max_value=1))
def test_rounded_down_is_the_nearest_double_below(number: Fraction) -> None:
    found = rounded_down(number)
    assert found <= number < Fraction(math.nextafter(found, math.inf))


def critical(rng: np.random.Generator) -> tuple[NDArray[Any], NDArray[Any], float]:
    """Return a table, and a price less than 2^-28 row below one where another list wins."""
    n_rows = int(rng.integers(8, 40))
    rows = (rng.random((n_rows, int(rng.integers(2, 9)))) < 0.4).astype(np.uint8)
    labels = np.append(rng.integers(0, 2, n_rows - 2), [0, 1])
    hair = float(rng.choice([0.0, 1e-9, 1e-10, 3e-12]))
    price = int(rng.integers(1, 4)) / int(rng.integers(1, 3)) - hair
    return rows, labels, price / n_rows


def least_loss(
    rows: NDArray[Any], labels: NDArray[Any], alpha: float, max_rules: int, max_terms: int
) -> list[Fraction]:
    """Return the exact least loss with at most 0, 1, 2, ... rules, by trying all lists."""
    n_rows = len(rows)
    found = best_lists(
        rows.tolist(),
        labels.tolist(),
        [1] * n_rows,
        n_classes=2,
        max_rules=max_rules,
        max_terms=max_terms,
        rule_cost=Fraction(repr(alpha)) * n_rows,
        min_weight=0,
    )
    return [cost / n_rows for cost, _ in found]


@pytest.mark.parametrize("seed", range(200))
def test_bounds_of_stopped_and_finished_searches_are_safe_to_the_last_bit(seed: int) -> None:
    rng = np.random.default_rng([13, seed])
    rows, labels, alpha = critical(rng)
    max_rules, max_terms = int(rng.integers(1, 5)), int(rng.integers(1, 3))
    max_terms = min(max_terms, rows.shape[1])
    least = least_loss(rows, labels, alpha, max_rules, max_terms)
    problem = checked_problem(rows, labels)
    for time_limit in (3e-5, 6e-5, 1e-4, 2e-4, 4e-4, 1e-3, math.inf):
        limits = Limits(
            max_rules=max_rules, max_terms=max_terms, regularization=alpha, time_limit=time_limit
        )
        solution = _solve_problem(problem, limits, started=time.perf_counter())
        if solution.gap > 0:
            assert Fraction(solution.lower_bound) <= least[-1]
        else:  # The loss of the list is a double: equal losses, not one rounded above the other.
            assert solution.loss == pytest.approx(float(least[-1]), rel=1e-15, abs=0)
        for found, truth in zip(solution.path, least, strict=False):
            assert found <= float(truth) * (1 + 1e-15)


def test_progress_never_claims_more_than_the_least_loss() -> None:
    rng = np.random.default_rng(0)
    rows = (rng.random((3000, 90)) < 0.3).astype(np.uint8)
    labels = (rows[:, :9].sum(axis=1) + rng.integers(0, 3, 3000)) % 2
    seen: list[Progress] = []
    solution = solve(
        rows,
        labels,
        max_rules=6,
        regularization=(1 - 1e-10) / 3000,
        time_limit=1,
        progress=seen.append,
    )
    assert seen
    assert all(one.lower_bound <= solution.lower_bound for one in seen)


def test_certificate_does_not_count_an_error_that_a_rule_is_a_hair_cheaper_than() -> None:
    # One of ten rows is wrong without rules; a rule mends it for a hair less than one row.
    rows = np.zeros((10, 1), dtype=np.uint8)
    rows[0] = 1
    labels = [1] + [0] * 9
    alpha = (1 - 1e-10) / 10
    solution = solve(rows, labels, regularization=alpha, max_rules=1)
    assert solution.status is Status.OPTIMAL
    assert Fraction(solution.lower_bound) <= Fraction(repr(alpha))
    certificate = certify(
        epsilon=0.5,
        theta=0.01,
        max_rules=1,
        regularization=alpha,
        n_rules=0,
        train_rows=10,
        sample_lower_bound=solution.lower_bound,
        table_loss=0.1,
    )
    # With one rule and no error left, the table may hold nothing but what the rule costs.
    assert certificate.lower_bound <= alpha


def test_gap_of_a_finished_search_is_zero_where_prices_are_not_critical() -> None:
    rng = np.random.default_rng(1)
    rows = (rng.random((1000, 12)) < 0.4).astype(np.uint8)
    labels = rows[:, 0] ^ (rng.random(1000) < 0.1)
    for alpha in (0.0, 1e-4, 1e-3, 1 / 3000, 0.0123):
        solution = solve(rows, labels, regularization=alpha, max_rules=3)
        assert solution.gap == 0


def test_price_beyond_all_doubles_is_a_price() -> None:
    solution = solve(np.eye(4, dtype=np.uint8), [0, 1, 0, 1], regularization=1e308)
    assert (solution.rule_list.n_rules, solution.loss, solution.gap) == (0, 0.5, 0.0)
