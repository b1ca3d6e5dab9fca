"""What the page is answered: every view of a list, of rules, of rows and of other lists."""

from typing import Literal

from pydantic import BaseModel

from samrule.studio.shapes import Condition, RowsOf, Step, Value, What


class ErrorText(BaseModel):
    """What is wrong, and what to do."""

    message: str
    hint: str | None


class ErrorAnswer(BaseModel):
    """The answer to a request that cannot be answered."""

    error: ErrorText


class ClassView(BaseModel):
    """A class to predict."""

    value: Value
    text: str


class ColumnName(BaseModel):
    """A column that rules can ask about."""

    name: str
    type: str
    n_conditions: int


class LeftOutView(BaseModel):
    """A column without conditions, and why."""

    column: str
    reason: str


class GroupColumn(BaseModel):
    """A column with few values."""

    name: str
    n_values: int


class StudioView(BaseModel):
    """What never changes: the table, and what was asked for."""

    version: str
    table: str
    target: str
    classes: list[ClassView]
    columns: list[ColumnName]
    left_out: list[LeftOutView]
    group_columns: list[GroupColumn]
    n_rows: int
    n_test_rows: int
    is_sample: bool
    loss_name: str
    max_rules: int
    max_terms: int
    regularization: float
    n_conditions: int
    dialects: list[str]
    has_costs: bool


class ConditionView(BaseModel):
    """A condition, and how it reads."""

    condition: Condition
    text: str
    has_cut: bool


class RuleOnTest(BaseModel):
    """What a rule does on the rows held out."""

    n_rows: int
    coverage: float
    class_counts: list[int]
    accuracy: float | None


class RuleView(BaseModel):
    """A card."""

    number: int
    conditions: list[ConditionView]
    text: str
    prediction: Value
    prediction_text: str
    chosen: bool
    pinned: bool
    n_rows: int
    coverage: float
    class_counts: list[int]
    class_shares: list[float]
    accuracy: float | None
    price: float | None
    loss_without: float | None
    test: RuleOnTest | None


class CertificateView(BaseModel):
    """What is proven about the list."""

    sentence: str
    proven: bool


class SaidView(BaseModel):
    """Something that is forbidden or required."""

    what: What
    verb: Literal["forbid", "require"]
    text: str


class SearchView(BaseModel):
    """How the search for the best list that obeys ended, and the effort of a longer one."""

    status: str
    proven: bool
    longer: int | None


class TestView(BaseModel):
    """The list on rows held out, in short."""

    n_rows: int
    error_rate: float
    accuracy: float
    loss: float


class EditView(BaseModel):
    """A list with everything that the page shows at once."""

    steps: list[Step]
    rules: list[RuleView]
    text: str
    loss: float
    loss_name: str
    lower_bound: float
    worse_than_best: float | None
    loss_before: float | None
    worse_than_before: float | None
    sentence: str
    certificate: CertificateView
    obeys: bool
    said: list[SaidView]
    other_constraints: list[str]
    search: SearchView | None
    columns: list[str]
    test: TestView | None


class Candidate(BaseModel):
    """A rule that could be in the list, and what the list would lose with it."""

    conditions: list[ConditionView]
    text: str
    prediction: Value
    prediction_text: str
    loss: float
    price: float


class ReplacementsView(BaseModel):
    """Rules for a rule's place, best first."""

    replacements: list[Candidate]


class InsertionsView(BaseModel):
    """Rules to insert, best first."""

    insertions: list[Candidate]


class AdditionsView(BaseModel):
    """A rule with one more condition, best first; what is added stands last."""

    additions: list[Candidate]


class Border(BaseModel):
    """A value where a cut may stand, and what the list would lose with it."""

    value: Value
    text: str
    position: float
    is_condition: bool
    loss: float | None


class Counts(BaseModel):
    """Rows by class."""

    counts: list[int]


class Cut(BaseModel):
    """Where a rule cuts a column."""

    op: str
    value: Value
    text: str
    border: int


class Level(BaseModel):
    """A value of a text column, with its rows by class."""

    value: Value
    text: str
    counts: list[int]


class Others(BaseModel):
    """The levels that are not shown."""

    n_levels: int
    counts: list[int]


class ColumnView(BaseModel):
    """A column's histogram by class, with its cuts."""

    column: str
    type: str
    n_rows: int
    missing: list[int]
    borders: list[Border]
    bins: list[Counts]
    least_text: str | None
    most_text: str | None
    cut: Cut | None
    levels: list[Level]
    others: Others | None
    conditions: list[ConditionView]


class ChosenRule(BaseModel):
    """A rule as the step `choose` takes it."""

    conditions: list[Condition]
    prediction: Value


class ChosenList(BaseModel):
    """A list as the step `choose` takes it, and how it reads."""

    text: str
    rules: list[ChosenRule]
    default: Value


class AlternativeView(ChosenList):
    """A list nearly as good as the best one."""

    loss: float
    n_rules: int
    columns: list[str]


class AlternativesView(BaseModel):
    """All lists nearly as good as the best one."""

    sentence: str
    complete: bool
    out_of_time: bool
    least_loss: float
    most_loss: float
    lists: list[AlternativeView]
    in_all: list[str]
    in_some: list[str]


class WithoutView(ChosenList):
    """The best list without a column."""

    column: str
    loss: float
    price: float
    proven: bool
    sentence: str


class CurvePoint(ChosenList):
    """The best list of at most so many rules."""

    n_rules: int
    loss: float
    proven: bool
    test_error: float | None


class CurveView(BaseModel):
    """Loss against number of rules."""

    points: list[CurvePoint]


class Metrics(BaseModel):
    """How good the list is on some rows."""

    n_rows: int
    error_rate: float
    accuracy: float
    balanced_accuracy: float | None
    auc: float | None
    average_precision: float | None
    log_loss: float | None
    brier: float | None
    precision: list[float | None]
    recall: list[float | None]
    confusion: list[list[float]]
    roc: list[tuple[float, float]] | None


class MetricsView(BaseModel):
    """On the rows held out, and on those learned from."""

    test: Metrics | None
    learned: Metrics


class CostOf(BaseModel):
    """What a list costs on some rows, and where from."""

    cost: float
    n_false_first: int
    n_false_second: int


class BestAtCosts(ChosenList):
    """The best list at a ratio of costs."""

    proven: bool
    learned: CostOf
    test: CostOf | None


class CostsView(BaseModel):
    """A list at a ratio of costs, beside the best one."""

    ratio: float
    sentence: str
    learned: CostOf
    test: CostOf | None
    best: BestAtCosts


class ShareView(BaseModel):
    """A share of rows, with where it lies for rows to come."""

    n_hits: int
    n_rows: int
    value: float | None
    low: float | None
    high: float | None


class ClassInGroupView(BaseModel):
    """What the list says of a class in a group."""

    selected: ShareView
    false_positives: ShareView
    false_negatives: ShareView
    actual: ShareView
    expected: float | None


class GroupView(BaseModel):
    """One group."""

    name: str
    value: Value
    n_rows: int
    errors: ShareView
    classes: list[ClassInGroupView]


class GroupsView(BaseModel):
    """The list group by group."""

    column: str
    rows: RowsOf
    classes: list[str]
    selection_ratios: list[float]
    groups: list[GroupView]


class ComparisonView(BaseModel):
    """Rows on which two lists differ, and who is right there."""

    n_rows: int
    differ: int
    first_right: int
    second_right: int


class CompareView(BaseModel):
    """Two lists on the rows learned from and on those held out."""

    sentence: str
    learned: ComparisonView
    test: ComparisonView | None
    other_text: str
    other_loss: float


class RowView(BaseModel):
    """A row; a value of null is missing."""

    row: int
    values: list[str | None]
    actual: str
    predicted: str
    rule: int
    right: bool


class RowsView(BaseModel):
    """Some of the rows that match."""

    n_rows: int
    columns: list[str]
    rows: list[RowView]


class TrailPart(BaseModel):
    """A rule on the way to the one that decides."""

    number: int
    text: str
    applies: bool
    because: str | None


class ExplanationView(BaseModel):
    """Why a row is predicted as it is."""

    rule: int
    prediction: Value
    prediction_text: str
    probability: float
    actual: str | None
    sentences: list[str]
    trail: list[TrailPart]


class ConfirmView(BaseModel):
    """The list on every row of the table."""

    n_rows: int
    error_rate: float
    sentence: str


class FileView(BaseModel):
    """A file to keep."""

    file_name: str
    media_type: str
    text: str
