"""What conditions are made of: values, operators, types of columns, units of dates."""

from datetime import date, datetime, time
from decimal import Decimal
from enum import StrEnum

# What a condition compares with. A datetime with a time zone is a moment, one without is what a
# clock on the wall shows.
Value = bool | int | float | Decimal | str | date | datetime | time


class Operator(StrEnum):
    """What a condition asks of a value. A missing value answers yes to `IS_MISSING` alone."""

    EQUAL = "=="
    NOT_EQUAL = "!="
    AT_LEAST = ">="
    LESS = "<"
    WITHIN = "within"
    IN = "in"
    NOT_IN = "not in"
    IS_MISSING = "is missing"

    @property
    def takes_a_set(self) -> bool:
        """Whether it compares with several values."""
        return self in {Operator.IN, Operator.NOT_IN}

    @property
    def is_about_a_set(self) -> bool:
        """Whether it asks if a value is one of some, be it of a single one."""
        return self.takes_a_set or self is Operator.NOT_EQUAL


class ColumnType(StrEnum):
    """The kind of values a column holds; what `==` and `>=` mean elsewhere depends on it."""

    BOOLEAN = "boolean"
    NUMBER = "number"
    TEXT = "text"
    DATE = "date"
    DATETIME = "datetime"
    TIME = "time"

    @property
    def has_order(self) -> bool:
        """Whether `>=` and `<` mean something."""
        return self not in {ColumnType.BOOLEAN, ColumnType.TEXT}


class Unit(StrEnum):
    """What of a date or a moment a condition asks for: a number that comes again and again."""

    HOUR = "hour"
    WEEKDAY = "weekday"
    MONTH = "month"

    @property
    def numbers(self) -> range:
        """The numbers it can be: hours from 0, weekdays from 1 for Monday, months from 1."""
        return {Unit.HOUR: range(24), Unit.WEEKDAY: range(1, 8), Unit.MONTH: range(1, 13)}[self]

    def of(self, value: date) -> int:
        """Return the number for a date or a moment.

        >>> Unit.WEEKDAY.of(date(2021, 3, 7))
        7
        """
        if self is Unit.WEEKDAY:
            return value.isoweekday()
        return int(getattr(value, str(self)))

    def text(self, number: object) -> str:
        """Return the name of a weekday or a month, the number of an hour.

        >>> Unit.WEEKDAY.text(6), Unit.MONTH.text(12), Unit.HOUR.text(23)
        ('Saturday', 'December', '23')
        """
        names = _NAMES.get(self)
        named = names is not None and number in self.numbers
        return names[int(number) - 1] if named else str(number)  # type: ignore[index, call-overload]


_NAMES = {
    Unit.WEEKDAY: ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    Unit.MONTH: (
        *("January", "February", "March", "April", "May", "June", "July", "August"),
        *("September", "October", "November", "December"),
    ),
}

# A bool is an int and a datetime is a date, so those come first.
_TYPES = {
    bool: ColumnType.BOOLEAN,
    str: ColumnType.TEXT,
    datetime: ColumnType.DATETIME,
    date: ColumnType.DATE,
    time: ColumnType.TIME,
    object: ColumnType.NUMBER,
}


def type_of(value: object) -> ColumnType | None:
    """Return the kind of a value; None for what is missing.

    >>> type_of(True), type_of(0.5)
    (<ColumnType.BOOLEAN: 'boolean'>, <ColumnType.NUMBER: 'number'>)
    """
    if value is None:
        return None
    return next(found for kind, found in _TYPES.items() if isinstance(value, kind))
