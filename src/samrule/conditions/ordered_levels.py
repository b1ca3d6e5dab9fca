"""Text columns whose levels have an order, as in low, mid, high: known or given."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from samrule.conditions.cuts import SURE_INTERVAL, best_intervals, quantile_cuts, segment_cuts
from samrule.conditions.pilot import PilotColumn
from samrule.errors import ParameterError
from samrule.rules import ColumnType, Condition, Operator, value_text


def ordered_levels(
    values: PilotColumn,
    order: Sequence[str],
    *,
    n_thresholds: int,
    min_level_share: float,
    intervals: bool,
) -> tuple[Condition, ...]:
    """Return conditions that cut levels by their order, and those of single ones.

    Each cut makes two sets, the levels below it and those from it on; so a level that the order
    does not name is in neither. Levels that no pilot row has are on their side of the cut.

    Parameters
    ----------
    values
        The column, of two levels at least.
    order
        All its levels, from the lowest to the highest.
    n_thresholds
        At most this many cuts, and intervals.
    min_level_share
        A level alone is a condition if it holds this share of the rows.
    intervals
        Whether levels between two cuts are sets too.
    """
    _check_order(values, order)
    place_of = {level: place for place, level in enumerate(order)}
    seen = np.array([place_of[level] for level in values.distinct.to_pylist()])
    by_rank = np.argsort(seen)
    class_weights, weights = values.class_weights()[by_rank], values.weights()[by_rank]
    cuts = list(range(1, len(seen)))
    if len(cuts) > n_thresholds:
        is_supervised = class_weights.shape[1] > 1
        cuts = segment_cuts(class_weights, n_thresholds) if is_supervised else []
        cuts = cuts or quantile_cuts(weights, n_thresholds)
    sure = values.chance_gain(SURE_INTERVAL)
    between = best_intervals(class_weights, cuts, n_thresholds, least_gain=sure) * intervals
    places: list[int] = seen[by_rank].tolist()
    heavy = weights >= min_level_share * values.total_weight
    parts = [[order[place]] for place, is_heavy in zip(places, heavy, strict=True) if is_heavy]
    parts += [list(part) for c in cuts for part in (order[: places[c]], order[places[c] :])]
    parts += [list(order[places[low] : places[high]]) for low, high in between]
    return tuple(dict.fromkeys(_one_of(values.name, part) for part in parts))


def _one_of(name: str, levels: Sequence[str]) -> Condition:
    if len(levels) == 1:
        return Condition(name, Operator.EQUAL, levels[0])
    return Condition(name, Operator.IN, tuple(levels))


def _check_order(values: PilotColumn, order: Sequence[str]) -> None:
    """Refuse what is no order of all levels of a text column."""
    if values.kind is not ColumnType.TEXT:
        raise ParameterError(
            f"orders name column {values.name!r}, which holds {values.distinct.type}; expected a "
            "column of texts.",
            hint="numbers, dates and times are cut by their own order.",
        )
    is_list = not isinstance(order, str) and all(isinstance(one, str) for one in order)
    if not is_list or len(set(order)) != len(order):
        raise ParameterError(
            f"the order of column {values.name!r} is {order!r}; expected its levels, once each.",
            hint='write orders={"size": ["low", "mid", "high"]}.',
        )
    unknown = [one for one in values.distinct.to_pylist() if one not in set(order)]
    if unknown:
        raise ParameterError(
            f"column {values.name!r} holds {unknown[0]!r}, which its order does not name: "
            + ", ".join(map(value_text, list(order)[:10]))
            + ".",
            hint="name every level, from the lowest to the highest.",
        )


def orders_of(table: Any) -> dict[str, tuple[str, ...]]:
    """Return the levels in order of every text column that has one.

    Those are ordered categories of pandas, Enum columns of polars and ordered dictionaries of
    Arrow; whatever else a table is, it has none.

    Examples
    --------
    >>> import pandas as pd
    >>> size = pd.Categorical(["mid", "low"], ["low", "mid", "high"], ordered=True)
    >>> orders_of(pd.DataFrame({"size": size, "age": [20, 30]}))
    {'size': ('low', 'mid', 'high')}
    """
    found = _arrow_orders(table) if isinstance(table, pa.Table) else _frame_orders(table)
    return {
        str(name): tuple(levels)
        for name, levels in found.items()
        if levels and all(isinstance(one, str) for one in levels)
    }


def _arrow_orders(table: Any) -> dict[str, list[Any]]:
    found = {}
    for field in table.schema:
        if pa.types.is_dictionary(field.type) and field.type.ordered:
            chunks = table[field.name].unify_dictionaries().chunks
            found[field.name] = chunks[0].dictionary.to_pylist() if chunks else []
    return found


def _frame_orders(table: Any) -> dict[str, list[Any]]:
    """Ask each column's type: those of pandas and polars both know their `categories`."""
    library = type(table).__module__.partition(".")[0]
    if library == "pandas" and hasattr(table, "columns"):
        types = table.dtypes
    elif library == "polars" and hasattr(table, "collect_schema"):
        types = table.collect_schema()
    else:
        return {}
    return {
        name: list(dtype.categories)
        for name, dtype in types.items()
        if getattr(dtype, "ordered", False) or type(dtype).__name__ == "Enum"
    }
