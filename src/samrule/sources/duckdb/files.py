"""Parquet, databases, relations and remote files, opened by DuckDB: out of core."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from samrule.errors import FileError, Parameter, ParameterError, Words
from samrule.export.sql import identifier_sql, literal_sql
from samrule.sources.arrow_files import check_same_schema
from samrule.sources.base import Source
from samrule.sources.duckdb.connect import connected, parquet_sql
from samrule.sources.duckdb.errors import engine_errors
from samrule.sources.duckdb.source import duckdb_source
from samrule.sources.duckdb.table import DuckDBTable, table_of_relation, table_of_sql
from samrule.sources.options import TableOptions


def parquet_source(name: str, paths: Sequence[Path], options: TableOptions) -> Source:
    """Open local Parquet files; each must be whole and all must have one schema."""
    found = []
    row_groups = 0
    first = None
    for path in paths:
        try:
            metadata = pq.read_metadata(path)
            schema = metadata.schema.to_arrow_schema()
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            _raise_not_parquet(path, error)
        if first is None:
            first = schema
        check_same_schema(paths[0], first, path, schema)
        found.append((path, metadata.num_rows))
        row_groups += metadata.num_row_groups
    assert first is not None
    table = table_of_sql(name, f"FROM {parquet_sql(paths)}", first.names)
    return duckdb_source(replace(table, parquet=tuple(found), row_groups=row_groups), options)


def remote_parquet_source(name: str, address: str, options: TableOptions) -> Source:
    """Open Parquet files that only DuckDB can reach, in place: Parquet has its types inside."""
    sql = f"FROM read_parquet({literal_sql(address)}, hive_partitioning=false)"
    return duckdb_source(table_of_sql(name, sql, None), options)


def copied_here(name: str, address: str, folder: Path) -> list[Path]:
    """Copy files that only DuckDB can reach, one at a time, and return the copies.

    What is guessed about text, and read more than once, is then the same as for files from here.
    """
    with engine_errors(name):
        connection = connected(":memory:")
        found = connection.execute("SELECT filename FROM read_blob(?) ORDER BY 1", [address])
        copies = []
        for number, (one,) in enumerate(found.fetchall()):
            copy = folder / str(number) / Path(one.partition("?")[0]).name
            copy.parent.mkdir()
            content = connection.execute("SELECT content FROM read_blob(?)", [one]).fetchall()
            copy.write_bytes(content[0][0])
            copies.append(copy)
    if not copies:
        raise FileError(f"there is no file at {name}.", hint="check the address.")
    return copies


def database_source(name: str, paths: Sequence[Path], options: TableOptions) -> Source:
    """Open a database file: its one table, or a query on it."""
    return duckdb_source(_database_table(name, paths[0], options.query), options)


def _database_table(name: str, path: Path, query: str | None) -> DuckDBTable:
    """Return the table of a DuckDB database file, or a query on it.

    The file is opened read only, the query must be one SELECT, and no extension is installed for
    it. Beyond that it is trusted: it reads what its user may read.
    """
    with engine_errors(name):
        connection = connected(str(path))
        connection.execute("SET autoinstall_known_extensions = false")
        if query is not None:
            _check_one_select(connection, query)
        tables = [row[0] for row in connection.sql("SHOW TABLES").fetchall()]
        if query is None and len(tables) != 1:
            shown = ", ".join(repr(table) for table in tables[:8]) or "none"
            raise ParameterError(
                f"{name} holds {len(tables)} tables ({shown}); expected one, or a query.",
                hint=Words("pass ", Parameter("query", "SELECT * FROM ..."), "."),
            )
        relation = connection.sql(query if query else f"FROM {identifier_sql(tables[0])}")
        table = table_of_relation(name, relation, None, connection)
        # A view is a query by another name.
        views = connection.sql("SELECT view_name FROM duckdb_views() WHERE NOT internal")
        is_table = query is None and (tables[0],) not in views.fetchall()
        return replace(table, keeps_rows=is_table)


def _check_one_select(connection: Any, query: str) -> None:
    kinds = [statement.type.name for statement in connection.extract_statements(query)]
    if kinds != ["SELECT"]:
        found = ", ".join(kinds) if kinds else "no statement"
        raise ParameterError(
            f"query holds {found}; expected one SELECT, whose rows are the table.",
            hint="run other statements in DuckDB beforehand.",
        )


def relation_source(relation: Any, options: TableOptions) -> Source:
    """Open a relation of the user's own connection."""
    with engine_errors("the relation"):
        table = table_of_relation("the relation", relation, None, None)
    return duckdb_source(table, options)


def _raise_not_parquet(path: Path, error: Exception) -> None:
    with path.open("rb") as file:
        start = file.read(4)
    if start == b"PAR1":
        raise FileError(
            f"{path.name} is a Parquet file cut short or damaged: {error}",
            hint="write or copy it again.",
        ) from None
    raise FileError(
        f"{path.name} is not a Parquet file, although its name says so: it starts with {start!r}.",
        hint="give it the ending of what it is: .csv, .parquet, .arrow, .jsonl or .svm.",
    ) from None
