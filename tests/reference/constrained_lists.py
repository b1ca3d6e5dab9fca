"""The oracle for constraints: the best list that obeys them, by trying every list.

Written from the statement of the constraints alone; it shares no code with the search.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, permutations, product

from tests.reference.group_prices import brier_price

Terms = tuple[int, ...]
# What a group costs, by the weight of each class in it and the class predicted.
PredictedPrice = Callable[[Sequence[int], int], int | Fraction]


def error_price(of_class: Sequence[int], said: int) -> int:
    """Return the weight of the other classes."""
    return sum(of_class) - of_class[said]


def mixed_price(of_class: Sequence[int], said: int) -> Fraction:
    """Return half the errors and half the Brier score of the group's shares."""
    return (error_price(of_class, said) + brier_price(of_class)) / 2


@dataclass(frozen=True)
class Asked:
    """The constraints, by numbers of conditions and letters of columns.

    A fixed rule is its conditions, and the class it predicts or None.
    """

    columns: Sequence[str]  # Of each condition.
    sides: Sequence[str]  # Of each condition: "high", "low", "missing" or "other".
    forbid: frozenset[int] = frozenset()
    apart: Sequence[tuple[str, ...]] = ()
    require_columns: Sequence[str] = ()
    require_conditions: Sequence[int] = ()
    at_most: dict[str, int] = field(default_factory=dict)
    first: Sequence[tuple[Terms, int | None]] = ()
    last: Sequence[tuple[Terms, int | None]] = ()
    monotone: dict[str, int] = field(default_factory=dict)
    max_columns: int | None = None
    groups: Sequence[tuple[str, ...]] = ()

    def obeyed_by(self, rules: Sequence[Terms]) -> bool:
        """Whether a list of these rules, the fixed ones among them, obeys, classes apart."""
        of_rule = [{self.columns[one] for one in rule} for rule in rules]
        used = set().union(*of_rule) if of_rule else set()
        asked = {one for rule in rules for one in rule}
        return (
            all(len(used & set(some)) <= 1 for some in self.apart)
            and used >= set(self.require_columns)
            and asked >= set(self.require_conditions)
            and all(sum(c in one for one in of_rule) <= n for c, n in self.at_most.items())
            and (self.max_columns is None or len(used) <= self.max_columns)
            and all(used & set(some) in (set(), set(some)) for some in self.groups)
        )

    def may_predict(self, rule: Terms, predicted: int) -> bool:
        """Whether a rule of two classes may predict this one."""
        for one in rule:
            way = self.monotone.get(self.columns[one])
            if way is None or self.sides[one] == "missing":
                continue
            if self.sides[one] == "other":
                return False
            wanted = 1 if (self.sides[one] == "high") == (way == 1) else 0
            if predicted != wanted:
                return False
        return True


def best_obeying(
    rows: Sequence[Sequence[int]],
    codes: Sequence[int],
    weights: Sequence[int],
    asked: Asked,
    *,
    n_classes: int,
    max_rules: int,
    max_terms: int,
    rule_cost: Fraction,
    min_weight: int,
    price: PredictedPrice = error_price,
) -> Fraction | None:
    """Return the cost of the best list that obeys; None if none does."""
    n_columns = len(rows[0])
    candidates = [
        terms
        for n_terms in range(1, max_terms + 1)
        for terms in combinations(range(n_columns), n_terms)
        if asked.forbid.isdisjoint(terms)
    ]
    first, last = list(asked.first), list(asked.last)
    best: Fraction | None = None
    for own in _lists(candidates, max_rules - len(first) - len(last)):
        rules = [terms for terms, _ in first] + list(own) + [terms for terms, _ in last]
        if not asked.obeyed_by(rules):
            continue
        fixed = [one for _, one in first] + [None] * len(own) + [one for _, one in last]
        may = [
            [
                one
                for one in range(n_classes)
                if said in (None, one) and asked.may_predict(terms, one)
            ]
            for terms, said in zip(rules, fixed, strict=True)
        ]
        groups = _groups(rows, codes, weights, rules, n_classes)
        searched = range(len(first), len(first) + len(own))
        if any(sum(groups[place]) < min_weight for place in searched):
            continue
        if not all(may):
            continue
        cost = rule_cost * len(rules) + sum(
            min(price(group, one) for one in some)
            for group, some in zip(groups, [*may, range(n_classes)], strict=True)
        )
        best = cost if best is None else min(best, cost)
    return best


def _lists(candidates: Sequence[Terms], most: int) -> Iterator[tuple[Terms, ...]]:
    for n_rules in range(most + 1):
        yield from permutations(candidates, n_rules)


def _groups(
    rows: Sequence[Sequence[int]],
    codes: Sequence[int],
    weights: Sequence[int],
    rules: Sequence[Terms],
    n_classes: int,
) -> list[list[int]]:
    """Weight of each class that each rule decides, the default last."""
    groups = [[0] * n_classes for _ in range(len(rules) + 1)]
    for row, code, weight in zip(rows, codes, weights, strict=True):
        place = next(
            (i for i, rule in enumerate(rules) if all(row[one] for one in rule)), len(rules)
        )
        groups[place][code] += weight
    return groups


def is_monotone(
    values: Sequence[Sequence[float]], predicted: Sequence[int], column: int, way: int
) -> bool:
    """Whether no two rows that differ in one column alone are predicted against its way."""
    for (here, low), (there, high) in product(zip(values, predicted, strict=True), repeat=2):
        others = all(
            a == b for i, (a, b) in enumerate(zip(here, there, strict=True)) if i != column
        )
        if others and here[column] < there[column] and (high - low) * way < 0:
            return False
    return True
