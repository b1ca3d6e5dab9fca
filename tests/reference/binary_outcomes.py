"""The oracle of ratios and limits: what every list of a small table does, by trying all of them.

For losses that are no sums over rules: how many rows of one class a list finds, how many others it
takes for them, with how many rules. It shares no code with the package.
"""

from collections.abc import Sequence
from functools import cache

from tests.reference.brute_force import candidates

# Rules, weight of the class that is found, weight of the other that is taken for it.
Outcome = tuple[int, int, int]


def outcomes(
    rows: Sequence[Sequence[int]],
    codes: Sequence[int],
    weights: Sequence[int],
    *,
    wanted: int,
    max_rules: int,
    max_terms: int = 1,
) -> frozenset[Outcome]:
    """Return what lists of at most `max_rules` rules do, rules predicting either of two classes."""
    n_rows = len(rows)
    matches = {
        sum(1 << i for i in range(n_rows) if all(rows[i][j] for j in terms))
        for terms in candidates(len(rows[0]), max_terms)
    }
    hits = sum(1 << i for i in range(n_rows) if codes[i] == wanted)

    @cache
    def weight(some_rows: int) -> int:
        return sum(weights[i] for i in range(n_rows) if some_rows >> i & 1)

    def decided(some_rows: int) -> tuple[tuple[int, int], tuple[int, int]]:
        return (0, 0), (weight(some_rows & hits), weight(some_rows & ~hits))

    @cache
    def of(undecided: int, n_left: int) -> frozenset[Outcome]:
        found = {(0, *one) for one in decided(undecided)}
        if n_left:
            for matched in matches:
                if not undecided & matched:
                    continue
                for n_rules, a, b in of(undecided & ~matched, n_left - 1):
                    found |= {(n_rules + 1, a + c, b + d) for c, d in decided(undecided & matched)}
        return frozenset(found)

    return of((1 << n_rows) - 1, max_rules)
