"""What is promised about which rule lists, as `samrule.theory` takes it."""

from collections.abc import Hashable, Sequence
from typing import Any

from samrule.conditions import Conditions
from samrule.constraints import NO_CONSTRAINTS, Constraints
from samrule.learning.task import Settings, Task
from samrule.theory import log_n_rule_lists
from samrule.theory.evidence import Drawn


def promise(task: Task) -> dict[str, Any]:
    """Return what a certificate of this task promises, and about which lists."""
    settings = task.settings
    return {
        **accuracy(settings),
        "max_rules": settings.max_rules,
        "regularization": settings.regularization,
        "weighted": task.source.weights is not None,
        "loss_name": task.objective.loss_name,
        "n_classes": max(2, len(task.classes)),
    }


def class_of_lists(
    settings: Settings,
    conditions: Conditions,
    classes: Sequence[Hashable],
    constraints: Constraints = NO_CONSTRAINTS,
) -> dict[str, Any]:
    """Return what the size of a sample depends on: how many lists there are.

    Lists that obey constraints are some of them, if each rule that people fixed counts as one
    condition more (docs/theory/constraints.md, "class_of_lists").
    """
    max_terms = min(settings.max_terms, len(conditions))
    return {
        "n_conditions": len(conditions) + constraints.n_fixed,
        "max_rules": settings.max_rules,
        "max_terms": max_terms,
        "n_classes": len(classes),
        "regularization": settings.regularization,
        "n_conjunctions": conditions.n_conjunctions(max_terms) + constraints.n_fixed,
    }


def log_n_lists(task: Task, conditions: Conditions) -> float:
    """Return the logarithm of how many lists there are."""
    return log_n_rule_lists(
        conditions.n_conjunctions(min(task.settings.max_terms, len(conditions)))
        + task.constraints.n_fixed,
        max_rules=task.settings.max_rules,
        n_classes=len(task.classes),
    )


def accuracy(settings: Settings) -> dict[str, Any]:
    """Return how near the best possible loss the list must be, and how surely."""
    return {"epsilon": settings.epsilon, "theta": settings.theta, "delta": settings.delta}


def is_enough(settings: Settings, *, loss: float, lower: float) -> bool:
    """Whether a list of this loss is as good as asked for, if no list has less than `lower`.

    Where the best that can be proven was asked for, only a best list is.
    """
    return loss <= lower + (settings.epsilon or 0.0) * max(lower, settings.theta)


def how_drawn(task: Task) -> Drawn:
    """Return how the rows of samples are drawn."""
    return "with_replacement" if task.source.weights is None else "by_weight"


def draws_row_by_row(task: Task) -> bool:
    """Whether a planned run draws no row twice.

    Its bounds for that are about errors, and about rows that are equally likely; what a rule must
    decide of a sample is known for independent rows.
    """
    is_plain = task.source.weights is None and task.objective.is_error
    return is_plain and not task.settings.min_support
