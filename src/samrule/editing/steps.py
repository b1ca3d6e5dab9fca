"""The steps of an edit as JSON, so that they can be kept and taken again."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from samrule.errors import InputError
from samrule.export.json import (
    checked_fields,
    checked_list,
    condition_from_dict,
    condition_to_dict,
    strict_json,
    value_from_json,
    value_to_json,
)
from samrule.rules import Condition, Rule

# What each step takes, in order.
_ARGUMENTS: dict[str, tuple[str, ...]] = {
    "replace": ("number", "conditions"),
    "insert": ("number", "conditions"),
    "add_condition": ("number", "condition"),
    "remove": ("number",),
    "reorder": ("numbers",),
    "relabel": ("number", "value"),
    "move_threshold": ("number", "column", "value"),
    "choose": ("rules", "default"),
    "pin": ("number",),
    "unpin": ("number",),
    "forbid": ("what",),
    "require": ("what",),
    "allow": ("what",),
    "reoptimize": ("effort",),
}
# What is not written where it is this.
_DEFAULTS: dict[str, Any] = {"effort": 1}


@dataclass(frozen=True, slots=True)
class Step:
    """One change: the method of `Edit` and what it was given."""

    name: str
    arguments: tuple[Any, ...]


def written_steps(steps: Sequence[Step]) -> str:
    """Return steps as JSON.

    >>> print(written_steps([Step("remove", (2,)), Step("forbid", ("sex",))]))
    {
      "format": "samrule edit",
      "version": 1,
      "steps": [
        {"step": "remove", "number": 2},
        {"step": "forbid", "what": {"column": "sex"}}
      ]
    }
    """
    lines = [json.dumps(step_to_dict(step), ensure_ascii=False) for step in steps]
    body = "".join(f"\n    {line}," for line in lines).rstrip(",")
    end = "\n  ]" if lines else "]"
    return f'{{\n  "format": "samrule edit",\n  "version": 1,\n  "steps": [{body}{end}\n}}'


def read_steps(text: str) -> list[Step]:
    """Return the steps that a JSON text holds.

    >>> read_steps(written_steps([Step("reorder", ((2, 1),))]))
    [Step(name='reorder', arguments=((2, 1),))]
    """
    data = checked_fields(strict_json(text), "edit", {"format", "version", "steps"})
    if (data["format"], data["version"]) != ("samrule edit", 1):
        raise InputError(
            f"the file is {data['format']!r}, version {data['version']!r}; expected "
            "'samrule edit', version 1.",
            hint="give a file that Edit.to_json wrote.",
        )
    return [
        step_from_dict(one, f"steps[{place}]")
        for place, one in enumerate(checked_list(data["steps"], "steps"))
    ]


def step_to_dict(step: Step) -> dict[str, Any]:
    """Return a step as an object of JSON."""
    named = zip(_ARGUMENTS[step.name], step.arguments, strict=True)
    written = {name: _WRITERS[name](value) for name, value in named if not _is_usual(name, value)}
    return {"step": step.name, **written}


def _is_usual(name: str, value: Any) -> bool:
    return name in _DEFAULTS and _DEFAULTS[name] == value


def step_from_dict(data: Any, where: str) -> Step:
    """Return the step that an object of JSON says."""
    name = data.get("step") if isinstance(data, dict) else None
    if not isinstance(name, str) or name not in _ARGUMENTS:
        raise InputError(
            f"{where} has the step {name!r}; expected one of {', '.join(_ARGUMENTS)}.",
            hint="give a file that Edit.to_json wrote.",
        )
    wanted = _ARGUMENTS[name]
    usual = {one: _DEFAULTS[one] for one in wanted if one in _DEFAULTS}
    fields = checked_fields({**usual, **data}, where, {"step", *wanted})
    return Step(name, tuple(_READERS[one](fields[one], f"{where}.{one}") for one in wanted))


def what_to_dict(what: Any) -> dict[str, Any]:
    """Return what is forbidden or required as an object of JSON."""
    if isinstance(what, Condition):
        return {"condition": condition_to_dict(what)}
    return {"column": what} if isinstance(what, str) else {"columns": list(what)}


def _read_what(data: Any, where: str) -> Any:
    kind = next(iter(data), None) if isinstance(data, dict) else None
    fields = checked_fields(data, where, {kind} if isinstance(kind, str) else {"column"})
    if kind == "condition":
        return condition_from_dict(fields[kind], where)
    if kind == "columns":
        return tuple(_read_text(one, where) for one in checked_list(fields[kind], where))
    return _read_text(fields.get("column"), where)


def _read_text(data: Any, where: str) -> str:
    if not isinstance(data, str):
        raise InputError(f"{where} is {data!r}; expected a text.", hint="name a column.")
    return data


def _write_rules(rules: Sequence[Rule]) -> list[dict[str, Any]]:
    return [
        {
            "conditions": [condition_to_dict(one) for one in rule.conditions],
            "prediction": value_to_json(rule.prediction),
        }
        for rule in rules
    ]


def _read_rules(data: Any, where: str) -> tuple[Rule, ...]:
    found = []
    for one in checked_list(data, where):
        fields = checked_fields(one, where, {"conditions", "prediction"})
        found.append(
            Rule(
                _read_conditions(fields["conditions"], where),
                value_from_json(fields["prediction"], where),
            )
        )
    return tuple(found)


def _read_conditions(data: Any, where: str) -> tuple[Condition, ...]:
    return tuple(condition_from_dict(one, where) for one in checked_list(data, where))


def _read_number(data: Any, where: str) -> int:
    if isinstance(data, bool) or not isinstance(data, int):
        raise InputError(f"{where} is {data!r}; expected a whole number.", hint="write one.")
    return data


_WRITERS: dict[str, Any] = {
    "effort": int,
    "number": int,
    "numbers": list,
    "condition": condition_to_dict,
    "conditions": lambda conditions: [condition_to_dict(one) for one in conditions],
    "rules": _write_rules,
    "column": str,
    "value": value_to_json,
    "default": value_to_json,
    "what": what_to_dict,
}
_READERS: dict[str, Any] = {
    "effort": _read_number,
    "number": _read_number,
    "numbers": lambda data, where: tuple(
        _read_number(one, where) for one in checked_list(data, where)
    ),
    "condition": condition_from_dict,
    "conditions": _read_conditions,
    "rules": _read_rules,
    "column": _read_text,
    "value": value_from_json,
    "default": value_from_json,
    "what": _read_what,
}
