"""Tables that would show other rows, or the same in another order, whenever they are looked at.

Draws look rows up by number, in several passes; so all passes must see the same table.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom

from samrule import Condition, Rule, RuleList, evaluate, open_table
from samrule.sources.parts import held_out

FALSE_ALARM = 1e-9
N_KEYS = 400_000

# Events: y is 1 for 2 % of the keys, which weigh 50; the others weigh 1. So half of the weight, and
# a little more, has y = 1.
EVENTS = f"""
    CREATE TABLE events AS
    SELECT i AS key, hash(i) % 1000 AS x, CAST(hash(i) % 50 = 0 AS INTEGER) AS y,
      CASE WHEN hash(i) % 50 = 0 THEN 50 ELSE 1 END AS w
    FROM range({N_KEYS}) AS t(i)
"""
GROUPED = "SELECT key, max(x) AS x, max(y) AS y, sum(w) AS w FROM events GROUP BY key"
DISTINCT = "SELECT DISTINCT key, x, y, w FROM events"
JOINED = f"SELECT g.key, g.x, e.y, g.w FROM events AS e JOIN ({GROUPED}) AS g USING (key)"
SAMPLED = "SELECT key, x, y, w FROM events WHERE random() < 0.5"
SHUFFLED = "SELECT key, x, y, w FROM events ORDER BY random()"
NOISY = "SELECT key, random() AS x, y, w FROM events"
QUERIES = {
    "grouped": GROUPED,
    "distinct": DISTINCT,
    "joined": JOINED,
    "sampled": SAMPLED,
    "shuffled": SHUFFLED,
    "noisy": NOISY,
}


def relation(query: str, folder: Path) -> Any:
    connection = duckdb.connect()
    connection.execute(EVENTS)
    return {"data": connection.sql(query)}


def queried(query: str, folder: Path) -> Any:
    path = folder / "events.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(EVENTS)
    return {"data": path, "query": query}


def viewed(query: str, folder: Path) -> Any:
    """A database whose only table, in the schema that is looked at, is a view."""
    path = folder / "events.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE SCHEMA hidden")
        connection.execute(EVENTS.replace("TABLE events", "TABLE hidden.events"))
        connection.execute(f"CREATE VIEW shown AS {query.replace('events', 'hidden.events')}")
    return {"data": path}


WAYS = [relation, queried, viewed]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_all_passes_see_the_same_rows(
    query: str, way: Callable[[str, Path], Any], tmp_path: Path
) -> None:
    source = open_table(**way(query, tmp_path), target="y", weights="w")
    keys, x = (source.column(name).to_numpy() for name in ("key", "x"))
    assert len(keys) == source.n_rows
    draw = source.draw(2_000, random_state=0)
    assert (draw.table["key"].to_numpy() == keys[draw.rows]).all()
    assert (draw.table["x"].to_numpy() == x[draw.rows]).all()
    middle = float(np.median(x))
    rules = RuleList((Rule((Condition("x", ">=", middle),), 1),), Rule((), 0), (0, 1))
    assert evaluate(rules, source, weights=None).rules[0].n_rows == np.count_nonzero(x >= middle)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("query", list(QUERIES.values())[:3], ids=list(QUERIES)[:3])
def test_rows_are_drawn_in_proportion_to_their_weight(
    query: str, way: Callable[[str, Path], Any], tmp_path: Path
) -> None:
    """A right draw is outside these limits with probability 2e-9 (they are at 45 and 55 %)."""
    source = open_table(**way(query, tmp_path), target="y", weights="w")
    y, w = (source.column(name).to_numpy().astype(float) for name in ("y", "w"))
    share = (y * w).sum() / w.sum()
    n_drawn = 4_000
    n_ones = source.draw(n_drawn, random_state=1).table["y"].to_numpy().sum()
    low, high = (binom.ppf(p, n_drawn, share) for p in (FALSE_ALARM, 1 - FALSE_ALARM))
    assert low <= n_ones <= high


@pytest.mark.parametrize("query", [GROUPED, SAMPLED], ids=["grouped", "sampled"])
def test_rows_held_out_are_the_same_in_every_pass(query: str, tmp_path: Path) -> None:
    rest, test = held_out(open_table(**relation(query, tmp_path), target="y"), 0.2, random_state=0)
    own, others = (set(part.column("key").to_pylist()) for part in (test, rest))
    assert own.isdisjoint(others)
    assert set(test.draw(5_000, random_state=0).table["key"].to_pylist()) <= own
    assert set(rest.draw(5_000, random_state=0).table["key"].to_pylist()) <= others


def test_a_stream_that_can_be_read_once_is_enough() -> None:
    connection = duckdb.connect()
    table = pa.table({"x": np.arange(1000), "y": np.arange(1000) % 2})
    connection.register("stream", table.to_reader())
    source = open_table(connection.sql("FROM stream"), "y")
    assert source.n_rows == 1000
    assert source.column("x").to_pylist() == list(range(1000))
    assert source.classes().counts == (500, 500)


def test_what_happens_to_a_table_later_changes_nothing() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT i AS x, i % 2 AS y FROM range(1000) AS t(i)")
    source = open_table(connection.table("t"), "y")
    connection.execute("DELETE FROM t WHERE x % 3 = 0")
    assert source.n_rows == 1000
    assert source.column("x").to_pylist() == list(range(1000))


def test_the_users_connection_is_left_as_it_was() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT i AS x, i % 2 AS y FROM range(1000) AS t(i)")
    settings = "SELECT name, value FROM duckdb_settings() ORDER BY name"
    before = connection.sql(settings).fetchall(), connection.sql("SHOW TABLES").fetchall()
    open_table(connection.table("t"), "y").draw(10, random_state=0)
    assert (connection.sql(settings).fetchall(), connection.sql("SHOW TABLES").fetchall()) == before


@pytest.mark.parametrize("zone", ["Europe/Rome", "UTC", "America/New_York"])
def test_moments_keep_the_zone_they_are_shown_in(zone: str) -> None:
    connection = duckdb.connect()
    connection.execute(f"SET TimeZone = '{zone}'")
    given = connection.sql("SELECT TIMESTAMPTZ '2024-07-01 12:00:00' AS seen, 1 AS y")
    source = open_table(given, "y")
    assert source.schema.field("seen").type.tz == zone
    assert source.column("seen").to_pylist() == given.to_arrow_table()["seen"].to_pylist()


def test_rows_kept_leave_memory_when_it_runs_out(tmp_path: Path, monkeypatch: Any) -> None:
    """Kept in 32 MB, where the rows alone take 80; what was written is removed again."""
    monkeypatch.setattr("samrule.sources.duckdb.table._KEPT_MEMORY", "32MB")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    connection = duckdb.connect()
    rows = connection.sql("SELECT i AS x, hash(i) AS h, i % 2 AS y FROM range(5_000_000) AS t(i)")
    source = open_table(rows, "y")
    assert list(tmp_path.iterdir())
    draw = source.draw(1_000, random_state=0)
    assert (draw.table["x"].to_numpy() == draw.rows).all()
    del source
    assert not list(tmp_path.iterdir())
