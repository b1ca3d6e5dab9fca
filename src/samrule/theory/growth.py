"""How many different rule lists there are: the paper's growth function and a tighter count.

Letters: d conditions, at most k rules (`max_rules`) of at most z terms each (`max_terms`),
D' distinct conjunctions (`n_conjunctions`), C classes.
"""

import math

from samrule.checks import checked_integer
from samrule.theory.rounding import round_up
from samrule.theory.shape import checked_shape


def growth_upper_bound(n_conjunctions: int, *, max_rules: int) -> int:
    """Return the paper's bound Lambda(k, d) on the number of two-class prediction functions (A1).

    Stated in the paper for one term per rule, where the number of conjunctions is d; the same
    proof covers any z with D' in the place of d.

    Guarantee
    ---------
    Exact integer arithmetic: ``2 + sum_j 2^j D' (D' - 1) ... (D' - j + 1)`` for j = 1 to k, never
    below the number of functions that lists of at most k rules can express
    (docs/theory/growth.md, "growth_upper_bound").

    Examples
    --------
    >>> growth_upper_bound(3, max_rules=2)
    32
    """
    n = checked_integer("n_conjunctions", n_conjunctions)
    k = checked_integer("max_rules", max_rules)
    return 2 + sum((1 << j) * math.perm(n, j) for j in range(1, k + 1))


def complexity(n_conditions: int, *, max_rules: int, max_terms: int = 1) -> float:
    """Return the paper's complexity omega = k z ln(2 e d / z) + 2, for two classes (A4).

    Guarantee
    ---------
    Rounded up; at least the logarithm of the number of two-class prediction functions
    (docs/theory/growth.md, "complexity").

    Examples
    --------
    >>> round(complexity(175, max_rules=4), 1)
    29.4
    """
    d, k, z = checked_shape(n_conditions, max_rules, max_terms)
    # ln(2 e d / z) term by term: math.log takes integers of any size, 2 e d may overflow.
    return round_up(k * z * (math.log(2) + 1 + math.log(d) - math.log(z)) + 2, ulps=16)


def n_rule_lists_upper_bound(n_conjunctions: int, *, max_rules: int, n_classes: int = 2) -> int:
    """Return the number of rule lists up to commuting rules, N(k, D', C) (part B).

    Neighbouring rules with the same label commute, so a list is a sequence of *sets* of
    conjunctions whose labels alternate, followed by a default that differs from the last label.

    Guarantee
    ---------
    Exact integer arithmetic; never below the number of prediction functions, equal to it for one
    term per rule, and never above `growth_upper_bound` for two classes
    (docs/theory/growth.md, "n_rule_lists_upper_bound").

    Examples
    --------
    >>> n_rule_lists_upper_bound(3, max_rules=2)
    26
    >>> n_rule_lists_upper_bound(3, max_rules=2, n_classes=3)
    111
    """
    n = checked_integer("n_conjunctions", n_conjunctions)
    k = checked_integer("max_rules", max_rules)
    c = checked_integer("n_classes", n_classes)
    longest = min(k, n)  # a conjunction that comes a second time never decides
    arrangements = _labelled_arrangements(longest, c - 1)
    return c * sum(math.comb(n, j) * arrangements[j] for j in range(longest + 1))


def log_n_rule_lists(n_conjunctions: int, *, max_rules: int, n_classes: int = 2) -> float:
    """Return ln N(k, D', C), which takes omega's place in the tighter statements (part B).

    Guarantee
    ---------
    The logarithm of the exact integer, rounded up (docs/theory/growth.md, "log_n_rule_lists").

    Examples
    --------
    >>> round(log_n_rule_lists(175, max_rules=4), 1)
    22.5
    >>> from samrule.theory.conjunctions import n_conjunctions
    >>> round(log_n_rule_lists(n_conjunctions(10**6, max_terms=5), max_rules=20), 1)
    1293.5
    """
    count = n_rule_lists_upper_bound(n_conjunctions, max_rules=max_rules, n_classes=n_classes)
    return round_up(math.log(count))


def _labelled_arrangements(longest: int, n_labels: int) -> list[int]:
    """For j = 0 to `longest`: ordered partitions of j things, each block in one of `n_labels`.

    This is sum_b b! S(j, b) n_labels^b with Stirling numbers S: the last block holds i of the j
    things, has one of `n_labels` labels (any but its successor's), and the rest is arranged before.
    """
    arrangements = [1]
    for j in range(1, longest + 1):
        arrangements.append(
            n_labels * sum(math.comb(j, i) * arrangements[j - i] for i in range(1, j + 1))
        )
    return arrangements
