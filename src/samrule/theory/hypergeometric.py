"""Exact limits for the error rate of one list on a table whose rows are drawn without replacement.

Errors among the rows drawn are then hypergeometric. The nearer the sample comes to the whole table,
the less is left to chance, which binomial limits do not know.
"""

import math
from functools import lru_cache

import numpy as np

from samrule.checks import WholeNumber, checked_integer, checked_number
from samrule.theory.binomial import log_mass
from samrule.theory.rounding import log_inverse, round_down

_EPS = 2.0**-53


def hypergeometric_lower_limit(
    n_errors: int, *, n_rows: int, table_rows: int, delta: float
) -> float:
    """Return the least error rate on the table for which so many errors are not too improbable.

    Guarantee
    ---------
    For one fixed list and `n_rows` rows drawn uniformly without replacement from a table of
    `table_rows`, its error rate on the table is at least the result with probability at least
    ``1 - delta`` (docs/theory/deviation.md, "hypergeometric_lower_limit"). Rounded down.

    Examples
    --------
    >>> from samrule.theory import binomial_lower_limit
    >>> round(binomial_lower_limit(170, n_rows=1000, delta=0.05), 4)
    0.1507
    >>> round(hypergeometric_lower_limit(170, n_rows=1000, table_rows=2000, delta=0.05), 4)
    0.1565
    >>> round(hypergeometric_lower_limit(170, n_rows=1000, table_rows=1000, delta=0.05), 4)
    0.17
    """
    n = checked_integer("table_rows", table_rows)
    m = checked_integer("n_rows", n_rows, WholeNumber(at_least=1, at_most=n))
    c = checked_integer("n_errors", n_errors, WholeNumber(at_least=0, at_most=m))
    return _lower_limit(c, m, n, checked_number("delta", delta))


@lru_cache(maxsize=1024)  # A run asks for the same limits again and again.
def _lower_limit(c: int, m: int, n: int, delta: float) -> float:
    # The search looks at numbers of errors whose mean on the sample is below what was seen.
    least_log_tail = -log_inverse(min(0.5, delta))
    if c == 0 or m == n:
        return max(0.0, round_down(c / n, 2))
    # With `improbable` errors in the table or fewer, so many on the sample are improbable.
    improbable, possible = c - 1, min(-(-c * n // m), n - (m - c) + 1)
    while possible - improbable > 1:
        middle = (possible + improbable) // 2
        if _log_tail(c, middle, m, n) <= least_log_tail:
            improbable = middle
        else:
            possible = middle
    return max(0.0, round_down((improbable + 1) / n, 2))


def _log_tail(c: int, errors: int, m: int, n: int) -> float:
    """Return ln P(X >= c), rounded up, for the errors X among m of n rows, with mean below c.

    P(X = c) is a quotient of binomial masses with success probability m / n, whatever that is
    rounded to: it cancels.
    """
    chance = m / n
    parts = ((c, errors, 1), (m - c, n - errors, 1), (m, n, -1))
    masses = [(log_mass(x, chance, size), sign) for x, size, sign in parts]
    log_first = sum(sign * value for (value, _), sign in masses)
    error = sum(off for (_, off), _ in masses)
    series, n_terms = _series(c, errors, m, n)
    return log_first + math.log(series) + error + (8 * n_terms + 64) * _EPS


def _series(c: int, errors: int, m: int, n: int) -> tuple[float, int]:
    """Return P(X >= c) / P(X = c), rounded up by less than its last digits, and how many terms.

    The ratio of neighbouring terms falls, so what is left out is below a geometric series.
    """
    total, term, done, block = 1.0, 1.0, 0, 64
    most = min(errors, m) - c
    while done < most:
        i = np.arange(done + 1, min(done + block, most) + 1, dtype=np.float64)
        ratios = (errors - c + 1 - i) / (c + i) * ((m - c + 1 - i) / (n - errors - m + c + i))
        terms = term * np.cumprod(ratios)
        total += float(terms.sum())
        term, ratio, done = float(terms[-1]), float(ratios[-1]), done + len(i)
        rest = term * ratio / (1 - ratio) if done < most and ratio < 1 else math.inf
        if done < most and rest <= _EPS * total:
            return total + rest, done
        block = min(2 * block, 2**16)
    return total, done
