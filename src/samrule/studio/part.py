"""Rows that the studio judges lists on: those learned from, and those held out."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from samrule.editing.kept_rows import KeptRows
from samrule.editing.workbench import Workbench
from samrule.evaluation import Evaluation, evaluation_by_rule
from samrule.learning import FittedRuleList
from samrule.objective import Objective
from samrule.rules import RuleList
from samrule.sources.arrow_types import python_values
from samrule.sources.base import Source
from samrule.sources.weights import checked_weights
from samrule.studio.shapes import RowsOf


@dataclass(frozen=True)
class Part:
    """Some rows, their classes, and what each weighs.

    Parameters
    ----------
    name
        Which rows they are.
    kept
        The rows, with all their columns.
    target
        The column to predict.
    labels
        The place of each row's class.
    classes
        The list's classes, then those that only these rows have.
    weights
        What each row weighs when a loss is counted; None if all weigh the same.
    """

    name: RowsOf
    kept: KeptRows
    target: str
    labels: NDArray[np.int64]
    classes: tuple[Hashable, ...]
    weights: NDArray[np.float64] | None

    def row_counts(self, rule_list: RuleList) -> NDArray[np.float64]:
        """Return how many rows each rule decides, the default last, by class."""
        return self._counts(rule_list, None)

    def evaluation(self, rule_list: RuleList) -> Evaluation:
        """Return how good a list is on these rows, each counted once."""
        counts = self.row_counts(rule_list)
        return evaluation_by_rule(list(rule_list), self.classes, counts, counts, None)

    def loss(self, rule_list: RuleList, objective: Objective, rule_price: float) -> float:
        """Return the loss of what the list says here, the price of its rules included."""
        counts = self._counts(rule_list, self.weights)
        losses = np.ones_like(counts)  # A class that nobody learned of is always wrong.
        for number, rule in enumerate(rule_list):
            place = rule_list.classes.index(rule.prediction)
            known = objective.row_losses(rule.probabilities, place)
            losses[number, : len(known)] = known
        return float((counts * losses).sum() / counts.sum()) + rule_price * rule_list.n_rules

    def _counts(
        self, rule_list: RuleList, weights: NDArray[np.float64] | None
    ) -> NDArray[np.float64]:
        n_classes, n_rules = len(self.classes), rule_list.n_rules + 1
        place = self.kept.deciders(rule_list.rules) * n_classes + self.labels
        found = np.bincount(place, weights, minlength=n_rules * n_classes)
        return found.reshape(n_rules, n_classes).astype(np.float64)


def learned_part(workbench: Workbench) -> Part:
    """Return the rows that a list was learned from."""
    return Part(
        name="learned",
        kept=workbench.kept,
        target=workbench.task.target,
        labels=workbench.labels.astype(np.int64),
        classes=workbench.task.classes,
        weights=workbench.weights,
    )


def held_out_part(source: Source, fitted: FittedRuleList) -> Part:
    """Return all rows of a table that a list was not learned from."""
    table = pa.Table.from_batches(source.scan(), source.schema)
    labels, classes = _labels(table[fitted.target], fitted)
    weights = None
    if fitted.weights is not None:
        weights = checked_weights(table[fitted.weights].combine_chunks(), fitted.weights)
    if fitted.class_weight is not None:
        unknown = [1.0] * (len(classes) - len(fitted.classes))
        of_class = np.array([*fitted.class_weight, *unknown])[labels]
        weights = of_class if weights is None else weights * of_class
    return Part(
        name="test",
        kept=KeptRows(table, fitted.conditions),
        target=fitted.target,
        labels=labels,
        classes=classes,
        weights=weights,
    )


def _labels(column: Any, fitted: FittedRuleList) -> tuple[NDArray[np.int64], tuple[Hashable, ...]]:
    plain = column.combine_chunks()
    if not pa.types.is_dictionary(plain.type):
        plain = plain.dictionary_encode()
    values: Sequence[Hashable] = python_values(plain.dictionary, fitted.target)
    others = [one for one in values if one not in fitted.classes]
    classes = (*fitted.classes, *sorted(others, key=str))
    places = np.array([classes.index(one) for one in values], dtype=np.int64)
    return places[plain.indices.to_numpy(zero_copy_only=False)], classes
