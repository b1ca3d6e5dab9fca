"""Rules that must decide enough of the table do, whichever rows were searched."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import samrule
from samrule.errors import ParameterError
from samrule.learning import FittedRuleList
from tests.reference.brute_force import best_lists

STRATEGIES = ["exact", "progressive", "tight"]


def scarce(seed: int, n_rows: int = 12_000) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return columns of which some are rare and right, others frequent and less so."""
    rng = np.random.default_rng(seed)
    shares = np.array([0.02, 0.03, 0.05, 0.2, 0.4])
    table = (rng.random((n_rows, 5)) < shares).astype(np.uint8)
    label = (table[:, :3].any(axis=1) | (table[:, 3] & (rng.random(n_rows) < 0.8))).astype(int)
    return table, label ^ (rng.random(n_rows) < 0.02)


def learned(seed: int, strategy: Any, **asked: Any) -> FittedRuleList:
    table, label = scarce(seed)
    return samrule.learn(
        table, label, strategy=strategy, max_rules=3, random_state=seed, epsilon=0.3, **asked
    )


def supports(fitted: FittedRuleList, seed: int) -> list[int]:
    decided = fitted.apply(scarce(seed)[0])
    return [int((decided == number).sum()) for number in range(fitted.rule_list.n_rules)]


def least_loss(seed: int, min_support: float) -> float:
    """Return the least loss of lists with the support, by trying all: equal rows are merged."""
    table, label = scarce(seed)
    rows = np.column_stack([table, label])
    distinct, counts = np.unique(rows, axis=0, return_counts=True)
    n_rows = len(table)
    both = np.concatenate([distinct[:, :-1], 1 - distinct[:, :-1]], axis=1)
    found = best_lists(
        both.tolist(),
        distinct[:, -1].tolist(),
        counts.tolist(),
        n_classes=2,
        max_rules=3,
        max_terms=1,
        rule_cost=Fraction(n_rows, 10_000),
        min_weight=int(np.ceil(min_support * n_rows)),
    )
    return float(found[-1][0] / n_rows)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("seed", range(3))
def test_every_rule_decides_enough_and_the_certificate_is_right(strategy: Any, seed: int) -> None:
    # At 0.03 and 0.05 some rule of the best list lies on the edge, so samples err on either side.
    for min_support in (0.03, 0.05, 0.1):
        fitted = learned(seed, strategy, min_support=min_support)
        assert min(supports(fitted, seed), default=12_000) >= min_support * 12_000
        best, certificate = least_loss(seed, min_support), fitted.certificate
        assert certificate.lower_bound <= best + 1e-9
        assert certificate.upper_bound >= best - 1e-9
        if certificate.holds:
            assert certificate.upper_bound <= best + 0.3 * max(best, 0.05) + 1e-9


def test_support_is_what_keeps_rare_rules_out() -> None:
    free, kept = learned(0, "exact"), learned(0, "exact", min_support=0.1)
    assert min(supports(free, 0)) < 1200 <= min(supports(kept, 0))
    assert free.certificate.upper_bound < kept.certificate.upper_bound
    assert "each rule deciding at least 10 % of the rows" in kept.shape


def test_a_number_of_rows_is_a_share_of_the_table() -> None:
    for strategy in STRATEGIES:
        by_rows = learned(1, strategy, min_support=1200)
        by_share = learned(1, strategy, min_support=0.1)
        assert by_rows.rule_list == by_share.rule_list
        assert by_rows.certificate == by_share.certificate


def test_rows_that_weigh_differently_take_a_share() -> None:
    balanced = learned(2, "progressive", min_support=0.1, class_weight="balanced")
    for rule in balanced.rule_list.rules:
        assert sum(rule.weighted_counts) >= 0.1 * sum(
            sum(one.weighted_counts) for one in balanced.rule_list
        )
    with pytest.raises(ParameterError, match="rows are weighted"):
        learned(2, "exact", min_support=50, class_weight="balanced")


@pytest.mark.parametrize("wrong", [-1, 1.5, float("nan"), float("inf")])
def test_supports_that_cannot_be_are_refused(wrong: float) -> None:
    with pytest.raises(ParameterError, match="min_support"):
        learned(0, "exact", min_support=wrong)


def test_memory_limit_reaches_the_search() -> None:
    with pytest.raises(ParameterError, match="memory_limit is 5"):
        learned(0, "exact", memory_limit=5)
    rng = np.random.default_rng(0)
    table = rng.random((3000, 40)) < 0.5
    fitted = samrule.learn(
        table,
        rng.random(3000) < 0.5,
        max_terms=2,
        max_rules=3,
        strategy="exact",
        memory_limit=1 << 20,
    )
    assert fitted.trace[-1].status == "memory_limit"
    model = samrule.RuleListClassifier(min_support=0.1, memory_limit=1 << 26, max_rules=3)
    model.fit(*scarce(0))
    assert model.fitted_.settings.min_support == 0.1
