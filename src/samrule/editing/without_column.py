"""The best list that does without a column, and what that costs: proven, both."""

from dataclasses import replace

from samrule.constraints import NO_CONSTRAINTS, Constraints
from samrule.editing.workbench import Workbench
from samrule.errors import ColumnError
from samrule.learning import ColumnPrice
from samrule.solver import Solution


def without_column(
    workbench: Workbench, column: str, best: Solution, constraints: Constraints = NO_CONSTRAINTS
) -> ColumnPrice:
    """Return what the best list without a column loses beside the best one of all that obey.

    Guarantee
    ---------
    That of `solve`: no list of this shape without the column has a loss below `least_without` on
    the rows at hand, none with it one below `least_with`.
    """
    names = workbench.conditions.columns
    if column not in names:
        raise ColumnError(
            f"no condition asks for {column!r}; columns are {', '.join(names)}.",
            hint="name one of these.",
        )
    found = workbench.solved_within(replace(constraints, forbid=(*constraints.forbid, column)))
    return ColumnPrice(
        column=column,
        loss_with=best.loss,
        loss_without=found.loss,
        least_with=best.lower_bound,
        least_without=found.lower_bound,
        rule_list=found.rule_list,
    )
