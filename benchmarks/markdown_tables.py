"""Markdown tables that fit a screen: what is too wide goes on in a further table."""

from collections.abc import Iterator, Sequence
from typing import Any

WIDTH = 100  # characters

Column = Sequence[str]


def markdown(rows: Sequence[Sequence[Any]]) -> str:
    """Return the rows, the first of them the header, as aligned tables.

    Columns that nobody filled are left out. Each table begins with the columns that tell rows
    apart.

    >>> print(markdown([["table", "loss", "time"], ["adult", 0.17, ""], ["bank", 0.09, ""]]))
    | table | loss |
    | ----- | ---- |
    | adult | 0.17 |
    | bank  | 0.09 |
    """
    columns = [[str(cell) for cell in column] for column in zip(*rows, strict=True)]
    n_keys = _n_keys(columns)
    keys, values = columns[:n_keys], [one for one in columns[n_keys:] if any(one[1:])]
    return "\n\n".join("\n".join(_lines(table)) for table in _narrow(keys, values))


def _n_keys(columns: Sequence[Column]) -> int:
    """Return how many columns tell the rows apart, from the left; one if none do."""
    for n in range(1, len(columns)):
        rows = list(zip(*columns[:n], strict=True))
        if len(set(rows)) == len(rows):
            return n
    return 1


def _narrow(keys: list[Column], values: Sequence[Column]) -> list[list[Column]]:
    tables = [list(keys)]
    for column in values:
        if len(tables[-1]) > len(keys) and _width([*tables[-1], column]) > WIDTH:
            tables.append(list(keys))
        tables[-1].append(column)
    return tables


def _width(columns: Sequence[Column]) -> int:
    return sum(max(map(len, column)) + 3 for column in columns) + 1


def _lines(columns: Sequence[Column]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in columns]
    header, *rows = zip(*columns, strict=True)
    for row in (header, ["-" * width for width in widths], *rows):
        padded = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield f"| {' | '.join(padded)} |"
