"""DuckDB counts what Arrow counts."""

import math
import threading
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import samrule.sources.duckdb.source
from samrule import Condition, Rule, RuleList, open_table
from samrule.errors import InputError


@pytest.mark.parametrize("bound", [-5.0, 1.0, 1.5, 2.0, 5.0])
@pytest.mark.parametrize("op", [">=", "<", "=="])
def test_nan_is_missing_though_parquets_statistics_leave_it_out(op, bound, tmp_path) -> None:
    table = pa.table({"x": [1.0, 2.0, math.nan], "y": ["p", "q", "q"]})
    pq.write_table(table, tmp_path / "t.parquet")
    users_own = duckdb.connect()
    users_own.execute("SET disabled_optimizers = 'join_order'")
    for data in (tmp_path / "t.parquet", users_own.read_parquet(str(tmp_path / "t.parquet"))):
        source = open_table(data, "y")
        assert source.levels("x").n_missing == 1
        for asked in (Condition("x", op, bound), Condition("x", "is missing", type="number")):
            rule_list = RuleList((Rule((asked,), "p"),), Rule((), "q"), ("p", "q"))
            assert source.tally(rule_list, "y") == open_table(table, "y").tally(rule_list, "y")
    left = users_own.sql("SELECT current_setting('disabled_optimizers')").fetchall()
    assert left == [("join_order",)]


@pytest.mark.parametrize("weights", [None, "w"])
@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([1, 2, 1, 2], (1, 2)),
        ([1, 2, 1, 2], (1, 2, 3)),
        ([1, 2, 3, 2], (1, 2)),
        ([1, None, 1, 2], (1, 2)),
        ([1.0, math.nan, 1.0, 2.0], (1, 2)),
        ([1.0, 0.5, 1.0, 2.0], (1.0, 2.0)),
        ([True, False, True, True], (0, 1)),
        ([1, 2, 1, 2], ("1", "2")),
        (["a", "b", "A", "a"], ("a", "b")),
        (["a", "b", "a", "a"], ("b", "a")),
        (["a", "b", "c", "d"], tuple("abcdefghijk")),
    ],
)
def test_every_class_is_counted_whether_or_not_the_list_knows_it(labels, classes, weights) -> None:
    table = pa.table({"x": [1, 1, 2, 3], "w": [0.5, 1.5, 0.25, 2.0], "y": labels})
    rules = (
        Rule((Condition("x", "<", 2),), classes[0]),
        Rule((Condition("x", "<", 3),), classes[1]),
    )
    for n_rules in (0, 1, 2):
        rule_list = RuleList(rules[:n_rules], Rule((), classes[0]), classes)
        expected = open_table(table, "y").tally(rule_list, "y", weights)
        found = open_table(duckdb.connect().from_arrow(table), "y").tally(rule_list, "y", weights)
        assert dict(found.n_rows) == dict(expected.n_rows)
        assert found.weight == pytest.approx(expected.weight)


def test_columns_may_be_called_as_our_own_sums_are(tmp_path: Path) -> None:
    table = pa.table(
        {
            "n": [1, 1, 2, 2],
            "value": [1.0, math.nan, 2.0, 2.0],
            "rule": [5, 5, 6, 7],
            "class": ["a", "a", "b", "b"],
        }
    )
    pq.write_table(table, tmp_path / "t.parquet")
    file, memory = (open_table(one, "class") for one in (tmp_path / "t.parquet", table))
    nothing = RuleList((), Rule((), 0), (0,))
    for name in table.column_names:
        assert file.levels(name) == memory.levels(name)
        assert file.tally(nothing, name) == memory.tally(nothing, name)


@pytest.mark.parametrize("row_groups", [1, 4])
@pytest.mark.parametrize("cores", [1, 2])
def test_columns_of_one_row_group_are_drawn_on_two_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row_groups: int, cores: int
) -> None:
    n_rows = 4000
    table = pa.table({f"x{i}": np.arange(n_rows) * i for i in range(5)} | {"y": ["p", "q"] * 2000})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=n_rows // row_groups)
    threads = []
    register = duckdb.DuckDBPyConnection.cursor

    def seen(connection: Any) -> Any:
        threads.append(threading.current_thread())
        return register(connection)

    monkeypatch.setattr(duckdb.DuckDBPyConnection, "cursor", seen)
    monkeypatch.setattr(samrule.sources.duckdb.source, "n_cores", lambda: cores)
    draw = open_table(tmp_path / "t.parquet", "y").draw(3000, random_state=0)
    assert draw.table.equals(table.take(pa.array(draw.rows)))
    assert len(set(threads)) == (2 if row_groups == 1 and cores == 2 else 1)


def test_an_error_of_either_half_is_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"x": np.arange(3000), "y": ["p", "q", "r"] * 1000})
    path = tmp_path / "t.parquet"
    monkeypatch.setattr(samrule.sources.duckdb.source, "n_cores", lambda: 2)
    for kept in (["x"], ["y"]):
        pq.write_table(table, path)
        source = open_table(path, "y")
        pq.write_table(table.select(kept), path)
        with pytest.raises(InputError):
            source.draw(100, random_state=0)
