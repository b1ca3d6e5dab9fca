"""Rule lists as plain JSON values and back: every value keeps its type, every digit, its zone.

Text, yes/no, small whole numbers and fractions are themselves; what JSON tools are known to bend
(whole floats, infinities, large integers) or cannot say (dates) is an object with one telling key.
Reading is strict: what is unknown is refused, with the place where it stands.
"""

import json
import math
import zoneinfo
from collections.abc import Callable, Collection, Hashable, Mapping
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from typing import Any

from samrule.errors import InputError, InputTypeError, SamruleError
from samrule.rules import Condition, Rule, RuleList

# Beyond this, readers that hold numbers as doubles lose digits.
_SAFE_INTEGER = 2**53
# The digits of Arrow's widest number, and the longest name of a time zone: no table holds more.
_MOST_DIGITS = 76
_LARGEST_INTEGER: int = 10**_MOST_DIGITS - 1
_LONGEST_ZONE = 255
# A sum of fewer than 1e8 of these is a number still.
_MOST_WEIGHT = 1e300


def rule_list_json(rule_list: RuleList) -> str:
    """Return the list as JSON text in plain ASCII, so that nothing in it hides or turns around."""
    return json.dumps(rule_list_to_dict(rule_list), indent=1, allow_nan=False) + "\n"


def rule_list_from_json(text: str | bytes) -> RuleList:
    """Return the list that `rule_list_json` wrote.

    Examples
    --------
    >>> rule_list = RuleList((), Rule((), date(2021, 3, 1)), (date(2021, 3, 1),))
    >>> rule_list_from_json(rule_list_json(rule_list)) == rule_list
    True
    """
    try:
        data = strict_json(text)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"the text is no JSON: {error}.", hint="pass what RuleList.to_json returned."
        ) from None
    return rule_list_from_dict(data)


def strict_json(text: str | bytes) -> Any:
    """Return what JSON text says; a key that comes twice, or a NaN, is a ValueError."""
    decoded = text if isinstance(text, str) else text.decode("utf-8")
    return json.loads(decoded, object_pairs_hook=_object, parse_constant=_refused)


def rule_list_to_dict(rule_list: RuleList) -> dict[str, Any]:
    """Return the list as a dict that `json.dumps` takes; `rule_list_from_dict` reads it.

    Examples
    --------
    >>> young = Rule((Condition("age", "<", 25),), "yes", (5, 15))
    >>> rule_list = RuleList((young,), Rule((), "no", (60, 20)), ("no", "yes"))
    >>> written = rule_list_to_dict(rule_list)
    >>> written["rules"][0]["conditions"]
    [{'column': 'age', 'op': '<', 'value': 25, 'type': 'number'}]
    >>> rule_list_from_dict(written) == rule_list
    True
    """
    return {
        "classes": [value_to_json(one) for one in rule_list.classes],
        "rules": [_rule_to_dict(rule) for rule in rule_list.rules],
        "default": _rule_to_dict(rule_list.default),
    }


def rule_list_from_dict(data: object, where: str = "rule_list") -> RuleList:
    """Return the list that `rule_list_to_dict` wrote; `where` begins every complaint.

    Examples
    --------
    >>> rule_list_from_dict({"classes": ["no", "yes"], "rules": []})
    Traceback (most recent call last):
    ...
    samrule.errors.InputError: rule_list has no field 'default'.
    Hint: was the file cut off or edited? write it again with samrule.
    """
    fields = checked_fields(data, where, ("classes", "rules", "default"))
    classes = checked_list(fields["classes"], f"{where}.classes")
    rules = checked_list(fields["rules"], f"{where}.rules")
    return RuleList(
        rules=tuple(_rule_from_dict(rule, f"{where}.rules[{i}]") for i, rule in enumerate(rules)),
        default=_rule_from_dict(fields["default"], f"{where}.default"),
        classes=tuple(
            value_from_json(one, f"{where}.classes[{i}]") for i, one in enumerate(classes)
        ),
    )


def condition_to_dict(condition: Condition) -> dict[str, Any]:
    """Return one condition as a dict; without the fields it does not use.

    >>> condition_to_dict(Condition("age", "is missing"))
    {'column': 'age', 'op': 'is missing'}
    >>> condition_to_dict(Condition("city", "in", {"Roma", "Padova"}))["value"]
    ['Padova', 'Roma']
    """
    written: dict[str, Any] = {"column": condition.column, "op": str(condition.op)}
    if isinstance(condition.value, tuple):
        written["value"] = [value_to_json(one) for one in condition.value]
    elif condition.value is not None:
        written["value"] = value_to_json(condition.value)
    if condition.type is not None:
        written["type"] = str(condition.type)
    if condition.unit is not None:
        written["unit"] = str(condition.unit)
    return written


def condition_from_dict(data: object, where: str = "condition") -> Condition:
    """Return the condition that `condition_to_dict` wrote.

    >>> print(condition_from_dict({"column": "age", "op": ">=", "value": {"decimal": "2.50"}}))
    age >= 2.50
    """
    fields = checked_fields(data, where, ("column", "op"), ("value", "type", "unit"))
    value: Any = None
    if isinstance(fields.get("value"), list):
        members = enumerate(fields["value"])
        value = [value_from_json(one, f"{where}.value[{place}]") for place, one in members]
    elif "value" in fields:
        value = value_from_json(fields["value"], f"{where}.value")
    return Condition(fields["column"], fields["op"], value, fields.get("type"), fields.get("unit"))


def value_to_json(value: Hashable) -> Any:
    """Return a value as JSON that says its type.

    >>> [value_to_json(one) for one in (True, 4, 0.5, 4.0, "4", None)]
    [True, 4, 0.5, {'float': '4.0'}, '4', None]
    >>> value_to_json(2**53 + 1), value_to_json(date(2021, 3, 1))
    ({'integer': '9007199254740993'}, {'date': '2021-03-01'})
    """
    if value is None:
        return None
    for kind, written in _WRITERS.items():
        if isinstance(value, kind) and value == value:  # noqa: PLR0124 - NaN differs from itself.
            if isinstance(value, int | Decimal) and not _in_range(value):
                break
            return written(value)
    raise InputTypeError(
        f"the value {value!r} ({type(value).__name__}) cannot be written as JSON; "
        f"expected a number of at most {_MOST_DIGITS} digits, text, a date, a time, True, False or "
        "None.",
        hint="turn the classes into text before learning.",
    )


def value_from_json(data: object, where: str = "value") -> Any:
    """Return the value that `value_to_json` wrote.

    >>> value_from_json({"float": "inf"}), value_from_json({"date": "2021-03-01"})
    (inf, datetime.date(2021, 3, 1))
    """
    if data is None or isinstance(data, bool | str):
        return data
    if isinstance(data, int):
        return _checked_range(data, where)
    if isinstance(data, float) and math.isfinite(data):
        return data
    fields = checked_fields(data, where, (), (*_READERS, "zone"))
    kinds = [kind for kind in _READERS if kind in fields]
    if len(kinds) != 1 or ("zone" in fields and kinds != ["datetime"]):
        raise InputError(
            f"{where} is {shown(data)}; expected one of the keys {', '.join(_READERS)}.",
            hint="'zone' goes with 'datetime' alone.",
        )
    texts = {key: _checked_text(value, f"{where}.{key}") for key, value in fields.items()}
    try:
        return _checked_range(_READERS[kinds[0]](texts), where)
    except (ValueError, OverflowError, InvalidOperation, OSError, KeyError) as error:
        if isinstance(error, SamruleError):
            raise
        raise InputError(
            f"{where} is {shown(data)}, which is no {kinds[0]}: {shown(str(error))}.",
            hint="a time zone needs the system's time zone data, or the package tzdata.",
        ) from None


def checked_fields(
    data: object, where: str, required: Collection[str], optional: Collection[str] = ()
) -> dict[str, Any]:
    """Return the fields of a JSON object that has all it must have and nothing unknown."""
    if not isinstance(data, dict):
        raise InputError(f"{where} is {shown(data)}; expected an object.", hint=_HINT)
    for name in required:
        if name not in data:
            raise InputError(f"{where} has no field {name!r}.", hint=_HINT)
    for name in data:
        if name not in required and name not in optional:
            raise InputError(
                f"{where} has a field {shown(name)}, which is unknown here.",
                hint="was it written by a newer samrule? upgrade, then read it again.",
            )
    return data


def checked_list(data: object, where: str) -> list[Any]:
    """Return a JSON array."""
    if not isinstance(data, list):
        raise InputError(f"{where} is {shown(data)}; expected a list.", hint=_HINT)
    return data


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object has the same key twice")
    return found


def _refused(constant: str) -> float:
    raise ValueError(f"{constant} is not JSON")


_HINT = "was the file cut off or edited? write it again with samrule."


def shown(data: object) -> str:
    """Return a value as errors show it: not whole if that would fill a screen."""
    text = repr(data)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _in_range(value: object) -> bool:
    """Whether a number could stand in a table; others may take for ever to compare with."""
    if isinstance(value, int):
        return abs(value) <= _LARGEST_INTEGER
    if isinstance(value, Decimal) and value.is_finite():
        exponent = value.as_tuple().exponent
        assert isinstance(exponent, int)
        return exponent >= -_MOST_DIGITS and value.adjusted() < _MOST_DIGITS
    return True


def _checked_range(value: Any, where: str) -> Any:
    if not _in_range(value):
        raise InputError(
            f"{where} is {shown(value)}; expected at most {_MOST_DIGITS} digits before and after "
            "the point.",
            hint=_HINT,
        )
    return value


def _checked_text(data: object, where: str) -> str:
    if not isinstance(data, str):
        raise InputError(f"{where} is {shown(data)}; expected text.", hint=_HINT)
    return data


def _rule_to_dict(rule: Rule) -> dict[str, Any]:
    return {
        "conditions": [condition_to_dict(condition) for condition in rule.conditions],
        "prediction": value_to_json(rule.prediction),
        "class_counts": list(rule.class_counts),
        "weighted_counts": list(rule.weighted_counts),
    }


def _rule_from_dict(data: object, where: str) -> Rule:
    names = ("conditions", "prediction", "class_counts", "weighted_counts")
    fields = checked_fields(data, where, names)
    conditions = checked_list(fields["conditions"], f"{where}.conditions")
    return Rule(
        conditions=tuple(
            condition_from_dict(one, f"{where}.conditions[{i}]") for i, one in enumerate(conditions)
        ),
        prediction=value_from_json(fields["prediction"], f"{where}.prediction"),
        class_counts=_counts(fields["class_counts"], f"{where}.class_counts"),
        weighted_counts=_counts(fields["weighted_counts"], f"{where}.weighted_counts"),
    )


def _counts(data: object, where: str) -> tuple[float, ...]:
    counts = checked_list(data, where)
    return tuple(_checked_count(one, f"{where}[{i}]") for i, one in enumerate(counts))


def _checked_count(data: object, where: str) -> float:
    number = isinstance(data, int | float) and not isinstance(data, bool)
    if not (number and 0 <= data <= _MOST_WEIGHT):  # type: ignore[operator]
        raise InputError(
            f"{where} is {shown(data)}; expected a number from 0 to {_MOST_WEIGHT:g}.", hint=_HINT
        )
    return data  # type: ignore[return-value]


def _integer_to_json(value: int) -> Any:
    return int(value) if abs(value) <= _SAFE_INTEGER else {"integer": str(int(value))}


def _float_to_json(value: float) -> Any:
    plain = math.isfinite(value) and not value.is_integer()
    return float(value) if plain else {"float": repr(float(value))}


def _moment_to_json(value: datetime) -> dict[str, str]:
    written = {"datetime": value.isoformat()}
    zone = getattr(value.tzinfo, "key", None)
    return {**written, "zone": zone} if zone else written


# A bool is an int and a datetime is a date, so those come first.
_WRITERS: dict[type, Callable[[Any], Any]] = {
    bool: lambda value: value,
    str: str,
    int: _integer_to_json,
    float: _float_to_json,
    Decimal: lambda value: {"decimal": str(value)},
    datetime: _moment_to_json,
    date: lambda value: {"date": value.isoformat()},
    time: lambda value: {"time": value.isoformat()},
}


def _moment_from_json(texts: Mapping[str, str]) -> datetime:
    found = datetime.fromisoformat(texts["datetime"])
    if "zone" not in texts:
        return found
    if found.tzinfo is None:
        raise ValueError("it has a zone and no offset")
    if len(texts["zone"]) > _LONGEST_ZONE:
        raise ValueError("no time zone has so long a name")
    return found.astimezone(zoneinfo.ZoneInfo(texts["zone"]))


def _number(value: float | Decimal) -> float | Decimal:
    if math.isnan(value):
        raise ValueError("nothing equals NaN")
    return value


_READERS: dict[str, Callable[[Mapping[str, str]], Any]] = {
    "integer": lambda texts: int(texts["integer"]),
    "float": lambda texts: _number(float(texts["float"])),
    "decimal": lambda texts: _number(Decimal(texts["decimal"])),
    "date": lambda texts: date.fromisoformat(texts["date"]),
    "datetime": _moment_from_json,
    "time": lambda texts: time.fromisoformat(texts["time"]),
}
