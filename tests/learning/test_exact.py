"""What a search of all rows finds."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from samrule import learn
from tests.learning.tables import people
from tests.reference.brute_force import best_lists


def test_exact_finds_what_trying_all_lists_finds():
    rng = np.random.default_rng(5)
    for _ in range(20):
        columns = (rng.random((40, 4)) < 0.5).astype(int)
        labels = rng.integers(0, 3, 40)
        fitted = learn(
            columns, labels, max_rules=2, max_terms=2, regularization=0.02, strategy="exact"
        )
        conditions = fitted.conditions.transform(
            pa.table({f"x{i}": columns[:, i] for i in range(4)})
        )
        oracle = best_lists(
            conditions.astype(int).tolist(),
            labels.tolist(),
            [1] * 40,
            n_classes=3,
            max_rules=2,
            max_terms=2,
            rule_cost=Fraction(2, 100) * 40,
            min_weight=0,
        )
        expected = [float(cost / 40) for cost, _ in oracle]
        assert fitted.trace[0].path == pytest.approx(expected)
        assert fitted.certificate.lower_bound == pytest.approx(expected[-1])
        assert fitted.certificate.upper_bound == pytest.approx(expected[-1])
        assert (fitted.certificate.achieved_epsilon, fitted.certificate.holds) == (0, True)


def test_a_table_smaller_than_the_sample_is_searched_as_a_whole():
    small = people(400)
    fitted = learn(small, "buys", strategy="progressive", epsilon=0.01, theta=0.01, random_state=0)
    assert [stage.rows for stage in fitted.trace] == [250, 400]
    assert fitted.certificate.argument == "exact"
    assert fitted.certificate.achieved_epsilon == 0
