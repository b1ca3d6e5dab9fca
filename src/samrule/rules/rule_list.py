"""The model: conditions on columns, rules that need them all, and lists where the first rule wins.

Nothing here learns or reads data. The objects are immutable and hashable, and they print
the way a person would read them aloud.
"""

import math
import operator
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from decimal import Decimal
from enum import StrEnum
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samrule.errors import ParameterError, ParameterTypeError
from samrule.rules.text import column_text, conjunction_text, set_text, value_text, visible

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
            return self.of_numbers.holds(_numbers_of(Unit(self.unit), array))
        if op is Operator.WITHIN:
            low, high = self.parts
            return low.holds(array) & high.holds(array)
        if op is Operator.IS_MISSING:
            return _missing(array)
        if op.is_about_a_set:
            return _among(array, self.values, wanted=op is Operator.IN)
        compare = _COMPARISONS[op]
        if _compares_exactly(array, self.value):
            return np.asarray(compare(array, self.value), dtype=np.bool_)
        return _compared_one_by_one(compare, array, self.value)

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


@dataclass(frozen=True, slots=True)
class Rule:
    """A conjunction of conditions and the class it predicts where all of them hold.

    Parameters
    ----------
    conditions
        All must hold; with none the rule always matches, as a list's default does.
    prediction
        The predicted class.
    class_counts
        Training rows this rule decided (it was the first in its list to match them), per
        class, in the order of the list's `classes`. Empty if unknown.
    weighted_counts
        The weight of these rows, per class. Empty if every row counts once.

    Examples
    --------
    >>> rule = Rule((Condition("age", "<", 25), Condition("smoker", "==", True)), "yes", (5, 15))
    >>> print(rule)
    if age < 25 and smoker then yes
    >>> rule.support, rule.probabilities
    (20, (0.25, 0.75))
    """

    conditions: tuple[Condition, ...]
    prediction: Hashable
    class_counts: tuple[float, ...] = ()
    weighted_counts: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "conditions", tuple(self.conditions))
        object.__setattr__(self, "class_counts", tuple(self.class_counts))
        object.__setattr__(self, "weighted_counts", tuple(self.weighted_counts))
        for condition in self.conditions:
            if not isinstance(condition, Condition):
                raise ParameterTypeError(
                    f"a rule was given {condition!r}; expected Condition objects.",
                    hint='write Condition("column", ">=", 3).',
                )

    @property
    def support(self) -> float:
        """Training rows this rule decided."""
        return sum(self.class_counts)

    @property
    def probabilities(self) -> tuple[float, ...]:
        """Share of each class among the rows this rule decided; all equal if it decided none."""
        if self.support == 0:
            return tuple(1 / len(self.class_counts) for _ in self.class_counts)
        return tuple(count / self.support for count in self.class_counts)

    def __str__(self) -> str:
        label = visible(str(self.prediction))
        if not self.conditions:
            return f"always {label}"
        return f"if {conjunction_text(self.conditions)} then {label}"


@dataclass(frozen=True, slots=True)
class RuleList:
    """Rules tried in order; the first that matches decides, else the default does.

    Parameters
    ----------
    rules
        At least one condition each.
    default
        The rule without conditions that decides what no other rule matched.
    classes
        Every class the list may predict, in the order of `Rule.class_counts`.

    Examples
    --------
    >>> young = Rule((Condition("age", "<", 25),), "yes", (5, 15))
    >>> print(RuleList((young,), Rule((), "no", (60, 20)), ("no", "yes")))
    if age < 25 then yes
    else no
    """

    rules: tuple[Rule, ...]
    default: Rule
    classes: tuple[Hashable, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", tuple(self.rules))
        object.__setattr__(self, "classes", tuple(self.classes))
        _check_rule_list(self)

    @property
    def n_rules(self) -> int:
        """Rules before the default."""
        return len(self.rules)

    @property
    def support(self) -> float:
        """All training rows that were counted."""
        return sum(rule.support for rule in self)

    @property
    def error_rate(self) -> float:
        """Share of the training rows that the list misclassifies; 0 if it saw none."""
        return _error_rate(self, [rule.class_counts for rule in self])

    @property
    def weighted_error_rate(self) -> float:
        """Share of the training weight that it misclassifies; `error_rate` if rows count once."""
        return _error_rate(self, [rule.weighted_counts or rule.class_counts for rule in self])

    # Exports look upwards, so each imports its module when called: the one exception to the layers.

    def to_sql(
        self,
        dialect: str = "duckdb",
        table: str | Sequence[str] | None = None,
        *,
        types: Mapping[str, Any] | None = None,
        probabilities: bool = False,
        rule: bool = False,
    ) -> str:
        """Return a CASE expression for use inside SELECT, or with `table` the whole SELECT.

        Parameters
        ----------
        dialect
            duckdb, postgres, spark, bigquery, snowflake, sqlite, mysql or tsql.
        table
            Select every column of this table and the prediction. Dots separate catalog, schema
            and table; a name that holds dots goes into a tuple.
        types
            Arrow types of the columns by name, if you have them: thresholds are then fitted to
            them, so that even 2**53 + 1 on a column of floats compares exactly.
        probabilities, rule
            Give a column ``probability_CLASS`` per class too, and one with the number of the rule
            that decides, from 1.

        Examples
        --------
        >>> young = Rule((Condition("age", "<", 25), Condition("city", "==", "L'Aquila")), "yes")
        >>> print(RuleList((young,), Rule((), "no"), ("no", "yes")).to_sql())
        CASE
          WHEN "age" < 25 AND "city" = 'L''Aquila' THEN 'yes'
          ELSE 'no'
        END
        """
        from samrule.export.sql import rule_list_sql

        return rule_list_sql(
            self, dialect, table=table, types=types, probabilities=probabilities, rule=rule
        )

    def to_python(self, *, probabilities: bool = False, rule: bool = False) -> str:
        """Return the source of a function ``predict(row)`` that needs the standard library alone.

        Parameters
        ----------
        probabilities, rule
            Let it return a dictionary with the prediction, the probability of each class, and the
            number of the rule that decides, from 1.

        >>> source = RuleList((), Rule((), "no"), ("no", "yes")).to_python()
        >>> exec(source)
        >>> predict({"age": 40})
        'no'
        """
        from samrule.export.python import rule_list_python

        return rule_list_python(self, probabilities=probabilities, rule=rule)

    def to_json(self) -> str:
        """Return JSON that `from_json` reads back, every value with its type and last digit."""
        from samrule.export.json import rule_list_json

        return rule_list_json(self)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Return the list that `to_json` wrote.

        >>> rule_list = RuleList((), Rule((), "no"), ("no", "yes"))
        >>> RuleList.from_json(rule_list.to_json()) == rule_list
        True
        """
        from samrule.export.json import rule_list_from_json

        found = rule_list_from_json(text)
        return cls(found.rules, found.default, found.classes)

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the rules as a dataframe, one row each, the default last.

        Parameters
        ----------
        backend
            ``"pandas"``, ``"polars"`` or ``"pyarrow"``; the last is always installed.

        Examples
        --------
        >>> young = Rule((Condition("age", "<", 25),), "yes", (5, 15))
        >>> rule_list = RuleList((young,), Rule((), "no", (60, 20)), ("no", "yes"))
        >>> print(rule_list.to_frame().to_string(index=False))
         rule conditions prediction  support  coverage  probability  count of no  count of yes
            1   age < 25        yes       20       0.2         0.75            5            15
            2                    no       80       0.8         0.75           60            20
        """
        from samrule.export.frame import rule_list_frame

        return rule_list_frame(self, backend)

    def to_onnx(self, *, rule: bool = False) -> bytes:
        """Return an ONNX model: a column each in, `label` and `probabilities` out (docs/export.md).

        Numbers, texts and truth values alone; it needs ``pip install 'samrule[onnx]'``.

        Parameters
        ----------
        rule
            Give an output `rule` too: the number of the rule that decides, from 1.
        """
        from samrule.export.onnx import rule_list_onnx

        return rule_list_onnx(self, rule=rule)

    def to_latex(self) -> str:
        r"""Return a LaTeX table of the rules that needs no package.

        >>> young = Rule((Condition("age", "<", 25),), "yes")
        >>> print(RuleList((young,), Rule((), "no"), ("no", "yes")).to_latex())
        \begin{tabular}{lll}
        \textbf{if} & age \textless{} 25 & \textbf{then} yes \\
        \textbf{else} & & no \\
        \end{tabular}
        """
        from samrule.export.latex import rule_list_latex

        return rule_list_latex(self)

    def to_markdown(self) -> str:
        """Return a Markdown table of the rules.

        >>> young = Rule((Condition("age", "<", 25),), "yes", (5, 15))
        >>> print(RuleList((young,), Rule((), "no", (60, 20)), ("no", "yes")).to_markdown())
        | | conditions | prediction | support | coverage | probability |
        | --- | --- | --- | ---: | ---: | ---: |
        | if | age &lt; 25 | yes | 20 | 20.0% | 75.0% |
        | else | | no | 80 | 80.0% | 75.0% |
        """
        from samrule.export.markdown import rule_list_markdown

        return rule_list_markdown(self)

    def _repr_html_(self) -> str:
        from samrule.report import rules_snippet

        return rules_snippet(self)

    def __iter__(self) -> Iterator[Rule]:
        """Yield the rules in order, the default last."""
        yield from self.rules
        yield self.default

    def __str__(self) -> str:
        return "\n".join(self.lines)

    @property
    def lines(self) -> tuple[str, ...]:
        """The rules as people read them, one line each, the default last."""
        lines = [str(rule) for rule in self.rules]
        lines[1:] = [f"else {line}" for line in lines[1:]]
        label = visible(str(self.default.prediction))
        return (*lines, f"else {label}" if lines else str(self.default))


def smoothed(rule: Rule, *, weighted: bool = False) -> tuple[float, ...]:
    """Return the class shares of a rule as if it had decided one more row of each class.

    They are shares of rows, or if asked for, of weight; of whichever is known, if one is not.

    >>> smoothed(Rule((), "no", (8, 0)))
    (0.9, 0.1)
    >>> smoothed(Rule((), "no", (8, 0), weighted_counts=(2, 0)), weighted=True)
    (0.75, 0.25)
    """
    known = rule.class_counts, rule.weighted_counts
    counts = known[weighted] or known[not weighted]
    total = sum(counts) + len(counts)
    return tuple((count + 1) / total for count in counts)


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
    try:
        return Operator(op)  # type: ignore[arg-type]
    except ValueError:
        known = ", ".join(repr(str(one)) for one in Operator)
        raise ParameterError(
            f"a condition's operator is {op!r}; expected one of {known}.",
            hint="turn '>' and '<=' around: x > 3 is x >= the next threshold.",
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
    try:
        unit = Unit(given)  # type: ignore[arg-type]
    except ValueError:
        known = ", ".join(repr(str(one)) for one in Unit)
        raise ParameterError(
            f"a condition's unit is {given!r}; expected one of {known}.",
            hint="leave it out to compare the date or the moment itself.",
        ) from None
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


def _numbers_of(unit: Unit, array: NDArray[np.generic]) -> NDArray[np.object_]:
    """Return the unit's number of every date or moment; None for whatever else it is."""
    if array.dtype.kind == "M":
        array = array.astype("M8[us]")
    found = np.empty(array.size, dtype=object)
    for place, one in enumerate(array.ravel().tolist()):
        # NaT of pandas calls itself a datetime, but equals nothing.
        is_wall = isinstance(one, datetime) and one == one and one.tzinfo is None  # noqa: PLR0124
        is_day = isinstance(one, date) and not isinstance(one, datetime) and unit is not Unit.HOUR
        found[place] = unit.of(one) if is_wall or is_day else None
    return found.reshape(array.shape)


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
    try:
        wanted = ColumnType(given)  # type: ignore[arg-type]
    except ValueError:
        known = ", ".join(repr(str(one)) for one in ColumnType)
        raise ParameterError(
            f"a condition's column type is {given!r}; expected one of {known}.",
            hint="leave it out to take it from the value.",
        ) from None
    if found is not None and wanted != found:
        raise ParameterError(
            f"a condition on a {wanted} column compares with {value!r}, a {found} value.",
            hint="leave the type out to take it from the value.",
        )
    return wanted


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


_NEED_ORDER = {Operator.AT_LEAST, Operator.LESS, Operator.WITHIN}

_COMPARISONS: dict[Operator, Callable[[Any, Any], Any]] = {
    Operator.EQUAL: operator.eq,
    Operator.AT_LEAST: operator.ge,
    Operator.LESS: operator.lt,
}


def _compares_exactly(array: NDArray[np.generic], value: object) -> bool:
    """Whether numpy compares without rounding either side: 2**53 + 1 is not 2**53."""
    kind = array.dtype.kind
    if kind in "iu":
        return isinstance(value, int)
    if kind == "f":
        return isinstance(value, float) or (isinstance(value, int) and abs(value) <= 2**53)
    return kind not in "OmM" and not isinstance(value, Decimal)


def _compared_one_by_one(
    compare: Callable[[Any, Any], Any], array: NDArray[np.generic], value: object
) -> NDArray[np.bool_]:
    """Compare as Python does, exactly; what is missing or of another kind compares false."""
    if array.dtype.kind == "M":
        array = array.astype("M8[us]")
    found = [_holds(compare, one, value) for one in array.ravel().tolist()]
    return np.array(found, dtype=np.bool_).reshape(array.shape)


def _among(
    array: NDArray[np.generic], values: Sequence[Value], *, wanted: bool
) -> NDArray[np.bool_]:
    """Tell which values are among those given, or which of the others are not missing."""
    if array.dtype.kind == "M":
        array = array.astype("M8[us]")
    known = {_as_moment(value) for value in values}
    found = [
        not _is_missing(one) and _is_known(_as_moment(one), known) == wanted
        for one in array.ravel().tolist()
    ]
    return np.array(found, dtype=np.bool_).reshape(array.shape)


def _is_known(value: object, known: set[object]) -> bool:
    try:
        return value in known
    except TypeError:
        return False


def _holds(compare: Callable[[Any, Any], Any], one: object, value: object) -> bool:
    try:
        return not _is_missing(one) and bool(compare(_as_moment(one), _as_moment(value)))
    except TypeError:
        return False


def _as_moment(value: object) -> object:
    """Return what Python compares exactly: midnight for a date, time since 1970 with a zone.

    Python does not compare dates with datetimes, and in an hour that a change of clock repeats it
    calls no times of two zones equal.
    """
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime.combine(value, time())
    if isinstance(value, datetime) and value.utcoffset() is not None:
        return value - _EPOCH
    return value


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _missing(array: NDArray[np.generic]) -> NDArray[np.bool_]:
    if array.dtype.kind == "f":
        return np.isnan(array)  # type: ignore[no-any-return]
    if array.dtype.kind in "mM":
        return np.isnat(array)  # type: ignore[no-any-return]
    if array.dtype.kind == "O":
        return np.array([_is_missing(value) for value in array.flat]).reshape(array.shape)
    return np.zeros(array.shape, dtype=np.bool_)


def _is_missing(value: object) -> bool:
    return value is None or (isinstance(value, float | Decimal) and math.isnan(value))


def _error_rate(rule_list: RuleList, counts: Sequence[Sequence[float]]) -> float:
    places = [rule_list.classes.index(rule.prediction) for rule in rule_list]
    right = sum(found[place] for found, place in zip(counts, places, strict=True) if found)
    total = sum(map(sum, counts))
    return (total - right) / total if total else 0.0


def _check_rule_list(rule_list: RuleList) -> None:
    if rule_list.default.conditions:
        raise ParameterError(
            f"the default rule is '{rule_list.default}'; it must have no conditions.",
            hint="append it to the rules and give a default of Rule((), prediction).",
        )
    if len(set(rule_list.classes)) != len(rule_list.classes):
        raise ParameterError(
            f"the classes are {rule_list.classes!r}; expected each once.",
            hint="remove the repeated ones.",
        )
    for rule in rule_list.rules:
        if not rule.conditions:
            raise ParameterError(
                f"a rule of the list is '{rule}'; expected at least one condition.",
                hint="a rule that always matches is the default.",
            )
    for rule in rule_list:
        if rule.prediction not in rule_list.classes:
            raise ParameterError(
                f"a rule predicts {rule.prediction!r}; the classes are {rule_list.classes!r}.",
                hint="add it to the classes.",
            )
        for counts in (rule.class_counts, rule.weighted_counts):
            if counts and len(counts) != len(rule_list.classes):
                raise ParameterError(
                    f"a rule has {len(counts)} class counts; "
                    f"expected {len(rule_list.classes)}, one per class.",
                    hint="count 0 for classes a rule never met.",
                )
