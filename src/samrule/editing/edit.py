"""A list that people change step by step, each step a new value with its exact loss."""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING
from functools import cached_property
from typing import Any

from samrule.constraints import NO_CONSTRAINTS, Constraints, checked_constraints
from samrule.editing.comparison import Comparison, compared
from samrule.editing.improved import improved
from samrule.editing.replacements import Replacement, best_lists
from samrule.editing.steps import Step, read_steps, written_steps
from samrule.editing.workbench import Workbench, workbench_of
from samrule.errors import InputError, Parameter, ParameterError, Words
from samrule.evaluation import Evaluation, evaluate
from samrule.learning import FittedRuleList
from samrule.learning.promise import promise
from samrule.rules import Condition, Operator, Rule, RuleList, column_text
from samrule.solver import Solution, Status
from samrule.theory import certify
from samrule.theory.words import percent_text


@dataclass(frozen=True)
class Edit:
    """A list as people changed it, with its exact loss on the rows in memory.

    Every change returns a new value and leaves this one as it is; `undo` returns the one before.
    Rules are numbered from 1, as they are shown. A rule predicts what fits the rows it decides
    unless `relabel` said otherwise.

    Parameters
    ----------
    fitted
        The list that was learned.
    workbench
        The rows in memory.
    rules
        The rules, without counts; a prediction of None is what fits best.
    default
        What is predicted where no rule applies; None is what fits best.
    pinned
        Rules that stay when the rest is optimized anew: at the head of the list, in this order.
    constraints
        What people said of columns and conditions, for `reoptimize` to obey.
    step
        What was done to get here; None at the beginning.
    before
        The value that was changed; None at the beginning.
    solution
        What the search found and proved, if the step was `reoptimize`.

    Examples
    --------
    >>> import numpy as np, pyarrow as pa, samrule
    >>> rng = np.random.default_rng(0)
    >>> age, wait = rng.integers(18, 80, 1000), rng.integers(0, 60, 1000)
    >>> happy = (wait < 20) ^ (age < 25) ^ (rng.random(1000) < 0.1)
    >>> guests = pa.table({"age": age, "wait": wait, "happy": happy})
    >>> edit = samrule.learn(guests, "happy", max_rules=3).edit()
    >>> without = edit.forbid("age").reoptimize()
    >>> print(without.rule_list)
    if wait >= 20 then False
    else True
    >>> print(without.sentence)  # doctest: +NORMALIZE_WHITESPACE
    Loss 0.2031, 37.1 % worse than before, 0.1482; at most 37.1 % worse than the best possible list,
    0.1482.
    >>> without.undo().undo() == edit
    True
    """

    fitted: FittedRuleList
    workbench: Workbench
    rules: tuple[Rule, ...]
    default: Hashable | None = None
    pinned: tuple[Rule, ...] = ()
    constraints: Constraints = NO_CONSTRAINTS
    step: Step | None = None
    before: "Edit | None" = None
    solution: Solution | None = None

    @cached_property
    def _judged(self) -> tuple[RuleList, float]:
        return self.workbench.judged(self.rules, self.default)

    @property
    def rule_list(self) -> RuleList:
        """The list, with the rows of each class that each rule decides."""
        return self._judged[0]

    @property
    def loss(self) -> float:
        """Its loss on the rows in memory, counted on each of them."""
        return self._judged[1]

    @property
    def best(self) -> Solution:
        """The best list there is on these rows, whatever people want, with its proof.

        Of as many rules as were asked for, or as this list has.
        """
        return self.workbench.best(self._max_rules)

    @property
    def _max_rules(self) -> int:
        return max(self.fitted.settings.max_rules, len(self.rules))

    @property
    def lower_bound(self) -> float:
        """No list of the conditions that were learned from has a smaller loss on these rows."""
        bounds = [self.best.lower_bound, self.workbench.proven(self._max_rules)]
        if self.solution is not None and not (self.constraints or self.pinned):
            # A search that had nothing to obey is one for the best list of all.
            bounds.append(self.solution.lower_bound)
        return max(bounds)

    @property
    def worse_than_best(self) -> float:
        """By how much the loss is greater than `lower_bound` at most, as a share of it."""
        return _above(self.loss, self.lower_bound)

    @property
    def worse_than_before(self) -> float:
        """By how much the loss is greater than before the step, as a share; below 0 if smaller."""
        return 0.0 if self.before is None else _above(self.loss, self.before.loss)

    @property
    def sentence(self) -> str:
        """What the list loses, beside the list before and the best one possible."""
        parts = [f"Loss {self.loss:.4g}"]
        if self.before is not None:
            worse = self.worse_than_before
            how = "as before" if worse == 0 else f"{_share(abs(worse))} than before"
            how = how.replace(" than", " worse than" if worse > 0 else " better than")
            parts[0] += f", {how}" + ("" if worse == 0 else f", {self.before.loss:.4g}")
        least = f"the best possible list, {self.lower_bound:.4g}"
        if self.best.status is not Status.OPTIMAL and self.best.loss > self.lower_bound:
            least = f"the best possible list, of which at least {self.lower_bound:.4g} is proven"
        if self.loss < self.lower_bound:
            # By a cut that was moved, or a condition more than the rules learned have.
            parts.append(
                f"better than any list of the shape that was learned, {self.lower_bound:.4g}"
            )
        elif self.loss == self.lower_bound:
            parts.append(f"no worse than {least}")
        else:
            parts.append(f"at most {_share(self.worse_than_best)} worse than {least}")
        return "; ".join(parts) + "."

    @property
    def obeys(self) -> bool:
        """Whether the list obeys what was said of columns and conditions."""
        return self.constraints.obeyed_by(self.rule_list)

    # Changes of the list.

    def replace(self, number: int, conditions: Condition | Sequence[Condition]) -> "Edit":
        """Return the list with other conditions in a rule, which predicts what fits."""
        rule = Rule(_conditions(conditions), None)
        return self._with_rule(Step("replace", (number, rule.conditions)), number, rule)

    def insert(self, number: int, conditions: Condition | Sequence[Condition]) -> "Edit":
        """Return the list with a new rule that gets this number; one more is added at the end."""
        if not 1 <= number <= len(self.rules) + 1:
            raise _no_rule(number, len(self.rules) + 1)
        rule = Rule(_conditions(conditions), None)
        rules = [*self.rules[: number - 1], rule, *self.rules[number - 1 :]]
        return self._changed(Step("insert", (number, rule.conditions)), rules)

    def add_condition(self, number: int, condition: Condition) -> "Edit":
        """Return the list with one more condition in a rule, all of which must hold then.

        A class that `relabel` gave the rule stays.
        """
        rule = self.rules[self.place_of(number)]
        if condition in rule.conditions:
            raise ParameterError(
                f"rule {number} has the condition {condition} already: {rule}.",
                hint="add another one.",
            )
        more = replace(rule, conditions=(*rule.conditions, condition))
        return self._with_rule(Step("add_condition", (number, condition)), number, more)

    def remove(self, number: int) -> "Edit":
        """Return the list without a rule, which is no longer pinned either."""
        place = self.place_of(number)
        rules = [*self.rules[:place], *self.rules[place + 1 :]]
        pinned = tuple(one for one in self.pinned if one != self.rules[place])
        return self._changed(Step("remove", (number,)), rules, pinned=pinned)

    def reorder(self, numbers: Sequence[int]) -> "Edit":
        """Return the list with its rules in another order: the numbers that they have now."""
        if sorted(numbers) != list(range(1, len(self.rules) + 1)):
            raise ParameterError(
                f"the order is {list(numbers)!r}; expected each number from 1 to "
                f"{len(self.rules)} once.",
                hint="write the numbers that the rules have now in their new order.",
            )
        rules = [self.rules[number - 1] for number in numbers]
        return self._changed(Step("reorder", (tuple(numbers),)), rules)

    def relabel(self, number: int, prediction: Hashable | None) -> "Edit":
        """Return the list with another class predicted by a rule; None is what fits.

        The default has the number after the last rule.
        """
        self._check_class(prediction)
        step = Step("relabel", (number, prediction))
        if number == len(self.rules) + 1:
            return self._changed(step, self.rules, default=prediction)
        rule = replace(self.rules[self.place_of(number)], prediction=prediction)
        return self._with_rule(step, number, rule)

    def move_threshold(self, number: int, column: str, value: Any) -> "Edit":
        """Return the list with another cut in a rule's condition on a column."""
        rule = self.rules[self.place_of(number)]
        cut = [one for one in rule.conditions if one.column == column and has_cut(one)]
        if not cut:
            raise ParameterError(
                f"rule {number} cuts no column {column!r}: {rule}.",
                hint="replace the rule to ask for something else.",
            )
        if len(cut) > 1:
            raise ParameterError(
                f"rule {number} cuts {column_text(column)} more than once: {rule}.",
                hint="replace the rule, with both cuts.",
            )
        moved = tuple(
            Condition(one.column, one.op, value, one.type) if one is cut[0] else one
            for one in rule.conditions
        )
        step = Step("move_threshold", (number, column, value))
        return self._with_rule(step, number, replace(rule, conditions=moved))

    def choose(self, rules: RuleList | Sequence[Rule], default: Hashable | None = None) -> "Edit":
        """Return another list in place of this one, such as one of `samrule.alternatives`.

        Pinned rules that it does not have are no longer pinned.
        """
        if isinstance(rules, RuleList):
            return self.choose(rules.rules, rules.default.prediction)
        for rule in rules:
            self._check_class(rule.prediction)
            _conditions(rule.conditions)
        self._check_class(default)
        # What fits is not said, so that it stays what fits.
        plain = [Rule(rule.conditions, None) for rule in rules]
        fitting = self.workbench.judged(plain)[0]
        said = [
            replace(one, prediction=rule.prediction if rule.prediction != fit.prediction else None)
            for one, rule, fit in zip(plain, rules, fitting.rules, strict=True)
        ]
        default = default if default != fitting.default.prediction else None
        pinned = tuple(one for one in self.pinned if one in said)
        step = Step("choose", (tuple(said), default))
        return self._changed(step, said, default=default, pinned=pinned)

    # What people say, for `reoptimize`.

    def pin(self, number: int) -> "Edit":
        """Return the value with a rule that stays: at the head of the list, after earlier pins."""
        rule = self.rules[self.place_of(number)]
        if rule in self.pinned:
            raise ParameterError(f"rule {number} is pinned already.", hint="pin another one.")
        return self._changed(Step("pin", (number,)), self.rules, pinned=(*self.pinned, rule))

    def unpin(self, number: int) -> "Edit":
        """Return the value with a rule that need not stay any longer."""
        rule = self.rules[self.place_of(number)]
        if rule not in self.pinned:
            raise ParameterError(f"rule {number} is not pinned.", hint="unpin another one.")
        pinned = tuple(one for one in self.pinned if one != rule)
        return self._changed(Step("unpin", (number,)), self.rules, pinned=pinned)

    def forbid(self, what: str | Condition | tuple[str, ...]) -> "Edit":
        """Return the value with a column or condition forbidden; of several columns, together."""
        return self._saying("forbid", what)

    def require(self, what: str | Condition) -> "Edit":
        """Return the value with a column or condition required."""
        return self._saying("require", what)

    def _saying(self, name: str, what: Any) -> "Edit":
        said = self.constraints.parameters()
        said[name] = (*said[name], what)
        constraints = checked_constraints(**said)
        return self._changed(Step(name, (what,)), self.rules, constraints=constraints)

    def allow(self, what: str | Condition | tuple[str, ...]) -> "Edit":
        """Return the value without something that was forbidden or required."""
        said = self.constraints.parameters()
        if what not in (*said["forbid"], *said["require"]):
            raise ParameterError(
                f"{_what_text(what)} is neither forbidden nor required.",
                hint="name it as it was forbidden or required.",
            )
        for name in ("forbid", "require"):
            said[name] = tuple(one for one in said[name] if one != what)
        return self._changed(
            Step("allow", (what,)), self.rules, constraints=checked_constraints(**said)
        )

    def reoptimize(self, effort: int = 1, *, time_limit: float | None = None) -> "Edit":
        """Return the best list that obeys what was said: pins, what is forbidden and required.

        It has at most as many rules as were asked for, or as this list has. `solution` tells
        whether it is proven that none that obeys is better.

        Parameters
        ----------
        effort
            How many times longer than usual to search where searches are limited, as in the
            studio: elsewhere they go on until the best list is proven.
        time_limit
            Seconds; None for no limit.
        """
        if effort < 1:
            raise ParameterError(
                Words(Parameter("effort"), f" is {effort}; expected 1 or more."),
                hint="1 searches as long as usual.",
            )
        solution = self.workbench.solved_within(
            self.constraints,
            self.pinned,
            max_rules=self._max_rules,
            time_limit=time_limit,
            effort=effort,
        )
        fixed = (*self.constraints.first, *self.pinned)
        rules: Sequence[Rule] = [*fixed, *_unsaid(solution.rule_list.rules[len(fixed) :])]
        if solution.status is not Status.OPTIMAL:
            rules = self._improved(rules)
        return self._changed(Step("reoptimize", (effort,)), rules, default=None, solution=solution)

    def _improved(self, rules: Sequence[Rule]) -> Sequence[Rule]:
        """Return the best list that obeys and is found by changing good ones rule by rule."""
        fixed = (*self.constraints.first, *self.pinned)
        here = [one if one in fixed else Rule(one.conditions, None) for one in self.rules]
        starts = [rules, here]
        if self.constraints.require and len(fixed) < self._max_rules:
            # A good list that obeys with one rule more.
            fewer = self.workbench.best(self._max_rules - len(fixed) - 1).rule_list.rules
            starts.append([*fixed, *_unsaid(fewer)])
        return improved(
            self.workbench,
            starts,
            replace(self.constraints, first=fixed),
            max_rules=self._max_rules,
        )

    def replacements(self, number: int, limit: int = 20) -> list[Replacement]:
        """Return the best rules to put in a rule's place, the others as they are.

        Each knows the loss of the list with it, and how much that is above the loss now.
        """
        place = self.place_of(number)
        others = [*self.rules[:place], *self.rules[place + 1 :]]
        now = self.rules[place].conditions
        found = self._with_one_more(others, place, limit + 1)
        return [one for one in found if one.rule.conditions != now][:limit]

    def insertions(self, number: int, limit: int = 20, contains: str = "") -> list[Replacement]:
        """Return the best rules to insert, so that they get this number.

        With `contains`, those with a condition whose text does.
        """
        if not 1 <= number <= len(self.rules) + 1:
            raise _no_rule(number, len(self.rules) + 1)
        return self._with_one_more(self.rules, number - 1, limit, contains)

    def additions(self, number: int, limit: int = 20, contains: str = "") -> list[Replacement]:
        """Return a rule with the best conditions to add, each last in its rule.

        With `contains`, those whose text does. Conditions that hold on all rows that the rule
        decides, or on none, are left out.
        """
        place = self.place_of(number)
        others = [*self.rules[:place], *self.rules[place + 1 :]]
        return self._with_one_more(others, place, limit, contains, given=self.rules[place])

    def _with_one_more(
        self, others: Sequence[Rule], place: int, limit: int, contains: str = "", **options: Any
    ) -> list[Replacement]:
        found = best_lists(
            self.workbench,
            others,
            place,
            default=self.default,
            limit=limit,
            contains=contains,
            **options,
        )
        return [
            Replacement(rule_list.rules[place], loss, loss - self.loss) for rule_list, loss in found
        ]

    @property
    def prices(self) -> tuple[float, ...]:
        """What the list would lose more without each rule, the others as they are."""
        without = (
            self.workbench.judged([*self.rules[:place], *self.rules[place + 1 :]], self.default)[1]
            for place in range(len(self.rules))
        )
        return tuple(loss - self.loss for loss in without)

    def undo(self) -> "Edit":
        """Return the value before the last step."""
        if self.before is None:
            raise InputError(
                "there is nothing to undo.", hint="this is the list as it was learned."
            )
        return self.before

    def compare(self, other: "Edit | FittedRuleList | RuleList") -> Comparison:
        """Count the rows on which two lists differ, and who is right there."""
        theirs = other if isinstance(other, RuleList) else other.rule_list
        return compared(self.rule_list, theirs, self.workbench.kept, self.workbench.labels)

    def confirm(self) -> Evaluation:
        """Return what the list does on every row of the table: one scan."""
        return evaluate(self.rule_list, self.workbench.task.source)

    def fitted_list(self) -> FittedRuleList:
        """Return the list as `learn` would: to save, export, explain and report.

        Its certificate says what is proven about the rows in memory, which are all of the table's
        unless it is very large.
        """
        if self.workbench.is_sample:
            raise InputError(
                f"only {self.workbench.rows.num_rows:,} drawn rows are in memory, so nothing is "
                "proven about the table.",
                hint="take rule_list, and evaluate it on the table.",
            )
        settings = replace(self.fitted.settings, max_rules=self._max_rules)
        certificate = certify(
            **promise(replace(self.workbench.task, settings=settings)),
            n_rules=self.rule_list.n_rules,
            train_rows=self.workbench.rows.num_rows,
            # A cut that was moved may make a list that is better than any of the shape learned.
            sample_lower_bound=min(self.lower_bound, self.loss),
            sample_loss=self.loss,
            pilot_rows=self.fitted.certificate.pilot_rows,
            drawn="whole_table",
        )
        return replace(
            self.fitted,
            rule_list=self.rule_list,
            certificate=certificate,
            settings=settings,
            # The certificate compares with all lists, and so does the sentence about its shape.
            constraints=NO_CONSTRAINTS,
            counts="table",
        )

    # All steps as a file.

    @property
    def steps(self) -> tuple[Step, ...]:
        """What was done since the list was learned, in order."""
        earlier = () if self.before is None else self.before.steps
        return earlier if self.step is None else (*earlier, self.step)

    def to_json(self) -> str:
        """Return all steps as JSON; `replay` takes them again."""
        return written_steps(self.steps)

    def replay(self, text: str) -> "Edit":
        """Return what the steps of a JSON text make of this list."""
        edit = self
        for step in read_steps(text):
            edit = getattr(edit, step.name)(*step.arguments)
        return edit

    def _changed(self, step: Step, rules: Sequence[Rule], **changes: Any) -> "Edit":
        parts: Mapping[str, Any] = {"rules": tuple(rules), "solution": None, **changes}
        return replace(self, step=step, before=self, **parts)

    def _with_rule(self, step: Step, number: int, rule: Rule) -> "Edit":
        """Return the list with another rule in a place; a pinned one stays pinned as it is now."""
        place = self.place_of(number)
        rules = [*self.rules[:place], rule, *self.rules[place + 1 :]]
        pinned = tuple(rule if one == self.rules[place] else one for one in self.pinned)
        return self._changed(step, rules, pinned=pinned)

    def _check_class(self, prediction: Hashable | None) -> None:
        if prediction is not None and prediction not in self.fitted.classes:
            raise ParameterError(
                f"the class is {prediction!r}; expected one of "
                f"{', '.join(map(repr, self.fitted.classes))}.",
                hint="None lets the rows choose.",
            )

    def place_of(self, number: int) -> int:
        """Return the place of a rule in `rules`, from 0."""
        if not 1 <= number <= len(self.rules):
            raise _no_rule(number, len(self.rules))
        return number - 1

    def __eq__(self, other: object) -> bool:
        """Whether it is the same list, said of the same rows, by the same steps."""
        return (
            isinstance(other, Edit)
            and self.workbench is other.workbench
            and (self.rules, self.default, self.pinned, self.constraints, self.steps)
            == (other.rules, other.default, other.pinned, other.constraints, other.steps)
        )

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return f"{self.rule_list}\n\n{self.sentence}"


def edit_of(fitted: FittedRuleList, table: Any = None, **options: Any) -> Edit:
    """Return the beginning: the list as it was learned, on the rows it was learned from.

    `table` and `options` are those of `workbench_of`.
    """
    rules = _unsaid(fitted.rule_list.rules)
    workbench = workbench_of(fitted, table, **options)
    return Edit(fitted, workbench, rules, constraints=fitted.constraints)


def _unsaid(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """Return rules that predict what fits, without counts."""
    return tuple(Rule(rule.conditions, None) for rule in rules)


def _conditions(given: Condition | Sequence[Condition]) -> tuple[Condition, ...]:
    conditions = (given,) if isinstance(given, Condition) else tuple(given)
    if not conditions:
        raise ParameterError(
            "a rule has no conditions; expected one or more.", hint="remove the rule instead."
        )
    return conditions


def has_cut(condition: Condition) -> bool:
    """Whether `Edit.move_threshold` can move it."""
    return condition.op in (Operator.AT_LEAST, Operator.LESS) and condition.unit is None


def _what_text(what: str | Condition | tuple[str, ...]) -> str:
    return " with ".join(what) if isinstance(what, tuple) else str(what)


def _no_rule(number: int, last: int) -> ParameterError:
    return ParameterError(
        Words(Parameter("number"), f" is {number}; expected a rule's, from 1 to {last}."),
        hint="rules are numbered from 1, as they are shown.",
    )


def _above(loss: float, least: float) -> float:
    if loss == least:
        return 0.0
    return math.inf if least == 0 else loss / least - 1


def _share(value: float) -> str:
    return "infinitely" if math.isinf(value) else percent_text(value, ROUND_CEILING, 3)
