"""What is learned from pilot rows: the values of a column, how often each is there, in which class.

Pilot rows are never training or validation rows: the questions must be settled before those are
drawn (docs/theory/README.md, "Conditions under which the promise is honest").
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from samrule.conditions import identifiers
from samrule.conditions.conditions import arrow_rows
from samrule.conditions.identifiers import identifier_reason
from samrule.errors import InputError, Parameter, TargetError, Words
from samrule.rules import ColumnType
from samrule.rules.meaning import missing_mask
from samrule.sources.base import Source
from samrule.sources.draw import Draw
from samrule.sources.roles import check_known
from samrule.sources.weights import checked_weights


@dataclass(frozen=True, slots=True)
class Pilot:
    """Pilot rows, one column at a time."""

    columns: tuple[str, ...]
    column: Callable[[str], Any]
    n_rows: int
    rows: NDArray[np.int64]
    roles: tuple[str, ...]
    codes: NDArray[np.int64] | None
    n_classes: int
    weights: NDArray[np.float64]


def chance_gain(of_class: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """Return what dividing rows by chance takes off their Gini impurity on average, in weight.

    It is the impurity of one row; of rows that weigh unequally, one as heavy as their sum of
    squares over their sum (Kish): few rows of a rare class that weighs much differ by chance more.

    Parameters
    ----------
    of_class
        Weight per class.
    weights
        Weight per row.
    """
    impurity = 1 - float(((of_class / of_class.sum()) ** 2).sum())
    return impurity * float((weights**2).sum() / weights.sum())


@dataclass(frozen=True, slots=True)
class PilotColumn:
    """The values of one column that are not missing: distinct, in order, with their weights."""

    name: str
    kind: ColumnType
    present: Any
    mask: NDArray[np.bool_]
    pilot: Pilot
    distinct: Any = None
    places: Any = None

    def __post_init__(self) -> None:
        values = _plain_order(self.present)
        encoded = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
        encoded = encoded.dictionary_encode()
        order = pc.sort_indices(encoded.dictionary).to_numpy()
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        object.__setattr__(self, "distinct", encoded.dictionary.take(pa.array(order)))
        object.__setattr__(self, "places", rank[encoded.indices.to_numpy()])

    def identifier_reason(self) -> str | None:
        """Return why the column looks like one that names rows; None if it does not."""
        rows = self.pilot.rows[self.mask]
        return identifier_reason(
            identifiers.Values(self.name, self.kind, self.distinct, self.places, rows)
        )

    @property
    def total_weight(self) -> float:
        """Weight of all rows, those without a value included."""
        return float(self.pilot.weights.sum())

    def chance_gain(self, times: float) -> float:
        """Return what dividing the rows by chance takes off their Gini impurity, so many times.

        Divided in two without looking at their classes, rows lose on average the impurity of one of
        them: four times as much is Pearson's statistic of 4 for two classes.
        """
        return times * chance_gain(self.class_weights().sum(axis=0), self.pilot.weights)

    def weights(self) -> NDArray[np.float64]:
        """Weight per distinct value."""
        found = np.bincount(self.places, self.pilot.weights[self.mask], len(self.distinct))
        return np.asarray(found, dtype=np.float64)

    def class_weights(self) -> NDArray[np.float64]:
        """Weight per distinct value and class; of one class if none are known."""
        if self.pilot.codes is None:
            return self.weights().reshape(-1, 1)
        cells = self.places * self.pilot.n_classes + self.pilot.codes[self.mask]
        size = len(self.distinct) * self.pilot.n_classes
        found = np.bincount(cells, self.pilot.weights[self.mask], size)
        cells_by_class = found.reshape(len(self.distinct), self.pilot.n_classes)
        return np.asarray(cells_by_class, dtype=np.float64)


def pilot_of(rows: Any, target: Any, weights: Any) -> Pilot:
    """Return pilot rows with their classes and weights, checked."""
    numbers = None
    if isinstance(rows, Source):
        target = rows.target if target is None else target
        weights = rows.weights if weights is None else weights
        names, column, n_rows = rows.schema.names, rows.column, rows.n_rows
        features: Sequence[str] = rows.features
    else:
        table = arrow_rows(rows)
        if isinstance(rows, Draw):
            numbers = rows.rows
        names, n_rows = table.column_names, table.num_rows
        column = table.__getitem__
        features = names
    codes, n_classes = _codes(target, names, column, n_rows)
    return Pilot(
        columns=tuple(name for name in features if name not in _named(target, weights)),
        roles=tuple(_named(target, weights)),
        column=column,
        n_rows=n_rows,
        rows=np.arange(n_rows) if numbers is None else numbers,
        codes=codes,
        n_classes=n_classes,
        weights=_weights(weights, names, column, n_rows),
    )


def _named(*roles: Any) -> set[str]:
    return {role for role in roles if isinstance(role, str)}


def _codes(
    target: Any, names: Sequence[str], column: Callable[[str], Any], n_rows: int
) -> tuple[NDArray[np.int64] | None, int]:
    if target is None:
        return None, 0
    values = _role_column(target, "target", names, column, n_rows)
    if pa.types.is_nested(values.type):
        raise TargetError(
            f"the target holds {values.type}; expected numbers, text, dates or truth values.",
            hint="turn the classes into text or numbers first.",
        )
    missing = missing_mask(values)
    if missing.any():
        raise TargetError(
            f"the target is missing in {int(missing.sum()):,} of {n_rows:,} pilot rows; "
            "every row needs a class.",
            hint=Words(
                "pass ",
                Parameter("missing_target", "drop"),
                " to open_table to leave those rows out.",
            ),
        )
    encoded = pc.dictionary_encode(values)
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    return encoded.indices.to_numpy().astype(np.int64), len(encoded.dictionary)


def _weights(
    weights: Any, names: Sequence[str], column: Callable[[str], Any], n_rows: int
) -> NDArray[np.float64]:
    if weights is None:
        return np.ones(n_rows)
    values = _role_column(weights, "weights", names, column, n_rows)
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    return checked_weights(values, weights if isinstance(weights, str) else "weights")


def _role_column(
    given: Any, role: str, names: Sequence[str], column: Callable[[str], Any], n_rows: int
) -> Any:
    if isinstance(given, str):
        check_known(given, names, "the table")
        return column(given)
    values = pa.array(np.asarray(given))
    if len(values) != n_rows:
        raise InputError(
            f"{role} has {len(values):,} entries; expected {n_rows:,}, one per pilot row.",
            hint="pass the column's name, if it is in the table.",
        )
    return values


def _plain_order(values: Any) -> Any:
    """Return values that Python can hold and that differ wherever a cut can tell them apart.

    -0.0 becomes 0.0. Moments lose what is finer than a microsecond, downwards: a cut is a
    microsecond, so those within one cannot be told apart, and any two others still can. Days that
    Python's calendar has not (DuckDB's infinities are such) become its last or first.
    """
    types, type_ = pa.types, values.type
    if types.is_floating(type_):
        return pc.add(values.cast(pa.float64()), 0.0)
    if types.is_time64(type_) and type_.unit == "ns":
        return values.cast(pa.time64("us"), safe=False)
    if types.is_date32(type_):
        days = values.cast(pa.int32()).to_numpy()
        return pa.array(np.clip(days, _FIRST_DAY, _LAST_DAY).astype(np.int32)).cast(type_)
    if types.is_timestamp(type_):
        ticks = values.cast(pa.int64()).to_numpy()
        if type_.unit == "ns":
            ticks, type_ = np.floor_divide(ticks, 1000), pa.timestamp("us", type_.tz)
        per_day = _TICKS_PER_DAY[type_.unit]
        return pa.array(np.clip(ticks, _FIRST_DAY * per_day, _LAST_DAY * per_day)).cast(type_)
    return values


# A day inside what `date` can hold, so that every time zone can.
_FIRST_DAY = (date.min - date(1970, 1, 1)).days + 1
_LAST_DAY = (date.max - date(1970, 1, 1)).days - 1
BEYOND_THE_CALENDAR = {date(1970, 1, 1) + timedelta(day) for day in (_FIRST_DAY, _LAST_DAY)}
_TICKS_PER_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000}
