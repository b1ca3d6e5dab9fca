"""Which conditions rules may use: given, or learned on pilot rows before any list is searched."""

from dataclasses import dataclass

from samrule.conditions import Conditions
from samrule.errors import InputError
from samrule.learning.constrained import without_forbidden
from samrule.learning.sample import RowSupply, whole_table
from samrule.learning.task import PILOT_ROWS, Task
from samrule.sources.draw import Draw


@dataclass(frozen=True, slots=True)
class SettledConditions:
    """The conditions that rules may use, fixed before the rows to learn from are drawn.

    Parameters
    ----------
    conditions
        The conditions.
    pilot_rows
        How many rows they were learned from; 0 if they were given.
    pilot
        The pilot rows, if the table has more; None if it has not, or conditions were given.
    """

    conditions: Conditions
    pilot_rows: int
    pilot: Draw | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the conditions look at."""
        return self.conditions.columns


def settled_conditions(task: Task, supply: RowSupply, *, ahead: int = 0) -> SettledConditions:
    """Return the conditions given, or learn some on pilot rows or on all rows of a small table.

    `ahead` more rows are drawn in the same pass as the pilot rows, for what comes next.
    """
    if isinstance(task.binarizer, Conditions):
        _check_given(task.binarizer, task)
        return SettledConditions(without_forbidden(task.binarizer, task.constraints), 0)
    if task.source.n_rows <= PILOT_ROWS:
        rows = whole_table(task)
        conditions = task.binarizer.fit(
            rows, task.target, task.source.weights, lists=task.lists_wanted
        )
        return SettledConditions(without_forbidden(conditions, task.constraints), rows.num_rows)
    task.report("drawing", PILOT_ROWS)
    pilot = supply.take(PILOT_ROWS, ahead=ahead)
    conditions = task.binarizer.fit(pilot, task.target, lists=task.lists_wanted)
    return SettledConditions(without_forbidden(conditions, task.constraints), PILOT_ROWS, pilot)


def _check_given(conditions: Conditions, task: Task) -> None:
    task.source.check_columns(conditions.columns)
    if not len(conditions):
        raise InputError(
            "the binarizer holds no conditions; expected at least one.",
            hint="pass a Binarizer to learn some.",
        )
    for name in conditions.columns:
        if name in (task.target, task.source.weights):
            raise InputError(
                f"a given condition asks about {name!r}, the target or the weights.",
                hint="learn the conditions with target and weights named.",
            )
