"""CSV and JSON lines, read by DuckDB, with types settled so that no value is rounded or lost."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from samrule.errors import FileError, InputError
from samrule.export.sql import identifier_sql, literal_sql
from samrule.sources.base import check_names
from samrule.sources.engine import Opened, engine_errors, list_sql, opened_sql

_DELIMITERS = ",;\t|"

_WHOLE_TYPES = {"BIGINT", "UBIGINT", "HUGEINT"}

# DuckDB guesses types from this many rows; so do we where we know better.
_GUESSED_ROWS = 20_480

# Text is not guessed to be True or False: DuckDB takes "t" and "yes" for such, and people want
# to read what they wrote.
_CSV_TYPES = (
    "['BIGINT', 'HUGEINT', 'DOUBLE', 'TIME', 'DATE', 'TIMESTAMP', 'TIMESTAMPTZ', 'VARCHAR']"
)


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
    options = f"{list_sql(paths)}, format='newline_delimited'"
    guessed = opened_sql(name, f"FROM read_json({options})", None)
    types = dict(zip(guessed.relation.columns, map(str, guessed.relation.types), strict=True))
    _check_one_kind(guessed, [column for column, type_ in types.items() if type_ == "JSON"])
    whole = {column: type_ for column, type_ in types.items() if type_ in _WHOLE_TYPES}
    given = ", ".join(
        f"{literal_sql(column)}: {literal_sql('VARCHAR' if column in whole else type_)}"
        for column, type_ in types.items()
    )
    return opened_sql(
        name, f"{_select_sql(types, whole)} FROM read_json({options}, columns={{{given}}})", None
    )


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
            f"FROM read_csv({list_sql(self.paths)}, delim={literal_sql(self.delimiter)}, "
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
    guessed = opened_sql(name, file.sql({}), None, partial(file.find_fault, {}))
    columns = list(zip(guessed.relation.columns, map(str, guessed.relation.types), strict=True))
    whole = {column: type_ for column, type_ in columns if type_ in _WHOLE_TYPES}
    texts = [column for column, type_ in columns if type_ == "VARCHAR"]
    numbers = _columns_of_numbers(guessed, texts)
    if not whole and not numbers:
        return guessed
    types = {**dict.fromkeys(whole, "VARCHAR"), **dict.fromkeys(numbers, "DOUBLE")}
    places = {place: column for place, (column, _) in enumerate(columns) if column in whole}
    return opened_sql(
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
    with engine_errors(opened.name, opened.find_fault):
        (found,) = opened.relation.limit(_GUESSED_ROWS).aggregate(", ".join(wanted)).fetchall()
    return [column for column, is_number in zip(columns, found, strict=True) if is_number]


def _check_one_kind(opened: Opened, columns: Sequence[str]) -> None:
    """Raise for the first of these columns that holds anything: DuckDB found no type for it."""
    for column in columns:
        name = identifier_sql(column)
        with engine_errors(opened.name):
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
