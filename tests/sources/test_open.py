"""What `open_table` accepts, and how it turns the rest away: what happened, and a hint."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from tools.imports import IMPORTS

from samrule import Condition, Rule, RuleList, evaluate, open_table
from tests.sources.engines import mixed_table, write_csv
from tests.sources.opening import caught, written


def test_files_that_differ_are_told(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": [1], "y": ["a"]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"x": [1.5], "y": ["a"]}), tmp_path / "2.parquet")
    error = caught(tmp_path)
    assert "differ in column 'x': int64 in 1.parquet, double in 2.parquet" in error.message
    paths = [written(tmp_path, "1.csv", "x,y\n1,a\n"), written(tmp_path, "2.csv", "x,z\n1,a\n")]
    assert "differ in their columns" in caught(paths).message
    assert "2 kinds" in caught([tmp_path / "1.csv", tmp_path / "1.parquet"]).message
    paths = [
        written(tmp_path, "1.jsonl", '{"x": 1, "y": "a"}\n'),
        written(tmp_path, "2.jsonl", '{"x": "foo", "y": "a"}\n'),
    ]
    assert "mixes kinds of values in column 'x'" in caught(paths).message


@pytest.mark.parametrize("given", ["?", [-1], [None], 3, None])
def test_missing_values_are_a_list_of_texts(given: object) -> None:
    with pytest.raises(TypeError, match="expected a list of texts"):
        open_table(mixed_table(), missing_values=given)  # type: ignore[arg-type]


@pytest.mark.parametrize("data", [3, None, [[1, 2]], {"a": 1}, object(), [], ["t.csv", 3]])
def test_what_is_no_table(data: object) -> None:
    with pytest.raises(TypeError):
        open_table(data)


def test_columns_of_mixed_kinds_are_told() -> None:
    table = np.array([[1, "a"], ["b", 2]], dtype=object)
    assert "column 'x0' mixes kinds" in caught(table).message
    import pandas as pd

    assert "column 'a' mixes kinds" in caught(pd.DataFrame({"a": [1, "b"], "c": 1})).message


def test_columns_missing_at_evaluation_are_named(tmp_path: Path) -> None:
    rule_list = RuleList(
        (Rule((Condition("height", ">=", 3),), "no"),), Rule((), "yes"), ("no", "yes")
    )
    with pytest.raises(KeyError, match="no column 'height'"):
        evaluate(rule_list, mixed_table(), "class")


def test_levels_never_seen_are_simply_not_covered() -> None:
    rule_list = RuleList(
        (Rule((Condition("city", "==", "Atlantis"),), "no"),), Rule((), "yes"), ("no", "yes")
    )
    found = evaluate(rule_list, mixed_table(), "class")
    assert found.rules[0].coverage == 0
    assert found.rules[1].coverage == 1
    assert np.isnan(found.rules[0].accuracy)


def test_polars_and_pandas_categories_are_text() -> None:
    table = pl.DataFrame({"c": ["a", "b", None], "y": [1, 2, 3]}).with_columns(
        pl.col("c").cast(pl.Categorical)
    )
    assert open_table(table, "y").schema.field("c").type == pa.string()
    frame = table.to_pandas()
    assert open_table(frame, "y").levels("c").values == ("a", "b")


def test_no_module_that_opens_a_table_comes_back_to_open() -> None:
    """Opening is one straight road: `open_table` calls one function of one module."""
    coming_back = {one.importer for one in IMPORTS if one.imported == "samrule.sources.open"}
    assert {one for one in coming_back if one.startswith("samrule.sources.")} == set()


def test_duckdb_is_loaded_only_for_tables_that_it_reads(tmp_path: Path) -> None:
    pyarrow.feather.write_feather(mixed_table(), tmp_path / "t.feather")
    (tmp_path / "t.svm").write_text("1 1:0.5\n0 1:0.1\n")
    write_csv(mixed_table(), tmp_path / "t.csv")
    program = (
        "import sys, numpy\n"
        "from samrule import open_table\n"
        "open_table(numpy.eye(3), [0, 1, 1]).classes()\n"
        "open_table('t.feather', 'class').classes()\n"
        "open_table('t.svm').classes()\n"
        "print('duckdb' in sys.modules)\n"
        "open_table('t.csv', 'class')\n"
        "print('duckdb' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout == "False\nTrue\n"
