"""The best rule list on given rows, with a proof."""

from samrule.solver.solve import MOST_RULES, Progress, Solution, Status, solve

__all__ = ["MOST_RULES", "Progress", "Solution", "Status", "solve"]
