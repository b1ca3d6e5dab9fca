"""The oracle: the best rule list of a small table, by trying all of them.

Written from the statement of the problem alone, and slow on purpose. It shares no code with
the package. Sets of rows are bits of a Python integer; every choice of the next rule is
tried, and the best way to go on is remembered per set of undecided rows, which changes
nothing but the time. Costs are whole numbers or fractions, so that ties are ties.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import NamedTuple

from tests.reference.group_prices import GroupPrice, error_price

Candidate = tuple[int, ...]


class Best(NamedTuple):
    """The first of all lists in the order: least cost, fewest rules, smallest candidates."""

    cost: int | Fraction  # In units of 1 / rule_cost.denominator.
    n_rules: int
    candidates: tuple[int, ...]  # Positions in the order of `candidates()`.
    about: float  # The cost, rounded.


def candidates(n_columns: int, max_terms: int) -> list[Candidate]:
    """All conjunctions: fewer terms first, then by their column numbers."""
    return [
        terms
        for n_terms in range(1, max_terms + 1)
        for terms in combinations(range(n_columns), n_terms)
    ]


def best_lists(
    rows: Sequence[Sequence[int]],
    codes: Sequence[int],
    weights: Sequence[int],
    *,
    n_classes: int,
    max_rules: int,
    max_terms: int,
    rule_cost: Fraction,
    min_weight: int,
    price: GroupPrice = error_price,
) -> list[tuple[Fraction, list[Candidate]]]:
    """Cost and rules of the best list with at most 0, 1, ..., max_rules rules.

    Cost = price of the rows that each rule and the default decide + rule_cost per rule. A rule
    must be the first to match rows of at least `min_weight`.
    """
    n_rows, n_columns = len(rows), len(rows[0])
    # Of candidates that match the same rows only the first can be in the first of all lists.
    candidate_of: dict[int, int] = {}
    all_candidates = candidates(n_columns, max_terms)
    for position, terms in enumerate(all_candidates):
        matched = sum(1 << i for i in range(n_rows) if all(rows[i][j] for j in terms))
        candidate_of.setdefault(matched, position)
    of_class = [sum(1 << i for i in range(n_rows) if codes[i] == one) for one in range(n_classes)]

    @cache
    def weight(some_rows: int) -> int:
        return sum(weights[i] for i in range(n_rows) if some_rows >> i & 1)

    per_row, per_rule = rule_cost.denominator, rule_cost.numerator

    @cache
    def price_of(some_rows: int) -> tuple[int | Fraction, float]:
        exact = per_row * price([weight(some_rows & members) for members in of_class])
        return exact, float(exact)

    # Fractions are slow: costs that differ by more than rounding are compared rounded.
    sure = 1e-9 * (per_row * sum(weights) + per_rule * max_rules)

    @cache
    def best(undecided: int, n_left: int) -> Best:
        exact, about = price_of(undecided)
        result = Best(exact, 0, (), about)
        if n_left == 0:
            return result
        for matched, position in candidate_of.items():
            decided = undecided & matched
            if decided == 0 or weight(decided) < min_weight:
                continue  # A rule that decides nothing only adds to the number of rules.
            rest = best(undecided & ~matched, n_left - 1)
            exact, about = price_of(decided)
            about += per_rule + rest.about
            if about > result.about + sure:
                continue
            found = Best(
                exact + per_rule + rest.cost,
                1 + rest.n_rules,
                (position, *rest.candidates),
                about,
            )
            result = min(result, found)
        return result

    everything = (1 << n_rows) - 1
    found = [best(everything, n_left) for n_left in range(max_rules + 1)]
    return [
        (Fraction(one.cost) / per_row, [all_candidates[i] for i in one.candidates]) for one in found
    ]
