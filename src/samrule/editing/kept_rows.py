"""Rows in memory that lists are counted on again and again: each condition is asked once."""

from collections.abc import Sequence
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samrule.conditions import Conditions
from samrule.rules import Condition, Rule
from samrule.rules.meaning import condition_mask
from samrule.solver.problem import PackedConditions
from samrule.sources.roles import check_known

# What conditions that people made say about rows is kept up to so many bytes.
_MOST_KEPT = 1 << 26


class KeptRows:
    """Rows, and where conditions hold in them.

    Parameters
    ----------
    table
        The rows, as an Arrow table.
    conditions
        The conditions that most lists are made of.

    Examples
    --------
    >>> import pyarrow as pa
    >>> rows = KeptRows(pa.table({"age": [20, 30, 40]}), Conditions((), ()))
    >>> rows.deciders([Rule((Condition("age", "<", 30),), "yes")]).tolist()
    [0, 1, 1]
    """

    def __init__(self, table: Any, conditions: Conditions) -> None:
        self.table = table
        self.conditions = conditions
        self._masks: dict[Condition, NDArray[np.bool_]] = {}
        self._lock = Lock()

    @property
    def n_rows(self) -> int:
        """How many they are."""
        return int(self.table.num_rows)

    @cached_property
    def packed(self) -> PackedConditions:
        """Where each of the conditions holds, as bitsets."""
        return self.conditions.pack(self.table)

    @cached_property
    def _places(self) -> dict[Condition, int]:
        return {one: place for place, one in enumerate(self.packed.conditions)}

    def mask(self, condition: Condition) -> NDArray[np.bool_]:
        """Tell for each row whether a condition holds."""
        place = self._places.get(condition)
        if place is not None:
            return np.asarray(self.masks([place])[0])
        with self._lock:
            found = self._masks.get(condition)
        if found is None:
            check_known(condition.column, self.table.column_names, "the table")
            found = condition_mask(condition, self.table[condition.column])
            self._keep(condition, found)
        return found

    def masks(self, places: Sequence[int]) -> NDArray[np.bool_]:
        """Tell for conditions at these places whether each holds in each row: a line for each."""
        words = self.packed.bits[list(places)]
        bits = np.unpackbits(words.view(np.uint8), axis=1, count=self.n_rows, bitorder="little")
        return bits.view(np.bool_)

    def deciders(self, rules: Sequence[Rule]) -> NDArray[np.int64]:
        """Return for each row the place of the rule that decides it; the default comes last."""
        decided = np.full(self.n_rows, len(rules), dtype=np.int64)
        # From the last one to the first, which then has the last word.
        for place, rule in reversed(list(enumerate(rules))):
            matched = self.mask(rule.conditions[0])
            for condition in rule.conditions[1:]:
                matched = matched & self.mask(condition)
            decided[matched] = place
        return decided

    def _keep(self, condition: Condition, found: NDArray[np.bool_]) -> None:
        with self._lock:
            self._masks[condition] = found
            while len(self._masks) > max(1, _MOST_KEPT // max(1, self.n_rows)):
                del self._masks[next(iter(self._masks))]
