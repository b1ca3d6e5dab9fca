"""What the studio works on: the list as it was learned, its rows, and the edits asked for."""

import json
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from threading import Lock
from typing import Any

import pyarrow.compute as pc

from samrule import __version__
from samrule.editing import Edit
from samrule.editing.alternatives import Alternatives, alternatives_on, check_constraints
from samrule.editing.edit import edit_of
from samrule.editing.steps import Step, step_from_dict
from samrule.editing.without_column import without_column
from samrule.errors import InputError, ParameterError
from samrule.evaluation import MOST_GROUPS
from samrule.export.json import value_to_json
from samrule.export.sql_dialects import DIALECTS
from samrule.learning import ColumnPrice, FittedRuleList
from samrule.objective import objective_of
from samrule.rules import ColumnType, value_text
from samrule.rules.meaning import column_type
from samrule.solver import Solution
from samrule.sources.base import Source
from samrule.studio.part import Part, held_out_part, learned_part
from samrule.studio.shapes import MOST_EFFORT, RowsOf
from samrule.studio.views import ClassView, ColumnName, GroupColumn, LeftOutView, StudioView

# Operations of a search that people wait for: about a tenth of a second.
WORK_LIMIT = 1e8
# Longer lists than asked for that the best of is known of beforehand.
_LONGER = 2
# Edits that are kept; others are made again from their steps.
_MOST_EDITS = 2000
# Rows on which it is seen whether a column has few values.
_LOOKED_AT = 100_000


@dataclass(frozen=True)
class Desk:
    """The list as it was learned, and the rows to judge it and others on.

    Parameters
    ----------
    start
        The list as it was learned, to be edited.
    learned
        The rows it was learned from.
    test
        Rows held out; None if there are none.
    name
        What the table is called.
    """

    start: Edit
    learned: Part
    test: Part | None
    name: str
    _edits: "OrderedDict[bytes, Edit]" = field(default_factory=OrderedDict, repr=False)
    _lists: dict[Any, Any] = field(default_factory=dict, repr=False)
    _lock: Any = field(default_factory=Lock, repr=False)
    _searching: Any = field(default_factory=Lock, repr=False)

    @property
    def fitted(self) -> FittedRuleList:
        """The list as it was learned."""
        return self.start.fitted

    def edit(self, steps: Sequence[dict[str, Any]]) -> Edit:
        """Return what steps make of the list; the same steps always make the same."""
        keys = _keys(steps)
        edit, n_known = self._known(keys)
        for place in range(n_known, len(steps)):
            step = step_from_dict(steps[place], f"steps[{place}]")
            _check_effort(step, f"steps[{place}]")
            edit = getattr(edit, step.name)(*step.arguments)
            self._keep(keys[place], edit)
        return edit

    def part(self, name: RowsOf | None) -> Part:
        """Return the rows asked for; by default those held out, if there are any."""
        if name == "learned" or (name is None and self.test is None):
            return self.learned
        if self.test is None:
            raise InputError(
                "no rows were held out.", hint="start the studio with --test 0.2 to hold some out."
            )
        return self.test

    def alternatives(self, within: float, limit: int, seconds: float) -> Alternatives:
        """Return all lists nearly as good as the best one; they are found once."""
        asked = within, limit, seconds
        check_constraints(self.fitted)
        with self._searching:
            if asked not in self._lists:
                self._lists[asked] = alternatives_on(
                    self.start.workbench,
                    self.fitted.constraints,
                    within=within,
                    limit=limit,
                    time_limit=seconds,
                )
            found: Alternatives = self._lists[asked]
        return found

    def best(self, max_rules: int) -> Solution:
        """Return the best list of so many rules."""
        return self.start.workbench.best(max_rules)

    def without(self, column: str) -> ColumnPrice:
        """Return the best list that does without a column, and its price."""
        best = self.best(self.fitted.settings.max_rules)
        return without_column(self.start.workbench, column, best)

    def best_at(self, ratio: float) -> Solution:
        """Return the best list if the second class taken for the first costs so many times more."""
        workbench, (first, second) = self.start.workbench, self.fitted.classes
        objective = objective_of("error", {(second, first): ratio}, self.fitted.classes)
        return workbench.solved(workbench.packed, objective=objective)

    def warm(self) -> None:
        """Find out before anyone asks what every answer needs, and what longer lists can lose."""
        max_rules = self.fitted.settings.max_rules
        for n_rules in range(max_rules, max_rules + 1 + _LONGER):
            self.best(n_rules)

    @cached_property
    def view(self) -> StudioView:
        """What never changes."""
        fitted, workbench = self.fitted, self.start.workbench
        types = workbench.rows.schema
        n_conditions = dict.fromkeys(fitted.conditions.columns, 0)
        for one in fitted.conditions:
            n_conditions[one.column] += 1
        return StudioView(
            version=__version__,
            table=self.name,
            target=fitted.target,
            classes=[
                ClassView(value=value_to_json(one), text=value_text(one)) for one in fitted.classes
            ],
            columns=[
                ColumnName(name=name, type=type_name(types.field(name).type), n_conditions=n)
                for name, n in n_conditions.items()
            ],
            left_out=[
                LeftOutView(column=one.column, reason=one.reason)
                for one in fitted.conditions.left_out
            ],
            group_columns=self._group_columns(),
            n_rows=self.learned.kept.n_rows,
            n_test_rows=0 if self.test is None else self.test.kept.n_rows,
            is_sample=workbench.is_sample,
            loss_name=fitted.loss_name,
            max_rules=fitted.settings.max_rules,
            max_terms=fitted.settings.max_terms,
            regularization=fitted.settings.regularization,
            n_conditions=len(fitted.conditions),
            dialects=list(DIALECTS),
            has_costs=len(fitted.classes) == 2,
        )

    def _group_columns(self) -> list[GroupColumn]:
        rows = self.learned.kept.table
        some = rows.slice(0, _LOOKED_AT)
        found = []
        for name in rows.column_names:
            if name in (self.fitted.target, self.fitted.weights) or not _holds_single(some, name):
                continue
            n_values = pc.count_distinct(some[name], mode="all").as_py()
            if 1 < n_values <= MOST_GROUPS:
                found.append(GroupColumn(name=name, n_values=n_values))
        return found

    def _known(self, keys: Sequence[bytes]) -> tuple[Edit, int]:
        """Return the longest beginning of the steps that is kept, and how many steps it has."""
        with self._lock:
            for place in range(len(keys), 0, -1):
                found = self._edits.get(keys[place - 1])
                if found is not None:
                    self._edits.move_to_end(keys[place - 1])
                    return found, place
        return self.start, 0

    def _keep(self, key: bytes, edit: Edit) -> None:
        with self._lock:
            self._edits[key] = edit
            if len(self._edits) > _MOST_EDITS:
                self._edits.popitem(last=False)


def desk_of(
    fitted: FittedRuleList,
    table: Any = None,
    test: Source | None = None,
    *,
    name: str | None = None,
) -> Desk:
    """Return a desk with the list on its rows, and with rows held out if there are some.

    Parameters
    ----------
    fitted
        The list.
    table
        The table it was learned from; not needed if it was learned in this process.
    test
        Rows that it was not learned from.
    name
        What the table is called; by default as its source calls it.
    """
    start = edit_of(fitted, table, work_limit=WORK_LIMIT, all_columns=True)
    part = None if test is None else held_out_part(test, fitted)
    named = start.workbench.task.source.name if name is None else name
    return Desk(start, learned_part(start.workbench), part, named)


def type_name(type_: Any) -> str:
    """Return what kind of values a column holds, as the page calls it."""
    found: ColumnType | None = column_type(type_)
    return "other" if found is None else str(found)


def _check_effort(step: Step, where: str) -> None:
    if step.name == "reoptimize" and step.arguments[0] > MOST_EFFORT:
        raise ParameterError(
            f"{where}.effort is {step.arguments[0]}; expected at most {MOST_EFFORT} here.",
            hint="fitted.edit() in Python searches until the best list is proven.",
        )


def _holds_single(table: Any, name: str) -> bool:
    return column_type(table.schema.field(name).type) is not None


def _keys(steps: Sequence[dict[str, Any]]) -> list[bytes]:
    """Return a key for each beginning of the steps."""
    found, before = [], b""
    for step in steps:
        text = json.dumps(step, sort_keys=True)
        before = sha256(before + text.encode()).digest()
        found.append(before)
    return found
