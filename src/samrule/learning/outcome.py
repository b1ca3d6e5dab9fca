"""What every strategy returns: a list, its certificate, and how it came about."""

from dataclasses import dataclass
from typing import Any, Literal

from samrule.learning.stage import StageResult
from samrule.rules import RuleList
from samrule.solver import Solution
from samrule.theory import Certificate

# Where the class counts of a list's rules come from.
Counts = Literal["table", "sample"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A list, what is proven about it, and how it came about."""

    rule_list: RuleList
    certificate: Certificate
    trace: tuple[StageResult, ...]
    counts: Counts


def stage_result(solution: Solution, rows: Any, seconds: float, **upper: Any) -> StageResult:
    """Return a search as the trace tells of it, with what bounds its list from above."""
    return StageResult(
        rows=rows.num_rows,
        n_rules=solution.rule_list.n_rules,
        loss=solution.loss,
        lower_bound=solution.lower_bound,
        status=solution.status,
        path=solution.path,
        seconds=seconds,
        **upper,
    )
