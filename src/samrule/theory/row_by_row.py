"""Samples without repeats for which a paired bound is as exact as for independent rows.

Every row of the table is drawn or not, with the same chance, whatever becomes of the others. Then
the rows drawn are a uniform subset whose size is left to chance, and the table's rows contribute
independently: a product of as many factors as the table has rows.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

from samrule.checks import Number, checked_integer, checked_number

# Of the largest step that weights allow, so much is given away to be sure of the inequality.
_GIVEN_AWAY = 1e-9
# Where nearly all rows are drawn, any step will do.
_LARGEST_EXPONENT = 8.0


@dataclass(frozen=True)
class RowByRow:
    """How rows were drawn: each of them with the same chance, independently of the others.

    Parameters
    ----------
    chance
        The probability of a row to be drawn; fixed before.
    table_rows
        Rows of the table.

    Guarantee
    ---------
    For a row that weighs p with chance pi, ``growth(p, s) = ln(1 + pi (exp(p s) - 1))`` is the
    logarithm of the mean of exp(p s) if it is drawn and 1 if not; ``step(p, q)`` is an s at which
    ``growth(p, s) + growth(-q, s) <= 0`` (docs/theory/paired.md, "RowByRow").

    Examples
    --------
    >>> half = RowByRow(chance=0.5, table_rows=20_000)
    >>> step = half.step(4, 5)
    >>> round(step, 4), half.growth(4, step) + half.growth(-5, step) <= 0
    (0.0984, True)
    """

    chance: float
    table_rows: int

    def __post_init__(self) -> None:
        checked_number("chance", self.chance, Number(above=0, below=1))
        checked_integer("table_rows", self.table_rows)

    def growth(self, weight: float, step: float) -> float:
        """Return the logarithm of a row's mean factor."""
        return math.log1p(self.chance * math.expm1(weight * step))

    def step(self, right: int, wrong: int) -> float:
        """Return what a unit of weight stands for in the exponent, if rows weigh so much."""
        return _step(right, wrong, self.chance)


@lru_cache
def _step(right: int, wrong: int, chance: float) -> float:
    """Return an s a little below the positive root of a convex function that is 0 at 0."""
    inside, outside = 0.0, _LARGEST_EXPONENT / right
    while outside - inside > 1e-15 * outside:
        middle = (inside + outside) / 2
        grown = math.log1p(chance * math.expm1(right * middle))
        shrunk = math.log1p(chance * math.expm1(-wrong * middle))
        if not inside < middle < outside:
            break
        if grown + shrunk < 0:
            inside = middle
        else:
            outside = middle
    return inside * (1 - _GIVEN_AWAY)
