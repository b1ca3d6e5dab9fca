"""Conditions meet columns: what a condition asks of a column of a given type, exactly.

A threshold of 2.5 on whole numbers asks for 3 or more; one beyond the type's range holds never or
for every value. Settled here once, so that Arrow in memory and SQL in an engine answer alike.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Context, Decimal
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from samrule.errors import InputError
from samrule.rules import ColumnType, Condition, Operator, RuleList, Unit, Value


class Answer(StrEnum):
    """What remains to be asked of a value once the column's type is known."""

    NEVER = "never"
    PRESENT = "present"
    MISSING = "missing"
    COMPARE = "compare"


@dataclass(frozen=True, slots=True)
class Question:
    """A condition fitted to its column: `value` has the column's own type, if one is compared.

    Of the operators about sets only "in" and "not in" are left, with a tuple of values.
    """

    answer: Answer
    op: Operator = Operator.EQUAL
    value: Value | tuple[Value, ...] | None = None


@lru_cache(maxsize=256)  # Asked for every condition of a column.
def column_type(type_: pa.DataType) -> ColumnType | None:
    """Return the kind of values an Arrow type holds; None for those that take no conditions.

    >>> column_type(pa.uint8()), column_type(pa.list_(pa.int8()))
    (<ColumnType.NUMBER: 'number'>, None)
    """
    types = pa.types
    if types.is_dictionary(type_):
        return column_type(type_.value_type)
    kinds = {
        ColumnType.BOOLEAN: types.is_boolean(type_),
        ColumnType.NUMBER: types.is_integer(type_) or _is_real(type_) or types.is_decimal(type_),
        ColumnType.TEXT: _is_text(type_),
        ColumnType.DATE: types.is_date(type_),
        ColumnType.DATETIME: types.is_timestamp(type_),
        ColumnType.TIME: types.is_time(type_),
    }
    return next((kind for kind, found in kinds.items() if found), None)


def question_of(condition: Condition, type_: pa.DataType) -> Question:
    """Return what the condition asks of a column of this type; of an interval each of its parts.

    Examples
    --------
    >>> question_of(Condition("age", ">=", 2.5), pa.int8()).value
    3
    >>> question_of(Condition("age", "<", 1000), pa.int8()).answer
    <Answer.PRESENT: 'present'>
    """
    if condition.op == Operator.IS_MISSING:
        return Question(Answer.MISSING)
    if pa.types.is_null(type_):
        return Question(Answer.NEVER)  # A column without a single value has no type of its own.
    op = Operator(condition.op)
    if op.is_about_a_set:
        equal = (replace(condition, op=Operator.EQUAL, value=one) for one in condition.values)
        return set_question(op, [_comparison(one, type_) for one in equal])
    return _comparison(condition, type_)


def set_question(op: Operator, equal: Iterable[Question]) -> Question:
    """Return what a set asks, from what each of its values does; those nothing equals drop out.

    >>> set_question(Operator.NOT_EQUAL, [Question(Answer.NEVER)]).answer
    <Answer.PRESENT: 'present'>
    """
    wanted = op is Operator.IN
    values = dict.fromkeys(one.value for one in equal if one.answer is Answer.COMPARE)
    if not values:
        return Question(Answer.NEVER if wanted else Answer.PRESENT)
    found: Any = tuple(values)
    return Question(Answer.COMPARE, Operator.IN if wanted else Operator.NOT_IN, found)


def beyond(op: Operator, *, above: bool) -> Question:
    """Return what a bound above or below every value of the type asks."""
    holds = above if op == Operator.LESS else not above
    return Question(Answer.PRESENT if holds and op != Operator.EQUAL else Answer.NEVER)


def condition_mask(condition: Condition, column: Any) -> NDArray[np.bool_]:
    """Tell for each value of an Arrow column whether the condition holds there.

    >>> column = pa.array([1.0, float("nan"), None])
    >>> condition_mask(Condition("x", ">=", 0), column).tolist()
    [True, False, False]
    """
    if condition.unit is not None:
        return condition_mask(condition.of_numbers, unit_numbers(condition, column))
    if condition.op == Operator.WITHIN:
        low, high = condition.parts
        return condition_mask(low, column) & condition_mask(high, column)
    question = question_of(condition, column.type)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if question.answer is Answer.NEVER:
        return np.zeros(len(column), dtype=np.bool_)
    if question.answer is not Answer.COMPARE:
        missing = missing_mask(column)
        return missing if question.answer is Answer.MISSING else ~missing
    if pa.types.is_floating(column.type):
        column = column.cast(pa.float64())
    if question.op.takes_a_set:
        return _set_mask(question, column)
    compare = {Operator.EQUAL: pc.equal, Operator.AT_LEAST: pc.greater_equal}
    found = compare.get(question.op, pc.less)(column, pa.scalar(question.value, column.type))
    return _as_mask(pc.fill_null(found, False))


def check_unit(condition: Condition, type_: pa.DataType) -> None:
    """Refuse to ask for a unit of what has none: weekdays of texts, hours of dates.

    Moments with a time zone have several hours at once, one per place to look from.
    """
    zone = pa.types.is_timestamp(type_) and type_.tz is not None
    kinds = {ColumnType.DATETIME} | ({ColumnType.DATE} if condition.unit != Unit.HOUR else set())
    if (zone or column_type(type_) not in kinds) and not pa.types.is_null(type_):
        raise InputError(
            f"condition '{condition}' asks for the {condition.unit}; column {condition.column!r} "
            f"holds {type_}.",
            hint="it must hold moments without a time zone, or dates, which have no hour.",
        )


def unit_numbers(condition: Condition, column: Any) -> Any:
    """Return the hour, weekday or month of each value of an Arrow column, as the condition asks.

    >>> from datetime import date
    >>> weekend = Condition("x", "==", 7, unit="weekday")
    >>> unit_numbers(weekend, pa.array([date(2021, 3, 7), None])).to_pylist()
    [7, None]
    """
    check_unit(condition, column.type)
    if pa.types.is_null(column.type):
        return column
    if condition.unit == Unit.WEEKDAY:
        return pc.day_of_week(column, count_from_zero=False, week_start=1)
    return (pc.hour if condition.unit == Unit.HOUR else pc.month)(column)


def _set_mask(question: Question, column: Any) -> NDArray[np.bool_]:
    if column.type in {pa.large_string(), pa.string_view()}:
        column = column.cast(pa.string())
    if pa.types.is_decimal32(column.type) or pa.types.is_decimal64(column.type):
        column = column.cast(pa.decimal128(column.type.precision, column.type.scale))
    if pa.types.is_floating(column.type):
        column = pc.add(column, 0.0)  # -0.0 becomes 0.0: sets are looked up by bytes.
    values = pa.array(question.value, column.type)
    if pa.types.is_floating(column.type):
        values = pc.add(values, 0.0)
    among = _as_mask(pc.is_in(column, value_set=values))
    return among if question.op is Operator.IN else ~among & ~missing_mask(column)


def missing_mask(column: Any) -> NDArray[np.bool_]:
    """Tell for each value of an Arrow column whether it is null or NaN."""
    return _as_mask(pc.is_null(column, nan_is_null=pa.types.is_floating(column.type)))


def deciding_rules(rule_list: RuleList, table: Any) -> NDArray[np.int64]:
    """Return for each row the number of the rule that decides it; the default comes last."""
    n_rows = table.num_rows
    decided = np.full(n_rows, rule_list.n_rules, dtype=np.int64)
    open_rows = np.ones(n_rows, dtype=np.bool_)
    masks: dict[Condition, NDArray[np.bool_]] = {}
    for number, rule in enumerate(rule_list.rules):
        matched = open_rows.copy()
        for condition in rule.conditions:
            if condition not in masks:
                masks[condition] = condition_mask(condition, table[condition.column])
            matched &= masks[condition]
        decided[matched] = number
        open_rows &= ~matched
    return decided


def _is_real(type_: pa.DataType) -> bool:
    return bool(pa.types.is_floating(type_))


def _is_text(type_: pa.DataType) -> bool:
    types = pa.types
    return bool(types.is_string(type_) or types.is_large_string(type_)) or type_ == pa.string_view()


def _as_mask(array: Any) -> NDArray[np.bool_]:
    if isinstance(array, pa.ChunkedArray):
        return np.asarray(array.to_numpy(), dtype=np.bool_)
    return np.asarray(array.to_numpy(zero_copy_only=False), dtype=np.bool_)


def _comparison(condition: Condition, type_: pa.DataType) -> Question:
    op, value, kind = Operator(condition.op), condition.value, column_type(type_)
    if kind == ColumnType.NUMBER and condition.type in {ColumnType.NUMBER, ColumnType.BOOLEAN}:
        return _number_question(op, int(value) if isinstance(value, bool) else value, type_)
    if kind == ColumnType.BOOLEAN and condition.type in {ColumnType.NUMBER, ColumnType.BOOLEAN}:
        return _boolean_question(op, value)
    if kind == ColumnType.TEXT and condition.type == ColumnType.TEXT:
        return Question(Answer.COMPARE, op, value)
    days = {ColumnType.DATE, ColumnType.DATETIME}
    if (kind in days and condition.type in days) or kind == condition.type == ColumnType.TIME:
        return _clock_question(op, value, type_, condition)
    raise InputError(
        f"condition '{condition}' compares with {condition.type}; "
        f"column {condition.column!r} holds {type_}.",
        hint="check that the table is the one the rules were learned on, types included.",
    )


def _number_question(op: Operator, value: Any, type_: pa.DataType) -> Question:
    if _is_real(type_):
        bound: Any = _least_float(value)
        if op == Operator.EQUAL and bound != value:
            return Question(Answer.NEVER)
        return Question(Answer.COMPARE, op, bound)
    scale = type_.scale if pa.types.is_decimal(type_) else 0
    low, high = _range(type_)
    if math.isinf(value):
        return beyond(op, above=value > 0)
    units = value if isinstance(value, int) else Fraction(value)  # The first is far quicker.
    units *= 10**scale
    if op == Operator.EQUAL and units.denominator != 1:
        return Question(Answer.NEVER)
    ceiling = math.ceil(units)
    if not low <= ceiling <= high:
        return beyond(op, above=ceiling > high)
    bound = Decimal(ceiling).scaleb(-scale, _WIDE) if pa.types.is_decimal(type_) else ceiling
    return Question(Answer.COMPARE, op, bound)


def _least_float(value: Any) -> float:
    """Return the least double that is at least the value: x >= value and x >= it are the same."""
    try:
        found = float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.nextafter(math.inf, 0)
    return math.nextafter(found, math.inf) if found < value else found


@lru_cache(maxsize=256)
def _range(type_: pa.DataType) -> tuple[int, int]:
    if pa.types.is_decimal(type_):
        return 1 - 10**type_.precision, 10**type_.precision - 1
    if pa.types.is_unsigned_integer(type_):
        return 0, 2**type_.bit_width - 1
    return -(2 ** (type_.bit_width - 1)), 2 ** (type_.bit_width - 1) - 1


def _boolean_question(op: Operator, value: Any) -> Question:
    wanted = {
        Operator.EQUAL: [answer for answer in (False, True) if answer == value],
        Operator.AT_LEAST: [answer for answer in (False, True) if answer >= value],
        Operator.LESS: [answer for answer in (False, True) if answer < value],
    }[op]
    if len(wanted) == 1:
        return Question(Answer.COMPARE, Operator.EQUAL, wanted[0])
    return Question(Answer.PRESENT if wanted else Answer.NEVER)


def _clock_question(op: Operator, value: Any, type_: pa.DataType, condition: Condition) -> Question:
    if pa.types.is_time(type_):
        ticks, unit = _ticks_of_day(value), _UNITS[type_.unit]
        low, high = 0, 24 * 3600 * _UNITS["s"] - 1
    else:
        ticks, low, high = _ticks(value, type_, condition), *_ticks_range(type_)
        unit = _UNITS["day"] if pa.types.is_date(type_) else _UNITS[type_.unit]
    if op == Operator.EQUAL and unit > 1 and ticks % unit:
        return Question(Answer.NEVER)
    ceiling = -(-ticks // unit) * unit if unit > 1 else ticks
    if not low <= ceiling <= high:
        return beyond(op, above=ceiling > high)
    return Question(Answer.COMPARE, op, _from_ticks(ceiling, type_))


# Ticks are microseconds. Nanoseconds are finer, and a bound in microseconds is exact there.
_UNITS = {"day": 86_400_000_000, "s": 1_000_000, "ms": 1000, "us": 1, "ns": 1}
_EPOCH = datetime(1970, 1, 1)
# Wide enough for every decimal type: Arrow's widest has 76 digits.
_WIDE = Context(prec=100)


def _ticks_of_day(value: time) -> int:
    seconds = (value.hour * 60 + value.minute) * 60 + value.second
    return seconds * _UNITS["s"] + value.microsecond


def _ticks(value: date | datetime, type_: pa.DataType, condition: Condition) -> int:
    moment = value if isinstance(value, datetime) else datetime.combine(value, time())
    zone = type_.tz if pa.types.is_timestamp(type_) else None
    if moment.tzinfo is not None and zone is None:
        raise InputError(
            f"condition '{condition}' has a time zone; column {condition.column!r} "
            f"({type_}) has none.",
            hint="leave the time zone out of the condition, or give the column one.",
        )
    if zone is not None and moment.tzinfo is None:
        moment = moment.replace(tzinfo=pa.scalar(0, type_).as_py().tzinfo)
    epoch = _EPOCH.replace(tzinfo=UTC) if moment.tzinfo else _EPOCH
    return (moment - epoch) // timedelta(microseconds=1)


def _ticks_range(type_: pa.DataType) -> tuple[int, int]:
    """Return the range of the type within the years that Python's datetime knows."""
    low = (datetime.min - _EPOCH) // timedelta(microseconds=1)
    high = (datetime.max - _EPOCH) // timedelta(microseconds=1)
    if pa.types.is_timestamp(type_) and type_.unit == "ns":
        return -(2**63 // 1000), 2**63 // 1000
    return low, high


def _from_ticks(ticks: int, type_: pa.DataType) -> date | datetime | time:
    if pa.types.is_time(type_):
        return (_EPOCH + timedelta(microseconds=ticks)).time()
    moment = _EPOCH + timedelta(microseconds=ticks)
    if pa.types.is_date(type_):
        return moment.date()
    return moment.replace(tzinfo=UTC) if type_.tz else moment
