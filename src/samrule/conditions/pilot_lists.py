"""Conditions that good rule lists of the pilot rows use, found in a moment.

What a list needs is seen best by looking for one. Two short searches, by errors and by Brier score,
prove nothing; but the lists they find are near the best of the pilot rows, and those of the whole
table mostly ask for the same.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samrule.rules import Condition
from samrule.solver import solve
from samrule.solver.problem import PackedConditions

# Operations of each search: about a twentieth of a second.
_WORK = 1e8


def asked_by_lists(
    packed: PackedConditions, codes: NDArray[np.int64], weights: NDArray[np.float64]
) -> Iterator[Condition]:
    """Yield the conditions of a list with few errors, then of one with a low Brier score.

    Parameters
    ----------
    packed
        Where conditions hold.
    codes, weights
        Class and weight of each row; two classes or more.
    """
    limits: dict[str, Any] = {"work_limit": _WORK, "threads": 1}
    for objective in ("error", "brier"):
        found = solve(packed, codes, weights=weights, objective=objective, **limits)
        for rule in found.rule_list:
            yield from rule.conditions
