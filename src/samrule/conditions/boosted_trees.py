"""Which conditions matter together: those that small trees ask for, grown one after the other.

A condition may say little by itself and much about the rows that others leave, and of two that say
the same one is enough. Trees that are each grown on what those before got wrong see both. (To guess
the conditions of an exact search so is the idea of McTavish et al., AAAI 2022.)
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from samrule import _core

_MOST_TREES = 60


def asked_by_trees(
    bits: NDArray[np.uint64],
    columns: Sequence[int],
    codes: NDArray[np.int64],
    weights: NDArray[np.int64],
) -> Iterator[int]:
    """Yield numbers of conditions in the order in which trees first ask for them.

    Parameters
    ----------
    bits
        Where conditions hold, as in `PackedConditions`.
    columns
        The number of each condition's column; conditions of one column stand together.
    codes, weights
        Class and weight of each row. A row that weighs 2 is the same as two rows.

    Examples
    --------
    Who buys is old and does not wait; the second condition says what the first does.

    >>> old, waits = np.repeat([False, True], 32), np.tile([False, True], 32)
    >>> buys = (old & ~waits).astype(np.int64)
    >>> bits = np.packbits([old, old, waits], axis=1, bitorder="little").view(np.uint64)
    >>> list(asked_by_trees(bits, [0, 0, 1], buys, np.ones(64, np.int64)))
    [0, 2]
    """
    trees = _core.BoostedTrees(
        np.ascontiguousarray(bits),
        len(codes),
        np.asarray(columns, dtype=np.int32),
        codes.astype(np.int32),
        int(codes.max(initial=0)) + 1,
        weights,
    )
    asked: set[int] = set()
    for _ in range(_MOST_TREES):
        tree = trees.grow()
        if not tree:
            return
        yield from (one for one in dict.fromkeys(tree) if one not in asked)
        asked.update(tree)
