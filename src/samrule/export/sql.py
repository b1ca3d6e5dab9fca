"""A rule list as SQL: one CASE, every name and value quoted, in the words of many engines.

Engines disagree with us about NaN (greater than every number, equal to itself) and some about text
(case and trailing blanks do not count); the SQL says what we mean: a missing value, NULL or NaN,
answers no comparison, and texts are equal character by character.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, cast

import pyarrow as pa

from samrule.errors import ParameterError
from samrule.export.labels import class_names, plain_label, rule_probabilities
from samrule.export.sql_dialects import Dialect, dialect_named
from samrule.rules import ColumnType, Condition, Operator, Rule, RuleList, Unit, type_of
from samrule.rules.meaning import Answer, Question, beyond, check_unit, question_of, set_question


def rule_list_sql(
    rule_list: RuleList,
    dialect: str = "duckdb",
    *,
    table: str | Sequence[str] | None = None,
    types: Mapping[str, Any] | None = None,
    probabilities: bool = False,
    rule: bool = False,
) -> str:
    """Return a CASE expression that gives the predicted class of a row, or a whole SELECT.

    The arguments are those of `RuleList.to_sql`. Without a table, what is asked for beside the
    prediction makes the result a list of expressions with names, for use inside SELECT.

    Examples
    --------
    >>> young = Rule((Condition("age", "<", 25),), "yes", (1, 7))
    >>> rule_list = RuleList((young,), Rule((), "no", (8, 0)), ("no", "yes"))
    >>> print(rule_list_sql(rule_list))
    CASE
      WHEN "age" < 25 THEN 'yes'
      ELSE 'no'
    END
    >>> print(rule_list_sql(rule_list, "sqlserver", table="crm.people"))
    SELECT *,
      CASE
        WHEN [age] < 25 THEN N'yes'
        ELSE N'no'
      END AS [prediction]
    FROM [crm].[people]
    """
    spoken = dialect_named(dialect)
    labels = [plain_label(rule.prediction) for rule in rule_list]
    _check_labels(labels, spoken)
    answers = {"prediction": [_label_sql(label, spoken) for label in labels]}
    if probabilities:
        answers |= _probability_answers(rule_list, spoken)
    if rule:
        answers["rule"] = [str(number) for number in range(1, len(labels) + 1)]
    if table is None and len(answers) == 1:
        return _case(rule_list, answers["prediction"], types or {}, spoken)
    indent = "" if table is None else "  "
    columns = f",\n{indent}".join(
        f"{_case(rule_list, some, types or {}, spoken, indent=indent)} AS {spoken.identifier(name)}"
        for name, some in answers.items()
    )
    return columns if table is None else f"SELECT *,\n  {columns}\nFROM {_table_sql(table, spoken)}"


def _probability_answers(rule_list: RuleList, dialect: Dialect) -> dict[str, list[str]]:
    """Return what each rule answers, by the name of its column."""
    shares = rule_probabilities(rule_list)
    return {
        f"probability_{name}": [dialect.literal(one[place]) for one in shares]
        for place, name in enumerate(class_names(rule_list))
    }


def deciding_rule_sql(
    rule_list: RuleList, dialect: str = "duckdb", *, types: Mapping[str, Any] | None = None
) -> str:
    """Return an expression for the number of the rule that decides a row; the default is last."""
    answers = [str(number) for number in range(rule_list.n_rules + 1)]
    return _case(rule_list, answers, types or {}, dialect_named(dialect))


def condition_sql(condition: Condition, type_: Any = None, dialect: str = "duckdb") -> str:
    """Return the condition as an expression that is true exactly where it holds.

    Without the column's type the comparison is exact if the value is of the column's own kind: a
    whole number on whole numbers, decimals or floats (below 2**24 on those of 32 bits, 2**53 on
    others), a float on floats or whole numbers (below 2**53), a decimal on decimals, a date on
    dates.

    Examples
    --------
    >>> print(condition_sql(Condition("select", "==", "it's")))
    "select" = 'it''s'
    >>> print(condition_sql(Condition("x", ">=", 0.5)))
    ("x" >= 0.5e0 AND "x" <= CAST('infinity' AS DOUBLE))
    >>> print(condition_sql(Condition("x", ">=", 0.5), pa.int64()))
    "x" >= 1
    >>> print(condition_sql(Condition("x", "within", (0.5, 2.5))))
    ("x" >= 0.5e0 AND "x" < 2.5e0)
    """
    return _condition_sql(condition, type_, dialect_named(dialect))


def missing_sql(name: str, type_: Any, dialect: str = "duckdb") -> str:
    """Return an expression that is true where the (quoted) column is NULL or NaN."""
    return _question_sql(
        name, Question(Answer.MISSING), dialect_named(dialect), may_be_nan=_holds_nan(type_)
    )


def identifier_sql(name: str, dialect: str = "duckdb") -> str:
    """Return a name in quotes.

    >>> print(identifier_sql('the "top" one'), identifier_sql("a]b", "sqlserver"))
    "the ""top"" one" [a]]b]
    """
    return dialect_named(dialect).identifier(name)


def literal_sql(value: Any, dialect: str = "duckdb") -> str:
    """Return a value as SQL that keeps its type and its last digit.

    >>> from datetime import date
    >>> print(literal_sql("it's"), literal_sql(True), literal_sql(date(2021, 3, 1)))
    'it''s' TRUE DATE '2021-03-01'
    """
    return dialect_named(dialect).literal(value)


def _check_labels(labels: Sequence[Any], dialect: Dialect) -> None:
    kinds = {type_of(label) for label in labels}
    if len(kinds) > 1:
        shown = ", ".join(sorted(str(kind) for kind in kinds))
        raise ParameterError(
            f"the list predicts values of several kinds ({shown}); a column of SQL has one.",
            hint="learn with classes of one kind, such as text.",
        )
    for label in labels:
        if isinstance(label, str) and not dialect.can_hold(label):
            raise ParameterError(
                f"the list predicts {label!r}, which no text in {dialect.name} can hold.",
                hint="rename the class.",
            )


def _label_sql(label: Any, dialect: Dialect) -> str:
    if isinstance(label, int | Decimal) and not dialect.is_exact(label):
        label = float(label)
    infinite = isinstance(label, float) and label in {float("inf"), -float("inf")}
    if infinite and not dialect.has_infinity:
        raise ParameterError(
            f"the list predicts {label!r}, which no number in {dialect.name} can be.",
            hint="rename the class.",
        )
    return dialect.literal(label)


def _table_sql(table: str | Sequence[str], dialect: Dialect) -> str:
    parts = table.split(".") if isinstance(table, str) else list(table)
    if not parts or not all(isinstance(part, str) and part for part in parts):
        raise ParameterError(
            f"table is {table!r}; expected a name, or names with dots between.",
            hint='a name that holds a dot itself goes into a tuple: ("my.table",).',
        )
    return ".".join(dialect.identifier(part) for part in parts)


def _case(
    rule_list: RuleList,
    answers: list[str],
    types: Mapping[str, Any],
    dialect: Dialect,
    indent: str = "",
) -> str:
    *rules, default = answers
    if not rules:
        return default
    known = _column_types(rule_list)
    branches = [
        f"WHEN {_rule_sql(rule, types, known, dialect)} THEN {answer}"
        for rule, answer in zip(rule_list.rules, rules, strict=True)
    ]
    inner = f"\n{indent}  "
    return inner.join(["CASE", *branches, f"ELSE {default}"]) + f"\n{indent}END"


def _column_types(rule_list: RuleList) -> dict[str, ColumnType | str]:
    """Return what the list itself tells of its columns' types."""
    return {
        condition.column: condition.type
        for rule in rule_list
        for condition in rule.conditions
        if condition.type is not None
    }


def _rule_sql(
    rule: Rule,
    types: Mapping[str, Any],
    known: Mapping[str, ColumnType | str],
    dialect: Dialect,
) -> str:
    return " AND ".join(
        _condition_sql(
            replace(condition, type=condition.type or known.get(condition.column)),
            types.get(condition.column),
            dialect,
        )
        for condition in rule.conditions
    )


def _condition_sql(
    condition: Condition, type_: Any, dialect: Dialect, *, below_nan: bool = False
) -> str:
    if condition.op == Operator.WITHIN:
        low, high = condition.parts
        # Where NaN sorts, it is above every upper end: nobody need ask of the lower one.
        ends = (
            _condition_sql(low, type_, dialect, below_nan=True),
            _condition_sql(high, type_, dialect),
        )
        return f"({' AND '.join(ends)})"
    name = dialect.identifier(condition.column)
    if condition.unit is not None:
        if type_ is not None:
            check_unit(condition, type_)
        name = dialect.unit(Unit(condition.unit), name)
        condition, type_ = condition.of_numbers, pa.int8()
    if type_ is None:
        question = _untyped_question(condition, dialect)
        may_be_nan = condition.type == ColumnType.NUMBER
    else:
        question = question_of(condition, type_)
        may_be_nan = _holds_nan(type_)
    may_be_nan = may_be_nan and not below_nan
    return _question_sql(name, _writable(question, dialect), dialect, may_be_nan=may_be_nan)


def _untyped_question(condition: Condition, dialect: Dialect) -> Question:
    if condition.op == Operator.IS_MISSING:
        if condition.type is None and dialect.has_nan:
            raise ParameterError(
                f"condition '{condition}' does not say what column {condition.column!r} holds; "
                "among numbers NaN is missing too.",
                hint=f"write Condition({condition.column!r}, 'is missing', type='number'), "
                "or 'text' and so on.",
            )
        return Question(Answer.MISSING)
    op = Operator(condition.op)
    if op.is_about_a_set:
        equal = (replace(condition, op=Operator.EQUAL, value=one) for one in condition.values)
        return set_question(op, [_untyped_question(one, dialect) for one in equal])
    value = condition.value
    # Up to here whole numbers are exact in every type, and read better than floats.
    if isinstance(value, float) and value.is_integer() and abs(value) <= 2**24:
        value = int(value)
    return Question(Answer.COMPARE, op, value)


def _writable(question: Question, dialect: Dialect) -> Question:
    """Return the same question about a value that the dialect can write."""
    if question.answer is not Answer.COMPARE or isinstance(question.value, bool):
        return question
    if isinstance(question.value, tuple):
        equal = (Question(Answer.COMPARE, Operator.EQUAL, one) for one in question.value)
        return set_question(question.op, [_writable(one, dialect) for one in equal])
    if isinstance(question.value, str):
        return question if dialect.can_hold(question.value) else Question(Answer.NEVER)
    if isinstance(question.value, int | Decimal) and not dialect.is_exact(question.value):
        question = question_of(Condition("x", question.op, question.value), pa.float64())
    if question.value in _INFINITIES and not dialect.has_infinity:
        return beyond(question.op, above=question.value == _INFINITIES[0])
    return question


_INFINITIES = (float("inf"), -float("inf"))


def _holds_nan(type_: Any) -> bool:
    return bool(pa.types.is_floating(type_))


def _question_sql(name: str, question: Question, dialect: Dialect, *, may_be_nan: bool) -> str:
    if question.answer is Answer.NEVER:
        return dialect.never
    may_be_nan = may_be_nan and dialect.has_nan
    if question.answer is Answer.MISSING:
        return dialect.number_is_missing(name) if may_be_nan else f"{name} IS NULL"
    if question.answer is Answer.PRESENT:
        return f"{name} <= {dialect.infinity}" if may_be_nan else f"{name} IS NOT NULL"
    return _comparison_sql(name, question, dialect, may_be_nan=may_be_nan)


def _comparison_sql(name: str, question: Question, dialect: Dialect, *, may_be_nan: bool) -> str:
    if isinstance(question.value, tuple):
        return _set_sql(name, question, dialect, may_be_nan=may_be_nan)
    if isinstance(question.value, str):
        return dialect.text_equals(name, question.value)
    sign = "=" if question.op == Operator.EQUAL else str(question.op)
    compared = dialect.compared(name, sign, question.value)
    if may_be_nan and dialect.sorts_nan and question.op == Operator.AT_LEAST:
        return f"({compared} AND {name} <= {dialect.infinity})"
    return compared


def _set_sql(name: str, question: Question, dialect: Dialect, *, may_be_nan: bool) -> str:
    values, wanted = cast(tuple[Any, ...], question.value), question.op is Operator.IN
    if isinstance(values[0], str):
        return dialect.text_among(name, values, wanted=wanted)
    among = _any_sql([dialect.compared(name, "=", value) for value in values])
    if wanted:
        return among
    present = f"{name} <= {dialect.infinity}" if may_be_nan else f"{name} IS NOT NULL"
    return f"({present} AND NOT {among})"


def _any_sql(conditions: list[str]) -> str:
    """Join conditions by OR, half by half: engines limit how deep an expression may be."""
    if len(conditions) <= _FEW:
        return f"({' OR '.join(conditions)})"
    middle = len(conditions) // 2
    return f"({_any_sql(conditions[:middle])} OR {_any_sql(conditions[middle:])})"


_FEW = 8
