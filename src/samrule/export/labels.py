"""The classes of a rule list as exports write them: values, names, probabilities."""

from typing import Any

import numpy as np

from samrule.errors import ParameterError
from samrule.rules import RuleList, smoothed, value_text


def plain_label(label: Any) -> Any:
    """Return a class without numpy: labels come from arrays, and dates keep their type there.

    >>> plain_label(np.int64(3)), plain_label(np.datetime64("2021-03-01"))
    (3, datetime.date(2021, 3, 1))
    """
    if isinstance(label, np.datetime64) and np.datetime_data(label)[0] == "ns":
        label = label.astype("M8[us]")
    return label.item() if isinstance(label, np.generic) else label


def class_names(rule_list: RuleList) -> list[str]:
    """Return the classes as people write them, or as Python does where two would look alike."""
    labels = [plain_label(one) for one in rule_list.classes]
    names = [value_text(one) for one in labels]
    return names if len(set(names)) == len(names) else [repr(one) for one in labels]


def knows_probabilities(rule_list: RuleList) -> bool:
    """Whether every rule counted rows, or their weight."""
    return all(rule.class_counts or rule.weighted_counts for rule in rule_list)


def rule_probabilities(rule_list: RuleList) -> list[tuple[float, ...]]:
    """Return what each rule says each class's probability is, the default last."""
    if not knows_probabilities(rule_list):
        raise ParameterError(
            "probabilities were asked for, but the rules have no class_counts to take them from.",
            hint="export a list that was learned, or leave the probabilities out.",
        )
    return [smoothed(rule) for rule in rule_list]
