"""What a rule costs, exactly and as the search counts it, and what a searched cost then proves.

The search adds costs as whole numbers of 2^-28 row, so it takes the price of a rule rounded up to
such a number. What it proves therefore holds for prices that are a hair too high. Errors are whole
numbers, though, so hardly anything is lost on the way back: see `RulePrice.least_cost`.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

# native/src/state.hpp: `unit`.
UNITS_PER_ROW = 2**28
# The search reports costs as doubles, which may be rounded up by one part in 2^52.
_REPORTED_UP = Fraction(1, 2**50)


@dataclass(frozen=True, slots=True)
class RulePrice:
    """The price of a rule in units of weight.

    Parameters
    ----------
    exact
        The price asked for: regularization x total weight.
    searched
        The price that the search is given: `exact` rounded up, or a price above all rows together
        if `exact` is higher still, for such a rule is never worth it.

    Examples
    --------
    >>> price = RulePrice.of(Fraction(1, 10**4), total=1000)
    >>> price.exact, price.searched > price.exact, float(price.searched - price.exact) < 2.0**-28
    (Fraction(1, 10), True, True)
    """

    exact: Fraction
    searched: Fraction

    @classmethod
    def of(cls, regularization: Fraction, total: float) -> "RulePrice":
        """Return the price of a rule that costs `regularization` of the total weight."""
        exact = regularization * Fraction(total)
        return cls(exact, _rounded_up(min(exact, Fraction(math.ceil(total) + 1))))

    def least_cost(self, searched_cost: float, max_rules: int) -> Fraction:
        """Return what every list costs at the exact price, if none costs less than searched.

        Parameters
        ----------
        searched_cost
            A lower bound on errors + searched price x rules, over all lists.
        max_rules
            Most rules a list has.

        Guarantee
        ---------
        At most the cost of any list of up to `max_rules` rules. Proof: a list of j rules and e
        errors has e + j searched >= searched_cost, and e is a whole number of at least 0, so
        e >= ceil(searched_cost - j searched). At the exact price it costs e + j exact; the minimum
        over j is returned. For a finished search it is the cost of the list found, except where a
        price lies less than 2^-28 row below one at which another list wins.

        Examples
        --------
        >>> price = RulePrice.of(Fraction(1, 10**4), total=1000)
        >>> price.least_cost(7 + 2 * float(price.searched), max_rules=4)  # 7 errors and 2 rules
        Fraction(36, 5)
        """
        units = math.floor(Fraction(searched_cost) * (1 - _REPORTED_UP) * UNITS_PER_ROW)
        units_per_rule = int(self.searched * UNITS_PER_ROW)
        # Whole numbers, in parts of a row: a thousand rules are a million sums.
        per_rule, per_error = self.exact.numerator, self.exact.denominator
        least = min(
            max(0, -((j * units_per_rule - units) // UNITS_PER_ROW)) * per_error + j * per_rule
            for j in range(max_rules + 1)
        )
        return Fraction(least, per_error)

    def least_fine_cost(self, searched_cost: float, max_rules: int, *, off: Fraction) -> Fraction:
        """Return what every list costs at the exact price, where costs are no whole rows.

        Parameters
        ----------
        searched_cost
            A lower bound on the groups' costs, as the search adds them up, + searched price x
            rules, over all lists.
        max_rules
            Most rules a list has.
        off
            How much of a list's cost the search may add by rounding what a row costs.

        Guarantee
        ---------
        At most the cost of any list of up to `max_rules` rules. Proof: the search rounds the Brier
        score of each of at most max_rules + 1 groups up, by less than a unit, and rows by `off` in
        all. A list of j rules therefore costs more than searched_cost - j searched + j exact -
        (max_rules + 1) units - off; linear in j, that is least at j = 0 or j = max_rules. One more
        unit per rule is left for prices that are scaled with the rows.

        Examples
        --------
        >>> price = RulePrice.of(Fraction(1, 10**4), total=1000)
        >>> round(float(price.least_fine_cost(7.5, max_rules=4, off=Fraction(0))), 8)
        7.49999996
        """
        slack = Fraction(2 * max_rules + 1, UNITS_PER_ROW) + off
        dearer = max_rules * max(Fraction(0), self.searched - self.exact)
        found = Fraction(searched_cost) * (1 - _REPORTED_UP) - dearer - slack
        return max(Fraction(0), found)


def rounded_down(number: Fraction) -> float:
    """Return the largest double that is no more than the number.

    >>> rounded_down(Fraction(1, 10)), rounded_down(Fraction(1, 2))
    (0.09999999999999999, 0.5)
    """
    nearest = float(number)
    return nearest if nearest <= number else math.nextafter(nearest, -math.inf)


def _rounded_up(price: Fraction) -> Fraction:
    """Return the least double that is a whole number of units and at least the price."""
    units = math.ceil(price * UNITS_PER_ROW)
    nearest = float(units)
    return Fraction(nearest if nearest >= units else math.nextafter(nearest, math.inf)) / (
        UNITS_PER_ROW
    )
