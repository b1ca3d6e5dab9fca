"""Rule lists from tables: strategies, what they return, and the file it is kept in."""

from samrule.checks import Strategy
from samrule.learning.column_prices import ColumnPrice, column_prices
from samrule.learning.constraint_prices import ConstraintPrice, constraint_prices
from samrule.learning.cross_validation import CrossValidation
from samrule.learning.learn import learn
from samrule.learning.model import Explanation, FittedRuleList
from samrule.learning.model_file import load
from samrule.learning.stage import StageResult
from samrule.learning.task import LearningProgress, Settings

__all__ = [
    "ColumnPrice",
    "ConstraintPrice",
    "CrossValidation",
    "Explanation",
    "FittedRuleList",
    "LearningProgress",
    "Settings",
    "StageResult",
    "Strategy",
    "column_prices",
    "constraint_prices",
    "learn",
    "load",
]
