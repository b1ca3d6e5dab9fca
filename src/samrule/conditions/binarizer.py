"""Columns become conditions: yes/no questions learned on pilot rows, asked of any rows.

Pilot rows are never training or validation rows: the questions must be settled before those are
drawn (docs/theory/README.md, "Conditions under which the promise is honest").
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date, timedelta
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from samrule.conditions import identifiers
from samrule.conditions.cuts import quantile_cuts, segment_cuts, separator
from samrule.conditions.identifiers import identifier_reason
from samrule.conditions.packed import packed_conditions
from samrule.errors import (
    InputError,
    InputTypeError,
    ParameterError,
    ParameterTypeError,
    TargetError,
)
from samrule.rules import ColumnType, Condition, Operator, Value, column_text, value_text
from samrule.rules.meaning import column_type, condition_mask, missing_mask
from samrule.solver.problem import PackedConditions
from samrule.sources.base import Draw, Source, check_known, checked_weights, plain_type
from samrule.sources.memory import arrow_table
from samrule.theory.conjunctions import Column, n_conjunctions_of_columns

Scheme = Literal["supervised", "quantile", "paper"]

# Conditions of one column, and how they count.
_Made = tuple[tuple[Condition, ...], Column]

_PAPER_SHARES = (0.2, 0.4, 0.6, 0.8)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A column that no condition was made of, and why."""

    column: str
    reason: str

    def __str__(self) -> str:
        return f"{column_text(self.column)}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Conditions:
    """The questions a rule may ask, in order, and what they were made of.

    Parameters
    ----------
    by_column
        Conditions of each column used, in the order of the table.
    counts
        The same columns, as far as counting conjunctions needs to know.
    left_out
        Columns that no condition was made of, each with its reason.
    """

    by_column: tuple[tuple[Condition, ...], ...]
    counts: tuple[Column, ...]
    left_out: tuple[LeftOut, ...] = ()

    def __post_init__(self) -> None:
        expected = tuple(Column(len(one), _n_pairs(one)) for one in self.by_column)
        if self.counts != expected:
            raise ParameterError(
                f"counts are {self.counts!r}; the conditions by column make {expected!r}.",
                hint="let Binarizer.fit make the conditions.",
            )

    def __iter__(self) -> Iterator[Condition]:
        """Yield every condition, column by column."""
        return (condition for column in self.by_column for condition in column)

    def __len__(self) -> int:
        return sum(len(column) for column in self.by_column)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns that are asked about."""
        return tuple(column[0].column for column in self.by_column)

    def n_conjunctions(self, max_terms: int = 1) -> int:
        """Return how many different conjunctions of at most `max_terms` conditions are possible.

        Guarantee
        ---------
        Counted from the conditions alone, never from rows (docs/theory/growth.md,
        "n_conjunctions_of_columns").
        """
        return n_conjunctions_of_columns(self.counts, max_terms=max_terms)

    def apply(self, rows: Any) -> NDArray[np.bool_]:
        """Return a row per row and a column per condition: whether it holds.

        Parameters
        ----------
        rows
            A draw or a dataframe that has the columns; others may be there too.
        """
        table = self._table(rows)
        found = np.empty((table.num_rows, len(self)), dtype=np.bool_, order="F")
        for place, condition in enumerate(self):
            found[:, place] = condition_mask(condition, table[condition.column])
        return found

    def pack(self, rows: Any) -> PackedConditions:
        """Return the same as bitsets, which `solve` takes in place of an array.

        Parameters
        ----------
        rows
            A draw or a dataframe that has the columns; others may be there too.
        """
        return packed_conditions(self.by_column, self._table(rows))

    def _table(self, rows: Any) -> Any:
        table = _arrow_rows(rows)
        names = table.column_names  # A new list each time.
        for name in self.columns:
            check_known(name, names, "the table")
        return table

    def __str__(self) -> str:
        lines = [f"{len(self)} conditions on {len(self.columns)} columns"]
        lines += [f"  {condition}" for condition in self]
        lines += [f"left out {one}" for one in self.left_out]
        return "\n".join(lines)


@dataclass(slots=True)
class Binarizer:
    """How to turn columns into conditions.

    Parameters
    ----------
    scheme
        How ordered columns are cut: ``"supervised"`` into the segments that tell the classes
        apart best, each column by itself (needs a target); ``"quantile"`` evenly by rows with a
        cut beside every value that holds more than its share; ``"paper"`` as the scripts of the
        paper do.
    n_thresholds
        At most this many cuts per column, two conditions each: >= t and < t. Not for "paper".
        docs/cuts.md has the measurements behind both defaults.
    cuts
        Cut points given for some columns; the others follow the scheme.
    min_level_share
        A level of a text column becomes a condition if it holds at least this share of the rows;
        rows of other levels are simply not covered.
    force
        Columns to use although they look like identifiers, row numbers or an index: those are
        left out if other columns give conditions.

    Examples
    --------
    >>> table = pa.table({"age": [20, 21, 50, 60], "city": ["Padova", "Padova", "Roma", None]})
    >>> print(Binarizer(n_thresholds=1).fit(table, ["no", "no", "yes", "yes"]))
    5 conditions on 2 columns
      age >= 40
      age < 40
      city = Padova
      city = Roma
      city is missing
    """

    scheme: Scheme = "supervised"
    n_thresholds: int = 12
    cuts: Mapping[str, Sequence[Value]] | None = None
    min_level_share: float = 0.005
    force: Sequence[str] = ()

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name, as scikit-learn's `clone` and searches ask for them."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def set_params(self, **params: Any) -> "Binarizer":
        """Change parameters, as in ``binarizer__n_thresholds`` of a grid search; return self."""
        known = list(self.get_params())
        for name, value in params.items():
            if name not in known:
                raise ParameterError(
                    f"Binarizer has no parameter {name!r}; expected one of {', '.join(known)}.",
                    hint="check the spelling.",
                )
            setattr(self, name, value)
        return self

    def fit(self, rows: Any, target: Any = None, weights: Any = None) -> Conditions:
        """Learn conditions.

        Parameters
        ----------
        rows
            Pilot rows: a draw, or anything in memory that `open_table` takes, such as a dataframe;
            or a source, whose every row is then read, one column at a time.
        target
            Name of the target column, or the classes as an array; that of the source if not
            given. Only the supervised scheme looks at it, but it never becomes a condition.
        weights
            Name of a column of row weights, or an array. Rows of a weighted draw need none.
        """
        self._check()
        pilot = _pilot(rows, target, weights)
        if pilot.n_rows == 0:
            raise InputError(
                "there are no pilot rows to learn conditions on.", hint="draw some thousands."
            )
        for name in [*(self.cuts or {}), *self._forced(pilot)]:
            check_known(name, pilot.columns, "the table")
        if self.scheme == "supervised" and pilot.codes is None:
            raise TargetError(
                "scheme 'supervised' cuts where classes change, and no target was given.",
                hint="name the target, or use scheme='quantile'.",
            )
        found, left_out = self._columns(pilot)
        if not any(_asks_for_a_value(conditions) for conditions, _ in found):
            # Better a rule on row numbers than none.
            found, left_out = replace(self, force=pilot.columns)._columns(pilot)
        if not found:
            shown = "; ".join(str(one) for one in left_out[:5])
            raise InputError(
                f"no column gives a condition ({shown}).",
                hint="check the columns' types, or lower min_level_share.",
            )
        return Conditions(
            by_column=tuple(conditions for conditions, _ in found),
            counts=tuple(count for _, count in found),
            left_out=tuple(left_out),
        )

    def _check(self) -> None:
        if self.scheme not in ("supervised", "quantile", "paper"):
            raise ParameterError(
                f"scheme is {self.scheme!r}; expected 'supervised', 'quantile' or 'paper'.",
                hint="give cut points of your own with cuts={column: [...]}.",
            )
        if self.n_thresholds < 1:
            raise ParameterError(
                f"n_thresholds is {self.n_thresholds!r}; expected 1 or more.",
                hint="12 serves most tables well.",
            )
        if not 0 <= self.min_level_share < 1:
            raise ParameterError(
                f"min_level_share is {self.min_level_share!r}; expected 0 or more, below 1.",
                hint="0.01 keeps levels of one row in a hundred.",
            )

    def _forced(self, pilot: "_Pilot") -> Sequence[str]:
        if isinstance(self.force, str):
            raise ParameterTypeError(
                f"force is {self.force!r}; expected a list of column names.",
                hint=f"write force=[{self.force!r}].",
            )
        return [name for name in self.force if name not in pilot.roles]

    def _columns(self, pilot: "_Pilot") -> "tuple[list[_Made], list[LeftOut]]":
        """Return the conditions of every column, and what was left out."""
        found: list[_Made] = []
        left_out: list[LeftOut] = []
        for name in pilot.columns:
            made, rest = self._column(name, pilot)
            found += [made] if made else []
            left_out += [rest] if rest else []
        return found, left_out

    def _column(self, name: str, pilot: "_Pilot") -> "tuple[_Made | None, LeftOut | None]":
        """Return the column's conditions, if there are any, and what was left out of it."""
        column = pilot.column(name)
        kind = column_type(column.type)
        if kind is None:
            return None, LeftOut(name, f"no conditions are made of {column.type}")
        missing = missing_mask(column)
        if missing.all():
            return None, LeftOut(name, "all values are missing")
        values = _Values(name, kind, column.filter(pa.array(~missing)), ~missing, pilot)
        made = self._conditions(values)
        left_out = made if isinstance(made, LeftOut) else None
        conditions, count = ((), Column(0)) if isinstance(made, LeftOut) else made
        if missing.any():
            conditions = (*conditions, Condition(name, Operator.IS_MISSING, type=kind))
            count = Column(count.n_conditions + 1, count.n_pairs)
        return ((conditions, count) if conditions else None), left_out

    def _conditions(self, values: "_Values") -> "_Made | LeftOut":
        given = (self.cuts or {}).get(values.name)
        if given is not None:
            return _ordered(values.name, sorted(_fitting_cuts(values, given)))
        # The paper's scripts cut every number.
        looked_at = self.scheme != "paper" or values.kind is ColumnType.TEXT
        if values.name not in self.force and looked_at:
            reason = values.identifier_reason()
            if reason is not None:
                return LeftOut(values.name, f"{reason}; --force or Binarizer(force=...) uses it")
        if len(values.distinct) == 1:
            return self._constant(values)
        if values.kind is ColumnType.TEXT:
            return self._text(values)
        if len(values.distinct) == 2 and values.distinct.to_pylist() == [0, 1]:
            no, yes = values.distinct.to_pylist()
            return _equal(values.name, (yes,) if self.scheme == "paper" else (yes, no))
        return self._cut(values)

    def _constant(self, values: "_Values") -> "_Made | LeftOut":
        """Ask for the one value there is only if other rows have none; the paper always does."""
        (only,) = values.distinct.to_pylist()
        if isinstance(only, date) and date(only.year, only.month, only.day) in _BEYOND:
            return LeftOut(values.name, "its days lie outside the years 1 to 9999")
        paper = self.scheme == "paper" and values.kind is ColumnType.TEXT
        if paper or not values.mask.all():
            return _equal(values.name, (only,))
        return LeftOut(values.name, f"it is always {value_text(only)}")

    def _text(self, values: "_Values") -> "_Made | LeftOut":
        n_distinct = len(values.distinct)
        weights = values.weights()
        least = 0.0 if self.scheme == "paper" else self.min_level_share * values.total_weight
        kept = [
            level
            for level, weight in zip(values.distinct.to_pylist(), weights, strict=True)
            if weight >= least
        ]
        if not kept:
            return LeftOut(
                values.name,
                f"none of its {n_distinct:,} levels holds {self.min_level_share:.2%} of the rows",
            )
        return _equal(values.name, kept)

    def _cut(self, values: "_Values") -> "_Made | LeftOut":
        if self.scheme == "paper" and values.kind is ColumnType.NUMBER:
            return _paper(values)
        places: Sequence[int] = ()
        if self.scheme == "supervised":
            places = segment_cuts(values.class_weights(), self.n_thresholds)
        # A column that says nothing alone may say much together with others.
        places = places or quantile_cuts(values.weights(), self.n_thresholds)
        if not places:
            return LeftOut(values.name, "no cut tells the classes apart")
        below = values.distinct.take(pa.array([place - 1 for place in places])).to_pylist()
        above = values.distinct.take(pa.array(places)).to_pylist()
        cuts = list(map(separator, below, above))
        return _ordered(values.name, cuts)


@dataclass(frozen=True, slots=True)
class _Pilot:
    """Pilot rows, one column at a time."""

    columns: tuple[str, ...]
    column: Callable[[str], Any]
    n_rows: int
    rows: NDArray[np.int64]
    roles: tuple[str, ...]
    codes: NDArray[np.int64] | None
    n_classes: int
    weights: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Values:
    """The present values of one column: distinct and in order, with weights where asked."""

    name: str
    kind: ColumnType
    present: Any
    mask: NDArray[np.bool_]
    pilot: _Pilot
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
        values = self.distinct.take(pa.array(self.places))
        rows = self.pilot.rows[self.mask]
        return identifier_reason(
            identifiers.Values(self.name, self.kind, values, rows, len(self.distinct))
        )

    @property
    def total_weight(self) -> float:
        """Weight of all rows, those without a value included."""
        return float(self.pilot.weights.sum())

    def weights(self) -> NDArray[np.float64]:
        """Weight per distinct value."""
        found = np.bincount(self.places, self.pilot.weights[self.mask], len(self.distinct))
        return np.asarray(found, dtype=np.float64)

    def class_weights(self) -> NDArray[np.float64]:
        """Weight per distinct value and class."""
        assert self.pilot.codes is not None
        cells = self.places * self.pilot.n_classes + self.pilot.codes[self.mask]
        size = len(self.distinct) * self.pilot.n_classes
        found = np.bincount(cells, self.pilot.weights[self.mask], size)
        cells_by_class = found.reshape(len(self.distinct), self.pilot.n_classes)
        return np.asarray(cells_by_class, dtype=np.float64)


def _pilot(rows: Any, target: Any, weights: Any) -> _Pilot:
    numbers = None
    if isinstance(rows, Source):
        target = rows.target if target is None else target
        weights = rows.weights if weights is None else weights
        names, column, n_rows = rows.schema.names, rows.column, rows.n_rows
        features: Sequence[str] = rows.features
    else:
        table = _arrow_rows(rows)
        if isinstance(rows, Draw):
            numbers = rows.rows
        names, n_rows = table.column_names, table.num_rows
        column = table.__getitem__
        features = names
    codes, n_classes = _codes(target, names, column, n_rows)
    return _Pilot(
        columns=tuple(name for name in features if name not in _named(target, weights)),
        roles=tuple(_named(target, weights)),
        column=column,
        n_rows=n_rows,
        rows=np.arange(n_rows) if numbers is None else numbers,
        codes=codes,
        n_classes=n_classes,
        weights=_weights(weights, names, column, n_rows),
    )


def _arrow_rows(rows: Any) -> Any:
    """Return rows in memory as a pyarrow Table."""
    if isinstance(rows, Draw):
        return rows.table
    table = arrow_table(rows)
    if table is None:
        raise InputTypeError(
            f"the rows are {type(rows).__name__}; expected a draw or a table in memory, such as a "
            "dataframe.",
            hint="open_table(data).draw(10_000, seed=0) draws rows of anything else.",
        )
    return table.cast(pa.schema([(field.name, plain_type(field.type)) for field in table.schema]))


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
            hint='pass missing_target="drop" to open_table to leave those rows out.',
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


def _n_pairs(conditions: Sequence[Condition]) -> int:
    """Return how many pairs of conditions on one column say something new: >= low and < high."""
    lows = [one.value for one in conditions if one.op == Operator.AT_LEAST]
    highs = [one.value for one in conditions if one.op == Operator.LESS]
    return sum(low < high for low in lows for high in highs)  # type: ignore[operator]


def _asks_for_a_value(conditions: Sequence[Condition]) -> bool:
    return any(one.op is not Operator.IS_MISSING for one in conditions)


def _equal(name: str, values: Sequence[Any]) -> _Made:
    conditions = tuple(Condition(name, Operator.EQUAL, value) for value in values)
    return conditions, Column.categorical(len(conditions))


def _ordered(name: str, cuts: Sequence[Any]) -> _Made:
    distinct = list(dict.fromkeys(cuts))
    conditions = tuple(
        Condition(name, operator, cut)
        for cut in distinct
        for operator in (Operator.AT_LEAST, Operator.LESS)
    )
    return conditions, Column.numeric(len(distinct))


def _fitting_cuts(values: _Values, given: Sequence[Value]) -> list[Any]:
    cuts = [Condition(values.name, Operator.AT_LEAST, cut).value for cut in given]
    for cut in cuts:
        condition_mask(Condition(values.name, Operator.AT_LEAST, cut), values.distinct)
    if not cuts:
        raise ParameterError(
            f"cuts for column {values.name!r} are empty; expected at least one.",
            hint="exclude the column from the table instead.",
        )
    return cuts


def _paper(values: _Values) -> _Made | LeftOut:
    """Cut at interpolated quantiles and at shares of the range minus its start, as they do."""
    numbers = values.present.cast(pa.float64(), safe=False).to_numpy()
    low, high = float(numbers.min()), float(numbers.max())
    found = {float(cut) for cut in np.quantile(numbers, _PAPER_SHARES)}
    found |= {share * (high - low) - low for share in _PAPER_SHARES}
    inside = sorted(cut for cut in found if low < cut < high)
    if not inside:
        return LeftOut(values.name, "no cut lies inside its range")
    return _ordered(values.name, inside)


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
_BEYOND = {date(1970, 1, 1) + timedelta(day) for day in (_FIRST_DAY, _LAST_DAY)}
_TICKS_PER_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000}
