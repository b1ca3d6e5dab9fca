"""What a search of all rows finds."""

import sys
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from samrule import Status, learn, solve
from samrule.learning import exact
from samrule.learning.task import Settings
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


def hard():
    rng = np.random.default_rng(0)
    columns = rng.random((3000, 40)) < 0.4
    return columns, (columns[:, :7].sum(axis=1) + rng.integers(0, 3, 3000)) % 2 == 0


def test_when_the_best_list_takes_too_long_the_rest_goes_into_the_proof(monkeypatch):
    """With a tolerance as wide as the certificate allows, the same work proves more."""
    columns, labels = hard()
    monkeypatch.setattr(sys.modules["samrule.learning.learn"], "AUTO_WORK", 2e7)
    asked = {"max_rules": 4, "random_state": 0, "epsilon": 0.5}
    fitted = learn(columns, labels, **asked)
    assert fitted.trace[-1].status is Status.WITHIN_TOLERANCE
    assert fitted.certificate.holds
    monkeypatch.setattr(exact, "SHARE_OF_SHORT", 1.0)
    assert not learn(columns, labels, **asked).certificate.holds
    best = solve(columns, labels, max_rules=4).loss
    assert fitted.certificate.lower_bound <= best <= fitted.certificate.upper_bound


def test_once_the_promise_holds_the_best_list_is_looked_for_with_what_is_left(monkeypatch):
    columns, labels = hard()
    asked = {"max_rules": 4, "random_state": 0, "epsilon": 0.5}
    monkeypatch.setattr(exact, "SHARE_OF_SHORT", 1e-5)
    statuses = []

    def told(*args, **kwargs):
        found = search_rows(*args, **kwargs)
        statuses.append((found.status, kwargs.get("tolerance", 0) > 0))
        return found

    search_rows = exact.search_rows
    monkeypatch.setattr(exact, "search_rows", told)
    fitted = learn(columns, labels, **asked)
    assert statuses == [
        (Status.WORK_LIMIT, False),
        (Status.WITHIN_TOLERANCE, True),
        (Status.OPTIMAL, False),
    ]
    assert fitted.trace[-1].status is Status.OPTIMAL
    assert fitted.certificate.achieved_epsilon == 0
    best = learn(columns, labels, max_rules=4, strategy="exact")
    assert fitted.rule_list == best.rule_list


def test_a_tolerance_leaves_the_certificate_what_it_needs():
    for loss in (0.0, 0.001, 0.05, 0.3):
        for epsilon, theta in ((0.1, 0.05), (1.0, 1.0), (0.5, 0.001)):
            task = SimpleNamespace(settings=Settings(epsilon=epsilon, theta=theta))
            first = SimpleNamespace(loss=loss, lower_bound=0.0)
            lower = (1 - exact._tolerance(first, task)) * loss
            assert loss <= lower + epsilon * max(lower, theta)


def test_a_search_cut_short_keeps_a_better_list_of_a_sample(monkeypatch):
    columns, labels = hard()
    good = learn(columns, labels, max_rules=3, strategy="exact")
    monkeypatch.setattr(sys.modules["samrule.learning.learn"], "AUTO_WORK", 1.0)
    monkeypatch.setattr(
        sys.modules["samrule.learning.run"],
        "exact",
        lambda task, settled: exact.exact(task, settled, earlier=good.rule_list),
    )
    fitted = learn(columns, labels, max_rules=3)
    assert fitted.rule_list == good.rule_list
    assert fitted.certificate.upper_bound == good.certificate.upper_bound
    assert not fitted.certificate.holds
