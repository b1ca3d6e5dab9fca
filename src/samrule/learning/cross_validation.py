"""How many rules a list may have, chosen by cross-validation: `max_rules="cv"`.

Lists of at most 0, 1, 2, ... rules are searched on nine tenths of the rows and judged on the rest,
ten times over. The shortest lists within one standard error of the best are as good for all that
these rows can tell (Breiman et al. 1984, section 3.4.3).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from samrule.conditions import Conditions
from samrule.errors import InputError, Parameter, Words
from samrule.learning.constrained import without_forbidden
from samrule.learning.sample import RowSupply, row_weights, whole_table
from samrule.learning.search import class_places, search_rows
from samrule.learning.task import PILOT_ROWS, Task, WorkBudget
from samrule.objective import Objective
from samrule.rules import RuleList, smoothed
from samrule.rules.meaning import deciding_rules
from samrule.solver import Status
from samrule.sources.draw import Draw

N_FOLDS = 10
# The most rules that are tried.
MOST_CHOSEN_RULES = 6
# What one search on one fold may take, in operations: a tenth of a second. Lists that are only
# nearly the best of the fold tell as much.
FOLD_WORK = 1e8
# Of the time there is, what choosing may take.
_TIME_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class CrossValidation:
    """What lists of at most 0, 1, 2, ... rules lose on rows they were not learned from.

    Parameters
    ----------
    n_rows, n_folds
        Rows, and parts that each were held out once.
    losses
        Mean loss on the parts held out, by the most rules allowed; the price of rules is no part
        of it.
    standard_errors
        How far the means may be off: the deviation between parts over the root of their number.

    Examples
    --------
    >>> curve = CrossValidation(500, 10, (0.4, 0.21, 0.2, 0.205), (0.02, 0.02, 0.015, 0.02))
    >>> curve.best, curve.max_rules
    (2, 1)
    >>> print(curve)
    at most 1 rule: 0.2100 on rows held out, within one standard error of the least, 0.2000 (2 \
rules, +- 0.0150), by 10-fold cross-validation on 500 rows
    """

    n_rows: int
    n_folds: int
    losses: tuple[float, ...]
    standard_errors: tuple[float, ...]

    @property
    def best(self) -> int:
        """The number of rules with the least loss; of several, the smallest."""
        return self.losses.index(min(self.losses))

    @property
    def max_rules(self) -> int:
        """The smallest number of rules whose loss is within one standard error of the least."""
        most = self.losses[self.best] + self.standard_errors[self.best]
        return next(k for k, loss in enumerate(self.losses) if loss <= most)

    def __str__(self) -> str:
        chosen, best = self.max_rules, self.best
        rules = "rule" if chosen == 1 else "rules"
        least = (
            "the least"
            if chosen == best
            else f"within one standard error of the least, {self.losses[best]:.4f} ({best} "
            f"rules, +- {self.standard_errors[best]:.4f})"
        )
        return (
            f"at most {chosen} {rules}: {self.losses[chosen]:.4f} on rows held out, {least}, by "
            f"{self.n_folds}-fold cross-validation on {self.n_rows:,} rows"
        )


def cross_validation(task: Task, supply: RowSupply) -> CrossValidation:
    """Return what lists of at most 0 to `MOST_CHOSEN_RULES` rules lose on rows held out.

    The rows are those of a small table, or drawn for this and nothing else: what is certified
    about a list rests on rows that had no say in its shape. Conditions are made anew for each fold,
    from the rows that its lists are learned from.
    """
    rows = _rows(task, supply)
    n_rows = len(rows)
    fold_of = _folds(rows, class_places(rows.table[task.target], task), task.rng)
    if fold_of.max(initial=0) < N_FOLDS - 1:
        raise InputError(
            f"{task.source.name} has {task.source.n_rows:,} rows; cross-validation needs at least "
            f"{N_FOLDS}.",
            hint=Words("say how many rules: ", Parameter("max_rules", 4), "."),
        )
    losses = np.empty((N_FOLDS, MOST_CHOSEN_RULES + 1))
    for fold in range(N_FOLDS):
        task.report("cross-validating", n_rows, fold + 1, N_FOLDS)
        losses[fold] = _fold_losses(task, rows, fold_of == fold)
    errors = losses.std(axis=0, ddof=1) / math.sqrt(N_FOLDS)
    return CrossValidation(
        n_rows=n_rows,
        n_folds=N_FOLDS,
        losses=tuple(losses.mean(axis=0).tolist()),
        standard_errors=tuple(errors.tolist()),
    )


def _rows(task: Task, supply: RowSupply) -> Draw:
    if task.source.n_rows > PILOT_ROWS:
        task.report("drawing", PILOT_ROWS)
        return supply.take(PILOT_ROWS)
    table = whole_table(task)
    numbers = np.arange(table.num_rows)
    return Draw(table, numbers, task.source.n_rows, None, replace=False)


def _folds(rows: Draw, places: NDArray[np.int32], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return which part each row is in: every class about evenly, a row drawn twice in one."""
    _, first, which = np.unique(rows.rows, return_index=True, return_inverse=True)
    shuffled = rng.permutation(len(first))
    order = shuffled[np.argsort(places[first][shuffled], kind="stable")]
    fold_of = np.empty(len(first), dtype=np.int64)
    fold_of[order] = np.arange(len(first)) % N_FOLDS
    return fold_of[which]


def _fold_losses(task: Task, rows: Draw, is_held_out: NDArray[np.bool_]) -> list[float]:
    """Return the loss of lists of at most 0, 1, 2, ... rules on the part held out."""
    learning, judged = _part(rows, ~is_held_out), rows.table.filter(pa.array(is_held_out))
    places, weights = class_places(judged[task.target], task), _weights(task, rows, judged)
    lists = _lists(task, learning, _weights(task, rows, learning.table))
    return [_loss(task.objective, one, _counts(one, judged, places, weights)) for one in lists]


def _part(rows: Draw, mask: NDArray[np.bool_]) -> Draw:
    return replace(rows, table=rows.table.filter(pa.array(mask)), rows=rows.rows[mask])


def _weights(task: Task, rows: Draw, table: Any) -> NDArray[np.float64] | None:
    """Return how much each row counts; rows drawn by weight count once."""
    column = task.source.weights
    return None if column is None or rows.replace else row_weights(table, column)


def _lists(task: Task, learning: Draw, weights: NDArray[np.float64] | None) -> Iterator[RuleList]:
    """Yield the best list of at most 0, 1, 2, ... rules; the same again where more gain nothing."""
    conditions = _conditions(task, learning, weights)
    found: RuleList | None = None
    for max_rules in range(MOST_CHOSEN_RULES + 1):
        if found is None or found.n_rules == max_rules - 1:
            found = _best_list(task, conditions, learning.table, weights, max_rules)
        yield found


def _conditions(task: Task, learning: Draw, weights: NDArray[np.float64] | None) -> Conditions:
    if isinstance(task.binarizer, Conditions):
        return without_forbidden(task.binarizer, task.constraints)
    named = None if weights is None else task.source.weights
    made = task.binarizer.fit(learning, task.target, named, lists=task.lists_wanted)
    return without_forbidden(made, task.constraints)


def _best_list(
    task: Task,
    conditions: Conditions,
    rows: Any,
    weights: NDArray[np.float64] | None,
    max_rules: int,
) -> RuleList:
    support = task.settings.min_support
    asked = replace(
        task,
        settings=replace(task.settings, max_rules=max_rules),
        work=WorkBudget(),
        progress=None,
    )
    found = search_rows(
        asked,
        conditions,
        rows,
        weights=weights,
        min_support=support if support < 1 else min(support / task.source.n_rows, 1 - 1e-9),
        share=_TIME_SHARE / (N_FOLDS * MOST_CHOSEN_RULES),
        most_work=FOLD_WORK,
    )
    if found.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    return found.rule_list


def _counts(
    rule_list: RuleList,
    table: Any,
    places: NDArray[np.int32],
    weights: NDArray[np.float64] | None,
) -> NDArray[np.float64]:
    """Return the weight of rows by deciding rule and class."""
    n_classes = len(rule_list.classes)
    cells = deciding_rules(rule_list, table) * n_classes + places
    size = (rule_list.n_rules + 1) * n_classes
    return np.bincount(cells, weights, size).astype(np.float64).reshape(-1, n_classes)


def _loss(objective: Objective, rule_list: RuleList, counts: NDArray[np.float64]) -> float:
    """Return what the objective says of these rows, the price of rules left out."""
    predicted = [rule_list.classes.index(rule.prediction) for rule in rule_list]
    if objective.positive is not None:
        return _f1_loss(objective.positive, predicted, counts)
    losses = [
        objective.row_losses(smoothed(rule, weighted=True), place)
        for rule, place in zip(rule_list, predicted, strict=True)
    ]
    return float((counts * np.array(losses)).sum() / counts.sum())


def _f1_loss(positive: int, predicted: Sequence[int], counts: NDArray[np.float64]) -> float:
    said = np.array(predicted) == positive
    hits = counts[said, positive].sum()
    both = counts[said].sum() + counts[:, positive].sum()
    return float(1 - 2 * hits / both) if both else 0.0
