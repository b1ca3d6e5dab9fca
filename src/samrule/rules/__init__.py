"""Rule lists: what they are, how they print, and what a condition means on a column."""

from samrule.rules.condition import Condition
from samrule.rules.rule_list import Rule, RuleList, smoothed
from samrule.rules.text import column_text, conjunction_text, value_text, visible
from samrule.rules.vocabulary import ColumnType, Operator, Unit, Value, type_of

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
