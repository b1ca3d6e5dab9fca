"""Moments and hours of nanoseconds in Parquet, which DuckDB keeps in types of their own."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from samrule import Condition, Rule, RuleList, evaluate, learn, open_table

# Moments around the years 1960 and 2020, a few nanoseconds apart.
_AROUND = (datetime(1960, 5, 1, 12), datetime(2020, 5, 1, 12))
_OFFSETS = [-1001, -1000, -999, -501, -500, -499, -1, 0, 1, 499, 500, 501, 999, 1000, 1001]
NANOSECONDS = [
    int((moment - datetime(1970, 1, 1)).total_seconds()) * 10**9 + offset
    for moment in _AROUND
    for offset in _OFFSETS
]
TYPES = {
    "zone": pa.timestamp("ns", "UTC"),
    "other zone": pa.timestamp("ns", "Europe/Rome"),
    "no zone": pa.timestamp("ns"),
    "hour": pa.time64("ns"),
}


def table_of(type_: pa.DataType) -> pa.Table:
    numbers = np.array(NANOSECONDS)
    if pa.types.is_time(type_):
        numbers = numbers % (24 * 3600 * 10**9)
    return pa.table({"t": pa.array(numbers).cast(type_), "y": np.arange(len(numbers)) % 2})


def thresholds(type_: pa.DataType) -> list[Any]:
    steps = [timedelta(microseconds=step) for step in (-1, 0, 1)]
    moments = [moment + step for moment in _AROUND for step in steps]
    if pa.types.is_time(type_):
        return [moment.time() for moment in moments]
    return [moment.replace(tzinfo=UTC) if type_.tz else moment for moment in moments]


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("sign", ["<", ">="])
def test_files_sql_and_memory_agree_to_the_nanosecond(kind: str, sign: str, tmp_path: Path) -> None:
    table = table_of(TYPES[kind])
    path = tmp_path / "t.parquet"
    pq.write_table(table, path)
    for value in thresholds(TYPES[kind]):
        rules = RuleList((Rule((Condition("t", sign, value),), 1),), Rule((), 0), (0, 1))
        expected = evaluate(rules, table, "y")
        assert str(evaluate(rules, path, "y")) == str(expected)
        with duckdb.connect() as connection:
            sql = f"SELECT {rules.to_sql('duckdb')} FROM read_parquet('{path}')"
            predicted = connection.sql(sql).fetchall()
        assert sum(one for (one,) in predicted) == expected.rules[0].n_rows


@pytest.mark.parametrize("kind", TYPES)
def test_levels_are_read(kind: str, tmp_path: Path) -> None:
    table = table_of(TYPES[kind])
    pq.write_table(table, tmp_path / "t.parquet")
    source, expected = open_table(tmp_path / "t.parquet", "y"), open_table(table, "y")
    assert set(source.levels("t").values) == set(expected.levels("t").values)


def test_a_list_of_such_moments_is_learned_and_tested(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    seconds = rng.integers(0, 10**6, 20_000)
    moments = pa.array(seconds * 10**9 + 1).cast(pa.timestamp("ns", "UTC"))
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"t": moments, "y": seconds >= 300_000}), path)
    fitted = learn(path, "y", strategy="progressive", random_state=0)
    assert fitted.evaluate(path).error_rate < 0.01
