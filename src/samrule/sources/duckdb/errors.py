"""What DuckDB says when it fails, as errors of ours.

DuckDB tells lines, columns and values in the text of its errors and nowhere else, so this is the
one place where text is searched for them. What is not found is passed on as DuckDB said it.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import duckdb
import pyarrow as pa

from samrule.errors import InputError, Parameter, SamruleError, Words
from samrule.export.sql import literal_sql
from samrule.sources.paths import without_credentials


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


def raise_late_value_sql(column: str, value: str) -> str:
    """Return SQL that fails with a value that is no whole number, in words that are known here."""
    message = f"column {column!r} held whole numbers before, and then "
    return f"error({literal_sql(message)} || {value})"


# What DuckDB says where whole numbers end: our own words (`raise_late_value_sql`), or its own.
_LATE_VALUES = (
    r"column '(?P<column>.*)' held whole numbers before, and then (?P<value>.*)",
    r"string '(?P<value>.*)' to INT\w+ .* column (?P<column>.*)",
)


def _first_lines(text: str, n_lines: int) -> str:
    return "; ".join(line.strip() for line in text.splitlines()[:n_lines] if line.strip())
