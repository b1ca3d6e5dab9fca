"""Tables of any kind and size, behind one protocol."""

from samrule.sources.base import Draw, Levels, Source, Tally
from samrule.sources.open import open_table

__all__ = ["Draw", "Levels", "Source", "Tally", "open_table"]
