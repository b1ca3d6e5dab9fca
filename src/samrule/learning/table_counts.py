"""How a list does on rows it was not searched on: on a sample, or counted on the whole table."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from samrule.learning.search import class_places
from samrule.learning.task import Task
from samrule.rules import Rule, RuleList
from samrule.rules.meaning import deciding_rules


def n_errors(rule_list: RuleList, rows: Any, task: Task) -> int:
    """Return how many of the rows the list gets wrong."""
    place = {one: number for number, one in enumerate(task.classes)}
    predicted = np.array([place[rule.prediction] for rule in rule_list])
    decided = deciding_rules(rule_list, rows)
    return int(np.count_nonzero(predicted[decided] != class_places(rows[task.target], task)))


def relabelled(counted: RuleList, task: Task) -> RuleList:
    """Return a list that was counted on the table, with the classes that its counts suggest.

    A rule predicts the class that most of its rows in the table are of (most of their weight, if
    rows are weighted), which may be another one than on the sample. Then last rules that predict
    what the default predicts are left out. Both can only lower the list's loss.
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
    task.count_scans(1)
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
