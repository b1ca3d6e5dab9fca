"""Columns that name a row and do not describe it: keys, row numbers, a dataframe's index.

A rule such as ``tx_id < 1000006440`` is right on the table at hand, and says nothing of rows to
come.
"""

import re
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from samrule.rules import ColumnType

# Values that hardly ever repeat name rows; numbers repeat less than text by themselves.
_DISTINCT_TEXTS, _DISTINCT_NUMBERS = 0.9, 0.99
_FEWEST_TEXTS, _FEWEST_NUMBERS = 20, 100
# Numbers this many times their range above zero are handed-out identifiers, not counts.
_FAR = 10
# pandas writes an index without a name under this one.
_INDEX = re.compile(r"__index_level_\d+__")
_KEY_NAME = re.compile(
    r"(?:^|[^a-z])(?:id|ids|key|uuid|guid|index|idx|row ?(?:id|no|nr|num|number)?)$"
    r"|[a-z](?:ID|Id|Key|Index)$|^Unnamed: ?\d+$",
)


@dataclass(frozen=True, slots=True)
class Values:
    """The present values of a column, and in which rows that were looked at.

    Parameters
    ----------
    name
        The column's.
    kind
        What it holds.
    distinct
        The different values, an Arrow array.
    places
        Which of them each row has.
    rows
        The number of each row in its table.
    """

    name: str
    kind: ColumnType
    distinct: pa.Array
    places: NDArray[np.int64]
    rows: NDArray[np.int64]


def identifier_reason(column: Values) -> str | None:
    """Return why a column looks like one that names rows; None if it does not."""
    if _INDEX.fullmatch(column.name):
        return "it is the index of a pandas table"
    if not _hardly_repeats(column):
        return None
    counts = f"{len(column.distinct):,} different values in {_n_rows(column):,} rows"
    if column.kind is ColumnType.TEXT:
        return f"it looks like an identifier: {counts}"
    _, first = np.unique(column.rows, return_index=True)
    numbers = _whole_numbers(column.distinct.take(pa.array(column.places[first])))
    if numbers is None:
        return None
    if (np.diff(numbers) > 0).all() or (np.diff(numbers) < 0).all():
        return "it looks like a row number: it rises or falls with every row"
    far = int(np.abs(numbers).min()) >= _FAR * (int(numbers.max()) - int(numbers.min()))
    named = _KEY_NAME.search(column.name) or _KEY_NAME.search(column.name.lower())
    return f"it looks like an identifier: {counts}" if far or named else None


def _hardly_repeats(column: Values) -> bool:
    """Whether there are enough different values, and nearly one per row."""
    is_text, n_distinct = column.kind is ColumnType.TEXT, len(column.distinct)
    if n_distinct < (_FEWEST_TEXTS if is_text else _FEWEST_NUMBERS):
        return False
    return n_distinct >= (_DISTINCT_TEXTS if is_text else _DISTINCT_NUMBERS) * _n_rows(column)


def _n_rows(column: Values) -> int:
    """Return how many rows were looked at, each counted once."""
    # np.unique takes ten times as long.
    return 1 + int(np.count_nonzero(np.diff(np.sort(column.rows))))


def _whole_numbers(values: pa.Array) -> NDArray[np.int64] | None:
    """Return whole numbers of 64 bits; None for all others. pandas makes 1.0 of 1 beside holes."""
    if pa.types.is_floating(values.type):
        numbers = values.to_numpy(zero_copy_only=False)
        whole = np.isfinite(numbers) & (np.abs(numbers) < 2**53) & (numbers == np.floor(numbers))
        if not whole.all():
            return None
        return np.asarray(numbers, dtype=np.int64)
    if not pa.types.is_integer(values.type):
        return None
    if pa.types.is_uint64(values.type) and pc.max(values).as_py() >= 2**63:
        return None
    return np.asarray(values.cast(pa.int64()).to_numpy(zero_copy_only=False), dtype=np.int64)
