"""How many rows of a sample a rule must decide, if it must decide a share of the table."""

from fractions import Fraction

from samrule.checks import checked_integer, checked_number
from samrule.theory.binomial import binomial_upper_limit


def sample_support(share: Fraction | float, *, n_rows: int, delta: float) -> int:
    """Return how many of the rows drawn are almost surely among a share of the table.

    Guarantee
    ---------
    For one fixed set of rows with at least this share of the table (or of its weight), and `n_rows`
    rows drawn with replacement (in proportion to weight): with probability at least ``1 - delta``
    at least as many of them as the result belong to the set (docs/theory/support.md,
    "sample_support").

    Examples
    --------
    >>> sample_support(0.1, n_rows=1000, delta=0.01)
    79
    >>> sample_support(0.001, n_rows=1000, delta=0.01)
    0
    """
    m, delta, exact = (
        checked_integer("n_rows", n_rows),
        checked_number("delta", delta),
        Fraction(share),
    )
    # low rows are surely there, high are not: P(X <= x) <= delta where the limit at x is at most
    # the share.
    low, high = 0, m + 1
    while high - low > 1:
        middle = (low + high) // 2
        if Fraction(binomial_upper_limit(middle - 1, n_rows=m, delta=delta)) <= exact:
            low = middle
        else:
            high = middle
    return low
