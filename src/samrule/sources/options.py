"""`TableOptions`: what `open_table` is told beside the data, checked."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from samrule.errors import Parameter, ParameterError, ParameterTypeError, Words
from samrule.sources.roles import Roles, resolved_roles
from samrule.sources.text_format import TextFormat


@dataclass(frozen=True)
class TableOptions:
    """What the caller says beside the data; the parameters of `open_table` under their own names.

    Parameters
    ----------
    target, weights
        Names of columns; for tables in memory also arrays.
    query, include, exclude, sheet
        As given.
    missing_target
        ``"error"`` or ``"drop"``.
    missing_values
        Texts that mean a value is missing.
    text_format
        How CSV is written.
    """

    target: Any
    query: str | None
    include: Sequence[str] | None
    exclude: Sequence[str] | None
    weights: Any
    missing_target: str
    missing_values: Sequence[str]
    text_format: TextFormat
    sheet: str | None

    def __post_init__(self) -> None:
        if self.missing_target not in ("error", "drop"):
            raise ParameterError(
                Words(
                    Parameter("missing_target"),
                    f" is {self.missing_target!r}; expected 'error' or 'drop'.",
                ),
                hint="'drop' leaves rows without a class out.",
            )
        object.__setattr__(self, "missing_values", _texts(self.missing_values))

    def roles(self, name: str, columns: Sequence[str]) -> Roles:
        """Return the role of each column."""
        if self.missing_target == "drop" and self.target is None:
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
    def required(self) -> str | None:
        """The column that every row must have a value in: rows without one are left out."""
        return self.target if self.missing_target == "drop" else None

    def check_kind(self, name: str, kind: str) -> None:
        """Raise for options that a file of this kind has no use for."""
        if self.query is not None and kind != "database":
            raise ParameterError(
                Words(
                    Parameter("query"),
                    f" is given for {name}; only database files are queried here.",
                ),
                hint=Words(
                    "use ",
                    Parameter("include"),
                    " and ",
                    Parameter("exclude"),
                    ", or open a DuckDB relation.",
                ),
            )
        if self.text_format.given and kind not in {"csv", "excel"}:
            raise ParameterError(
                f"{', '.join(self.text_format.given)} is given for {name}; only CSV has use for "
                "it.",
                hint="leave it out.",
            )
        if self.sheet is not None and kind != "excel":
            raise ParameterError(
                Words(Parameter("sheet"), f" is given for {name}; only Excel files have sheets."),
                hint="leave it out.",
            )


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
