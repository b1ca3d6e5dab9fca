"""Rows to look at, and why a row is predicted as it is."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from samrule.editing import Edit
from samrule.errors import ParameterError
from samrule.export.json import value_to_json
from samrule.learning.model import Explanation
from samrule.rules import conjunction_text, value_text
from samrule.rules.meaning import column_type
from samrule.rules.typed_value import value_typed
from samrule.sources.roles import check_known
from samrule.studio.desk import Desk
from samrule.studio.part import Part
from samrule.studio.questions import Explain, RowsLike
from samrule.studio.views import ExplanationView, RowsView, RowView, TrailPart


def rows_view(desk: Desk, edit: Edit, asked: RowsLike) -> RowsView:
    """Return some of the rows that a rule decides, or that are predicted wrongly."""
    part = desk.part(asked.rows)
    decided = part.kept.deciders(edit.rules)
    said = np.array([edit.fitted.classes.index(rule.prediction) for rule in edit.rule_list])
    right = said[decided] == part.labels
    wanted = np.ones(len(decided), dtype=np.bool_)
    if asked.rule is not None:
        wanted &= decided == asked.rule - 1
    if asked.wrong:
        wanted &= ~right
    matching = np.flatnonzero(wanted)
    numbers = matching[asked.start : asked.start + asked.count]
    columns = [
        name
        for name in part.kept.table.column_names
        if name != part.target and column_type(part.kept.table.schema.field(name).type) is not None
    ]
    values = part.kept.table.select(columns).take(pa.array(numbers)).to_pylist()
    return RowsView(
        n_rows=len(matching),
        columns=columns,
        rows=[
            RowView(
                row=number,
                values=[_text(row[name]) for name in columns],
                actual=value_text(part.classes[part.labels[number]]),
                predicted=value_text(edit.fitted.classes[said[decided[number]]]),
                rule=int(decided[number]) + 1,
                right=bool(right[number]),
            )
            for number, row in zip(numbers.tolist(), values, strict=True)
        ],
    )


def explanation_view(desk: Desk, edit: Edit, asked: Explain) -> ExplanationView:
    """Return why a row is predicted as it is: one of the table's, or one that was typed."""
    if (asked.row is None) == (asked.values is None):
        raise ParameterError(
            "a row's number and values were both given, or neither; expected one of them.",
            hint="give a row's number, or a value for each column that rules ask about.",
        )
    actual = None
    if asked.row is not None:
        part = desk.part(asked.rows)
        values = _row(part, asked.row)
        actual = value_text(part.classes[part.labels[asked.row]])
    else:
        values = _typed(edit, asked.values or {})
    found = replace(edit.fitted, rule_list=edit.rule_list).explain(values)
    return ExplanationView(
        rule=found.rule_number + 1,
        prediction=value_to_json(found.prediction),
        prediction_text=value_text(found.prediction),
        probability=found.probability,
        actual=actual,
        sentences=str(found).split("\n"),
        trail=_trail(edit, found),
    )


def _row(part: Part, number: int) -> dict[str, Any]:
    if number >= part.kept.n_rows:
        raise ParameterError(
            f"the row is {number:,}; expected one of the {part.kept.n_rows:,} rows, from 0.",
            hint="rows are numbered as /api/rows shows them.",
        )
    found: dict[str, Any] = part.kept.table.slice(number, 1).to_pylist()[0]
    return found


def _typed(edit: Edit, given: Mapping[str, str | None]) -> dict[str, Any]:
    rows = edit.workbench.rows
    values: dict[str, Any] = {}
    for name, text in given.items():
        check_known(name, rows.column_names, "the table")
        values[name] = value_typed(name, text, column_type(rows.schema.field(name).type))
    return values


def _trail(edit: Edit, found: Explanation) -> list[TrailPart]:
    rules = list(edit.rule_list)[: found.rule_number + 1]
    because = [*map(str, found.failed), None]
    return [
        TrailPart(
            number=place + 1,
            text=conjunction_text(rule.conditions),
            applies=place == found.rule_number,
            because=reason,
        )
        for place, (rule, reason) in enumerate(zip(rules, because, strict=True))
    ]


def _text(value: Any) -> str | None:
    missing = value is None or (isinstance(value, float) and value != value)  # noqa: PLR0124
    return None if missing else value_text(value)
