"""The native search for any price of a group, against the oracle: Brier score, costs, mixtures."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from samrule import _core
from samrule.solver.rule_price import UNITS_PER_ROW
from tests.reference.random_tables import (
    SmallTable,
    best_lists_of,
    noisy_table,
    random_objective,
    small_table,
)

ALL_BOUNDS = tuple(_core.bound_names())


def outcome_of(table: SmallTable, **knobs: object) -> _core.Outcome:
    costs = table.objective.costs
    weights = None if table.weights is None else table.weights.astype(np.uint32)
    asked: dict[str, object] = {
        "max_rules": table.max_rules,
        "max_terms": min(table.max_terms, table.rows.shape[1]),
        "rule_cost": float(table.rule_cost),
        "min_support": table.min_weight,
        "tolerance": 0.0,
        "time_limit": float("inf"),
        "work_limit": None,
        "memory_limit": 1 << 26,
        "threads": 1,
        "kernels": "",
        "disabled_bounds": (),
        "progress": None,
        "costs": costs and [float(Fraction(cost)) for row in costs for cost in row],
        "brier_share": float(Fraction(table.objective.brier_share)),
    }
    return _core.solve(
        _core.Table(table.rows, table.codes.astype(np.int32), table.n_classes, weights),
        **{**asked, **knobs},  # type: ignore[arg-type]
    )


def priced(table: SmallTable, rng: np.random.Generator) -> SmallTable:
    return replace(table, objective=random_objective(rng, table.n_classes))


def rounding(table: SmallTable) -> float:
    """Return how far a cost may be from the truth: see native/src/cost.hpp."""
    return (2 * table.max_rules + 2) / UNITS_PER_ROW + 1e-12 * table.total


def check_table(seed: int) -> None:
    rng = np.random.default_rng([16, seed])
    table = priced(small_table(rng), rng)
    expected = [float(cost) for cost, _ in best_lists_of(table)]
    off = rng.permutation(ALL_BOUNDS)[: rng.integers(len(ALL_BOUNDS) + 1)].tolist()
    for knobs in (
        {},
        {"disabled_bounds": off, "threads": 2},
        {"disabled_bounds": [str(rng.choice(ALL_BOUNDS)), "lists"]},
        {"kernels": "scalar"},
    ):
        outcome = outcome_of(table, **knobs)
        assert outcome.status == "optimal", (seed, knobs)
        assert outcome.path == pytest.approx(expected, rel=0, abs=rounding(table)), (seed, knobs)
        assert outcome.lower_bound == outcome.path[-1]


@pytest.mark.parametrize("batch", range(2))
def test_small_tables_get_the_answer_of_brute_force(batch: int) -> None:
    for seed in range(100 * batch, 100 * batch + 100):
        check_table(seed)


@pytest.mark.slow
def test_2_000_small_tables_get_the_answer_of_brute_force() -> None:
    for seed in range(1000, 3000):
        check_table(seed)


def test_larger_tables_get_one_answer_whatever_the_bounds() -> None:
    for seed in range(15):
        rng = np.random.default_rng([17, seed])
        table = replace(priced(noisy_table(rng), rng), max_terms=1)
        first = outcome_of(table)
        assert first.status == "optimal"
        for knobs in (
            {"disabled_bounds": [str(rng.choice(ALL_BOUNDS))], "threads": 2},
            {"disabled_bounds": ["table", "lists"]},
        ):
            other = outcome_of(table, **knobs)
            assert (other.rules, other.path) == (first.rules, first.path), (seed, knobs)


def test_a_search_that_is_stopped_or_tolerates_a_gap_claims_no_more_than_it_proved() -> None:
    for seed in range(20):
        rng = np.random.default_rng([18, seed])
        table = replace(priced(noisy_table(rng), rng), max_terms=1)
        optimum = outcome_of(table).lower_bound
        stopped = outcome_of(table, work_limit=int(10 ** rng.uniform(4, 7)))
        assert stopped.lower_bound <= optimum
        tolerance = float(rng.choice([0.01, 0.1, 0.5]))
        near = outcome_of(table, tolerance=tolerance)
        assert near.lower_bound <= optimum
        assert near.lower_bound >= (1 - tolerance) * optimum - rounding(table)


def test_shares_and_costs_that_make_no_sense_are_refused() -> None:
    table = small_table(np.random.default_rng(0))
    for knobs in (
        {"brier_share": -0.1},
        {"brier_share": float("nan")},
        {"costs": [0.0]},
        {"costs": [2.0] * table.n_classes**2},
        {"costs": [float("nan")] * table.n_classes**2},
    ):
        with pytest.raises(ValueError, match=r"brier_share|costs"):
            outcome_of(table, **knobs)
