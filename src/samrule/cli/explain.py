"""`samrule explain`: why a model says what it says of one row."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from samrule.cli.model_view import load_model
from samrule.cli.options import Model
from samrule.cli.screen import plain, screen
from samrule.errors import ColumnError, ParameterError
from samrule.export.json import shown
from samrule.rules import ColumnType
from samrule.rules.typed_value import EXAMPLES, value_typed

if TYPE_CHECKING:
    from samrule.learning import FittedRuleList


def explain(
    model: Model,
    *,
    row: Annotated[
        list[str],
        typer.Option(
            help="The row: a JSON object, or COLUMN=VALUE, repeated; nothing after = is missing.",
            metavar="JSON|COL=VALUE",
        ),
    ],
) -> None:
    """Say in words which rule decides a row, and why those before it do not.

    The row needs a value only for the columns that are asked for until a rule decides.

    [bold]Examples[/]

    [green]samrule explain model.json --row '{"age": 40, "city": "Padova"}'[/]
    [green]samrule explain model.json --row age=40 --row city=Padova[/]
    """
    fitted = load_model(model)
    types = _column_types(fitted)
    given = _row(row, fitted)
    values = {name: _typed(name, value, types.get(name)) for name, value in given.items()}
    try:
        explanation = fitted.explain(values)
    except ColumnError as error:
        raise ColumnError(
            error.message, hint="add --row COLUMN=VALUE; nothing after = means missing."
        ) from None
    screen().print(plain(explanation))


def _row(given: Sequence[str], fitted: "FittedRuleList") -> dict[str, Any]:
    """Return the row as it was written: JSON if it looks so, else names and texts.

    JSON is often a whole row of some table, and may have columns that the model never saw; a name
    typed by hand that it never saw is a slip.
    """
    if len(given) == 1 and "=" not in given[0].partition("{")[0]:
        return _from_json(given[0])
    pairs = _pairs(given)
    _check_names(pairs, fitted)
    return pairs


def _pairs(given: Sequence[str]) -> dict[str, Any]:
    pairs: dict[str, Any] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals:
            raise ParameterError(
                f"--row is {one!r}; expected COLUMN=VALUE.", hint="write --row age=40."
            )
        if name in pairs:
            raise ParameterError(
                f"--row names the column {name!r} twice; expected it once.",
                hint="leave one of them out.",
            )
        pairs[name] = value or None
    return pairs


def _from_json(text: str) -> dict[str, Any]:
    hint = """write --row '{"age": 40, "city": "Padova"}', or --row age=40 --row city=Padova."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ParameterError(
            f"--row is {shown(text)}; expected COLUMN=VALUE or a JSON object: {error}.", hint=hint
        ) from None
    if not isinstance(found, dict):
        raise ParameterError(f"--row is {shown(text)}; expected a JSON object.", hint=hint)
    return found


def _column_types(fitted: "FittedRuleList") -> dict[str, ColumnType]:
    """Return what kind of values each column holds that the rules ask for."""
    return {
        condition.column: ColumnType(condition.type)
        for condition in fitted.conditions
        if condition.type is not None and condition.column in fitted.columns
    }


def _check_names(values: dict[str, Any], fitted: "FittedRuleList") -> None:
    """Raise for a column the model has never heard of."""
    from samrule.sources.roles import check_known

    known = [*fitted.conditions.columns, *(one.column for one in fitted.conditions.left_out)]
    for name in values:
        check_known(name, [*known, fitted.target], "the model's table")


def _typed(name: str, value: Any, type_: ColumnType | None) -> Any:
    """Return a value as the column holds it: the command line knows text only."""
    try:
        return value_typed(name, value, type_)
    except ParameterError as error:
        assert type_ is not None
        example = f"{name}={EXAMPLES[type_]}"
        raise ParameterError(error.message, hint=f"for example --row '{example}'.") from None
