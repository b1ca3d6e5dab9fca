"""The one place where rows meet the solver."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from samrule.conditions import Conditions
from samrule.errors import InputError
from samrule.learning.constrained import packed_rows, searched_constraints
from samrule.learning.task import LearningProgress, Task
from samrule.solver import Progress, Solution, solve
from samrule.solver.problem import PackedConditions


@dataclass(frozen=True, slots=True)
class PackedRows:
    """Rows as the solver takes them: where conditions hold, and the place of each row's class."""

    conditions: PackedConditions
    classes: NDArray[np.int32]

    def part(self, start: int, end: int) -> "PackedRows":
        """Return the rows from `start` up to `end`."""
        return PackedRows(self.conditions.part(start, end), self.classes[start:end])


def packed(task: Task, conditions: Conditions, rows: Any) -> PackedRows:
    """Return rows as the solver takes them, for several searches of the same rows."""
    where = packed_rows(task.constraints, conditions, rows)
    return PackedRows(where, class_places(rows[task.target], task))


def search_rows(
    task: Task,
    conditions: Conditions,
    rows: Any,
    *,
    stage: int = 1,
    n_stages: int = 1,
    weights: NDArray[np.float64] | None = None,
    share: float = 1.0,
    tolerance: float = 0.0,
    min_support: float = 0,
    certified: float | None = None,
    regularization: float | None = None,
    most_work: float | None = None,
    prepared: PackedRows | None = None,
) -> Solution:
    """Return the best list on the rows, and what is proven about it.

    `share` is the part of the time and the work left that the search may use, `most_work` what it
    may use in any case, `min_support` how many of these rows (of their weight, if they have
    `weights`) each rule must decide, `regularization` another price of a rule than that asked for,
    `certified` what earlier stages prove, for `progress`, and `prepared` the rows as `packed` made
    them, if they are searched more than once.
    """
    settings, total = task.settings, rows.num_rows
    remaining, work = task.deadline.remaining, task.work.part(share)
    if most_work is not None:
        work = most_work if work is None else min(work, most_work)
    task.report("searching", total, stage, n_stages)

    def tell(at: Progress) -> object:
        assert task.progress is not None
        return task.progress(
            LearningProgress(
                phase="searching",
                stage=stage,
                n_stages=n_stages,
                rows=total,
                loss=at.loss,
                lower_bound=at.lower_bound,
                share=at.share,
                elapsed=task.deadline.elapsed,
                certified=certified,
            )
        )

    if prepared is None:
        prepared = packed(task, conditions, rows)
    solution = solve(
        prepared.conditions,
        prepared.classes,
        classes=task.classes,
        max_rules=settings.max_rules,
        max_terms=settings.max_terms if settings.max_rules else 1,  # No rule, no conjunction.
        regularization=settings.regularization if regularization is None else regularization,
        min_support=min_support,
        weights=weights,
        tolerance=tolerance,
        time_limit=None if remaining is None else remaining * share,
        work_limit=work,
        memory_limit=task.memory_limit,
        threads=task.threads,
        progress=None if task.progress is None else tell,
        objective=task.objective,
        **searched_constraints(task.constraints, conditions),
    )
    task.work.spend(solution.work)
    return solution


def class_places(column: Any, task: Task) -> NDArray[np.int32]:
    """Return for each row the place of its class."""
    encoded = pc.dictionary_encode(column)
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    place = {one: number for number, one in enumerate(task.classes)}
    places = [place.get(value, -1) for value in encoded.dictionary.to_pylist()]
    if encoded.null_count or -1 in places:
        raise InputError(
            f"target column {task.target!r} of {task.source.name} holds other classes than when "
            "they were counted.",
            hint="open the table again, when nobody writes to it.",
        )
    return np.asarray(np.array(places, dtype=np.int32)[encoded.indices.to_numpy()])
