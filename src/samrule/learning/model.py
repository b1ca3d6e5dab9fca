"""What `learn` returns: a rule list to use, and what is known about it."""

import math
import os
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from decimal import ROUND_CEILING
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from samrule.checks import LossName, Strategy
from samrule.conditions import Conditions
from samrule.constraints import NO_CONSTRAINTS, Constraints
from samrule.errors import ColumnError, InputTypeError
from samrule.evaluation import Evaluation, evaluate, evaluation_of_counts
from samrule.learning.advice import (
    Advice,
    empty_promise_advice,
    giveaway_advice,
    one_class_advice,
    unproven_advice,
)
from samrule.learning.alert_rate import AlertRate
from samrule.learning.cross_validation import CrossValidation
from samrule.learning.outcome import Counts
from samrule.learning.promise import accuracy, class_of_lists
from samrule.learning.stage import StageResult
from samrule.learning.task import RowsUsed, Settings
from samrule.objective import ERROR, Objective
from samrule.rules import Condition, Rule, RuleList, column_text, smoothed, value_text
from samrule.rules.meaning import condition_mask, deciding_rules
from samrule.solver import Status
from samrule.sources.base import Source
from samrule.sources.open import open_table
from samrule.theory import Certificate, sample_size
from samrule.theory.rounding import round_down, round_up
from samrule.theory.words import percent_text, probability_text

if TYPE_CHECKING:
    from samrule.editing import Edit
    from samrule.studio.widget import StudioWidget


@dataclass(frozen=True, slots=True)
class FittedRuleList:
    """A rule list learned from a table.

    Parameters
    ----------
    rule_list
        The rules. Their class counts are those of the whole table or of the sample; see `counts`.
    certificate
        What is proven about it.
    trace
        One record per search, in order.
    conditions
        The conditions that were allowed, and the columns left out, each with its reason.
    settings
        What was asked for.
    strategy, reason
        How the list was learned, and why so.
    target
        The column it predicts.
    counts
        ``"table"`` if the class counts of the rules are those of the whole table, ``"sample"`` if
        those of the rows it was learned from.
    class_weight
        How much a row of each class counted, in the order of `classes`; None if all counted alike.
    weights
        The column that weighed the rows; None if there was none.
    rows_used
        How many rows of the table were looked at; None if read from a file that does not say.
    objective
        What was minimized.
    alerts
        On which share of the rows the list may alert, if that was asked for: `objective` holds the
        costs at which the best list does so.
    constraints
        What the list had to obey.
    cross_validation
        What lists of at most 0, 1, 2, ... rules lose on rows held out, if that chose
        `settings.max_rules`; None if the number was asked for.
    source
        The table it was learned from, if it was in this process: `samrule.alternatives` asks it.
        Neither saved nor pickled.
    """

    rule_list: RuleList
    certificate: Certificate
    trace: tuple[StageResult, ...]
    conditions: Conditions
    settings: Settings
    strategy: Strategy
    reason: str
    target: str
    counts: Counts
    weights: str | None
    class_weight: tuple[float, ...] | None
    rows_used: RowsUsed | None
    objective: Objective = ERROR
    alerts: AlertRate | None = None
    constraints: Constraints = NO_CONSTRAINTS
    cross_validation: CrossValidation | None = None
    source: Source | None = field(default=None, repr=False, compare=False)

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave the table behind: it may be an open file, or larger than memory."""
        kept = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "source"}
        return partial(FittedRuleList, **kept), ()

    @property
    def loss_name(self) -> LossName:
        """What was minimized: ``"loss"`` for errors, ``"Brier loss"``, ``"cost"``, ...

        The price of the rules is part of it.
        """
        return self.objective.loss_name

    @property
    def classes(self) -> tuple[Hashable, ...]:
        """The classes, in the order of `predict_proba`'s columns."""
        return self.rule_list.classes

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns a table must have to be predicted."""
        used = [condition.column for rule in self.rule_list for condition in rule.conditions]
        return tuple(dict.fromkeys(used))

    def predict(self, table: Any) -> NDArray[Any]:
        """Return the predicted class of each row.

        Parameters
        ----------
        table
            A source, or anything `open_table` takes, with the columns that the list uses; others
            are not read. Levels never seen before are like any that no condition asks for.
        """
        predictions = [rule.prediction for rule in self.rule_list]
        return _array_of(predictions, self.classes)[self.apply(table)]

    def predict_proba(self, table: Any) -> NDArray[np.float64]:
        """Return the probability of each class for each row: a row per row, a column per class.

        It is the share of the class among the rows that the deciding rule decided, smoothed as if
        one row more of each class had been seen (Laplace): (count + 1) / (support + classes). Rows
        count once here, also if they were weighted: a class that weights made the prediction may
        well have a probability below one half.
        """
        return np.array([smoothed(rule) for rule in self.rule_list])[self.apply(table)]

    def apply(self, table: Any) -> NDArray[np.int64]:
        """Return for each row the number of the rule that decides it, from 0; the default is last.

        Rows keep their order.
        """
        columns = list(self.columns)
        is_source = isinstance(table, Source)
        source = table if is_source else open_table(table, include=columns or None)
        if not columns:
            return np.zeros(source.n_rows, dtype=np.int64)
        decided = [deciding_rules(self.rule_list, batch) for batch in source.scan(columns)]
        return np.concatenate([np.empty(0, dtype=np.int64), *decided])

    def explain(self, row: Mapping[str, Any]) -> "Explanation":
        """Return in words which rule decides a row, and why those before it do not.

        Parameters
        ----------
        row
            A value per column that is asked for until a rule decides; None or NaN where it is
            missing. Other columns may be there or not.
        """
        if not hasattr(row, "keys"):
            raise InputTypeError(
                f"the row is {row!r} ({type(row).__name__}); expected a mapping of column names "
                "to values.",
                hint="write {'age': 40, 'city': 'Padova'}; of a dataframe take frame.iloc[0].",
            )
        values = dict(row)
        failed: list[Condition] = []
        for number, rule in enumerate(self.rule_list):
            for one in rule.conditions:
                _check_given(one.column, values, number)
            failing = next((one for one in rule.conditions if not _holds(one, values)), None)
            if failing is None:
                return Explanation(self, values, number, tuple(failed))
            failed.append(failing)
        raise AssertionError("the default has no conditions to fail")

    def evaluate(
        self,
        table: Any,
        target: Any = None,
        weights: Any = None,
        *,
        groups: str | None = None,
    ) -> Evaluation:
        """Return the exact quality of the list on a table, by default for the target learned.

        With `groups`, a column such as sex, for each of its values too (`Evaluation.audit`).
        """
        if target is None and not (isinstance(table, Source) and table.target):
            target = self.target
        return evaluate(self.rule_list, table, target, weights, groups=groups)

    def edit(self, table: Any = None) -> "Edit":
        """Return the list to change step by step, each step with its exact loss.

        Parameters
        ----------
        table
            The table it was learned from; not needed if it was learned in this process.
        """
        from samrule.editing import edit_of

        return edit_of(self, table)

    def studio(self, table: Any = None, test: Any = None) -> "StudioWidget":
        """Return the studio, for a notebook to show: a page to argue with the list.

        Its `edit` is the list as the page shows it. It needs the extra ``samrule[notebook]``;
        without a notebook, ``samrule studio`` opens the same page.

        Parameters
        ----------
        table
            The table it was learned from; not needed if it was learned in this process.
        test
            A table with rows that it was not learned from, to judge lists on.
        """
        from samrule.studio.notebook import notebook_studio

        return notebook_studio(self, table, test)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as JSON (docs/model.schema.json); `samrule.load` reads it.

        The file is written whole or not at all, and holds no times: the same run gives the same
        bytes.
        """
        from samrule.learning.model_file import save

        save(self, path)

    def report(
        self,
        path: str | os.PathLike[str],
        table: Any = None,
        target: Any = None,
        *,
        unseen: bool = False,
        groups: str | None = None,
        prices: bool = False,
    ) -> None:
        """Write one HTML page about the model: rules, certificate, errors, and a row to try.

        Parameters
        ----------
        path
            Where to; the file is written whole or not at all, and needs no network.
        table, target
            A table to count rows on, as in `evaluate`; by default the rows the model knows.
        unseen
            Whether the list never saw the rows of that table, neither to learn nor to be chosen:
            then the page shows what they say about rows to come.
        groups
            A column of that table, such as sex: figures for each of its values.
        prices
            Whether to tell what leaving out each column would cost on that table: a search each.
        """
        from samrule.report import write_report

        write_report(self, path, table, target, unseen=unseen, groups=groups, prices=prices)

    def _repr_html_(self) -> str:
        from samrule.report import snippet

        return snippet(self)

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        """Show the rules in IPython too, and not every field."""
        printer.text(str(self))

    def __str__(self) -> str:
        found = self.advice
        advice = [] if found is None else ["", found.what, f"Hint: {found.hint}"]
        return "\n".join(
            [
                *_lines(self),
                "",
                self.certificate.bounds_sentence,
                self.certificate.promise_sentence,
                *([] if self.alerts_sentence is None else [self.alerts_sentence]),
                self.shape,
                *advice,
            ]
        )

    @property
    def advice(self) -> Advice | None:
        """What to do if the list is of little use; None if there is nothing to say.

        It predicts one class for every row, any list is as good as promised, one column tells
        every class and may have been made from the target, or the search was stopped before it
        proved what was asked for.
        """
        return (
            self.one_class_advice
            or giveaway_advice(self.rule_list, self.target, counts=self.counts)
            or self._promise_advice
            or unproven_advice(self.settings, self.certificate, self.trace[-1].status)
        )

    @property
    def _promise_advice(self) -> Advice | None:
        if self.objective.is_f1:
            return None
        counts = [rule.weighted_counts or rule.class_counts for rule in self.rule_list]
        of_class = [float(sum(some)) for some in zip(*counts, strict=True)]
        whole = self.objective.loss_without_rules(of_class)
        return empty_promise_advice(self.settings, self.certificate, whole)

    @property
    def one_class_advice(self) -> Advice | None:
        """What to do if the list predicts one class for every row; None if it does not."""
        return one_class_advice(
            self.rule_list,
            self.settings,
            counts=self.counts,
            is_weighted_by_class=self.class_weight is not None,
            objective=self.objective,
            was_stopped=self.trace[-1].status is not Status.OPTIMAL,
            limits_alerts=self.alerts is not None,
        )

    @property
    def alert_class(self) -> Hashable | None:
        """The class that the list alerts on; None if no rate of alerts was asked for."""
        return None if self.alerts is None else self.classes[self.alerts.place]

    @property
    def most_found(self) -> float | None:
        """Which share of the class alerted on any list can find that keeps to the rate, at most.

        None if no rate was asked for, or the class was not counted on the whole table.

        Guarantee
        ---------
        That of the certificate's `lower_bound`, for all lists of this shape (docs/theory/ratios.md,
        "least_missed").
        """
        if self.alerts is None or self.counts != "table":
            return None
        of_class = sum(rule.class_counts[self.alerts.place] for rule in self.rule_list)
        share = Fraction(of_class) / Fraction(self.rule_list.support)
        paid = self.settings.max_rules * self.settings.regularization
        missed = self.alerts.least_missed(
            round_down(self.certificate.lower_bound - paid), self.objective, share
        )
        return round_up(float(1 - missed / share))

    @property
    def alerts_sentence(self) -> str | None:
        """What no list finds that keeps to the rate of alerts; None as for `most_found`."""
        if self.alerts is None or self.most_found is None or self.evaluation is None:
            return None
        certificate, found = self.certificate, self.evaluation.alerts(self.alert_class)
        sure = certificate.argument == "exact"
        start = "No" if sure else f"With probability {probability_text(certificate.delta)}, no"
        most = percent_text(self.most_found, ROUND_CEILING, 3)
        return (
            f"{start} rule list of this shape that alerts on at most {100 * self.alerts.share:g} % "
            f"of the rows finds more than {most} of class {value_text(self.alert_class)}; this one "
            f"alerts on {100 * found.rate:.3g} % and finds {100 * found.recall:.3g} %."
        )

    @property
    def evaluation(self) -> Evaluation | None:
        """What the list does on the rows that its class counts count, each counted once.

        `counts` says which rows these are. None if they are not known, as for a list learned from
        weighted rows whose run was interrupted.
        """
        return evaluation_of_counts(self.rule_list)

    @property
    def path(self) -> tuple[float, ...]:
        """Least loss of lists with at most 0, 1, 2, ... rules, on the rows of the last search.

        Of those searches that tell it for most rules: one that weighs rows does not.
        """
        return max(reversed(self.trace), key=lambda stage: len(stage.path)).path

    @property
    def was_interrupted(self) -> bool:
        """Whether Ctrl-C ended the run."""
        return self.trace[-1].status is Status.INTERRUPTED

    @property
    def validation_rows(self) -> int:
        """Rows drawn to check lists on, in all stages together."""
        return sum(stage.validation_rows for stage in self.trace)

    @property
    def spare_rows(self) -> int:
        """Rows drawn that no proof rests on: held back, or drawn ahead."""
        if self.rows_used is None:
            return 0
        certificate = self.certificate
        used = certificate.pilot_rows + certificate.train_rows + self.validation_rows
        return max(0, self.rows_used.drawn - used)

    @property
    def paper_rows(self) -> int | None:
        """Rows that the paper's theorem asks for (m^), for the same promise about the same lists.

        As many as ``strategy="paper"`` draws where no `min_support` is asked for. None if there are
        no conditions to choose from, it is not errors that were minimized, or no epsilon was asked
        for.
        """
        is_asked = self.objective.is_error and self.settings.epsilon is not None
        if not len(self.conditions) or not is_asked:
            return None
        lists = class_of_lists(self.settings, self.conditions, self.classes, self.constraints)
        return sample_size(**lists, **accuracy(self.settings))

    @property
    def weighting(self) -> str | None:
        """How rows were weighted to learn, in words; None if every row counted once."""
        ways = [f"column {column_text(self.weights)}"] if self.weights is not None else []
        ways += ["class"] if self.class_weight is not None else []
        if not ways and self.certificate.weighted:
            return "weighted"  # Files of the first version do not say by what.
        return f"weighted by {' and by '.join(ways)}" if ways else None

    def has_counted(self, evaluation: Evaluation) -> bool:
        """Whether an evaluation counted just what was counted to learn: most likely the same rows.

        False if the model knows its sample only.
        """
        known = [rule.class_counts for rule in self.rule_list]
        return self.counts == "table" and known == [one.row_counts for one in evaluation.rules]

    @property
    def shape(self) -> str:
        """The lists that the certificate compares with, in a sentence."""
        max_rules, pilot_rows = self.settings.max_rules, self.certificate.pilot_rows
        if max_rules == 0:
            return f"This shape: no rules, the default alone{self._obedience}."
        origin = f"settled on {pilot_rows:,} rows beforehand" if pilot_rows else "given"
        return (
            f"This shape: at most {max_rules} rules of at most {self.settings.max_terms} of the "
            f"{len(self.conditions):,} conditions {origin}{self._support}{self._obedience}."
        )

    @property
    def _obedience(self) -> str:
        return f"; lists that obey: {self.constraints}" if self.constraints else ""

    @property
    def _support(self) -> str:
        least = self.settings.min_support
        if not least:
            return ""
        weighted = " in weight" if self.class_weight or self.weights else ""
        amount = (
            f"{100 * least:.10g} % of the rows{weighted}" if least < 1 else f"{least:,.0f} rows"
        )
        return f", each rule deciding at least {amount}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a row is predicted as it is; its text tells the story.

    Parameters
    ----------
    fitted
        The model.
    row
        The values.
    rule_number
        The rule that decides, from 0; the default is last.
    failed
        For each rule before it, the first of its conditions that does not hold.
    """

    fitted: FittedRuleList
    row: dict[str, Any]
    rule_number: int
    failed: tuple[Condition, ...]

    @property
    def rule(self) -> Rule:
        """The rule that decides."""
        return list(self.fitted.rule_list)[self.rule_number]

    @property
    def prediction(self) -> Hashable:
        """The predicted class."""
        return self.rule.prediction

    @property
    def probability(self) -> float:
        """The (smoothed) probability of the predicted class."""
        return smoothed(self.rule)[self.fitted.classes.index(self.prediction)]

    def __str__(self) -> str:
        lines = [
            f"Rule {number} does not apply: {condition} does not hold ({self._value(condition)})."
            for number, condition in enumerate(self.failed, start=1)
        ]
        rule = self.rule
        if rule.conditions:
            reasons = " and ".join(f"{one} ({self._value(one)})" for one in rule.conditions)
            lines.append(f"Rule {self.rule_number + 1} applies: {reasons}.")
        else:
            lines.append("No rule applies, so the default decides.")
        lines.append(f"Prediction: {rule.prediction}, with probability {self.probability:.1%}.")
        return "\n".join(lines)

    def _value(self, condition: Condition) -> str:
        missing = _column_of(condition.column, self.row).null_count
        shown = "missing" if missing else value_text(self.row[condition.column])
        return f"{column_text(condition.column)} is {shown}"


def _array_of(values: list[Hashable], classes: tuple[Hashable, ...]) -> NDArray[Any]:
    """Return values as an array: of numpy's own type if all classes are of one plain kind."""
    kinds = {type(one) for one in classes}
    # numpy's texts end before a NUL that comes last.
    cut_short = any(isinstance(one, str) and one.endswith("\0") for one in classes)
    if len(kinds) == 1 and kinds <= {bool, int, float, str} and not cut_short:
        # Of all classes, so that the type never depends on which of them are predicted.
        return np.array([*values, *classes])[: len(values)]
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _check_given(column: str, row: Mapping[str, Any], number: int) -> None:
    if column not in row:
        raise ColumnError(
            f"the row has no value for {column!r}; rule {number + 1} asks for it.",
            hint="give None if it is missing.",
        )


def _holds(condition: Condition, row: Mapping[str, Any]) -> bool:
    return bool(condition_mask(condition, _column_of(condition.column, row))[0])


def _column_of(name: str, row: Mapping[str, Any]) -> Any:
    """Return one value as an Arrow array; None and NaN as a missing one."""
    try:
        return pa.array([row[name]], from_pandas=True)
    except (pa.ArrowException, OverflowError) as error:
        raise InputTypeError(
            f"the row's value for {name!r} is {row[name]!r} ({type(row[name]).__name__}), which is "
            f"no column value: {error}",
            hint="give a number, text, a date, a time, True, False or None.",
        ) from None


def _lines(fitted: FittedRuleList) -> Iterator[str]:
    """Yield a line per rule, with the share of the rows it decides and how often it is right."""
    lines, counted = fitted.rule_list.lines, fitted.evaluation
    if counted is None:
        yield from lines
        return
    width = max(len(line) for line in lines)
    rare = "" if counted.rare_class is None else value_text(counted.rare_class)
    for number, (line, rule) in enumerate(zip(lines, counted.rules, strict=True)):
        right = "-" if math.isnan(rule.accuracy) else f"{rule.accuracy:.1%}"
        raised = "" if counted.lifts is None else f", {rare} in {counted.lifts[number]}"
        yield f"{line:<{width}}  # covers {rule.coverage:.1%}, right in {right}{raised}"
