"""Engines that run our SQL for real: each holds a table as its own and answers row by row."""

import math
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any

import duckdb
import pyarrow as pa
from hypothesis import assume

from samrule.export.sql import identifier_sql
from tests.spark import session, spark_frame

ROW = "the row of the table"
TABLE = 'the "table" of `things`; --'


@dataclass(frozen=True)
class Engine:
    """An engine.

    Parameters
    ----------
    dialect
        What it speaks.
    holds
        The Arrow type in which it holds a column of the given one; None if it cannot.
    rows
        Fills a table called TABLE and runs a query on it.
    answer
        What it gives back for a class.
    names
        Whether it can call a column so.
    cell
        The nearest value that a cell can hold; None is missing.
    """

    dialect: str
    holds: Callable[[pa.DataType], pa.DataType | None]
    rows: Callable[[pa.Table, str], list[tuple[Any, ...]]]
    answer: Callable[[Any], Any] = lambda label: label
    names: Callable[[str], bool] = lambda name: True
    cell: Callable[[Any], Any] | None = None

    def adapted(self, table: pa.Table) -> pa.Table:
        """The table as the engine can hold it: some columns in another type, some left out."""
        held = [(one.name, self.holds(one.type)) for one in table.schema if self.names(one.name)]
        columns = {name: table[name].cast(type_) for name, type_ in held if type_ is not None}
        if self.cell is not None:
            columns = {name: self._with_its_cells(column) for name, column in columns.items()}
        return pa.table({**columns, ROW: pa.array(range(table.num_rows), pa.int64())})

    def columns(self, table: pa.Table, quoted_row: str, expressions: Sequence[str], source: str):
        """What each expression gives, row by row."""
        wanted = ", ".join(f"{one} AS c{place}" for place, one in enumerate(expressions))
        found = sorted(self.rows(table, f"SELECT {quoted_row}, {wanted} FROM {source}"))
        return [[row[place + 1] for row in found] for place in range(len(expressions))]

    def _with_its_cells(self, column: pa.ChunkedArray) -> pa.ChunkedArray:
        cells = [None if one is None else self.cell(one) for one in column.to_pylist()]
        return pa.chunked_array([pa.array(cells, column.type)])


def in_duckdb() -> Engine:
    connection = duckdb.connect()

    def rows(table: pa.Table, query: str) -> list[tuple[Any, ...]]:
        connection.register(TABLE, table)
        # Through Arrow: moments with a zone would need one more package otherwise.
        found = connection.sql(query).to_arrow_table()
        return list(zip(*(column.to_pylist() for column in found.columns), strict=True))

    return Engine("duckdb", lambda type_: type_, rows)


def in_sqlite() -> Engine:
    """SQLite as docs/export.md wants it: truth values 1 and 0, dates as ISO text."""

    def holds(type_: pa.DataType) -> pa.DataType | None:
        return None if pa.types.is_decimal(type_) or type_ == pa.uint64() else type_

    def rows(table: pa.Table, query: str) -> list[tuple[Any, ...]]:
        connection = sqlite3.connect(":memory:")
        names = [_quoted(name) for name in table.column_names]
        kinds = [_sqlite_kind(type_) for type_ in table.schema.types]
        columns = ", ".join(f"{name} {kind}" for name, kind in zip(names, kinds, strict=True))
        connection.execute(f"CREATE TABLE {_quoted(TABLE)} ({columns})")
        cells = [[stored(cell) for cell in row.values()] for row in table.to_pylist()]
        marks = ", ".join("?" * len(names))
        connection.executemany(f"INSERT INTO {_quoted(TABLE)} VALUES ({marks})", cells)
        found = connection.execute(query).fetchall()
        connection.close()
        return found

    def stored(value: Any) -> Any:
        if isinstance(value, datetime):
            return value.isoformat(" ")
        return value.isoformat() if isinstance(value, date | time) else value

    return Engine("sqlite", holds, rows, answer=stored)


def in_postgres(connection: Any) -> Engine:
    from psycopg import sql

    name = sql.Identifier(TABLE)

    def rows(table: pa.Table, query: str) -> list[tuple[Any, ...]]:
        columns = sql.SQL(", ").join(
            sql.SQL("{} {}").format(sql.Identifier(field.name), sql.SQL(_postgres_type(field.type)))
            for field in table.schema
        )
        with connection.transaction(force_rollback=True), connection.cursor() as cursor:
            cursor.execute(sql.SQL("CREATE TEMP TABLE {} ({})").format(name, columns))
            with cursor.copy(sql.SQL("COPY {} FROM STDIN").format(name)) as copy:
                for row in table.to_pylist():
                    copy.write_row(list(row.values()))
            return cursor.execute(query, prepare=False).fetchall()

    def without_nul(value: Any) -> Any:
        return value.replace("\0", "") if isinstance(value, str) else value

    return Engine("postgres", lambda type_: type_, rows, cell=without_nul)


def in_mariadb(connection: Any) -> Engine:
    """MariaDB, for the dialect of MySQL: names are shorter and no blank ends them, no NaN."""
    from pymysql.constants import ER
    from pymysql.err import OperationalError

    name = identifier_sql(TABLE, "mysql")

    def holds(type_: pa.DataType) -> pa.DataType | None:
        # MySQL reads moments with a zone, MariaDB does not.
        return None if pa.types.is_timestamp(type_) and type_.tz else type_

    def rows(table: pa.Table, query: str) -> list[tuple[Any, ...]]:
        columns = ", ".join(
            f"{identifier_sql(one.name, 'mysql')} {_mysql_type(one.type)}" for one in table.schema
        )
        cursor = connection.cursor()
        cursor.execute(f"DROP TEMPORARY TABLE IF EXISTS {name}")
        try:
            cursor.execute(f"CREATE TEMPORARY TABLE {name} ({columns})")
        except OperationalError as error:
            # Accents do not tell names apart there.
            assume(error.args[0] != ER.DUP_FIELDNAME)
            raise
        marks = ", ".join(["%s"] * table.num_columns)
        for row in table.to_pylist():
            cursor.execute(f"INSERT INTO {name} VALUES ({marks})", list(row.values()))
        cursor.execute(query)
        return list(cursor.fetchall())

    def can_be_called(column: str) -> bool:
        return 0 < len(column) <= 64 and column.rstrip() == column and max(column) <= "\uffff"

    def finite(value: Any) -> Any:
        return value if not isinstance(value, float) or math.isfinite(value) else None

    return Engine("mysql", holds, rows, names=can_be_called, cell=finite)


def in_spark() -> Engine:
    def holds(type_: pa.DataType) -> pa.DataType | None:
        if type_ == pa.uint8():
            return pa.int16()
        if pa.types.is_timestamp(type_):
            return pa.timestamp("us", type_.tz)
        return None if type_ == pa.uint64() or pa.types.is_time(type_) else type_

    def rows(table: pa.Table, query: str) -> list[tuple[Any, ...]]:
        spark_frame(session(), [table]).createOrReplaceTempView("things")
        return [tuple(row) for row in session().sql(query).collect()]

    return Engine("spark", holds, rows)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _sqlite_kind(type_: pa.DataType) -> str:
    if pa.types.is_integer(type_) or pa.types.is_boolean(type_):
        return "INTEGER"
    return "REAL" if pa.types.is_floating(type_) else "TEXT"


def _postgres_type(type_: pa.DataType) -> str:
    if pa.types.is_decimal(type_):
        return f"numeric({type_.precision}, {type_.scale})"
    names = {
        **{pa.int8(): "smallint", pa.uint8(): "smallint", pa.int64(): "bigint"},
        **{pa.uint64(): "numeric(20)", pa.float32(): "real", pa.float64(): "double precision"},
        **{pa.bool_(): "boolean", pa.string(): "text", pa.date32(): "date"},
        **{pa.time64("us"): "time", pa.timestamp("us", "UTC"): "timestamptz"},
    }
    return names.get(type_, "timestamp")


def _mysql_type(type_: pa.DataType) -> str:
    if pa.types.is_decimal(type_):
        return f"decimal({type_.precision}, {type_.scale})"
    names = {
        **{pa.int8(): "tinyint", pa.uint8(): "tinyint unsigned", pa.int64(): "bigint"},
        **{pa.uint64(): "bigint unsigned", pa.float32(): "float", pa.float64(): "double"},
        **{pa.bool_(): "boolean", pa.string(): "longtext", pa.date32(): "date"},
        pa.time64("us"): "time(6)",
    }
    return names.get(type_, "datetime(6)")
