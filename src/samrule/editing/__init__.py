"""Other lists than the one that was learned: all good ones, and those that people prefer."""

from samrule.editing.alternatives import Alternative, Alternatives, alternatives

__all__ = ["Alternative", "Alternatives", "alternatives"]
