"""Options that say how tables are written: the same in every command that reads them."""

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Annotated, Any

import typer

from samrule.cli.options import Columns, column_names
from samrule.errors import ParameterError

_OPTIONS: dict[str, Any] = {
    "missing_values": Annotated[
        Columns,
        typer.Option(
            help="Texts that mean a value is missing, in every column: NA,?", metavar="TEXT,..."
        ),
    ],
    "delimiter": Annotated[
        str | None,
        typer.Option(help="What stands between two values of CSV; tab for a tab.", metavar="CHAR"),
    ],
    "decimal": Annotated[
        str | None, typer.Option(help="Decimal mark of numbers in CSV: . or ,", metavar="CHAR")
    ],
    "encoding": Annotated[
        str | None,
        typer.Option(
            help="Encoding of CSV, such as cp1252 or latin-1; else UTF-8.", metavar="NAME"
        ),
    ],
    "header": Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header", help="Whether the first line of CSV names the columns."
        ),
    ],
    "types": Annotated[
        Columns,
        typer.Option(
            help="What columns of CSV hold: zip=text,paid=number; also date, datetime, time.",
            metavar="COL=TYPE,...",
        ),
    ],
    "sheet": Annotated[str | None, typer.Option(help="Sheet of an Excel file.", metavar="NAME")],
}


def with_reading(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command these options; it gets them in `reading`, as `open_table` takes them."""
    signature = inspect.signature(command)
    parameters: list[inspect.Parameter] = []
    for parameter in signature.parameters.values():
        parameters += _added(parameter) if parameter.name == "reading" else [parameter]

    @wraps(command)
    def called(*args: Any, **given: Any) -> None:
        options = {name: given.pop(name) for name in _OPTIONS}
        command(*args, reading=_as_taken(**options), **given)

    called.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {one.name: one.annotation for one in parameters}
    return called


def _added(place: inspect.Parameter) -> list[inspect.Parameter]:
    return [
        inspect.Parameter(name, place.kind, default=None, annotation=annotation)
        for name, annotation in _OPTIONS.items()
    ]


def _as_taken(
    *,
    missing_values: Sequence[str] | None,
    delimiter: str | None,
    types: Sequence[str] | None,
    **others: Any,
) -> dict[str, Any]:
    """Return what the options say, as `open_table` takes it."""
    return {
        "missing_values": column_names(missing_values) or [],
        "delimiter": "\t" if delimiter in ("tab", "\\t") else delimiter,
        "types": _column_types(column_names(types)),
        **others,
    }


def _column_types(given: Sequence[str] | None) -> dict[str, str] | None:
    if given is None:
        return None
    pairs = [one.rpartition("=") for one in given]
    for (column, _, type_), one in zip(pairs, given, strict=True):
        if not column or not type_:
            raise ParameterError(
                f"--types is {one!r}; expected COLUMN=TYPE.", hint="write --types zip=text."
            )
    return {column: type_ for column, _, type_ in pairs}
