"""Tables that DuckDB reads: draws, levels and tallies, made by it.

Rows are numbered as they stand in a file. DuckDB keeps that order in what it hands over
(``preserve_insertion_order``), and Parquet carries row numbers of its own.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from samrule.cores import at_once, n_cores
from samrule.errors import SamruleError
from samrule.export.sql import condition_sql, identifier_sql
from samrule.rules import Condition, RuleList
from samrule.sources.arrow_types import plain_table, python_values
from samrule.sources.base import BATCH_ROWS, Source
from samrule.sources.counts import Levels, Tally, sorted_levels, split_tally
from samrule.sources.duckdb.connect import parquet_sql
from samrule.sources.duckdb.errors import engine_errors
from samrule.sources.duckdb.table import (
    DuckDBTable,
    with_missing_values,
    with_rows_kept,
    without_missing,
)
from samrule.sources.engine_sql import (
    decided_together_sql,
    deciding_rule_number_sql,
    present_sql,
)
from samrule.sources.options import TableOptions
from samrule.sources.roles import Roles
from samrule.sources.weights import bad_weight, check_weight_type

# With more, adding up each costs more than a hash table.
_FEW_CLASSES = 8


def duckdb_source(table: DuckDBTable, options: TableOptions) -> Source:
    """Return the rows and columns of a table that the options ask for."""
    roles = options.roles(table.name, table.schema.names)
    table = with_rows_kept(table, roles.used)
    table = with_missing_values(table, options.missing_values)
    if options.required is not None:
        table = without_missing(table, options.required)
    return DuckDBSource(table, roles)


class DuckDBSource(Source):
    """Anything DuckDB reads, if it keeps its rows (`table.with_rows_kept`)."""

    def __init__(self, table: DuckDBTable, roles: Roles) -> None:
        assert table.keeps_rows, "draws look rows up by number, in several passes"
        super().__init__(table.name, table.schema, roles)
        self._relation = table.relation
        self._connection = table.connection
        self._parquet = table.parquet
        self._row_groups = table.row_groups
        self._find_fault = table.find_fault
        self._kept_files = table.kept_files
        self.scans_beside = bool(table.parquet)
        self.notes = table.notes
        # DuckDB's names ignore case, so it renames one of "a" and "A"; places stay the same.
        self._engine_names = dict(zip(table.schema.names, table.relation.columns, strict=True))

    def _count_rows(self) -> int:
        if self._parquet:
            return sum(count for _, count in self._parquet)
        with self._errors():
            return int(self._relation.aggregate("count(*)").fetchall()[0][0])

    def _batches(self, columns: Sequence[str]) -> Iterator[Any]:
        with self._errors():
            relation = self._relation.project(", ".join(self._sql_name(name) for name in columns))
            yield from relation.to_arrow_reader(BATCH_ROWS)

    def _take(self, rows: NDArray[np.int64], columns: Sequence[str]) -> Any:
        if not self._parquet or {"file_index", "file_row_number"} & set(self._relation.columns):
            return super()._take(rows, columns)
        drawn = _drawn_rows(rows, [count for _, count in self._parquet])
        read = partial(self._read_rows, drawn)
        if len(columns) < 2 or self._row_groups != 1 or n_cores() < 2:
            return read(columns)
        # DuckDB reads a row group with one thread, which takes 1.5 times as long as two halves.
        half = len(columns) // 2
        left, right = at_once(partial(read, columns[:half]), partial(read, columns[half:]))
        with self._errors():
            whole = [*left.columns, *right.columns]
            return pa.Table.from_arrays(whole, schema=self._schema_of(columns))

    def _read_rows(self, drawn: Any, columns: Sequence[str]) -> Any:
        """Return the drawn rows in the order they were given in."""
        names = ", ".join(f"file.{self._sql_name(name)}" for name in columns)
        cursor = self._connection.cursor()
        with self._errors():
            cursor.register("drawn", drawn)
            found = cursor.sql(
                f"SELECT drawn.place, {names} "
                f"FROM {parquet_sql([path for path, _ in self._parquet])} AS file JOIN drawn "
                f"ON {_same_row(len(self._parquet))}"
            ).to_arrow_table()
        found = found.sort_by(found.column_names[0]).remove_column(0)
        return plain_table(found, self._schema_of(columns))

    def whole_table(self, most_rows: int) -> Any | None:
        """Return all rows as a pyarrow Table; None if there are more than `most_rows`.

        Text is not counted beforehand, which would be a pass of its own.
        """
        if self._parquet:
            return super().whole_table(most_rows)
        names = ", ".join(self._sql_name(name) for name in self.schema.names)
        with self._errors():
            found = self._relation.limit(most_rows + 1).project(names).to_arrow_table()
        if found.num_rows > most_rows:
            return None
        self.n_rows = found.num_rows
        return plain_table(found, self.schema)

    def levels(self, column: str) -> Levels:
        """Return the distinct values of a column and their counts, grouped by DuckDB."""
        self.check_values(column)
        value = self._present_sql(column)
        with self._errors():
            found = self._relation.aggregate(
                f"{value} AS value, count(*) AS n", value
            ).to_arrow_table()
        values = python_values(found["value"], column)
        counts = dict(zip(values, found["n"].to_pylist(), strict=True))
        n_missing = counts.pop(None, 0)
        return sorted_levels(counts, n_missing)

    def tally(self, rule_list: RuleList, target: str, weights: str | None = None) -> Tally:
        """Count rows and weight by deciding rule and class, in one scan made by DuckDB."""
        self._tally_columns(rule_list, target, weights)
        if weights is not None:
            self._check_weights(weights)
        decided = deciding_rule_number_sql(rule_list, self.schema, self._engine_names, "duckdb")
        return self._tally(decided, rule_list.n_rules + 1, rule_list.classes, target, weights)

    def tallies(self, rule_lists: Sequence[RuleList], target: str) -> tuple[Tally, ...]:
        """Count rows of several lists by deciding rule and class, in one scan made by DuckDB."""
        for rule_list in rule_lists:
            self._tally_columns(rule_list, target, None)
        decided = decided_together_sql(rule_lists, self.schema, self._engine_names, "duckdb")
        n_numbers = math.prod(rule_list.n_rules + 1 for rule_list in rule_lists)
        classes = rule_lists[0].classes
        return split_tally(self._tally(decided, n_numbers, classes, target, None), rule_lists)

    def _tally(
        self, decided: str, n_numbers: int, classes: Sequence[Any], target: str, weights: str | None
    ) -> Tally:
        """Count rows and weight by a number, from 0 on, and by class."""
        found = None
        if 1 < n_numbers <= 256 and len(classes) <= _FEW_CLASSES:
            found = self._tally_of_known_classes(decided, classes, target, weights)
        if found is None:
            # A single number is no column, and GROUP BY would take it for a place.
            groups = [decided] if n_numbers > 1 else []
            found = self._tally_of_any_classes(decided, groups, target, weights)
        return found

    def _tally_of_known_classes(
        self, decided: str, classes: Sequence[Any], target: str, weights: str | None
    ) -> Tally | None:
        """Return the tally if the rows have no other classes than these.

        Groups of one small number need no hash table, which makes this a third faster.
        """
        name, type_ = self._engine_names[target], self._type(target)
        try:
            is_class = [condition_sql(Condition(name, "==", one), type_) for one in classes]
        except SamruleError:
            return None  # Classes of another kind than the column.
        counts = [f"sum(CAST({one} AS INTEGER))" for one in is_class]
        if weights is not None:
            weight = f"{self._sql_name(weights)}::DOUBLE"
            counts += [f"sum(CASE WHEN {one} THEN {weight} END)" for one in is_class]
        rule = f"CAST({decided} AS UTINYINT)"
        with self._errors():
            found = self._relation.aggregate(
                ", ".join([f"{rule} AS rule", "count(*)", *counts]), rule
            ).fetchall()
        n_rows, weight_sums = {}, {}
        for number, n_decided, *sums in found:
            n_of_class, weight_of_class = sums[: len(classes)], sums[-len(classes) :]
            if sum(one or 0 for one in n_of_class) != n_decided:
                return None
            for label, n, w in zip(classes, n_of_class, weight_of_class, strict=True):
                if n:
                    n_rows[number, label] = int(n)
                    weight_sums[number, label] = w
        return Tally(n_rows=n_rows, weight=weight_sums)

    def _tally_of_any_classes(
        self, decided: str, groups: Sequence[str], target: str, weights: str | None
    ) -> Tally:
        value = self._present_sql(target)
        amount = "count(*)" if weights is None else f"sum({self._sql_name(weights)}::DOUBLE)"
        with self._errors():
            found = self._relation.aggregate(
                f"{decided} AS rule, {value} AS class, count(*) AS n, {amount} AS weight",
                ", ".join([*groups, value]),
            ).to_arrow_table()
        classes = python_values(found["class"], target)
        keys = list(zip(found["rule"].to_pylist(), classes, strict=True))
        return Tally(
            n_rows=dict(zip(keys, found["n"].to_pylist(), strict=True)),
            weight=dict(zip(keys, found["weight"].to_pylist(), strict=True)),
        )

    def _check_weights(self, weights: str) -> None:
        check_weight_type(self._type(weights), weights)
        name = self._sql_name(weights)
        with self._errors():
            bad = (
                self._relation.filter(
                    f"({name} >= 0 AND {name} < CAST('infinity' AS DOUBLE)) IS NOT TRUE"
                )
                .project(name)
                .limit(1)
                .fetchall()
            )
        if bad:
            raise bad_weight(weights, bad[0][0])

    def _errors(self) -> AbstractContextManager[None]:
        return engine_errors(self.name, self._find_fault)

    def _sql_name(self, column: str) -> str:
        return identifier_sql(self._engine_names[column])

    def _present_sql(self, column: str) -> str:
        """Return the column with NULL for every missing value."""
        return present_sql(self._sql_name(column), self._type(column), "duckdb")


def _drawn_rows(rows: NDArray[np.int64], counts: Sequence[int]) -> Any:
    """Return for each drawn row its file and its number there."""
    ends = np.cumsum(counts)
    files = np.searchsorted(ends, rows, side="right")
    return pa.table(
        {
            "place": np.arange(len(rows)),
            "file": files.astype(np.uint64),
            "row": rows - (ends - np.asarray(counts))[files],
        }
    )


def _same_row(n_files: int) -> str:
    """Return the join's condition; in a single file row numbers alone are a third faster."""
    rows = "file.file_row_number = drawn.row"
    return rows if n_files == 1 else f"{rows} AND file.file_index = drawn.file"
