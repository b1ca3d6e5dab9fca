"""Provably near-optimal rule lists from tables of any size."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Public names and the module each lives in. Loaded on first use (PEP 562), so that
# `import samrule` stays fast and never pulls in an engine nobody asked for.
_LAZY = {
    "Condition": "samrule.rules",
    "Rule": "samrule.rules",
    "RuleList": "samrule.rules",
    "Solution": "samrule.solver",
    "Status": "samrule.solver",
    "solve": "samrule.solver",
}

__all__ = ["Condition", "Rule", "RuleList", "Solution", "Status", "__version__", "solve"]

if TYPE_CHECKING:
    from samrule.rules import Condition, Rule, RuleList
    from samrule.solver import Solution, Status, solve


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'samrule' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
