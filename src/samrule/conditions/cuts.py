"""Where to cut a column of ordered values, and how to write a cut down.

A column is seen as its distinct values in order, each with its weight per class; a cut is a place
between two neighbours. Nothing here knows where the rows came from.
"""

import math
from collections.abc import Sequence
from datetime import datetime, time
from decimal import Context, Decimal
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samrule import _core

# Arrow's widest decimals have 76 digits.
_WIDE = Context(prec=100)

# Half a percent of the rows each: finer than 10,000 pilot rows can tell.
_MOST_GROUPS = 200

# A cut between levels must gain so many times what chance does, and an interval so much more than
# either of its ends alone: docs/cuts.md.
SURE_CUT, SURE_INTERVAL = 4.0, 10.0

# More intervals of a column say nearly the same, and cost the search its proof on wide tables.
_MOST_INTERVALS = 4


def segment_cuts(
    class_weights: NDArray[np.float64],
    n_cuts: int,
    *,
    min_share: float = 0.002,
    spread: float = 0.03,
    least_gain: float = 0.0,
) -> list[int]:
    """Return places that split a column into pure segments, none of them too heavy.

    The best split is found as a whole, by dynamic programming; a tree, which cuts one by one,
    spends its later cuts on mending the first. Place i is between values i - 1 and i.

    Parameters
    ----------
    class_weights
        Weight per distinct value (rows, in order) and class (columns).
    n_cuts
        At most this many cuts; fewer if more would gain nothing.
    min_share
        Least share of the weight in a segment.
    spread
        What it costs that two random rows fall into one segment, whatever their classes; Gini
        impurity is what it costs that they do and differ in class. Where this column alone says
        little of the classes, cuts are then spread evenly: it may say more of the rows that
        earlier rules leave.
    least_gain
        What a cut must take off the Gini impurity, in weight.

    Notes
    -----
    Exact for up to 200 distinct values. With more, they are first joined into 200 groups of about
    equal weight, and each cut is then moved to its best place between its neighbours.

    Examples
    --------
    >>> segment_cuts(np.array([[5, 0], [4, 0], [0, 6], [3, 0]]), n_cuts=2)
    [2, 3]
    """
    sums = np.vstack([np.zeros(class_weights.shape[1]), np.cumsum(class_weights, axis=0)])
    total = float(sums[-1].sum())
    prices = min_share * total, spread / total if total else 0.0
    if len(class_weights) <= _MOST_GROUPS:
        return [int(cut) for cut in _best_split(sums, n_cuts, prices, least_gain)]
    edges = np.array(
        [0, *quantile_cuts(class_weights.sum(axis=1), _MOST_GROUPS - 1), len(sums) - 1]
    )
    cuts = edges[_best_split(sums[edges], n_cuts, prices, least_gain)]
    _core.polish_cuts(sums, *prices, cuts)
    return [int(cut) for cut in cuts]


def best_intervals(
    class_weights: NDArray[np.float64],
    places: Sequence[int],
    n_intervals: int,
    *,
    least_gain: float = 0.0,
) -> list[tuple[int, int]]:
    """Return the pairs of cuts between which the classes differ most from what lies outside.

    Both ends must matter: an interval is none if one of its cuts alone divides the classes as well.

    Parameters
    ----------
    class_weights
        Weight per distinct value (rows, in order) and class (columns).
    places
        The cuts, in order.
    n_intervals
        At most this many pairs, and four: those with the least Gini impurity inside and outside
        together.
    least_gain
        What an interval must take off the Gini impurity beyond either of its cuts, in weight.

    Examples
    --------
    >>> best_intervals(np.array([[5, 0], [0, 4], [0, 6], [3, 1]]), [1, 2, 3], n_intervals=1)
    [(1, 3)]
    >>> best_intervals(np.array([[5, 0], [4, 1], [1, 4], [0, 5]]), [1, 2, 3], n_intervals=1)
    []
    """
    sums = np.vstack([np.zeros(class_weights.shape[1]), np.cumsum(class_weights, axis=0)])
    pairs = [(low, high) for low, high in combinations(places, 2) if (sums[low] < sums[high]).any()]
    differences = [sums[high] - sums[low] for low, high in pairs]
    inside = np.array(differences).reshape(len(pairs), sums.shape[1])
    worth = purity(inside) + purity(sums[-1] - inside)
    below = sums[list(places)]
    of_cut = dict(zip(places, purity(below) + purity(sums[-1] - below), strict=True))
    gain = worth - [max(of_cut[low], of_cut[high]) for low, high in pairs]
    kept = np.flatnonzero(gain > least_gain + 1e-9 * sums[-1].sum())
    pairs, worth = [pairs[number] for number in kept], worth[kept]
    chosen = np.argsort(-worth, kind="stable")[: min(n_intervals, _MOST_INTERVALS)]
    return [pairs[number] for number in sorted(chosen.tolist())]


def purity(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return per group what makes Gini impurity small: squares of class weights over their sum.

    Classes are along the last axis.
    """
    total = weights.sum(axis=-1)
    return np.asarray((weights**2).sum(axis=-1) / np.where(total > 0, total, 1))


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


def _best_split(
    sums: NDArray[np.float64], n_cuts: int, prices: tuple[float, float], least_gain: float
) -> NDArray[np.int64]:
    """Return the best cuts, as few as suffice, of groups with these running sums."""
    n_groups = len(sums) - 1
    most_cuts = min(n_cuts, n_groups - 1)
    worth = np.empty(most_cuts + 1)
    starts = np.empty((most_cuts, n_groups + 1), dtype=np.int32)
    _core.best_segments(sums, *prices, worth, starts)
    worth -= least_gain * np.arange(most_cuts + 1)
    enough = worth >= worth.max() - 1e-9 * max(1.0, float(sums[-1].sum()))
    cuts = [n_groups]
    for row in starts[: int(np.argmax(enough))][::-1]:
        cuts.append(int(row[cuts[-1]]))
    return np.array(cuts[:0:-1], dtype=np.int64)


def _separating_float(low: float, high: float) -> float:
    if math.isinf(low):
        low = -1e308 if math.isinf(high) else high - max(1.0, abs(high))
        if math.isinf(low):
            return high
    if math.isinf(high):
        high = low + max(1.0, abs(low))
        if math.isinf(high):
            return math.inf
    if math.nextafter(low, high) == high:  # Their middle may round to `low` with any digits.
        return high
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
    # Whole numbers over one denominator: fractions would be reduced at every step.
    below, above = low.numerator * high.denominator, high.numerator * low.denominator
    under = low.denominator * high.denominator
    exponent = _magnitude(max(abs(below), abs(above)), under) + 1 if start is None else start
    while True:
        if least_exponent is not None and exponent < least_exponent:
            exponent = least_exponent
        times, unit = 10 ** max(-exponent, 0), under * 10 ** max(exponent, 0)
        first, last = below * times // unit + 1, above * times // unit
        if first <= last:
            middle = ((below + above) * times + unit) // (2 * unit)
            return min(max(middle, first), last), exponent
        exponent -= 1


def _magnitude(numerator: int, denominator: int) -> int:
    """Return an e with 10^e <= size, at most one or two below the greatest."""
    return len(str(numerator)) - len(str(denominator)) + 1


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
