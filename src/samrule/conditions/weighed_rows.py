"""Rows with weights, and what sets of them weigh: rows are bits, weights are planes of bits.

Weights are whole numbers, so that sums are exact and the same on every machine.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samrule import _core

Words = NDArray[np.uint64]

# Real weights add up to about this.
_TOTAL = 2**30


@dataclass(frozen=True, slots=True)
class WeighedRows:
    """Rows with whole weights.

    Parameters
    ----------
    weights
        One per row.
    planes
        For each binary digit of the weights, the lowest first, which rows have it.
    """

    weights: NDArray[np.int64]
    planes: Sequence[Words]

    @classmethod
    def of(cls, weights: NDArray[np.float64]) -> "WeighedRows":
        """Return rows of these weights; if they are not whole, of whole ones in proportion.

        Examples
        --------
        >>> rows = WeighedRows.of(np.array([1.0, 2.0, 3.0]))
        >>> first_two, last_two = as_bits(np.array([[1, 1, 0], [0, 1, 1]], dtype=bool))
        >>> rows.shared(first_two[None], np.stack([first_two, last_two])).tolist()
        [[3, 2]]
        """
        is_whole = (weights == np.rint(weights)).all() and weights.sum() <= _TOTAL
        whole = weights if is_whole else np.rint(weights * (_TOTAL / weights.sum()))
        found = whole.astype(np.int64)
        digits = np.arange(int(found.max(initial=0)).bit_length())[:, None]
        return cls(found, list(as_bits(found >> digits & 1 == 1)))

    def shared(self, sets: Words, others: Words) -> NDArray[np.int64]:
        """Return set x other: the weight of the rows that are in both."""
        found = np.zeros((len(sets), len(others)), dtype=np.int64)
        others = np.ascontiguousarray(others)
        for digit, plane in enumerate(self.planes):
            _core.add_shared_counts(sets & plane, others, 1 << digit, found)
        return found

    def weight(self, sets: Words) -> NDArray[np.int64]:
        """Return what each set of rows weighs."""
        everything = np.full((1, sets.shape[1]), ~np.uint64(0))
        return np.asarray(self.shared(everything, sets)[0])


def as_bits(masks: NDArray[np.bool_]) -> Words:
    """Return sets of rows, given as masks, with a bit per row as in `PackedConditions`."""
    found = np.zeros((len(masks), 8 * -(-masks.shape[1] // 64)), dtype=np.uint8)
    packed = np.packbits(masks, axis=1, bitorder="little")
    found[:, : packed.shape[1]] = packed
    return found.view(np.uint64)
