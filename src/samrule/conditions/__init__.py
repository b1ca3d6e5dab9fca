"""Columns become conditions: where to cut, what to leave out, and the solver's bitsets."""

from samrule.conditions.binarizer import Binarizer
from samrule.conditions.conditions import Conditions, LeftOut
from samrule.conditions.pilot_lists import ListsWanted

__all__ = ["Binarizer", "Conditions", "LeftOut", "ListsWanted"]
