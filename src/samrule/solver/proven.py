"""What the costs that a search proved say about the losses of lists."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from samrule import _core
from samrule.objective import (
    Objective,
    as_written,
)
from samrule.solver.limits import Limits, rule_price
from samrule.solver.problem import Problem
from samrule.solver.rule_price import rounded_down


@dataclass(frozen=True, slots=True)
class Proven:
    """The list found, and what the costs that the search proved say about it."""

    problem: Problem
    limits: Limits
    cost: Fraction
    n_rules: int

    @property
    def loss(self) -> float:
        """The loss of the list."""
        rows = float(self.cost) / self.problem.weights.total
        return rows + self.limits.regularization * self.n_rules

    def lower_bound(self, searched_cost: float) -> float:
        """Return a lower bound on every list's loss: that of this list if it is a best one."""
        least = least_loss(self.problem, self.limits, searched_cost, self.limits.max_rules)
        if self._has_loss(least):
            return self.loss
        return min(rounded_down(least), self.loss)

    def path(self, searched_costs: Sequence[float]) -> tuple[float, ...]:
        """Return the least loss of lists with at most 0, 1, 2, ... rules."""
        return tuple(self._path(searched_costs))

    def _path(self, searched_costs: Sequence[float]) -> Iterable[float]:
        for max_rules, cost in enumerate(searched_costs):
            least = cost / self.problem.weights.total
            if self.problem.weights.reals is None:
                exact = least_loss(self.problem, self.limits, cost, max_rules)
                # More rules than the best list has gain nothing: return the very same loss.
                if self.limits.objective.is_error:
                    least = self.loss if self._has_loss(exact) else float(exact)
                elif exact <= self.loss <= least:
                    least = self.loss
            yield least

    def _has_loss(self, loss: Fraction) -> bool:
        """Whether this is the list's loss, exactly."""
        weights = self.problem.weights
        if weights.reals is not None:
            return False
        price = as_written(self.limits.regularization)
        return self.cost / Fraction(weights.total) + price * self.n_rules == loss


def least_loss(problem: Problem, limits: Limits, searched_cost: float, max_rules: int) -> Fraction:
    """Return a lower bound on the loss of every list, from one on what the search adds up."""
    price, total = rule_price(problem, limits), problem.weights.total
    if limits.objective.is_error:
        cost = price.least_cost(searched_cost, max_rules)
    else:
        off = limits.objective.searched_off(Fraction(searched_cost), Fraction(total))
        cost = price.least_fine_cost(searched_cost, max_rules, off=off)
    loss = cost / Fraction(problem.weights.total)
    if problem.weights.reals is not None:
        # The sum of real weights is itself a double, off by less than this.
        loss = loss * (1 - Fraction(1, 10**12)) - Fraction(problem.weights.rounded_up)
    return max(loss, Fraction(0))


def default_alone(table: _core.Table, objective: Objective) -> list[float]:
    """Cost of the list without rules: known even if the search was stopped before it began."""
    ((*weights,),) = table.count([])
    return [float(objective.group_cost(weights))]
