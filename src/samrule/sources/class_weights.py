"""Any source with rows that count as much as their class does."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from samrule.rules import RuleList
from samrule.rules.meaning import missing_mask
from samrule.sources.base import Source
from samrule.sources.counts import Levels, Tally
from samrule.sources.roles import unused_name
from samrule.sources.weights import checked_weights


def with_class_weights(source: Source, class_weight: Mapping[Any, float]) -> Source:
    """Return a table with rows that count as much as their class, in draws and tallies.

    Weights of its own are multiplied with those of the classes.
    """
    return source.weighted_by_engine(class_weight) or ClassWeightedSource(source, class_weight)


class ClassWeightedSource(Source):
    """Another source, with a column of weights that is made of its target as rows are read.

    A row weighs as much as its class; where the source has weights of its own, as much as both
    multiplied. Rows of a class without a weight count nothing.

    Parameters
    ----------
    source
        The source; it must have a target.
    class_weight
        How much a row of each class counts.

    Examples
    --------
    >>> from samrule.sources import open_table
    >>> table = open_table(np.array([[1], [2], [3]]), ["no", "no", "yes"])
    >>> weighted = ClassWeightedSource(table, {"no": 1, "yes": 2})
    >>> weighted.column(weighted.weights).to_pylist()
    [1.0, 1.0, 2.0]
    """

    def __init__(self, source: Source, class_weight: Mapping[Hashable, float]) -> None:
        column = unused_name("class weight", source.schema.names)
        schema = source.schema.append(pa.field(column, pa.float64()))
        super().__init__(source.name, schema, replace(source.roles, weights=column))
        self._source = source.with_rows_kept()  # Draws look rows up by number, in several passes.
        self._class_weight = dict(class_weight)

    def levels(self, column: str) -> Levels:
        """Return the distinct values of a column, as the source finds them."""
        return super().levels(column) if column == self.weights else self._source.levels(column)

    def tally(self, rule_list: RuleList, target: str, weights: str | None = None) -> Tally:
        """Count rows and weight as the source does: each class has one weight."""
        if weights != self.weights or target != self.target:
            return super().tally(rule_list, target, weights)
        found = self._source.tally(rule_list, target, self._source.weights)
        return replace(
            found,
            weight={
                (rule, actual): weight * self._class_weight.get(actual, 0)
                for (rule, actual), weight in found.weight.items()
            },
        )

    def _count_rows(self) -> int:
        return self._source.n_rows

    def _take(self, rows: NDArray[np.int64], columns: Sequence[str]) -> Any:
        if self.weights in columns:
            return super()._take(rows, columns)
        return self._source._take(rows, columns)

    def _batches(self, columns: Sequence[str]) -> Iterator[Any]:
        made_of = [name for name in (self.target, self._source.weights) if name is not None]
        others = [name for name in columns if name != self.weights]
        needed = others if self.weights not in columns else [*others, *made_of]
        schema = self._schema_of(columns)
        for batch in self._source.scan(dict.fromkeys(needed)):
            arrays = [
                pa.array(self._weights_of(batch)) if name == self.weights else batch[name]
                for name in columns
            ]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)

    def _weights_of(self, batch: Any) -> NDArray[np.float64]:
        assert self.target is not None
        target = batch[self.target]
        encoded = target.dictionary_encode()
        known = encoded.dictionary.to_pylist()
        # One place more, for rows without a class.
        weights = np.array([*(self._class_weight.get(one, 0) for one in known), 0], np.float64)
        places = encoded.indices.fill_null(len(known)).to_numpy(zero_copy_only=False)
        found = np.where(missing_mask(target), 0.0, weights[places])
        if self._source.weights is not None:
            found = found * checked_weights(batch[self._source.weights], self._source.weights)
        return found
