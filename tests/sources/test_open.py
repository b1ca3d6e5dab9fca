"""What `open_table` accepts, and how it turns the rest away: what happened, and a hint."""

import gzip
import math
import os
import re
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from samrule import Binarizer, Condition, Rule, RuleList, evaluate, learn, open_table
from samrule.errors import FileError, InputError, SamruleError
from samrule.sources.duckdb.errors import translated
from tests.sources.engines import mixed_table


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def caught(*arguments: object, **options: object) -> SamruleError:
    with pytest.raises(SamruleError) as error:
        list(open_table(*arguments, **options).scan())  # type: ignore[arg-type]
    assert error.value.hint
    assert error.value.message.endswith((".", ")", "]")) or ":" in error.value.message
    return error.value


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


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.parquet", b"a,b\n1,2\n", "t.parquet is not a Parquet file"),
        ("t.csv", b"PAR1....PAR1", "t.csv is a Parquet file"),
        ("t.csv", b"\x1f\x8b\x08\x00", r"t.csv is compressed \(.gz\)"),
        ("t.csv.gz", b"a,b\n1,2\n", "t.csv.gz is not compressed"),
        ("t.arrow", b"a,b\n1,2\n", "t.arrow is not an Arrow file"),
        ("t.jsonl", b'{"a": 1}\n{"a"', "t.jsonl could not be read"),
        ("t.json", b'[{"a": 1}, {"a": 2}]', "expected JSON lines"),
        ("t.parquet", b"", "t.parquet is not a Parquet file"),
        ("t.svm", b"1 1:2\nyes 1:2\n", "t.svm, line 2 is 'yes 1:2'"),
        ("t.svm", b"1 1:2:3 4\n", "t.svm, line 1 is"),
        ("t.csv", b"a,b\n1,\xff\n", "t.csv"),
        ("t.duckdb", b"nothing", "t.duckdb could not be read"),
        ("t.xlsx", b"PK\x03\x04", "t.xlsx cannot be read as a workbook"),
        ("t.xyz", b"PK\x03\x04", "t.xyz does not say what it is"),
    ],
)
def test_file_is_not_what_its_name_says(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    error = caught(written(tmp_path, name, content))
    assert re.search(message, error.message), error.message


def test_cut_short_files_are_told(tmp_path: Path) -> None:
    pq.write_table(mixed_table(), tmp_path / "whole.parquet")
    content = (tmp_path / "whole.parquet").read_bytes()
    error = caught(written(tmp_path, "t.parquet", content[: len(content) // 2]))
    assert "cut short" in error.message
    assert isinstance(error, OSError)
    with pa.ipc.new_file(tmp_path / "whole.arrow", mixed_table().schema) as writer:
        writer.write_table(mixed_table())
    content = (tmp_path / "whole.arrow").read_bytes()
    assert "cut short" in caught(written(tmp_path, "t.arrow", content[: len(content) // 2])).message
    content = gzip.compress(b"x,y\n" + b"1,a\n" * 20_000)
    assert "cannot be read" in caught(written(tmp_path, "t.csv.gz", content[:-20])).message


@pytest.mark.parametrize("n_before", [3, 30_000])
@pytest.mark.parametrize("line", ["7", "7,b,c"])
def test_ragged_rows_are_told_with_their_line(tmp_path: Path, n_before: int, line: str) -> None:
    content = "x,y\n" + "1,a\n" * n_before + line + "\n" + "2,b\n"
    error = caught(written(tmp_path, "t.csv", content))
    assert f"line {n_before + 2:,}" in error.message
    assert "header has 2" in error.message


def test_a_late_change_of_type_is_told_with_its_line(tmp_path: Path) -> None:
    content = "x,y\n" + "1,a\n" * 30_000 + "many,a\n"
    error = caught(written(tmp_path, "t.csv", content))
    assert "'many' in row 30,001 (line 30,002), column 'x'" in error.message


@pytest.mark.parametrize("late", ["1.5", "1e-3", "2E1", "nan", "inf", ".5"])
def test_whole_numbers_are_never_rounded(tmp_path: Path, late: str) -> None:
    """DuckDB guesses from the first 20,480 rows, and would then read 1.5 as 2."""
    path = written(tmp_path, "t.csv", "x,y\n" + "1,a\n" * 30_000 + f"{late},b\n")
    error = caught(path)
    assert f"'{late}' in row 30,001 (line 30,002), column 'x'" in error.message
    assert "whole numbers before" in error.message
    only_y = list(open_table(path).scan(["y"]))
    assert sum(batch.num_rows for batch in only_y) == 30_001


@pytest.mark.parametrize("late", ["1.5", '"foo"'])
def test_whole_numbers_in_json_are_never_rounded(tmp_path: Path, late: str) -> None:
    lines = '{"x": 1, "y": "a"}\n' * 30_000 + f'{{"x": {late}, "y": "a"}}\n'
    error = caught(written(tmp_path, "t.jsonl", lines))
    assert f"{late.strip(chr(34))!r} in column 'x', which held whole numbers" in error.message


@pytest.mark.parametrize("first", ["inf", "-inf", "+Infinity", "-INFINITY", "NaN", "nan", "iNf"])
@pytest.mark.parametrize("others", [("1", "2"), ("1.5", "-2e3"), ("NAN", "3")])
def test_infinities_and_nan_are_numbers(tmp_path: Path, first: str, others: tuple) -> None:
    values = [first, *others]
    for order in (values, values[::-1]):
        path = written(tmp_path, "t.csv", "x,y\n" + "".join(f"{one},a\n" for one in order))
        found = open_table(path).column("x").to_pylist()
        assert repr(found) == repr([float(one) for one in order])


@pytest.mark.parametrize("values", [("inf", "info"), ("nan", "Ann"), ("007", "nan"), ("inf", "+x")])
def test_text_that_looks_infinite_stays_text(tmp_path: Path, values: tuple) -> None:
    path = written(tmp_path, "t.csv", "x,y\n" + "".join(f"{one},a\n" for one in values))
    assert open_table(path).column("x").to_pylist() == list(values)


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


def test_csv_files_are_read_as_if_they_were_one(tmp_path: Path) -> None:
    """CSV has no types: what is whole in one file may be a fraction or text in the next."""
    for values, expected in [(("1", "1.5"), [1.0, 1.5]), (("1", "many"), ["1", "many"])]:
        paths = [
            written(tmp_path, f"{place}.csv", f"x,y\n{value},a\n")
            for place, value in enumerate(values)
        ]
        assert open_table(paths).column("x").to_pylist() == expected
    longer = [
        written(tmp_path, "1.csv", "x,y\n" + "1,a\n" * 30_000),
        written(tmp_path, "2.csv", "x,y\n" + "1,a\n" * 30_000 + "many,a\n"),
    ]
    assert "2.csv has 'many' in row 30,001 (line 30,002)" in caught(longer).message


def test_values_of_json_that_are_never_there_are_missing(tmp_path: Path) -> None:
    source = open_table(written(tmp_path, "t.jsonl", '{"x": null, "y": 1}\n' * 3))
    assert source.levels("x").n_missing == 3


def test_paths_that_are_not_there(tmp_path: Path) -> None:
    assert "does not exist" in caught(tmp_path / "no.csv").message
    assert "does not exist" in caught(str(tmp_path / "*.csv")).message
    assert "holds no table" in caught(tmp_path).message
    assert isinstance(caught(tmp_path), OSError)
    file = written(tmp_path, "t.csv", "x,y\n1,a\n")
    assert "does not exist" in caught(file / "u.csv").message
    (tmp_path / "folder.csv").mkdir()
    assert "holds no table" in caught(tmp_path / "folder.csv").message


def test_folder_without_permission(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o000)
    me = os.geteuid()
    if me == 0:
        os.seteuid(65534)  # Root may read everything; nobody may not.
    try:
        with pytest.raises(FileError, match=r"may not be read|permission|does not exist") as error:
            open_table(folder)
    finally:
        os.seteuid(me)
    assert error.value.hint


@pytest.mark.parametrize("given", ["?", [-1], [None], 3, None])
def test_missing_values_are_a_list_of_texts(given: object) -> None:
    with pytest.raises(TypeError, match="expected a list of texts"):
        open_table(mixed_table(), missing_values=given)  # type: ignore[arg-type]


def test_marks_of_missing_values_leave_numbers_in_csv_numbers(tmp_path: Path) -> None:
    path = written(tmp_path, "t.csv", "x,y\n1,?\n?,b\nn/a,b\n2,\n")
    assert open_table(path).schema.field("x").type == pa.int64()  # "?" and "n/a" are usual marks.
    source = open_table(path, missing_values=["?", "n/a"])
    assert source.column("x").to_pylist() == [1, None, None, 2]
    assert source.column("y").to_pylist() == [None, "b", "b", None]


@pytest.mark.parametrize("data", [3, None, [[1, 2]], {"a": 1}, object(), [], ["t.csv", 3]])
def test_what_is_no_table(data: object) -> None:
    with pytest.raises(TypeError):
        open_table(data)


def test_columns_of_mixed_kinds_are_told() -> None:
    table = np.array([[1, "a"], ["b", 2]], dtype=object)
    assert "column 'x0' mixes kinds" in caught(table).message
    import pandas as pd

    assert "column 'a' mixes kinds" in caught(pd.DataFrame({"a": [1, "b"], "c": 1})).message


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


def test_globs_folders_and_lists_are_the_same_table(tmp_path: Path) -> None:
    for number in range(3):
        pq.write_table(mixed_table(10, seed=number), tmp_path / f"{number}.parquet")
    paths = sorted(tmp_path.iterdir())
    draws = [
        open_table(data, "class").draw(50, random_state=0).table
        for data in (tmp_path, str(tmp_path / "*.parquet"), paths, [str(path) for path in paths])
    ]
    assert all(draw.equals(draws[0]) for draw in draws)


def test_names_with_stars_and_brackets_are_taken_literally(tmp_path: Path) -> None:
    for name in ("a[1]*.parquet", "it's.parquet"):
        pq.write_table(mixed_table(10), tmp_path / name)
        assert open_table(tmp_path / name, "class").draw(5, random_state=0).table.num_rows == 5
    path = written(tmp_path, "[x]'.csv", "x,y\n1,a\n")
    assert open_table(path, "y").n_rows == 1


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


def test_text_is_read_as_it_is_written(tmp_path: Path) -> None:
    """DuckDB would read t, f, yes and no as truth values, and huge whole numbers as doubles."""
    path = written(tmp_path, "t.csv", "a,b,c,d\nt,yes,36893488147419103233,007\nf,no,1,010\n")
    rows = open_table(path, "a").draw(1, random_state=0)
    found = pa.Table.from_batches(list(open_table(path, "a").scan()))
    assert found["a"].to_pylist() == ["t", "f"]
    assert found["b"].to_pylist() == ["yes", "no"]
    assert int(found["c"][0].as_py()) == 36893488147419103233
    assert found["d"].to_pylist() == ["007", "010"]
    assert len(rows) == 1


def test_delimiters_are_seen_in_the_header(tmp_path: Path) -> None:
    for delimiter in ",;|\t":
        path = written(
            tmp_path, "t.csv", f'"a, b"{delimiter}y\n1{delimiter}p;q\n'.replace(";q", "")
        )
        assert open_table(path).schema.names == ["a, b", "y"]


def test_database_without_query_needs_a_single_table(tmp_path: Path) -> None:
    path = tmp_path / "t.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE a AS SELECT 1 AS x, 'p' AS y")
        connection.execute("CREATE TABLE b AS SELECT 2 AS x, 'q' AS y")
    assert "holds 2 tables ('a', 'b')" in caught(path, "y").message
    source = open_table(path, "y", query="FROM a UNION ALL FROM b ORDER BY x")
    assert source.n_rows == 2
    assert "could not be read" in caught(path, "y", query="SELECT nonsense").message


def test_credentials_are_not_printed() -> None:
    error = caught("s3://user:secret@bucket/t.arrow?token=secret")
    assert "s3://bucket/t.arrow" in error.message
    assert "secret" not in str(error)
    said = 'IO Error: cannot open "https://user:secret@host/t.parquet?token=secret"'
    assert "secret" not in str(translated("t.parquet", said))


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
