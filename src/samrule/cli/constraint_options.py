"""Options that say what a list must obey, and how they become parameters of `learn`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from samrule.checks import PARAMETERS
from samrule.cli.options import column_names
from samrule.errors import FileError, InputError, ParameterError

if TYPE_CHECKING:
    from samrule.rules import Rule

Many = list[str] | None
Forbid = Annotated[
    Many,
    typer.Option(help="Columns or conditions that no rule may use: a,b.", metavar="COL,..."),
]
ForbidTogether = Annotated[
    Many,
    typer.Option(
        help="Columns of which a list may use one at most: age,sex; may be repeated.",
        metavar="COL,COL",
    ),
]
Require = Annotated[
    Many,
    typer.Option(help="Columns or conditions that some rule must use: a,b.", metavar="COL,..."),
]
AtMost = Annotated[
    Many,
    typer.Option(help="Most rules that may use a column: income=1; may be repeated.",
                 metavar="COL=N"),
]  # fmt: skip
First = Annotated[
    Many,
    typer.Option(
        help="A rule fixed at the head of the list, as JSON: "
        '\'{"conditions": [{"column": "age", "op": "<", "value": 18}], "prediction": "no"}\'; '
        "without prediction, its rows choose it; may be repeated.",
        metavar="RULE",
    ),
]
Last = Annotated[
    Many,
    typer.Option(help="A rule fixed at the end, as --first.", metavar="RULE"),
]
Monotone = Annotated[
    Many,
    typer.Option(
        help="Columns that speak for one of two classes alone: income=+1 for the second where it "
        "is high, -1 the other way around; may be repeated.",
        metavar="COL=+1|-1",
    ),
]
MaxColumns = Annotated[
    int | None,
    typer.Option(
        help=f"Most columns that the list may use: {PARAMETERS['max_columns'].expected}.",
        metavar="N",
    ),
]
Together = Annotated[
    Many,
    typer.Option(
        help="Columns used all or not at all: height,weight; may be repeated.", metavar="COL,COL"
    ),
]
ConstraintsFile = Annotated[
    Path | None,
    typer.Option(
        "--constraints",
        help="A JSON file with any of these, under the names of the options.",
        metavar="FILE",
    ),
]
PriceConstraints = Annotated[
    bool,
    typer.Option(
        "--price-constraints",
        help="Tell what each constraint costs: learn once more without each.",
    ),
]


def constraints_of(
    *,
    forbid: Many,
    forbid_together: Many,
    require: Many,
    at_most: Many,
    first: Many,
    last: Many,
    monotone: Many,
    max_columns: int | None,
    together: Many,
    file: Path | None,
) -> dict[str, Any]:
    """Return what the options and the file say, as `learn` takes it."""
    said: dict[str, Any] = {
        "forbid": [*(column_names(forbid) or []), *_sets("forbid-together", forbid_together)],
        "require": column_names(require) or [],
        "at_most": dict(_number("at-most", one) for one in column_names(at_most) or []),
        "first": [_rule("first", one) for one in first or []],
        "last": [_rule("last", one) for one in last or []],
        "monotone": dict(_number("monotone", one) for one in column_names(monotone) or []),
        "together": _sets("together", together),
        "max_columns": max_columns,
    }
    said = {name: one for name, one in said.items() if one not in ([], {}, None)}
    if file is None:
        return said
    written = _read(file)
    for name in said:
        if name in written:
            raise ParameterError(
                f"--{name.replace('_', '-')} is given, and {file} has {name!r} too.",
                hint="say it in one place.",
            )
    return {**written, **said}


def _sets(option: str, given: Many) -> list[tuple[str, ...]]:
    """Return the sets of columns that an option names, one each time it is given."""
    sets = [tuple(column_names([one]) or ()) for one in given or []]
    for text, some in zip(given or [], sets, strict=True):
        if len(some) <= 1:
            raise ParameterError(
                f"--{option} has {text!r}; expected two different columns or more.",
                hint=f"write --{option} age,sex.",
            )
    return sets


def _number(option: str, text: str) -> tuple[str, int]:
    """Return what COL=N says.

    >>> _number("monotone", "income=+1")
    ('income', 1)
    """
    column, _, number = text.rpartition("=")
    try:
        return column, int(number if column else "")
    except ValueError:
        raise ParameterError(
            f"--{option} has {text!r}; expected COL=N with a whole number N.",
            hint=f"write --{option} income=1.",
        ) from None


_RULE = '{"conditions": [{"column": "age", "op": "<", "value": 18}], "prediction": "no"}'


def _rule(option: str, text: str) -> "Rule":
    """Return the rule that JSON on the command line says."""
    try:
        written = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ParameterError(f"--{option} is no JSON: {error}.", hint=f"write '{_RULE}'.") from None
    rule: Rule = _parameters({option: [written]}, "RULE", f"'{_RULE}'")[option][0]
    return rule


def _read(path: Path) -> dict[str, Any]:
    from samrule.export.json import strict_json

    example = '{"forbid": ["zip"], "max_columns": 3}'
    try:
        data = strict_json(path.read_bytes())
    except OSError as error:
        raise FileError(
            f"{path} cannot be read: {error.strerror}.", hint="check the path with ls -l."
        ) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is no JSON: {error}.", hint=f"write {example}.") from None
    return _parameters(data, str(path), example)


def _parameters(data: object, where: str, example: str) -> dict[str, Any]:
    """Return what JSON says as `learn` takes it; people wrote it, so errors show them how."""
    from samrule.learning.constraints_file import parameters_from_dict

    try:
        found = parameters_from_dict(data, where)
    except InputError as error:
        raise InputError(error.message, hint=f"write {example}.") from None
    for name in ("first", "last"):
        for place, rule in enumerate(found.get(name, ())):
            if not rule.conditions:
                raise InputError(
                    f"{where}.{name}[{place}].conditions is []; expected one condition at least.",
                    hint=f"write '{_RULE}'.",
                )
    return found
