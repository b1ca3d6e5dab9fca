"""A rule list as SQL in DuckDB's dialect: one CASE, every name and value quoted.

Engines disagree with us about NaN (greater than every number, equal to itself); the SQL says what
we mean: a missing value, NULL or NaN, answers no comparison.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

from samrule.export.arrow import Answer, Question, question
from samrule.rules import ColumnType, Condition, Operator, Rule, RuleList


def rule_list_sql(rule_list: RuleList, *, types: Mapping[str, Any] | None = None) -> str:
    """Return a CASE expression that gives the predicted class of a row.

    Parameters
    ----------
    rule_list
        The rules.
    types
        Arrow types of the columns, if known: thresholds are then fitted to them exactly.

    Examples
    --------
    >>> young = Rule((Condition("age", "<", 25),), "yes")
    >>> print(rule_list_sql(RuleList((young,), Rule((), "no"), ("no", "yes"))))
    CASE WHEN "age" < 25 THEN 'yes' ELSE 'no' END
    """
    answers = [literal_sql(rule.prediction) for rule in rule_list]
    return _case(rule_list, answers, types or {})


def deciding_rule_sql(rule_list: RuleList, *, types: Mapping[str, Any] | None = None) -> str:
    """Return an expression for the number of the rule that decides a row; the default is last."""
    return _case(rule_list, [str(number) for number in range(rule_list.n_rules + 1)], types or {})


def condition_sql(condition: Condition, type_: Any = None) -> str:
    """Return the condition as an expression that is true exactly where it holds.

    Examples
    --------
    >>> print(condition_sql(Condition("select", "==", "it's")))
    "select" = 'it''s'
    >>> print(condition_sql(Condition("x", ">=", 0.5)))
    ("x" >= CAST('0.5' AS DOUBLE) AND "x" <= CAST('infinity' AS DOUBLE))
    """
    name = identifier_sql(condition.column)
    if type_ is None:
        missing = condition.op == Operator.IS_MISSING
        asked = (
            Question(Answer.MISSING)
            if missing
            else Question(Answer.COMPARE, Operator(condition.op), condition.value)
        )
        may_be_nan = condition.type == ColumnType.NUMBER
    else:
        asked = question(condition, type_)
        may_be_nan = _holds_nan(type_)
    return _question_sql(name, asked, may_be_nan=may_be_nan)


def missing_sql(name: str, type_: Any) -> str:
    """Return an expression that is true where the (quoted) column is NULL or NaN."""
    return _question_sql(name, Question(Answer.MISSING), may_be_nan=_holds_nan(type_))


def identifier_sql(name: str) -> str:
    """Return a name in double quotes, those inside doubled.

    >>> print(identifier_sql('the "top" one'))
    "the ""top"" one"
    """
    return '"' + name.replace('"', '""') + '"'


def literal_sql(value: Any) -> str:
    """Return a value as SQL that keeps its type and its last digit.

    >>> print(literal_sql("it's"), literal_sql(True), literal_sql(date(2021, 3, 1)))
    'it''s' TRUE DATE '2021-03-01'
    """
    for kind, written in _LITERALS.items():
        if isinstance(value, kind):
            return written(value)
    return str(int(value))


def _decimal_sql(value: Decimal) -> str:
    exponent = value.as_tuple().exponent
    scale = max(0, -exponent) if isinstance(exponent, int) else 0
    return f"CAST('{value:f}' AS DECIMAL(38, {scale}))" if scale else f"{value:f}"


def _moment_sql(value: datetime) -> str:
    if value.tzinfo is None:
        return f"TIMESTAMP '{value.isoformat(' ')}'"
    return f"TIMESTAMPTZ '{value.astimezone(UTC).isoformat(' ')}'"


def _text_sql(text: str) -> str:
    # A NUL would end the statement.
    parts = ["'" + part.replace("'", "''") + "'" for part in text.split("\0")]
    return parts[0] if len(parts) == 1 else "(" + " || chr(0) || ".join(parts) + ")"


# A bool is an int and a datetime is a date, so those come first.
_LITERALS: dict[type, Callable[[Any], str]] = {
    bool: lambda value: "TRUE" if value else "FALSE",
    str: _text_sql,
    float: lambda value: f"CAST('{str(value).replace('inf', 'infinity')}' AS DOUBLE)",
    Decimal: _decimal_sql,
    datetime: _moment_sql,
    date: lambda value: f"DATE '{value.isoformat()}'",
    time: lambda value: f"TIME '{value.isoformat()}'",
}


def _case(rule_list: RuleList, answers: list[str], types: Mapping[str, Any]) -> str:
    *rules, default = answers
    if not rules:
        return default
    branches = [
        f"WHEN {_rule_sql(rule, types)} THEN {answer}"
        for rule, answer in zip(rule_list.rules, rules, strict=True)
    ]
    return " ".join(["CASE", *branches, f"ELSE {default} END"])


def _rule_sql(rule: Rule, types: Mapping[str, Any]) -> str:
    return " AND ".join(
        condition_sql(condition, types.get(condition.column)) for condition in rule.conditions
    )


def _holds_nan(type_: Any) -> bool:
    return str(type_) in {"halffloat", "float", "double"}


# NaN sorts above infinity, and nothing else does. Works for columns of every number type.
_INFINITY = "CAST('infinity' AS DOUBLE)"


def _question_sql(name: str, asked: Question, *, may_be_nan: bool) -> str:
    if asked.answer is Answer.NEVER:
        return "FALSE"
    if asked.answer is Answer.MISSING:
        return f"({name} IS NULL OR {name} > {_INFINITY})" if may_be_nan else f"{name} IS NULL"
    if asked.answer is Answer.PRESENT:
        return f"{name} <= {_INFINITY}" if may_be_nan else f"{name} IS NOT NULL"
    sign = "=" if asked.op == Operator.EQUAL else str(asked.op)
    compared = f"{name} {sign} {literal_sql(asked.value)}"
    if may_be_nan and asked.op == Operator.AT_LEAST:
        return f"({compared} AND {name} <= {_INFINITY})"
    return compared
