"""Model files of version 1, which earlier versions of samrule wrote, as version 2 has them.

Version 1 grew fields without a new number. The first files do not say how rows were weighted, which
support was asked for, and how many rows were looked at; strategy "paper" was called "fixed". Errors
were minimized, and rules cost a share of the rows, not of the loss without rules.
"""

from collections.abc import Callable
from typing import Any


def as_version_2(data: dict[str, Any]) -> dict[str, Any]:
    """Return a model of version 1 as version 2 has it; what is damaged stays as it is.

    Counts of the first files are weights if rows were weighted. That is certain if rows were drawn
    by weight or counts are no whole numbers; it is not recorded if all rows were searched and
    their weights add up to whole numbers: then weights are taken for rows.
    """
    weighted = _is_weighted(data)
    changes: dict[str, Callable[[object], object]] = {
        "strategy": _strategy,
        "settings": _settings,
        "certificate": lambda part: _with_defaults(part, weighted=weighted, loss_name="loss"),
        "rule_list": lambda part: _rule_list(part, weighted=weighted),
        "trace": _trace,
    }
    found = {
        "class_weight": None,
        "weights": None,
        "rows_used": None,
        "objective": {"brier_share": 0.0, "costs": None, "positive": None},
        "alerts": None,
        "cross_validation": None,
        "constraints": None,
        **data,
        "version": 2,
    }
    return found | {name: change(found[name]) for name, change in changes.items() if name in found}


def _strategy(name: object) -> object:
    return "paper" if name == "fixed" else name


def _settings(data: object) -> object:
    found = _with_defaults(data, min_support=0, relative_regularization=None)
    if isinstance(found, dict) and "strategy" in found:
        found["strategy"] = _strategy(found["strategy"])
    return found


def _trace(data: object) -> object:
    if not isinstance(data, list):
        return data
    return [_with_defaults(stage, validation_loss=None) for stage in data]


def _rule_list(data: object, *, weighted: bool) -> object:
    if not isinstance(data, dict):
        return data
    rules = data.get("rules")
    found = dict(data)
    if isinstance(rules, list):
        found["rules"] = [_rule(one, weighted=weighted) for one in rules]
    if "default" in data:
        found["default"] = _rule(data["default"], weighted=weighted)
    return found


def _rule(data: object, *, weighted: bool) -> object:
    """Return a rule whose class counts are rows, and whose weighted counts are weights."""
    if not isinstance(data, dict) or "weighted_counts" in data:
        return data
    if weighted and "class_counts" in data:
        return {**data, "class_counts": [], "weighted_counts": data["class_counts"]}
    return {**data, "weighted_counts": []}


def _is_weighted(data: dict[str, Any]) -> bool:
    certificate = data.get("certificate")
    if isinstance(certificate, dict) and certificate.get("drawn") == "by_weight":
        return True
    return any(isinstance(one, float) and not one.is_integer() for one in _class_counts(data))


def _class_counts(data: dict[str, Any]) -> list[Any]:
    """Return the class counts of all rules, one after the other, as far as they are there."""
    rule_list = data.get("rule_list")
    if not isinstance(rule_list, dict):
        return []
    rules = rule_list.get("rules")
    both = [*(rules if isinstance(rules, list) else []), rule_list.get("default")]
    counts = [one.get("class_counts") for one in both if isinstance(one, dict)]
    return [one for some in counts if isinstance(some, list) for one in some]


def _with_defaults(data: object, **defaults: object) -> object:
    return {**defaults, **data} if isinstance(data, dict) else data
