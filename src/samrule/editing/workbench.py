"""Rows kept in memory and packed, so that questions about other lists are answered at once."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samrule.conditions import Conditions
from samrule.errors import InputError
from samrule.learning import FittedRuleList
from samrule.learning.class_weight import weighted_by_class
from samrule.learning.sample import row_weights, whole_table
from samrule.learning.search import class_places
from samrule.learning.task import Deadline, Task, class_shares_of
from samrule.random_streams import stream
from samrule.solver import Solution, solve
from samrule.solver.problem import PackedConditions
from samrule.sources.base import Source
from samrule.sources.open import open_table

# Of larger tables a sample is kept, and nothing is said about the whole.
MOST_ROWS = 1_000_000


@dataclass(frozen=True)
class Workbench:
    """The rows a list was learned from, or some of them, and what was asked of it.

    Parameters
    ----------
    task
        The table, and what a list on it may be and costs.
    conditions
        The questions that rules may ask.
    rows
        The rows in memory, as an Arrow table.
    is_sample
        Whether they were drawn from the table; else they are all of its rows that have weight.
    """

    task: Task
    conditions: Conditions
    rows: Any
    is_sample: bool

    @cached_property
    def packed(self) -> PackedConditions:
        """Where each condition holds."""
        return self.conditions.pack(self.rows)

    @cached_property
    def labels(self) -> NDArray[np.int32]:
        """The place of each row's class."""
        return class_places(self.rows[self.task.target], self.task)

    @cached_property
    def weights(self) -> NDArray[np.float64] | None:
        """What each row weighs; None if all weigh the same (a sample was drawn by weight)."""
        column = self.task.source.weights
        return None if column is None or self.is_sample else row_weights(self.rows, column)

    def without_columns(self, columns: set[str]) -> PackedConditions:
        """Return the conditions on other columns."""
        kept = [
            place
            for place, condition in enumerate(self.packed.conditions)
            if condition.column not in columns
        ]
        return PackedConditions(
            self.packed.bits[kept],
            self.packed.n_rows,
            tuple(self.packed.conditions[place] for place in kept),
        )

    def solved(self, packed: PackedConditions, *, time_limit: float | None = None) -> Solution:
        """Return the best list of some of the conditions."""
        settings = self.task.settings
        return solve(
            packed,
            self.labels,
            classes=self.task.classes,
            weights=self.weights,
            max_rules=settings.max_rules,
            max_terms=settings.max_terms,
            regularization=settings.regularization,
            min_support=settings.min_support,
            objective=self.task.objective,
            memory_limit=self.task.memory_limit,
            threads=self.task.threads,
            time_limit=time_limit,
        )


def workbench_of(
    fitted: FittedRuleList,
    table: Any = None,
    *,
    threads: int | None = None,
    memory_limit: int | None = None,
    random_state: Any = 0,
) -> Workbench:
    """Return a workbench with the rows that a list was learned from, or those of `table`."""
    if fitted.alerts is not None:
        raise InputError(
            "the list was learned with a limit on alerts, and others are not found with one.",
            hint="learn with costs instead: what a row costs that is missed or alerted on in vain.",
        )
    source = _source(fitted, table)
    class_shares = class_shares_of(source)
    if tuple(class_shares) != fitted.classes:
        raise InputError(
            f"{source.name} holds the classes {', '.join(map(str, class_shares))}; the list was "
            f"learned for {', '.join(map(str, fitted.classes))}.",
            hint="give the table that the list was learned from.",
        )
    task = Task(
        source=source,
        target=fitted.target,
        class_shares=class_shares,
        settings=fitted.settings,
        binarizer=fitted.conditions,
        rng=stream("learn", random_state),
        deadline=Deadline(),
        threads=threads,
        memory_limit=memory_limit,
        objective=fitted.objective,
    )
    is_sample = source.n_rows > MOST_ROWS
    if is_sample:
        rows = source.draw(MOST_ROWS, random_state=task.rng).table
    else:
        rows = whole_table(task, fitted.conditions.columns)
    return Workbench(task, fitted.conditions, rows, is_sample)


def _source(fitted: FittedRuleList, table: Any) -> Source:
    if table is None and fitted.source is not None:
        return fitted.source
    if table is None:
        raise InputError(
            "the list does not know its rows: it was read from a file.",
            hint="pass the table that it was learned from as well.",
        )
    opened: Source = table
    if not isinstance(table, Source):
        opened = open_table(table, fitted.target, weights=fitted.weights)
    if fitted.class_weight is None:
        return opened
    of_class = dict(zip(fitted.classes, fitted.class_weight, strict=True))
    return weighted_by_class(opened, of_class)[0]
