"""Rows counted by value (`Levels`), and by deciding rule and class (`Tally`)."""

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from samrule.rules import RuleList
from samrule.rules.meaning import deciding_rules, missing_mask
from samrule.sources.arrow_types import python_values
from samrule.sources.weights import checked_weights


@dataclass(frozen=True, slots=True)
class Levels:
    """The distinct values of a column, most frequent first, and how many rows hold each."""

    values: tuple[Any, ...]
    counts: tuple[int, ...]
    n_missing: int


def sorted_levels(counts: Mapping[Any, int], n_missing: int) -> Levels:
    """Return levels by falling count; equal counts by value."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], _sort_key(item[0])))
    return Levels(
        values=tuple(value for value, _ in ordered),
        counts=tuple(count for _, count in ordered),
        n_missing=n_missing,
    )


def _sort_key(value: Any) -> tuple[str, Any]:
    """Order numbers as numbers and all else by its text; types are never mixed in a column."""
    return ("", value) if isinstance(value, int | float) else (type(value).__name__, str(value))


@dataclass(frozen=True, slots=True)
class Tally:
    """Rows and weight per pair (number of the deciding rule, class of the row)."""

    n_rows: Mapping[tuple[int, Hashable], int]
    weight: Mapping[tuple[int, Hashable], float]


def strides(rule_lists: Sequence[RuleList]) -> list[int]:
    """Return what the deciding rules of several lists are multiplied by to make one number."""
    sizes = [rule_list.n_rules + 1 for rule_list in rule_lists]
    return [math.prod(sizes[place + 1 :]) for place in range(len(sizes))]


def split_tally(found: Tally, rule_lists: Sequence[RuleList]) -> tuple[Tally, ...]:
    """Return a tally per list, of one by numbers that stand for the deciding rules of all."""
    split = []
    for rule_list, stride in zip(rule_lists, strides(rule_lists), strict=True):
        n_rows: Counter[tuple[int, Hashable]] = Counter()
        for (number, actual), count in found.n_rows.items():
            n_rows[number // stride % (rule_list.n_rules + 1), actual] += count
        split.append(Tally(dict(n_rows), {key: float(n) for key, n in n_rows.items()}))
    return tuple(split)


def add_to_tally(
    n_rows: Counter[tuple[int, Hashable]],
    weight: dict[tuple[int, Hashable], float],
    rule_list: RuleList,
    batch: Any,
    *,
    target: str,
    weights: str | None,
) -> None:
    """Add the rows of a batch to counts of rows and sums of weight, which are changed."""
    decided = deciding_rules(rule_list, batch)
    encoded = _nan_to_null(batch[target]).dictionary_encode()
    codes = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False).astype(np.int64)
    values = [*python_values(encoded.dictionary, target), None]
    cells = decided * len(values) + np.where(codes < 0, len(values) - 1, codes)
    amounts = None if weights is None else checked_weights(batch[weights], weights)
    counts = np.bincount(cells)
    sums = counts if amounts is None else np.bincount(cells, amounts)
    for cell in np.flatnonzero(counts):
        key = (int(cell) // len(values), values[int(cell) % len(values)])
        n_rows[key] += int(counts[cell])
        weight[key] = weight.get(key, 0) + sums[cell].item()


def _nan_to_null(column: Any) -> Any:
    missing = missing_mask(column)
    if not missing.any():
        return column
    return pc.if_else(pa.array(missing), pa.scalar(None, column.type), column)
