"""The oracle for near-optimal lists: all lists of a small table, grouped by what they predict."""

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from functools import cache
from itertools import permutations

from tests.reference.brute_force import Candidate, candidates
from tests.reference.random_tables import SmallTable

Prediction = tuple[Hashable, ...]


def good_lists_of(
    table: SmallTable,
    most_cost: Fraction,
    obeys: Callable[[Sequence[Candidate]], bool] = lambda _rules: True,
) -> list[tuple[Fraction, tuple[Candidate, ...]]]:
    """Cost and rules of the best list of each kind that costs at most `most_cost`, in order.

    Only lists that obey count.

    Lists are of one kind if they predict the same for every row that weighs anything: the class,
    or where there is a Brier score the class shares. Of a kind the first is kept by cost, number
    of rules, and places of the candidates.
    """
    everything = candidates(table.rows.shape[1], table.max_terms)
    judge = Judge(table, everything)
    best: dict[Prediction, tuple[Fraction, int, tuple[int, ...]]] = {}
    for n_rules in range(table.max_rules + 1):
        for places in permutations(range(len(everything)), n_rules):
            what = judge(places) if obeys([everything[place] for place in places]) else None
            if what is None:
                continue
            cost, kind = what
            found = (cost, n_rules, places)
            if cost <= most_cost and (kind not in best or found < best[kind]):
                best[kind] = found
    return [
        (cost, tuple(everything[place] for place in places))
        for cost, _, places in sorted(best.values())
    ]


def judged(table: SmallTable, rules: Sequence[Candidate]) -> tuple[Fraction, Prediction] | None:
    """Cost and predictions of one list; None if a rule decides too little."""
    return Judge(table, rules)(range(len(rules)))


class Judge:
    """Cost and predictions of lists of some rules. Sets of rows are bits of a Python integer."""

    def __init__(self, table: SmallTable, rules: Sequence[Candidate]) -> None:
        self.table = table
        self.rows = range(len(table.codes))
        self.matched = [
            sum(1 << row for row in self.rows if all(table.rows[row][term] for term in terms))
            for terms in rules
        ]
        # What a set of rows weighs, costs and predicts does not depend on the list.
        self.group = cache(self._group)

    def __call__(self, places: Sequence[int]) -> tuple[Fraction, Prediction] | None:
        """Cost and predictions of a list; None if a rule decides too little."""
        left = (1 << len(self.rows)) - 1
        predicted: list[Hashable] = [None] * len(self.rows)
        cost = len(places) * self.table.rule_cost
        for place in [*places, None]:
            decided = left if place is None else left & self.matched[place]
            left &= ~decided
            weight, price, prediction, heavy = self.group(decided)
            if place is not None and (weight == 0 or weight < self.table.min_weight):
                return None
            cost += price
            for row in heavy:
                predicted[row] = prediction
        return cost, tuple(predicted)

    def _group(self, decided: int) -> tuple[int, Fraction, Hashable, list[int]]:
        weighs = self.table.whole_weights
        members = [row for row in self.rows if decided >> row & 1]
        weights = [
            sum(weighs[row] for row in members if self.table.codes[row] == one)
            for one in range(self.table.n_classes)
        ]
        price, prediction = self.table.objective.price(weights), _prediction(self.table, weights)
        return sum(weights), price, prediction, [row for row in members if weighs[row] > 0]


def _prediction(table: SmallTable, weights: Sequence[int]) -> Hashable:
    if Fraction(table.objective.brier_share) > 0:
        return tuple(Fraction(one, max(sum(weights), 1)) for one in weights)
    if table.objective.costs is None:
        return weights.index(max(weights))
    prices = [
        sum(
            weight * Fraction(row[place])
            for weight, row in zip(weights, table.objective.costs, strict=True)
        )
        for place in range(table.n_classes)
    ]
    return prices.index(min(prices))
