"""Rule lists: what they are, how they print, and what a condition means on a column."""

from samrule.rules.rule_list import (
    ColumnType,
    Condition,
    Operator,
    Rule,
    RuleList,
    Unit,
    Value,
    smoothed,
    type_of,
)
from samrule.rules.text import column_text, conjunction_text, value_text, visible

__all__ = [
    "ColumnType",
    "Condition",
    "Operator",
    "Rule",
    "RuleList",
    "Unit",
    "Value",
    "column_text",
    "conjunction_text",
    "smoothed",
    "type_of",
    "value_text",
    "visible",
]
