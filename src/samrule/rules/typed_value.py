"""Values that people type, as the column holds them."""

from datetime import date, datetime, time
from typing import Any

from samrule.errors import ParameterError
from samrule.rules import ColumnType

_YES, _NO = {"true", "yes", "1"}, {"false", "no", "0"}


def value_typed(column: str, value: Any, type_: ColumnType | None) -> Any:
    """Return what was typed as a value of a column's type; None is missing.

    Examples
    --------
    >>> value_typed("age", "40", ColumnType.NUMBER), value_typed("city", None, ColumnType.TEXT)
    (40, None)
    >>> value_typed("age", "old", ColumnType.NUMBER)
    Traceback (most recent call last):
    ...
    samrule.errors.ParameterError: the row has 'old' for 'age'; expected a number as in the table.
    Hint: for example 40.
    """
    if value is None or type_ is None:
        return value
    try:
        return _READERS[type_](value)
    except (ValueError, TypeError):
        raise ParameterError(
            f"the row has {value!r} for {column!r}; expected a {type_} as in the table.",
            hint=f"for example {EXAMPLES[type_]}.",
        ) from None


def _number(value: Any) -> int | float:
    if isinstance(value, bool | int | float):
        return value
    try:
        return int(value)
    except ValueError:
        return float(value)


def _truth(value: Any) -> bool:
    text = str(value).strip().lower()
    if text not in _YES | _NO:
        raise ValueError(text)
    return text in _YES


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


_READERS = {
    ColumnType.NUMBER: _number,
    ColumnType.BOOLEAN: _truth,
    ColumnType.TEXT: _text,
    ColumnType.DATE: date.fromisoformat,
    ColumnType.DATETIME: datetime.fromisoformat,
    ColumnType.TIME: time.fromisoformat,
}
EXAMPLES = {
    ColumnType.NUMBER: "40",
    ColumnType.BOOLEAN: "true",
    ColumnType.TEXT: "Padova",
    ColumnType.DATE: "2021-03-01",
    ColumnType.DATETIME: "2021-03-01 12:30",
    ColumnType.TIME: "12:30",
}
