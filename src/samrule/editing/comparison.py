"""Two lists on the same rows: where they differ, and who is right there."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samrule.editing.kept_rows import KeptRows
from samrule.editing.workbench import workbench_of
from samrule.errors import InputError
from samrule.learning import FittedRuleList
from samrule.rules import RuleList


@dataclass(frozen=True, slots=True)
class Comparison:
    """Rows on which two lists predict different classes.

    Parameters
    ----------
    n_rows
        All rows.
    differ
        Rows on which they differ.
    first_right, second_right
        Of those, the rows on which the first and the second list is right. With more than two
        classes both may be wrong.
    """

    n_rows: int
    differ: int
    first_right: int
    second_right: int

    def __str__(self) -> str:
        if self.differ == 0:
            return f"Both lists predict the same for all {self.n_rows:,} rows."
        return (
            f"The lists differ on {self.differ:,} of {self.n_rows:,} rows: the first is right on "
            f"{self.first_right:,} of them, the second on {self.second_right:,}."
        )


def compared(
    first: RuleList, second: RuleList, rows: KeptRows, labels: NDArray[np.integer]
) -> Comparison:
    """Count the rows on which two lists differ, given the place of each row's class."""
    one, other = (_predicted(some, rows, first.classes) for some in (first, second))
    differ = one != other
    return Comparison(
        n_rows=len(differ),
        differ=int(np.count_nonzero(differ)),
        first_right=int(np.count_nonzero(differ & (one == labels))),
        second_right=int(np.count_nonzero(differ & (other == labels))),
    )


def _predicted(
    rule_list: RuleList, rows: KeptRows, classes: tuple[Hashable, ...]
) -> NDArray[np.int64]:
    places = np.array([classes.index(rule.prediction) for rule in rule_list])
    return np.asarray(places[rows.deciders(rule_list.rules)])


def compare(first: Any, second: Any, table: Any = None) -> Comparison:
    """Count the rows on which two lists differ, and who is right there.

    Parameters
    ----------
    first, second
        Lists that `learn` returned, edits of one, or rule lists; one of them must know its rows
        unless there is a table.
    table
        Rows to compare them on; if not given, those that one of them was learned from.

    Examples
    --------
    >>> import numpy as np, pyarrow as pa, samrule
    >>> wait = np.arange(100) % 60
    >>> guests = pa.table({"wait": wait, "far": wait % 7 == 0, "happy": wait < 20})
    >>> one = samrule.learn(guests, "happy", max_rules=1)
    >>> other = samrule.learn(guests, "happy", max_rules=0)
    >>> print(compare(one, other))
    The lists differ on 40 of 100 rows: the first is right on 40 of them, the second on 0.
    """
    left, right = (getattr(one, "rule_list", one) for one in (first, second))
    for one in (first, second):
        if table is None and hasattr(one, "workbench"):
            return compared(left, right, one.workbench.kept, one.workbench.labels)
    for one in (first, second):
        if isinstance(one, FittedRuleList) and (table is not None or one.source is not None):
            workbench = workbench_of(one, table)
            return compared(left, right, workbench.kept, workbench.labels)
    raise InputError(
        "neither list knows the rows it was learned from.",
        hint="pass a list that samrule.learn or samrule.load returned, and the table.",
    )
