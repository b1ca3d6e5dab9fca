"""The VC dimension of rule lists: the paper's bounds, and the lower ones in a proved form.

Letters: d conditions, at most k rules of at most z terms each. All floors are taken of logarithms
of exact integers or fractions, so none is off by one.
"""

import math

from samrule.theory.rounding import round_up
from samrule.theory.shape import checked_shape


def vc_upper_bound(n_conditions: int, *, max_rules: int, max_terms: int = 1) -> int:
    """Return the paper's upper bound on the VC dimension (A2).

    ``floor(k log2(2 d) + 2)`` for one term, ``floor(k z log2(2 e d / z) + 2)`` otherwise.

    Guarantee
    ---------
    No table with more rows is shattered (docs/theory/vc_dimension.md, "vc_upper_bound").

    Examples
    --------
    >>> vc_upper_bound(174, max_rules=4)
    35
    >>> vc_upper_bound(174, max_rules=4, max_terms=2)
    73
    """
    d, k, z = checked_shape(n_conditions, max_rules, max_terms)
    if z == 1:
        return _floor_log2((2 * d) ** k, 1) + 2
    return math.floor(round_up(k * z * (1 + (1 + math.log(d) - math.log(z)) / math.log(2)) + 2, 16))


def vc_lower_bound(n_conditions: int, *, max_rules: int, max_terms: int = 1) -> int:
    """Return a proved lower bound on the VC dimension, the better of the two forms of A3.

    Guarantee
    ---------
    A table with this many rows is shattered; the proof builds it
    (docs/theory/vc_dimension.md, "vc_lower_bound").

    Examples
    --------
    >>> vc_lower_bound(9, max_rules=24)
    10
    >>> vc_lower_bound(174, max_rules=4, max_terms=2)
    40
    """
    d, k, z = checked_shape(n_conditions, max_rules, max_terms)
    if k == 0:
        return 1  # Either class for one row: that is all a default can do.
    # Lists of one-term rules are among the lists of z-term rules.
    return max(_unequal_blocks(d, k), _shared_slots(d, k, z))


def vc_lower_bound_as_printed(n_conditions: int, *, max_rules: int, max_terms: int = 1) -> int:
    """Return the paper's lower bound as printed, which is not true in general (A3).

    ``floor(k log2((d + k) / k))`` for one term, ``floor(k z log2(d / (z k^(1/z))))`` otherwise;
    for comparison with the paper only. At d = 9, k = 24 it exceeds the true value, at most
    d + 1 = 10; for rules longer than d / k^(1/z) it is negative.

    Examples
    --------
    >>> vc_lower_bound_as_printed(9, max_rules=24)
    11
    """
    d, k, z = checked_shape(n_conditions, max_rules, max_terms)
    if z == 1:
        return _floor_log2((d + k) ** k, k**k)
    return _floor_log2(d ** (k * z), z ** (k * z) * k**k)


def _unequal_blocks(d: int, k: int) -> int:
    """Count k blocks of q rows, r of them one row taller, and one all-zero row: k q + r + 1."""
    q = _floor_log2(d + k, k)
    r = min(k, (d - k * ((1 << q) - 1)) // (1 << q))
    return k * q + r + 1


def _shared_slots(d: int, k: int, z: int) -> int:
    """Return k z floor(log2(d / a)) with a = ceil(z k^(1/z)), or 0 when a exceeds d."""
    a = _ceil_root(z**z * k, z)
    return k * z * _floor_log2(d, a) if a <= d else 0


def _floor_log2(numerator: int, denominator: int) -> int:
    """floor(log2(numerator / denominator)), exactly, for positive integers."""
    if numerator >= denominator:
        return (numerator // denominator).bit_length() - 1
    return -((-(-denominator // numerator) - 1).bit_length())


def _ceil_root(x: int, degree: int) -> int:
    """Return the least integer whose `degree`-th power is at least x, for x >= 1."""
    low, high = 0, 1 << -(-x.bit_length() // degree)  # high**degree >= 2**bit_length > x
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if middle**degree >= x else (middle, high)
    return high
