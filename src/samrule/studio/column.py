"""A column's histogram by class, with the places where a cut may stand and what each would cost."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from samrule.editing import Edit
from samrule.editing.edit import has_cut
from samrule.editing.replacements import group_costs
from samrule.export.json import value_to_json
from samrule.rules import Condition, Operator, value_text
from samrule.rules.meaning import column_type, condition_mask, missing_mask
from samrule.sources.arrow_types import python_values
from samrule.sources.roles import check_known
from samrule.studio.cards import condition_view
from samrule.studio.desk import type_name
from samrule.studio.views import Border, ColumnView, Counts, Cut, Level, Others

# Quantiles that cuts may be moved to, beside those that conditions have.
_QUANTILES = 32
_MOST_LEVELS = 30


def column_view(edit: Edit, column: str, number: int | None = None) -> ColumnView:
    """Return a column's histogram: of all rows, or of those that reach a rule."""
    names = edit.fitted.conditions.columns
    check_known(column, names, "the conditions")
    values = edit.workbench.rows[column].combine_chunks()
    place = None if number is None else edit.place_of(number)
    reached = np.ones(len(values), dtype=np.bool_)
    if place is not None:
        reached = edit.workbench.kept.deciders(edit.rules[:place]) == place
    known = [one for one in edit.fitted.conditions if one.column == column]
    rows = _Rows(edit, values, reached, missing_mask(values))
    kind = column_type(values.type)
    shown: dict[str, Any] = {
        "column": column,
        "type": type_name(values.type),
        "n_rows": int(np.count_nonzero(reached)),
        "missing": rows.by_class(rows.missing),
        "conditions": [condition_view(one) for one in known],
    }
    if kind is not None and kind.has_order:
        return ColumnView(**shown, **_ordered(rows, column, known, place), levels=[], others=None)
    nothing: dict[str, Any] = {
        "borders": [],
        "bins": [],
        "least_text": None,
        "most_text": None,
        "cut": None,
    }
    return ColumnView(**shown, **nothing, **_levels(rows))


@dataclass(frozen=True, slots=True)
class _Rows:
    """A column's values, and which of the rows are counted."""

    edit: Edit
    values: Any
    reached: NDArray[np.bool_]
    missing: NDArray[np.bool_]

    @property
    def n_classes(self) -> int:
        return len(self.edit.fitted.classes)

    @property
    def labels(self) -> NDArray[np.int32]:
        return self.edit.workbench.labels

    def by_class(self, which: NDArray[np.bool_]) -> list[int]:
        """Return how many of some rows that are counted are of each class."""
        labels = self.labels[which & self.reached]
        return [int(one) for one in np.bincount(labels, minlength=self.n_classes)]

    def by_place(self, places: NDArray[np.int64], n_places: int) -> NDArray[np.int64]:
        """Return rows that are counted and not missing by place and class."""
        inside = self.reached & ~self.missing
        found = np.bincount(
            places[inside] * self.n_classes + self.labels[inside],
            minlength=n_places * self.n_classes,
        )
        return found.reshape(n_places, self.n_classes)


def _ordered(
    rows: _Rows, column: str, known: Sequence[Condition], place: int | None
) -> dict[str, Any]:
    cut = None if place is None else _cut(rows.edit, place, column)
    of_conditions = {one for condition in known for one in _cut_values(condition)}
    of_cut: set[Any] = set() if cut is None else {cut.value}
    values: list[Any] = sorted(of_conditions | of_cut | _quantiles(rows, column))
    # Each bin begins where a condition begins to hold, so it counts what the condition does.
    bins = np.zeros(len(rows.values), dtype=np.int64)
    for one in values:
        bins += condition_mask(Condition(column, Operator.AT_LEAST, one), rows.values)
    losses = [None] * len(values) if cut is None else _losses(rows, place, cut, bins, len(values))
    present = rows.values.filter(pa.array(~rows.missing))
    ends = [None, None] if not len(present) else _ends(present, column)
    return {
        "borders": [
            Border(
                value=value_to_json(one),
                text=value_text(one),
                position=_position(one),
                is_condition=one in of_conditions,
                loss=loss,
            )
            for one, loss in zip(values, losses, strict=True)
        ],
        "bins": [
            Counts(counts=[int(one) for one in some])
            for some in rows.by_place(bins, len(values) + 1)
        ],
        "least_text": ends[0],
        "most_text": ends[1],
        "cut": None
        if cut is None
        else Cut(
            op=str(cut.op),
            value=value_to_json(cut.value),
            text=str(cut),
            border=values.index(cut.value),
        ),
    }


def _cut(edit: Edit, place: int, column: str) -> Condition | None:
    """Return the one cut that a rule has on a column, if it has one."""
    rule = edit.rules[place]
    found = [one for one in rule.conditions if one.column == column and has_cut(one)]
    return found[0] if len(found) == 1 else None


def _cut_values(condition: Condition) -> list[Any]:
    """Return where a condition cuts: once, twice for an interval, or nowhere."""
    if condition.unit is not None:
        return []
    return [part.value for part in condition.parts if has_cut(part)]


def _quantiles(rows: _Rows, column: str) -> set[Any]:
    """Return values that split the rows that are counted into parts of about one size."""
    counted = rows.values.filter(pa.array(rows.reached & ~rows.missing))
    if not len(counted):
        return set()
    in_order = counted.take(pc.sort_indices(counted))
    places = np.arange(1, _QUANTILES) * len(in_order) // _QUANTILES
    found = python_values(in_order.take(pa.array(np.unique(places))), column)
    least = in_order[0].as_py()
    return {one for one in found if one != least}


def _losses(
    rows: _Rows, place: int | None, cut: Condition, bins: NDArray[np.int64], n_borders: int
) -> list[float | None]:
    """Return the loss of the list with the cut at each border, all at once.

    The rows that the rule could decide are counted by bin, by the rule that decides them otherwise,
    and by class; those on the cut's side of a border are the rule's.
    """
    assert place is not None
    edit = rows.edit
    workbench, rule = edit.workbench, edit.rules[place]
    classes, objective = workbench.task.classes, workbench.task.objective
    others = [*edit.rules[:place], *edit.rules[place + 1 :]]
    decided = workbench.kept.deciders(others)
    matched = decided >= place
    for one in rule.conditions:
        if one is not cut:
            matched = matched & workbench.kept.mask(one)
    matched &= ~rows.missing
    n_groups, n_classes = len(others) + 1, len(classes)
    cells = decided * n_classes + workbench.labels
    whole = np.bincount(cells, workbench.weights, minlength=n_groups * n_classes).astype(float)
    size = (n_borders + 1) * n_groups * n_classes
    weights = None if workbench.weights is None else workbench.weights[matched]
    by_bin = np.bincount(
        bins[matched] * n_groups * n_classes + cells[matched], weights, minlength=size
    )
    by_bin = by_bin.astype(float).reshape(n_borders + 1, n_groups, n_classes)
    below = np.cumsum(by_bin, axis=0)[:-1]  # In the bins before each border.
    taken = below if cut.op == Operator.LESS else by_bin.sum(axis=0) - below
    said = [*(one.prediction for one in others), edit.default]
    total = group_costs(objective, taken.sum(axis=1), _place_of(rule.prediction, classes))
    left: NDArray[np.float64] = whole.reshape(n_groups, n_classes) - taken
    for group, prediction in enumerate(said):
        total = total + group_costs(objective, left[:, group], _place_of(prediction, classes))
    price = workbench.task.settings.regularization * len(edit.rules)
    return [float(one) for one in total / whole.sum() + price]


def _place_of(prediction: Hashable | None, classes: Sequence[Hashable]) -> int | None:
    return None if prediction is None else classes.index(prediction)


def _ends(present: Any, column: str) -> list[str]:
    found = pc.min_max(present)
    ends = pa.array([found["min"].as_py(), found["max"].as_py()])
    return [value_text(one) for one in python_values(ends, column)]


def _position(value: Any) -> float:
    """Return where a value lies on an axis: a date by its seconds."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=value.tzinfo or UTC).timestamp()
    if isinstance(value, date):
        return datetime.combine(value, time(), UTC).timestamp()
    if isinstance(value, time):
        return float((value.hour * 60 + value.minute) * 60 + value.second)
    return float(value)


def _levels(rows: _Rows) -> dict[str, Any]:
    """Return the most frequent values with their rows by class, and the others together."""
    encoded = rows.values
    if not pa.types.is_dictionary(encoded.type):
        encoded = encoded.dictionary_encode()
    values = encoded.dictionary.to_pylist()
    places = pc.fill_null(encoded.indices, 0).to_numpy(zero_copy_only=False).astype(np.int64)
    counts = rows.by_place(places, max(1, len(values)))
    order = np.argsort(-counts.sum(axis=1), kind="stable").tolist()[: len(values)]
    hidden = [one for one in order[_MOST_LEVELS:] if counts[one].any()]
    shown = [
        Level(
            value=value_to_json(values[one]),
            text=value_text(values[one]),
            counts=_whole(counts[one]),
        )
        for one in order[:_MOST_LEVELS]
    ]
    others = Others(n_levels=len(hidden), counts=_whole(counts[hidden].sum(axis=0)))
    return {"levels": shown, "others": others if hidden else None}


def _whole(counts: NDArray[np.int64]) -> list[int]:
    return [int(one) for one in counts]
