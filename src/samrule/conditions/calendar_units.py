"""Hours, weekdays and months of dates and moments, where pilot rows show that they matter."""

import math
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from samrule.conditions.pilot import PilotColumn
from samrule.rules import ColumnType, Condition, Operator, Unit
from samrule.rules.meaning import unit_numbers

# By so many standard deviations a statistic must be above its mean: once in ten thousand by chance.
_CLEARLY = 4.0


def units_that_matter(values: PilotColumn) -> Iterator[tuple[Unit, PilotColumn]]:
    """Yield each unit of a column of dates or moments that tells classes apart, and its numbers.

    Moments with a time zone have no unit of their own: it depends on where one looks from.
    """
    type_ = values.present.type
    zoned = pa.types.is_timestamp(type_) and type_.tz is not None
    if zoned or values.kind not in {ColumnType.DATE, ColumnType.DATETIME}:
        return
    for unit in Unit:
        if unit is Unit.HOUR and values.kind is ColumnType.DATE:
            continue
        asked = Condition(values.name, Operator.EQUAL, 1, unit=unit)
        numbers = PilotColumn(
            values.name,
            ColumnType.NUMBER,
            unit_numbers(asked, values.present),
            values.mask,
            values.pilot,
        )
        if len(numbers.distinct) > 1 and _matters(numbers.class_weights(), values.pilot.n_rows):
            yield unit, numbers


def _matters(class_weights: NDArray[np.float64], n_rows: int) -> bool:
    """Whether classes differ more between numbers than chance makes them (Pearson's statistic)."""
    n_numbers, n_classes = class_weights.shape
    if n_classes == 1:
        return True  # Nobody knows.
    counts = class_weights * (n_rows / class_weights.sum())
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    met = expected > 0
    statistic = float(((counts - expected)[met] ** 2 / expected[met]).sum())
    freedom = (n_numbers - 1) * (int((counts.sum(axis=0) > 0).sum()) - 1)
    return bool(statistic > freedom + _CLEARLY * math.sqrt(2 * freedom))
