"""What columns are for: features, target and weights; and whether they can be that."""

import difflib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from samrule.errors import (
    ColumnError,
    InputError,
    Parameter,
    ParameterTypeError,
    TargetError,
    Words,
)
from samrule.sources.counts import Levels


@dataclass(frozen=True, slots=True)
class Roles:
    """Which columns are looked at, which is predicted, and which weighs the rows."""

    features: tuple[str, ...]
    target: str | None
    weights: str | None

    @property
    def used(self) -> tuple[str, ...]:
        """All columns with a role, each once."""
        others = [name for name in (self.target, self.weights) if name is not None]
        return tuple(dict.fromkeys([*self.features, *others]))


def resolved_roles(
    name: str,
    columns: Sequence[str],
    *,
    target: str | None,
    include: Sequence[str] | None,
    exclude: Sequence[str] | None,
    weights: str | None,
) -> Roles:
    """Return the role of each column; raise for names that are unusable or unknown."""
    check_names(name, columns)
    for role, names in (("include", include), ("exclude", exclude)):
        if isinstance(names, str):
            raise ParameterTypeError(
                f"{role} is {names!r}; expected a list of column names.",
                hint=f"write {role}=[{names!r}].",
            )
    for column in [target, weights, *(include or ()), *(exclude or ())]:
        if column is not None:
            check_known(column, columns, name)
    wanted = columns if include is None else [column for column in columns if column in include]
    left_out = {target, weights, *(exclude or ())}
    features = tuple(column for column in wanted if column not in left_out)
    if not features:
        raise InputError(
            f"{name} has no usable columns: {len(columns):,} in all, none left beside the target, "
            "the weights and those left out.",
            hint=Words("check ", Parameter("include"), " and ", Parameter("exclude"), "."),
        )
    return Roles(features, target, weights)


def check_names(name: str, columns: Sequence[str]) -> None:
    """Raise for names that are repeated, or that engines cannot be told."""
    for column, count in Counter(columns).items():
        if count > 1:
            raise InputError(
                f"{name} has more than one column named {column!r}; expected different names.",
                hint="rename or drop the repeated ones.",
            )
        if "\0" in column:
            raise InputError(
                f"{name} has a column named {column!r}; expected names without NUL.",
                hint="rename it: SQL and Arrow would cut the name short there.",
            )
        if not column.isascii() and any("\ud800" <= one <= "\udfff" for one in column):
            raise InputError(
                f"{name} has a column named {column!r}; expected a name of whole characters.",
                hint="read the table with the encoding it was written in, or rename the column.",
            )


def check_known(column: object, columns: Sequence[str], name: str) -> None:
    """Raise if there is no such column, and say which names are near."""
    if not isinstance(column, str):
        raise ParameterTypeError(
            f"a column was named {column!r} ({type(column).__name__}); expected its name as text.",
            hint="columns of tables without names are called x0, x1, and so on.",
        )
    if column in columns:
        return
    near = difflib.get_close_matches(column, columns, n=3, cutoff=0.5)
    same = [other for other in columns if other.strip().lower() == column.strip().lower()]
    near = list(dict.fromkeys([*same, *near]))
    shown = ", ".join(repr(one) for one in (near or columns[:8]))
    raise ColumnError(
        f"{name} has no column {column!r}.",
        hint=f"did you mean {shown}?"
        if near
        else f"the columns are {shown}" + (", ..." if len(columns) > 8 else "."),
    )


def check_target(target: str, levels: Levels) -> None:
    """Raise unless every row has a class and there are at least two."""
    n_rows = sum(levels.counts) + levels.n_missing
    if n_rows == 0:
        raise InputError(
            f"there are no rows, so target column {target!r} holds no class.",
            hint="check the filter or the query that made the table.",
        )
    if levels.n_missing:
        raise TargetError(
            f"target column {target!r} is missing in {levels.n_missing:,} of {n_rows:,} rows; "
            "every row needs a class.",
            hint=Words("pass ", Parameter("missing_target", "drop"), " to leave those rows out."),
        )
    if len(levels.values) < 2:
        raise TargetError(
            f"target column {target!r} holds one class, {levels.values[0]!r}; "
            "expected two or more.",
            hint="with one class there is nothing to learn: always predict it.",
        )


def unused_name(wanted: str, names: Sequence[str]) -> str:
    """Return a name that no column has.

    >>> unused_name("class weight", ["age", "class weight"])
    'class weight_'
    """
    while wanted in names:
        wanted += "_"
    return wanted
