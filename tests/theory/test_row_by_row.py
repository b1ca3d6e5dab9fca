"""Rows drawn without repeats: limits against exact fractions, bounds against all samples."""

import math
from collections.abc import Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from samrule.errors import ParameterError
from samrule.theory import (
    Paired,
    PairedWeights,
    RowByRow,
    binomial_lower_limit,
    certify,
    hypergeometric_lower_limit,
    kl_lower,
    loss_lower_bound,
    paired_lower_bound,
)
from tests.reference.theory_simulation import SmallTable, table_of

RATIOS = [(1, 2), (4, 5), (3, 7), (16, 17), (999, 1000), (1, 1001)]


def exact_tail(c: int, errors: int, m: int, n: int) -> Fraction:
    counts = range(max(c, m - (n - errors)), min(m, errors) + 1)
    ways = sum(math.comb(errors, i) * math.comb(n - errors, m - i) for i in counts)
    return Fraction(ways, math.comb(n, m))


@settings(deadline=None)
@given(data=st.data(), n=st.integers(1, 40), delta=st.floats(1e-9, 0.5))
def test_the_limit_is_the_least_rate_that_is_not_too_improbable(data, n, delta):
    m = data.draw(st.integers(1, n))
    c = data.draw(st.integers(0, m))
    limit = hypergeometric_lower_limit(c, n_rows=m, table_rows=n, delta=delta)
    errors = round(limit * n)  # The limit is a count, moved down by a rounding.
    assert limit <= errors / n
    assert limit == pytest.approx(errors / n, abs=1e-12)
    if errors > c:
        assert exact_tail(c, errors - 1, m, n) <= Fraction(delta)
    if errors * m < c * n:
        assert exact_tail(c, errors, m, n) > Fraction(delta) * (1 - Fraction(1, 10**9))


@pytest.mark.parametrize(("m", "n"), [(10**4, 10**5), (10**5, 3 * 10**5), (10**6, 10**9)])
def test_limits_of_large_samples_have_the_tail_they_promise(m, n):
    for c in (3, m // 20, m // 3):
        limit = hypergeometric_lower_limit(c, n_rows=m, table_rows=n, delta=0.01)
        errors = round(limit * n)
        assert stats.hypergeom.sf(c - 1, n, errors - 1, m) <= 0.01 * (1 + 1e-6)
        assert stats.hypergeom.sf(c - 1, n, errors, m) >= 0.01 * (1 - 1e-6)


@settings(deadline=None)
@given(data=st.data(), m=st.integers(1, 300), delta=st.floats(1e-6, 0.5))
def test_it_is_above_the_kl_limit_and_falls_to_the_binomial_one(data, m, delta):
    c = data.draw(st.integers(0, m))
    n = data.draw(st.integers(m, 10 * m))
    limit = hypergeometric_lower_limit(c, n_rows=m, table_rows=n, delta=delta)
    # A limit that moves in steps of one row.
    assert limit >= kl_lower(c / m, math.log(1 / delta) / m) - 1e-9
    of_many = hypergeometric_lower_limit(c, n_rows=m, table_rows=10**9 * m, delta=delta)
    assert of_many == pytest.approx(binomial_lower_limit(c, n_rows=m, delta=delta), abs=1e-6)


@pytest.mark.parametrize("chance", [1e-9, 0.01, 0.5, 0.97, 1 - 1e-9])
@pytest.mark.parametrize(("right", "wrong"), RATIOS)
def test_the_step_keeps_its_inequality_in_50_digits(right, wrong, chance):
    step = RowByRow(chance, 100).step(right, wrong)
    assert step > 0
    with localcontext() as context:
        context.prec = 50
        s, pi = Decimal(step), Decimal(chance)
        grown = 1 + pi * ((right * s).exp() - 1)
        shrunk = 1 + pi * ((-wrong * s).exp() - 1)
        assert grown * shrunk <= 1


def all_samples(sizes: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    yield from product(*(range(size + 1) for size in sizes))


def bound_on(
    table: SmallTable, counts: np.ndarray, wrong: np.ndarray, drawn: RowByRow, delta: float
) -> float:
    """The bound from one sample, its search done by trying every list."""
    weights = PairedWeights(2, 3)
    m, n_wrong = int(counts.sum()), round(float(counts @ wrong))
    of_rows = counts * np.where(wrong, weights.wrong, weights.right)
    price = weights.rule_price(table.regularization, n_rows=m, n_wrong=n_wrong, row_by_row=drawn)
    losses = of_rows @ table.wrong / of_rows.sum() + price * table.n_rules
    return paired_lower_bound(
        min(1.0, float(losses.min())),
        weights=weights,
        n_rows=m,
        n_wrong=n_wrong,
        reference_error=float(table.probabilities @ wrong),
        delta=delta,
        max_rules=int(table.n_rules.max()),
        regularization=table.regularization,
        row_by_row=drawn,
    )


TABLES = {
    "nearly tied": (4, 3, 3, 4),
    "optimum 0": (8, 0, 0, 6),
    "noise": (3, 3, 3, 3),
    "one bad row": (9, 1, 0, 2),
}


@pytest.mark.parametrize("delta", [0.05, 0.5])
@pytest.mark.parametrize("alpha", [0.0, 0.03])
@pytest.mark.parametrize("chance", [0.3, 0.8])
@pytest.mark.parametrize("kind", TABLES)
def test_the_paired_bound_fails_no_more_often_than_promised(kind, chance, alpha, delta):
    sizes = TABLES[kind]
    n = sum(sizes)
    table = table_of(np.array(sizes) / n, d=1, k=1, regularization=alpha)
    drawn = RowByRow(chance, n)
    for wrong in table.wrong.T:
        failing = 0.0
        for counts in all_samples(sizes):
            if sum(counts) and (
                bound_on(table, np.array(counts), wrong, drawn, delta) > table.optimum + 1e-12
            ):
                failing += math.prod(
                    float(stats.binom.pmf(x, size, chance))
                    for x, size in zip(counts, sizes, strict=True)
                )
        assert failing <= delta


def coin_failures(delta: float, *, allowed: float) -> float:
    """P(bound > l*), where the only list of the class and the reference disagree on every row.

    The bound is as far below what the sample says as `allowed` times what it should be.
    """
    n, chance = 150, 0.5
    only_list, reference = np.array([0.0, 1.0]), np.array([1.0, 0.0])
    table = SmallTable(np.array([0.5, 0.5]), only_list[:, None], np.array([0]), 0.0)
    failing = 0.0
    for right, wrong in product(range(n // 2 + 1), repeat=2):
        likely = float(BINOMIAL[right] * BINOMIAL[wrong])
        if likely < 1e-9:
            continue
        counts = np.array([right, wrong])
        bound = bound_on(table, counts, reference, RowByRow(chance, n), delta)
        seen = 0.5 + (wrong - right) / (n * chance)
        failing += likely * (seen - allowed * (seen - bound) > table.optimum)
    return failing


BINOMIAL = stats.binom.pmf(np.arange(76), 75, 0.5)


def test_a_bound_that_stays_half_as_far_below_fails() -> None:
    assert 0 < coin_failures(0.05, allowed=1.0) <= 0.05
    assert coin_failures(0.05, allowed=0.5) > 0.05


def test_the_whole_table_leaves_next_to_nothing_to_chance() -> None:
    """The sample's best list is the reference itself, and nearly all rows were drawn."""
    weights = PairedWeights(64, 65)
    asked = {"weights": weights, "n_rows": 4000, "n_wrong": 680, "reference_error": 0.17}
    asked |= {"delta": 0.05, "max_rules": 4, "regularization": 0}
    least = 65 * 680 / weights.total(4000, 680)
    drawn = RowByRow(1 - 1e-6, 4000)
    assert paired_lower_bound(least, row_by_row=drawn, **asked) > 0.17 - 2 / 4000


def test_rows_without_repeats_prove_more() -> None:
    asked = {"n_rows": 2000, "delta": 0.05, "max_rules": 4}
    plain = loss_lower_bound(0.1714, **asked)
    of_half = loss_lower_bound(0.1714, table_rows=4000, **asked)
    assert plain + 0.003 < of_half < 0.1714


@given(loss=st.floats(0, 1), chance=st.floats(0.01, 0.99))
def test_no_list_is_better_on_the_sample_than_the_least_loss_says(loss, chance):
    """A list with all weight of `loss` in rows that weigh most, and free rules, has this loss."""
    drawn = RowByRow(chance, 1000)
    m = 400
    paired = Paired(PairedWeights(4, 5), 100, 0.25, drawn)
    total = paired.weights.total(m, 100)
    assert paired.least_loss(loss, n_rows=m) <= loss * total / (5 * m)


def test_validation_rows_and_too_small_a_table_are_refused() -> None:
    asked = {"epsilon": 0.1, "theta": 0.05, "max_rules": 4, "n_rules": 2, "train_rows": 100}
    asked |= {"sample_lower_bound": 0.1, "drawn": "row_by_row"}
    with pytest.raises(ParameterError, match="table_loss"):
        certify(**asked, table_rows=200, validation_rows=50, validation_errors=3)
    with pytest.raises(ParameterError, match="table_rows"):
        certify(**asked, table_rows=99, table_loss=0.1)
    paired = Paired(PairedWeights(4, 5), 10, 0.1)
    with pytest.raises(ParameterError, match="row by row"):
        certify(**asked, table_rows=200, table_loss=0.1, paired=paired)
