"""Alerts on a limited share of the rows: which rules may alert, and what that costs.

A list alerts on the rows for which it predicts the rarer of two classes. docs/fraud.md shows it.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from samrule.errors import Parameter, ParameterError, Words
from samrule.objective import Objective, as_written, rarer_place
from samrule.rules import value_text

# All ways to choose which of so many rules alert are tried; of more, the surest alert first.
_MOST_TRIED = 12


@dataclass(frozen=True, slots=True)
class AlertRate:
    """Alerts on at most a share of the rows.

    Parameters
    ----------
    share
        The most alerts, as a share of the rows.
    place
        The place of the class that a list alerts on.
    """

    share: float
    place: int

    def objective(self, price: Fraction) -> Objective:
        """Return the costs of a missed row and of an alert in vain, if an alert has this price.

        With shares of all rows, missed + price x alerts = (1 - price) missed + price x in vain +
        price x rows of the class, and the last does not depend on the list. Costs are divided by
        the larger, as everywhere.

        >>> AlertRate(0.01, place=1).objective(Fraction(1, 5)).costs
        ((0.0, 0.25), (1.0, 0.0))
        """
        missed, in_vain = 1 - price, price
        largest = max(missed, in_vain)
        costs = [[0.0, 0.0], [0.0, 0.0]]
        costs[self.place][1 - self.place] = float(missed / largest)
        costs[1 - self.place][self.place] = float(in_vain / largest)
        return Objective(0.0, tuple(map(tuple, costs)))

    def scale(self, objective: Objective) -> Fraction:
        """Return by what costs were divided."""
        missed, in_vain = self._costs(objective)
        return 1 / (missed + in_vain)

    def price(self, objective: Objective) -> Fraction:
        """Return the price of an alert that such costs come from: that of rows alerted in vain."""
        _, in_vain = self._costs(objective)
        return in_vain * self.scale(objective)

    def least_missed(
        self, lower_bound: float, objective: Objective, of_class: Fraction
    ) -> Fraction:
        """Return which share of the rows every list misses at least that keeps to the rate.

        Parameters
        ----------
        lower_bound
            On the cost of every list; with the price of rules if that is to count as rows missed.
        objective
            The costs: those of an alert's price.
        of_class
            The share of the rows that are of the class.

        Guarantee
        ---------
        For any price y of an alert, missed + y x alerts is at least what it is for the best list,
        and a list that keeps to the rate has alerts <= share (docs/theory/ratios.md,
        "least_missed").
        """
        price = self.price(objective)
        least = self.scale(objective) * Fraction(lower_bound)
        spare = of_class - as_written(self.share)
        # Nobody finds more than there are alerts.
        return max(Fraction(0), least + price * spare, spare)

    def places(self, counts: Sequence[Sequence[float]]) -> list[int]:
        """Return what rules are to predict, given the rows of each class that each decides.

        So that most rows of the class are found with alerts on at most `share` of all rows, and of
        several ways, with fewest alerts.

        >>> AlertRate(0.1, place=1).places([(4, 6), (5, 5), (80, 0)])
        [1, 0, 0]
        """
        return [self.place if alerts else 1 - self.place for alerts in self._alerting(counts)]

    def _alerting(self, counts: Sequence[Sequence[float]]) -> Sequence[bool]:
        n_rows = [Fraction(sum(some)) for some in counts]
        found = [Fraction(some[self.place]) for some in counts]
        most = as_written(self.share) * sum(n_rows, Fraction(0))
        if sum(map(bool, found)) > _MOST_TRIED:
            return _surest_first(n_rows, found, most)
        ways = product(*((False, True) if one else (False,) for one in found))

        def gain(way: Sequence[bool]) -> tuple[Fraction, Fraction]:
            alerts = sum((n for n, alerts in zip(n_rows, way, strict=True) if alerts), Fraction(0))
            if alerts > most:
                return Fraction(-1), Fraction(0)
            hits = sum((n for n, alerts in zip(found, way, strict=True) if alerts), Fraction(0))
            return hits, -alerts

        return max(ways, key=gain)

    def _costs(self, objective: Objective) -> tuple[Fraction, Fraction]:
        """Return what a missed row costs, and an alert in vain."""
        assert objective.costs is not None
        missed = as_written(objective.costs[self.place][1 - self.place])
        return missed, as_written(objective.costs[1 - self.place][self.place])


def alert_rate_of(share: float | None, class_shares: Mapping[Hashable, float]) -> AlertRate | None:
    """Return the rate asked for, about the rarer of two classes."""
    if share is None:
        return None
    if len(class_shares) != 2:
        shown = ", ".join(value_text(one) for one in list(class_shares)[:10])
        raise ParameterError(
            Words(
                Parameter("alert_rate"),
                f" is {share!r}, but the target has {len(class_shares)} classes ({shown}); "
                "expected two, of which the rarer is alerted on.",
            ),
            hint="make a column that says whether a row is of the class to be found.",
        )
    return AlertRate(share, rarer_place([*class_shares.values()]))


def check_alone(share: float | None, **others: object) -> None:
    """Refuse what `alert_rate` settles itself: what is minimized, and how much rows count."""
    if share is None:
        return
    given = [name for name, value in others.items() if value is not None]
    if given:
        raise ParameterError(
            Words(
                Parameter("alert_rate"),
                " is given with ",
                Parameter(given[0]),
                "; it finds the costs at which the best list keeps to the rate itself, and counts "
                "every row once.",
            ),
            hint="leave one of them out.",
        )


def _surest_first(
    n_rows: Sequence[Fraction], found: Sequence[Fraction], most: Fraction
) -> list[bool]:
    alerts = [False] * len(n_rows)
    order = [number for number, hits in enumerate(found) if hits]
    for number in sorted(order, key=lambda one: found[one] / n_rows[one], reverse=True):
        if n_rows[number] <= most:
            alerts[number] = True
            most -= n_rows[number]
    return alerts
