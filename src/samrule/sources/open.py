"""`open_table`: looks at what people have, and calls the one module that opens it.

Each kind of table has one function that takes the data and `TableOptions`, and returns a `Source`.
"""

import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from samrule.errors import (
    InputError,
    InputTypeError,
    Parameter,
    ParameterError,
    ParameterTypeError,
    Words,
)
from samrule.sources.arrow_files import arrow_source
from samrule.sources.base import Source
from samrule.sources.kinds import check_readable, kind_of
from samrule.sources.memory import memory_source
from samrule.sources.options import TableOptions
from samrule.sources.paths import is_remote, local_files, without_credentials
from samrule.sources.spark.frame import frame_source
from samrule.sources.spark.session import is_spark_frame
from samrule.sources.svmlight import svmlight_source
from samrule.sources.text_format import DecimalMark, TextFormat, ValueType

# Kinds of files that are opened one at a time, and what to call them.
_SINGLE = {"database": "database", "excel": "Excel"}


def open_table(
    data: Any,
    target: Any = None,
    *,
    query: str | None = None,
    include: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    weights: Any = None,
    missing_target: Literal["error", "drop"] = "error",
    missing_values: Sequence[str] = (),
    delimiter: str | None = None,
    decimal: DecimalMark | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    types: Mapping[str, ValueType] | None = None,
    sheet: str | None = None,
) -> Source:
    """Return a source that draws, scans and counts the rows of any table.

    Parameters
    ----------
    data
        A numpy array, a scipy sparse matrix, any dataframe narwhals knows (pandas, polars,
        pyarrow, modin), anything with the Arrow PyCapsule interface, a DuckDB relation, a Spark
        DataFrame (pyspark 4, classic or Connect); or a path, a list of paths, a glob or a folder
        of CSV or TSV (plain, .gz or .zst), Parquet, Arrow or Feather, JSON lines, SVMlight; or a
        DuckDB database file; or an Excel or LibreOffice file (``pip install 'samrule[excel]'``).
        Addresses such as ``s3://`` and ``https://`` are read by DuckDB: Parquet in place, other
        files through a copy in a temporary folder.
    target
        The column to predict; for tables in memory also an array. SVMlight's is ``label``.
    query
        For a database file, which is opened read only: one SELECT whose rows are the table; any
        other statement is refused. It is run once, as relations are, and the columns in use are
        copied. If it groups or joins, end it with ORDER BY, or the same seed may draw other rows
        when it is opened again.
    include, exclude
        Columns that conditions may be made of; all others, those left out.
    weights
        A column of row weights; for tables in memory also an array.
    missing_target
        Whether rows without a class are an error or left out; row numbers then count those kept.
    missing_values
        Texts that mean a value is missing, such as ``["", "?"]``, in every column of text. In CSV
        columns of numbers may hold them too, and empty fields are always missing, as are the usual
        marks (``NA``, ``?``, ``-`` and so on) in columns where all else is a number.
    delimiter, decimal, encoding, header
        How CSV is written: what stands between two values, what before a fraction, the letters'
        code (UTF-8 if not given), whether the first line names the columns. What is not given is
        found out by looking; `Source.notes` tells what was not as usual.
    types
        What columns of CSV hold, ``{"zip": "text"}``: number, text, date, datetime or time. By
        default a column whose every value is a number, as people write them too (``$1,234.56``,
        ``12.3%``, ``1234,56``), holds numbers. A percentage is the number before the sign.
    sheet
        The sheet of an Excel file; the first if not given.

    Examples
    --------
    >>> import numpy as np
    >>> source = open_table(np.eye(3), ["a", "b", "b"])
    >>> source.n_rows, source.features, source.target
    (3, ('x0', 'x1', 'x2'), 'target')
    >>> print(source.draw(100, random_state=1))
    100 of 3 rows, drawn uniformly, with replacement, random_state=1
    """
    if isinstance(data, Source):
        raise ParameterTypeError(
            f"the table is a source already: {data!r}.", hint="use it as it is."
        )
    options = TableOptions(
        target=target,
        query=query,
        include=include,
        exclude=exclude,
        weights=weights,
        missing_target=missing_target,
        missing_values=missing_values,
        text_format=TextFormat(delimiter, decimal, encoding, header, types),
        sheet=sheet,
    )
    paths = _paths(data)
    if paths is not None:
        return _from_paths(paths, options)
    if query is not None:
        raise ParameterError(
            Words(
                Parameter("query"),
                f" is given with {type(data).__name__}; only database files are queried here.",
            ),
            hint="run it first, and open the result.",
        )
    if type(data).__name__ == "DuckDBPyRelation":
        from samrule.sources.duckdb.files import relation_source

        return relation_source(data, options)
    if is_spark_frame(data):
        return frame_source(data, options)
    return memory_source(data, options)


def _paths(data: Any) -> list[str] | None:
    """Return the paths and addresses given; None if the data is no such thing."""
    if isinstance(data, str | os.PathLike):
        return [os.fspath(data)]
    if isinstance(data, list | tuple) and data:
        if all(isinstance(one, str | os.PathLike) for one in data):
            return [os.fspath(one) for one in data]
        raise InputTypeError(
            f"the table is a {type(data).__name__} of {type(data[0]).__name__}; "
            "expected a table or a list of paths.",
            hint="make it a table first: numpy.array(rows) or pandas.DataFrame(rows).",
        )
    return None


def _from_paths(given: list[str], options: TableOptions) -> Source:
    if any(is_remote(one) for one in given):
        return _from_address(given, options)
    return _from_files([path for one in given for path in local_files(one)], options)


def _from_address(given: list[str], options: TableOptions) -> Source:
    """Open files of another machine: Parquet in place, others as a copy that lives as long."""
    from samrule.sources.duckdb.files import copied_here, remote_parquet_source

    name = without_credentials(given[0].partition("?")[0])
    if len(given) > 1:
        raise InputError(
            f"{name} is one of {len(given)} addresses; expected one, or a glob.",
            hint="write one address with a star, such as s3://bucket/*.parquet.",
        )
    kind = kind_of(Path(name))
    if kind == "database":
        raise InputError(
            f"{name} is a database; those are read from this machine only.",
            hint="copy it here first.",
        )
    if kind == "parquet":
        options.check_kind(name, kind)
        return remote_parquet_source(name, given[0], options)
    folder = tempfile.mkdtemp(prefix="samrule-")
    try:
        source = _from_files(copied_here(name, given[0], Path(folder)), options)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(source, shutil.rmtree, folder, ignore_errors=True)
    return source


def _from_files(paths: list[Path], options: TableOptions) -> Source:
    """Open files of this machine that are all of one kind."""
    kinds = {kind_of(path) for path in paths}
    if len(kinds) > 1:
        raise InputError(
            f"the files are of {len(kinds)} kinds ({', '.join(sorted(kinds))}); expected one.",
            hint="open one kind at a time.",
        )
    kind = kinds.pop()
    name = paths[0].name if len(paths) == 1 else f"{paths[0].name} and {len(paths) - 1:,} more"
    options.check_kind(name, kind)
    if kind in _SINGLE and len(paths) > 1:
        raise InputError(
            f"there are {len(paths)} {_SINGLE[kind]} files; expected one.",
            hint="open one at a time.",
        )
    for path in paths:
        check_readable(path, kind)
    if kind == "arrow":
        return arrow_source(name, paths, options)
    if kind == "svmlight":
        return svmlight_source(name, paths, options)
    return _opened_by_duckdb(kind)(name, paths, options)


def _opened_by_duckdb(kind: str) -> Callable[[str, list[Path], TableOptions], Source]:
    """Return who opens such files; whoever has none of them need not load it."""
    if kind in ("csv", "json"):
        from samrule.sources.duckdb.text import csv_source, json_source

        return csv_source if kind == "csv" else json_source
    if kind == "excel":
        from samrule.sources.excel import excel_source

        return excel_source
    from samrule.sources.duckdb.files import database_source, parquet_source

    return parquet_source if kind == "parquet" else database_source
