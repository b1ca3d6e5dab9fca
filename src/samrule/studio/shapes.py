"""What the page and Python write the same way: values, conditions and the steps of an edit.

They are written as in files of edits (`samrule.editing.steps`), which also reads and checks them;
here stands what they look like.
"""

from typing import Annotated, Any, Literal

from pydantic import WithJsonSchema
from typing_extensions import TypeAliasType

# How many times longer than usual a search may take: with 1000, minutes.
MOST_EFFORT = 1000
_TEXT = {"type": "string"}
_NUMBER = {"type": "integer", "minimum": 1}
_VALUE = {
    "description": "A value of the table; dates, and numbers that JSON bends, have a telling key.",
    "anyOf": [
        {"type": ["null", "boolean", "string", "number"]},
        *(
            {
                "type": "object",
                "required": [kind],
                "properties": {kind: _TEXT},
                "additionalProperties": False,
            }
            for kind in ("float", "integer", "decimal", "date", "time")
        ),
        {
            "type": "object",
            "required": ["datetime"],
            "properties": {"datetime": _TEXT, "zone": _TEXT},
            "additionalProperties": False,
        },
    ],
}
_CONDITION = {
    "type": "object",
    "required": ["column", "op"],
    "properties": {
        "column": _TEXT,
        "op": {"enum": ["==", "!=", ">=", "<", "within", "in", "not in", "is missing"]},
        "value": {"anyOf": [_VALUE, {"type": "array", "items": _VALUE}]},
        "type": {"enum": ["boolean", "number", "text", "date", "datetime", "time"]},
        "unit": {"enum": ["hour", "weekday", "month"]},
    },
    "additionalProperties": False,
}
_CONDITIONS = {"type": "array", "items": _CONDITION, "minItems": 1}
_RULE = {
    "type": "object",
    "required": ["conditions", "prediction"],
    "properties": {"conditions": _CONDITIONS, "prediction": _VALUE},
    "additionalProperties": False,
}
_WHAT = {
    "anyOf": [
        {
            "type": "object",
            "required": [name],
            "properties": {name: schema},
            "additionalProperties": False,
        }
        for name, schema in (
            ("column", _TEXT),
            ("condition", _CONDITION),
            ("columns", {"type": "array", "items": _TEXT, "minItems": 2}),
        )
    ]
}
_STEPS: dict[str, dict[str, Any]] = {
    "replace": {"number": _NUMBER, "conditions": _CONDITIONS},
    "insert": {"number": _NUMBER, "conditions": _CONDITIONS},
    "add_condition": {"number": _NUMBER, "condition": _CONDITION},
    "remove": {"number": _NUMBER},
    "reorder": {"numbers": {"type": "array", "items": _NUMBER}},
    "relabel": {"number": _NUMBER, "value": _VALUE},
    "move_threshold": {"number": _NUMBER, "column": _TEXT, "value": _VALUE},
    "choose": {"rules": {"type": "array", "items": _RULE}, "default": _VALUE},
    "pin": {"number": _NUMBER},
    "unpin": {"number": _NUMBER},
    "forbid": {"what": _WHAT},
    "require": {"what": _WHAT},
    "allow": {"what": _WHAT},
    "reoptimize": {"effort": {"type": "integer", "minimum": 1, "maximum": MOST_EFFORT}},
}
# What a step need not have.
_OPTIONAL = {"effort"}
_STEP = {
    "anyOf": [
        {
            "type": "object",
            "required": ["step", *(one for one in fields if one not in _OPTIONAL)],
            "properties": {"step": {"const": name}, **fields},
            "additionalProperties": False,
        }
        for name, fields in _STEPS.items()
    ]
}

# With names of their own, so that the description of the API has each of them once.
Value = TypeAliasType("Value", Annotated[Any, WithJsonSchema(_VALUE)])
Condition = TypeAliasType("Condition", Annotated[dict[str, Any], WithJsonSchema(_CONDITION)])
What = TypeAliasType("What", Annotated[dict[str, Any], WithJsonSchema(_WHAT)])
Step = TypeAliasType("Step", Annotated[dict[str, Any], WithJsonSchema(_STEP)])
RowsOf = Literal["test", "learned"]
