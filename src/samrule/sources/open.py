"""`open_table`: takes what people have, and returns the source that reads it."""

import glob
import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote

from samrule.errors import (
    FileError,
    InputError,
    InputTypeError,
    Parameter,
    ParameterError,
    ParameterTypeError,
    Words,
)
from samrule.sources.base import Source, resolved_roles
from samrule.sources.duckdb.written_numbers import Decimal
from samrule.sources.spark.source import is_spark_frame, opened_frame
from samrule.sources.text_format import TextFormat, ValueType

# Endings and the kind of file they announce; .gz and .zst may follow those of text.
_KINDS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".xlsb": "excel",
    ".xls": "excel",
    ".ods": "excel",
    ".duckdb": "database",
    ".ddb": "database",
    ".db": "database",
}
_COMPRESSIONS = {".gz": b"\x1f\x8b", ".zst": b"\x28\xb5\x2f\xfd"}

# Addresses of this machine.
_FILE = "file://"

# First bytes that give a file away, where a file of text was announced.
_SIGNATURES = {
    b"PAR1": "a Parquet file",
    b"ARROW1": "an Arrow file",
    b"PK\x03\x04": "a zip archive or a workbook (.xlsx)",
    b"SQLite format 3": "an SQLite database",
    **{start: f"compressed ({ending})" for ending, start in _COMPRESSIONS.items()},
}


@dataclass(frozen=True)
class Request:
    """What the caller asked for beside the data."""

    target: Any
    query: str | None
    include: Sequence[str] | None
    exclude: Sequence[str] | None
    weights: Any
    drop: bool
    missing_values: tuple[str, ...]
    written: TextFormat
    sheet: str | None

    def roles(self, name: str, columns: Sequence[str]) -> Any:
        """Return the role of each column."""
        if self.drop and self.target is None:
            raise ParameterError(
                Words(Parameter("missing_target"), f" is 'drop' and {name} was given no target."),
                hint=Words(
                    "name the column whose missing values leave a row out: ",
                    Parameter("target", ...),
                ),
            )
        return resolved_roles(
            name,
            columns,
            target=self.target,
            include=self.include,
            exclude=self.exclude,
            weights=self.weights,
        )

    @property
    def dropped(self) -> str | None:
        """The column whose missing values leave a row out."""
        return self.target if self.drop else None


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
    decimal: Decimal | None = None,
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
    if missing_target not in ("error", "drop"):
        raise ParameterError(
            Words(
                Parameter("missing_target"), f" is {missing_target!r}; expected 'error' or 'drop'."
            ),
            hint="'drop' leaves rows without a class out.",
        )
    asked = Request(
        target=target,
        query=query,
        include=include,
        exclude=exclude,
        weights=weights,
        drop=missing_target == "drop",
        missing_values=_texts(missing_values),
        written=TextFormat(delimiter, decimal, encoding, header, types),
        sheet=sheet,
    )
    if isinstance(data, Source):
        raise ParameterTypeError(
            f"the table is a source already: {data!r}.", hint="use it as it is."
        )
    paths = _paths(data)
    if paths is not None:
        return _from_paths(paths, asked)
    if query is not None:
        raise ParameterError(
            Words(
                Parameter("query"),
                f" is given with {type(data).__name__}; only database files are queried here.",
            ),
            hint="run it first, and open the result.",
        )
    if type(data).__name__ == "DuckDBPyRelation":
        from samrule.sources.duckdb.files import opened_relation

        return _from_duckdb(opened_relation(data), asked)
    if is_spark_frame(data):
        opened = opened_frame(data, asked.missing_values)
        return opened.source(asked.roles(opened.name, opened.names), asked.dropped)
    return _from_memory(data, asked)


def _texts(missing_values: Any) -> tuple[str, ...]:
    is_list = isinstance(missing_values, Iterable) and not isinstance(missing_values, str)
    texts = tuple(missing_values) if is_list else (None,)
    if not all(isinstance(one, str) for one in texts):
        raise ParameterTypeError(
            Words(
                Parameter("missing_values"), f" is {missing_values!r}; expected a list of texts."
            ),
            hint=Words(
                "write ",
                Parameter("missing_values", ["", "?"]),
                "; null and NaN are always missing.",
            ),
        )
    return texts


def _paths(data: Any) -> list[str] | None:
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


def _from_paths(given: list[str], asked: Request) -> Source:
    if any(_is_remote(one) for one in given):
        return _from_remote(given, asked)
    paths = [path for one in given for path in local_files(one)]
    kinds = {_kind(path) for path in paths}
    if len(kinds) > 1:
        raise InputError(
            f"the files are of {len(kinds)} kinds ({', '.join(sorted(kinds))}); expected one.",
            hint="open one kind at a time.",
        )
    kind = kinds.pop()
    name = paths[0].name if len(paths) == 1 else f"{paths[0].name} and {len(paths) - 1:,} more"
    if asked.query is not None and kind != "database":
        raise ParameterError(
            Words(
                Parameter("query"), f" is given for {name}; only database files are queried here."
            ),
            hint=Words(
                "use ",
                Parameter("include"),
                " and ",
                Parameter("exclude"),
                ", or open a DuckDB relation.",
            ),
        )
    _check_asked(name, kind, asked)
    for path in paths:
        _check_readable(path, kind)
    return _from_files(name, kind, paths, asked)


def _from_files(name: str, kind: str, paths: list[Path], asked: Request) -> Source:
    if kind == "arrow":
        from samrule.sources.arrow_files import ArrowFileSource, arrow_schema

        schema = arrow_schema(paths)
        source: Source = ArrowFileSource(name, paths, schema, asked.roles(name, schema.names))
        return _cleaned(source, asked)
    if kind == "svmlight":
        return _from_svmlight(name, paths, asked)
    from samrule.sources.duckdb import files, text

    if kind == "database":
        if len(paths) > 1:
            raise InputError(
                f"there are {len(paths)} database files; expected one.", hint="open one at a time."
            )
        return _from_duckdb(files.opened_database(name, paths[0], asked.query), asked)
    if kind == "excel":
        return _from_excel(name, paths, asked)
    if kind == "csv":
        opened_csv = text.opened_csv(name, paths, asked.missing_values, asked.written)
        return _from_duckdb(opened_csv, asked)
    opened = {"parquet": files.opened_parquet, "json": text.opened_json}
    return _from_duckdb(opened[kind](name, paths), asked)


def _check_asked(name: str, kind: str, asked: Request) -> None:
    """Raise for options that a file of this kind has no use for."""
    if asked.written.given and kind not in {"csv", "excel"}:
        raise ParameterError(
            f"{', '.join(asked.written.given)} is given for {name}; only CSV has use for it.",
            hint="leave it out.",
        )
    if asked.sheet is not None and kind != "excel":
        raise ParameterError(
            Words(Parameter("sheet"), f" is given for {name}; only Excel files have sheets."),
            hint="leave it out.",
        )


def _from_excel(name: str, paths: list[Path], asked: Request) -> Source:
    from samrule.sources.duckdb.text import opened_csv
    from samrule.sources.excel import sheet_as_csv

    if len(paths) > 1:
        raise InputError(
            f"there are {len(paths)} Excel files; expected one.", hint="open one at a time."
        )
    path, folder, notes = sheet_as_csv(paths[0], asked.sheet)
    written = replace(asked.written, delimiter=",", encoding=None)
    opened = opened_csv(name, [path], asked.missing_values, written)
    return _from_duckdb(replace(opened, kept=folder, notes=(*notes, *opened.notes)), asked)


def _from_svmlight(name: str, paths: list[Path], asked: Request) -> Source:
    from samrule.sources.svmlight import LABEL, SvmlightSource, svmlight_shape

    shape = svmlight_shape(paths)
    if asked.target is None:
        asked = replace(asked, target=LABEL)
    roles = asked.roles(name, shape.schema.names)
    return _cleaned(SvmlightSource(name, paths, shape, roles), asked)


def _from_remote(given: list[str], asked: Request) -> Source:
    from samrule.sources.duckdb.files import copied_here, opened_remote_parquet

    shown = re.sub(r"://[^/@]*@", "://", given[0].partition("?")[0])
    if len(given) > 1:
        raise InputError(
            f"{shown} is one of {len(given)} addresses; expected one, or a glob.",
            hint="write one address with a star, such as s3://bucket/*.parquet.",
        )
    kind = _kind(Path(shown))
    if kind == "database":
        raise InputError(
            f"{shown} is a database; those are read from this machine only.",
            hint="copy it here first.",
        )
    if kind == "parquet":
        _check_asked(shown, kind, asked)
        return _from_duckdb(opened_remote_parquet(shown, given[0]), asked)
    folder = tempfile.mkdtemp(prefix="samrule-")
    try:
        source = _from_paths(copied_here(shown, given[0], Path(folder)), asked)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(source, shutil.rmtree, folder, ignore_errors=True)
    return source


def _from_duckdb(opened: Any, asked: Request) -> Source:
    from samrule.sources.duckdb.connect import with_rows_kept
    from samrule.sources.duckdb.source import DuckDBSource, with_missing_values, without_missing

    roles = asked.roles(opened.name, opened.schema.names)
    opened = with_rows_kept(opened, roles.used)
    opened = with_missing_values(opened, asked.missing_values)
    if asked.dropped is not None:
        opened = without_missing(opened, asked.dropped)
    return DuckDBSource(opened, roles)


def _from_memory(data: Any, asked: Request) -> Source:
    import pyarrow as pa

    from samrule.sources import memory

    name = f"the {type(data).__name__}"
    # Rows without a class are left out of Arrow tables only.
    keep = memory.is_sparse(data) or asked.dropped is None
    matrix = memory.by_rows(data) if keep else None
    table = memory.arrow_table(data) if matrix is None else matrix
    if table is None:
        raise InputTypeError(
            f"{name} is no table we know how to read.",
            hint="pass a numpy array, a dataframe, a path to CSV or Parquet, or a DuckDB relation.",
        )
    fields = table.column_names if matrix is None else memory.column_names(matrix.shape[1])
    asked, beside = _with_columns_beside(asked, table.shape[0], fields)
    if matrix is not None:
        roles = asked.roles(name, [*fields, *beside])
        return _cleaned(memory.MatrixSource(name, matrix, pa.table(beside), roles), asked)
    for column, values in beside.items():
        table = table.append_column(column, values)
    roles = asked.roles(name, table.column_names)
    return _cleaned(memory.MemorySource(name, table, roles), asked)


def _with_columns_beside(
    asked: Request, n_rows: int, columns: Sequence[str]
) -> tuple[Request, dict[str, Any]]:
    """Give a name to a target or weights that came as arrays, one no column has."""
    from samrule.sources.memory import column_beside

    beside: dict[str, Any] = {}
    for role in ("target", "weights"):
        values = getattr(asked, role)
        if values is not None and not isinstance(values, str):
            name = role
            while name in columns or name in beside:
                name += "_"
            beside[name] = column_beside(values, role, n_rows)
            named = {role: name}
            asked = replace(asked, **named)  # type: ignore[arg-type]
    return asked, beside


def _cleaned(source: Source, asked: Request) -> Source:
    if asked.dropped is None and not asked.missing_values:
        return source
    from samrule.sources.cleaned import CleanedSource

    return CleanedSource(source, asked.missing_values, asked.dropped)


def local_files(given: str) -> list[Path]:
    """Return the files of this machine that a path, glob, folder or ``file://`` address names."""
    if _is_remote(given):
        return []
    if not given.startswith(_FILE):
        return _expanded(given)
    path = given.removeprefix(_FILE).removeprefix("localhost")
    # Addresses write a blank as %20; many people do not.
    is_as_written = Path(path).exists() or glob.glob(path)  # noqa: PTH207
    return _expanded(path if is_as_written else unquote(path))


def _is_remote(given: str) -> bool:
    return "://" in given and not given.startswith(_FILE)


def _expanded(given: str) -> list[Path]:
    """Return the files a path, a folder or a glob stands for, sorted by name."""
    try:
        path = Path(given).expanduser()
        if path.is_dir():
            found = [one for one in path.iterdir() if _ending(one) in _KINDS and one.is_file()]
        elif path.exists():
            found = [path]
        else:
            found = [Path(one) for one in glob.glob(str(path), recursive=True)]  # noqa: PTH207
    except RuntimeError:
        user = given.partition("/")[0]
        raise FileError(
            f"{given} does not exist: there is no user {user[1:]!r} on this machine.",
            hint=f"write ./{given} if the name begins with a tilde.",
        ) from None
    except PermissionError:
        raise FileError(
            f"the folder of {path.name!r} may not be read: permission denied.",
            hint="ask its owner, or check with ls -ld.",
        ) from None
    except OSError as error:
        raise FileError(
            f"{given[:60]!r} cannot be read: {error.strerror}.", hint="check the path with ls -l."
        ) from None
    if not found:
        what = "holds no table we know" if path.is_dir() else "does not exist"
        raise FileError(
            f"{given} {what}.", hint=f"expected a path or glob ending in {', '.join(_KINDS)}."
        )
    for one in found:
        _check_path(one)
    return sorted(found)


def _check_path(path: Path) -> None:
    """Raise for names that this system can have and engines cannot be told."""
    try:
        str(path).encode("utf-8")
    except UnicodeEncodeError:
        raise FileError(
            f"{path.name!r} is not a name in UTF-8, which is what DuckDB and Arrow open.",
            hint="rename it, or make a link to it: ln -s old new.csv",
        ) from None


def _ending(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    while suffixes and suffixes[-1] in _COMPRESSIONS:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _kind(path: Path) -> str:
    kind = _KINDS.get(_ending(path))
    if kind is None:
        raise InputError(
            f"{path.name} does not say what it is; expected a name ending in {', '.join(_KINDS)}.",
            hint="rename it, or open it with DuckDB or a dataframe library first.",
        )
    return kind


def _check_readable(path: Path, kind: str) -> None:
    """Raise for files that may not be read or start with the bytes of another kind."""
    try:
        with path.open("rb") as file:
            start = file.read(16)
    except OSError as error:
        raise FileError(
            f"{path.name} cannot be read: {error.strerror}.", hint="check with ls -l."
        ) from None
    if kind not in {"csv", "json", "svmlight"}:
        return
    compression = _COMPRESSIONS.get(path.suffix.lower())
    if compression is not None:
        if start and not start.startswith(compression):
            raise FileError(
                f"{path.name} is not compressed, although its name says so.",
                hint=f"remove {path.suffix} from its name.",
            )
        return
    for signature, what in _SIGNATURES.items():
        if start.startswith(signature):
            raise FileError(
                f"{path.name} is {what}, although its name says {_ending(path)}.",
                hint="give it the ending of what it is.",
            )
    first = start.removeprefix(b"\xef\xbb\xbf").strip()
    if kind == "json" and first and not first.startswith(b"{"):
        raise FileError(
            f"{path.name} starts with {first[:1]!r}; expected JSON lines, an object on each.",
            hint="turn a list of objects into lines, for example with jq -c '.[]'.",
        )
