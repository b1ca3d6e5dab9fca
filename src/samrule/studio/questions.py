"""What the page asks: the requests of all routes.

A tab keeps the steps of its edit and sends them all each time, so nothing is remembered of any tab.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from samrule.studio.shapes import RowsOf, Step

MOST_STEPS = 2000
RuleNumber = Annotated[int, Field(ge=1, le=10_000)]
Limit = Annotated[int, Field(ge=1, le=200)]


class Request(BaseModel):
    """A question; fields that it does not have are refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Nothing(Request):
    """A question that needs no more words."""


class Steps(Request):
    """A list as a tab has it: all steps since it was learned."""

    steps: Annotated[list[Step], Field(max_length=MOST_STEPS)]


class Load(Request):
    """The text of a file of edits."""

    text: str


class Replacements(Steps):
    """Asks which rules could stand in this one's place."""

    number: RuleNumber
    limit: Limit = 20


class Insertions(Replacements):
    """Asks which rules could be inserted, so that they get this number."""

    contains: Annotated[str, Field(max_length=200)] = ""


class Additions(Insertions):
    """Asks which conditions could be added to this rule."""


class ColumnOf(Steps):
    """Asks what a column looks like, for all rows or those that reach a rule."""

    column: str
    number: RuleNumber | None = None


class AlternativesWithin(Request):
    """Asks which lists are nearly as good as the best one."""

    within: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 0.02
    limit: Annotated[int, Field(ge=1, le=5000)] = 1000
    seconds: Annotated[int, Field(ge=1, le=600)] = 20


class WithoutColumn(Request):
    """Asks what it costs to do without a column."""

    column: str


class CostRatio(Steps):
    """Asks what the list costs if errors of one kind cost so many times those of the other."""

    ratio: Annotated[float, Field(ge=0.01, le=100, allow_inf_nan=False)]


class GroupsOf(Steps):
    """Asks how the list treats the groups of a column."""

    column: str
    rows: RowsOf | None = None


class CompareWith(Steps):
    """Asks where the list differs from another one."""

    other: Annotated[list[Step], Field(max_length=MOST_STEPS)]


class RowsLike(Steps):
    """Asks which rows a rule decides, and which wrongly."""

    rows: RowsOf | None = None
    start: Annotated[int, Field(ge=0, le=10**9)] = 0
    count: Annotated[int, Field(ge=1, le=200)] = 20
    rule: RuleNumber | None = None
    wrong: bool = False


class Explain(Steps):
    """Asks why a row is predicted as it is: one of the table's, or one that was typed."""

    row: Annotated[int, Field(ge=0, le=10**9)] | None = None
    rows: RowsOf | None = None
    values: dict[str, str | None] | None = None


class Export(Steps):
    """The list in other words."""

    to: Literal["model", "json", "sql", "python", "markdown", "report", "edits"]
    dialect: str = "duckdb"
