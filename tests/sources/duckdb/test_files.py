"""Parquet files and databases, opened by DuckDB, and queries that it may run."""

from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from samrule import Condition, Rule, RuleList, evaluate, open_table
from samrule.errors import FileError
from tests.sources.opening import caught, written


def test_columns_that_differ_in_case_alone_stay_apart(tmp_path: Path) -> None:
    table = pa.table({"a": [1, 2], "A": [3.5, 4.5], "a_1": ["p", "q"], "y": ["u", "v"]})
    pq.write_table(table, tmp_path / "t.parquet")
    csv = written(tmp_path, "t.csv", "a,A,a_1,y\n1,3.5,p,u\n2,4.5,q,v\n")
    big = Rule((Condition("A", ">=", 4),), "v")
    rule_list = RuleList((big,), Rule((), "u"), ("u", "v"))
    for path in (tmp_path / "t.parquet", csv):
        source = open_table(path, "y")
        assert source.schema.names == ["a", "A", "a_1", "y"]
        draw = source.draw(4, random_state=0)
        assert draw.table.equals(table.take(pa.array(draw.rows)))
        assert evaluate(rule_list, source).error_rate == 0


def test_database_without_query_needs_a_single_table(tmp_path: Path) -> None:
    path = tmp_path / "t.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE a AS SELECT 1 AS x, 'p' AS y")
        connection.execute("CREATE TABLE b AS SELECT 2 AS x, 'q' AS y")
    assert "holds 2 tables ('a', 'b')" in caught(path, "y").message
    source = open_table(path, "y", query="FROM a UNION ALL FROM b ORDER BY x")
    assert source.n_rows == 2
    assert "could not be read" in caught(path, "y", query="SELECT nonsense").message


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("COPY a TO '{folder}/out.csv'", "COPY"),
        ("EXPORT DATABASE '{folder}/out'", "EXPORT"),
        ("INSTALL spatial", "LOAD"),
        ("FROM a; FROM a", "SELECT, SELECT"),
        ("FROM a; COPY a TO '{folder}/out.csv'", "SELECT, COPY"),
        ("CREATE TEMP TABLE b AS FROM a", "CREATE"),
        ("SET threads = 1", "SET"),
        ("ATTACH '{folder}/out.duckdb'", "ATTACH"),
        ("CALL enable_profiling(save_location='{folder}/out.json')", "CALL"),
        ("-- nothing", "no statement"),
        ("FROM query($$COPY a TO '{folder}/out.csv'$$)", None),
    ],
)
def test_a_query_that_is_not_one_select_is_refused(
    tmp_path: Path, query: str, found: str | None
) -> None:
    path = tmp_path / "d.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE a AS SELECT 1 AS x, 'u' AS y")
    before = path.read_bytes()
    error = caught(path, "y", query=query.format(folder=tmp_path))
    if found is not None:
        wanted = f"query holds {found}; expected one SELECT, whose rows are the table."
        assert error.message == wanted
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "query", ["FROM a;", "WITH b AS (FROM a) SELECT * FROM b", "VALUES (1, 'u')"]
)
def test_every_way_to_write_one_select_is_taken(tmp_path: Path, query: str) -> None:
    path = tmp_path / "d.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE a AS SELECT 1 AS x, 'u' AS y")
    assert open_table(path, query=query).n_rows == 1


def test_a_parquet_column_whose_name_is_no_text_is_told(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"abcd": [1, 2]}), path, store_schema=False)
    path.write_bytes(path.read_bytes().replace(b"abcd", b"ab\xb4d"))
    with pytest.raises(FileError, match=r"t\.parquet is a Parquet file cut short or damaged"):
        open_table(path)
