"""The best rule list on given rows, with a proof."""

from samrule.solver.solution import Progress, Solution, Status
from samrule.solver.solve import MOST_RULES, solve

__all__ = ["MOST_RULES", "Progress", "Solution", "Status", "solve"]
