"""CSV and JSON lines, read by DuckDB, with types settled so that no value is rounded or lost."""

import csv
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path

import pyarrow as pa

from samrule.errors import InputError, Parameter, Words
from samrule.export.sql import identifier_sql, literal_sql
from samrule.sources.base import Source
from samrule.sources.duckdb.connect import key_sql, list_sql
from samrule.sources.duckdb.errors import engine_errors, raise_late_value_sql
from samrule.sources.duckdb.first_lines import FirstLines, first_lines, opened_text
from samrule.sources.duckdb.source import duckdb_source
from samrule.sources.duckdb.table import DuckDBTable, table_of_sql
from samrule.sources.duckdb.written_numbers import WrittenNumbers, is_number_sql, written_numbers
from samrule.sources.options import TableOptions
from samrule.sources.roles import check_known, check_names
from samrule.sources.text_format import TextFormat, in_utf8

_WHOLE_TYPES = {"BIGINT", "UBIGINT", "HUGEINT"}

# DuckDB guesses types from this many rows; so do we where we know better.
_GUESSED_ROWS = 20_480

# Text is not guessed to be True or False: DuckDB takes "t" and "yes" for such, and people want
# to read what they wrote.
_CSV_TYPES = (
    "['BIGINT', 'HUGEINT', 'DOUBLE', 'TIME', 'DATE', 'TIMESTAMP', 'TIMESTAMPTZ', 'VARCHAR']"
)


def csv_source(name: str, paths: Sequence[Path], options: TableOptions) -> Source:
    """Open local CSV or TSV files, plain or compressed."""
    table = csv_table(name, paths, options.missing_values, options.text_format)
    return duckdb_source(table, options)


def csv_table(
    name: str, paths: Sequence[Path], missing_values: Sequence[str], written: TextFormat
) -> DuckDBTable:
    """Return CSV files as a table.

    Fields that are empty or one of `missing_values` are missing, in columns of every type.
    """
    full = [path for path in paths if path.stat().st_size]
    if not full:
        raise InputError(f"{name} is empty: not even a header.", hint="check how it was written.")
    kept = None
    if written.encoding is not None:
        full, kept = in_utf8(full, written.encoding)
    first = first_lines(full[0], written)
    check_names(name, [column for column in first.names if column])  # DuckDB names the others.
    file = _Csv(tuple(full), first.delimiter, tuple(missing_values), first.has_header)
    notes = () if first.has_header or written.header is False else (_no_header(name, first),)
    table = replace(_exactly_typed(name, file, first.names, written), kept_files=kept)
    names = _known_names(first.names, table.schema.names)
    schema = [field.with_name(one) for field, one in zip(table.schema, names, strict=True)]
    return replace(table, schema=pa.schema(schema), notes=(*notes, *table.notes))


def _no_header(name: str, first: FirstLines) -> str:
    shown = ", ".join(repr(one) for one in first.values[:4])
    return Words(
        f"{name} has no header: its first line ({shown}{', ...' if len(first.values) > 4 else ''}) "
        f"is like the others. Its columns are called {first.names[0]} to {first.names[-1]}; ",
        Parameter("header", True),
        " if that line names them.",
    )


def _known_names(names: Sequence[str], engine_names: Sequence[str]) -> list[str]:
    """Return the columns' names as they stand in the file; DuckDB's for those that have none."""
    found = [given or known for given, known in zip(names, engine_names, strict=False)]
    fits = len(names) == len(engine_names) and len(set(found)) == len(found)
    return found if fits else list(engine_names)


def json_source(name: str, paths: Sequence[Path], options: TableOptions) -> Source:
    """Open local files with one JSON object per line, plain or compressed."""
    file = f"{list_sql(paths)}, format='newline_delimited'"
    guessed = table_of_sql(name, f"FROM read_json({file})", None)
    types = dict(zip(guessed.relation.columns, map(str, guessed.relation.types), strict=True))
    _check_one_kind(guessed, [column for column, type_ in types.items() if type_ == "JSON"])
    whole = {column: type_ for column, type_ in types.items() if type_ in _WHOLE_TYPES}
    given = ", ".join(
        f"{key_sql(column)}: {key_sql('VARCHAR' if column in whole else type_)}"
        for column, type_ in types.items()
    )
    expressions = {column: _whole_number_sql(column, type_) for column, type_ in whole.items()}
    sql = f"{_select_sql(types, expressions)} FROM read_json({file}, columns={{{given}}})"
    return duckdb_source(table_of_sql(name, sql, None), options)


@dataclass(frozen=True)
class _Csv:
    """CSV files and how they are written."""

    paths: tuple[Path, ...]
    delimiter: str
    missing_values: tuple[str, ...]
    has_header: bool = True
    candidates: str = _CSV_TYPES

    def sql(self, types: Mapping[str, str]) -> str:
        """Return the rows, with these types for some columns (DuckDB's names)."""
        missing = ", ".join(literal_sql(one) for one in dict.fromkeys(["", *self.missing_values]))
        given = ", ".join(f"{key_sql(name)}: '{type_}'" for name, type_ in types.items())
        return (
            f"FROM read_csv({list_sql(self.paths)}, delim={literal_sql(self.delimiter)}, "
            f"header={self.has_header}, skip=0, quote='\"', escape='\"', comment='', "
            f"strict_mode=true, nullstr=[{missing}], auto_type_candidates={self.candidates}"
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
                        hint=Words(
                            "correct the value; ",
                            Parameter("types", {column: "number"}),
                            " reads the column as numbers of any kind, and 'text' as text.",
                        ),
                    )

    def _rows(self) -> Iterator[tuple[Path, int, int, list[str]]]:
        for path in self.paths:
            with opened_text(path) as file:
                reader = csv.reader(file, delimiter=self.delimiter)
                top = next(reader, [])
                wanted = len(top)
                rows = reader if self.has_header else chain([top], reader)
                for number, values in enumerate(rows, start=1):
                    if values and len(values) != wanted:
                        raise InputError(
                            f"{path.name} has {len(values)} values in row {number:,} "
                            f"(line {reader.line_num:,}); its header has {wanted}.",
                            hint="correct that line, or quote values that hold the delimiter "
                            f"{self.delimiter!r}.",
                        )
                    if values:
                        yield path, number, reader.line_num, values


def _exactly_typed(
    name: str, file: _Csv, header: Sequence[str], written: TextFormat
) -> DuckDBTable:
    """Open a CSV file with the types DuckDB guesses from its first rows, but never rounded.

    DuckDB takes a column that starts with "inf" or "+inf" for text, and it rounds 1.5 to 2
    if only whole numbers came before, far enough up. Numbers written for people are text to it.
    """
    if written.decimal == ",":
        file = replace(file, candidates=_CSV_TYPES.replace("'DOUBLE', ", ""))
    guessed = table_of_sql(name, file.sql({}), None, partial(file.find_fault, {}))
    names = _known_names(header, guessed.relation.columns)
    engine_names = dict(zip(names, guessed.relation.columns, strict=True))
    for column in written.types or {}:
        check_known(column, names, name)
    given = written.engine_types(engine_names)
    if given:
        guessed = table_of_sql(name, file.sql(given), None, partial(file.find_fault, {}))
    columns = list(zip(guessed.relation.columns, map(str, guessed.relation.types), strict=True))
    whole = {column: type_ for column, type_ in columns if type_ in _WHOLE_TYPES}
    forced = {engine_names[one] for one, type_ in (written.types or {}).items() if type_ == "text"}
    texts = [column for column, type_ in columns if type_ == "VARCHAR" and column not in forced]
    numbers = _columns_of_numbers(guessed, texts)
    people = _numbers_for_people(guessed, [one for one in texts if one not in numbers], written)
    _check_numbers(guessed, engine_names, written, {*numbers, *(one.column for one in people)})
    if not whole and not numbers and not people:
        return guessed
    types = {**given, **dict.fromkeys(whole, "VARCHAR"), **dict.fromkeys(numbers, "DOUBLE")}
    # DuckDB would guess again, and by other rows if they are cast.
    types |= {one.column: "VARCHAR" for one in people}
    places = {place: column for place, (column, _) in enumerate(columns) if column in whole}
    expressions = {column: _whole_number_sql(column, type_) for column, type_ in whole.items()}
    expressions |= {one.column: one.sql() for one in people}
    table = table_of_sql(
        name,
        f"{_select_sql([column for column, _ in columns], expressions)} {file.sql(types)}",
        None,
        partial(file.find_fault, places),
    )
    known = {engine_name: one for one, engine_name in engine_names.items()}
    return replace(table, notes=tuple(f"{known[one.column]}: {one}." for one in people))


def _numbers_for_people(
    table: DuckDBTable, columns: Sequence[str], written: TextFormat
) -> list[WrittenNumbers]:
    """Return the columns that hold numbers as people write them, in the whole file."""
    with engine_errors(table.name, table.find_fault):
        likely = written_numbers(table.relation.limit(_GUESSED_ROWS), columns, written.decimal)
        candidates = [one.column for one in likely]
        return written_numbers(table.relation, candidates, written.decimal)


def _check_numbers(
    table: DuckDBTable,
    engine_names: Mapping[str, str],
    written: TextFormat,
    numbers: Collection[str],
) -> None:
    """Raise for the first column that the caller says holds numbers, and does not."""
    for column, type_ in (written.types or {}).items():
        if type_ != "number" or engine_names[column] in numbers:
            continue
        name = identifier_sql(engine_names[column])
        with engine_errors(table.name, table.find_fault):
            odd = table.relation.filter(
                f"{name} IS NOT NULL AND NOT {is_number_sql(name, written.decimal)}"
            )
            found = odd.project(name).limit(1).fetchall()
        shown = f"holds {found[0][0]!r}" if found else "mixes ways of writing, or holds none"
        raise InputError(
            f"types calls {column!r} of {table.name} a column of numbers, and it {shown}.",
            hint=Words("correct the value, or name it in ", Parameter("missing_values"), "."),
        )


def _columns_of_numbers(table: DuckDBTable, columns: Sequence[str]) -> list[str]:
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
    with engine_errors(table.name, table.find_fault):
        (found,) = table.relation.limit(_GUESSED_ROWS).aggregate(", ".join(wanted)).fetchall()
    return [column for column, is_number in zip(columns, found, strict=True) if is_number]


def _check_one_kind(table: DuckDBTable, columns: Sequence[str]) -> None:
    """Raise for the first of these columns that holds any value: DuckDB found no type for it."""
    for column in columns:
        name = identifier_sql(column)
        with engine_errors(table.name):
            found = table.relation.filter(f"{name} IS NOT NULL").project(name).limit(1).fetchall()
        if found:
            raise InputError(
                f"{table.name} mixes kinds of values in column {column!r}, "
                f"such as {found[0][0]} and others; expected one kind.",
                hint="convert it to one kind: numbers, text, dates or True and False.",
            )


def _select_sql(columns: Iterable[str], expressions: Mapping[str, str]) -> str:
    """Return the SELECT of the columns, some of them computed."""
    return "SELECT " + ", ".join(
        expressions.get(column, identifier_sql(column)) for column in columns
    )


def _whole_number_sql(column: str, type_: str) -> str:
    name = identifier_sql(column)
    fraction = f"contains({name}, '.') OR contains({name}, 'e') OR contains({name}, 'E')"
    failed = raise_late_value_sql(column, name)
    return f"CASE WHEN {fraction} THEN {failed} ELSE CAST({name} AS {type_}) END AS {name}"
