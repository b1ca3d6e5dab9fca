"""Tables that DuckDB reads: draws, levels and tallies, made by it.

Rows are numbered as they stand in a file. DuckDB keeps that order in what it hands over
(``preserve_insertion_order``), and Parquet carries row numbers of its own.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from samrule.errors import SamruleError
from samrule.export.sql import (
    condition_sql,
    deciding_rule_sql,
    identifier_sql,
    literal_sql,
    missing_sql,
)
from samrule.rules import ColumnType, Condition, RuleList
from samrule.rules.meaning import column_type
from samrule.sources.base import (
    BATCH_ROWS,
    Levels,
    Roles,
    Source,
    Tally,
    bad_weight,
    check_weight_type,
    plain_batch,
    plain_type,
    python_values,
    sorted_levels,
    with_columns_named,
)
from samrule.sources.duckdb.connect import Opened, engine_errors, parquet_sql

# With more, adding up each costs more than a hash table.
_FEW_CLASSES = 8


class DuckDBSource(Source):
    """Anything DuckDB reads, if it keeps its rows (`engine.with_rows_kept`)."""

    def __init__(self, opened: Opened, roles: Roles) -> None:
        assert opened.keeps_rows, "draws look rows up by number, in several passes"
        super().__init__(opened.name, opened.schema, roles)
        self._relation = opened.relation
        self._connection = opened.connection
        self._parquet = opened.parquet
        self._find_fault = opened.find_fault
        self._kept = opened.kept
        self.notes = opened.notes
        # DuckDB's names ignore case, so it renames one of "a" and "A"; places stay the same.
        self._engine_names = dict(zip(opened.schema.names, opened.relation.columns, strict=True))

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
        schema = pa.schema([self.schema.field(name) for name in columns])
        drawn = _drawn_rows(rows, [count for _, count in self._parquet])
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
        return pa.Table.from_batches(
            [plain_batch(batch, schema) for batch in found.to_batches()], schema
        )

    def levels(self, column: str) -> Levels:
        """Return the distinct values of a column and their counts, grouped by DuckDB."""
        self.check_values(column)
        name = self._sql_name(column)
        value = f"CASE WHEN {missing_sql(name, self._type(column))} THEN NULL ELSE {name} END"
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
        decided = deciding_rule_sql(
            with_columns_named(rule_list, self._engine_names),
            types={self._engine_names[name]: self._type(name) for name in self.schema.names},
        )
        found = None
        if 0 < rule_list.n_rules < 256 and len(rule_list.classes) <= _FEW_CLASSES:
            found = self._tally_of_known_classes(decided, rule_list.classes, target, weights)
        return found or self._tally_of_any_classes(decided, target, weights)

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

    def _tally_of_any_classes(self, decided: str, target: str, weights: str | None) -> Tally:
        name = self._sql_name(target)
        value = f"CASE WHEN {missing_sql(name, self._type(target))} THEN NULL ELSE {name} END"
        amount = "count(*)" if weights is None else f"sum({self._sql_name(weights)}::DOUBLE)"
        with self._errors():
            found = self._relation.aggregate(
                f"{decided} AS rule, {value} AS class, count(*) AS n, {amount} AS weight",
                f"{decided}, {value}" if decided.startswith("CASE") else value,
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

    def _type(self, column: str) -> Any:
        return self.schema.field(column).type


def with_missing_values(opened: Opened, missing_values: Sequence[str]) -> Opened:
    """Read the given texts as missing, in columns of text."""
    if not missing_values:
        return opened
    texts = ", ".join(literal_sql(one) for one in missing_values)
    columns = []
    for engine_name, field in zip(opened.relation.columns, opened.schema, strict=True):
        name = identifier_sql(engine_name)
        is_text = column_type(field.type) is ColumnType.TEXT
        blanked = f"CASE WHEN {name} IN ({texts}) THEN NULL ELSE {name} END AS {name}"
        columns.append(blanked if is_text else name)
    return replace(opened, relation=opened.relation.project(", ".join(columns)), parquet=())


def without_missing(opened: Opened, column: str) -> Opened:
    """Leave out the rows where a column is missing."""
    place = opened.schema.names.index(column)
    name = identifier_sql(opened.relation.columns[place])
    missing = missing_sql(name, plain_type(opened.schema.field(column).type))
    return replace(opened, relation=opened.relation.filter(f"NOT ({missing})"), parquet=())


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
