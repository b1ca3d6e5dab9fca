"""Exact (Clopper-Pearson) confidence limits for the error rate of one list.

Sharper than the KL form for a single hypothesis, and valid only for rows drawn *with* replacement:
without, the number of errors is hypergeometric and these limits can fail.
"""

import math
from functools import lru_cache

import numpy as np

from samrule.checks import Number, WholeNumber, checked_integer, checked_number
from samrule.theory.deviation import kl_lower, kl_upper, unchecked_kl
from samrule.theory.rounding import log_inverse, outer_root, round_down, round_up

_EPS = 2.0**-53


def binomial_upper_limit(n_errors: int, *, n_rows: int, delta: float) -> float:
    """Return the largest error rate q for which so few errors have probability at least `delta`.

    Guarantee
    ---------
    Rounded up, by less than 1e-12. For one fixed list and rows drawn with replacement the error
    rate on the table is at most the result with probability at least ``1 - delta``
    (docs/theory/deviation.md, "binomial_upper_limit").

    Examples
    --------
    >>> round(binomial_upper_limit(17, n_rows=100, delta=0.05), 6)
    0.244017
    >>> round(binomial_upper_limit(0, n_rows=100, delta=0.05), 6)
    0.029513
    """
    c, m, delta = _checked(n_errors, n_rows, delta)
    if c == m:
        return 1.0
    if c == 0:
        return min(1.0, round_up(-math.expm1(-log_inverse(delta) / m)))
    return _limit(c, m, delta, upper=True)


def binomial_lower_limit(n_errors: int, *, n_rows: int, delta: float) -> float:
    """Return the least error rate q for which so many errors have probability at least `delta`.

    Guarantee
    ---------
    Rounded down, by less than 1e-12. For one fixed list and rows drawn with replacement the error
    rate on the table is at least the result with probability at least ``1 - delta``
    (docs/theory/deviation.md, "binomial_lower_limit").

    Examples
    --------
    >>> round(binomial_lower_limit(17, n_rows=100, delta=0.05), 6)
    0.111312
    >>> binomial_lower_limit(0, n_rows=100, delta=0.05)
    0.0
    """
    c, m, delta = _checked(n_errors, n_rows, delta)
    if c == 0:
        return 0.0
    if c == m:
        return max(0.0, round_down(math.exp(-log_inverse(delta) / m)))
    return _limit(c, m, delta, upper=False)


def binomial_tail(n_errors: int, q: float, *, n_rows: int, upper: bool) -> tuple[float, float]:
    """Return bounds below and above ``P(X >= n_errors)`` or, if not `upper`, ``P(X <= n_errors)``.

    X counts errors among `n_rows` rows, each with probability q in (0, 1); n_errors, strictly
    between 0 and n_rows, lies on the side of the mean that makes this the tail.

    Guarantee
    ---------
    Both bounds account for every rounding (docs/theory/deviation.md, "binomial_tail").

    Examples
    --------
    >>> low, high = binomial_tail(3, 0.5, n_rows=4, upper=True)
    >>> low <= 5 / 16 <= high, high - low < 1e-12
    (True, True)
    """
    m = checked_integer("n_rows", n_rows, WholeNumber(at_least=2))
    c = checked_integer("n_errors", n_errors, WholeNumber(at_least=1, at_most=m - 1))
    q = checked_number("q", q, Number(above=0, below=1))
    log_tail, error, _ = _log_tail(c, q, m, upper=upper)
    low, high = math.exp(log_tail - error), math.exp(log_tail + error)
    return max(0.0, round_down(low)), min(1.0, round_up(high))


def _checked(n_errors: int, n_rows: int, delta: float) -> tuple[int, int, float]:
    m = checked_integer("n_rows", n_rows)
    # At 1/2 the observed rate itself lies inside the limits, which the search relies on.
    most_delta = min(0.5, checked_number("delta", delta))
    return checked_integer("n_errors", n_errors, WholeNumber(at_least=0, at_most=m)), m, most_delta


@lru_cache(maxsize=1024)  # A run asks for the same limits again and again.
def _limit(c: int, m: int, delta: float, *, upper: bool) -> float:
    """Return the q where the tail beyond c reaches delta, for 0 < c < m, rounded outwards.

    The observed rate lies inside, the KL limit outside: Chernoff's bound exceeds the exact tail.
    """
    rate, budget = c / m, round_up(log_inverse(delta) / m)
    outside = kl_upper(round_up(rate), budget) if upper else kl_lower(round_down(rate), budget)
    least_log_tail = -log_inverse(delta)

    def excess_and_slope(q: float) -> tuple[float, float]:
        log_tail, error, series = _log_tail(c, q, m, upper=not upper)
        slope = (m - c) / (1 - q) if upper else -c / q
        return least_log_tail - (log_tail + error), slope / series

    if not 0 < outside < 1 or excess_and_slope(outside)[0] <= 0:
        return outside  # rounding leaves nothing between the two limits
    root = outer_root(excess_and_slope, inside=rate, outside=outside)
    return min(1.0, round_up(root, 4)) if upper else max(0.0, round_down(root, 4))


def _log_tail(c: int, q: float, m: int, *, upper: bool) -> tuple[float, float, float]:
    """Return ln of the tail from c outwards, a bound on its absolute error, and tail / P(X = c)."""
    log_first, error = log_mass(c, q, m)
    series, n_terms = _series(c, m, q / (1 - q)) if upper else _series(m - c, m, (1 - q) / q)
    return log_first + math.log(series), error + (4 * n_terms + 64) * _EPS, series


def log_mass(c: int, q: float, m: int) -> tuple[float, float]:
    """Return ln P(X = c) in Loader's saddle point form, and a bound on its error.

    ln binom(m, c) as a difference of lgamma values would lose 13 digits at m = 10^12; here large
    numbers never meet: Stirling's remainders are below 1/12, and m kl is small where it matters.

    Examples
    --------
    >>> value, error = log_mass(1, 0.5, 2)
    >>> round(math.exp(value), 12), error < 1e-12
    (0.5, True)
    """
    if c in (0, m):
        log_all = m * (math.log(q) if c else math.log1p(-q))
        return log_all, 4 * _EPS * abs(log_all)
    rate = c / m
    deviance = m * unchecked_kl(rate, q)
    found = (
        _stirling_remainder(m) - _stirling_remainder(c) - _stirling_remainder(m - c) - deviance
    ) + 0.5 * math.log(m / (2 * math.pi * c * (m - c)))
    # kl's own error; the rounding of c / m, whose effect is the derivative of m kl; the rest.
    log_odds_ratio = math.log(rate / q) - math.log((1 - rate) / (1 - q))
    error = 2.3e-14 * deviance + 4 * _EPS * c * abs(log_odds_ratio) + 1e-13
    return found, error


def _stirling_remainder(n: int) -> float:
    """``ln n! - ((n + 1/2) ln n - n + ln(2 pi) / 2)``, to 2e-14."""
    if n < 16:
        stirling = (n + 0.5) * math.log(n) - n + 0.5 * math.log(2 * math.pi)
        return math.log(math.factorial(n)) - stirling
    n2 = float(n) * n
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / n2) / n2) / n2) / n2) / n


def _series(c: int, m: int, odds: float) -> tuple[float, int]:
    """``P(X >= c) / P(X = c)``, rounded up by less than its last digits, and its number of terms.

    The ratio of neighbouring terms falls, so what is left out is below a geometric series.
    """
    total, term, done, block = 1.0, 1.0, 0, 64
    while done < m - c:
        i = np.arange(done + 1, min(done + block, m - c) + 1, dtype=np.float64)
        ratios = (m - c + 1 - i) / (c + i) * odds
        terms = term * np.cumprod(ratios)
        total += float(terms.sum())
        term, ratio, done = float(terms[-1]), float(ratios[-1]), done + len(i)
        rest = term * ratio / (1 - ratio) if done < m - c else 0.0
        if rest <= _EPS * total:
            return total + rest, done
        block = min(2 * block, 2**16)
    return total, done
