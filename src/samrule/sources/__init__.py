"""Tables of any kind and size, behind one protocol."""

from samrule.sources.base import Source
from samrule.sources.counts import Levels, Tally
from samrule.sources.draw import Draw
from samrule.sources.open import open_table

__all__ = ["Draw", "Levels", "Source", "Tally", "open_table"]
