"""A list as the page shows it: a card per rule, its loss, and what is proven about it."""

import math
from collections.abc import Sequence
from typing import Literal

from samrule.constraints import Constraints
from samrule.editing import Edit
from samrule.editing.edit import has_cut
from samrule.editing.steps import step_to_dict, what_to_dict
from samrule.evaluation import Evaluation
from samrule.export.json import condition_to_dict, value_to_json
from samrule.rules import Condition, Rule, RuleList, column_text, conjunction_text, value_text
from samrule.solver import Status
from samrule.studio.desk import Desk
from samrule.studio.shapes import MOST_EFFORT
from samrule.studio.views import (
    CertificateView,
    ChosenRule,
    ConditionView,
    EditView,
    RuleOnTest,
    RuleView,
    SaidView,
    SearchView,
    TestView,
)

# What "longer" is, when people ask for a longer search.
_TIMES_LONGER = 10


def edit_view(desk: Desk, edit: Edit) -> EditView:
    """Return everything that is shown of a list at once."""
    rule_list = edit.rule_list
    tested = None if desk.test is None else desk.test.evaluation(rule_list)
    return EditView(
        steps=[step_to_dict(step) for step in edit.steps],
        rules=_rules(edit, tested),
        text=str(rule_list),
        loss=edit.loss,
        loss_name=edit.fitted.loss_name,
        lower_bound=edit.lower_bound,
        worse_than_best=finite(edit.worse_than_best),
        loss_before=None if edit.before is None else edit.before.loss,
        worse_than_before=finite(edit.worse_than_before),
        sentence=edit.sentence,
        certificate=_certificate(edit),
        obeys=edit.obeys,
        said=_said(edit.constraints),
        other_constraints=_others(edit.constraints),
        search=_search(edit),
        columns=columns_of(rule_list),
        test=_tested(desk, edit, tested),
    )


def condition_view(condition: Condition) -> ConditionView:
    """Return a condition and how it reads."""
    return ConditionView(
        condition=condition_to_dict(condition), text=str(condition), has_cut=has_cut(condition)
    )


def chosen_rules(rules: Sequence[Rule], *, classes: bool = False) -> list[ChosenRule]:
    """Return rules as the step `choose` takes them; the classes that they predict if asked for."""
    return [
        ChosenRule(
            conditions=[condition_to_dict(one) for one in rule.conditions],
            prediction=value_to_json(rule.prediction) if classes else None,
        )
        for rule in rules
    ]


def columns_of(rule_list: RuleList) -> list[str]:
    """Return the columns that a list uses."""
    return list(dict.fromkeys(one.column for rule in rule_list for one in rule.conditions))


def finite(number: float | None) -> float | None:
    """Return a number as JSON can say it: None for what is infinite or not defined."""
    return None if number is None or not math.isfinite(number) else number


def _rules(edit: Edit, tested: Evaluation | None) -> list[RuleView]:
    total = edit.workbench.rows.num_rows
    said = [*(rule.prediction for rule in edit.rules), edit.default]
    prices = [*edit.prices, None]
    found = []
    for place, rule in enumerate(edit.rule_list):
        n_rows, price = int(rule.support), prices[place]
        right = rule.class_counts[edit.fitted.classes.index(rule.prediction)]
        found.append(
            RuleView(
                number=place + 1,
                conditions=[condition_view(one) for one in rule.conditions],
                text=conjunction_text(rule.conditions),
                prediction=value_to_json(rule.prediction),
                prediction_text=value_text(rule.prediction),
                chosen=said[place] is not None,
                pinned=place < len(edit.rules) and edit.rules[place] in edit.pinned,
                n_rows=n_rows,
                coverage=n_rows / total,
                class_counts=[int(one) for one in rule.class_counts],
                class_shares=list(rule.probabilities),
                accuracy=right / n_rows if n_rows else None,
                price=price,
                loss_without=None if price is None else edit.loss + price,
                test=None if tested is None else _on_test(tested, place),
            )
        )
    return found


def _on_test(tested: Evaluation, place: int) -> RuleOnTest:
    rule = tested.rules[place]
    return RuleOnTest(
        n_rows=rule.n_rows,
        coverage=rule.coverage,
        class_counts=list(rule.row_counts),
        accuracy=finite(rule.accuracy),
    )


def _certificate(edit: Edit) -> CertificateView:
    if edit.workbench.is_sample:
        sentence = (
            f"Counted on {edit.workbench.rows.num_rows:,} rows drawn from the table; nothing is "
            "proven about all of its rows."
        )
        return CertificateView(sentence=sentence, proven=False)
    return CertificateView(sentence=edit.fitted_list().certificate.bounds_sentence, proven=True)


def _said(constraints: Constraints) -> list[SaidView]:
    forbidden = [*constraints.forbid, *constraints.apart]
    said = [_one_said(one, "forbid") for one in forbidden]
    return said + [_one_said(one, "require") for one in constraints.require]


def _one_said(
    what: str | Condition | tuple[str, ...], verb: Literal["forbid", "require"]
) -> SaidView:
    return SaidView(what=what_to_dict(what), verb=verb, text=f"{verb} {_name(what)}")


def _others(constraints: Constraints) -> list[str]:
    """Return what else the list was learned to obey, in words."""
    left = Constraints(
        at_most=constraints.at_most,
        first=constraints.first,
        last=constraints.last,
        monotone=constraints.monotone,
        max_columns=constraints.max_columns,
        together=constraints.together,
    )
    return [text for text, _ in left.each()]


def _name(what: str | Condition | tuple[str, ...]) -> str:
    if isinstance(what, tuple):
        return " with ".join(map(column_text, what))
    return str(what) if isinstance(what, Condition) else column_text(what)


def _search(edit: Edit) -> SearchView | None:
    if edit.solution is None:
        return None
    status = edit.solution.status
    assert edit.step is not None, "a search is a step"
    longer = _TIMES_LONGER * edit.step.arguments[0]
    may_go_on = status is Status.WORK_LIMIT and longer <= MOST_EFFORT
    return SearchView(
        status=str(status),
        proven=status is Status.OPTIMAL,
        longer=longer if may_go_on else None,
    )


def _tested(desk: Desk, edit: Edit, tested: Evaluation | None) -> TestView | None:
    if desk.test is None or tested is None:
        return None
    settings, objective = edit.fitted.settings, edit.fitted.objective
    return TestView(
        n_rows=tested.n_rows,
        error_rate=tested.error_rate,
        accuracy=tested.accuracy,
        loss=desk.test.loss(edit.rule_list, objective, settings.regularization),
    )
