"""The greatest F1, against all lists of many small tables."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from samrule import Solution, Status, solve
from samrule.errors import ParameterError
from samrule.solver.f1 import F1
from tests.reference.binary_outcomes import outcomes

# Costs are rounded to 2^-28 of a row, and the least of them may be a small part of 1.
FINE = 1e-6


def least_loss(rows: Any, codes: Any, weights: Any, asked: dict[str, Any], wanted: int) -> Fraction:
    """The definition: (wrong + price) / (2 found + wrong), of every list."""
    total = sum(weights)
    of_class = sum(weight for weight, code in zip(weights, codes, strict=True) if code == wanted)
    price = Fraction(str(asked["regularization"])) * total
    lists = outcomes(
        rows.tolist(), codes.tolist(), weights, wanted=wanted,
        max_rules=asked["max_rules"], max_terms=asked["max_terms"],
    )  # fmt: skip
    return min(
        (of_class - found + in_vain + price * n_rules) / Fraction(of_class + found + in_vain)
        for n_rules, found, in_vain in lists
    )


def small(rng: np.random.Generator) -> tuple[Any, Any, Any, dict[str, Any]]:
    n_rows, n_columns = int(rng.integers(3, 16)), int(rng.integers(1, 5))
    rows = (rng.random((n_rows, n_columns)) < rng.uniform(0.2, 0.8)).astype(np.uint8)
    codes = (rng.random(n_rows) < rng.uniform(0.1, 0.6)).astype(int)
    codes[:2] = 0, 1
    weights = rng.integers(1, 9, n_rows) if rng.random() < 0.4 else None
    asked = {
        "max_rules": int(rng.integers(0, 4)),
        "max_terms": int(rng.integers(1, 3)),
        "regularization": float(rng.choice([0, 0.0001, 0.01, 0.05])),
    }
    return rows, codes, weights, asked


def check(seed: int) -> None:
    rng = np.random.default_rng([11, seed])
    rows, codes, weights, asked = small(rng)
    given = [1] * len(codes) if weights is None else weights.tolist()
    of_class = np.bincount(codes, given)
    wanted = 0 if of_class[0] < of_class[1] else 1
    solution = solve(rows, codes, weights=weights, objective="f1", threads=1, **asked)
    least = float(least_loss(rows, codes, given, asked, wanted))
    assert solution.status is Status.OPTIMAL
    assert solution.lower_bound <= least <= solution.loss + 1e-12
    assert solution.loss == pytest.approx(least, abs=1e-12), (seed, asked)
    assert solution.loss - solution.lower_bound <= FINE
    assert solution.loss == pytest.approx(counted(solution, wanted, asked["regularization"]))


def counted(solution: Solution, wanted: int, price: float) -> float:
    """The loss of the list, from its own counts."""
    found = in_vain = missed = total = 0.0
    for rule in solution.rule_list:
        some = rule.weighted_counts or rule.class_counts
        total += sum(some)
        if rule.prediction == wanted:
            found, in_vain = found + some[wanted], in_vain + some[1 - wanted]
        else:
            missed += some[wanted]
    wrong = missed + in_vain
    return (wrong + price * total * solution.rule_list.n_rules) / (2 * found + wrong)


@pytest.mark.parametrize("batch", range(10))
def test_no_list_has_a_greater_f1(batch: int) -> None:
    for number in range(60):
        check(60 * batch + number)


@pytest.mark.slow
def test_no_list_has_a_greater_f1_on_many_tables() -> None:
    for seed in range(600, 6000):
        check(seed)


@pytest.mark.parametrize("seed", range(20))
def test_real_weights_and_limits_keep_the_bound(seed: int) -> None:
    rng = np.random.default_rng([12, seed])
    rows, codes, _, asked = small(rng)
    weights = rng.random(len(codes)) + 0.01
    best = solve(rows, codes, weights=weights, objective="f1", **asked)
    limited = solve(rows, codes, weights=weights, objective="f1", work_limit=1, **asked)
    assert best.lower_bound <= best.loss
    assert best.loss - best.lower_bound <= 1e-3  # 16 bits per weight.
    assert limited.lower_bound <= best.loss + 1e-9
    assert limited.loss >= best.lower_bound - 1e-9


def test_a_bound_is_one_whatever_the_question() -> None:
    """Any question proves something; that at the least loss proves it least."""
    f1 = F1(1, of_class=Fraction(10), total=Fraction(100), regularization=Fraction(1, 1000))
    least = f1.loss(8, 4, 1)
    for asked in (Fraction(1, 10), least, Fraction(9, 10)):
        question = f1.question(asked)
        (_, in_vain), _ = question[0].costs
        cost = (2 + in_vain * 4) / 100 + question[1]
        assert f1.answer(cost, question, max_rules=3) <= least + Fraction(1, 10**12)
    assert f1.answer((2 + f1.question(least)[0].costs[0][1] * 4) / 100 + f1.question(least)[1],
                     f1.question(least), max_rules=3) == pytest.approx(float(least))  # fmt: skip


def test_progress_tells_losses_that_are_ratios() -> None:
    rng = np.random.default_rng(0)
    rows = rng.random((4000, 40)) < 0.4
    codes = (rows[:, :6].sum(axis=1) + rng.integers(0, 3, 4000) >= 5).astype(int)
    seen: list[Any] = []
    solution = solve(rows, codes, objective="f1", max_rules=4, progress=seen.append, time_limit=2)
    assert all(0 <= one.lower_bound <= one.loss <= 1 for one in seen)
    assert 0 < solution.loss < 1
    assert solution.path == (pytest.approx(1 - 2 * codes.sum() / (4000 + codes.sum())),)


@pytest.mark.parametrize(
    ("labels", "asked", "told"),
    [
        ([0, 1, 2], {}, "objective is 'f1', but there are 3 classes"),
        ([0, 0, 0], {"classes": ["a", "b"]}, "or one without rows"),
        ([0, 1, 0], {"costs": {(0, 1): 2}}, "objective='f1' does not depend on costs"),
    ],
)
def test_f1_is_of_one_of_two_classes(labels: list[int], asked: Any, told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        solve(np.zeros((3, 1), dtype=bool), labels, objective="f1", **asked)
