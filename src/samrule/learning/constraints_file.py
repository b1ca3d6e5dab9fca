"""Constraints as JSON: in model files, and in files that people write for the command line."""

from collections.abc import Mapping
from typing import Any

from samrule.constraints import Constraints, Named, checked_constraints, constraint_parameters
from samrule.errors import InputError
from samrule.export.json import (
    checked_fields,
    checked_list,
    condition_from_dict,
    condition_to_dict,
    shown,
    value_from_json,
    value_to_json,
)
from samrule.rules import Condition, Rule


def constraints_to_dict(constraints: Constraints) -> dict[str, Any]:
    """Return constraints as `json.dumps` takes them: those asked for, under their names.

    >>> constraints_to_dict(checked_constraints(forbid=[("age", "sex")], max_columns=3))
    {'forbid': [['age', 'sex']], 'max_columns': 3}
    """
    written = {name: _written(one) for name, one in constraints.parameters().items()}
    return {name: one for name, one in written.items() if one not in (None, [], {})}


def constraints_from_dict(data: object, where: str = "constraints") -> Constraints:
    """Return the constraints that a JSON object holds; all fields may be left out.

    >>> print(constraints_from_dict({"at_most": {"income": 1}}))
    at most 1 rule on income
    """
    return checked_constraints(**parameters_from_dict(data, where))


def parameters_from_dict(data: object, where: str = "constraints") -> dict[str, Any]:
    """Return the parameters of `learn` that a JSON object holds."""
    found = checked_fields(data, where, (), constraint_parameters())
    read = {
        "forbid": _names,
        "require": _names,
        "together": _names,
        "first": _rules,
        "last": _rules,
        "at_most": _numbers,
        "monotone": _numbers,
    }
    return {
        name: read[name](value, f"{where}.{name}") if name in read else value
        for name, value in found.items()
    }


def _written(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_written(one) for one in value]
    if isinstance(value, Condition):
        return condition_to_dict(value)
    if isinstance(value, Rule):
        prediction = value.prediction
        return {
            "conditions": [condition_to_dict(one) for one in value.conditions],
            "prediction": None if prediction is None else value_to_json(prediction),
        }
    return value


def _names(data: object, where: str) -> list[Named | tuple[str, ...]]:
    return [_name(one, f"{where}[{i}]") for i, one in enumerate(checked_list(data, where))]


def _name(data: object, where: str) -> Any:
    if isinstance(data, list):
        return tuple(_name(one, f"{where}[{i}]") for i, one in enumerate(data))
    return condition_from_dict(data, where) if isinstance(data, dict) else data


def _numbers(data: object, where: str) -> Mapping[str, Any]:
    if not isinstance(data, dict):
        raise InputError(f"{where} is {shown(data)}; expected an object.")
    return data


def _rules(data: object, where: str) -> list[Rule]:
    return [_rule(one, f"{where}[{i}]") for i, one in enumerate(checked_list(data, where))]


def _rule(data: object, where: str) -> Rule:
    found = checked_fields(data, where, ("conditions",), ("prediction",))
    conditions = checked_list(found["conditions"], f"{where}.conditions")
    prediction = found.get("prediction")
    return Rule(
        tuple(
            condition_from_dict(one, f"{where}.conditions[{i}]") for i, one in enumerate(conditions)
        ),
        None if prediction is None else value_from_json(prediction, f"{where}.prediction"),
    )
