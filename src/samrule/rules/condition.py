"""Conditions: yes/no questions about one column, checked when they are made."""

import math
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samrule.errors import ParameterError, ParameterTypeError
from samrule.rules.comparing import among, compared, missing, numbers_of
from samrule.rules.text import column_text, set_text, value_text
from samrule.rules.vocabulary import ColumnType, Operator, Unit, Value, type_of

_Word = TypeVar("_Word", Operator, ColumnType, Unit)


@dataclass(frozen=True, slots=True)
class Condition:
    """One yes/no question about one column.

    Parameters
    ----------
    column
        The column's name.
    op
        ``"=="``, ``"!="``, ``">="``, ``"<"``, ``"within"``, ``"in"``, ``"not in"`` or ``"is
        missing"``.
    value
        What to compare with: several values of one kind for ``"in"`` and ``"not in"``, the lower
        end, which is inside, and the upper one, which is not, for ``"within"``, nothing for ``"is
        missing"``. Infinities are fine, NaN is not: no value equals it. Only numbers, dates and
        times have an order.
    type
        The column's type; taken from the value if not given, unknown for ``"is missing"``.
    unit
        ``"hour"``, ``"weekday"`` or ``"month"`` of a date or a moment without a time zone, if
        that is what is compared: with whole numbers, Monday and January being 1.

    Notes
    -----
    A missing value (NaN or None) makes every comparison false: NaN is neither ``>= 3`` nor
    ``< 3``, and neither in a set nor not in it. Some SQL engines sort NaN above all numbers, so
    whoever translates a condition must spell that out; `type` tells when.

    Examples
    --------
    >>> print(Condition("age", ">=", 40))
    age >= 40
    >>> print(Condition("age", "within", (20, 40)))
    20 <= age < 40
    >>> print(Condition("city", "==", "Padova"))
    city = Padova
    >>> print(Condition("city", "not in", ["Roma", "Padova"]))
    city not in {Padova, Roma}
    >>> print(Condition("smoker", "==", True))
    smoker
    >>> from datetime import date
    >>> print(Condition("signup", "<", date(2021, 3, 1)))
    signup < 2021-03-01
    >>> print(Condition("signup", "in", [6, 7], unit="weekday"))
    weekday(signup) in {Saturday, Sunday}
    >>> print(Condition("age", "is missing"))
    age is missing
    """

    column: str
    op: Operator | str
    value: Value | tuple[Value, ...] | None = None
    type: ColumnType | str | None = None
    unit: Unit | str | None = None

    def __post_init__(self) -> None:
        _check_column(self.column)
        set_field = object.__setattr__
        op = _operator(self.op)
        set_field(self, "op", op)
        if op is Operator.WITHIN:
            set_field(self, "value", _plain_ends(self.value))
        elif op.takes_a_set:
            set_field(self, "value", _plain_set(op, self.value))
        else:
            set_field(self, "value", _plain_value(self.value))
            _check_value(op, self.value)
        if self.unit is not None:
            set_field(self, "unit", _checked_unit(self.unit, op, self.values))
            set_field(self, "type", _unit_type(self.type, self.unit))
        else:
            set_field(self, "type", _column_type(self.type, next(iter(self.values), None)))
        ordered = isinstance(self.type, ColumnType) and self.type.has_order
        if self.op in _NEED_ORDER and not ordered:
            raise ParameterError(
                f"condition on {self.column!r} orders a {self.type} column by {self.value!r}; "
                "only numbers, dates and times have an order here.",
                hint="use '==' for text and yes/no columns.",
            )

    def holds(self, values: ArrayLike) -> NDArray[np.bool_]:
        """Tell for each value of the column whether the condition holds there.

        >>> Condition("age", "<", 40).holds([39, 40, float("nan")]).tolist()
        [True, False, False]
        >>> Condition("city", "==", "Padova").holds(["Padova", None]).tolist()
        [True, False]
        """
        array = np.asarray(values)
        op = Operator(self.op)
        if self.unit is not None:
            return self.of_numbers.holds(numbers_of(Unit(self.unit), array))
        if op is Operator.WITHIN:
            low, high = self.parts
            return low.holds(array) & high.holds(array)
        if op is Operator.IS_MISSING:
            return missing(array)
        if op.is_about_a_set:
            return among(array, self.values, wanted=op is Operator.IN)
        return compared(op, array, self.value)

    @property
    def values(self) -> tuple[Value, ...]:
        """The values it compares with: one, several for a set, or none."""
        if isinstance(self.value, tuple):
            return self.value
        return () if self.value is None else (self.value,)

    @property
    def parts(self) -> tuple["Condition", ...]:
        """The conditions that must all hold for it to hold: an interval's two ends, or itself.

        >>> print(*Condition("age", "within", (20, 40)).parts, sep=", ")
        age >= 20, age < 40
        """
        if self.op != Operator.WITHIN:
            return (self,)
        low, high = self.values
        return (
            replace(self, op=Operator.AT_LEAST, value=low),
            replace(self, op=Operator.LESS, value=high),
        )

    @property
    def of_numbers(self) -> "Condition":
        """The same question about the numbers of its unit, as if they were the column."""
        return Condition(self.column, self.op, self.value)

    def __str__(self) -> str:
        name = column_text(self.column)
        if self.op == Operator.IS_MISSING:
            return f"{name} is missing"
        if self.unit is not None:
            return _unit_text(self, Unit(self.unit), name)
        if self.op == Operator.WITHIN:
            low, high = map(value_text, self.values)
            return f"{low} <= {name} < {high}"
        if isinstance(self.value, tuple):
            return f"{name} {self.op} {set_text(self.value)}"
        if isinstance(self.value, bool):
            return name if self.value == (self.op == Operator.EQUAL) else f"not {name}"
        sign = "=" if self.op == Operator.EQUAL else self.op
        return f"{name} {sign} {value_text(self.value)}"


def _check_column(column: object) -> None:
    if not isinstance(column, str):
        raise ParameterTypeError(
            f"a condition's column is {column!r} ({type(column).__name__}); expected a name.",
            hint="pass the column's name as text, such as str(column).",
        )
    if "\0" in column:
        raise ParameterError(
            f"a condition's column is {column!r}; expected a name without NUL.",
            hint="rename the column.",
        )


def _operator(op: object) -> Operator:
    hint = "turn '>' and '<=' around: x > 3 is x >= the next threshold."
    return _word_of(Operator, op, "operator", hint)


def _word_of(vocabulary: type[_Word], given: object, called: str, hint: str) -> _Word:
    """Return one of the words that conditions know."""
    try:
        return vocabulary(given)  # type: ignore[arg-type]
    except ValueError:
        known = ", ".join(repr(str(one)) for one in vocabulary)
        raise ParameterError(
            f"a condition's {called} is {given!r}; expected one of {known}.", hint=hint
        ) from None


def _plain_value(value: object) -> Value | None:
    """Turn numpy scalars into Python's own, so that equal conditions hash and print alike."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, Value):
        return value
    raise ParameterTypeError(
        f"a condition's value is {value!r} ({type(value).__name__}); "
        "expected a number, text, a date, a time, True or False.",
        hint="turn it into a number or text first.",
    )


def _plain_set(op: Operator, given: object) -> tuple[Value, ...]:
    """Return the values of a set once each, in order, so that equal sets are equal."""
    if not isinstance(given, Set | Sequence) or isinstance(given, str | bytes) or not given:
        raise ParameterError(
            f"a condition '{op}' has the value {given!r}; expected at least one value, in a list "
            "or a set.",
            hint=f"write Condition(column, '{op}', ['a', 'b']).",
        )
    values = [_plain_value(one) for one in given]
    for value in values:
        _check_value(op, value)
    if len({type_of(value) for value in values}) > 1:
        raise ParameterError(
            f"a condition '{op}' has values of different kinds: {given!r}.",
            hint="compare a column with values of the kind it holds.",
        )
    try:
        return tuple(sorted(dict.fromkeys(values)))  # type: ignore[arg-type]
    except TypeError:
        raise ParameterError(
            f"a condition '{op}' has moments with and without a time zone: {given!r}.",
            hint="give all of them a zone, or none.",
        ) from None


def _checked_unit(given: object, op: Operator, values: Sequence[object]) -> Unit:
    """Return the unit, if the values are numbers that it can be, or just beyond."""
    hint = "leave it out to compare the date or the moment itself."
    unit = _word_of(Unit, given, "unit", hint)
    first, last = unit.numbers[0], unit.numbers[-1]
    fits = all(type(one) is int and first <= one <= last + 1 for one in values)
    if not fits or op is Operator.IS_MISSING:
        raise ParameterError(
            f"a condition on the {unit} has '{op}' and the value {values!r}; expected whole "
            f"numbers from {first} to {last}.",
            hint="Monday and January are 1; ask for missing values without a unit.",
        )
    return unit


def _unit_type(given: object, unit: Unit | str) -> ColumnType:
    """Return the type of the column: dates have weekdays and months, but no hours."""
    wanted = ColumnType.DATETIME if given is None else _column_type(given, None)
    if wanted is ColumnType.DATETIME or (wanted is ColumnType.DATE and unit != Unit.HOUR):
        return wanted
    raise ParameterError(
        f"a condition asks for the {unit} of a {wanted} column, which has none.",
        hint="moments have hours, weekdays and months, dates the last two.",
    )


def _unit_text(condition: Condition, unit: Unit, name: str) -> str:
    asked = f"{unit}({name})"
    texts = [unit.text(value) for value in condition.values]
    if condition.op == Operator.WITHIN:
        return f"{texts[0]} <= {asked} < {texts[1]}"
    if isinstance(condition.value, tuple):
        return f"{asked} {condition.op} {{{', '.join(texts)}}}"
    return f"{asked} {'=' if condition.op == Operator.EQUAL else condition.op} {texts[0]}"


def _plain_ends(given: object) -> tuple[Value, ...]:
    """Return the ends of an interval, the lower one first."""
    ends = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else []
    values = [_plain_value(one) for one in ends]
    for value in values:
        _check_value(Operator.WITHIN, value)
    try:
        one_kind = len({type_of(value) for value in values}) == 1
        if one_kind and len(values) == 2 and values[0] < values[1]:  # type: ignore[operator]
            return tuple(values)  # type: ignore[arg-type]
    except TypeError:
        pass  # Of two kinds, or with a time zone and without.
    raise ParameterError(
        f"a condition 'within' has the value {given!r}; expected two ends of one kind, the lower "
        "one first.",
        hint="write Condition(column, 'within', (20, 40)) for 20 <= column < 40.",
    )


def _check_value(op: Operator | str, value: object) -> None:
    if (op == Operator.IS_MISSING) != (value is None):
        raise ParameterError(
            f"a condition '{op}' has the value {value!r}; 'is missing' takes none, "
            "every other operator needs one.",
            hint="write Condition(column, 'is missing') or Condition(column, '==', value).",
        )
    if isinstance(value, float | Decimal) and math.isnan(value):
        raise ParameterError(
            f"a condition '{op}' compares with {value!r}; nothing equals NaN or orders with it.",
            hint="use 'is missing' to ask for missing values.",
        )


def _column_type(given: object, value: object) -> ColumnType | None:
    found = type_of(value)
    if given is None:
        return found
    hint = "leave it out to take it from the value."
    wanted = _word_of(ColumnType, given, "column type", hint)
    if found is not None and wanted != found:
        raise ParameterError(
            f"a condition on a {wanted} column compares with {value!r}, a {found} value.",
            hint="leave the type out to take it from the value.",
        )
    return wanted


_NEED_ORDER = {Operator.AT_LEAST, Operator.LESS, Operator.WITHIN}
