"""The promises, simulated: how often is the list found, or the certificate issued, wrong?

Each check counts failures in R repetitions and allows as many as a promise that is *just* kept
(failure probability exactly delta) exceeds with probability at most FALSE_ALARM. So the
false-alarm rate of each check is at most 1e-6, and of all checks here together below 1e-4. (Seeds
are fixed: a check that passes once passes always, until the code changes.)

The ordinary run repeats 300 times, `-m slow` 4,000 times.
"""

from functools import cache, lru_cache

import numpy as np
import pytest
from scipy import stats

from samrule.theory import (
    Schedule,
    Shares,
    Stage,
    binomial_lower_limit,
    certify,
    loss_lower_bound,
    progressive_schedule,
    sample_size,
)
from samrule.theory.shares import equal_share
from tests.reference.theory_simulation import SmallTable, most_failures, noisy_table, table_of

FALSE_ALARM = 1e-6
OPTIMA = [0.0, 0.01, 0.1, 0.3]
REPETITIONS = [300, pytest.param(4000, marks=pytest.mark.slow)]
ASKED = {"max_rules": 2, "epsilon": 0.5, "theta": 0.05}
DELTA = 0.05

cached_certify = lru_cache(maxsize=None)(certify)
cached_lower_bound = lru_cache(maxsize=None)(loss_lower_bound)


def _allowed(table: SmallTable) -> float:
    epsilon, theta = ASKED["epsilon"], ASKED["theta"]
    return table.optimum + epsilon * max(table.optimum, theta) + 1e-12


@pytest.mark.parametrize("repetitions", REPETITIONS)
@pytest.mark.parametrize("optimum", OPTIMA)
@pytest.mark.parametrize("method", ["paper", "tight"])
def test_best_list_on_a_sample_of_fixed_size_is_near_optimal(method, optimum, repetitions):
    table = noisy_table(optimum, seed=1)
    m = sample_size(4, method=method, delta=DELTA, **ASKED)
    rng = np.random.default_rng([2, repetitions])
    found = table.worst_minimizers(table.sample_losses(table.draw(rng, m, repetitions)))
    failures = int((table.losses[found] > _allowed(table)).sum())

    assert table.optimum == pytest.approx(optimum, abs=3e-4)
    assert failures <= most_failures(repetitions, DELTA, FALSE_ALARM)


def _nearly_tied_table() -> SmallTable:
    """One condition on a fifth of the rows; ignoring it costs just more than is allowed."""
    share, gain = 0.2, 0.0502
    right = (share + gain) / 2
    by_label_and_row = [[0.775, share - right], [0.025, right]]
    return table_of(np.array(by_label_and_row).ravel(), d=1, k=1, regularization=0.0)


def _fixed_size_failures(m: int, repetitions: int) -> int:
    table = _nearly_tied_table()
    rng = np.random.default_rng([3, m, repetitions])
    found = table.worst_minimizers(table.sample_losses(table.draw(rng, m, repetitions)))
    return int((table.losses[found] > table.optimum * 1.5 + 1e-12).sum())


@pytest.mark.parametrize("repetitions", REPETITIONS)
def test_nearly_tied_lists_are_told_apart_by_the_tight_size_and_not_by_far_fewer_rows(repetitions):
    m = sample_size(
        1, max_rules=1, epsilon=0.5, theta=0.1, delta=DELTA, method="tight", regularization=0.0
    )
    limit = most_failures(repetitions, DELTA, FALSE_ALARM)

    assert _fixed_size_failures(m, repetitions) <= limit
    assert _fixed_size_failures(m // 30, repetitions) > limit


def _progressive_failures(
    table: SmallTable, schedule: Schedule, rng: np.random.Generator, repetitions: int
) -> tuple[int, int, float]:
    """Wrong certificates, wrong lower bounds, and mean rows of runs that stop when they can."""
    wrong_certificates = wrong_bounds = rows = 0
    for _ in range(repetitions):
        counts = np.zeros(len(table.probabilities), dtype=int)
        wrong_bound = False
        for stage in schedule.stages:
            extra = stage.train_rows - counts.sum()
            counts = counts + table.draw(rng, extra, 1)[0]  # nested samples
            certificate, found = _stage_certificate(table, schedule, stage, counts, rng)
            wrong_bound |= certificate.lower_bound > table.optimum
            if certificate.holds:
                wrong_certificates += table.losses[found] > _allowed(table)
                break
        wrong_bounds += wrong_bound
        rows += stage.train_rows
    return wrong_certificates, wrong_bounds, rows / repetitions


def _stage_certificate(table, schedule, stage, counts, rng):
    sample_losses = table.sample_losses(counts[None, :])
    found = int(table.worst_minimizers(sample_losses)[0])
    if stage.validation_rows:
        errors = table.draw(rng, stage.validation_rows, 1)[0] @ table.wrong[:, found]
        upper = {"validation_rows": stage.validation_rows, "validation_errors": round(errors)}
    else:
        upper = {"table_loss": float(table.losses[found])}
    last = stage is schedule.stages[-1]
    least = float(sample_losses.min())
    certificate = cached_certify(
        **ASKED, **upper, delta=schedule.delta, regularization=table.regularization,
        n_rules=int(table.n_rules[found]), train_rows=stage.train_rows, sample_lower_bound=least,
        sample_loss=least, a_priori_rows=schedule.a_priori_rows if last else None,
        shares=stage.shares,
    )  # fmt: skip
    return certificate, found


@pytest.mark.parametrize("repetitions", REPETITIONS)
@pytest.mark.parametrize("optimum", OPTIMA)
@pytest.mark.parametrize("validation_ratio", [0.0, 4.0])
def test_progressive_runs_issue_wrong_certificates_with_probability_at_most_delta(
    validation_ratio, optimum, repetitions
):
    table = noisy_table(optimum, seed=1)
    schedule = progressive_schedule(
        4, delta=DELTA, first_rows=100, validation_ratio=validation_ratio, **ASKED
    )
    rng = np.random.default_rng([4, repetitions])
    wrong, wrong_bounds, rows = _progressive_failures(table, schedule, rng, repetitions)
    limit = most_failures(repetitions, DELTA, FALSE_ALARM)

    assert wrong <= limit
    assert wrong_bounds <= limit
    assert rows < schedule.a_priori_rows


# As tight as it gets: an adversary whose list is worse than allowed by a hair.
#
# The solver proves b_S but returns a list R with l(R) just above l* + epsilon max(l*, theta). Then
# the certificate is wrong whenever it is issued, and issued whenever the lower bound exceeds l*:
# P(issued and wrong) is the exact tail of one binomial, which m is chosen to bring close to delta.


def _tail_at_the_limit(m: int, p: float, delta: float) -> float:
    """P(lower limit > p) for the exact limits on m rows."""
    errors = np.arange(m + 1)
    improbable = np.flatnonzero(stats.binom.sf(errors - 1, m, p) < delta)[0]
    return float(stats.binom.sf(improbable - 1, m, p))


def _rows_with_a_tail_close_to(delta: float, p: float) -> int:
    """Of 1,000 to 2,000 rows, the number at which failures come closest to delta."""
    return max(range(1000, 2000), key=lambda m: _tail_at_the_limit(m, p, delta))


def _adversarial_failures(p, stages, *, weaken, repetitions):
    """Wrong certificates when every stage draws afresh and the list is worse by a hair."""
    epsilon, theta = ASKED["epsilon"], ASKED["theta"]
    too_bad = p + epsilon * max(p, theta) + 1e-9
    rng = np.random.default_rng([5, repetitions, round(1000 * p)])
    failed = np.zeros(repetitions, dtype=bool)
    for stage in stages:
        for i, errors in enumerate(rng.binomial(stage.train_rows, p, size=repetitions)):
            lower = weaken(int(errors), stage.train_rows, stage.shares.lower)
            failed[i] |= lower + epsilon * max(lower, theta) >= too_bad
    return int(failed.sum())


@cache
def _as_proved(errors: int, m: int, delta: float) -> float:
    return cached_lower_bound(errors / m, n_rows=m, delta=delta, max_rules=1, regularization=0.0)


def _half_the_deviation(errors: int, m: int, delta: float) -> float:
    return (errors / m + _as_proved(errors, m, delta)) / 2


def _twice_the_delta(errors: int, m: int, delta: float) -> float:
    return _as_proved(errors, m, 2 * delta)


def _one_stage(p: float) -> tuple[Stage, ...]:
    return (Stage(_rows_with_a_tail_close_to(DELTA, p), 0, Shares(DELTA)),)


def _three_stages(p: float) -> tuple[Stage, ...]:
    m = _rows_with_a_tail_close_to(DELTA / 3, p)
    sizes = (m, m + 1, m + 2)
    shares = Shares(equal_share(DELTA, 3))
    return Schedule(tuple(Stage(size, 0, shares) for size in sizes), DELTA).stages


@pytest.mark.parametrize("repetitions", REPETITIONS)
@pytest.mark.parametrize("stages", [_one_stage, _three_stages])
@pytest.mark.parametrize("optimum", OPTIMA[1:])
def test_an_adversary_comes_close_to_delta_and_not_beyond(optimum, stages, repetitions):
    failures = _adversarial_failures(
        optimum, stages(optimum), weaken=_as_proved, repetitions=repetitions
    )
    assert failures <= most_failures(repetitions, DELTA, FALSE_ALARM)
    # Close to delta: a tail of half of delta would fail to reach this with probability > 1 - 1e-6.
    if repetitions > 1000 and stages is _one_stage:
        assert failures > most_failures(repetitions, DELTA / 2, FALSE_ALARM)


@pytest.mark.parametrize("repetitions", REPETITIONS)
@pytest.mark.parametrize("stages", [_one_stage, _three_stages])
@pytest.mark.parametrize("optimum", OPTIMA[1:])
def test_half_the_deviation_is_caught(optimum, stages, repetitions):
    failures = _adversarial_failures(
        optimum, stages(optimum), weaken=_half_the_deviation, repetitions=repetitions
    )
    assert failures > most_failures(repetitions, DELTA, FALSE_ALARM)


@pytest.mark.slow
@pytest.mark.parametrize("optimum", OPTIMA[1:])
def test_twice_the_delta_is_caught(optimum):
    failures = _adversarial_failures(
        optimum, _one_stage(optimum), weaken=_twice_the_delta, repetitions=4000
    )
    assert failures > most_failures(4000, DELTA, FALSE_ALARM)


def test_the_adversarys_bound_is_the_exact_limit():
    assert _as_proved(120, 1000, 0.05) == pytest.approx(
        binomial_lower_limit(120, n_rows=1000, delta=0.05), abs=1e-15
    )


def test_binomial_limits_would_fail_without_replacement_and_kl_limits_do_not():
    # THEORY.md C: n = 1000, one error row, m = 51; the sample contains it with probability .051.
    n, m, delta = 1000, 51, 0.05
    probability = stats.hypergeom.sf(0, n, 1, m)
    seen = {"n_rows": m, "delta": delta, "max_rules": 1, "regularization": 0.0}

    assert probability > delta
    assert loss_lower_bound(1 / m, **seen) > 1 / n
    assert loss_lower_bound(1 / m, with_replacement=False, **seen) <= 1 / n
