"""Where to cut a column of ordered values, and how to write a cut down.

A column is seen as its distinct values in order, each with its weight per class; a cut is a place
between two neighbours. Nothing here knows where the rows came from.
"""

import heapq
import math
from datetime import datetime, time
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Arrow's widest decimals have 76 digits.
_WIDE = Context(prec=100)


def tree_cuts(
    class_weights: NDArray[np.float64], n_cuts: int, *, min_share: float = 0.002
) -> list[int]:
    """Return places of the cuts a small classification tree on this column alone would make.

    The tree grows leaf by leaf, always where Gini impurity falls most; a leaf keeps at least
    `min_share` of the weight. Place i is between values i - 1 and i.

    Parameters
    ----------
    class_weights
        Weight per distinct value (rows, in order) and class (columns).
    n_cuts
        At most this many cuts.
    min_share
        Least share of the weight on either side of a cut.

    Examples
    --------
    >>> tree_cuts(np.array([[5, 0], [4, 0], [0, 6], [3, 0]]), n_cuts=2)
    [2, 3]
    """
    sums = np.vstack([np.zeros(class_weights.shape[1]), np.cumsum(class_weights, axis=0)])
    least = min_share * float(sums[-1].sum())
    cuts: list[int] = []
    leaves = _with_leaf([], sums, 0, len(class_weights), least)
    while leaves and len(cuts) < n_cuts:
        _, start, cut, end = heapq.heappop(leaves)
        cuts.append(cut)
        _with_leaf(leaves, sums, start, cut, least)
        _with_leaf(leaves, sums, cut, end, least)
    return sorted(cuts)


def quantile_cuts(weights: NDArray[np.float64], n_cuts: int) -> list[int]:
    """Return places that spread the weight evenly; a value with more than its share stands alone.

    Parameters
    ----------
    weights
        Weight per distinct value, in order.
    n_cuts
        At most this many cuts.

    Examples
    --------
    Ninety zeros leave plain quantiles nothing to cut:

    >>> quantile_cuts(np.array([90, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]), n_cuts=4)
    [1, 4, 6, 9]
    """
    share = weights.sum() / (n_cuts + 1)
    spikes = np.flatnonzero(weights > share)
    heaviest = spikes[np.argsort(-weights[spikes], kind="stable")]
    edges = [int(place) for spike in heaviest for place in (spike, spike + 1)]
    inside = [place for place in dict.fromkeys(edges) if 0 < place < len(weights)]
    found = set(inside[:n_cuts])
    rest = np.where(weights > share, 0, weights)
    n_left = n_cuts - len(found)
    if n_left > 0 and rest.any():
        reached = np.cumsum(rest) / rest.sum()
        shares = np.arange(1, n_left + 1) / (n_left + 1)
        places = np.searchsorted(reached, shares - 1e-12) + 1
        found |= {int(place) for place in places if 0 < place < len(weights)}
    return sorted(found)


def separator(low: Any, high: Any) -> Any:
    """Return the shortest value above `low` and at most `high`, of their own type.

    Both are neighbours of one column: whole numbers, doubles, decimals, dates, datetimes or
    times of day, with low < high.

    Examples
    --------
    >>> separator(39, 61), separator(7262, 7298), separator(0.12345, 0.12352)
    (50, 7280, 0.1235)
    >>> print(separator(datetime(2021, 2, 11), datetime(2021, 3, 20)), separator(99.5, math.inf))
    2021-03-01 00:00:00 100.0
    """
    if isinstance(high, float):
        return _separating_float(low, high)
    if isinstance(high, int):
        mantissa, exponent = _shortest(Fraction(low), Fraction(high), least_exponent=0)
        return mantissa * 10**exponent
    if isinstance(high, Decimal):
        mantissa, exponent = _shortest(Fraction(low), Fraction(high))
        whole = Decimal(mantissa * 10 ** max(exponent, 0))  # Exact, as no context is involved.
        return whole.scaleb(min(exponent, 0), _WIDE)
    return _separating_moment(low, high)


def _with_leaf(
    leaves: list[tuple[float, int, int, int]],
    sums: NDArray[np.float64],
    start: int,
    end: int,
    least: float,
) -> list[tuple[float, int, int, int]]:
    """Add the leaf's best cut, if it gains anything, to the heap of what could be done next."""
    left = sums[start + 1 : end] - sums[start]
    right = sums[end] - sums[start + 1 : end]
    allowed = (left.sum(axis=1) >= least) & (right.sum(axis=1) >= least)
    if allowed.any():
        gains = _purity(left) + _purity(right) - _purity((sums[end] - sums[start])[None])
        gains[~allowed] = -np.inf
        best = int(np.argmax(gains))
        if gains[best] > 1e-9:
            heapq.heappush(leaves, (-float(gains[best]), start, start + 1 + best, end))
    return leaves


def _purity(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    totals = weights.sum(axis=1)
    squares = (weights**2).sum(axis=1)
    return np.asarray(squares / np.maximum(totals, 1e-300))


def _separating_float(low: float, high: float) -> float:
    if math.isinf(low):
        low = max(-math.inf if math.isinf(high) else high - max(1.0, abs(high)), -1e308)
    if math.isinf(high):
        high = low + max(1.0, abs(low))
        if math.isinf(high):
            return math.inf
    exact_low, exact_high = Fraction(low), Fraction(high)
    exponent: int | None = None
    while True:
        mantissa, exponent = _shortest(exact_low, exact_high, start=exponent)
        found = float(f"{mantissa}e{exponent}")
        # The nearest double to a decimal between two neighbours may be the lower one.
        if low < found <= high:
            return found
        exponent -= 1


def _shortest(
    low: Fraction, high: Fraction, *, least_exponent: int | None = None, start: int | None = None
) -> tuple[int, int]:
    """Return m and e with low < m 10^e <= high: the greatest e, then the middle."""
    if low < 0 <= high and start is None:
        return 0, 0
    size = max(abs(low), abs(high))
    exponent = _magnitude(size) + 1 if start is None else start
    while True:
        if least_exponent is not None and exponent < least_exponent:
            exponent = least_exponent
        unit = Fraction(10) ** exponent
        first, last = math.floor(low / unit) + 1, math.floor(high / unit)
        if first <= last:
            middle = math.floor((low + high) / (2 * unit) + Fraction(1, 2))
            return min(max(middle, first), last), exponent
        exponent -= 1


def _magnitude(size: Fraction) -> int:
    """Return an e with 10^e <= size, at most one or two below the greatest."""
    digits = len(str(size.numerator)) - len(str(size.denominator))
    return digits + 1


def _separating_moment(low: Any, high: Any) -> Any:
    """Return `high` cut down to its year, month, day, ... : the first that stays above `low`."""
    if isinstance(high, datetime):
        fields: list[dict[str, int]] = [
            {"month": 1, "day": 1, **_MIDNIGHT},
            {"day": 1, **_MIDNIGHT},
            _MIDNIGHT,
            {"minute": 0, "second": 0, "microsecond": 0},
            {"second": 0, "microsecond": 0},
            {"microsecond": 0},
            {"microsecond": high.microsecond // 1000 * 1000},
        ]
    elif isinstance(high, time):
        fields = [
            {"minute": 0, "second": 0, "microsecond": 0},
            {"second": 0, "microsecond": 0},
            {"microsecond": 0},
        ]
    else:
        fields = [{"month": 1, "day": 1}, {"day": 1}]
    for field in fields:
        found = high.replace(**field)
        if found > low:
            return found
    return high


_MIDNIGHT = {"hour": 0, "minute": 0, "second": 0, "microsecond": 0}
