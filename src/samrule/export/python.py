"""A rule list as Python source: one function that needs nothing but the standard library."""

import textwrap
from collections.abc import Callable
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

from samrule.errors import ParameterTypeError
from samrule.export.labels import plain_label, rule_probabilities
from samrule.rules import Condition, Operator, RuleList


def rule_list_python(
    rule_list: RuleList, *, probabilities: bool = False, rule: bool = False
) -> str:
    """Return the source of ``predict(row)``, which takes a mapping from column names to values.

    If probabilities or the rule's number are asked for, it returns a dictionary with them and the
    prediction. Names and values become Python's own literals, so nothing in them is ever run;
    characters that do not print are written as escapes.

    Examples
    --------
    >>> from samrule.rules import Rule
    >>> risky = Rule((Condition("age", "<", 25), Condition("plan", "is missing")), "yes")
    >>> source = rule_list_python(RuleList((risky,), Rule((), "no"), ("no", "yes")))
    >>> print("".join(source.splitlines(keepends=True)[-3:]))
        if holds('age', '<', 25) and missing('plan'):
            return 'yes'
        return 'no'
    <BLANKLINE>
    >>> names = {}
    >>> exec(source, names)
    >>> names["predict"]({"age": 20, "plan": None})
    'yes'
    """
    *answers, last = _answers(rule_list, probabilities=probabilities, rule=rule)
    rules = [
        f"if {' and '.join(_call(part) for c in one.conditions for part in c.parts)}:\n"
        f"    return {answer}\n"
        for one, answer in zip(rule_list.rules, answers, strict=True)
    ]
    body = "".join([_HELPERS, *rules, f"return {last}\n"])
    head = _HEAD.format(returned=_RETURNED[probabilities or rule])
    return head + textwrap.indent(body, "    ")


def _answers(rule_list: RuleList, *, probabilities: bool, rule: bool) -> list[str]:
    """Return an expression per rule for what is returned where it decides."""
    predictions = [_source(one.prediction) for one in rule_list]
    if not (probabilities or rule):
        return predictions
    classes = [_source(one) for one in rule_list.classes]
    shares = rule_probabilities(rule_list) if probabilities else None
    answers = []
    for number, prediction in enumerate(predictions):
        parts = [f"'prediction': {prediction}"]
        if shares is not None:
            of_classes = zip(classes, map(_source, shares[number]), strict=True)
            parts.append(f"'probabilities': {{{', '.join(map(': '.join, of_classes))}}}")
        if rule:
            parts.append(f"'rule': {number + 1}")
        answers.append(f"{{{', '.join(parts)}}}")
    return answers


_HEAD = '''\
def predict(row):
    """Return {returned} of a row, a mapping from column names to values.

    A missing value (None or NaN) answers no comparison. Written by samrule.
    """
'''

_RETURNED = {False: "the predicted class", True: "what the rule list says"}

# Inside the function, so that it can be copied, pickled by source or executed anywhere, whole.
_HELPERS = """\
from datetime import date, datetime, time, timezone
from decimal import Decimal
from operator import eq, ge, lt

def value_in(column):
    if isinstance(column, tuple):
        return part_of(value_in(column[0]), column[1])
    value = row[column]
    if type(value).__module__ != "numpy":
        return value
    # Scalars of numpy round what they compare with, and give nanoseconds as bare integers.
    return (value.astype("M8[us]") if value.dtype.kind == "M" else value).item()

def part_of(value, unit):
    # Of moments on a clock on the wall, and of dates but for hours.
    if not isinstance(value, date) or getattr(value, "tzinfo", None) is not None:
        return None
    if unit == "hour" and not isinstance(value, datetime):
        return None
    return value.isoweekday() if unit == "weekday" else getattr(value, unit)

def missing(column):
    value = value_in(column)
    try:
        return value is None or bool(value != value)
    except (TypeError, ArithmeticError):
        return True  # pandas.NA, or a NaN that signals

def holds(column, op, bound):
    compare = {"==": eq, ">=": ge, "<": lt}[op]
    try:
        return not missing(column) and bool(compare(moment(value_in(column)), moment(bound)))
    except TypeError:
        return False

def among(column, values):
    try:
        return not missing(column) and moment(value_in(column)) in set(map(moment, values))
    except TypeError:
        return False

def moment(value):
    # A date is its midnight where it meets a date with time.
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime.combine(value, time())
    # As time since 1970: in an hour that clocks repeat, Python calls no two zones' times equal.
    if isinstance(value, datetime) and value.utcoffset() is not None:
        return value - datetime(1970, 1, 1, tzinfo=timezone.utc)
    return value

"""


def _call(condition: Condition) -> str:
    column = _source(condition.column)
    if condition.unit is not None:
        column = f"({column}, {str(condition.unit)!r})"
    if condition.value is None:
        return f"missing({column})"
    op = Operator(condition.op)
    if op.is_about_a_set:
        among = f"among({column}, ({', '.join(map(_source, condition.values))},))"
        return among if op is Operator.IN else f"not missing({column}) and not {among}"
    return f"holds({column}, {str(op)!r}, {_source(condition.value)})"


def _source(value: Any) -> str:
    """Return an expression for the value."""
    value = plain_label(value)
    for kind, write in _WRITERS.items():
        if isinstance(value, kind):
            return write(value)
    raise ParameterTypeError(
        f"{value!r} ({type(value).__name__}) cannot be written as Python source; "
        "expected a number, text, a date, a time, True, False or None.",
        hint="turn the classes into text before learning.",
    )


def _float_source(value: float) -> str:
    written = float.__repr__(value)
    return written if written.strip("-")[0].isdigit() else f"float('{written}')"


def _moment_source(value: datetime) -> str:
    if value.tzinfo is not None:
        value = value.astimezone(UTC)
    zone = ", tzinfo=timezone.utc" if value.tzinfo else ""
    return (
        f"datetime({value.year}, {value.month}, {value.day}, {value.hour}, {value.minute}, "
        f"{value.second}, {value.microsecond}{zone})"
    )


# The repr of the plain type, whatever a subclass such as an enumeration says of itself. That of
# text escapes what does not print. A bool is an int and a datetime is a date, so those come first.
_WRITERS: dict[type, Callable[[Any], str]] = {
    type(None): repr,
    bool: repr,
    int: int.__repr__,
    float: _float_source,
    str: str.__repr__,
    Decimal: lambda value: f"Decimal('{value}')",
    datetime: _moment_source,
    date: lambda value: f"date({value.year}, {value.month}, {value.day})",
    time: lambda value: f"time({value.hour}, {value.minute}, {value.second}, {value.microsecond})",
}
