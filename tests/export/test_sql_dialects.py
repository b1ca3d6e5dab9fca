"""Every dialect's SQL parses as one SELECT about the list's columns, whatever their names hold."""

import math
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
import sqlglot
from hypothesis import HealthCheck, given, settings
from sqlglot import exp

from samrule import Condition, Rule, RuleList
from samrule.errors import ParameterError, ParameterTypeError
from samrule.export.sql import condition_sql, literal_sql
from samrule.export.sql_dialects import DIALECTS, dialect_named
from tests.export.made_tables import tables_and_lists

HOSTILE = "x'\"`]\\'; DROP TABLE people; -- <script> ${env:HOME} \u202e\n\\\n/*"


def listed(condition: Condition, prediction: Any = "yes", default: Any = "no") -> RuleList:
    rule = Rule((condition,), prediction)
    return RuleList((rule,), Rule((), default), tuple(dict.fromkeys((prediction, default))))


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(made=tables_and_lists())
def test_every_list_is_one_select_of_its_columns(dialect: str, made: Any) -> None:
    _, _, rule_list = made
    table = ("catalog", "the `schema`", 'the "table"]; --')
    (statement,) = sqlglot.parse(rule_list.to_sql(dialect, table), read=dialect)
    assert isinstance(statement, exp.Select)
    (source,) = statement.find_all(exp.Table)
    assert (source.catalog, source.db, source.name) == table
    # sqlglot takes `a.b` of BigQuery apart; no name there holds a dot.
    columns = {".".join(part.name for part in one.parts) for one in statement.find_all(exp.Column)}
    used = {one.column for rule in rule_list for one in rule.conditions}
    assert columns <= used | {""}
    assert not list(statement.find_all(exp.Command, exp.Drop))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_hostile_names_and_values_stay_within_their_quotes(dialect: str) -> None:
    rule_list = listed(Condition(HOSTILE, "==", HOSTILE), HOSTILE, "no")
    (statement,) = sqlglot.parse(rule_list.to_sql(dialect, (HOSTILE,)), read=dialect)
    assert isinstance(statement, exp.Select)
    if dialect not in {"spark", "bigquery"}:
        (source,) = statement.find_all(exp.Table)
        assert source.name == HOSTILE


@pytest.mark.parametrize("dialect", DIALECTS)
def test_empty_names_are_refused_where_sql_has_none(dialect: str) -> None:
    condition = Condition("", ">=", 1)
    if dialect == "sqlite":
        assert condition_sql(condition, pa.int64(), dialect) == "`` >= 1"
        return
    with pytest.raises(ParameterError, match="the name '' cannot be written"):
        condition_sql(condition, pa.int64(), dialect)


LITERALS: dict[str, list[str]] = {
    "duckdb": ["'a\\b'", "TRUE", "0.5e0", "DATE '2021-03-01'", "TIMESTAMP '2021-03-01 12:00:00'"],
    "postgres": [
        *("E'a\\\\b'", "TRUE", "float8 '0.5'", "DATE '2021-03-01'"),
        "TIMESTAMP '2021-03-01 12:00:00'",
    ],
    "spark": [
        *("'a\\\\b'", "TRUE", "0.5D", "DATE '2021-03-01'"),
        "TIMESTAMP_NTZ '2021-03-01 12:00:00'",
    ],
    "bigquery": [
        *("'a\\\\b'", "TRUE", "0.5e0", "DATE '2021-03-01'"),
        "DATETIME '2021-03-01 12:00:00'",
    ],
    "snowflake": [
        *("'a\\\\b'", "TRUE", "CAST('0.5' AS DOUBLE)", "DATE '2021-03-01'"),
        "CAST('2021-03-01 12:00:00' AS TIMESTAMP_NTZ)",
    ],
    "sqlite": ["'a\\b'", "1", "0.5", "'2021-03-01'", "'2021-03-01 12:00:00'"],
    "mysql": [
        *("_utf8mb4 X'615c62'", "TRUE", "0.5e0", "DATE '2021-03-01'"),
        "TIMESTAMP '2021-03-01 12:00:00'",
    ],
    "tsql": [
        *("N'a\\b'", "CAST(1 AS bit)", "0.5e0", "CAST('2021-03-01' AS date)"),
        "CAST('2021-03-01T12:00:00' AS datetime2(6))",
    ],
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_literals_are_those_of_the_engines_manual(dialect: str) -> None:
    values = ["a\\b", True, 0.5, date(2021, 3, 1), datetime(2021, 3, 1, 12)]
    assert [literal_sql(value, dialect) for value in values] == LITERALS[dialect]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "value",
    [0, -(2**63), 2**63, 0.1, 5e-324, 1e308, Decimal("-1.50"), time(1, 2, 3), "", "a\0b", "\\\n",
     datetime(2021, 3, 1, 12, 0, 0, 5, tzinfo=UTC), math.inf, -math.inf],
)  # fmt: skip
def test_every_value_parses_in_every_dialect(dialect: str, value: Any) -> None:
    ordered = not isinstance(value, str)
    asked = Condition("x", ">=" if ordered else "==", value), Condition("x", "not in", [value])
    for condition in asked:
        written = condition_sql(condition, None, dialect)
        (statement,) = sqlglot.parse(f"SELECT 1 FROM t WHERE {written}", read=dialect)
        assert isinstance(statement, exp.Select)


def test_texts_are_equal_only_character_by_character() -> None:
    condition = Condition("city", "==", "Roma")
    assert condition_sql(condition, None, "mysql") == (
        "CAST(CONVERT(`city` USING utf8mb4) AS BINARY) = 'Roma'"
    )
    assert condition_sql(condition, None, "sqlserver") == (
        "(CAST([city] AS nvarchar(max)) + N'.') COLLATE Latin1_General_BIN2 = N'Roma.'"
    )
    among = Condition("city", "not in", ["Roma", "Bari "])
    assert condition_sql(among, None, "sqlserver") == (
        "(CAST([city] AS nvarchar(max)) + N'.') COLLATE Latin1_General_BIN2"
        " NOT IN (N'Bari .', N'Roma.')"
    )


@pytest.mark.parametrize(
    ("op", "value", "expected"),
    [
        (">=", math.inf, "1 = 0"),
        ("<", math.inf, "[x] IS NOT NULL"),
        (">=", -math.inf, "[x] IS NOT NULL"),
        ("<", -math.inf, "1 = 0"),
        ("==", math.inf, "1 = 0"),
        (">=", 3, "[x] >= 3"),
    ],
)
def test_engines_without_infinity_are_not_asked_about_it(
    op: str, value: float, expected: str
) -> None:
    assert condition_sql(Condition("x", op, value), None, "tsql") == expected


def test_numbers_too_long_for_a_decimal_are_compared_as_floats_from_above() -> None:
    assert condition_sql(Condition("x", "<", 10**38 + 1), None, "tsql") == (
        "[x] < 1.0000000000000002e+38"
    )
    assert condition_sql(Condition("x", "==", 10**38 + 1), None, "tsql") == "1 = 0"


def test_text_an_engine_cannot_hold_equals_nothing_there() -> None:
    for text, dialect in (("a\0", "postgres"), ("\ud800", "duckdb")):
        assert condition_sql(Condition("x", "==", text), None, dialect) == "FALSE"
        with pytest.raises(ParameterError, match="can hold"):
            listed(Condition("x", ">=", 3), text).to_sql(dialect)


def test_names_that_sql_cannot_write_are_an_error() -> None:
    with pytest.raises(ParameterError, match="cannot be written"):
        listed(Condition("\udc00", ">=", 3)).to_sql()


def test_classes_of_several_kinds_or_of_no_kind_are_an_error() -> None:
    with pytest.raises(ParameterError, match="number, text"):
        listed(Condition("x", ">=", 3), "yes", 0).to_sql()
    with pytest.raises(ParameterTypeError, match="tuple"):
        RuleList((), Rule((), (1, 2)), ((1, 2),)).to_sql()
    with pytest.raises(ParameterError, match="inf"):
        listed(Condition("x", ">=", 3), math.inf, 0.0).to_sql("mysql")


def test_missing_needs_to_know_whether_the_column_holds_numbers() -> None:
    with pytest.raises(ParameterError, match="does not say"):
        listed(Condition("x", "is missing")).to_sql()
    assert "`x` IS NULL" in listed(Condition("x", "is missing")).to_sql("mysql")
    both = Rule((Condition("x", "is missing"),), "yes"), Rule((Condition("x", "<", 3),), "yes")
    assert '"x" IS NULL OR "x" >' in RuleList(both, Rule((), "no"), ("no", "yes")).to_sql()


def test_dialects_have_two_names_or_one_and_others_are_an_error() -> None:
    assert dialect_named("PostgreSQL") is dialect_named("postgres")
    assert dialect_named("sqlserver") is dialect_named("tsql")
    with pytest.raises(ParameterError, match="'oracle'"):
        listed(Condition("x", ">=", 3)).to_sql("oracle")


@pytest.mark.parametrize("table", ["", "a..b", (), ("a", 3)])
def test_tables_need_names(table: Any) -> None:
    with pytest.raises(ParameterError, match="table is"):
        listed(Condition("x", ">=", 3)).to_sql(table=table)
