"""The first lines of a CSV file: its delimiter, its columns, and whether a header names them."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa

from samrule.errors import FileError, Parameter, Words
from samrule.sources.text_format import TextFormat

_DELIMITERS = ",;\t|"
_LOOKED_AT = 100
_NUMBER = re.compile(r"\s*[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?\s*")


@dataclass(frozen=True)
class FirstLines:
    """What the first lines of a file tell about it.

    Parameters
    ----------
    delimiter
        What stands between two values.
    names
        The columns' names, empty where the header has none.
    values
        The first line.
    has_header
        Whether it names the columns.
    """

    delimiter: str
    names: tuple[str, ...]
    values: tuple[str, ...]
    has_header: bool


def first_lines(path: Path, written: TextFormat) -> FirstLines:
    """Look at the first lines of a file, unless the caller says how it is written."""
    delimiter = written.delimiter or _delimiter(path)
    with opened_text(path) as file:
        rows = list(islice(csv.reader(file, delimiter=delimiter), _LOOKED_AT))
    top = tuple(rows[0]) if rows else ()
    has_header = written.header
    if has_header is None:
        has_header = not _is_like_the_others(top, rows[1:])
    names = top if has_header else tuple(f"x{place}" for place in range(len(top)))
    return FirstLines(delimiter, names, top, has_header)


def _delimiter(path: Path) -> str:
    """Return the most frequent delimiter of the first line, or that of the file's name."""
    if path.name.lower().removesuffix(".gz").removesuffix(".zst").endswith((".tsv", ".tab")):
        return "\t"
    with opened_text(path) as file:
        line = file.readline()
        while line.count('"') % 2 and (more := file.readline()):
            line += more
    unquoted = re.sub(r'"[^"]*"', "", line)
    return max(_DELIMITERS, key=unquoted.count)


def _is_like_the_others(top: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first line holds values: numbers over numbers, and no name over numbers."""
    over_numbers = [
        value
        for place, value in enumerate(top)
        if (column := [row[place] for row in rows if len(row) > place and row[place].strip()])
        and all(_NUMBER.fullmatch(one) for one in column)
    ]
    if not over_numbers or not all(_NUMBER.fullmatch(one) for one in over_numbers):
        return False
    return not _are_names([float(one.replace(",", ".")) for one in over_numbers])


def _are_names(numbers: Sequence[float]) -> bool:
    """Whether numbers may name columns: each is one more than the last, as years are."""
    steps = {after - before for before, after in pairwise(numbers)}
    return steps == {1.0}


@contextmanager
def opened_text(path: Path) -> Iterator[Any]:
    """Open a file of text in UTF-8, plain or compressed."""
    try:
        with pa.input_stream(str(path), compression="detect") as file:
            yield io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
    except UnicodeDecodeError:
        raise FileError(
            f"{path.name} is not text in UTF-8.",
            hint=Words(
                "name its encoding: ",
                Parameter("encoding", "cp1252"),
                " is what Windows writes in Western Europe, ",
                Parameter("encoding", "latin-1"),
                " reads any bytes.",
            ),
        ) from None
    except csv.Error as error:
        raise FileError(
            f"{path.name} cannot be read as CSV: {error}.", hint="is a quote left open?"
        ) from None
    except (OSError, pa.ArrowInvalid) as error:
        raise FileError(f"{path.name} cannot be read: {error}", hint="copy it again.") from None
