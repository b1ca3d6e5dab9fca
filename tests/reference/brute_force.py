"""The oracle: the best rule list of a small table, by trying all of them.

Written from the statement of the problem alone, and slow on purpose. It shares no code with
the package. Rows are bits of a Python integer; every choice of the next rule is tried, and
what is left to decide is remembered per set of undecided rows, which changes nothing but the
time. Costs are exact fractions.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import NamedTuple

Candidate = tuple[int, ...]


class Best(NamedTuple):
    """The first of all lists in the order: least cost, fewest rules, smallest candidates."""

    cost: Fraction  # Misclassified weight + rule_cost per rule.
    n_rules: int
    candidates: tuple[int, ...]  # Positions in the order of `candidates()`.


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
) -> list[tuple[Fraction, list[Candidate]]]:
    """Cost and rules of the best list with at most 0, 1, ..., max_rules rules."""
    n_rows, n_columns = len(rows), len(rows[0])
    all_candidates = candidates(n_columns, max_terms)
    matched_by = [
        sum(1 << i for i in range(n_rows) if all(rows[i][j] for j in terms))
        for terms in all_candidates
    ]
    of_class = [
        sum(1 << i for i in range(n_rows) if codes[i] == one_class) for one_class in range(n_classes)
    ]

    @cache
    def weight(some_rows: int) -> int:
        return sum(weights[i] for i in range(n_rows) if some_rows >> i & 1)

    @cache
    def errors(some_rows: int) -> int:
        """What the majority class gets wrong."""
        return weight(some_rows) - max(weight(some_rows & members) for members in of_class)

    @cache
    def best(undecided: int, n_left: int) -> Best:
        result = Best(Fraction(errors(undecided)), 0, ())
        if n_left == 0:
            return result
        for position, matched in enumerate(matched_by):
            decided = undecided & matched
            if weight(decided) < min_weight:
                continue
            rest = best(undecided & ~matched, n_left - 1)
            found = Best(
                errors(decided) + rule_cost + rest.cost,
                1 + rest.n_rules,
                (position, *rest.candidates),
            )
            result = min(result, found)
        return result

    everything = (1 << n_rows) - 1
    found = [best(everything, n_left) for n_left in range(max_rules + 1)]
    return [(one.cost, [all_candidates[i] for i in one.candidates]) for one in found]
