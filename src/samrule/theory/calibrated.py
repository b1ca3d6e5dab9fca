"""A lower bound on the Brier score of lists that predict class shares: sharper than `kl_lower`.

The best list of the table predicts, for each of its rules, the share of class 1 among the rules'
rows. A row's loss (y - q)^2 then varies less than that of a coin with the same mean, and the bound
uses it. It speaks of two classes.
"""

import math

from samrule.checks import checked_number
from samrule.theory.deviation import kl_lower
from samrule.theory.rounding import round_down

# For exponents up to this one the moment generating function is concave in the group's mean loss
# (docs/theory/calibrated.md, "calibrated_lower").
LARGEST_EXPONENT = math.sqrt(40) - 2
# More than what rounding can add to the exponent of an inequality, whose terms are below 2.
_ROUNDING = 1e-14


def calibrated_lower(score: float, b: float) -> float:
    """Return the least Brier score on the table that makes this one on the sample probable.

    Parameters
    ----------
    score
        At most the Brier score that the table's best list has on the sample: the least score of
        any list on the sample, for example.
    b
        A budget: the logarithm of one over the allowed probability, divided by the rows.

    Guarantee
    ---------
    Let L be the mean of (y - q)^2 over the table for one fixed list of two classes that predicts
    in each group of rows the share q of class 1 in it. With probability at least
    ``1 - exp(-m b)`` over m rows drawn with or without replacement, L is at least the result
    (docs/theory/calibrated.md, "calibrated_lower"). Rounded down.

    Examples
    --------
    >>> from samrule.theory import kl_lower
    >>> round(calibrated_lower(0.12, 0.001), 4), round(kl_lower(0.12, 0.001), 4)
    (0.1087, 0.106)
    >>> calibrated_lower(0.0, 0.001)
    0.0
    """
    score = min(0.25, checked_number("score", score))
    b = checked_number("b", b)
    # In terms of a share q with q (1 - q) = L: `improbable` has been seen to be so, always.
    improbable, probable = 0.0, _share_of(score)
    while probable - improbable > 4 * math.ulp(probable):
        middle = improbable + (probable - improbable) / 2
        if not improbable < middle < probable:
            break
        if _exponent(score, middle) > b + _ROUNDING:
            improbable = middle
        else:
            probable = middle
    return max(kl_lower(score, b), round_down(improbable * (1 - improbable), 4))


def _share_of(score: float) -> float:
    """Return the q up to a half with q (1 - q) = score."""
    return 2 * score / (1 + math.sqrt(1 - 4 * score))


def _exponent(score: float, q: float) -> float:
    """Return an s with P(sample score >= score) <= exp(-m s) for all means up to q (1 - q).

    Chernoff's bound with any t >= 0 that is small enough for concavity and monotony; the best t
    is that of a single group.
    """
    spread = 1 - 2 * q
    if q == 0 or spread <= 0:
        return 0.0
    wrong = (score - q * q) / spread
    best = (math.log(wrong / (1 - wrong)) - math.log(q / (1 - q))) / spread
    t = max(0.0, min(best, LARGEST_EXPONENT, 1 / (2 * q * (1 - q))))
    return t * (score - q * q) - math.log1p(q * math.expm1(t * spread))
