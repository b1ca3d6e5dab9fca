"""Rows on their way to the search: drawn or read, turned into conditions, solved, counted."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from samrule.conditions import Conditions
from samrule.errors import InputError
from samrule.learning.task import LearningProgress, Task
from samrule.rules import Rule, RuleList
from samrule.rules.meaning import deciding_rules
from samrule.solver import Progress, Solution, solve
from samrule.sources.base import Draw, checked_weights

# Conditions are learned on so many rows; on all, if there are no more.
PILOT_ROWS = 10_000
# Training rows drawn in the first pass over the table, in the hope that they suffice.
FIRST_ROWS = 20_000


class Reservoir:
    """Independent rows of a table, drawn in few passes over it and handed out once each.

    Guarantee
    ---------
    All rows handed out are independent, each uniform over the table (or in proportion to its
    weight), however many are asked for and whatever was done with earlier ones
    (docs/theory/README.md, "Conditions under which the promise is honest").
    """

    def __init__(self, task: Task, check: Callable[[Draw], None]) -> None:
        self._task = task
        self._check = check
        self._rest: Draw | None = None

    def take(self, n_rows: int, *, ahead: int = 0) -> Draw:
        """Return rows; if they must be drawn first, `ahead` more come from the same pass."""
        available = 0 if self._rest is None else len(self._rest)
        if available < n_rows:
            drawn = self._task.source.draw(n_rows - available + ahead, random_state=self._task.rng)
            self._check(drawn)
            self._task.rows_used["drawn"] += len(drawn)
            self._rest = drawn if self._rest is None else joined(self._rest, drawn)
        assert self._rest is not None
        taken, self._rest = self._rest.split(n_rows, len(self._rest) - n_rows)
        return taken

    @property
    def waiting(self) -> Draw | None:
        """Rows that were drawn and will be handed out next; None if there are none."""
        return self._rest if self._rest is not None and len(self._rest) else None


def joined(first: Draw, second: Draw) -> Draw:
    """Return the rows of two draws from one table as one draw."""
    return replace(
        first,
        table=pa.concat_tables([first.table, second.table]),
        rows=np.concatenate([first.rows, second.rows]),
    )


@dataclass(frozen=True, slots=True)
class Questions:
    """The conditions a run may use, settled before its rows are drawn, and what shaped them."""

    conditions: Conditions
    pilot_rows: int

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are asked about."""
        return self.conditions.columns


def questions(task: Task, reservoir: Reservoir, *, ahead: int = 0) -> Questions:
    """Return the conditions given, or learn some on pilot rows or on all rows of a small table."""
    if isinstance(task.binarizer, Conditions):
        _check_given(task.binarizer, task)
        return Questions(task.binarizer, 0)
    if task.source.n_rows <= PILOT_ROWS:
        rows = whole_table(task)
        conditions = task.binarizer.fit(rows, task.target, task.source.weights)
        return Questions(conditions, rows.num_rows)
    task.report("drawing", PILOT_ROWS)
    conditions = task.binarizer.fit(reservoir.take(PILOT_ROWS, ahead=ahead), task.target)
    return Questions(conditions, PILOT_ROWS)


def whole_table(task: Task, columns: Iterable[str] | None = None) -> Any:
    """Return all rows that have weight, as a pyarrow Table: features, target, weights."""
    source = task.source
    task.rows_used["scans"] += 1
    wanted = source.features if columns is None else columns
    roles = [name for name in (source.target, source.weights) if name is not None]
    names = list(dict.fromkeys([*wanted, *roles]))
    schema = pa.schema([source.schema.field(name) for name in names])
    table = pa.Table.from_batches(source.scan(names), schema)
    if source.weights is None:
        return table
    present = row_weights(table, source.weights) > 0
    return table if present.all() else table.filter(pa.array(present))


def row_weights(table: Any, column: str) -> NDArray[np.float64]:
    """Return a table's column of weights as doubles."""
    return checked_weights(table[column].combine_chunks(), column)


def solved(
    task: Task,
    conditions: Conditions,
    rows: Any,
    *,
    stage: int = 1,
    n_stages: int = 1,
    weights: NDArray[np.float64] | None = None,
    time_share: float = 1.0,
    min_support: float = 0,
    certified: float | None = None,
) -> Solution:
    """Return the best list on the rows: the one place where rows meet the solver.

    `time_share` is what the search may use of the time that is left, `min_support` what each rule
    must decide of these rows, `certified` what is to be told of earlier stages.
    """
    settings, total = task.settings, rows.num_rows
    remaining = task.deadline.remaining
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

    return solve(
        conditions.pack(rows),
        class_places(rows[task.target], task),
        classes=task.classes,
        max_rules=settings.max_rules,
        max_terms=settings.max_terms,
        regularization=settings.regularization,
        min_support=min_support,
        weights=weights,
        time_limit=None if remaining is None else remaining * time_share,
        memory_limit=task.memory_limit,
        threads=task.threads,
        progress=None if task.progress is None else tell,
    )


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


def n_errors(rule_list: RuleList, rows: Any, task: Task) -> int:
    """Return how many of the rows the list gets wrong."""
    place = {one: number for number, one in enumerate(task.classes)}
    predicted = np.array([place[rule.prediction] for rule in rule_list])
    decided = deciding_rules(rule_list, rows)
    return int(np.count_nonzero(predicted[decided] != class_places(rows[task.target], task)))


def relabelled(counted: RuleList, task: Task) -> RuleList:
    """Return a list that was counted on the table, with the classes that its counts suggest.

    A rule whose rows on the table are mostly of another class than on the sample predicts that
    other class from now on, and last rules that say what the default says are left out: the list's
    loss can only fall. Where rows carry weights, most means most weight.
    """
    rules = [_relabelled(rule, task) for rule in counted]
    while len(rules) > 1 and rules[-2].prediction == rules[-1].prediction:
        default, last = rules.pop(), rules.pop()
        rules.append(
            Rule(
                (),
                default.prediction,
                _sums(last.class_counts, default.class_counts),
                _sums(last.weighted_counts, default.weighted_counts),
            )
        )
    return replace(counted, rules=tuple(rules[:-1]), default=rules[-1])


def with_table_counts(rule_list: RuleList, task: Task) -> RuleList:
    """Return the list with the rows of the whole table that each rule decides, from one scan.

    If rows carry weights, with their weight too.
    """
    task.rows_used["scans"] += 1
    tally = task.source.tally(rule_list, task.target, task.source.weights)
    *rules, default = (
        replace(
            rule,
            class_counts=tuple(tally.n_rows.get((number, one), 0) for one in task.classes),
            weighted_counts=tuple(tally.weight.get((number, one), 0) for one in task.classes)
            if task.source.weights
            else (),
        )
        for number, rule in enumerate(rule_list)
    )
    return replace(rule_list, rules=tuple(rules), default=default)


def with_weighted_counts(rule_list: RuleList) -> RuleList:
    """Return a list learned from rows drawn by weight: those it counted tell weight, not rows."""
    *rules, default = (
        replace(rule, class_counts=(), weighted_counts=rule.class_counts) for rule in rule_list
    )
    return replace(rule_list, rules=tuple(rules), default=default)


def _relabelled(rule: Rule, task: Task) -> Rule:
    counts = rule.weighted_counts or rule.class_counts
    if counts[task.classes.index(rule.prediction)] == max(counts):
        return rule
    return replace(rule, prediction=task.classes[counts.index(max(counts))])


def _sums(first: Sequence[float], second: Sequence[float]) -> tuple[float, ...]:
    return tuple(a + b for a, b in zip(first, second, strict=True))


def table_loss(rule_list: RuleList, task: Task) -> float:
    """Return the loss of a list that was counted on the table, rounded up."""
    loss = rule_list.weighted_error_rate + task.settings.regularization * rule_list.n_rules
    # Sums of real weights are off by at most one part in 2^52 per row.
    n_rounded = task.source.n_rows if task.source.weights else 0
    return loss * (1 + n_rounded * 2.0**-52)


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
