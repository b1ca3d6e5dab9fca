"""Provably near-optimal rule lists from tables of any size."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Public names and the module each lives in. Loaded on first use (PEP 562), so that
# `import samrule` stays fast and never pulls in an engine nobody asked for.
_LAZY = {
    "Alternatives": "samrule.editing",
    "Binarizer": "samrule.conditions",
    "Comparison": "samrule.editing",
    "Condition": "samrule.rules",
    "ConditionEncoder": "samrule.transformer",
    "Edit": "samrule.editing",
    "Evaluation": "samrule.evaluation",
    "FittedRuleList": "samrule.learning",
    "Rule": "samrule.rules",
    "RuleList": "samrule.rules",
    "RuleListClassifier": "samrule.classifier",
    "Solution": "samrule.solver",
    "Status": "samrule.solver",
    "alternatives": "samrule.editing",
    "column_prices": "samrule.learning",
    "compare": "samrule.editing",
    "constraint_prices": "samrule.learning",
    "evaluate": "samrule.evaluation",
    "learn": "samrule.learning",
    "load": "samrule.learning",
    "open_table": "samrule.sources",
    "plot_certificate": "samrule.report.plots",
    "plot_flow": "samrule.report.plots",
    "plot_path": "samrule.report.plots",
    "solve": "samrule.solver",
}

__all__ = [
    "Alternatives",
    "Binarizer",
    "Comparison",
    "Condition",
    "ConditionEncoder",
    "Edit",
    "Evaluation",
    "FittedRuleList",
    "Rule",
    "RuleList",
    "RuleListClassifier",
    "Solution",
    "Status",
    "__version__",
    "alternatives",
    "column_prices",
    "compare",
    "constraint_prices",
    "evaluate",
    "learn",
    "load",
    "open_table",
    "plot_certificate",
    "plot_flow",
    "plot_path",
    "solve",
]

if TYPE_CHECKING:
    from samrule.classifier import RuleListClassifier
    from samrule.conditions import Binarizer
    from samrule.editing.alternatives import Alternatives, alternatives
    from samrule.editing.comparison import Comparison, compare
    from samrule.editing.edit import Edit
    from samrule.evaluation import Evaluation, evaluate
    from samrule.learning import FittedRuleList, load
    from samrule.learning.column_prices import column_prices
    from samrule.learning.constraint_prices import constraint_prices
    from samrule.learning.learn import learn
    from samrule.report.plots import plot_certificate, plot_flow, plot_path
    from samrule.rules import Condition, Rule, RuleList
    from samrule.solver import Solution, Status
    from samrule.solver.solve import solve
    from samrule.sources import open_table
    from samrule.transformer import ConditionEncoder


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'samrule' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
