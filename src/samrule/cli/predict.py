"""`samrule predict`: the class of each row, its probabilities, and the rule that decided."""

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from samrule.cli.model_view import load_model
from samrule.cli.options import (
    Model,
    Query,
    Tables,
    column_names,
)
from samrule.cli.outputs import check_outputs
from samrule.cli.reading import with_reading
from samrule.cli.tables import STANDARD_INPUT, opened
from samrule.errors import ParameterError
from samrule.output import whole_file
from samrule.rules import ColumnType, value_text

if TYPE_CHECKING:
    from samrule.learning import FittedRuleList
    from samrule.sources.base import Source


@with_reading
def predict(
    model: Model,
    tables: Tables,
    *,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="Where to write: .csv, .parquet or .arrow; - for CSV on standard output.",
            metavar="FILE",
        ),
    ],
    keep: Annotated[
        list[str] | None,
        typer.Option(
            help="Columns of the table to write before the predictions: id,name; may be repeated.",
            metavar="COL,...",
        ),
    ] = None,
    escape_formulas: Annotated[
        bool,
        typer.Option(
            "--escape-formulas",
            help="Put ' before text that a spreadsheet would run: what starts with = + - @.",
        ),
    ] = False,
    query: Query = None,
    reading: dict[str, Any],
) -> None:
    """Predict every row of a table, in its order; tables of any length are read in pieces.

    The columns are those of --keep, prediction, probability_CLASS for each class, and rule: the
    number of the rule that decided, as `samrule show` counts them.

    [bold]Examples[/]

    [green]samrule predict model.json new.parquet -o predictions.csv[/]
    [green]samrule predict model.json new.csv --keep id -o predictions.csv[/]
    [green]cat new.csv | samrule predict model.json - -o -[/]
    """
    fitted = load_model(model)
    writer = _writer(output)
    check_outputs([output], tables=tables, files=[model])
    with opened(tables, query=query, **reading) as source:
        kept = column_names(keep) or []
        source.check_columns([*fitted.columns, *kept])
        batches = _predictions(fitted, source, kept)
        if escape_formulas:
            batches = map(_escaped, batches)
        first = next(batches)
        with _file(output) as file, writer(file, first.schema) as written:
            written.write(first)
            for batch in batches:
                written.write(batch)


def _predictions(fitted: "FittedRuleList", source: "Source", kept: Sequence[str]) -> Iterator[Any]:
    """Yield kept columns and predictions batch by batch; first an empty one, for its columns."""
    import numpy as np
    import pyarrow as pa

    from samrule.rules.meaning import deciding_rules

    nothing = pa.RecordBatch.from_pylist([], pa.schema([source.schema.field(one) for one in kept]))
    yield _beside(nothing, _batch(fitted, np.empty(0, dtype=np.int64)))
    # A list without rules asks for no column, but every row wants its prediction.
    wanted = [*dict.fromkeys([*fitted.columns, *kept])] or source.schema.names[:1]
    for batch in source.scan(wanted):
        found = _batch(fitted, deciding_rules(fitted.rule_list, batch))
        yield _beside(batch.select(list(kept)), found)


def _beside(kept: Any, predictions: Any) -> Any:
    """Return both batches as one."""
    import pyarrow as pa

    for name in kept.schema.names:
        if name in predictions.schema.names:
            raise ParameterError(
                f"--keep names {name!r}, and the predictions have a column of that name, too.",
                hint="rename it in the table.",
            )
    return pa.RecordBatch.from_arrays(
        [*kept.columns, *predictions.columns], [*kept.schema.names, *predictions.schema.names]
    )


def _batch(fitted: "FittedRuleList", decided: Any) -> Any:
    """Return what the list says of rows, given the rule that decides each."""
    import pyarrow as pa

    from samrule.rules import smoothed

    rules = list(fitted.rule_list)
    places = pa.array(decided)
    # Of all classes, so that the type never depends on which of them are predicted.
    answers = pa.array([*(rule.prediction for rule in rules), *fitted.classes])
    columns = {"prediction": answers.take(places)}
    for place, one in enumerate(fitted.classes):
        shares = pa.array([smoothed(rule)[place] for rule in rules])
        columns[f"probability_{value_text(one)}"] = shares.take(places)
    columns["rule"] = pa.array(decided + 1)
    return pa.RecordBatch.from_pydict(columns)


def _escaped(batch: Any) -> Any:
    """Return the batch with names and text that no spreadsheet takes for a formula."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from samrule.rules.meaning import column_type

    columns = []
    for column in batch.columns:
        if column_type(column.type) is ColumnType.TEXT:
            text = column.cast(pa.large_string())
            quoted = pc.utf8_replace_slice(text, start=0, stop=0, replacement="'")
            column = pc.if_else(pc.match_substring_regex(text, _FORMULA), quoted, text)  # noqa: PLW2901
        columns.append(column)
    names = [f"'{name}" if re.match(_FORMULA, name) else name for name in batch.schema.names]
    return pa.RecordBatch.from_arrays(columns, names)


# OWASP's list of first characters: after a tab or a line end, some programs look further.
_FORMULA = r"^[=+\-@\t\r\n]"


def _writer(output: Path) -> Callable[[BinaryIO, Any], Any]:
    import pyarrow as pa
    import pyarrow.parquet

    writers: dict[str, Callable[[BinaryIO, Any], Any]] = {
        ".csv": _csv_writer,
        ".parquet": pa.parquet.ParquetWriter,
        ".pq": pa.parquet.ParquetWriter,
        ".arrow": pa.ipc.new_file,
        ".feather": pa.ipc.new_file,
    }
    if str(output) == STANDARD_INPUT or str(output).startswith("/dev/"):
        return writers[".csv"]
    found = writers.get(output.suffix.lower())
    if found is None:
        raise ParameterError(
            f"the output is {str(output)!r}; expected a name ending in {', '.join(writers)}.",
            hint="predictions.csv, for example; - writes CSV to standard output.",
        )
    return found


def _csv_writer(file: BinaryIO, schema: Any) -> Any:
    import pyarrow as pa
    import pyarrow.csv

    for field in schema:
        if pa.types.is_nested(field.type):
            raise ParameterError(
                f"column {field.name!r} holds {field.type}; CSV has no way to write that.",
                hint="write to a name ending in .parquet or .arrow.",
            )
    return pa.csv.CSVWriter(file, schema)


@contextmanager
def _file(output: Path) -> Iterator[Any]:
    if str(output) == STANDARD_INPUT:
        yield sys.stdout.buffer
        return
    with whole_file(output) as place, place.open("wb") as file:
        yield file
