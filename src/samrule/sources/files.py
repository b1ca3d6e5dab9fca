"""CSV, Parquet, JSON lines and databases, by DuckDB: out of core, with work pushed down to it.

A text file's rows are numbered as they stand in the file. DuckDB keeps that order in what it
hands over (``preserve_insertion_order``), and Parquet carries row numbers of its own.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from samrule.errors import FileError, InputError, ParameterError, SamruleError
from samrule.export.arrow import column_type
from samrule.export.sql import (
    condition_sql,
    deciding_rule_sql,
    identifier_sql,
    literal_sql,
    missing_sql,
)
from samrule.rules import ColumnType, Condition, RuleList
from samrule.sources.base import (
    BATCH_ROWS,
    Levels,
    Roles,
    Source,
    Tally,
    bad_weight,
    check_names,
    check_weight_type,
    plain_batch,
    plain_type,
    quantile_place,
    sorted_levels,
    with_columns_named,
    without_credentials,
)

_DELIMITERS = ",;\t|"

_WHOLE_TYPES = {"BIGINT", "UBIGINT", "HUGEINT"}

# DuckDB guesses types from this many rows; so do we where we know better.
_GUESSED_ROWS = 20_480

# With more, adding up each costs more than a hash table.
_FEW_CLASSES = 8

# Text is not guessed to be True or False: DuckDB takes "t" and "yes" for such, and people want
# to read what they wrote.
_CSV_TYPES = (
    "['BIGINT', 'HUGEINT', 'DOUBLE', 'TIME', 'DATE', 'TIMESTAMP', 'TIMESTAMPTZ', 'VARCHAR']"
)


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
        Ours, or None for a relation of the user's.
    parquet
        Local Parquet files and their row counts, for draws by the files' own row numbers.
    find_fault
        Called when DuckDB fails: raises an error that says more than DuckDB's, if it can.
    """

    name: str
    relation: Any
    schema: Any
    connection: Any = None
    parquet: tuple[tuple[Path, int], ...] = ()
    find_fault: Callable[[], None] | None = None


class DuckDBSource(Source):
    """Anything DuckDB reads."""

    def __init__(self, opened: Opened, roles: Roles) -> None:
        super().__init__(opened.name, opened.schema, roles)
        self._relation = opened.relation
        self._connection = opened.connection
        self._parquet = opened.parquet
        self._find_fault = opened.find_fault
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
                f"FROM {_parquet_sql([path for path, _ in self._parquet])} AS file JOIN drawn "
                f"ON {_same_row(len(self._parquet))}"
            ).to_arrow_table()
        found = found.sort_by(found.column_names[0]).remove_column(0)
        return pa.Table.from_batches(
            [plain_batch(batch, schema) for batch in found.to_batches()], schema
        )

    def levels(self, column: str) -> Levels:
        """Return the distinct values of a column and their counts, grouped by DuckDB."""
        self.check_columns([column])
        name = self._sql_name(column)
        value = f"CASE WHEN {missing_sql(name, self._type(column))} THEN NULL ELSE {name} END"
        with self._errors():
            found = self._relation.aggregate(
                f"{value} AS value, count(*) AS n", value
            ).to_arrow_table()
        counts = dict(zip(found["value"].to_pylist(), found["n"].to_pylist(), strict=True))
        n_missing = counts.pop(None, 0)
        return sorted_levels(counts, n_missing)

    def quantiles(self, column: str, shares: Sequence[float]) -> tuple[Any, ...]:
        """Return per share the least value that this share of the present values do not exceed."""
        self.check_columns([column])
        name = self._sql_name(column)
        for share in shares:
            quantile_place(share, 1)
        with self._errors():
            present = self._relation.filter(f"NOT ({missing_sql(name, self._type(column))})")
            wanted = [
                f"quantile_disc({name}, {float(share)!r}) AS q{place}"
                for place, share in enumerate(shares)
            ]
            found = present.aggregate(", ".join(wanted)).to_arrow_table()
        return tuple(found.column(place)[0].as_py() for place in range(len(shares)))

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
        keys = list(zip(found["rule"].to_pylist(), found["class"].to_pylist(), strict=True))
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

    @contextmanager
    def _errors(self) -> Iterator[None]:
        with _engine_errors(self.name, self._find_fault):
            if self._connection is not None:
                yield
                return
            with _exact_comparisons(self._relation):
                yield

    def _sql_name(self, column: str) -> str:
        return identifier_sql(self._engine_names[column])

    def _type(self, column: str) -> Any:
        return self.schema.field(column).type


def opened_parquet(name: str, paths: Sequence[Path]) -> Opened:
    """Open local Parquet files; each must be whole and all must have one schema."""
    import pyarrow.parquet as pq

    from samrule.sources.arrow_files import check_same_schema

    found = []
    first = None
    for path in paths:
        try:
            metadata = pq.read_metadata(path)
        except (pa.ArrowInvalid, OSError) as error:
            _raise_not_parquet(path, error)
        schema = metadata.schema.to_arrow_schema()
        if first is None:
            first = schema
        check_same_schema(paths[0], first, path, schema)
        found.append((path, metadata.num_rows))
    assert first is not None
    opened = _opened(name, f"FROM {_parquet_sql(paths)}", first.names)
    return replace(opened, parquet=tuple(found))


def opened_csv(name: str, paths: Sequence[Path], missing_values: Sequence[str] = ()) -> Opened:
    """Open local CSV or TSV files, plain or compressed, each with a header.

    Fields that are empty or one of `missing_values` are missing, in columns of every type.
    """
    full = [path for path in paths if path.stat().st_size]
    if not full:
        raise InputError(f"{name} is empty: not even a header.", hint="check how it was written.")
    header, delimiter = _header(full[0])
    check_names(name, [column for column in header if column])  # DuckDB names the others.
    opened = _exactly_typed(name, _Csv(tuple(full), delimiter, tuple(missing_values)))
    engine_names = opened.schema.names
    names = [given or found for given, found in zip(header, engine_names, strict=False)]
    if len(header) != len(engine_names) or len(set(names)) != len(names):
        names = engine_names
    return replace(
        opened,
        schema=pa.schema(
            [field.with_name(one) for field, one in zip(opened.schema, names, strict=True)]
        ),
    )


def opened_json(name: str, paths: Sequence[Path]) -> Opened:
    """Open local files with one JSON object per line, plain or compressed."""
    options = f"{_list_sql(paths)}, format='newline_delimited'"
    guessed = _opened(name, f"FROM read_json({options})", None)
    types = dict(zip(guessed.relation.columns, map(str, guessed.relation.types), strict=True))
    _check_one_kind(guessed, [column for column, type_ in types.items() if type_ == "JSON"])
    whole = {column: type_ for column, type_ in types.items() if type_ in _WHOLE_TYPES}
    given = ", ".join(
        f"{literal_sql(column)}: {literal_sql('VARCHAR' if column in whole else type_)}"
        for column, type_ in types.items()
    )
    return _opened(
        name, f"{_select_sql(types, whole)} FROM read_json({options}, columns={{{given}}})", None
    )


def opened_remote(name: str, path: str, kind: str) -> Opened:
    """Open a path that only DuckDB can reach, handed over as it is."""
    reader = {"parquet": "read_parquet", "csv": "read_csv", "json": "read_json"}[kind]
    return _opened(name, f"FROM {reader}({literal_sql(path)})", None)


def opened_database(name: str, path: Path, query: str | None) -> Opened:
    """Open a query on a DuckDB database file, read only."""
    with _engine_errors(name):
        connection = _connection(str(path))
        tables = [row[0] for row in connection.sql("SHOW TABLES").fetchall()]
        if query is None and len(tables) != 1:
            shown = ", ".join(repr(table) for table in tables[:8]) or "none"
            raise ParameterError(
                f"{name} holds {len(tables)} tables ({shown}); expected one, or a query.",
                hint='pass query="SELECT * FROM ...".',
            )
        relation = connection.sql(query if query else f"FROM {identifier_sql(tables[0])}")
        return _described(name, relation, None, connection)


def opened_relation(relation: Any) -> Opened:
    """Take a relation of the user's own connection."""
    with _engine_errors("the relation"):
        return _described("the relation", relation, None, None)


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


@dataclass(frozen=True)
class _Csv:
    """CSV files and how they are written."""

    paths: tuple[Path, ...]
    delimiter: str
    missing_values: tuple[str, ...]

    def sql(self, types: Mapping[str, str]) -> str:
        """Return the rows, with these types for some columns (DuckDB's names)."""
        missing = ", ".join(literal_sql(one) for one in dict.fromkeys(["", *self.missing_values]))
        given = ", ".join(f"{literal_sql(name)}: '{type_}'" for name, type_ in types.items())
        return (
            f"FROM read_csv({_list_sql(self.paths)}, delim={literal_sql(self.delimiter)}, "
            f"header=true, skip=0, quote='\"', escape='\"', comment='', strict_mode=true, "
            f"nullstr=[{missing}], auto_type_candidates={_CSV_TYPES}"
            + (f", types={{{given}}})" if given else ")")
        )

    def find_fault(self, whole: Mapping[int, str]) -> None:
        """Raise for the first row of the wrong length, or without a whole number in a column."""
        missing = {"", *self.missing_values}
        for path, row, line, values in self._rows():
            for place, column in whole.items():
                value = values[place]
                if value not in missing and not re.fullmatch(r"\s*[+-]?[0-9]+\s*", value):
                    raise InputError(
                        f"{path.name} has {value!r} in row {row:,} (line {line:,}), column "
                        f"{column!r}, which held whole numbers before.",
                        hint="correct the value, or open duckdb.read_csv(path, "
                        f"types={{{column!r}: 'DOUBLE'}}), or 'VARCHAR' for text.",
                    )

    def _rows(self) -> Iterator[tuple[Path, int, int, list[str]]]:
        for path in self.paths:
            with _text(path) as file:
                reader = csv.reader(file, delimiter=self.delimiter)
                wanted = len(next(reader, []))
                for number, values in enumerate(reader, start=1):
                    if values and len(values) != wanted:
                        raise InputError(
                            f"{path.name} has {len(values)} values in row {number:,} "
                            f"(line {reader.line_num:,}); its header has {wanted}.",
                            hint="correct that line, or quote values that hold the delimiter "
                            f"{self.delimiter!r}.",
                        )
                    if values:
                        yield path, number, reader.line_num, values


def _exactly_typed(name: str, file: _Csv) -> Opened:
    """Open a CSV file with the types DuckDB guesses from its first rows, but never rounded.

    DuckDB takes a column that starts with "inf" or "+inf" for text, and it rounds 1.5 to 2
    if only whole numbers came before, far enough up.
    """
    guessed = _opened(name, file.sql({}), None, partial(file.find_fault, {}))
    columns = list(zip(guessed.relation.columns, map(str, guessed.relation.types), strict=True))
    whole = {column: type_ for column, type_ in columns if type_ in _WHOLE_TYPES}
    texts = [column for column, type_ in columns if type_ == "VARCHAR"]
    numbers = _columns_of_numbers(guessed, texts)
    if not whole and not numbers:
        return guessed
    types = {**dict.fromkeys(whole, "VARCHAR"), **dict.fromkeys(numbers, "DOUBLE")}
    places = {place: column for place, (column, _) in enumerate(columns) if column in whole}
    return _opened(
        name,
        f"{_select_sql([column for column, _ in columns], whole)} {file.sql(types)}",
        None,
        partial(file.find_fault, places),
    )


def _columns_of_numbers(opened: Opened, columns: Sequence[str]) -> list[str]:
    """Return those of text whose first rows hold numbers, infinities or NaN, and nothing else."""
    if not columns:
        return []
    wanted = [
        f"count({name}) = count(CASE WHEN NOT regexp_matches({name}, '^\\s*[+-]?0[0-9]') "
        f"THEN TRY_CAST({name} AS DOUBLE) END) "
        f"AND bool_or(isfinite(TRY_CAST({name} AS DOUBLE))) "
        f"AND bool_or(NOT isfinite(TRY_CAST({name} AS DOUBLE)))"
        for name in map(identifier_sql, columns)
    ]
    with _engine_errors(opened.name, opened.find_fault):
        (found,) = opened.relation.limit(_GUESSED_ROWS).aggregate(", ".join(wanted)).fetchall()
    return [column for column, is_number in zip(columns, found, strict=True) if is_number]


def _check_one_kind(opened: Opened, columns: Sequence[str]) -> None:
    """Raise for the first of these columns that holds anything: DuckDB found no type for it."""
    for column in columns:
        name = identifier_sql(column)
        with _engine_errors(opened.name):
            found = opened.relation.filter(f"{name} IS NOT NULL").project(name).limit(1).fetchall()
        if found:
            raise InputError(
                f"{opened.name} mixes kinds of values in column {column!r}, "
                f"such as {found[0][0]} and others; expected one kind.",
                hint="convert it to one kind: numbers, text, dates or True and False.",
            )


def _select_sql(columns: Iterable[str], whole: Mapping[str, str]) -> str:
    """Return the SELECT that turns text into whole numbers of these types, without rounding."""
    return "SELECT " + ", ".join(
        _whole_number_sql(column, whole[column]) if column in whole else identifier_sql(column)
        for column in columns
    )


def _whole_number_sql(column: str, type_: str) -> str:
    name = identifier_sql(column)
    fraction = f"contains({name}, '.') OR contains({name}, 'e') OR contains({name}, 'E')"
    message = literal_sql(f"column {column!r} held whole numbers before, and then ")
    failed = f"error({message} || {name})"
    return f"CASE WHEN {fraction} THEN {failed} ELSE CAST({name} AS {type_}) END AS {name}"


def _opened(
    name: str,
    sql: str,
    names: Sequence[str] | None,
    find_fault: Callable[[], None] | None = None,
) -> Opened:
    with _engine_errors(name, find_fault):
        connection = _connection(":memory:")
        opened = _described(name, connection.sql(sql), names, connection)
    return replace(opened, find_fault=find_fault)


def _described(name: str, relation: Any, names: Sequence[str] | None, connection: Any) -> Opened:
    # To DuckDB, names that differ in case alone are one; its own readers rename them.
    check_names(name, [column.casefold() for column in relation.columns])
    schema = relation.limit(0).to_arrow_table().schema
    if names is not None:
        schema = pa.schema([field.with_name(one) for field, one in zip(schema, names, strict=True)])
    return Opened(name, relation, schema, connection)


def _connection(path: str) -> Any:
    connection = duckdb.connect(path, read_only=path != ":memory:")
    connection.execute("SET preserve_insertion_order = true")
    connection.execute("SET enable_progress_bar = false")
    connection.execute(f"SET disabled_optimizers = '{_INEXACT}'")
    return connection


# DuckDB 2.0 decides comparisons, even isnan, by Parquet's statistics, which leave NaN out
# (its issue 25521).
_INEXACT = "statistics_propagation"


@contextmanager
def _exact_comparisons(relation: Any) -> Iterator[None]:
    """Compare value by value on a connection that is not ours, and leave it as it was found."""

    def run(sql: str) -> Any:
        return relation.query("samrule_unused", sql)

    before = run("SELECT current_setting('disabled_optimizers')").fetchall()[0][0]
    disabled = [one for one in before.split(",") if one]
    if _INEXACT in disabled:
        yield
        return
    run(f"SET disabled_optimizers = '{','.join([*disabled, _INEXACT])}'")
    try:
        yield
    finally:
        run(f"SET disabled_optimizers = '{before}'")


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


def _parquet_sql(paths: Sequence[Path]) -> str:
    return f"read_parquet({_list_sql(paths)}, hive_partitioning=false)"


def _list_sql(paths: Sequence[Path]) -> str:
    return "[" + ", ".join(literal_sql(_no_glob(str(path))) for path in paths) + "]"


def _no_glob(path: str) -> str:
    """Return a path that DuckDB takes literally, whatever stars and brackets it holds."""
    return re.sub(r"([*?\[])", r"[\1]", path)


def _header(path: Path) -> tuple[list[str], str]:
    """Return the column names of a CSV file and its delimiter: the most frequent in the header."""
    with _text(path) as file:
        line = file.readline()
        unquoted = re.sub(r'"[^"]*"', "", line)
        if path.name.lower().removesuffix(".gz").removesuffix(".zst").endswith((".tsv", ".tab")):
            delimiter = "\t"
        else:
            delimiter = max(_DELIMITERS, key=unquoted.count)
        while line.count('"') % 2 and (more := file.readline()):
            line += more
    return next(csv.reader([line], delimiter=delimiter), []), delimiter


@contextmanager
def _text(path: Path) -> Iterator[Any]:
    try:
        with pa.input_stream(str(path), compression="detect") as file:
            yield io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
    except UnicodeDecodeError:
        raise FileError(
            f"{path.name} is not text in UTF-8.", hint="convert it, for example with iconv."
        ) from None
    except (OSError, pa.ArrowInvalid) as error:
        raise FileError(f"{path.name} cannot be read: {error}", hint="copy it again.") from None


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


@contextmanager
def _engine_errors(name: str, find_fault: Callable[[], None] | None = None) -> Iterator[None]:
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
        raise _translated(name, str(error)) from None


def _translated(name: str, text: str) -> Exception:
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
            hint="correct the value, or open duckdb.read_csv(path, types={...}) with the type "
            "you mean.",
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
