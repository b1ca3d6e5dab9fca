"""Constraints on a table: which conditions rules may use, and what else the search must know.

Constraints are fixed before any row is drawn, so that the lists that obey them are a class of
lists as any other (docs/theory/constraints.md).
"""

import difflib
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from samrule.conditions import Binarizer, Conditions
from samrule.conditions.packed import packed_conditions
from samrule.constraints import Constraints, Named, Way, rule_text
from samrule.errors import Parameter, ParameterError, Words
from samrule.learning.task import Settings, Task
from samrule.rules import Condition, Rule, value_text
from samrule.solver.problem import PackedConditions
from samrule.sources.roles import check_known


def table_constraints(constraints: Constraints, task: Task) -> Constraints:
    """Return constraints whose columns are in the table and whose classes are its own."""
    for name in _sure_columns(constraints):
        check_known(name, task.source.schema.names, task.source.name)
    for one in constraints.fixed_conditions:
        if one.column in (task.target, task.source.weights):
            raise ParameterError(
                f"a fixed rule asks about {one.column!r}, the target or the weights.",
                hint="fix rules about other columns.",
            )
    return replace(
        constraints,
        first=tuple(_with_class("first", rule, task.classes) for rule in constraints.first),
        last=tuple(_with_class("last", rule, task.classes) for rule in constraints.last),
    )


def with_levels(constraints: Constraints, binarizer: Binarizer | Conditions) -> Constraints:
    """Return constraints that name the levels of monotone columns of texts whose order is known."""
    orders = {} if isinstance(binarizer, Conditions) else binarizer.orders or {}
    return replace(
        constraints,
        monotone=tuple(
            (name, _levels(way, orders.get(name))) for name, way in constraints.monotone
        ),
    )


def _levels(way: Way, order: Sequence[str] | None) -> Way:
    return tuple(order)[::way] if isinstance(way, int) and order else way


def kept_columns(constraints: Constraints, columns: Sequence[str]) -> list[str]:
    """Return the columns, of a table's, that keep all their conditions: those that are named.

    A condition named by how it reads may be one of any column, so then all do.
    """
    named = set(constraints.columns)
    return [name for name in columns if name in named or not named <= {*columns}]


def without_forbidden(conditions: Conditions, constraints: Constraints) -> Conditions:
    """Return the conditions without those that no rule may use."""
    forbidden = constraints.forbid
    if not forbidden:
        return conditions
    for one in forbidden:
        is_column = isinstance(one, str) and one in (
            *conditions.columns,
            *(some.column for some in conditions.left_out),
        )
        if not is_column and not any(_is_called(one, some) for some in conditions):
            _refuse_unknown("forbid", one, conditions)
    named = {one for one in conditions if any(_is_called(name, one) for name in forbidden)}
    return conditions.without(named, "it is forbidden")


def searched_constraints(constraints: Constraints, conditions: Conditions) -> dict[str, Any]:
    """Return what `solve` is to obey, given the conditions that rules may use.

    Columns that no condition is about obey by themselves. Conditions of fixed rules that are none
    of those given are for these rules alone.
    """
    known = {*conditions.columns, *(one.column for one in constraints.fixed_conditions)}
    for name in ("require", "together"):
        for one in _flat(getattr(constraints, name)):
            is_known = one in known or any(_is_called(one, some) for some in conditions)
            if not is_known:
                _refuse_unknown(name, one, conditions)
    apart = [tuple(c for c in some if c in known) for some in constraints.apart]
    rest = replace(
        constraints,
        forbid=_own_conditions(constraints, conditions),
        apart=tuple(some for some in apart if len(some) > 1),
        at_most=tuple(one for one in constraints.at_most if one[0] in known),
        monotone=tuple(one for one in constraints.monotone if one[0] in known),
    )
    return rest.parameters()


def packed_rows(constraints: Constraints, conditions: Conditions, rows: Any) -> PackedConditions:
    """Return where the conditions hold, and behind them those of fixed rules alone."""
    packed = conditions.pack(rows)
    own = _own_conditions(constraints, conditions)
    if not own:
        return packed
    columns = dict.fromkeys(one.column for one in own)
    by_column = [tuple(one for one in own if one.column == column) for column in columns]
    more = packed_conditions(by_column, rows)
    return PackedConditions(
        np.concatenate([packed.bits, more.bits]),
        packed.n_rows,
        (*packed.conditions, *more.conditions),
    )


def needs_all_rows(settings: Settings, constraints: Constraints) -> bool:
    """Whether a sample does not do: rules that decide too little cannot just be taken out."""
    return settings.min_support > 0 and not constraints.is_about_candidates


def check_goes_together(
    constraints: Constraints,
    settings: Settings,
    *,
    alert_rate: float | None,
    chooses_rules: bool,
) -> None:
    """Refuse what is not proven, or not searched, for lists that obey constraints."""
    if constraints.is_about_candidates:
        return
    others = {
        "alert_rate": alert_rate is not None,
        "max_rules": chooses_rules,
        "strategy": needs_all_rows(settings, constraints)
        and settings.strategy not in ("auto", "exact"),
    }
    for name, is_given in others.items():
        if is_given:
            value = {"alert_rate": alert_rate, "max_rules": "cv", "strategy": settings.strategy}
            raise ParameterError(
                Words(
                    Parameter(name, value[name]),
                    f" does not go with these constraints: {constraints}.",
                ),
                hint=_INSTEAD[name],
            )


_INSTEAD = {
    "alert_rate": "only columns and conditions can be forbidden there.",
    "max_rules": Words("say how many rules: ", Parameter("max_rules", 4), "."),
    "strategy": Words(
        "with ",
        Parameter("min_support"),
        " all rows are searched: ",
        Parameter("strategy", "exact"),
        ".",
    ),
}


def fixed_columns(constraints: Constraints) -> tuple[str, ...]:
    """Return the columns that fixed rules ask about."""
    return tuple(one.column for one in constraints.fixed_conditions)


def _own_conditions(constraints: Constraints, conditions: Conditions) -> tuple[Condition, ...]:
    """Return the conditions of fixed rules that no other rule may use."""
    if not constraints.fixed_conditions:
        return ()
    known = set(conditions)
    return tuple(one for one in constraints.fixed_conditions if one not in known)


def _sure_columns(constraints: Constraints) -> Sequence[str]:
    """Return what can only be columns: what is forbidden or required may be a condition's text."""
    texts = {one for one in (*constraints.forbid, *constraints.require) if isinstance(one, str)}
    return [name for name in constraints.columns if name not in texts]


def _with_class(name: str, rule: Rule, classes: Sequence[Hashable]) -> Rule:
    """Return a fixed rule that predicts a class of the table: the one that reads so."""
    if rule.prediction is None:
        return rule
    reading_so = [one for one in classes if one == rule.prediction] or [
        one for one in classes if value_text(one) == str(rule.prediction)
    ]
    if len(reading_so) == 1:
        return replace(rule, prediction=reading_so[0])
    shown = ", ".join(repr(one) for one in classes[:10])
    raise ParameterError(
        Words(
            Parameter(name),
            f" has the rule '{rule_text(rule)}'; the classes are {shown}.",
        ),
        hint="name classes as the table does.",
    )


def _is_called(name: Named, condition: Condition) -> bool:
    return name in (condition, condition.column, str(condition))


def _flat(names: Sequence[Any]) -> list[Named]:
    return [one for some in names for one in (some if isinstance(some, tuple) else (some,))]


def _refuse_unknown(name: str, one: Named, conditions: Conditions) -> NoReturn:
    column = one.column if isinstance(one, Condition) else one
    reasons = [some.reason for some in conditions.left_out if some.column == column]
    why = f": {reasons[0]}" if reasons else ""
    raise ParameterError(
        Words(
            Parameter(name),
            f" names '{one}', which none of the {len(conditions):,} conditions is about{why}.",
        ),
        hint=_what_to_name(name, one, conditions, is_left_out=bool(reasons)),
    )


def _what_to_name(name: str, one: Named, conditions: Conditions, *, is_left_out: bool) -> str:
    known = [*conditions.columns, *map(str, conditions)]
    near = difflib.get_close_matches(str(one), known, n=1)
    if is_left_out:
        return Words("leave it out of ", Parameter(name), ", or see that it gives conditions.")
    if near:
        return f"did you mean '{near[0]}'?"
    shown = ", ".join(f"'{column}'" for column in conditions.columns[:10])
    more = ", ..." if len(conditions.columns) > 10 else ""
    return f"conditions are about {shown}{more}."
