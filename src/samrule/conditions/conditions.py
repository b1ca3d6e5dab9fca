"""`Conditions`: the questions that rules may ask, and what they answer on any rows."""

from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from samrule.conditions.packed import packed_conditions
from samrule.conditions.pairs import column_count
from samrule.errors import InputTypeError, ParameterError
from samrule.rules import Condition, column_text
from samrule.rules.meaning import condition_mask
from samrule.solver.problem import PackedConditions
from samrule.sources.arrow_types import plain_type
from samrule.sources.draw import Draw
from samrule.sources.roles import check_known
from samrule.sources.to_arrow import arrow_table
from samrule.theory.conjunctions import Column, n_conjunctions_of_columns


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A column that no condition was made of, and why."""

    column: str
    reason: str

    def __str__(self) -> str:
        return f"{column_text(self.column)}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Conditions:
    """The questions a rule may ask, in order, and what they were made of.

    Parameters
    ----------
    by_column
        Conditions of each column used, in the order of the table; those on its hour, weekday or
        month by themselves.
    counts
        The same columns, as far as counting conjunctions needs to know.
    left_out
        Columns that no condition was made of, each with its reason.
    """

    by_column: tuple[tuple[Condition, ...], ...]
    counts: tuple[Column, ...]
    left_out: tuple[LeftOut, ...] = ()

    def __post_init__(self) -> None:
        expected = tuple(map(column_count, self.by_column))
        if self.counts != expected:
            raise ParameterError(
                f"counts are {self.counts!r}; the conditions by column make {expected!r}.",
                hint="let Binarizer.fit make the conditions.",
            )

    def __iter__(self) -> Iterator[Condition]:
        """Yield every condition, column by column."""
        return (condition for column in self.by_column for condition in column)

    def __len__(self) -> int:
        return sum(len(column) for column in self.by_column)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns that are asked about."""
        return tuple(dict.fromkeys(column[0].column for column in self.by_column))

    @property
    def columns_by_reason(self) -> dict[str, list[str]]:
        """The columns that were left out, those with the same reason together."""
        found: dict[str, list[str]] = {}
        for one in self.left_out:
            found.setdefault(one.reason, []).append(one.column)
        return found

    def without(self, some: Container[Condition], reason: str) -> "Conditions":
        """Return the other conditions; columns of which none is left are left out, and say why."""
        kept = [tuple(one for one in column if one not in some) for column in self.by_column]
        by_column = tuple(column for column in kept if column)
        used = {column[0].column for column in by_column}
        gone = [LeftOut(name, reason) for name in self.columns if name not in used]
        counts = tuple(map(column_count, by_column))
        return Conditions(by_column, counts, (*self.left_out, *gone))

    def n_conjunctions(self, max_terms: int = 1) -> int:
        """Return how many different conjunctions of at most `max_terms` conditions are possible.

        Guarantee
        ---------
        Counted from the conditions alone, never from rows (docs/theory/growth.md,
        "n_conjunctions_of_columns").
        """
        return n_conjunctions_of_columns(self.counts, max_terms=max_terms)

    def transform(self, rows: Any) -> NDArray[np.bool_]:
        """Return rows x conditions: whether each condition holds in each row.

        Parameters
        ----------
        rows
            A draw or a dataframe that has the columns; others may be there too.
        """
        table = self._table(rows)
        found = np.empty((table.num_rows, len(self)), dtype=np.bool_, order="F")
        for place, condition in enumerate(self):
            found[:, place] = condition_mask(condition, table[condition.column])
        return found

    def pack(self, rows: Any) -> PackedConditions:
        """Return the same as bitsets, which `solve` takes in place of an array.

        Parameters
        ----------
        rows
            A draw or a dataframe that has the columns; others may be there too.
        """
        return packed_conditions(self.by_column, self._table(rows))

    def _table(self, rows: Any) -> Any:
        table = arrow_rows(rows)
        names = table.column_names  # A new list each time.
        for name in self.columns:
            check_known(name, names, "the table")
        return table

    def __str__(self) -> str:
        lines = [f"{len(self)} conditions on {len(self.columns)} columns"]
        lines += [f"  {condition}" for condition in self]
        lines += [f"left out {one}" for one in self.left_out]
        return "\n".join(lines)


def arrow_rows(rows: Any) -> Any:
    """Return rows in memory as a pyarrow Table."""
    if isinstance(rows, Draw):
        return rows.table
    table = arrow_table(rows)
    if table is None:
        raise InputTypeError(
            f"the rows are {type(rows).__name__}; expected a draw or a table in memory, such as a "
            "dataframe.",
            hint="open_table(data).draw(10_000, random_state=0) draws rows of anything else.",
        )
    return table.cast(pa.schema([(field.name, plain_type(field.type)) for field in table.schema]))
