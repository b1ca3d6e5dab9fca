"""`DuckDBTable`: a relation, what is known about it, and what is done to it before it is read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from samrule.export.sql import identifier_sql, literal_sql, missing_sql
from samrule.rules import ColumnType
from samrule.rules.meaning import column_type
from samrule.sources.arrow_types import plain_type
from samrule.sources.base import BATCH_ROWS
from samrule.sources.duckdb.connect import connected
from samrule.sources.duckdb.errors import engine_errors
from samrule.sources.roles import check_names


@dataclass(frozen=True)
class DuckDBTable:
    """A DuckDB relation and what we know about it.

    Parameters
    ----------
    name
        What errors call it; never holds credentials.
    relation
        The rows.
    schema
        Arrow schema under the names the user gave the columns.
    connection
        What it was opened on; None for a relation of the user's.
    keeps_rows
        Whether every pass over it shows the same rows in the same order, as files and tables do.
    parquet
        Local Parquet files and their row counts, for draws by the files' own row numbers.
    row_groups
        How many row groups those have together: DuckDB reads each with one thread.
    find_fault
        Called when DuckDB fails: raises an error that says more than DuckDB's, if it can.
    notes
        What was decided on reading and people should know.
    kept_files
        Temporary files that must stay as long as rows are read.
    """

    name: str
    relation: Any
    schema: Any
    connection: Any = None
    keeps_rows: bool = False
    parquet: tuple[tuple[Path, int], ...] = ()
    row_groups: int = 0
    find_fault: Callable[[], None] | None = None
    notes: tuple[str, ...] = ()
    kept_files: Any = None


def table_of_sql(
    name: str,
    sql: str,
    names: Sequence[str] | None,
    find_fault: Callable[[], None] | None = None,
) -> DuckDBTable:
    """Open rows of files on a connection of our own.

    `names` replace those DuckDB gives the columns. The query must only read, filter and compute
    row by row: then the rows come in the order of the files every time.
    """
    with engine_errors(name, find_fault):
        connection = connected(":memory:")
        table = table_of_relation(name, connection.sql(sql), names, connection)
    return replace(table, keeps_rows=True, find_fault=find_fault)


def table_of_relation(
    name: str, relation: Any, names: Sequence[str] | None, connection: Any
) -> DuckDBTable:
    """Return a relation with its schema, after a look at its names."""
    # To DuckDB, names that differ in case alone are one; its own readers rename them.
    check_names(name, [column.casefold() for column in relation.columns])
    schema = relation.limit(0).to_arrow_table().schema
    if names is not None:
        schema = pa.schema([field.with_name(one) for field, one in zip(schema, names, strict=True)])
    return DuckDBTable(name, relation, schema, connection)


def with_rows_kept(table: DuckDBTable, columns: Sequence[str]) -> DuckDBTable:
    """Return chosen columns with the rows they have now, whatever the relation would show later.

    A group, a join or a sample may show other rows, or the same in another order, whenever it is
    run. So it is run once, into a table of our own; if it is large, DuckDB moves it to a file.
    """
    if table.keeps_rows:
        return table
    engine_names = dict(zip(table.schema.names, table.relation.columns, strict=True))
    wanted = ", ".join(identifier_sql(engine_names[name]) for name in columns)
    schema = pa.schema([table.schema.field(name) for name in columns])
    with engine_errors(table.name):
        connection = connected(":memory:")
        connection.execute(f"SET memory_limit = '{_KEPT_MEMORY}'")
        connection.execute(f"SET TimeZone = {literal_sql(_time_zone(schema))}")
        connection.register("given", table.relation.project(wanted).to_arrow_reader(BATCH_ROWS))
        connection.execute("CREATE TABLE kept AS FROM given")
        connection.unregister("given")
        kept = table_of_relation(table.name, connection.table("kept"), columns, connection)
    return replace(kept, keeps_rows=True)


# The rest is for the search.
_KEPT_MEMORY = "50%"


def _time_zone(schema: Any) -> str:
    """Return the zone that moments are shown in: all of a relation have that of its connection."""
    zones = (getattr(field.type, "tz", None) for field in schema)
    return next((zone for zone in zones if zone), "UTC")


def with_missing_values(table: DuckDBTable, missing_values: Sequence[str]) -> DuckDBTable:
    """Read the given texts as missing, in columns of text."""
    if not missing_values:
        return table
    texts = ", ".join(literal_sql(one) for one in missing_values)
    columns = []
    for engine_name, field in zip(table.relation.columns, table.schema, strict=True):
        name = identifier_sql(engine_name)
        is_text = column_type(field.type) is ColumnType.TEXT
        blanked = f"CASE WHEN {name} IN ({texts}) THEN NULL ELSE {name} END AS {name}"
        columns.append(blanked if is_text else name)
    return replace(table, relation=table.relation.project(", ".join(columns)), parquet=())


def without_missing(table: DuckDBTable, column: str) -> DuckDBTable:
    """Leave out the rows where a column is missing."""
    place = table.schema.names.index(column)
    name = identifier_sql(table.relation.columns[place])
    missing = missing_sql(name, plain_type(table.schema.field(column).type))
    return replace(table, relation=table.relation.filter(f"NOT ({missing})"), parquet=())
