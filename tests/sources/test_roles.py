"""Columns have roles, or an error that says why they cannot have them."""

from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from samrule import Binarizer, Condition, Rule, RuleList, evaluate, learn, open_table
from samrule.errors import InputError
from tests.sources.engines import mixed_table
from tests.sources.opening import caught, written


def test_missing_target_names_near_columns(tmp_path: Path) -> None:
    path = written(tmp_path, "t.csv", "Income,age\na,1\nb,2\n")
    error = caught(path, "income")
    assert isinstance(error, KeyError)
    assert "has no column 'income'" in error.message
    assert "'Income'" in str(error.hint)


def test_one_class_is_an_error(tmp_path: Path) -> None:
    path = written(tmp_path, "t.csv", "x,y\n1,a\n2,a\n")
    with pytest.raises(InputError, match="holds one class, 'a'"):
        open_table(path, "y").classes()


def test_no_rows_are_an_error(tmp_path: Path) -> None:
    source = open_table(written(tmp_path, "t.csv", "x,y\n"), "y")
    assert source.n_rows == 0
    with pytest.raises(InputError, match="no rows"):
        source.draw(3, random_state=0)
    with pytest.raises(InputError, match="no rows"):
        source.classes()
    assert "empty" in caught(written(tmp_path, "e.csv", "")).message


def test_no_usable_columns_are_an_error() -> None:
    assert "no usable columns" in caught(pa.table({"y": [1]}), "y").message
    assert "no usable columns" in caught(mixed_table(), "class", include=[]).message


def test_repeated_names_are_an_error(tmp_path: Path) -> None:
    table = pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])
    assert "more than one column named 'a'" in caught(table).message
    assert "more than one column named 'a'" in caught(table.to_pandas()).message
    path = written(tmp_path, "t.csv", "a,b,a\n1,2,3\n")
    assert "more than one column named 'a'" in caught(path).message
    for name in ("t.parquet", "u.parquet"):
        pq.write_table(table, tmp_path / name)
    assert (
        "t.parquet has more than one column named 'a'"
        in caught(str(tmp_path / "*.parquet")).message
    )
    with pa.ipc.new_file(tmp_path / "t.arrow", table.schema) as writer:
        writer.write_table(table)
    assert "more than one column named 'a'" in caught(tmp_path / "t.arrow").message
    json = written(tmp_path, "t.jsonl", '{"a": 1, "a": 2}\n')
    assert 'duplicate key "a"' in caught(json).message
    for query in ("SELECT 1 AS a, 2 AS a", 'SELECT 1 AS a, 2 AS "A"'):
        assert "more than one column named 'a'" in caught(duckdb.connect().sql(query)).message


def test_names_with_nul_are_an_error(tmp_path: Path) -> None:
    table = pa.table({"a\0b": [1, 2], "c": [3, 4]})
    pq.write_table(table, tmp_path / "t.parquet")
    csv = written(tmp_path, "t.csv", "a\0b,c\n1,2\n")
    json = written(tmp_path, "t.jsonl", '{"a\\u0000b": 1}\n')
    for data in (table, table.to_pandas(), tmp_path / "t.parquet", csv, json):
        assert r"column named 'a\x00b'; expected names without NUL" in caught(data).message
    with pytest.raises(ValueError, match="without NUL"):
        Condition("a\0b", ">=", 1)
    with pytest.raises(ValueError, match="without NUL"):
        Binarizer("quantile").fit(table)


@pytest.mark.parametrize("name", ["", " ", "\u3000"])
def test_names_of_blanks_are_names(name: str, tmp_path: Path) -> None:
    table = pa.table({name: [1, 2, 3, 4] * 10, "y": ["p", "p", "q", "q"] * 10})
    pq.write_table(table, tmp_path / "t.parquet")
    pyarrow.feather.write_feather(table, tmp_path / "t.arrow")
    for data in (table, table.to_pandas(), tmp_path / "t.parquet", tmp_path / "t.arrow"):
        fitted = learn(data, "y", strategy="exact")
        assert fitted.rule_list.rules[0].conditions[0].column == name
        assert repr(name) in str(fitted.rule_list)
        assert fitted.evaluate(data).error_rate == 0


def test_bad_weights_are_told_with_their_row() -> None:
    for bad in (-1.0, float("nan"), float("inf"), None):
        table = mixed_table(5).append_column("w", pa.array([1.0, 1.0, bad, 1.0, 1.0]))
        for data in (table, duckdb.connect().from_arrow(table)):
            source = open_table(data, "class", weights="w")
            with pytest.raises(InputError, match=r"weight column 'w' has .* expected finite"):
                source.draw(3, random_state=0)
            with pytest.raises(InputError, match=r"weight column 'w' has .* expected finite"):
                evaluate(RuleList((), Rule((), "no"), ("no", "yes")), source)
    table = mixed_table(5).append_column("w", pa.array([0] * 5))
    with pytest.raises(InputError, match="0 in all 5 rows"):
        open_table(table, "class", weights="w").draw(3, random_state=0)


def test_include_and_exclude_choose_columns() -> None:
    table = mixed_table(5)
    assert open_table(table, "class", include=["city", "age"]).features == ("age", "city")
    assert open_table(table, "class", exclude=["city"]).features == (
        "age",
        "capital gain",
        "signup",
    )
    assert "list of column names" in caught(table, include="age").message
    assert "no column 'agee'" in caught(table, exclude=["agee"]).message
