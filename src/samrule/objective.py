"""What a list is to minimize: errors, what they cost, the Brier score of its shares, or a mixture.

Each is a minimum of linear functions of the class weights of a group of rows, with slopes from 0 to
1: that is all the search and the certificates need to know (docs/objectives.md). Only 1 - F1 is a
ratio, which `samrule.solver.f1` finds by searches with costs.
"""

import difflib
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real
from typing import Any

from samrule.checks import LossName
from samrule.errors import Parameter, ParameterError, ParameterTypeError, Words
from samrule.rules import value_text

# Costs by true and predicted class, or a matrix in the order of the classes.
Costs = Mapping[tuple[Any, Any], float] | Sequence[Sequence[float]] | None
Objectives = str | Sequence[str] | Mapping[str, float]

_WORDS = ("error", "brier")
# native/src/cost.hpp: `unit`.
_UNITS_PER_ROW = 2**28


@dataclass(frozen=True, slots=True)
class Objective:
    """What a group of rows costs that one rule decides; the loss of a list is their mean cost.

    Parameters
    ----------
    brier_share
        The share of the Brier score of predicting the group's class shares; the rest is what the
        class predicted costs.
    costs
        What a row costs by its class and the class predicted, from 0 to 1; None if wrong ones cost
        1 and right ones nothing.
    positive
        The place of the class whose F1 is to be greatest, which is no cost of groups but a ratio
        (`samrule.solver.f1`); None if costs are minimized.

    Examples
    --------
    >>> float(Objective().group_cost((3, 1))), float(Objective(brier_share=1).group_cost((3, 1)))
    (1.0, 0.75)
    """

    brier_share: float = 0.0
    costs: tuple[tuple[float, ...], ...] | None = None
    positive: int | None = None

    @property
    def is_error(self) -> bool:
        """Whether it is the share of rows that are wrong."""
        return self.brier_share == 0 and self.costs is None and not self.is_f1

    @property
    def is_f1(self) -> bool:
        """Whether it is 1 - F1 of a class."""
        return self.positive is not None

    @property
    def is_probabilistic(self) -> bool:
        """Whether class shares count, and not only the class predicted."""
        return self.brier_share > 0

    @property
    def loss_name(self) -> LossName:
        """What its loss, the price of the rules included, is called.

        >>> Objective(brier_share=1).loss_name
        'Brier loss'
        """
        if self.is_f1:
            return "1 - F1"
        if self.brier_share == 1:
            return "Brier loss"
        if self.brier_share > 0:
            return "mixed loss"
        return "loss" if self.costs is None else "cost"

    def best_place(self, of_class: Sequence[float], allowed: Sequence[bool] | None = None) -> int:
        """Return the place of the class to predict: the cheapest, and the first of several.

        If only some classes are `allowed`, the cheapest of those.
        """
        if allowed is not None and not all(allowed):
            prices = self._prices(of_class)
            return min((place for place, may in enumerate(allowed) if may), key=prices.__getitem__)
        if self.costs is None:
            return of_class.index(max(of_class))
        prices = self._prices(of_class)
        return prices.index(min(prices))

    def group_cost(self, of_class: Sequence[float]) -> Fraction:
        """Return what a group of rows costs, given its weight by class; exact."""
        share = as_written(self.brier_share)
        return (1 - share) * min(self._prices(of_class)) + share * _brier(of_class)

    def predicted_cost(self, of_class: Sequence[float], place: int) -> Fraction:
        """Return what a group of rows costs if the class at this place is predicted; exact."""
        share = as_written(self.brier_share)
        return (1 - share) * self._prices(of_class)[place] + share * _brier(of_class)

    def searched_off(self, searched: Fraction, total: Fraction) -> Fraction:
        """Return how much too dear the search may make a list: it rounds shares and costs to 2^-28.

        With s the share and c a cost, (1 - s) is off by half a unit, (1 - s) c by half a unit more,
        and s times the Brier score of a row, at most one half, by a quarter: less than two units a
        row. Where costs alone count, a row that costs anything costs at least the least of them
        that is not 0, so the list is too dear by at most that part of what it costs.
        """
        unit = Fraction(2, _UNITS_PER_ROW)
        whole = (as_written(self.brier_share) * _UNITS_PER_ROW).denominator == 1
        if whole and self.costs is None:
            return Fraction(0)
        if self.brier_share > 0 or self.costs is None:
            return unit * total
        least = min(as_written(cost) for row in self.costs for cost in row if cost > 0)
        return min(unit * total, unit / least * searched)

    def loss_without_rules(self, of_class: Sequence[float]) -> float:
        """Return the loss of the best list without rules, given the rows' weight by class.

        Of F1, that part of the rows which a list misses that never predicts the class: what a price
        per rule is compared with.
        """
        total = sum(map(Fraction, of_class))
        if self.positive is not None:
            return float(Fraction(of_class[self.positive]) / total)
        return float(self.group_cost(of_class) / total) if total else 0.0

    def row_losses(self, shares: Sequence[float], place: int) -> list[float]:
        """Return what a row of each class costs where these shares and this class are predicted."""
        classes = range(len(shares))
        squares = sum(share * share for share in shares)
        costs = [[float(a != b) for b in classes] for a in classes]
        return [
            (1 - self.brier_share) * (self.costs or costs)[true][place]
            + self.brier_share * (squares - 2 * shares[true] + 1) / 2
            for true in classes
        ]

    def _prices(self, of_class: Sequence[float]) -> list[Fraction]:
        """Return what the rows cost by the class predicted."""
        weights = [Fraction(weight) for weight in of_class]
        if self.costs is None:
            total = sum(weights)
            return [total - weight for weight in weights]
        return [
            sum((w * as_written(row[said]) for w, row in zip(weights, self.costs, strict=True)),
                Fraction(0))
            for said in range(len(weights))
        ]  # fmt: skip


ERROR = Objective()


def checked_objective(objective: object, costs: object = None) -> float:
    """Return the share of the Brier score, if objective and costs are of the right kind.

    Whether costs name the right classes is seen when these are known (`objective_of`).

    Examples
    --------
    >>> checked_objective("error"), checked_objective(("error", "brier"))
    (0.0, 0.5)
    >>> checked_objective({"error": 0.75, "brier": 0.25})
    0.25
    """
    share = _brier_share(objective)
    _check_kind(costs)
    if costs is not None and (share == 1 or objective == "f1"):
        raise ParameterError(
            Words(
                Parameter("objective", "brier" if share == 1 else "f1"),
                " does not depend on ",
                Parameter("costs"),
                ", which is given too.",
            ),
            hint=Words(
                "leave ",
                Parameter("costs"),
                " out, or mix: ",
                Parameter("objective", {"error": 0.5, "brier": 0.5}),
                ".",
            ),
        )
    return share


def objective_of(
    objective: "Objectives | Objective",
    costs: Costs,
    classes: Sequence[Hashable],
    of_class: Sequence[float] = (),
) -> Objective:
    """Return what to minimize, given the classes in their order and the weight of each.

    Costs are divided by the largest. Those of a mapping that are not named are 1, or 0 for the
    right class.

    Examples
    --------
    >>> objective_of("error", {("bad", "good"): 10}, ["bad", "good"]).costs
    ((0.0, 1.0), (0.1, 0.0))
    """
    if isinstance(objective, Objective):
        return objective
    brier_share = checked_objective(objective, costs)
    if objective == "f1":
        return _f1(classes, of_class)
    if costs is None:
        return Objective(brier_share)
    if isinstance(costs, Mapping):
        matrix = _matrix_named(costs, classes)
    else:
        matrix = _matrix_given(costs, classes)
    largest = max(max(row) for row in matrix)
    if largest == 0:
        raise ParameterError(
            Words(Parameter("costs"), " are 0 everywhere; expected some wrong class to cost."),
            hint="write {('bad', 'good'): 10}: a bad one taken for good costs ten times as much.",
        )
    scaled = tuple(tuple(float(cost / largest) for cost in row) for row in matrix)
    if all(
        cost == (true != said) for true, row in enumerate(scaled) for said, cost in enumerate(row)
    ):
        return Objective(brier_share)
    return Objective(brier_share, scaled)


def _f1(classes: Sequence[Hashable], of_class: Sequence[float]) -> Objective:
    """Return 1 - F1 of the rarer of two classes."""
    if len(classes) != 2 or not all(of_class):
        shown = ", ".join(map(value_text, classes[:10]))
        raise ParameterError(
            Words(
                Parameter("objective"),
                f" is 'f1', but there are {len(classes)} classes ({shown}), or one without rows; "
                "expected two, of which the rarer is to be found.",
            ),
            hint="make a column that says whether a row is of the class to be found.",
        )
    return Objective(positive=rarer_place(of_class))


def rarer_place(of_class: Sequence[float]) -> int:
    """Return the place of the rarer of two classes; of equally frequent ones, of the second.

    >>> rarer_place([0.9, 0.1]), rarer_place([3, 5]), rarer_place([5, 5])
    (1, 0, 1)
    """
    first, second = of_class
    return 0 if first < second else 1


def as_written(number: float) -> Fraction:
    """Return the decimal number a person wrote: 0.1 is one tenth, not the double next to it."""
    return Fraction(repr(number))


def _brier(of_class: Sequence[float]) -> Fraction:
    weights = [Fraction(weight) for weight in of_class]
    total = sum(weights)
    return (total - sum(w * w for w in weights) / total) / 2 if total else Fraction(0)


def _brier_share(objective: object) -> float:
    if isinstance(objective, Objective):
        return objective.brier_share
    if isinstance(objective, str) and objective in (*_WORDS, "f1"):
        return float(objective == "brier")
    if isinstance(objective, Mapping):
        return _share_of_mixture(objective)
    if isinstance(objective, list | tuple) and sorted(objective, key=str) == sorted(_WORDS):
        return 0.5
    raise ParameterError(
        Words(
            Parameter("objective"),
            f" is {objective!r}; expected 'error', 'brier', a share of each, or 'f1'.",
        ),
        hint=Words(
            Parameter("objective", "brier"),
            " gives probabilities to trust; ",
            Parameter("objective", {"error": 0.5, "brier": 0.5}),
            " counts both.",
        ),
    )


def _share_of_mixture(shares: Mapping[Any, Any]) -> float:
    numbers = [
        value
        for name, value in shares.items()
        if name in _WORDS and isinstance(value, Real) and math.isfinite(value)
    ]
    whole = sum(as_written(float(one)) for one in numbers)
    if len(numbers) != len(shares) or min(numbers, default=-1) < 0 or whole != 1:
        raise ParameterError(
            Words(
                Parameter("objective"),
                f" is {dict(shares)!r}; expected shares of 'error' and 'brier' that add up to 1.",
            ),
            hint=Words("write ", Parameter("objective", {"error": 0.5, "brier": 0.5}), "."),
        )
    return float(shares.get("brier", 0.0))


def _check_kind(costs: object) -> None:
    if costs is None:
        return
    if isinstance(costs, Mapping):
        for pair, cost in costs.items():
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise ParameterTypeError(
                    Words(
                        Parameter("costs"),
                        f" names {pair!r}; expected a pair of the true and the predicted class.",
                    ),
                    hint="write {('bad', 'good'): 10}.",
                )
            _check_cost(cost, f"of {pair[0]!r} predicted as {pair[1]!r}")
        return
    if isinstance(costs, str) or not hasattr(costs, "__len__"):
        raise ParameterTypeError(
            Words(
                Parameter("costs"),
                f" is {costs!r} ({type(costs).__name__}); expected costs by true and predicted "
                "class, or a matrix of them.",
            ),
            hint="write {('bad', 'good'): 10}, or a row per true class: [[0, 10], [1, 0]].",
        )


def _check_cost(cost: object, what: str) -> Fraction:
    if hasattr(cost, "item"):
        cost = cost.item()
    if isinstance(cost, bool) or not isinstance(cost, Real):
        raise ParameterTypeError(
            Words(Parameter("costs"), f" {what} is {cost!r}; expected a number."),
            hint="write {('bad', 'good'): 10}.",
        )
    if not 0 <= float(cost) < math.inf:
        raise ParameterError(
            Words(
                Parameter("costs"), f" {what} is {cost!r}; expected a finite number of 0 or more."
            ),
            hint="what costs nothing has cost 0; gains are costs of the other predictions.",
        )
    return as_written(float(cost))


def _matrix_named(
    costs: Mapping[tuple[Any, Any], float], classes: Sequence[Hashable]
) -> list[list[Fraction]]:
    matrix = [[Fraction(true != said) for said in classes] for true in classes]
    for (true, said), cost in costs.items():
        row, column = _place_of(true, classes), _place_of(said, classes)
        matrix[row][column] = _check_cost(cost, f"of {true!r} predicted as {said!r}")
    return matrix


def _matrix_given(costs: Any, classes: Sequence[Hashable]) -> list[list[Fraction]]:
    shape = [len(row) if hasattr(row, "__len__") else 0 for row in costs]
    if shape != [len(classes)] * len(classes):
        raise ParameterError(
            Words(
                Parameter("costs"),
                f" have rows of {shape} costs; expected {len(classes)} rows of {len(classes)}, one "
                "per class in order: " + ", ".join(map(value_text, classes[:10])) + ".",
            ),
            hint="write costs by name: {('bad', 'good'): 10}.",
        )
    return [
        [_check_cost(cost, f"in row {i}, column {j},") for j, cost in enumerate(row)]
        for i, row in enumerate(costs)
    ]


def _place_of(name: Any, classes: Sequence[Hashable]) -> int:
    """Return the place of a class: itself, or the one that reads so, as on the command line."""
    for place, one in enumerate(classes):
        if one == name and type(one) is type(name):
            return place
    reading_so = [i for i, one in enumerate(classes) if name == one or name in _texts(one)]
    if len(reading_so) == 1:
        return reading_so[0]
    near = difflib.get_close_matches(str(name), [str(one) for one in classes], n=1)
    shown = ", ".join(repr(one) for one in classes[:10])
    raise ParameterError(
        Words(Parameter("costs"), f" names {name!r}; the classes are {shown}."),
        hint=f"did you mean {near[0]}?" if near else "name classes as the table does.",
    )


def _texts(one: Hashable) -> tuple[str, str]:
    return str(one), value_text(one)
