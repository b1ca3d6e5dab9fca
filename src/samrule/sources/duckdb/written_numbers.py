"""Numbers written for people: currency, percent, decimal comma, thousands, marks for missing ones.

A column of text is read as numbers only if every value of it is a number in one way of writing, or
a mark that people write for a missing value.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from samrule.export.sql import identifier_sql, literal_sql
from samrule.sources.text_format import DecimalMark

# What people write where a number is missing; letters in any case.
MISSING_MARKS = (
    "", "?", "-", "--", ".", "na", "n/a", "#n/a", "<na>", "nan", "null", "none", "nil", "missing",
    "unknown",
)  # fmt: skip

# Spaces of several widths and apostrophes part thousands, whatever the decimal mark.
_GAP = "[ \u00a0\u202f\u2009'\u2019]"
_SIGN = "[+\u2212-]?"
_CURRENCY = r"(?:\p{Sc}|USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD)"


@dataclass(frozen=True)
class WrittenNumbers:
    """A column of text that holds numbers, and how they are written.

    Parameters
    ----------
    column
        Its name in the engine.
    decimal
        What stands before the fraction.
    is_whole
        Whether all of them are whole and short enough for 64 bits.
    is_settled
        Whether one decimal mark alone fits: 1,234 may be either.
    example
        One of the values as it stands there.
    marks
        The values that mean a missing one.
    """

    column: str
    decimal: DecimalMark
    is_whole: bool
    is_settled: bool
    example: str
    marks: tuple[str, ...]

    def sql(self) -> str:
        """Return the column as numbers."""
        name = identifier_sql(self.column)
        type_ = "BIGINT" if self.is_whole else "DOUBLE"
        number = f"CAST({_plain_sql(name, self.decimal)} AS {type_})"
        return f"CASE WHEN {_is_mark_sql(name)} THEN NULL ELSE {number} END AS {name}"

    def __str__(self) -> str:
        marks = ", ".join(repr(one) for one in self.marks)
        missing = f", {marks} as missing" if marks else ""
        comma = ", with a decimal comma" if self.decimal == "," else ""
        if self.decimal == "." and not self.is_settled and "," in self.example:
            comma = ", with a comma between thousands"
        return f"read as numbers, such as {self.example!r}{comma}{missing}"


def written_numbers(
    rows: Any, columns: Sequence[str], decimal: DecimalMark | None
) -> list[WrittenNumbers]:
    """Return those of the columns of text whose every value is a number or a mark.

    Parameters
    ----------
    rows
        A DuckDB relation; it is read once.
    columns
        Columns of text.
    decimal
        The decimal mark; if not given, each column's own, and where both fit that of the others.
    """
    if not columns:
        return []
    wanted = [one for column in columns for one in _aggregates(identifier_sql(column))]
    (found,) = rows.aggregate(", ".join(wanted)).fetchall()
    size = len(found) // len(columns)
    surveys = [
        _Survey(column, *found[place * size : (place + 1) * size])
        for place, column in enumerate(columns)
    ]
    numbers = [one for survey in surveys if (one := survey.numbers(decimal)) is not None]
    return _with_one_mark(numbers, decimal)


def is_number_sql(name: str, decimal: DecimalMark | None) -> str:
    """Return whether a text is a number, or a mark for a missing one."""
    text = f"trim({name})"
    marks: tuple[DecimalMark, ...] = (".", ",") if decimal is None else (decimal,)
    ways = " OR ".join(_matches(text, mark) for mark in marks)
    return f"({_is_mark_sql(name)} OR {ways})"


def _with_one_mark(
    numbers: list[WrittenNumbers], decimal: DecimalMark | None
) -> list[WrittenNumbers]:
    """Let columns that fit both marks follow those that fit one."""
    settled = {one.decimal for one in numbers if one.is_settled}
    if decimal is not None or settled != {","}:
        return numbers
    return [one if one.is_settled else replace(one, decimal=",") for one in numbers]


@dataclass(frozen=True)
class _Survey:
    """What one pass counted in a column of text."""

    column: str
    n_numbers: int
    n_with_point: int
    n_with_comma: int
    n_whole: int
    n_parted: int
    n_percent: int
    n_currencies: int
    example: str | None
    marks: list[str] | None

    def numbers(self, decimal: DecimalMark | None) -> WrittenNumbers | None:
        fits = {".": self.n_with_point == self.n_numbers, ",": self.n_with_comma == self.n_numbers}
        one_unit = self.n_percent in (0, self.n_numbers) and self.n_currencies <= 1
        chosen: DecimalMark = decimal or ("." if fits["."] else ",")
        if not self.n_numbers or self.example is None or not one_unit or not fits[chosen]:
            return None
        return WrittenNumbers(
            column=self.column,
            decimal=chosen,
            is_whole=self.n_whole == self.n_numbers,
            is_settled=not (fits["."] and fits[","] and self.n_parted),
            example=self.example,
            marks=tuple(sorted(self.marks or ())),
        )


def _aggregates(name: str) -> list[str]:
    """Return what `_Survey` holds of a column, in SQL."""
    text = f"trim({name})"
    present = f"{name} IS NOT NULL AND NOT {_is_mark_sql(name)}"
    both = f"({_matches(text, '.')} OR {_matches(text, ',')})"
    currency = f"nullif(regexp_extract({text}, {literal_sql(_CURRENCY)}), '')"
    return [
        f"count(*) FILTER ({present})",
        f"count(*) FILTER ({present} AND {_matches(text, '.')})",
        f"count(*) FILTER ({present} AND {_matches(text, ',')})",
        f"count(*) FILTER ({present} AND regexp_full_match({text}, '[+-]?[0-9]{{1,18}}'))",
        f"count(*) FILTER ({present} AND regexp_matches({text}, '[.,]'))",
        f"count(*) FILTER ({present} AND ends_with({text}, '%'))",
        f"count(DISTINCT {currency}) FILTER ({present})",
        # The longest shows most of how they are written; of those, always the same.
        f"substr(max({_by_length(name)}) FILTER ({present} AND {both}), {_LENGTH_DIGITS + 1})",
        f"list(DISTINCT {name}) FILTER ({name} IS NOT NULL AND {_is_mark_sql(name)})",
    ]


_LENGTH_DIGITS = 6


def _by_length(name: str) -> str:
    return f"lpad(CAST(length({name}) AS VARCHAR), {_LENGTH_DIGITS}, '0') || {name}"


def _is_mark_sql(name: str) -> str:
    marks = ", ".join(literal_sql(one) for one in MISSING_MARKS)
    return f"(lower(trim({name})) IN ({marks}))"


def _matches(text: str, decimal: DecimalMark) -> str:
    return f"regexp_full_match({text}, {literal_sql(_pattern(decimal))})"


def _pattern(decimal: DecimalMark) -> str:
    """Return the regular expression of a number with its sign and unit, without spaces around.

    A zero in front, as in 007, makes no number: it is the start of a name.
    """
    thousands, fraction = (",", r"\.") if decimal == "." else (r"\.", ",")
    parted = "|".join(f"(?:{mark}[0-9]{{3}})+" for mark in (thousands, _GAP))
    whole = f"(?:0|[1-9][0-9]{{0,2}}(?:{parted})|[1-9][0-9]*)"
    number = f"(?:{whole}(?:{fraction}[0-9]*)?|{fraction}[0-9]+)(?:[eE][+-]?[0-9]{{1,3}})?"
    return rf"{_SIGN}\s*{_CURRENCY}?\s*{_SIGN}{number}{_GAP}?(?:{_CURRENCY}|%)?"


def _plain_sql(name: str, decimal: DecimalMark) -> str:
    """Return a number as DuckDB casts it: no unit, no thousands, a point before the fraction."""
    unit = literal_sql(rf"{_CURRENCY}|%|\s|{_GAP}")
    bare = f"replace(regexp_replace({name}, {unit}, '', 'g'), '\u2212', '-')"
    if decimal == ".":
        return f"replace({bare}, ',', '')"
    return f"replace(replace({bare}, '.', ''), ',', '.')"
