"""DuckDB: connections that compare exactly, what is opened on them, its errors in our words."""

import re
import tempfile
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from samrule.errors import InputError, Parameter, SamruleError, Words
from samrule.export.sql import identifier_sql, literal_sql
from samrule.sources.base import BATCH_ROWS, check_names, without_credentials


@dataclass(frozen=True)
class Opened:
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
    find_fault
        Called when DuckDB fails: raises an error that says more than DuckDB's, if it can.
    notes
        What was decided on reading and people should know.
    kept
        Temporary files that must stay as long as rows are read.
    """

    name: str
    relation: Any
    schema: Any
    connection: Any = None
    keeps_rows: bool = False
    parquet: tuple[tuple[Path, int], ...] = ()
    find_fault: Callable[[], None] | None = None
    notes: tuple[str, ...] = ()
    kept: Any = None


def opened_sql(
    name: str,
    sql: str,
    names: Sequence[str] | None,
    find_fault: Callable[[], None] | None = None,
) -> Opened:
    """Open rows of files on a connection of our own.

    `names` replace those DuckDB gives the columns. The query must only read, filter and compute
    row by row: then the rows come in the order of the files every time.
    """
    with engine_errors(name, find_fault):
        connection = connected(":memory:")
        opened = described(name, connection.sql(sql), names, connection)
    return replace(opened, keeps_rows=True, find_fault=find_fault)


def with_rows_kept(opened: Opened, columns: Sequence[str]) -> Opened:
    """Return chosen columns with the rows they have now, whatever the relation would show later.

    A group, a join or a sample may show other rows, or the same in another order, whenever it is
    run. So it is run once, into a table of our own; if it is large, DuckDB moves it to a file.
    """
    if opened.keeps_rows:
        return opened
    engine_names = dict(zip(opened.schema.names, opened.relation.columns, strict=True))
    wanted = ", ".join(identifier_sql(engine_names[name]) for name in columns)
    schema = pa.schema([opened.schema.field(name) for name in columns])
    with engine_errors(opened.name):
        connection = connected(":memory:")
        connection.execute(f"SET memory_limit = '{_KEPT_MEMORY}'")
        connection.execute(f"SET TimeZone = {literal_sql(_time_zone(schema))}")
        connection.register("given", opened.relation.project(wanted).to_arrow_reader(BATCH_ROWS))
        connection.execute("CREATE TABLE kept AS FROM given")
        connection.unregister("given")
        kept = described(opened.name, connection.table("kept"), columns, connection)
    return replace(kept, keeps_rows=True)


# The rest is for the search.
_KEPT_MEMORY = "50%"


def _time_zone(schema: Any) -> str:
    """Return the zone that moments are shown in: all of a relation have that of its connection."""
    zones = (getattr(field.type, "tz", None) for field in schema)
    return next((zone for zone in zones if zone), "UTC")


def described(name: str, relation: Any, names: Sequence[str] | None, connection: Any) -> Opened:
    """Return a relation with its schema, after a look at its names."""
    # To DuckDB, names that differ in case alone are one; its own readers rename them.
    check_names(name, [column.casefold() for column in relation.columns])
    schema = relation.limit(0).to_arrow_table().schema
    if names is not None:
        schema = pa.schema([field.with_name(one) for field, one in zip(schema, names, strict=True)])
    return Opened(name, relation, schema, connection)


def connected(path: str) -> Any:
    """Return a connection that keeps rows in order and compares value by value."""
    connection = duckdb.connect(path, read_only=path != ":memory:")
    connection.execute("SET preserve_insertion_order = true")
    connection.execute("SET enable_progress_bar = false")
    # DuckDB makes this folder when memory runs out, and removes it at the end.
    folder = Path(tempfile.gettempdir()) / f"samrule-{uuid.uuid4().hex}"
    connection.execute(f"SET temp_directory = {literal_sql(str(folder))}")
    connection.execute(f"SET disabled_optimizers = '{_INEXACT}'")
    # Else every query reads the footer again: 30 ms for 100 row groups of 124 columns.
    connection.execute("SET parquet_metadata_cache = true")
    return connection


# DuckDB 2.0 decides comparisons, even isnan, by Parquet's statistics, which leave NaN out
# (its issue 25521).
_INEXACT = "statistics_propagation"


def parquet_sql(paths: Sequence[Path]) -> str:
    """Return the rows of Parquet files, whose folders mean nothing."""
    return f"read_parquet({list_sql(paths)}, hive_partitioning=false)"


def list_sql(paths: Sequence[Path]) -> str:
    """Return paths as a list that DuckDB takes literally."""
    return "[" + ", ".join(literal_sql(_no_glob(str(path))) for path in paths) + "]"


def key_sql(name: str) -> str:
    """Return a column's name as a key of a struct, which must be a text and no expression."""
    return "'" + name.replace("'", "''") + "'"


def _no_glob(path: str) -> str:
    """Return a path that DuckDB takes literally, whatever stars and brackets it holds."""
    return re.sub(r"([*?\[])", r"[\1]", path)


@contextmanager
def engine_errors(name: str, find_fault: Callable[[], None] | None = None) -> Iterator[None]:
    """Turn what DuckDB says into one of our errors: the first lines, without its settings."""
    try:
        yield
    except SamruleError:
        raise
    except (duckdb.Error, pa.ArrowException, OSError, RuntimeError) as error:
        # Arrow passes DuckDB's on. Ctrl-C during a query is one of three kinds, by its moment.
        if "interrupted" in str(error).lower():
            raise KeyboardInterrupt from None
        if type(error) is RuntimeError:
            raise
        if find_fault is not None:
            find_fault()
        raise translated(name, str(error)) from None


def translated(name: str, text: str) -> Exception:
    """Return what DuckDB said as an error of ours, without credentials."""
    text = without_credentials(text)
    line = re.search(r"CSV Error on Line: (\d+)", text)
    fields = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    if line and fields:
        return InputError(
            f"{name} has {fields[2]} values in line {int(line[1]):,}; its header has {fields[1]}.",
            hint="correct that line, or quote values that hold the delimiter.",
        )
    converting = re.search(r'column "(.*)"\. Could not convert string "(.*)" to \'(\w+)\'', text)
    if line and converting:
        column, value, kind = converting.groups()
        return InputError(
            f"{name} has {value!r} in line {int(line[1]):,}, column {column!r}, "
            f"which held {kind} before.",
            hint=Words(
                "correct the value; ",
                Parameter("types", {column: "text"}),
                " reads the column as text.",
            ),
        )
    for pattern in _LATE_VALUES:
        late = re.search(pattern, text)
        if late is None:
            continue
        value, column = late.group("value", "column")
        return InputError(
            f"{name} has {value!r} in column {column!r}, which held whole numbers before.",
            hint="correct the value, or write the earlier ones as 1.0.",
        )
    if "Schema mismatch" in text:
        return InputError(
            f"the files of {name} differ in their columns: {_first_lines(text, 4)}",
            hint="write them with one header, or leave one of them out.",
        )
    return InputError(
        f"{name} could not be read: {_first_lines(text, 2)}",
        hint="check that the file is what its name says, or that the query runs in DuckDB.",
    )


# What DuckDB says where whole numbers end: our own words, or its own.
_LATE_VALUES = (
    r"column '(?P<column>.*)' held whole numbers before, and then (?P<value>.*)",
    r"string '(?P<value>.*)' to INT\w+ .* column (?P<column>.*)",
)


def _first_lines(text: str, n_lines: int) -> str:
    return "; ".join(line.strip() for line in text.splitlines()[:n_lines] if line.strip())
