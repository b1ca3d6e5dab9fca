"""A list as its weights see it: two rows are then as good as one of weight two."""

from dataclasses import replace

from samrule.rules import RuleList


def by_weight(rule_list: RuleList) -> RuleList:
    """Return the list with weights in place of the rows counted."""
    *rules, default = (
        replace(rule, class_counts=rule.weighted_counts or rule.class_counts, weighted_counts=())
        for rule in rule_list
    )
    return replace(rule_list, rules=tuple(rules), default=default)
