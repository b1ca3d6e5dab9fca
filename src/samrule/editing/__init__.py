"""Other lists than the one that was learned: all good ones, and those that people prefer."""

from samrule.editing.alternatives import Alternative, Alternatives, alternatives
from samrule.editing.comparison import Comparison, compare
from samrule.editing.edit import Edit, edit_of
from samrule.editing.replacements import Replacement

__all__ = [
    "Alternative",
    "Alternatives",
    "Comparison",
    "Edit",
    "Replacement",
    "alternatives",
    "compare",
    "edit_of",
]
