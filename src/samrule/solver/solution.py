"""What a search found and proved, why it ended, and where it stands while it runs."""

from dataclasses import dataclass
from enum import StrEnum

from samrule.rules import RuleList


class Status(StrEnum):
    """Why the search ended. Whatever it says, `Solution.lower_bound` is proven."""

    OPTIMAL = "optimal"
    WITHIN_TOLERANCE = "within_tolerance"
    TIME_LIMIT = "time_limit"
    WORK_LIMIT = "work_limit"
    MEMORY_LIMIT = "memory_limit"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a running search stands.

    Parameters
    ----------
    loss
        Loss of the best list so far.
    lower_bound
        No list has a smaller loss than this.
    elapsed
        Seconds since `solve` was called.
    share
        Share of the search that is done, from 0 to 1; never falls.
    """

    loss: float
    lower_bound: float
    elapsed: float
    share: float


@dataclass(frozen=True, slots=True)
class Solution:
    """The best rule list found, and what is proven about it.

    Parameters
    ----------
    rule_list
        The list, with the rows of each class that each rule decides, and their weight.
    loss
        Its loss: weighted share of misclassified rows + regularization x number of rules.
    lower_bound
        No list within the limits asked for has a smaller loss: rounded down, or `loss` itself
        if that is the least loss.
    status
        Why the search ended.
    n_nodes
        Subproblems the search opened.
    work
        Operations that count towards `work_limit`; 0 without one.
    seconds
        Wall time of the whole call, packing included.
    path
        Least loss of lists with at most 0, 1, 2, ... rules, as far as proven: all of them
        up to `max_rules` when `status` is optimal. With real weights, the loss in rounded
        weights. With constraints, of the list without rules alone, whether it obeys or not.
    """

    rule_list: RuleList
    loss: float
    lower_bound: float
    status: Status
    n_nodes: int
    work: int
    seconds: float
    path: tuple[float, ...]

    @property
    def gap(self) -> float:
        """How far the list can be from the best: loss - lower_bound."""
        return self.loss - self.lower_bound
