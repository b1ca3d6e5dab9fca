"""Sheets of workbooks are tables as CSV files are."""

import builtins
from datetime import date, datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from samrule import learn, open_table
from samrule.errors import MissingExtraError, ParameterError


@pytest.fixture
def book(tmp_path: Path) -> Path:
    workbook = openpyxl.Workbook()
    first: Any = workbook.active
    first.title = "guests"
    first.append(["age", "paid", "day", "seen", "rate", "back"])
    for number in range(40):
        day = date(2024, 1, 1 + number % 28)
        seen = datetime(2024, 1, 1, 10, number)
        paid = "n/a" if number == 3 else f"${number:,.2f}"
        first.append([20 + number, paid, day, seen, number / 4, "yes" if number > 20 else "no"])
    workbook.create_sheet("notes").append(["nothing"])
    path = tmp_path / "book.xlsx"
    workbook.save(path)
    return path


def test_a_sheet_is_read_as_csv_is(book: Path) -> None:
    source = open_table(book, "back")
    assert source.n_rows == 40
    assert source.column("age").to_pylist() == list(range(20, 60))
    assert source.column("paid").to_pylist() == [0, 1, 2, None, *range(4, 40)]
    assert source.column("day")[0].as_py() == date(2024, 1, 1)
    assert source.column("seen")[1].as_py() == datetime(2024, 1, 1, 10, 1)
    assert source.column("rate")[1].as_py() == 0.25
    assert (
        source.notes[0] == "book.xlsx: sheet 'guests' is read, the first; the others are 'notes'."
    )
    assert learn(book, "back").rule_list.error_rate == 0


def test_a_sheet_can_be_named(book: Path) -> None:
    assert open_table(book, sheet="notes").features == ("nothing",)
    with pytest.raises(ParameterError, match="has no sheet 'note'") as error:
        open_table(book, sheet="note")
    assert error.value.hint == "its sheets are 'guests', 'notes'."


def test_without_the_reader_the_way_to_get_it_is_told(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    importing = builtins.__import__

    def without_calamine(name: str, *others: Any) -> Any:
        if name == "python_calamine":
            raise ImportError(name)
        return importing(name, *others)

    monkeypatch.setattr(builtins, "__import__", without_calamine)
    with pytest.raises(MissingExtraError, match=r"book.xlsx is read with python-calamine") as error:
        open_table(book)
    assert "pip install 'samrule[excel]'" in str(error.value.hint)
