"""Spark answers every condition as Arrow in memory and DuckDB do, row by row.

A Spark job costs as much as a thousand small examples, so many are asked in one.
"""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from samrule import Condition, Rule, RuleList, open_table
from samrule.export.sql import condition_sql
from samrule.rules.meaning import condition_mask, deciding_rules
from tests.export.made_tables import ANY_NAMES, NAMES, tables
from tests.export.test_agreement import in_duckdb
from tests.spark import session, spark_frame

N_ROWS = 8
# Unsigned numbers and moments in other units than microseconds do not exist there.
NOT_IN_SPARK = {pa.uint8(), pa.uint64(), pa.timestamp("s"), pa.timestamp("ns")}

Made = tuple[pa.Table, list[Condition]]


def examples(n_examples: int, names: Any = NAMES) -> list[Made]:
    """Tables and conditions as hypothesis makes them, without columns that Spark cannot hold."""
    found: list[Made] = []

    @settings(
        max_examples=n_examples,
        phases=[Phase.generate],
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(tables(names=names))
    def collect(made: Made) -> None:
        table, conditions = made
        held = [field.name for field in table.schema if field.type not in NOT_IN_SPARK]
        if held:
            kept = [one for one in conditions if one.column in held]
            found.append((table.select(held), kept))

    collect()
    return found


def side_by_side(made: list[Made]) -> Iterator[Made]:
    """Put tables with different names beside each other, filled up with missing values."""
    waiting = made
    while waiting:
        columns: dict[str, Any] = {}
        conditions: list[Condition] = []
        seen: set[str] = set()
        later = []
        for table, asked in waiting:
            names = {name.casefold() for name in table.column_names}
            if names & seen or len(columns) > 60:
                later.append((table, asked))
                continue
            seen |= names
            conditions += asked
            for name in table.column_names:
                cells = table[name].to_pylist()
                filled = cells + [None] * (N_ROWS - len(cells))
                columns[name] = pa.array(filled, table.schema.field(name).type)
        yield pa.table(columns), conditions
        waiting = later


@pytest.mark.slow
def test_every_condition_is_answered_alike() -> None:
    batches = list(side_by_side(examples(250)))
    n_asked = 0
    for table, conditions in batches:
        types = {field.name: field.type for field in table.schema}
        asked = [condition_sql(one, types[one.column], "spark") for one in conditions]
        frame = spark_frame(session(), [table])
        wanted = [f"({sql}) IS TRUE AS answer{place}" for place, sql in enumerate(asked)]
        found = frame.selectExpr(*wanted).toArrow()
        in_sql = in_duckdb(
            table, *(f"({condition_sql(one, types[one.column])}) IS TRUE" for one in conditions)
        )
        for place, condition in enumerate(conditions):
            expected = condition_mask(condition, table[condition.column]).tolist()
            assert found.column(place).to_pylist() == expected, asked[place]
            assert in_sql[place] == expected
            n_asked += 1
    assert n_asked > 500


def test_every_row_is_decided_alike() -> None:
    """The whole way: a source on a DataFrame, the row's number as its class."""
    row = "the row of the table"
    for table, conditions in list(side_by_side(examples(60, ANY_NAMES)))[:6]:
        numbered = table.append_column(row, pa.array(range(table.num_rows)))
        rules = [conditions[place : place + 2] for place in range(0, len(conditions), 2)]
        rule_list = RuleList(
            tuple(Rule(tuple(rule), place) for place, rule in enumerate(rules)),
            Rule((), len(rules)),
            tuple(range(len(rules) + 1)),
        )
        expected = {
            (rule, place) for place, rule in enumerate(deciding_rules(rule_list, table).tolist())
        }
        source = open_table(spark_frame(session(), [numbered]), row)
        assert set(source.tally(rule_list, row).n_rows) == expected
