"""What SQL engines say differently, one class each: names, texts, numbers, moments, NaN.

`Dialect` is the standard, much as DuckDB speaks it; every class overrides what differs. Names
and texts are hostile input here: whatever they hold, they end where their quotes end.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime, time
from decimal import Decimal
from types import MappingProxyType
from typing import Any, ClassVar

from samrule.errors import Parameter, ParameterError, ParameterTypeError, Words
from samrule.rules import Unit


class Dialect:
    """The standard, much as DuckDB speaks it: the base of all others."""

    name = "duckdb"
    # Whether NaN sorts above infinity and equals itself, so that comparisons must keep it out.
    sorts_nan = True
    # Whether a number column can hold NaN at all; where it does not sort, it compares false.
    has_nan = True
    has_infinity = True
    # Whether a text can hold the character of code 0.
    has_nul = True
    # Whether a name can have no characters at all.
    has_empty_names = False
    infinity = "CAST('infinity' AS DOUBLE)"
    never = "FALSE"
    _join = " || "
    # What stands around the digits of exact decimals, of days, of moments as a clock on the wall
    # shows them or with their zone (day and time with this between), and of times of day.
    _decimal = "CAST('{digits}' AS DECIMAL(38, {scale}))"
    _day = "DATE '{}'"
    _clock = "TIMESTAMP '{}'"
    _zoned = "TIMESTAMPTZ '{}'"
    _between = " "
    _hour = "TIME '{}'"

    def identifier(self, name: str) -> str:
        """Return a name in quotes."""
        if "\0" in name or not is_unicode(name) or not (name or self.has_empty_names):
            raise ParameterError(
                f"the name {name!r} cannot be written in SQL; "
                "expected some Unicode, without code 0.",
                hint="rename the column.",
            )
        return self._quoted_name(name)

    def literal(self, value: Any) -> str:
        """Return a value as SQL that keeps its type and its last digit."""
        for kind, write in self._WRITERS.items():
            if isinstance(value, kind):
                return write(self, value)
        raise ParameterTypeError(
            f"{value!r} ({type(value).__name__}) cannot be written in SQL; "
            "expected a number, text, a date, a time, True or False.",
            hint="turn it into text first.",
        )

    def compared(self, name: str, sign: str, value: Any) -> str:
        """Return the comparison of a (quoted) column with a value that is not text."""
        return f"{name} {sign} {self.literal(value)}"

    def text_equals(self, name: str, text: str) -> str:
        """Return an expression that is true where the (quoted) column is this very text."""
        return f"{self._text_column(name)} = {self._text_operand(text)}"

    def text_among(self, name: str, texts: Iterable[str], *, wanted: bool) -> str:
        """Return an expression that is true where the column is one of these texts, or is none.

        Where the column is NULL it is NULL.
        """
        listed = ", ".join(map(self._text_operand, texts))
        return f"{self._text_column(name)} {'IN' if wanted else 'NOT IN'} ({listed})"

    def unit(self, unit: Unit, name: str) -> str:
        """Return the hour, the weekday (Monday is 1) or the month of a (quoted) column."""
        return self._units.get(unit, "EXTRACT({unit} FROM {name})").format(unit=unit, name=name)

    _units: ClassVar[Mapping[Unit, str]] = {Unit.WEEKDAY: "EXTRACT(isodow FROM {name})"}

    def number_is_missing(self, name: str) -> str:
        """Return an expression that is true where the (quoted) number column is NULL or NaN."""
        return f"({name} IS NULL OR {name} > {self.infinity})"

    def is_exact(self, value: int | Decimal) -> bool:
        """Whether the number can be written digit by digit; if not, only a float can be near."""
        return digits(value) <= 38

    def can_hold(self, text: str) -> bool:
        """Whether a text column can hold this text; if not, nothing equals it."""
        return is_unicode(text) and (self.has_nul or "\0" not in text)

    def text(self, text: str) -> str:
        """Return a text literal; what does not print, or turns the line around, by its code."""
        parts = [part for part in re.split(_HIDDEN, text) if part] or [""]
        written = [
            self._character(ord(part)) if re.fullmatch(_HIDDEN, part) else self._quoted_text(part)
            for part in parts
        ]
        return written[0] if len(written) == 1 else "(" + self._join.join(written) + ")"

    def boolean(self, value: bool) -> str:
        """Return a truth value."""
        return "TRUE" if value else "FALSE"

    def integer(self, value: int) -> str:
        """Return a whole number."""
        return str(int(value))

    def double(self, value: float) -> str:
        """Return a 64-bit float. An exponent makes it one; without, 0.5 would be a decimal."""
        if math.isinf(value):
            return self.infinity if value > 0 else self._minus_infinity()
        written = float.__repr__(value)
        return written if "e" in written else f"{written}e0"

    def decimal(self, value: Decimal) -> str:
        """Return an exact decimal of at most 38 digits."""
        scale = max(0, -int(value.as_tuple().exponent))
        return self._decimal.format(digits=f"{value:f}", scale=scale)

    def day(self, value: date) -> str:
        """Return a date."""
        return self._day.format(date(value.year, value.month, value.day).isoformat())

    def moment(self, value: datetime) -> str:
        """Return a date and time, as a clock on the wall shows it or with its zone."""
        if value.tzinfo is None:
            return self._clock.format(value.isoformat(self._between, _precision(value)))
        moment = value.astimezone(UTC)
        return self._zoned.format(moment.isoformat(self._between, _precision(value)))

    def hour(self, value: time) -> str:
        """Return a time of day."""
        return self._hour.format(value.replace(tzinfo=None).isoformat(_precision(value)))

    def _text_column(self, name: str) -> str:
        """Return the (quoted) column as texts that are equal only if they are the same."""
        return name

    def _text_operand(self, text: str) -> str:
        """Return a text to compare such a column with."""
        return self.text(text)

    def _quoted_name(self, name: str) -> str:
        return _enclosed(name, '"')

    def _quoted_text(self, text: str) -> str:
        return _enclosed(text, "'")

    def _character(self, code: int) -> str:
        return f"chr({code})"

    def _minus_infinity(self) -> str:
        return self.infinity.replace("'inf", "'-inf")

    # A bool is an int and a datetime is a date, so those come first.
    _WRITERS: ClassVar[dict[type, Callable[["Dialect", Any], str]]] = {
        bool: lambda self, value: self.boolean(value),
        int: lambda self, value: self.integer(value),
        str: lambda self, value: self.text(value),
        float: lambda self, value: self.double(value),
        Decimal: lambda self, value: self.decimal(value),
        datetime: lambda self, value: self.moment(value),
        date: lambda self, value: self.day(value),
        time: lambda self, value: self.hour(value),
    }


class DuckDB(Dialect):
    """DuckDB: moments with a zone and hours have types of their own for nanoseconds.

    Those cannot be compared with microseconds, so what they are compared with is left without a
    type, and takes that of the column.
    """

    def compared(self, name: str, sign: str, value: Any) -> str:
        """Return the comparison of a (quoted) column with a value that is not text."""
        if isinstance(value, time):
            return f"{name} {sign} {self.hour(value).removeprefix('TIME ')}"
        if isinstance(value, datetime) and value.tzinfo is not None:
            return f"{name} {sign} {self.moment(value).removeprefix('TIMESTAMPTZ ')}"
        return super().compared(name, sign, value)


class Postgres(Dialect):
    """PostgreSQL: no NUL in texts; backslashes mean themselves only under a setting."""

    name = "postgres"
    has_nul = False
    infinity = "float8 'infinity'"
    _decimal = "{digits}"

    def double(self, value: float) -> str:
        """Return a 64-bit float; digits alone would be a numeric."""
        return super().double(value) if math.isinf(value) else f"float8 '{float.__repr__(value)}'"

    def text(self, text: str) -> str:
        """Return a text literal; E'' means the same whatever standard_conforming_strings says."""
        escaped = _escaped(text, {"'": "''"})
        return f"E{escaped}" if "\\" in escaped else escaped


class Spark(Dialect):
    """Spark SQL: backslashes escape, and ${...} is replaced before anything is parsed."""

    name = "spark"
    infinity = "double('infinity')"
    _decimal = "{digits}BD"
    _clock = "TIMESTAMP_NTZ '{}'"
    _units: ClassVar[Mapping[Unit, str]] = {Unit.WEEKDAY: "(WEEKDAY({name}) + 1)"}
    _zoned = "TIMESTAMP_LTZ '{}'"

    def compared(self, name: str, sign: str, value: Any) -> str:
        """Return the comparison; Spark 4 takes NULL < 1e20 for true on columns of integers."""
        found = super().compared(name, sign, value)
        is_decimal = isinstance(value, Decimal) or (isinstance(value, int) and not _is_long(value))
        return f"({found} AND {name} IS NOT NULL)" if is_decimal else found

    def text(self, text: str) -> str:
        """Return a text literal, a dollar sign by its code."""
        return _escaped(text, {"$": "\\u0024"})

    def double(self, value: float) -> str:
        """Return a 64-bit float."""
        return super().double(value) if math.isinf(value) else f"{float.__repr__(value)}D"

    def _quoted_name(self, name: str) -> str:
        quoted = _enclosed(name, "`")
        return f"IDENTIFIER({self.text(quoted)})" if "${" in name else quoted


class BigQuery(Dialect):
    """GoogleSQL: backslashes escape everywhere; NaN compares false by itself."""

    name = "bigquery"
    sorts_nan = False
    infinity = "CAST('inf' AS FLOAT64)"
    # Wide enough for 38 digits on either side of the point.
    _decimal = "BIGNUMERIC '{digits}'"
    _clock = "DATETIME '{}'"
    _units: ClassVar[Mapping[Unit, str]] = {
        Unit.WEEKDAY: "(MOD(EXTRACT(DAYOFWEEK FROM {name}) + 5, 7) + 1)"
    }
    _zoned = "TIMESTAMP '{}'"

    def number_is_missing(self, name: str) -> str:
        """Return an expression that is true where the (quoted) number column is NULL or NaN."""
        return f"({name} IS NULL OR IS_NAN({name}))"

    def text(self, text: str) -> str:
        """Return a text literal."""
        return _escaped(text)

    def integer(self, value: int) -> str:
        """Return a whole number; beyond 64 bits a decimal."""
        return str(int(value)) if _is_long(value) else self.decimal(Decimal(value))

    def _quoted_name(self, name: str) -> str:
        return _escaped(name, quote="`")


class Snowflake(Dialect):
    """Snowflake: backslashes escape in texts, not in names."""

    name = "snowflake"
    infinity = "CAST('inf' AS DOUBLE)"
    _decimal = "{digits}"
    _clock = "CAST('{}' AS TIMESTAMP_NTZ)"
    _units: ClassVar[Mapping[Unit, str]] = {Unit.WEEKDAY: "DAYOFWEEKISO({name})"}
    _zoned = "CAST('{}' AS TIMESTAMP_TZ)"

    def text(self, text: str) -> str:
        """Return a text literal."""
        return _escaped(text)

    def double(self, value: float) -> str:
        """Return a 64-bit float."""
        if math.isinf(value):
            return super().double(value)
        return f"CAST('{float.__repr__(value)}' AS DOUBLE)"


class SQLite(Dialect):
    """SQLite: any value in any column, so conventions stand in for types.

    Truth values are 1 and 0; dates and times are ISO text as Python's ``isoformat(" ")`` writes
    it, moments with a zone in UTC; decimals are floats. NaN is stored as NULL. Text sorts above
    every number, as NaN does elsewhere: text in a number column counts as missing.
    """

    name = "sqlite"
    has_empty_names = True
    infinity = "9e999"
    never = "1 = 0"
    _day = _clock = _zoned = _hour = "'{}'"
    # By their characters: SQLite's own functions round to milliseconds, up to the next day.
    _units: ClassVar[Mapping[Unit, str]] = {
        Unit.HOUR: "CAST(substr({name}, 12, 2) AS INTEGER)",
        Unit.WEEKDAY: "((CAST(strftime('%w', substr({name}, 1, 10)) AS INTEGER) + 6) % 7 + 1)",
        Unit.MONTH: "CAST(substr({name}, 6, 2) AS INTEGER)",
    }

    def is_exact(self, value: int | Decimal) -> bool:
        """Whether the number is a 64-bit integer."""
        return isinstance(value, int) and _is_long(value)

    def boolean(self, value: bool) -> str:
        """Return 1 or 0."""
        return str(int(value))

    def double(self, value: float) -> str:
        """Return a float, computed where SQLite might misread the last of its digits."""
        written = float.__repr__(value)
        digits, _, exponent = written.partition("e")
        if math.isinf(value) or (len(digits.strip("-").replace(".", "")) <= 15 and not exponent):
            return super().double(value).removesuffix("e0")
        return _computed_double(value)

    def _quoted_name(self, name: str) -> str:
        # In double quotes an unknown name would be taken for a text.
        return _enclosed(name, "`")

    def _character(self, code: int) -> str:
        return f"char({code})"

    def _minus_infinity(self) -> str:
        return "-9e999"


class MySQL(Dialect):
    """MySQL and MariaDB: texts are equal only byte by byte; no NaN, no infinity."""

    name = "mysql"
    sorts_nan = has_nan = has_infinity = False
    _decimal = "{digits}"
    _zoned = "TIMESTAMP '{}'"
    _units: ClassVar[Mapping[Unit, str]] = {Unit.WEEKDAY: "(WEEKDAY({name}) + 1)"}

    def _text_column(self, name: str) -> str:
        # As bytes: collations ignore case, accents and trailing blanks.
        return f"CAST(CONVERT({name} USING utf8mb4) AS BINARY)"

    def text(self, text: str) -> str:
        """Return a text literal; in hex where it would hide, or a setting decide, what it means."""
        if "\\" in text or re.search(_HIDDEN, text):
            return f"_utf8mb4 X'{text.encode().hex()}'"
        return _enclosed(text, "'") if text.isascii() else f"_utf8mb4{_enclosed(text, chr(39))}"

    def _quoted_name(self, name: str) -> str:
        return _enclosed(name, "`")


class TSQL(Dialect):
    """SQL Server: no truth values, no NaN, no infinity; `=` ignores case and trailing blanks."""

    name = "tsql"
    sorts_nan = has_nan = has_infinity = False
    never = "1 = 0"
    _join = " + "
    _decimal = "{digits}"
    _day = "CAST('{}' AS date)"
    _clock = "CAST('{}' AS datetime2(6))"
    _zoned = "CAST('{}' AS datetimeoffset(6))"
    # With a T no language setting matters.
    _between = "T"
    _hour = "CAST('{}' AS time(6))"
    _units: ClassVar[Mapping[Unit, str]] = {
        Unit.HOUR: "DATEPART(hour, {name})",
        # Whichever day the session begins its weeks with.
        Unit.WEEKDAY: "((DATEPART(weekday, {name}) + @@DATEFIRST + 5) % 7 + 1)",
        Unit.MONTH: "DATEPART(month, {name})",
    }

    # Code by code, with a stop behind both so that trailing blanks count.

    def _text_column(self, name: str) -> str:
        return f"(CAST({name} AS nvarchar(max)) + N'.') COLLATE Latin1_General_BIN2"

    def _text_operand(self, text: str) -> str:
        return self.text(f"{text}.")

    def boolean(self, value: bool) -> str:
        """Return a bit."""
        return f"CAST({int(value)} AS bit)"

    def _quoted_text(self, text: str) -> str:
        return f"N{_enclosed(text, chr(39))}"

    def _character(self, code: int) -> str:
        return f"NCHAR({code})"

    def _quoted_name(self, name: str) -> str:
        return "[" + name.replace("]", "]]") + "]"


# Controls (NUL would end a statement), marks that turn text around, blanks and joiners nobody sees.
# Those beyond 16 bits have no escape that all understand.
_HIDDEN = (
    r"([\x00-\x1f\x7f-\xa0\xad\u061c\u180e"
    r"\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff])"
)

_DIALECTS: dict[str, Dialect] = {
    one.name: one
    for one in (
        DuckDB(), Postgres(), Spark(), BigQuery(), Snowflake(), SQLite(), MySQL(), TSQL()
    )
}  # fmt: skip
_ALIASES = {"postgresql": "postgres", "sqlserver": "tsql"}
DIALECTS = tuple(_DIALECTS)


def dialect_named(name: str) -> Dialect:
    """Return the dialect of this name.

    >>> dialect_named("postgresql").name
    'postgres'
    """
    wanted = str(name).lower()
    found = _DIALECTS.get(_ALIASES.get(wanted, wanted))
    if found is None:
        raise ParameterError(
            Words(
                Parameter("dialect"),
                f" is {name!r}; expected one of {', '.join(map(repr, DIALECTS))}.",
            ),
            hint="'postgresql' and 'sqlserver' are understood too.",
        )
    return found


def is_unicode(text: str) -> bool:
    """Whether the text can be encoded: half of a surrogate pair cannot."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def digits(value: int | Decimal) -> float:
    """Return how many digits a number has when written out, before and behind the point."""
    number = Decimal(value)
    if not number.is_finite():
        return math.inf
    _, found, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    return max(len(found) + exponent, 1) + max(-exponent, 0)


def _is_long(value: int) -> bool:
    return -(2**63) <= value < 2**63


def _enclosed(text: str, quote: str) -> str:
    return quote + text.replace(quote, quote * 2) + quote


def _escaped(text: str, escapes: Mapping[str, str] = MappingProxyType({}), quote: str = "'") -> str:
    table = str.maketrans({"\\": "\\\\", quote: f"\\{quote}", **escapes})
    escaped = text.translate(table)
    return quote + re.sub(_HIDDEN, lambda one: f"\\u{ord(one[0]):04x}", escaped) + quote


def _computed_double(value: float) -> str:
    """Return the float as whole numbers and powers of two, of which every product is exact."""
    numerator, denominator = value.as_integer_ratio()
    twos = (numerator & -numerator).bit_length() - 1
    steps, sign = (denominator.bit_length() - 1, "/") if denominator > 1 else (twos, "*")
    odd = numerator if denominator > 1 else numerator >> twos
    powers = [62] * (steps // 62) + [steps % 62] * (steps % 62 > 0)
    return f"({odd} * 1.0" + "".join(f" {sign} {2**power}" for power in powers) + ")"


def _precision(value: datetime | time) -> str:
    return "microseconds" if value.microsecond else "seconds"
