"""CSV and JSON lines are read as they are written: nothing is rounded, nothing is lost."""

from pathlib import Path

import pyarrow as pa
import pytest

from samrule import open_table
from tests.sources.opening import caught, written


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


def test_marks_of_missing_values_leave_numbers_in_csv_numbers(tmp_path: Path) -> None:
    path = written(tmp_path, "t.csv", "x,y\n1,?\n?,b\nn/a,b\n2,\n")
    assert open_table(path).schema.field("x").type == pa.int64()  # "?" and "n/a" are usual marks.
    source = open_table(path, missing_values=["?", "n/a"])
    assert source.column("x").to_pylist() == [1, None, None, 2]
    assert source.column("y").to_pylist() == [None, "b", "b", None]


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
