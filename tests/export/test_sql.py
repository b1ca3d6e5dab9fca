"""The SQL we write answers, in the engines that run it, what the Arrow masks answer."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, assume, example, given, settings

from samrule import Condition, RuleList
from samrule.export.sql import condition_sql, identifier_sql, rule_list_sql
from samrule.rules.meaning import column_type, condition_mask, deciding_rules
from tests.export.engines import (
    ROW,
    TABLE,
    Engine,
    in_duckdb,
    in_mariadb,
    in_postgres,
    in_spark,
    in_sqlite,
)
from tests.export.made_tables import hard_table, tables_and_lists

Made = tuple[pa.Table, list[Condition], RuleList]
QUIET = {"deadline": None, "suppress_health_check": list(HealthCheck)}


@pytest.mark.parametrize("engine", [in_duckdb, in_sqlite])
@settings(max_examples=150, **QUIET)
@example(made=hard_table())
@given(made=tables_and_lists())
def test_engines_in_this_process_answer_alike(engine: Callable[[], Engine], made: Made) -> None:
    check(engine(), made)


@settings(max_examples=150, **QUIET)
@example(made=hard_table())
@given(made=tables_and_lists())
def test_postgres_answers_alike(postgres: Any, made: Made) -> None:
    check(in_postgres(postgres), made)


@settings(max_examples=150, **QUIET)
@example(made=hard_table())
@given(made=tables_and_lists())
def test_mariadb_answers_alike(mariadb: Any, made: Made) -> None:
    check(in_mariadb(mariadb), made)


# Every query takes a moment there, so a failure is shown as it was found.
@settings(max_examples=5, phases=[Phase.explicit, Phase.reuse, Phase.generate], **QUIET)
@example(made=hard_table())
@given(made=tables_and_lists(columns=12))
def test_spark_answers_alike(made: Made) -> None:
    check(in_spark(), made, "things")


def check(engine: Engine, made: Made, table_name: Any = (TABLE,)) -> None:
    """Run every condition and the list itself, with types and, where that is exact, without."""
    table, conditions, rule_list = made
    table = engine.adapted(table)
    assume(table.num_columns > 1)
    types = dict(zip(table.schema.names, table.schema.types, strict=True))
    conditions = [one for one in conditions if one.column in types]
    plain = [one for one in conditions if is_of_the_columns_kind(one, types[one.column])]
    written = [condition_sql(one, types[one.column], engine.dialect) for one in conditions]
    written += [condition_sql(one, None, engine.dialect) for one in plain]
    source = rule_list_sql(rule_list, engine.dialect, table=table_name).rpartition("FROM ")[2]
    found = engine.columns(
        table,
        identifier_sql(ROW, engine.dialect),
        # Not IS TRUE: to SQLite that may be a column's name.
        [f"CASE WHEN {sql} THEN 1 ELSE 0 END" for sql in written],
        source,
    )
    for condition, sql, answers in zip([*conditions, *plain], written, found, strict=True):
        expected = condition_mask(condition, table[condition.column]).tolist()
        assert [bool(one) for one in answers] == expected, sql
    if not set(columns_of(rule_list)) <= set(types):
        return
    labels = [engine.answer(rule.prediction) for rule in rule_list]
    query = rule_list_sql(rule_list, engine.dialect, table=table_name, types=types)
    place = table.column_names.index(ROW)
    rows = sorted((row[place], row[-1]) for row in engine.rows(table, query))
    assert [one for _, one in rows] == [labels[i] for i in deciding_rules(rule_list, table)], query


def columns_of(rule_list: RuleList) -> list[str]:
    return [condition.column for rule in rule_list for condition in rule.conditions]


def is_of_the_columns_kind(condition: Condition, type_: pa.DataType) -> bool:
    """Whether SQL without types promises to be exact: see `condition_sql`."""
    value = condition.value
    if condition.type != column_type(type_):
        return False
    if value is None:
        return True
    if pa.types.is_integer(type_):
        return isinstance(value, int) or (isinstance(value, float) and abs(value) < 2**53)
    if pa.types.is_floating(type_):
        most = 2**24 if type_ == pa.float32() else 2**53
        return isinstance(value, float) or (isinstance(value, int) and abs(value) <= most)
    if pa.types.is_decimal(type_):
        digits = -value.as_tuple().exponent if isinstance(value, Decimal) else 0
        return isinstance(value, int | Decimal) and abs(value) < 10**9 and digits <= type_.scale
    return True
