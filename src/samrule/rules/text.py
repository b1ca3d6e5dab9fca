"""How values, columns, conditions, rules and lists print, for people to read."""

from collections.abc import Iterable, Sequence
from datetime import datetime, time


def value_text(value: object) -> str:
    """Return the value as people write it; text in quotes only where it would mislead without.

    >>> print(value_text("Padova"), value_text("12"), value_text(" x"), value_text(4.0))
    Padova '12' ' x' 4
    """
    if isinstance(value, str):
        return value if _reads_plainly(value) else repr(value)
    if isinstance(value, float):
        whole = value.is_integer() and abs(value) < 1e15
        return str(int(value)) if whole else repr(value)
    if isinstance(value, datetime):
        return _moment_text(value)
    return str(value)


def set_text(values: Sequence[object]) -> str:
    """Return a set of values as people write it, the first of them if they are many.

    >>> print(set_text(["Padova", "Roma"]), set_text(["a, b"]), set_text(range(20)))
    {Padova, Roma} {'a, b'} {0, 1, 2, 3, 4 and 15 more}
    """
    many = len(values) > _MOST_SHOWN
    shown = [_member_text(value) for value in values[: _MOST_SHOWN - 3 if many else None]]
    more = f" and {len(values) - len(shown)} more" if many else ""
    return "{" + ", ".join(shown) + more + "}"


_MOST_SHOWN = 8


def _member_text(value: object) -> str:
    text = value_text(value)
    return (
        repr(text) if isinstance(value, str) and text == value and set(text) & set(",{}") else text
    )


def _reads_plainly(text: str) -> bool:
    """Whether nobody would take the bare text for a number, a keyword or part of the sentence."""
    words = f" {text} "
    if not text.isprintable() or text != text.strip() or not text or text[0] in "'\"":
        return False
    return not (any(word in words for word in (" and ", " then ")) or _is_number(text))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _moment_text(value: datetime) -> str:
    """Leave out what is zero: midnight is a date, and few moments need seconds."""
    if value.tzinfo is None and value.time() == time():
        return value.date().isoformat()
    needs_seconds = value.second or value.microsecond
    return value.isoformat(" ", "auto" if needs_seconds else "minutes")


def column_text(name: str) -> str:
    """Return a column's name for people to read: one of blanks, or of nothing, in quotes.

    >>> print(column_text("capital-gain"), column_text(""), column_text(" "))
    capital-gain '' ' '
    """
    return visible(name) if name.strip() else repr(name)


def conjunction_text(conditions: Iterable[object]) -> str:
    """Return the conditions of a rule as people say them.

    >>> conjunction_text(["age < 25", "smoker"])
    'age < 25 and smoker'
    """
    return " and ".join(map(str, conditions))


def visible(text: str) -> str:
    r"""Return the text with an escape for whatever does not print, or turns what does around.

    >>> print(visible("one line\nor two, \u202ebackwards"))
    one line\nor two, \u202ebackwards
    """
    return "".join(one if one.isprintable() else repr(one)[1:-1] for one in text)
