"""Numbers as people write them are numbers; whatever else a column holds leaves it text."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from samrule import open_table
from samrule.errors import ColumnError, FileError, InputError, ParameterError

WAYS: dict[str, Callable[[float], str]] = {
    "dollars": lambda x: f"{'-' if x < 0 else ''}${abs(x):,.2f}",
    "dollars before the sign": lambda x: f"${x:,.2f}",
    "euros": lambda x: f"{x:,.2f}".translate(str.maketrans(",.", ".,")) + " €",
    "francs": lambda x: f"CHF {x:,.2f}".replace(",", "'"),
    "percent": lambda x: f"{x:.2f}%",
    "percent with a gap": lambda x: f"{x:.2f} %",
    "decimal comma": lambda x: f"{x:.2f}".replace(".", ","),
    "narrow gaps": lambda x: f"{x:,.2f}".replace(",", "\u202f").replace(".", ","),
    "a true minus": lambda x: f"{x:.2f}".replace("-", "\u2212"),
    "exponents": lambda x: f"{x:.10e}",
    "plain": lambda x: f"{x:.2f}",
}
MARKS = ["?", "NA", "n/a", "-", "NULL", " na ", "#N/A", ""]


def csv_file(folder: Path, columns: dict[str, list[str]], **options: Any) -> Path:
    path = folder / "t.csv"
    with path.open("w", newline="", encoding=options.pop("encoding", "utf-8")) as file:
        rows = csv.writer(file, **options)
        rows.writerow(columns)
        rows.writerows(zip(*columns.values(), strict=True))
    return path


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    cents=st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=6),
    marks=st.lists(st.sampled_from(MARKS), min_size=1, max_size=4),
)
def test_a_number_comes_back_from_every_way_to_write_it(
    tmp_path: Path, cents: list[int], marks: list[str]
) -> None:
    numbers = [one / 100 for one in cents]
    columns = {name: [*map(way, numbers), *marks] for name, way in WAYS.items()}
    source = open_table(csv_file(tmp_path, columns))
    for name in WAYS:
        assert source.column(name).to_pylist() == [*numbers, *[None] * len(marks)], name


@pytest.mark.parametrize(
    "texts",
    [
        ["$1", "€2"],
        ["12%", "0.12", "NA"],
        ["1,234.5", "1.234,5"],
        ["12,34,567", "5"],
        ["007", "NA"],
        ["NA", "?"],
        ["1", "two", "NA"],
        ["AB 12", "CD 34"],
        ["1.2.3", "4"],
    ],
)
def test_what_is_no_number_or_not_of_one_kind_stays_text(tmp_path: Path, texts: list[str]) -> None:
    path = csv_file(tmp_path, {"x": texts, "y": ["a"] * len(texts)})
    source = open_table(path)
    assert source.column("x").to_pylist() == texts
    assert source.notes == ()


def test_one_text_far_down_leaves_the_column_text(tmp_path: Path) -> None:
    """DuckDB looks at the first 20,480 rows; what comes later counts as much."""
    texts = ["$1.50"] * 30_000 + ["free"]
    source = open_table(csv_file(tmp_path, {"x": texts, "y": ["a"] * len(texts)}))
    assert source.column("x").to_pylist() == texts


def test_a_comma_that_may_mean_both_follows_the_other_columns(tmp_path: Path) -> None:
    both, comma = ["1,234", "5,678"], ["0,5", "12,25"]
    alone = open_table(csv_file(tmp_path, {"x": both, "y": ["a", "b"]}))
    assert alone.column("x").to_pylist() == [1234, 5678]
    assert "with a comma between thousands" in alone.notes[0]
    beside = open_table(csv_file(tmp_path, {"x": both, "z": comma}))
    assert beside.column("x").to_pylist() == [1.234, 5.678]
    given = open_table(csv_file(tmp_path, {"x": both, "y": ["a", "b"]}), decimal=",")
    assert given.column("x").to_pylist() == [1.234, 5.678]


def test_a_decimal_comma_that_is_given_makes_points_thousands(tmp_path: Path) -> None:
    path = csv_file(tmp_path, {"x": ["1.234", "5.678"], "n": ["1", "2"]}, delimiter=";")
    assert open_table(path).column("x").to_pylist() == [1.234, 5.678]
    source = open_table(path, decimal=",")
    assert source.column("x").to_pylist() == [1234, 5678]
    assert source.column("n").to_pylist() == [1, 2]


def test_what_was_done_is_told(tmp_path: Path) -> None:
    path = csv_file(tmp_path, {"paid": ["$1,234.56", "NA", "?"], "y": ["a", "b", "c"]})
    assert open_table(path).notes == (
        "paid: read as numbers, such as '$1,234.56', '?', 'NA' as missing.",
    )


def test_types_that_are_given_are_those_read(tmp_path: Path) -> None:
    columns = {
        "zip": ["12345", "67890"], "paid": ["$1", "$2"], "n": ["1", "2"], "day": ["2020-01-02", ""],
    }  # fmt: skip
    path = csv_file(tmp_path, columns)
    source = open_table(path, types={"zip": "text", "paid": "text", "n": "number", "day": "text"})
    assert source.column("zip").to_pylist() == ["12345", "67890"]
    assert source.column("paid").to_pylist() == ["$1", "$2"]
    assert source.column("n").to_pylist() == [1, 2]
    assert source.column("day").to_pylist() == ["2020-01-02", None]
    with pytest.raises(ColumnError, match="no column 'zap'"):
        open_table(path, types={"zap": "text"})
    with pytest.raises(ParameterError, match="types has 'int' for 'zip'; expected number, text"):
        open_table(path, types={"zip": "int"})  # type: ignore[dict-item]
    with pytest.raises(InputError, match=r"calls 'day' of t\.csv a column of numbers.* '2020"):
        open_table(path, types={"day": "number"})


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16"])
def test_other_encodings_are_read_if_named(tmp_path: Path, encoding: str) -> None:
    path = csv_file(tmp_path, {"città": ["Forlì", "Padova"], "y": ["a", "b"]}, encoding=encoding)
    source = open_table(path, "y", encoding=encoding)
    assert source.features == ("città",)
    assert source.column("città").to_pylist() == ["Forlì", "Padova"]
    with pytest.raises(FileError, match="not text in UTF-8") as error:
        open_table(path)
    assert "encoding='cp1252'" in str(error.value.hint)


def test_letters_that_are_not_utf8_far_down_are_told_with_a_way_out(tmp_path: Path) -> None:
    cities = ["Padova"] * 30_000 + ["Forlì"]
    path = csv_file(tmp_path, {"city": cities, "n": ["1"] * len(cities)}, encoding="latin-1")
    with pytest.raises((FileError, InputError)) as error:
        list(open_table(path).scan())
    assert "encoding='cp1252'" in str(error.value.hint)
    assert open_table(path, encoding="latin-1").column("city")[-1].as_py() == "Forlì"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"encoding": "klingon"}, "encoding is 'klingon'"),
        ({"encoding": "rot13"}, "encoding is 'rot13'"),
        ({"encoding": "ascii"}, "t.csv is not text in ascii"),
        ({"delimiter": ",,"}, "delimiter is ',,'"),
        ({"decimal": ";"}, "decimal is ';'"),
        ({"sheet": "one"}, "only Excel files have sheets"),
    ],
)
def test_what_cannot_be_is_told(tmp_path: Path, options: dict[str, str], message: str) -> None:
    path = csv_file(tmp_path, {"città": ["1"], "y": ["a"]})
    with pytest.raises((ParameterError, FileError), match=message):
        open_table(path, **options)  # type: ignore[arg-type]
