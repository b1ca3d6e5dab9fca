"""The list with the greatest F1: a few searches with costs, each from the best list so far.

F1 is a ratio and no sum over rules, but whether some list has 1 - F1 below m is a question about
costs (docs/theory/ratios.md, "best_f1"): a search answers it, with a better list or with a proof.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from samrule.objective import Objective, as_written
from samrule.rules import RuleList
from samrule.solver.rule_price import rounded_down
from samrule.solver.solution import Solution, Status

# Each search but the last finds a better list; a handful is the rule.
MOST_SEARCHES = 100


@dataclass(frozen=True, slots=True)
class Found:
    """What is known before the next search: the least loss so far, a bound on all, and the work."""

    loss: Fraction
    lower_bound: Fraction = Fraction(0)
    work: int = 0
    n_nodes: int = 0


# A search for the least cost, at a price per rule.
Search = Callable[[Objective, float, Found], Solution]


@dataclass(frozen=True, slots=True)
class F1:
    """1 - F1 of a class, with the price of rules in the rows that are wrong.

    Parameters
    ----------
    positive
        The place of the class.
    of_class, total
        Its weight, and that of all rows.
    regularization
        The price of a rule: each counts as so many of all rows, taken wrongly.

    Examples
    --------
    >>> f1 = F1(positive=1, of_class=Fraction(10), total=Fraction(100), regularization=Fraction(0))
    >>> f1.loss(found=8, in_vain=8, n_rules=1)  # Precision 1/2, recall 4/5.
    Fraction(5, 13)
    """

    positive: int
    of_class: Fraction
    total: Fraction
    regularization: Fraction

    def loss(self, found: Fraction | int, in_vain: Fraction | int, n_rules: int) -> Fraction:
        """Return the loss of a list that finds so much, and takes so much for it in vain."""
        wrong = self.of_class - found + in_vain
        price = self.regularization * n_rules * self.total
        return (wrong + price) / (self.of_class + found + in_vain)

    def loss_of(self, rule_list: RuleList) -> Fraction:
        """Return the loss of a list that was counted."""
        wanted = rule_list.classes[self.positive]
        counts = [
            rule.weighted_counts or rule.class_counts
            for rule in rule_list
            if rule.prediction == wanted
        ]
        found = sum((Fraction(some[self.positive]) for some in counts), Fraction(0))
        in_vain = sum((Fraction(some[1 - self.positive]) for some in counts), Fraction(0))
        return self.loss(found, in_vain, rule_list.n_rules)

    @property
    def loss_without_rules(self) -> Fraction:
        """The loss of the best list without rules: one that predicts the class for every row."""
        return min(Fraction(1), self.loss(self.of_class, self.total - self.of_class, 0))

    def question(self, loss: Fraction) -> tuple[Objective, float]:
        """Return costs and a price of rules for which a list below `loss` costs least."""
        in_vain = float((1 - loss) / (1 + loss))
        costs = [[0.0, 0.0], [0.0, 0.0]]
        costs[self.positive][1 - self.positive] = 1.0
        costs[1 - self.positive][self.positive] = in_vain
        price = float(self.regularization / (1 + self._asked(in_vain)))
        return Objective(0.0, tuple(map(tuple, costs))), price

    def answer(
        self, lower_bound: float, question: tuple[Objective, float], max_rules: int
    ) -> Fraction:
        """Return a lower bound on the loss of all lists, from one on what the question asks for."""
        objective, price = question
        assert objective.costs is not None
        asked = self._asked(objective.costs[1 - self.positive][self.positive])
        # What rounding makes of the price, for no rule or for all of them.
        dearer = (1 + asked) * as_written(price) - self.regularization
        off = max(Fraction(0), dearer * max_rules)
        cost = self.total * ((1 + asked) * Fraction(lower_bound) - off)
        rest = cost - 2 * asked * self.of_class
        most, least = self.total + self.of_class, self.of_class
        return max(Fraction(0), asked + rest / (least if rest < 0 else most))

    @staticmethod
    def _asked(in_vain: float) -> Fraction:
        """Return the loss that a cost of rows taken in vain stands for, exactly."""
        cost = as_written(in_vain)
        return (1 - cost) / (1 + cost)


def best_f1(f1: F1, search: Search, max_rules: int, *, any_list: bool = True) -> Solution:
    """Return the list with the least 1 - F1, and the proof.

    Its path knows the list without rules alone: the searches for costs say nothing about the least
    1 - F1 of shorter lists. Unless `any_list` will do, lists must obey constraints, so that the one
    without rules may not be among them.

    Guarantee
    ---------
    Every list has at least the loss ``lower_bound`` (docs/theory/ratios.md, "best_f1").
    """
    started = time.perf_counter()
    found = Found(f1.loss_without_rules if any_list else Fraction(1))
    best, least = None, None
    for _ in range(MOST_SEARCHES):
        question = f1.question(found.loss)
        solution = search(*question, found)
        loss = f1.loss_of(solution.rule_list)
        if least is None or loss < least:
            best, least = solution.rule_list, loss
        proven = f1.answer(solution.lower_bound, question, max_rules)
        before, found = (
            found,
            Found(
                min(found.loss, loss),
                max(found.lower_bound, proven),
                found.work + solution.work,
                found.n_nodes + solution.n_nodes,
            ),
        )
        if found.loss == before.loss or solution.status is not Status.OPTIMAL:
            break
    assert best is not None
    assert least is not None
    return Solution(
        rule_list=best,
        loss=float(least),
        lower_bound=rounded_down(min(found.lower_bound, least)),
        status=solution.status,
        n_nodes=found.n_nodes,
        work=found.work,
        seconds=time.perf_counter() - started,
        path=(float(f1.loss_without_rules),),
    )
