"""The weight of each row, as the whole numbers that the search adds up."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samrule.errors import InputError, InputTypeError
from samrule.solver.arrays import as_array, n_entries

# The native search adds weights in 32-bit counters and needs a bit of headroom.
TOTAL_WEIGHT_LIMIT = 2**30


@dataclass(frozen=True, slots=True)
class Weights:
    """Row weights as whole numbers, and how far those are from what was given.

    Parameters
    ----------
    counts
        One whole number per row, or None when every row counts once.
    unit
        Weight that one count stands for: the given weight is counts x unit, up to rounding.
    total
        Total given weight, measured in units.
    reals
        The given weights, measured in units; None if they equal the counts.
    rounded_up
        Share of the total weight that rounding added to the rows it enlarged, and so the
        most by which the counts can overstate the loss of any rule list.
    """

    counts: NDArray[np.uint32] | None
    unit: float
    total: float
    reals: NDArray[np.float64] | None = None
    rounded_up: float = 0.0


def whole_weights(weights: ArrayLike | None, n_rows: int) -> Weights:
    """Return the weights as whole numbers whose total is below 2**30.

    Whole numbers stay exact (divided by what they have in common). Real weights, and whole
    ones too large for that, become multiples of a unit with at most 16 bits each.
    """
    if weights is None:
        return Weights(counts=None, unit=1, total=n_rows)
    given = _checked_weights(weights)
    return _exact_weights(given) or _rounded_weights(given)


def _checked_weights(weights: ArrayLike) -> NDArray[Any]:
    array = as_array(weights, "weights")
    n_entries(array, "weights")
    if array.dtype.kind not in "biuf":
        raise InputTypeError(
            f"weights have dtype {array.dtype}; expected numbers.",
            hint="convert them with np.asarray(weights, dtype=float).",
        )
    if not (array.min() >= 0 and array.max() < math.inf):  # Both are NaN if any weight is.
        row = int(np.flatnonzero(~np.isfinite(array) | (array < 0))[0])
        raise InputError(
            f"weights has {array[row].item()!r} in row {row:,}; "
            "expected finite numbers of 0 or more.",
            hint="a row that should not count has weight 0.",
        )
    if not array.any():
        raise InputError(
            f"weights are 0 in all {len(array):,} rows; expected at least one positive weight.",
            hint="leave weights out to count every row once.",
        )
    return array


def _exact_weights(given: NDArray[Any]) -> Weights | None:
    """Return whole-number weights unchanged but for a common divisor; None if that cannot be."""
    largest = float(given.max())
    if largest >= 2.0**53:
        return None
    whole = given.astype(np.int64)
    if given.dtype.kind == "f" and not np.array_equal(whole, given):
        return None
    positive = whole[whole > 0]
    divisor = 1 if positive.min() == 1 else int(np.gcd.reduce(positive))
    if float(given.sum(dtype=np.float64)) / divisor >= TOTAL_WEIGHT_LIMIT:
        return None
    counts = (whole // divisor).astype(np.uint32)
    return Weights(counts=counts, unit=divisor, total=int(counts.sum(dtype=np.int64)))


def _rounded_weights(given: NDArray[Any]) -> Weights:
    largest = float(given.max())
    shares = given.astype(np.float64) / largest  # Their sum cannot overflow.
    # 16 bits each, unless so many rows would take the total to the limit; rounding adds
    # half a unit per row at most.
    unit = max(1 / 65535, float(shares.sum()) / (TOTAL_WEIGHT_LIMIT - 1 - len(shares) / 2))
    reals = shares / unit
    counts = np.rint(reals)
    total = float(reals.sum())
    added = float(np.maximum(counts - reals, 0).sum())
    return Weights(
        counts=counts.astype(np.uint32),
        unit=unit * largest,
        total=total,
        reals=reals,
        rounded_up=added / total * (1 + 1e-9),  # Upward: sums of doubles are not exact.
    )
