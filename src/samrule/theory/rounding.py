"""Floating point that leans the safe way: sizes and upper bounds up, lower bounds down.

Every function of `theory` states a bound. Its formula is evaluated in double precision, whose
error is a few units in the last place (ulp); the result is then moved by more than that, in the
direction that can only weaken the promise, never break it.
"""

import math
from collections.abc import Callable

# Below this width a bracket is no longer narrowed: 12 orders of magnitude under one row in 10^12.
_NEGLIGIBLE = 1e-24


def round_up(x: float, ulps: int = 8) -> float:
    """`x` moved up by `ulps` units in the last place.

    Examples
    --------
    >>> round_up(1.0) > 1.0
    True
    """
    return x + ulps * math.ulp(x)


def round_down(x: float, ulps: int = 8) -> float:
    """`x` moved down by `ulps` units in the last place.

    Examples
    --------
    >>> round_down(1.0) < 1.0
    True
    """
    return x - ulps * math.ulp(x)


def log_inverse(delta: float, parts: int = 1) -> float:
    """``ln(parts / delta)``, rounded up: the price of a confidence shared by `parts` statements.

    Examples
    --------
    >>> round(log_inverse(0.05, parts=2), 6)
    3.688879
    """
    # A difference, not a quotient: 2 / 5e-324 would overflow.
    return round_up(math.log(parts) - math.log(delta))


def outer_root(
    excess_and_slope: Callable[[float], tuple[float, float]], *, inside: float, outside: float
) -> float:
    """Return a point a few ulps from a function's root, on the side where it is positive.

    Parameters
    ----------
    excess_and_slope
        The function, at most 0 at `inside`, positive (possibly infinite) at `outside` and monotone
        between, with its derivative. A wrong derivative costs time, not correctness: Newton's step
        is taken only within the bracket, whose outer end has always been *seen* to be outside.

    Examples
    --------
    >>> root = outer_root(lambda x: (x * x - 2, 2 * x), inside=1.0, outside=2.0)
    >>> root * root > 2, abs(root - 2**0.5) < 1e-14
    (True, True)
    """
    excess, slope = excess_and_slope(outside)
    while abs(outside - inside) > max(4 * math.ulp(outside), _NEGLIGIBLE):
        candidate = _newton_or_middle(excess, slope, inside, outside)
        candidate_excess, candidate_slope = excess_and_slope(candidate)
        if candidate_excess > 0:
            outside, excess, slope = candidate, candidate_excess, candidate_slope
        else:
            inside = candidate
    return outside


def _newton_or_middle(excess: float, slope: float, inside: float, outside: float) -> float:
    """Newton's step from `outside`, or the middle of the bracket where that step is of no use."""
    middle = inside + (outside - inside) / 2
    if not (math.isfinite(excess) and math.isfinite(slope) and slope):
        return middle
    # Aim two ulps short of the root, to stay outside; a step below four would creep, so overshoot
    # by as much: that closes the bracket.
    ulp = math.ulp(outside)
    step = math.copysign(max(abs(excess / slope) - 2 * ulp, 4 * ulp), outside - inside)
    candidate = outside - step
    return candidate if min(inside, outside) < candidate < max(inside, outside) else middle
