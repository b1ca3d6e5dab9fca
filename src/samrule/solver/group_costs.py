"""What many groups of rows cost at once, in the units in which the search adds up costs."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samrule.objective import Objective
from samrule.solver.rule_price import UNITS_PER_ROW

# Above the cost of any list: 2^30 rows of 2^28 units, and as much again for rules.
FORBIDDEN = 2**61


@dataclass(frozen=True, slots=True)
class GroupCosts:
    """Costs of groups of rows by the weight of each class; whole numbers where errors count.

    Examples
    --------
    >>> costs = GroupCosts.of(Objective(), 2)
    >>> counts = np.array([[3, 1], [2, 5]])
    >>> (costs(counts) // UNITS_PER_ROW).tolist()
    [1, 2]
    >>> only_second = np.array([[False, True], [False, True]])
    >>> (costs(counts, only_second) // UNITS_PER_ROW).tolist()
    [3, 2]
    """

    prices: NDArray[Any]  # True class x predicted class.
    brier: float

    @classmethod
    def of(cls, objective: Objective, n_classes: int) -> "GroupCosts":
        """Return the costs of an objective."""
        if objective.is_error:
            return cls((1 - np.eye(n_classes, dtype=np.int64)) * UNITS_PER_ROW, 0.0)
        wrong = 1 - np.eye(n_classes) if objective.costs is None else np.array(objective.costs)
        share = objective.brier_share
        return cls(wrong * (1 - share) * UNITS_PER_ROW, share * UNITS_PER_ROW)

    @property
    def is_whole(self) -> bool:
        """Whether costs are exact."""
        return self.prices.dtype == np.int64

    def __call__(
        self, counts: NDArray[np.int64], classes: NDArray[np.bool_] | None = None
    ) -> NDArray[Any]:
        """Return what groups cost if each predicts the cheapest of the classes it may predict."""
        by_class = counts @ self.prices
        if classes is not None:
            by_class = np.where(classes, by_class, by_class.dtype.type(FORBIDDEN))
        cost = by_class.min(axis=-1)
        return np.asarray(cost + self._brier(counts) if self.brier else cost)

    def _brier(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        weight = counts.sum(axis=-1).astype(np.float64)
        squares = (counts.astype(np.float64) ** 2).sum(axis=-1)
        share = np.divide(squares, weight, out=np.zeros_like(weight), where=weight > 0)
        return np.asarray(self.brier * (weight - share) / 2)
