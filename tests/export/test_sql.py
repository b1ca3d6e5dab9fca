"""The SQL we write answers, in the engines that run it, what the Arrow masks answer."""

import functools
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, example, given, settings

from samrule import Condition, Rule, RuleList, learn
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
@settings(max_examples=100, **QUIET)
@example(made=hard_table())
@given(made=tables_and_lists())
def test_engines_in_this_process_answer_alike(engine: Callable[[], Engine], made: Made) -> None:
    check(engine(), made)


@settings(max_examples=100, **QUIET)
@example(made=hard_table())
@given(made=tables_and_lists())
def test_postgres_answers_alike(postgres: Any, made: Made) -> None:
    check(in_postgres(postgres), made)


@settings(max_examples=100, **QUIET)
@example(made=hard_table())
@given(made=tables_and_lists())
def test_mariadb_answers_alike(mariadb: Any, made: Made) -> None:
    check(in_mariadb(mariadb), made)


# Every query takes a moment there, so a failure is shown as it was found.
@settings(max_examples=3, phases=[Phase.explicit, Phase.reuse, Phase.generate], **QUIET)
@example(made=hard_table())
@given(made=tables_and_lists(columns=12))
def test_spark_answers_alike(made: Made) -> None:
    check(in_spark(), made, "things")


ENGINES = ["duckdb", "sqlite", "postgres", "mariadb", "spark"]


def engine_named(name: str, request: pytest.FixtureRequest) -> tuple[Engine, Any]:
    """Return the engine and what its table is called."""
    made = {
        "duckdb": in_duckdb,
        "sqlite": in_sqlite,
        "postgres": lambda: in_postgres(request.getfixturevalue("postgres")),
        "mariadb": lambda: in_mariadb(request.getfixturevalue("mariadb")),
        "spark": in_spark,
    }[name]()
    return made, "things" if name == "spark" else (TABLE,)


@pytest.mark.parametrize("engine", [*ENGINES[:-1], pytest.param("spark", marks=pytest.mark.slow)])
def test_ten_thousand_levels_are_told_apart(engine: str, request: pytest.FixtureRequest) -> None:
    levels = [f"level '{number}'" for number in range(10_000)]
    table = pa.table({"level": [*levels[:50], "LEVEL '1'", "level '1' ", "", None]})
    conditions = [Condition("level", op, levels[1::2]) for op in ("in", "not in")]
    rules = [Rule((one,), str(one.op)) for one in conditions]
    made = table, conditions, RuleList(tuple(rules), Rule((), "else"), ("in", "not in", "else"))
    found, name = engine_named(engine, request)
    check(found, made, name)


@pytest.mark.parametrize("engine", ENGINES)
def test_probabilities_and_rules_are_those_of_the_model(
    engine: str, request: pytest.FixtureRequest
) -> None:
    """Row by row, to the last digit: weighted by class, three classes, values missing."""
    made, name = engine_named(engine, request)
    table, fitted = learned()
    table = made.adapted(table)
    query = fitted.rule_list.to_sql(made.dialect, name, probabilities=True, rule=True)
    place = table.column_names.index(ROW)
    found = sorted((row[place], *row[table.num_columns :]) for row in made.rows(table, query))
    shares, decided = fitted.predict_proba(table), fitted.apply(table)
    assert len(set(decided.tolist())) == 4
    assert found == [
        (row, prediction, *shares[row], decided[row] + 1)
        for row, prediction in enumerate(fitted.predict(table).tolist())
    ]


@functools.cache
def learned() -> tuple[pa.Table, Any]:
    rng = np.random.default_rng(0)
    age = pa.array(rng.integers(0, 50, 200), mask=rng.random(200) < 0.1)
    city = pa.array(rng.choice(["a", "B", "L'Aquila"], 200), mask=rng.random(200) < 0.1)
    table = pa.table({"age": age, "city": city, "size": rng.random(200)})
    wanted = np.where(rng.random(200) < 0.2, 2, np.array(table["age"].fill_null(30)) >= 25)
    label = np.array(["no", "it's", "Maybe so"])[wanted]
    return table, learn(table, label, max_rules=3, max_terms=2, class_weight="balanced")


def check(engine: Engine, made: Made, table_name: Any = (TABLE,)) -> None:
    """Run every condition and the list itself, with types and, where that is exact, without."""
    table, conditions, rule_list = made
    table = engine.adapted(table)
    if table.num_columns == 1:
        return  # The engine has a type for none of the columns.
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
