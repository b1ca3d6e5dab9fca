"""The oracle for near-optimal lists: all lists of a small table, grouped by what they predict."""

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
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
    best: dict[Prediction, tuple[Fraction, int, tuple[int, ...]]] = {}
    for n_rules in range(table.max_rules + 1):
        for places in permutations(range(len(everything)), n_rules):
            rules = [everything[place] for place in places]
            what = judged(table, rules) if obeys(rules) else None
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
    """Cost and predictions of a list; None if a rule decides too little."""
    left = set(range(len(table.codes)))
    predicted: dict[int, Hashable] = {}
    cost = Fraction(0)
    for terms in [*rules, ()]:
        decided = {row for row in left if all(table.rows[row][term] for term in terms)}
        left -= decided
        weights = [
            sum(table.whole_weights[row] for row in decided if table.codes[row] == one)
            for one in range(table.n_classes)
        ]
        is_rule = len(terms) > 0
        if is_rule and (sum(weights) == 0 or sum(weights) < table.min_weight):
            return None
        cost += table.objective.price(weights) + (table.rule_cost if is_rule else 0)
        predicted |= dict.fromkeys(decided, _prediction(table, weights))
    kind = tuple(predicted[row] for row in range(len(table.codes)) if table.whole_weights[row] > 0)
    return cost, kind


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
