"""Levels of a text column in an order that tells the classes apart, so that sets are cuts.

Of all ways to divide levels in two, the one that separates two classes best by any impurity lies
between neighbours in the order of their class shares (Breiman et al. 1984, theorem 4.5). So a
column of levels is cut like one of numbers, and each cut is a set.
"""

import numpy as np
from numpy.typing import NDArray


def level_order(
    class_weights: NDArray[np.float64], others: NDArray[np.float64] | None = None
) -> NDArray[np.int64]:
    """Return the levels in the order of their class shares.

    Parameters
    ----------
    class_weights
        Weight per level (rows) and class (columns); every level weighs something.
    others
        The weight per class of all other levels together, if there are any: the order ends at
        the end that they are nearer to, for they are in no set and so beyond its last level.

    Notes
    -----
    Two classes are ordered by the share of the second. More have no one order; their shares are
    projected on the direction in which they differ most.

    Examples
    --------
    >>> level_order(np.array([[1.0, 3.0], [4.0, 0.0], [1.0, 1.0]])).tolist()
    [1, 2, 0]
    >>> level_order(np.array([[1.0, 3.0], [4.0, 0.0]]), others=np.array([9.0, 0.0])).tolist()
    [0, 1]
    """
    totals = class_weights.sum(axis=1)
    shares = class_weights / totals[:, None]
    direction = _direction(shares, totals)
    scores = shares @ direction
    order = np.argsort(scores, kind="stable")
    if others is not None and others.sum() > 0:
        score = float(others @ direction / others.sum())
        if abs(score - scores[order[0]]) < abs(score - scores[order[-1]]):
            order = order[::-1]
    return order


def _direction(shares: NDArray[np.float64], totals: NDArray[np.float64]) -> NDArray[np.float64]:
    n_classes = shares.shape[1]
    if n_classes == 2:
        return np.array([0.0, 1.0])
    centre = np.average(shares, axis=0, weights=totals)
    _, _, directions = np.linalg.svd((shares - centre) * np.sqrt(totals)[:, None])
    found = directions[0]
    # Either sign is a singular vector: take the one that the heaviest part is positive in.
    return np.asarray(found * np.sign(found[np.argmax(np.abs(found))]))
