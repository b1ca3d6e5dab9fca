"""The best rule list on given rows, with a proof."""

from samrule.solver.solution import Progress, Solution, Status
from samrule.solver.solve import solve

__all__ = ["Progress", "Solution", "Status", "solve"]
