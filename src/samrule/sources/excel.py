"""Sheets of Excel and LibreOffice files, written as CSV and read as such."""

import csv
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from samrule.errors import FileError, MissingExtraError, ParameterError
from samrule.sources.base import Source
from samrule.sources.duckdb.source import duckdb_source
from samrule.sources.duckdb.text import csv_table
from samrule.sources.options import TableOptions
from samrule.sources.text_format import KeptFolder


def excel_source(name: str, paths: Sequence[Path], options: TableOptions) -> Source:
    """Open a sheet of a workbook, through a copy of it in CSV."""
    path, folder, notes = sheet_as_csv(paths[0], options.sheet)
    written = replace(options.text_format, delimiter=",", encoding=None)
    table = csv_table(name, [path], options.missing_values, written)
    return duckdb_source(replace(table, kept_files=folder, notes=(*notes, *table.notes)), options)


def sheet_as_csv(path: Path, sheet: str | None) -> tuple[Path, KeptFolder, tuple[str, ...]]:
    """Return a sheet as a CSV file, the folder that holds it, and notes.

    Parameters
    ----------
    path
        A file ending in .xlsx, .xlsm, .xlsb, .xls or .ods.
    sheet
        The sheet's name; the first if not given.
    """
    book = _book(path)
    names = book.sheet_names
    if sheet is not None and sheet not in names:
        raise ParameterError(
            f"{path.name} has no sheet {sheet!r}.",
            hint=f"its sheets are {', '.join(repr(one) for one in names)}.",
        )
    chosen = names[0] if sheet is None else sheet
    notes: tuple[str, ...] = ()
    if sheet is None and len(names) > 1:
        shown = ", ".join(repr(one) for one in names[1:6])
        notes = (f"{path.name}: sheet {chosen!r} is read, the first; the others are {shown}.",)
    folder = KeptFolder()
    # Under the same name, which errors tell.
    copy = folder.path / path.name
    with copy.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        for row in book.get_sheet_by_name(chosen).to_python():
            rows.writerow([_cell(value) for value in row])
    return copy, folder, notes


def _book(path: Path) -> Any:
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError:
        raise MissingExtraError(
            f"{path.name} is read with python-calamine, which is not installed.",
            hint="pip install 'samrule[excel]'; or save the sheet as CSV.",
        ) from None
    try:
        return CalamineWorkbook.from_path(path)
    except (CalamineError, OSError) as error:
        raise FileError(
            f"{path.name} cannot be read as a workbook: {error}",
            hint="open it in a spreadsheet program and save it again, without a password.",
        ) from None


def _cell(value: Any) -> str:
    """Return a cell as CSV writes it: whole numbers without .0, moments as ISO 8601 has them."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    if isinstance(value, datetime):
        return value.isoformat(" ")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return str(value.total_seconds())
    return str(value)
