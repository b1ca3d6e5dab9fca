"""`Binarizer`: makes conditions, which are yes/no questions about columns, from pilot rows.

Pilot rows are never training or validation rows: the questions must be settled before those are
drawn (docs/theory/README.md, "Conditions under which the promise is honest").
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from samrule.checks import Scheme, checked, checked_max_conditions
from samrule.conditions.budget import within_budget
from samrule.conditions.calendar_units import units_that_matter
from samrule.conditions.conditions import Conditions, LeftOut
from samrule.conditions.cuts import (
    SURE_CUT,
    SURE_INTERVAL,
    best_intervals,
    quantile_cuts,
    segment_cuts,
    separator,
)
from samrule.conditions.intervals import without_explained_intervals
from samrule.conditions.levels import level_order
from samrule.conditions.ordered_levels import ordered_levels, orders_of
from samrule.conditions.pairs import column_count
from samrule.conditions.paying_kinds import INTERVALS, SETS, not_paying
from samrule.conditions.pilot import BEYOND_THE_CALENDAR, Pilot, PilotColumn, pilot_of
from samrule.conditions.pilot_lists import ListsWanted, PilotLists
from samrule.errors import (
    InputError,
    ParameterError,
    ParameterTypeError,
    TargetError,
)
from samrule.rules import ColumnType, Condition, Operator, Unit, Value, value_text
from samrule.rules.meaning import column_type, condition_mask, missing_mask
from samrule.sources.roles import check_known

# Conditions of one column.
_Made = tuple[Condition, ...]

_PAPER_SHARES = (0.2, 0.4, 0.6, 0.8)

# What "auto" is where classes are looked at: as good as all conditions of every table that we
# measured (docs/cuts.md), and searched in a fraction of the time.
ENOUGH_CONDITIONS = 100


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
    sets
        Whether text columns get sets too: their levels are ordered by class shares and cut like
        numbers, ``in {...}`` and ``not in {...}``, where they differ by more than chance. With
        ``"auto"`` they are used where they pay: where the best list of the pilot rows is clearly
        better with them than without (docs/cuts.md says by how much). The other schemes, which do
        not look at classes, make none.
    intervals
        Whether ordered columns get intervals too, ``a <= x < b`` between two of their cuts: at most
        four per column, those that tell the classes apart best, and only where both ends matter
        whatever a condition on another column says. With ``"auto"`` they are used where they pay,
        too. The other schemes make none.
    orders
        Levels of text columns in order, such as ``{"size": ["low", "mid", "high"]}``: they are
        cut by it like numbers, ``size in {low, mid}``. Ordered categories of dataframes need none.
    calendar
        Whether dates and moments are also asked for their hour, weekday and month, where these
        tell the classes apart on the pilot rows; moments with a time zone are not.
    max_conditions
        At most this many conditions in all: those that good lists of the pilot rows use, and then
        those that small boosted trees ask for, which tell the classes apart together
        (docs/cuts.md). ``"auto"`` is a hundred for the supervised scheme, and all of them for the
        others; None is all of them.
    keep
        Columns that keep all their conditions, beside those that `max_conditions` allows; columns
        with given `cuts` do so, too.
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
    sets: bool | Literal["auto"] = "auto"
    intervals: bool | Literal["auto"] = "auto"
    orders: Mapping[str, Sequence[str]] | None = None
    calendar: bool = False
    max_conditions: int | Literal["auto"] | None = "auto"
    keep: Sequence[str] = ()
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

    def fit(
        self,
        rows: Any,
        target: Any = None,
        weights: Any = None,
        *,
        lists: ListsWanted | None = None,
    ) -> Conditions:
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
        lists
            The lists that the conditions are for, which `learn` knows: what pays for them is used.
            If not given, four rules of one condition each, and what pays by errors or by Brier
            score.
        """
        self._check()
        pilot = pilot_of(rows, target, weights)
        return self.knowing(rows, pilot.columns)._fit(pilot, lists or ListsWanted())

    def knowing(self, table: Any, columns: Collection[str]) -> "Binarizer":
        """Return a binarizer that also knows the orders a dataframe has of some of its columns."""
        known = {name: order for name, order in orders_of(table).items() if name in columns}
        return replace(self, orders={**known, **(self.orders or {})}) if known else self

    def _fit(self, pilot: Pilot, wanted: ListsWanted) -> Conditions:
        if pilot.n_rows == 0:
            raise InputError(
                "there are no pilot rows to learn conditions on.", hint="draw some thousands."
            )
        named = [name for one in ("force", "keep") for name in self._named(one, pilot)]
        for name in [*(self.cuts or {}), *named]:
            check_known(name, pilot.columns, "the table")
        for name in self.orders or {}:
            check_known(name, [*pilot.columns, *pilot.roles], "the table")
        if self.scheme == "supervised" and pilot.codes is None:
            raise TargetError(
                "scheme 'supervised' cuts where classes change, and no target was given.",
                hint="name the target, or use scheme='quantile'.",
            )
        found, left_out = self._columns(pilot)
        if not any(map(_asks_for_a_value, found)):
            # Every column looks like an identifier: use them all rather than none.
            found, left_out = replace(self, force=pilot.columns)._columns(pilot)
        found = without_explained_intervals(found, pilot)
        found, too_many = self._affordable(found, pilot, wanted)
        left_out += too_many
        if not found:
            shown = "; ".join(str(one) for one in left_out[:5])
            raise InputError(
                f"no column gives a condition ({shown}).",
                hint="check the columns' types, or lower min_level_share.",
            )
        return Conditions(
            by_column=tuple(found),
            counts=tuple(map(column_count, found)),
            left_out=tuple(left_out),
        )

    def _check(self) -> None:
        for name in ("scheme", "n_thresholds", "min_level_share"):
            checked(name, getattr(self, name))
        checked_max_conditions(self.max_conditions)

    def _named(self, parameter: str, pilot: Pilot) -> Sequence[str]:
        """Return the columns that `force` or `keep` names."""
        names = getattr(self, parameter)
        if isinstance(names, str):
            raise ParameterTypeError(
                f"{parameter} is {names!r}; expected a list of column names.",
                hint=f"write {parameter}=[{names!r}].",
            )
        return [name for name in names if name not in pilot.roles]

    def _columns(self, pilot: Pilot) -> tuple[list[_Made], list[LeftOut]]:
        """Return the conditions of every column, and what was left out."""
        found: list[_Made] = []
        left_out: list[LeftOut] = []
        for name in pilot.columns:
            made, rest = self._column(name, pilot)
            found += [made] if made else []
            found += self._units(name, pilot)
            left_out += [rest] if rest else []
        return found, left_out

    def _affordable(
        self, found: list[_Made], pilot: Pilot, wanted: ListsWanted
    ) -> tuple[list[_Made], list[LeftOut]]:
        """Return what pays and the budget allows, and the columns that it leaves nothing of."""
        most, keep = self._most_conditions, {*self.keep, *(self.cuts or {})}
        kinds = [kind for kind in self._judged if any(one.op in kind for a in found for one in a)]
        is_too_many = most is not None and sum(map(len, found)) > most
        if not kinds and not is_too_many:
            return found, []
        lists = PilotLists.of(found, pilot, wanted)
        # Levels in order are cut, as numbers are.
        left_out = not_paying(kinds, lists, keep={*keep, *(self.orders or {})})
        found = [tuple(one for one in some if one not in left_out) for some in found]
        if most is None or sum(map(len, found)) <= most:
            return found, []
        kept = within_budget(found, pilot, most, keep=keep, lists=lists)
        spent = f"{most:,} conditions on other columns say more; --max-conditions none uses all"
        rest = [some for some in kept if some]
        used = {some[0].column for some in rest}
        empty = [name for name in dict.fromkeys(a[0].column for a in found) if name not in used]
        return rest, [LeftOut(name, spent) for name in empty]

    @property
    def _judged(self) -> list[frozenset[Operator]]:
        """Kinds of conditions that are used only where they pay."""
        asked = ((self.intervals, INTERVALS), (self.sets, SETS))
        return [kind for value, kind in asked if value == "auto" and self.scheme == "supervised"]

    @property
    def _most_conditions(self) -> int | None:
        if self.max_conditions != "auto":
            return self.max_conditions
        return ENOUGH_CONDITIONS if self.scheme == "supervised" else None

    def _units(self, name: str, pilot: Pilot) -> list[_Made]:
        """Return conditions on the hour, the weekday and the month, those of each together."""
        column = pilot.column(name)
        kind = column_type(column.type)
        missing = missing_mask(column)
        if not self.calendar or kind is None or missing.all():
            return []
        values = PilotColumn(name, kind, column.filter(pa.array(~missing)), ~missing, pilot)
        found = []
        for unit, numbers in units_that_matter(values):
            # Hours have an order; weekdays and months are names.
            made = self._cut(numbers) if unit is Unit.HOUR else self._text(numbers)
            if not isinstance(made, LeftOut):
                found.append(tuple(replace(one, unit=unit, type=kind) for one in made))
        return found

    def _column(self, name: str, pilot: Pilot) -> tuple[_Made | None, LeftOut | None]:
        """Return the column's conditions, if there are any, and what was left out of it."""
        column = pilot.column(name)
        kind = column_type(column.type)
        if kind is None:
            return None, LeftOut(name, f"no conditions are made of {column.type}")
        missing = missing_mask(column)
        if missing.all():
            return None, LeftOut(name, "all values are missing")
        values = PilotColumn(name, kind, column.filter(pa.array(~missing)), ~missing, pilot)
        made = self._conditions(values)
        left_out = made if isinstance(made, LeftOut) else None
        conditions = () if isinstance(made, LeftOut) else made
        if missing.any():
            conditions = (*conditions, Condition(name, Operator.IS_MISSING, type=kind))
        return conditions or None, left_out

    def _conditions(self, values: PilotColumn) -> _Made | LeftOut:
        if values.name in (self.cuts or {}):
            return self._given_cuts(values)
        # The paper's scripts cut every number.
        looked_at = self.scheme != "paper" or values.kind is ColumnType.TEXT
        if values.name not in {*self.force, *(self.orders or {})} and looked_at:
            reason = values.identifier_reason()
            if reason is not None:
                return LeftOut(values.name, f"{reason}; --force or Binarizer(force=...) uses it")
        if len(values.distinct) == 1:
            return self._constant(values)
        if values.kind is ColumnType.TEXT or values.name in (self.orders or {}):
            return self._text(values)
        if len(values.distinct) == 2 and values.distinct.to_pylist() == [0, 1]:
            no, yes = values.distinct.to_pylist()
            return _equal(values.name, (yes,) if self.scheme == "paper" else (yes, no))
        return self._cut(values)

    def _constant(self, values: PilotColumn) -> _Made | LeftOut:
        """Make a condition of the only value if it is missing in some rows; "paper" always does."""
        (only,) = values.distinct.to_pylist()
        if isinstance(only, date) and date(only.year, only.month, only.day) in BEYOND_THE_CALENDAR:
            return LeftOut(values.name, "its days lie outside the years 1 to 9999")
        paper = self.scheme == "paper" and values.kind is ColumnType.TEXT
        if paper or not values.mask.all():
            return _equal(values.name, (only,))
        return LeftOut(values.name, f"it is always {value_text(only)}")

    def _text(self, values: PilotColumn) -> _Made | LeftOut:
        if values.name in (self.orders or {}):
            return self._levels(values)
        n_distinct = len(values.distinct)
        least = 0.0 if self.scheme == "paper" else self.min_level_share * values.total_weight
        heavy = values.weights() >= least
        if not heavy.any():
            return LeftOut(
                values.name,
                f"none of its {n_distinct:,} levels holds {self.min_level_share:.2%} of the rows",
            )
        conditions = _equal(values.name, values.distinct.filter(pa.array(heavy)).to_pylist())
        if not self.sets or self.scheme != "supervised":
            return conditions
        return (*conditions, *self._sets(values, heavy))

    def _sets(self, values: PilotColumn, heavy: NDArray[np.bool_]) -> list[Condition]:
        """Return conditions on sets of the levels."""
        of_classes = values.class_weights()
        order = level_order(of_classes[heavy], of_classes[~heavy].sum(axis=0))
        levels = values.distinct.filter(pa.array(heavy)).take(pa.array(order)).to_pylist()
        # Levels of shares that differ by chance have no order of their own: no cut goes there.
        sure = values.chance_gain(SURE_CUT)
        cuts = segment_cuts(
            of_classes[heavy][order], self.n_thresholds, spread=0.0, least_gain=sure
        )
        are_all = bool(heavy.all())
        return [one for cut in cuts for one in _set(values.name, levels, cut, are_all=are_all)]

    def _cut(self, values: PilotColumn) -> _Made | LeftOut:
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
        return (*_ordered(values.name, cuts), *self._intervals(values, places, cuts))

    def _levels(self, values: PilotColumn) -> _Made:
        """Cut the levels of a text column by the order that is known of them."""
        return ordered_levels(
            values,
            (self.orders or {})[values.name],
            n_thresholds=self.n_thresholds,
            min_level_share=self.min_level_share,
            intervals=self._makes_intervals,
        )

    def _given_cuts(self, values: PilotColumn) -> _Made:
        assert self.cuts is not None
        cuts = sorted(_fitting_cuts(values, self.cuts[values.name]))
        distinct = list(dict.fromkeys(cuts))
        at_least = (Condition(values.name, Operator.AT_LEAST, cut) for cut in distinct)
        places = [int((~condition_mask(one, values.distinct)).sum()) for one in at_least]
        return (*_ordered(values.name, distinct), *self._intervals(values, places, distinct))

    @property
    def _makes_intervals(self) -> bool:
        return bool(self.intervals) and self.scheme == "supervised"

    def _intervals(
        self, values: PilotColumn, places: Sequence[int], cuts: Sequence[Any]
    ) -> list[Condition]:
        """Return intervals between some of the cuts, which lie at these places."""
        cut_at = dict(zip(places, cuts, strict=True))
        if not self._makes_intervals:
            return []
        chosen = best_intervals(
            values.class_weights(),
            places,
            self.n_thresholds,
            least_gain=values.chance_gain(SURE_INTERVAL),
        )
        return [
            Condition(values.name, Operator.WITHIN, (cut_at[low], cut_at[high]))
            for low, high in chosen
        ]


def _asks_for_a_value(conditions: Sequence[Condition]) -> bool:
    return any(one.op is not Operator.IS_MISSING for one in conditions)


def _equal(name: str, values: Sequence[Any]) -> _Made:
    return tuple(Condition(name, Operator.EQUAL, value) for value in values)


def _set(name: str, levels: Sequence[Any], cut: int, *, are_all: bool) -> list[Condition]:
    """Return the two sides of a cut; one level alone has its condition already.

    If these are all levels, what lies beyond the cut is a level alone, too, where one is left.
    """
    inside, outside = tuple(levels[:cut]), tuple(levels[cut:])
    if are_all and len(outside) == 1:
        inside, outside = outside, inside
    if len(inside) > 1:
        return [Condition(name, operator, inside) for operator in (Operator.IN, Operator.NOT_IN)]
    is_one_of_two = are_all and len(outside) == 1
    return [] if is_one_of_two else [Condition(name, Operator.NOT_EQUAL, inside[0])]


def _ordered(name: str, cuts: Sequence[Any]) -> _Made:
    distinct = list(dict.fromkeys(cuts))
    return tuple(
        Condition(name, operator, cut)
        for cut in distinct
        for operator in (Operator.AT_LEAST, Operator.LESS)
    )


def _fitting_cuts(values: PilotColumn, given: Sequence[Value]) -> list[Any]:
    cuts = [Condition(values.name, Operator.AT_LEAST, cut).value for cut in given]
    for cut in cuts:
        condition_mask(Condition(values.name, Operator.AT_LEAST, cut), values.distinct)
    if not cuts:
        raise ParameterError(
            f"cuts for column {values.name!r} are empty; expected at least one.",
            hint="exclude the column from the table instead.",
        )
    return cuts


def _paper(values: PilotColumn) -> _Made | LeftOut:
    """Cut at interpolated quantiles and shares of the range minus its start, as the paper does."""
    numbers = values.present.cast(pa.float64(), safe=False).to_numpy()
    low, high = float(numbers.min()), float(numbers.max())
    found = {float(cut) for cut in np.quantile(numbers, _PAPER_SHARES)}
    found |= {share * (high - low) - low for share in _PAPER_SHARES}
    inside = sorted(cut for cut in found if low < cut < high)
    if not inside:
        return LeftOut(values.name, "no cut lies inside its range")
    return _ordered(values.name, inside)
