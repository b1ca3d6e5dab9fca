"""A lower bound on every list's loss, measured from a list whose loss on the table is known.

Near-optimal lists err mostly on the same rows. What they differ in is a small part of their loss,
and a sample tells small parts more precisely: so the bound looks at how much *better* than a known
list, the reference, any list can be.
"""

import math
import sys
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import takewhile

from samrule.checks import Number, WholeNumber, checked_integer, checked_number
from samrule.theory.rounding import log_inverse, round_down
from samrule.theory.row_by_row import RowByRow

# Of the largest slope that weights allow, so much is given away to be sure of both inequalities.
_GIVEN_AWAY = 1e-9
# More than rounding can add to a bound whose terms are of size 1.
_ROUNDING = 2.0**-46


@dataclass(frozen=True)
class PairedWeights:
    """What rows weigh in a search that compares all lists with a reference.

    Parameters
    ----------
    right, wrong
        Weight of a row that the reference gets right (*p*), and wrong (*q*): whole numbers, the
        second larger. Near each other they suit many rows, far from each other few.

    Guarantee
    ---------
    ``exp(p step) <= 1 + slope`` and ``exp(-q step) <= 1 - slope`` (docs/theory/paired.md,
    "PairedWeights").

    Examples
    --------
    >>> weights = PairedWeights(4, 5)
    >>> round(weights.slope, 4), round(weights.step, 4)
    (0.2204, 0.0498)
    """

    right: int
    wrong: int

    def __post_init__(self) -> None:
        checked_integer("right", self.right, WholeNumber(at_least=1, at_most=1000))
        heavier = WholeNumber(at_least=self.right + 1, at_most=1001)
        checked_integer("wrong", self.wrong, heavier)

    @property
    def slope(self) -> float:
        """How fast the bound follows the difference between two lists (*c*).

        Examples
        --------
        >>> round(PairedWeights(8, 9).slope, 4), round(PairedWeights(16, 17).slope, 4)
        (0.1174, 0.0606)
        """
        return _slope(self.right, self.wrong)

    @property
    def step(self) -> float:
        """What one unit of weight stands for in the exponent (*s*).

        Examples
        --------
        >>> weights = PairedWeights(8, 9)
        >>> math.exp(8 * weights.step) + math.exp(-9 * weights.step) <= 2
        True
        """
        c = self.slope
        return (math.log1p(c) / self.right - math.log1p(-c) / self.wrong) / 2

    def total(self, n_rows: int, n_wrong: int) -> int:
        """Return what all rows weigh, if the reference gets `n_wrong` of them wrong.

        Examples
        --------
        >>> PairedWeights(4, 5).total(100, 20)
        420
        """
        return self.right * (n_rows - n_wrong) + self.wrong * n_wrong

    def rule_price(
        self,
        regularization: float,
        *,
        n_rows: int,
        n_wrong: int,
        row_by_row: RowByRow | None = None,
    ) -> float:
        """Return what a rule must cost in the search, as a share of the weight of all rows.

        Examples
        --------
        >>> round(PairedWeights(4, 5).rule_price(0.01, n_rows=100, n_wrong=20), 5)
        0.01054
        """
        step, per_difference = self.scale(n_rows, row_by_row)
        price = regularization * (per_difference / (step * self.total(n_rows, n_wrong)))
        return min(price, sys.float_info.max)  # Any price would do: one above 1 forbids rules.

    def scale(self, n_rows: int, row_by_row: RowByRow | None = None) -> tuple[float, float]:
        """Return what one unit of weight stands for in the exponent, and a difference of 1.

        Examples
        --------
        >>> step, per_difference = PairedWeights(4, 5).scale(4000)
        >>> round(step, 4), round(per_difference)
        (0.0498, 882)
        >>> _, per_difference = PairedWeights(4, 5).scale(4000, RowByRow(0.5, 8000))
        >>> round(per_difference)
        1728
        """
        if row_by_row is None:
            return self.step, n_rows * self.slope
        step = row_by_row.step(self.right, self.wrong)
        return step, row_by_row.table_rows * row_by_row.growth(self.right, step)


@dataclass(frozen=True)
class Paired:
    """What a sample was compared with: weights of its rows, and the reference behind them.

    Parameters
    ----------
    weights
        What rows weighed in the search.
    n_wrong
        How many of them the reference gets wrong.
    reference_error
        The error rate of the reference on the table, or less.
    row_by_row
        How rows were drawn, if none could be drawn twice.

    Examples
    --------
    >>> paired = Paired(PairedWeights(4, 5), n_wrong=680, reference_error=0.17)
    >>> round(paired.least_loss(0.2, n_rows=4000), 4)
    0.1668
    """

    weights: PairedWeights
    n_wrong: int
    reference_error: float
    row_by_row: RowByRow | None = None

    def least_loss(self, weighted_loss: float, *, n_rows: int) -> float:
        """Return what no list's loss on the sample is below, if its weighted loss is not below.

        Errors weigh at most `wrong` each, and the price of rules is less by as much at least.
        """
        total, rows = self.weights.total(n_rows, self.n_wrong), float(n_rows)
        if self.row_by_row is not None:
            rows = max(rows, self.row_by_row.chance * self.row_by_row.table_rows)
        return max(0.0, round_down(weighted_loss * total / (self.weights.wrong * rows)))


def paired_lower_bound(
    least_weighted_loss: float,
    *,
    weights: PairedWeights,
    n_rows: int,
    n_wrong: int,
    reference_error: float,
    delta: float,
    max_rules: int,
    regularization: float = 1e-4,
    row_by_row: RowByRow | None = None,
) -> float:
    """Return a lower bound on every list's loss on the table, from one search of weighted rows.

    Parameters
    ----------
    least_weighted_loss
        At most the least loss of any list on the sample, if its rows weigh what `weights` say and
        a rule costs `PairedWeights.rule_price`: that of the best list if the search finished, else
        the search's own lower bound. Trusted to 2^-50.
    weights
        Fixed before the rows were drawn.
    n_rows, n_wrong
        Rows of the sample, and how many of them the reference gets wrong.
    reference_error
        The error rate of the reference on the table (or less): a list fixed before the rows were
        drawn, whatever its shape.
    delta
        Probability with which the bound may fail.
    max_rules, regularization
        Of the class: at most k rules, each at the price alpha.
    row_by_row
        If each row was drawn or not with the same chance, independently: which. The bound is then
        sharper, the more so the more of the table was drawn.

    Guarantee
    ---------
    At most l*, the least loss on the table, with probability at least ``1 - delta``, for rows
    drawn with or without replacement. Rounded down (docs/theory/paired.md, "paired_lower_bound").

    Examples
    --------
    A list with error rate 0.17 on the table gets 680 of 4,000 rows wrong: 0.2038 of the weight.
    No list has less than 0.195. Then none has less than 0.1583 on the table:

    >>> weights = PairedWeights(4, 5)
    >>> bound = paired_lower_bound(0.195, weights=weights, n_rows=4000, n_wrong=680,
    ...                            reference_error=0.17, delta=0.05, max_rules=4)
    >>> round(bound, 4)
    0.1583
    """
    m = checked_integer("n_rows", n_rows)
    e = checked_integer("n_wrong", n_wrong, WholeNumber(at_least=0, at_most=m))
    loss = checked_number("least_weighted_loss", least_weighted_loss, Number(at_least=0, at_most=1))
    known = checked_number("reference_error", reference_error, Number(at_least=0, at_most=1))
    k = checked_integer("max_rules", max_rules)
    alpha = checked_number("regularization", regularization)
    evidence = log_inverse(checked_number("delta", delta))
    total = weights.total(m, e)
    step, per_difference = weights.scale(m, row_by_row)
    price = Fraction(repr(weights.rule_price(alpha, n_rows=m, n_wrong=e, row_by_row=row_by_row)))

    def with_rules(j: int) -> float:
        """Return the least loss on the table of a list with j rules."""
        cost = total * (Fraction(loss) - j * price - Fraction(2) ** -50)
        gained = step * (max(0, math.ceil(cost)) - weights.wrong * e) - evidence
        exact = gained / per_difference
        if row_by_row is None:
            exact = math.expm1(gained / m) / weights.slope
        # The difference of two error rates is at least -1, whatever a sample says.
        difference = max(-1.0, exact)
        return known + difference - _ROUNDING * (1 + abs(difference)) + alpha * j

    numbers = takewhile(lambda j: alpha * j <= 1, range(k + 1 if alpha else 1))
    return max(0.0, round_down(min(map(with_rules, numbers))))


@lru_cache
def _slope(right: int, wrong: int) -> float:
    """Return a c a little below the root of ln(1 + c) / right + ln(1 - c) / wrong."""
    inside, outside = 0.0, 1.0
    while outside - inside > 1e-15:
        middle = (inside + outside) / 2
        if math.log1p(middle) / right + math.log1p(-middle) / wrong > 0:
            inside = middle
        else:
            outside = middle
    return inside * (1 - _GIVEN_AWAY)
