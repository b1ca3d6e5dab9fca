"""How many conjunctions of one column's conditions say something new, for the theory to count.

The values that a column can hold fall into cells that no condition divides: between two ends, at
a level, at any other level. A condition is the set of cells where it holds, so two conditions
together say something new if the cells they share are some, and those of no single condition.
"""

from collections.abc import Sequence
from itertools import combinations

from samrule.errors import ParameterError
from samrule.rules import Condition, Operator
from samrule.theory.conjunctions import Column


def column_count(conditions: Sequence[Condition]) -> Column:
    """Return how many conditions there are on one column, and pairs that say something new.

    Pairs that hold in the same cells count once, and none that never hold or that hold where one
    condition does.

    Guarantee
    ---------
    Every conjunction of these conditions never holds, or holds where one of them or a pair that
    is counted does (docs/theory/growth.md, "column_count"). Where three say what no two do, as
    sets can that do not lie in each other, it is an error.

    Examples
    --------
    >>> within = Condition("age", "within", (20, 40))
    >>> column_count([*within.parts, Condition("age", "<", 20)])
    Column(n_conditions=3, n_pairs=1)
    >>> column_count([*within.parts, Condition("age", "<", 20), within])
    Column(n_conditions=4, n_pairs=0)
    """
    if len({one.unit for one in conditions}) > 1:
        raise ParameterError(
            f"conditions on {conditions[0].column!r} ask for several of its parts: "
            + ", ".join(str(one) for one in conditions[:10])
            + ".",
            hint="give those of each part a place of their own in by_column.",
        )
    singles = set(_cells(conditions))
    # What holds in one cell holds there with any other condition, or never.
    divisible = [cells for cells in singles if cells.bit_count() > 1]
    pairs = {one & other for one, other in combinations(divisible, 2)} - singles - {0}
    known = {0} | singles | pairs
    # Of conditions on ends two say all: the highest lower end, the lowest upper end.
    are_ends = all(one.op in _ENDS for one in conditions)
    if not are_ends and any(pair & other not in known for pair in pairs for other in divisible):
        raise ParameterError(
            f"three of the conditions on {conditions[0].column!r} say together what no two do: "
            + ", ".join(str(one) for one in conditions[:10])
            + ".",
            hint="let sets of a column lie in each other, as cuts of an order do.",
        )
    return Column(len(conditions), len(pairs))


def _cells(conditions: Sequence[Condition]) -> list[int]:
    """Return for each condition the cells where it holds, a bit each; the first is "missing".

    Ends are marks: (value, False) just below a value, (value, True) just above it.
    """
    marks = {mark for one in conditions for mark in _marks(one)}
    try:
        order = {mark: place for place, mark in enumerate(sorted(marks), start=1)}
    except TypeError:
        raise ParameterError(
            f"the conditions on {conditions[0].column!r} compare it with values of different "
            "kinds: " + ", ".join(str(one) for one in conditions[:10]) + ".",
            hint="compare a column with numbers, dates, moments or times of day, not with several "
            "of these.",
        ) from None
    return [_held(one, order) for one in conditions]


def _marks(condition: Condition) -> list[tuple[object, bool]]:
    if condition.op in _ENDS:
        return [(value, False) for value in condition.values]
    return [(value, above) for value in condition.values for above in (False, True)]


_ENDS = {Operator.AT_LEAST, Operator.LESS, Operator.WITHIN}


def _held(condition: Condition, order: dict[tuple[object, bool], int]) -> int:
    """Return the cells as bits: bit 0 is "missing", bit i + 1 what lies above i marks."""
    if condition.op == Operator.IS_MISSING:
        return 1
    present = (1 << len(order) + 2) - 2
    if condition.op in _ENDS:
        cells = present
        for part in condition.parts:
            below = (1 << order[part.value, False] + 1) - 2
            cells &= below if part.op == Operator.LESS else ~below
        return cells
    at = sum(1 << order[value, False] + 1 for value in condition.values)
    return present & ~at if condition.op in _OTHERS else at


_OTHERS = {Operator.NOT_EQUAL, Operator.NOT_IN}
