"""Arrow in memory, SQL in DuckDB and plain Python answer every condition alike, row by row."""

import math
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings

from samrule import Condition, Rule, RuleList, learn, open_table
from samrule.errors import InputError, ParameterError
from samrule.export.sql import condition_sql
from samrule.rules.meaning import condition_mask, deciding_rules
from tests.export.made_tables import ANY_NAMES, tables, tables_and_lists

CONNECTION = duckdb.connect()


def in_duckdb(table: pa.Table, *expressions: str) -> list[list[Any]]:
    """What each expression gives, row by row."""
    relation = CONNECTION.from_arrow(table)
    wanted = [f"{one} AS answer{place}" for place, one in enumerate(expressions)]
    found = relation.project(", ".join(wanted)).fetchall()
    return [[row[place] for row in found] for place in range(len(expressions))]


def in_python(condition: Condition, column: pa.ChunkedArray) -> list[bool]:
    values = np.empty(len(column), dtype=object)
    values[:] = column.to_pylist()
    return condition.holds(values).tolist()  # type: ignore[no-any-return]


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(tables())
def test_every_condition_is_answered_alike(made: tuple[pa.Table, list[Condition]]) -> None:
    table, conditions = made
    written = [condition_sql(one, table.schema.field(one.column).type) for one in conditions]
    found = in_duckdb(table, *(f"({sql}) IS TRUE" for sql in written))
    for condition, sql, answers in zip(conditions, written, found, strict=True):
        column = table[condition.column]
        expected = in_python(condition, column)
        assert condition_mask(condition, column).tolist() == expected
        assert answers == expected, sql


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(tables_and_lists(names=ANY_NAMES))
def test_every_row_is_decided_alike(
    tmp_path_factory: Any, made: tuple[pa.Table, list[Condition], RuleList]
) -> None:
    table, _, rule_list = made
    decided = deciding_rules(rule_list, table).tolist()
    answers = [list(rule_list)[number].prediction for number in decided]
    names: dict[str, Any] = {}
    exec(rule_list.to_python(), names)
    assert [names["predict"](row) for row in table.to_pylist()] == answers
    row = "the row of the table"
    numbered = table.append_column(row, pa.array(range(table.num_rows)))
    file = tmp_path_factory.getbasetemp() / "agreement.parquet"
    pq.write_table(numbered, file)
    relations = [CONNECTION.from_arrow(numbered), CONNECTION.read_parquet(str(file))]
    # DuckDB has no empty names and gives such columns others.
    for data in (numbered, file, *(relations if "" not in table.column_names else [])):
        tally = open_table(data, row).tally(rule_list, row)
        assert set(tally.n_rows) == {(rule, place) for place, rule in enumerate(decided)}
        assert set(tally.n_rows.values()) <= {1}


@pytest.mark.parametrize(
    ("type_", "condition", "expected"),
    [
        (pa.float64(), Condition("x", ">=", 0), [True, True, False, False]),
        (pa.float64(), Condition("x", "<", math.inf), [True, False, False, False]),
        (pa.float64(), Condition("x", "==", math.inf), [False, True, False, False]),
        (pa.float64(), Condition("x", "is missing", type="number"), [False, False, True, True]),
        (pa.float32(), Condition("x", ">=", 10**400), [False, True, False, False]),
        (pa.float64(), Condition("x", "<", -(10**400)), [False, False, False, False]),
    ],
)
def test_nan_compares_with_nothing_even_where_the_engine_sorts_it(
    type_: pa.DataType, condition: Condition, expected: list[bool]
) -> None:
    table = pa.table({"x": pa.array([1.5, math.inf, math.nan, None], type_)})
    assert condition_mask(condition, table["x"]).tolist() == expected
    assert in_duckdb(table, f"({condition_sql(condition, type_)}) IS TRUE") == [expected]
    if abs(condition.value or 0) <= math.inf and not isinstance(condition.value, int):
        assert in_duckdb(table, f"({condition_sql(condition)}) IS TRUE") == [expected]


def test_sql_without_types_guards_against_nan_too() -> None:
    table = pa.table({"x": [1.0, math.nan]})
    assert in_duckdb(table, condition_sql(Condition("x", ">=", 1))) == [[True, False]]


def test_conditions_of_another_kind_than_the_column_are_an_error() -> None:
    for condition, type_ in [
        (Condition("x", "==", "a"), pa.int64()),
        (Condition("x", ">=", 3), pa.string()),
        (Condition("x", ">=", date(2020, 1, 1)), pa.float64()),
        (Condition("x", ">=", time(1)), pa.date32()),
        (Condition("x", ">=", datetime(2020, 1, 1, tzinfo=UTC)), pa.timestamp("us")),
    ]:
        with pytest.raises(InputError, match="column 'x'"):
            condition_mask(condition, pa.array([], type_))


def test_bounds_beyond_the_type_hold_never_or_for_every_value() -> None:
    column = pa.chunked_array([pa.array([1, None], pa.uint8())])
    assert condition_mask(Condition("x", "<", 300), column).tolist() == [True, False]
    assert condition_mask(Condition("x", ">=", 300), column).tolist() == [False, False]
    assert condition_mask(Condition("x", ">=", -1), column).tolist() == [True, False]
    assert condition_mask(Condition("x", "==", Decimal("1.5")), column).tolist() == [False, False]


@pytest.mark.parametrize("as_query", [True, False])
def test_probabilities_and_rules_are_those_of_the_model(as_query: bool) -> None:
    rng = np.random.default_rng(0)
    table = pa.table({"x": rng.integers(0, 50, 2000), "city": rng.choice(["a", "b"], 2000)})
    label = np.minimum(np.array(table["x"]) // 20, rng.integers(0, 3, 2000))
    fitted = learn(table, label, max_rules=3, max_terms=2)
    shares, decided = fitted.predict_proba(table), fitted.apply(table)
    asked = {"probabilities": True, "rule": True}
    names: dict[str, Any] = {}
    exec(fitted.rule_list.to_python(**asked), names)
    relation = CONNECTION.from_arrow(table)
    if as_query:
        found = relation.query("t", fitted.rule_list.to_sql(table="t", **asked)).fetchall()
        found = [row[2:] for row in found]
    else:
        found = relation.project(fitted.rule_list.to_sql(**asked)).fetchall()
    predicted = fitted.predict(table).tolist()
    for row, values in enumerate(table.to_pylist()):
        expected = (predicted[row], *shares[row], decided[row] + 1)
        assert found[row] == expected
        assert names["predict"](values) == {
            "prediction": predicted[row],
            "probabilities": dict(zip(fitted.classes, shares[row], strict=True)),
            "rule": decided[row] + 1,
        }


def test_a_list_that_saw_no_rows_knows_no_probabilities() -> None:
    bare = RuleList((), Rule((), "no"), ("no", "yes"))
    for write in (bare.to_sql, bare.to_python):
        with pytest.raises(ParameterError, match="no class_counts"):
            write(probabilities=True)
    assert bare.to_sql(rule=True).endswith('1 AS "rule"')
